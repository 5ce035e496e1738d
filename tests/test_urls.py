"""URLs: the rules one by one, what must hold for any text, and the hosts."""

from __future__ import annotations

import re

import ada_url
import publicsuffixlist
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.paths import doc

from crawler import urls
from crawler.urls import Canonicaliser, host_key, hostname, origin, registrable_domain

canonical = Canonicaliser()


# --------------------------------------------------------------------------------------------------
# The rules one by one


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.COM:80/A/../B/./c", "http://example.com/B/c"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://user:secret@example.com/x#part", "http://example.com/x"),
        ("http://user@[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://good.com\\@evil.com/", "https://good.com/@evil.com/"),
        ("  http://example.com/a\n\tb c ", "http://example.com/ab%20c"),
        ("http://example.com/a ?b #c", "http://example.com/a%20?b%20"),
        ("http://example.com/a\x00\x1fb", "http://example.com/a%00%1Fb"),
        ("http://example.com/%7euser/%41%2d%2f%c3%a9", "http://example.com/~user/A-%2F%C3%A9"),
        ("http://example.com/a;b=c,d!$'()*+", "http://example.com/a;b=c,d!$'()*+"),
        ("http://example.com/[a]|^`{b}", "http://example.com/%5Ba%5D%7C%5E%60%7Bb%7D"),
        ("http://example.com/?[a]|^`{b}\\", "http://example.com/?%5Ba%5D%7C%5E%60%7Bb%7D%5C"),
        ("http://example.com/?q=%27'", "http://example.com/?q=%27%27"),
        ("http://example.com/100%?p=5%&q=%e", "http://example.com/100%25?p=5%25&q=%25e"),
        ("http://example.com/%25%36%31", "http://example.com/%2561"),
        ("http://example.com/%2%65/x", "http://example.com/%252e/x"),
        ("http://example.com/a/%2e%2E/b/%2e/c", "http://example.com/b/c"),
        ("http://example.com/a/%2%65%2e/b", "http://example.com/a/%252e./b"),
        ("http://example.com/??a=b", "http://example.com/??a=b"),
        ("http://example.com/?b=2&a=1", "http://example.com/?b=2&a=1"),
        ("http://example.com/?&a=1&&b&c=&", "http://example.com/?a=1&b&c="),
        ("http://example.com/?&&", "http://example.com/"),
        ("http://example.com/?a=1;b=2", "http://example.com/?a=1;b=2"),
        ("http://example.com//a//b", "http://example.com//a//b"),
        ("http://example.com/index.html?sid=1", "http://example.com/index.html?sid=1"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://中文.中国/维基", "http://xn--fiq228c.xn--fiqs8s/%E7%BB%B4%E5%9F%BA"),
        ("http://ＧＯ.com/", "http://go.com/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://www.example.org./a", "http://www.example.org/a"),
        ("http://www.example.org.:8080/a.", "http://www.example.org:8080/a."),
        ("http://1.2.3../", "http://1.2.3../"),
    ],
)
def test_rule(url: str, expected: str) -> None:
    """Each rule of docs/urls.md does what its example says, and once is enough."""
    assert canonical(url) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    "url",
    [
        *(
            "javascript:void(0)",
            "mailto:a@example.com",
            "data:text/html,x",
            "tel:123",
            "about:blank",
        ),
        *("ftp://example.com/", "file:///etc/passwd", "ws://example.com/", "view-source:http://a/"),
        *("", "#top", "/path", "example.com", "http://", "http:///", "http://a b/", "http://[::1"),
        *("http://1.2.3.4.5/", "http://a:99999/", "http://%zz/", "http://a\x00b/", "\x00", "//"),
        *("http://a/\ud800", "\udfff", "http://\ud800/"),
    ],
)
def test_what_cannot_be_crawled_is_none(url: str) -> None:
    """Other schemes, references without a base, broken hosts and lone surrogates give None."""
    assert canonical(url) is None


