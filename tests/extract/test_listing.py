"""Sitemaps and feeds are read in every form that sites have them in, and harm nobody."""

from __future__ import annotations

import gzip
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.listing import MOST_LISTED, MOST_MEMBERS, listing
from crawler.extract.page import Resolver
from crawler.models import Listing
from crawler.models.pages import ListKind
from crawler.urls import Canonicaliser

URL = "http://a.test/dir/sitemap.xml"


def read(body: bytes, *, plain: bool = False) -> Listing | None:
    """Read a file of `URL`."""
    return listing(body, Resolver(Canonicaliser(frozenset()), URL), plain=plain)


def urls(body: bytes, *, plain: bool = False) -> list[str]:
    """Return paths of a.test that a file lists."""
    found = read(body, plain=plain)
    assert found is not None
    return [url.removeprefix("http://a.test") for url in found.urls]


SITEMAP = b"""\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://x.test/image">
 <url><loc> http://a.test/usual </loc><image:image><image:loc>http://a.test/i.png</image:loc>
  </image:image></url>
 <url><loc>http://a.test/last?a=1&amp;b=2</loc><priority>0.1</priority></url>
 <url><loc><![CDATA[http://a.test/first]]></loc><priority>1.0</priority></url>
 <url><loc>http://a.test/new</loc><lastmod>2026-01-02</lastmod></url>
 <url><loc>http://a.test/newer</loc><lastmod>2026-01-02T10:00:00+02:00</lastmod></url>
 <url><loc>http://a.test/usual#again</loc></url><url></url><url><loc/></url>
</urlset>"""


def test_pages_come_by_priority_and_then_newest_first() -> None:
    """What has neither keeps the file's order; each page comes once, images are no pages."""
    expected = ["/first", "/newer", "/new", "/usual", "/last?a=1&b=2"]
    assert urls(SITEMAP) == expected
    assert urls(gzip.compress(SITEMAP)) == expected
    utf16 = SITEMAP[3:].decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert urls(utf16) == expected


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (
            b"<sitemapindex><sitemap><loc>/s1.xml.gz</loc></sitemap></sitemapindex>",
            ListKind.INDEX,
            ["/s1.xml.gz"],
        ),
        (
            b"<rss><channel><link>http://a.test/</link><image><link>/logo</link></image>"
            b"<item><link>p1</link><pubDate>Tue, 01 Jan 2019 00:00:00 GMT</pubDate></item>"
            b"<item><link>p2</link><pubDate>Wed, 01 Jan 2020 00:00:00 GMT</pubDate></item>"
            b"</channel></rss>",
            ListKind.FEED,
            ["/dir/p2", "/dir/p1"],
        ),
        (
            b'<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><item><link>/old</link>'
            b"</item></rdf:RDF>",
            ListKind.FEED,
            ["/old"],
        ),
        (
            b'<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/><entry>'
            b'<link rel="edit" href="/edit"/><link href="/entry"/></entry></feed>',
            ListKind.FEED,
            ["/entry"],
        ),
    ],
)
def test_indexes_and_feeds(body: bytes, kind: ListKind, expected: list[str]) -> None:
    """Each form is recognised by its root, and items newest first; a feed's own links are none."""
    found = read(body)
    assert found is not None
    assert (found.kind, urls(body)) == (kind, expected)


def test_text_is_a_list_only_where_one_is_expected() -> None:
    """A line is a URL or nothing; a page, or text without URLs, is no list."""
    text = b"\xef\xbb\xbfhttp://a.test/1\r\n# note\nhttp://a.test/2 more\n https://a.test/3 \n"
    assert urls(text, plain=True) == ["/1", "https://a.test/3"]
    assert read(text) is None
    assert read(b"<html><a href=/>no list</a></html>", plain=True) is None
    assert read(b"no list\n", plain=True) is None
    assert read(b"", plain=True) is None


