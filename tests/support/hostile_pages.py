"""Servers that are hostile in good HTTP: redirects, robots.txt, pages that hurt to read."""

from __future__ import annotations

from crawler.models import Failure, Skip, UrlState
from support.hostile_case import Case
from support.hostile_replies import (
    HEAD,
    PAGE,
    WORDS,
    by_target,
    coded,
    cookie_flood,
    drip,
    gzip_bomb,
    html,
    made,
    numbered,
)
from support.servers import endless, redirect, reset, response, stall, then

_STORED, _REDIRECT = UrlState.STORED, UrlState.REDIRECT
_LOOP, _NOWHERE = Failure.REDIRECT_LOOP, Failure.REDIRECT_INVALID
_NO_RULES = Skip.ROBOTS_UNREACHABLE
_TERMINAL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\u2028\u2029\x85\x00\x7f"
"""Title, clear screen, colour, writing backwards, line ends that JSON allows, NUL, DEL."""

REDIRECTS = (
    Case("self-redirect", "redirects to itself", _LOOP, redirect("/page")),
    Case(
        "slash-redirect",
        "adds a slash, then removes it",
        _LOOP,
        by_target(lambda target: redirect("/page" if target.endswith("/") else "/page/")),
    ),
    Case(
        "cookie-redirect",
        "redirects to itself with another cookie",
        _LOOP,
        numbered(lambda n: redirect("/page", 302, f"visit={n}")),
    ),
    Case(
        "cookie-flood",
        "redirects to itself with two hundred cookies more",
        _LOOP,
        numbered(cookie_flood),
    ),
    Case(
        "redirect-ring",
        "two pages redirect to each other",
        _LOOP,
        by_target(lambda target: redirect("/other" if target == "/page" else "/page")),
    ),
    Case(
        "endless-redirects",
        "each redirect leads to another",
        _REDIRECT,
        numbered(lambda n: redirect(f"/page/{n}")),
        after=_LOOP,
    ),
    Case("no-location", "no Location", _NOWHERE, response(b"", status=302)),
    Case("to-script", "redirects to javascript:", _NOWHERE, redirect("javascript:alert(1)")),
    Case("to-file", "redirects to file:", _NOWHERE, redirect("file:///etc/passwd")),
    Case("to-gopher", "redirects to gopher:", _NOWHERE, redirect("gopher://127.0.0.1:25/")),
    Case(
        "to-noise",
        "Location of invalid UTF-8",
        _REDIRECT,
        redirect("/\xff\xfe\x9b"),
        after=_LOOP,
    ),
    Case(
        "to-escapes",
        "Location of terminal escapes",
        _NOWHERE,
        redirect("http://[\x9b2J\x7f]/"),
    ),
    Case("to-long", "Location of 10,000 characters", _NOWHERE, redirect("/" + "a" * 10_000)),
    Case("to-huge", "Location of a megabyte", Failure.PROTOCOL, redirect("/" + "a" * 1_000_000)),
    Case(
        "to-login",
        "Location with a password",
        _NOWHERE,
        redirect("http://user:secret@[nowhere/"),
    ),
    Case(
        "redirect-body",
        "redirect with endless body",
        _REDIRECT,
        by_target(
            lambda target: (
                response(PAGE)
                if target == "/end"
                else b"HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 999999999\r\n\r\n"
                + PAGE
            )
        ),
        after=_STORED,
    ),
)

ROBOTS = (
    Case("robots-stall", "never comes", _NO_RULES, robots=stall),
    Case("robots-reset", "resets", _NO_RULES, robots=reset),
    Case("robots-slow", "sends byte by byte", _NO_RULES, robots=drip(HEAD + b"\r\n")),
    Case("robots-500", "always 500", _NO_RULES, robots=response(b"", status=500)),
    Case(
        "robots-bomb",
        "gzip bomb",
        _STORED,
        robots=made(lambda: coded("gzip", gzip_bomb())),
    ),
    Case(
        "robots-endless",
        "endless",
        _STORED,
        robots=then(HEAD + b"\r\n", endless(b"Allow: /\n" * 999)),
    ),
    Case("robots-loop", "redirects to itself", _STORED, robots=redirect("/robots.txt")),
    Case(
        "robots-noise",
        "NUL bytes and noise",
        _STORED,
        robots=response(bytes(range(256)) * 99),
    ),
    Case(
        "robots-delay",
        "a Crawl-delay of years",
        _STORED,
        robots=response(b"User-agent: *\nCrawl-delay: 99999999"),
    ),
    Case(
        "robots-rules",
        "20,000 wildcard rules",
        Skip.ROBOTS,
        robots=response(
            b"User-agent: *\n" + b"".join(b"Disallow: /*a*%d*b$\n" % n for n in range(20_000))
        ),
    ),
    Case(
        "busy",
        "429 with a Retry-After of years",
        Failure.HTTP_RATE_LIMITED,
        response(b"", status=429, headers={"Retry-After": "9" * 400}),
    ),
)