def test_a_bad_base_gives_none() -> None:
    """A base that does not parse, is opaque, or holds a lone surrogate gives None, no error."""
    for base in ("", "nonsense", "mailto:a@example.com", "http://a/\ud800", "http://[/"):
        assert canonical("page.html", base) is None
    assert canonical("http://a/", "mailto:b@example.com") == "http://a/"


# --------------------------------------------------------------------------------------------------
# Length


def test_length_limit_is_on_the_canonical_form() -> None:
    """A long reference that shrinks is kept, one that stays over the limit is refused."""
    site = "http://example.com/"
    longest = site + "x" * (urls.MAX_URL_LENGTH - len(site))
    assert canonical(longest) == longest
    assert canonical(longest + "x") is None
    assert canonical("./" * 3000 + "page.html", site) == site + "page.html"
    assert canonical("é" * 1000, site) is None


def test_megabytes_are_refused_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a huge URL nor a huge base reaches the parser; a huge fragment costs no more."""
    huge = "x" * 5_000_000
    assert canonical("page#" + huge, "http://a/b#" + huge) == "http://a/page"

    def parse(*_: str) -> str:
        raise AssertionError("parsed")

    monkeypatch.setattr(ada_url, "normalize_url", parse)
    monkeypatch.setattr(ada_url, "join_url", parse)
    assert canonical("http://a/" + huge) is None
    assert canonical(huge, "http://a/") is None
    assert canonical("page", "http://a/" + huge) is None


# --------------------------------------------------------------------------------------------------
# Tracking parameters


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("?utm_source=x&id=7&fbclid=y", "?id=7"),
        ("?UTM_Source=x&GCLID=1", ""),
        ("?utm%5fsource=x&%73pm=1", ""),
        ("?spm", ""),
        (
            "?utm_sourced=x&my_utm_source=1&q=utm_source",
            "?utm_sourced=x&my_utm_source=1&q=utm_source",
        ),
        ("?a=1%26utm_source=x", "?a=1%26utm_source=x"),
    ],
)
def test_tracking_parameters_go(query: str, kept: str) -> None:
    """A parameter goes by its whole name, in any case and spelling, and nothing else goes."""
    assert canonical("http://example.com/" + query) == "http://example.com/" + kept


def test_tracking_parameters_can_be_overridden() -> None:
    """A job's list replaces the built-in one; its names may need escapes in a query."""
    mine = Canonicaliser(frozenset({"Sid", "来源", "f[x]", "it's"}))
    url = "http://a/?sid=1&SID=2&来源=3&f[x]=4&it's=5&utm_source=6"
    assert mine(url) == "http://a/?utm_source=6"
    nothing = Canonicaliser(frozenset())
    assert nothing("http://a/?utm_source=6&spm=1") == "http://a/?utm_source=6&spm=1"


def test_docs_list_every_tracking_parameter() -> None:
    """docs/urls.md names exactly the tracking parameters that are dropped."""
    page = doc("urls")
    section = page.partition("## Tracking parameters")[2].partition("\n## ")[0]
    table = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    assert set(re.findall(r"`(\w+)`", table)) == urls.TRACKING_PARAMETERS


def test_docs_examples_hold() -> None:
    """Every example in the table of rules of docs/urls.md comes out as it says."""
    page = doc("urls")
    table = page.partition("## Rules")[2].partition("\n## ")[0].replace("\\|", "\0")
    lines = [line.split("|")[2:4] for line in table.splitlines() if line.startswith("|")][2:]
    assert len(lines) > 15
    for before, after in lines:
        url, *base = (text.replace("\0", "|").strip('"') for text in re.findall("`(.+?)`", before))
        assert canonical(url, *base) == after.strip(" `").replace("\0", "|")


# --------------------------------------------------------------------------------------------------
# Properties

