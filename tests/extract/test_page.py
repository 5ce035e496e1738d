"""What a page says of itself beside its text: its title, and what robots may do with it."""

from __future__ import annotations

import pytest

from crawler.extract.directives import RobotsDirectives, robots_directives
from crawler.extract.page import MAX_TITLE_LENGTH, PageHints, page_links, parse, read_page
from crawler.urls import Canonicaliser


def hints(html: str, media_type: str = "text/html") -> PageHints:
    """Return what a page says of itself."""
    return read_page(parse(html, media_type), "http://h/", Canonicaliser(), "TestBot")[0]


def title(html: str, media_type: str = "text/html") -> str | None:
    """Return the title of a page."""
    return hints(html, media_type).title


def robots(html: str) -> RobotsDirectives:
    """Return what the meta tags of a page ask for."""
    found = page_links(parse(html, "text/html"), "http://h/", Canonicaliser(), "TestBot")
    return RobotsDirectives(found.noindex, found.nofollow)


NOTHING = RobotsDirectives()
NOINDEX = RobotsDirectives(noindex=True)
NOFOLLOW = RobotsDirectives(nofollow=True)
BOTH = RobotsDirectives(noindex=True, nofollow=True)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title> 标题 &amp;\n more </title>", "标题 & more"),
        ("<svg><title>drawing</title></svg><title>page</title>", "page"),
        ("<title>one</title><title>two</title>", "one"),
        ("<noscript><img></noscript><title>pushed into the body</title>", "pushed into the body"),
        ("<title> \n </title>", None),
        ("<p>none</p>", None),
        ("<title>&#xD800;&#0;x</title>", "\ufffd\ufffdx"),
        ("", None),
    ],
)
def test_title(html: str, expected: str | None) -> None:
    """The title is the document's first, white space folded, None where it says nothing."""
    assert title(html) == expected


def test_title_is_bounded() -> None:
    """A title is cut, for some pages put everything there."""
    assert title("<title>" + "x" * 5_000_000) == "x" * MAX_TITLE_LENGTH


@pytest.mark.parametrize(
    ("html", "heading"),
    [
        ("<h2>Menu</h2><h1> </h1><h1>The  lamp</h1><h1>Later</h1>", "The lamp"),
        ("<h3>Menu</h3><h2>The lamp</h2><h3>Later</h3>", "The lamp"),
        ("<h2>News</h2><h2>The lamp</h2>", None),
        ("<p>The lamp</p>", None),
    ],
)
def test_heading(html: str, heading: str | None) -> None:
    """Where there is no h1, the one heading of the highest level; of several none is the page's."""
    assert hints(html).heading == heading


def test_xhtml_may_close_any_element_itself() -> None:
    """`<script/>` swallows the rest of an HTML page, and nothing of an XHTML page."""
    body = '<html xmlns="x"><head><script src="s.js"/><title>seen</title></head></html>'
    assert title(body, "application/xhtml+xml") == "seen"
    assert title(body) is None


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<meta name=robots content=noindex>", NOINDEX),
        ("<meta name=ROBOTS content='NOFOLLOW'>", NOFOLLOW),
        ("<meta name=robots content='none'>", BOTH),
        ("<meta name=robots content='noindex nofollow'>", BOTH),
        ("<meta name=robots content='index, follow, all'>", NOTHING),
        ("<meta name=robots content=noindex><meta name=robots content='index,nofollow'>", BOTH),
        ("<meta name=testbot content=noindex><meta name=robots content=nofollow>", BOTH),
        ("<meta name=otherbot content=none>", NOTHING),
        ("<meta name=robots content='noindexed, x-nofollow'>", NOTHING),
        ("<meta name=robots content='max-image-preview: none, nofollow'>", NOFOLLOW),
        ("<meta name=robots>", NOTHING),
    ],
)
def test_meta_robots(html: str, expected: RobotsDirectives) -> None:
    """Meta tags for all robots and for this one add up, in any case; others' are not heeded."""
    assert robots(html) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, NOTHING),
        ("", NOTHING),
        ("noindex", NOINDEX),
        ("NoArchive, NoIndex , nofollow", BOTH),
        ("none", BOTH),
        ("testbot: noindex", NOINDEX),
        ("otherbot: noindex, nofollow", NOTHING),
        ("otherbot: noindex, testbot: nofollow", NOFOLLOW),
        ("noindex, otherbot: nofollow", NOINDEX),
        ("otherbot: noindex\nnofollow", NOFOLLOW),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", NOINDEX),
        ("unavailable_after: Mon, 25 Jun 2035 15:00:00 GMT, noindex", NOINDEX),
        ("googlebot: nofollow\nnoindex", NOINDEX),
        ("max-snippet: 5, max-image-preview: none, nofollow", NOFOLLOW),
    ],
)
def test_robots_header(header: str | None, expected: RobotsDirectives) -> None:
    """X-Robots-Tag speaks to all robots, or to the one it names; values are no directives."""
    assert robots_directives(header, "TestBot") == expected