CHARSETS = (
    Case(
        "wrong-charset",
        "declares UTF-8, is GB 18030",
        _STORED,
        response(
            f"<p>{'敌对的服务器什么都说得出来。' * 9}</p>".encode("gb18030"),
            content_type="text/html; charset=utf-8",
        ),
    ),
    Case(
        "no-charset",
        "unknown charset",
        _STORED,
        html("", charset="; charset=klingon-\x9b8"),
    ),
    Case("utf-16", "declared UTF-16, is ASCII", _STORED, html("", charset="; charset=utf-16le")),
    Case("utf-7", "declares UTF-7", _STORED, html("+ADw-script+AD4-", charset="; charset=utf-7")),
    Case(
        "half-characters",
        "halved characters",
        _STORED,
        response(
            PAGE + b"\xe4\xb8\xff\xc3(\xf0\x9f\x92" * 999, content_type="text/html; charset=utf-8"
        ),
    ),
    Case(
        "surrogates",
        "lone surrogates",
        _STORED,
        html("\ud800\udfff&#xD800;&#xDFFF;"),
    ),
    Case("nul-bytes", "NUL bytes everywhere", _STORED, html("\0".join(WORDS))),
    Case(
        "noise",
        "random bytes as a page",
        Skip.CONTENT_TYPE,
        response(bytes(range(256)) * 400),
        tells="declared as text/html, and the body is binary",
    ),
    Case(
        "typeless",
        "random bytes of no type",
        Skip.CONTENT_TYPE,
        response(bytes(range(256)) * 400, content_type=None),
    ),
)

PAGES = (
    Case("deep", "100,000 nested elements", _STORED, html("<div>" * 100_000)),
    Case("deep-inline", "20,000 nested formats", _STORED, html("<b><i>" * 10_000)),
    Case("deep-tables", "10,000 nested tables", _STORED, html("<table><tr><td>" * 10_000)),
    Case(
        "misnested",
        "misnested formatting",
        _STORED,
        html("<a><b><p></a></b>" * 3_000),
    ),
    Case(
        "many-formats",
        "5,000 kinds of unclosed formatting",
        _STORED,
        html("".join(f"<b id={n}><p>" for n in range(5_000))),
    ),
    Case(
        "wide-table",
        "cells spanning a thousand rows and columns",
        _STORED,
        html("<table>" + "<tr><td rowspan=1000 colspan=1000>" * 2_000),
    ),
    Case(
        "long-name",
        "element name of 100,000 letters",
        _STORED,
        response(PAGE + b"<" + b"a" * 100_000, content_type="application/xhtml+xml"),
    ),
    Case(
        "many-marks",
        "letter with 200,000 marks",
        _STORED,
        html("x" + "\u0301\u0327" * 100_000),
    ),
    Case(
        "long-attribute",
        "attribute of a megabyte",
        _STORED,
        html(f'<p title="{"x" * 900_000}">'),
    ),
    Case(
        "many-attributes",
        "50,000 attributes",
        _STORED,
        html(f"<p {' '.join(f'a{n}=1' for n in range(50_000))}>"),
    ),
    Case("long-link", "link of a megabyte", _STORED, html(f'<a href="/{"x" * 900_000}">x</a>')),
    Case(
        "many-links",
        "60,000 links",
        _STORED,
        html("".join(f"<a href=//h{n}.test>" for n in range(40_000))),
    ),
    Case(
        "long-title",
        "title of half a megabyte",
        _STORED,
        html("", f"<title>{'x' * 500_000}</title>"),
    ),
    Case(
        "escapes",
        "terminal escapes",
        _STORED,
        html(f"<p>{_TERMINAL * 9}</p><a href='/{_TERMINAL}'>x</a>", f"<title>{_TERMINAL}</title>"),
    ),
    Case("entities", "200,000 entities", _STORED, html("&lt;&#x1b;" * 70_000)),
    Case("open-comment", "endless comment", _STORED, html("<!--" + "-" * 800_000)),
    Case("open-tag", "endless tag", _STORED, html("<p " + "x" * 800_000)),
    Case("one-word", "word of 900,000 letters", _STORED, html("x" * 900_000)),
)