ALPHABET = "aZ09%25Ee.~-_/\\?#&=+:@[]|^`{}'\"<> \t\n\x00é中\u3002\uff0e\u00ad;!"
URL_LIKE = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["http://", "https://", "HTTP:/", "http:\\\\", "//", "", "ftp://"]),
        st.sampled_from(["a", "EX.com", "a.", "a..", "1.2.3..", "0x7f.1", "[::1]", "é.x", "u:p@b"]),
        st.sampled_from(["", ":80", ":443", ":8080", ":"]),
        st.sampled_from(["", "/", "/%2e", "/%2%65", "/..%2f", "/a/%2E%2e/"]),
        st.text(st.sampled_from(ALPHABET), max_size=30),
        st.sampled_from(["", "?", "?&utm_source=1&", "?%75tm_source=1&[]=%", "#f"]),
        st.text(st.sampled_from(ALPHABET), max_size=20),
    ),
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
CANONICAL = re.compile(
    r"https?://(?:[^/?#@A-Z]+|\[[0-9a-f:]+\](?::[0-9]+)?)"
    r"/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})+)?",
    re.ASCII,
)


def check(form: str | None) -> None:
    """Assert what holds for every canonical form."""
    if form is None:
        return
    assert canonical(form) == form
    assert CANONICAL.fullmatch(form)
    parsed = ada_url.URL(form)
    assert parsed.href == form
    assert (parsed.username, parsed.password, parsed.hash) == ("", "", "")
    assert not {".", ".."} & set(parsed.pathname.split("/"))
    assert host_key(form).startswith(parsed.hostname)


@given(URL_LIKE)
@example("http://a/%25%36%31")
@example("http://a/%2%65%2%65/")
@example("http://a/%%32%65")
@example("http://a/?%25%36%31&%2%36")
def test_canonical_form_is_a_fixed_point(url: str) -> None:
    """The canonical form of URL-like text is stable, parses, and has nothing left to drop."""
    check(canonical(url))


@given(URL_LIKE, URL_LIKE)
def test_joined_forms_are_fixed_points(url: str, base: str) -> None:
    """The same holds for what was resolved against a base."""
    check(canonical(url, base))
    check(canonical(url, "https://example.com/a/b?c=d"))


@given(ANY_TEXT, st.none() | ANY_TEXT | st.just("http://example.com/x/"))
def test_arbitrary_text_never_raises(url: str, base: str | None) -> None:
    """Any text at all, lone surrogates included, gives a sound canonical form or None."""
    check(canonical(url, base))
    check(canonical("http://" + url))
    check(canonical("http://a/" + url))


@given(st.text(st.sampled_from("xY%2Ff/."), max_size=20))
def test_path_case_is_kept(path: str) -> None:
    """Letters of the path keep their case, whatever escapes stand around them."""
    path = ("/" + path).replace("/.", "/_")
    form = canonical("http://a/b" + path)
    assert form is not None
    assert (form.count("x"), form.count("Y")) == (path.count("x"), path.count("Y"))


# --------------------------------------------------------------------------------------------------
# Hosts


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "example.com"),
        ("https://example.com/", "example.com"),
        ("https://example.com:80/", "example.com"),
        ("http://example.com:8080/x:9", "example.com:8080"),
        ("http://[::1]/", "[::1]"),
        ("http://[::1]:443/", "[::1]"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://User@Example.com.:81", "example.com:81"),
        ("http://0x7f.1:81/", "127.0.0.1:81"),
    ],
)
def test_host_key(url: str, key: str) -> None:
    """Both schemes share a key, other ports have their own, and odd spellings do not matter."""
    assert host_key(url) == key


@pytest.mark.parametrize("url", ["", "example.com", "mailto:a@example.com", "ftp://a/", "\ud800"])
def test_hosts_of_what_is_no_http_url(url: str) -> None:
    """host_key and origin raise ValueError for what is no http(s) URL."""
    with pytest.raises(ValueError, match="not an http"):
        host_key(url)
    with pytest.raises(ValueError, match="not an http"):
        origin(url)


