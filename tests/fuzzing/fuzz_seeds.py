"""Inputs that fuzzing begins with: small, valid, and one for each feature of a format."""

# ruff: noqa: E501 - an input is one line, or it is another input

from __future__ import annotations

URLS = (
    b"http://example.com/a/../b;c?utm_source=x&y=%7e#f",
    b"//user:pw@[::ffff:127.0.0.1]:8080/%2e%2E/%E4%B8%AD\0https://a.test/x?y",
    b"?q=1&&b=%zz\0http://b\xc3\xbccher.example./x/",
    b"http:\\\\0x7f.1\\\t\n..\\x",
    b"http://\xe4\xb8\xad\xe6\x96\x87.\xe4\xb8\xad\xe5\x9b\xbd:443/\xff",
    b"mailto:a@b.test\0ftp://c.test/",
    b"/next page?[]=|^`{}\0http://1.2.3../",
)

ROBOTS = (
    b"User-agent: *\nDisallow: /x\nAllow: /x/*y$\nCrawl-delay: 2\0x/y",
    b"\xef\xbb\xbfuser agent InlineCrawler/2.0 (bot)\r\ndissallow /%7ea\r\n\0~a",
    b"User-agent: other\nUser-agent: InlineCrawler\nUnknown: 1\nDisallow: /\xe4\xb8\xad\0\xe4\xb8\xad",
    b"User-agent: *\nAllow: /index.html\nDisallow: http://x/%2A%24\nSitemap: y # z\nHost: a\0index.html",
    b"User-agent: *\nRequest-rate: 1/5s 0400-0845\nVisit-time: 0400 0845\nCrawl-delay: 1e400\0",
)

HEADERS = (
    b'text/html; charset="utf-8"\0120\0noindex, nofollow',
    b"TEXT/HTML;charset='gbk';x=y\0Wed, 21 Oct 2026 07:28:00 GMT\0inlinecrawler: none\nother: all",
    b"text/plain ,;charset=\0Wed, 21 Oct 99999 07:28:00 -0000\0max-image-preview: none, unavailable_after: x",
)

BODIES = (
    b"\0\0<!doctype html><meta charset=gb2312><title>x</title><p>\xd6\xd0\xce\xc4\xcd\xf8\xd2\xb3",
    b"x\0utf-8\0<?xml version='1.0' encoding='utf-8'?><html><body><p>\xe4\xb8\xad</p></body></html>",
    b"xx\0\0\xff\xfea\0b\0c\0d\0\x2d\x4e",
    b"\0shift_jis\0<meta http-equiv=content-type content='text/html; charset=sjis'>\x83\x4e\x83\x8d",
    b"\0iso-2022-jp\0\x1b$B%/%m!<%i\x1b(B",
    b"\0\0<article><h1>News</h1><p>"
    + b"A sentence of some words, and more. " * 8
    + b"</p></article>",
    b"\0euc-kr\0<!-- <meta charset=big5> --><p>\xc0\xa5 \xc5\xa9\xb7\xd1\xb7\xaf",
)

TEXTS = (
    "在 asyncio 里抓取网页, while pages are judged：每一页都有结论。\0page Page PAGE".encode(),
    "ＡＢＣ１２３ ⒈ ﬁ ½ İstanbul ẞ \u0301 e\u0301 カタカナ ひらがな ภาษาไทย ភាសា မြန်မာ".encode(),
    b"the of and a a a a a b b c \0 \t\r\n\x0b\x0c\x1c\x85\xc2\xa0\xe2\x80\xa8x\xe3\x80\x80y",
    "𠀀𠮷 🀄 Ωμέγα \U0003fffd ١٢٣ _x_ 々〇㐀".encode() + b"\xff\xed\xa0\x80\x80",
)

PAGES = (
    b"<base href='//b.test/x/'><a href=../y?z=1#f rel=nofollow>a</a><area href='/m'><iframe src=q>",
    b"<meta http-equiv=refresh content='0; url=\"next\"'><link rel=canonical href=/c><meta name=robots "
    b"content='noindex,max-image-preview:none'>",
    b"<html><head><title>T &amp; \xe4\xb8\xad</title></head><body><nav><a href=/1>one</a></nav><main><h1>H"
    b"</h1><p>"
    + b"Some words that make a line of text. "
    * 9
    + b"</p><table><tr><td>1<td>2</table>"
    b"<pre>code</pre></main><footer>f</footer></body></html>",
    b"<svg><title>s</title><a href=x/></svg><noscript><a href=/n>n</a></noscript><template><p>t</template>",
    b"<div hidden>h</div><p style='DISPLAY : none'>n</p><math><annotation>\\frac</annotation></math><select>"
    b"<option>o</select><textarea>t</textarea><p aria-hidden=true>x</p>",
    b"<article><header>h</header><p>\xe7\xbd\x91\xe7\xbb\x9c\xe7\x88\xac\xe8\x99\xab</p><aside>a</aside><ul>"
    b"<li><a href='javascript:x'>j</a><li><a href='http://[/'>b</a></ul></article>",
    b"<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0' 'x'><html xmlns='http://www.w3.org/"
    b"1999/xhtml'><script src='x'/><a href='y' /><p/></html>",
)

CONFIGS = (
    b"seeds: [http://a.test/]\noutput: out\nuser_agent: {name: Bot, contact: a@b.test}\n",
    b"scope: {mode: domain, include: ['/x'], exclude: ['(']}\nlimits: {pages: 5, depth: 2, redirects: 3}\n",
    b"politeness: {delay_s: .inf, per_host: 1e9, robots: yes}\nfetch: {workers: 0x10, retries: -1}\n",
    b"fetch: {resolve: {a.test: 127.0.0.1}, allow_addresses: [10.0.0.0/8, ::1/128]}\n",
    b"dedup: {near: tag, method: minhash, threshold: .nan, lexicon: x}\nurls: {tracking_parameters: []}\n",
    b"a: &a [*a]\nb: !!python/object:os.system {}\nc: 2026-01-01\n? [x]\n: y\n",
    b"http://a.test/ # first\n\n# all\nhttps://\xe4\xb8\xad\xe6\x96\x87.test/\nftp://b\n",
)

DAMAGES = (
    b"",
    b"\0\0\x20\xff",
    b"\x01\x10",
    b"\x02\x03\x02\x01not json",
    b"\x03\x00\x01\x02\x03",
    b"\x02\x01\x02\x00\x00\x02\x02\x01\x05\x05\x01\x00",
)