def test_what_is_broken_is_read_as_far_as_it_goes() -> None:
    """Bare ampersands, wrong tags, a file that is cut, gzip that is cut."""
    one = b"<url><loc>http://a.test/?a=1&b=2</loc></url>"
    assert urls(b"<urlset>" + one + b"<url><loc>http://a.test/2</url></urlset>")[0] == "/?a=1&b=2"
    assert urls(b"<urlset>" + one + b"<url><loc>http://a.te") == ["/?a=1&b=2"]
    pages = b"".join(b"<url><loc>http://a.test/%d</loc></url>" % n for n in range(2_000))
    packed = gzip.compress(b"<urlset>" + pages + b"</urlset>")
    assert 100 < len(urls(packed[: len(packed) // 2])) < 2_000


def _numbered(count: int) -> bytes:
    """Return a sitemap of so many pages."""
    pages = b"".join(b"<url><loc>http://a.test/%d</loc></url>" % n for n in range(count))
    return b"<urlset>" + pages + b"</urlset>"


@pytest.mark.parametrize("padding", [b"", b"\0" * 512, b"\x1f", b"trailing garbage"])
def test_all_members_of_a_gzip_file_are_read(padding: bytes) -> None:
    """However it is cut into members (RFC 1952 2.2), empty ones too; what follows is padding."""
    data = _numbered(2_000)
    for size in (1_000, 40_000, 70_000):
        members = [gzip.compress(data[at : at + size]) for at in range(0, len(data), size)]
        assert len(urls(gzip.compress(b"") + b"".join(members) + padding)) == 2_000
    many = gzip.compress(b"") * MOST_MEMBERS + gzip.compress(data)
    assert read(many) is None, "each costs time to begin"


@pytest.mark.parametrize("from_end", [1, 5, 8, 20])
def test_damage_costs_what_is_behind_it(from_end: int) -> None:
    """One wrong byte near the end of a gzip file leaves what comes before, as a cut does."""
    packed = bytearray(gzip.compress(_numbered(5_000)))
    packed[-from_end] ^= 0xFF
    assert len(urls(bytes(packed))) > 4_900
    assert len(urls(bytes(packed[:-from_end]))) > 4_900
    first = gzip.compress(_numbered(500).removesuffix(b"</urlset>"))
    assert len(urls(first + bytes(packed))) > 4_900


def test_nothing_that_a_file_declares_is_expanded_or_loaded() -> None:
    """A billion laughs make no page, a local file is not read, and others are listed."""
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
    declared = b'<!DOCTYPE u [<!ENTITY l0 "lol">%s<!ENTITY f SYSTEM "file:///etc/hosts">]>' % laughs
    entries = (b"<url><loc>http://a.test/%s</loc></url>" % x for x in (b"&l11;", b"&f;", b"ok"))
    found = read(declared + b"<urlset>" + b"".join(entries) + b"</urlset>")
    assert found is not None
    assert set(found.urls) <= {"http://a.test/ok"}


def test_one_file_lists_as_many_as_the_protocol_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more URLs the first are taken, and a bomb is unpacked no further than a file may be."""
    pages = b"<url><loc>http://a.test/x</loc></url>" * (MOST_LISTED + 1)
    last = b"<url><loc>http://a.test/last</loc></url>"
    assert urls(b"<urlset>" + pages + last) == ["/x"]
    monkeypatch.setattr(sys.modules[listing.__module__], "MAX_BYTES", 5_000_000)
    bomb = gzip.compress(b"<urlset>" + b" " * 6_000_000 + last, compresslevel=1)
    assert urls(bomb) == []


@given(st.binary(max_size=300), st.booleans(), st.booleans())
def test_any_bytes_are_read(body: bytes, plain: bool, behind_a_root: bool) -> None:
    """No file raises an error; what it lists are canonical URLs."""
    canonical = Canonicaliser(frozenset())
    found = read(b"<urlset><url><loc>" + body if behind_a_root else body, plain=plain)
    assert all(canonical(url) == url for url in found.urls) if found else True