@given(
    st.sampled_from(["http", "https", "ftp", "HTTP"]),
    st.text("a1.:-@[]%x0\\?#", max_size=12),
    st.text("a/:@?#.\\\u00fc", max_size=6),
)
def test_a_site_does_not_depend_on_what_was_asked_before(
    scheme: str, authority: str, rest: str
) -> None:
    """Whatever follows the host, and remembered or not, the origin is that of the whole URL."""
    url = f"{scheme}://{authority}/{rest}"
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        parsed = None
    if parsed is None or parsed.protocol not in ("http:", "https:"):
        for _ in range(2):
            with pytest.raises(ValueError, match="not an http"):
                origin(url)
        return
    expected = f"{parsed.protocol}//{re.sub(r'(?<=[^.])[.](?=:|$)', '', parsed.host)}"
    assert [origin(url), origin(url)] == [expected, expected]


def test_hostname_is_the_key_without_its_port() -> None:
    """A port is cut off; the colons of an IPv6 literal are not mistaken for one."""
    keys = ("example.com", "example.com:81", "127.0.0.1:81", "[::1]", "[::1]:81")
    names = ["example.com", "example.com", "127.0.0.1", "[::1]", "[::1]"]
    assert [hostname(key) for key in keys] == names


def test_origin_keeps_scheme_and_port() -> None:
    """The origin is what robots.txt speaks for: scheme, host and a port that is not the default."""
    assert origin("https://Example.com:443/a?b") == "https://example.com"
    assert origin("https://example.com:80/a") == "https://example.com:80"
    assert origin("http://u:p@[::1]:81/") == "http://[::1]:81"


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.com", "example.com"),
        ("a.b.example.co.uk:8080", "example.co.uk"),
        ("news.example.com.cn", "example.com.cn"),
        ("com.cn", "com.cn"),
        ("someone.github.io", "someone.github.io"),
        ("github.io", "github.io"),
        ("www.xn--fiq228c.xn--fiqs8s", "xn--fiq228c.xn--fiqs8s"),
        ("localhost:8000", "localhost"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[2001:db8::1]:8080", "[2001:db8::1]"),
        ("a..b", "a..b"),
    ],
)
def test_registrable_domain(host: str, domain: str) -> None:
    """The public suffix list decides, private part included; what has no domain is its own."""
    assert registrable_domain(host) == domain


def test_the_list_of_public_suffixes_is_what_the_library_reads_of_it() -> None:
    """Rules that are written in punycode by ourselves are those that the library writes."""
    whole = publicsuffixlist.PublicSuffixList()
    assert vars(urls._suffixes()) == vars(whole)


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("a" * 63, True),
        ("a" * 64, False),
        (".".join(["a" * 49] * 5) + ".abc", True),
        (".".join(["a" * 49] * 5) + ".abcd", False),
        ("\u4e2d" * 55, True),
        ("\u4e2d" * 70, False),
        ("b\u00ad" * 60, True),
        ("%E4%B8%AD" * 50, True),
        ("\u1112\u1161\u11ab" * 50, True),
    ],
)
def test_hosts_are_as_long_as_the_dns_has_them(host: str, known: bool) -> None:
    """Labels of 63 and names of 253 characters in ASCII, however long they were written."""
    for written in (f"http://{host}/x", f"//u:p@{host}:81/x", f" hTTp:\\{host[:1]}\t{host[1:]}"):
        assert (canonical(written, "https://site.test/") is not None) == known
    assert canonical(f"http:{host}/x", "http://site.test/a") is not None


@pytest.mark.parametrize("slashes", ["//", "\\/", "http://", "HTTP:", "\nht\ttp:/", "http:////u@"])
def test_far_too_long_hosts_are_not_converted(
    slashes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Punycode takes quadratic time, so a name that can have no address never comes to it."""
    name = "".join(map(chr, range(0x4E00, 0x4E00 + 1_000)))
    monkeypatch.setattr(urls, "_parse", lambda *_: pytest.fail("was parsed"))
    for host in (name, ".".join([name[:150]] * 6)):
        assert canonical(f"{slashes}{host}.test/x", "https://site.test/") is None
