"""Hosts with rules: robots.txt of every sort, noindex, nofollow, Crawl-delay; hints and frames."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from crawler.demo.desk import Desk
from crawler.demo.pages import UNIQUE, Answer, Fate, copy_of, html, skipped
from crawler.demo.templates import Link, newspaper
from crawler.records import Skip

CRAWL_DELAY_S = 0.2
QUIET_PAGES = 6
_TEXT = {"Content-Type": "text/plain"}
PRIVATE = Answer(
    200, _TEXT, b"User-agent: *\nDisallow: /secret/\nAllow: /secret/open\nDisallow: /*.cgi$\n"
)
QUIET = Answer(200, _TEXT, f"User-agent: *\nCrawl-delay: {CRAWL_DELAY_S}\n".encode())
MISSING = Answer(404, _TEXT, b"no robots.txt here\n")
DOWN = Answer(503, _TEXT, b"down for maintenance\n")
_FORBIDDEN = skipped(Skip.ROBOTS)


def fill_private(desk: Desk) -> tuple[Link, ...]:
    """Add pages that are forbidden, not to be indexed, or not to be followed.

    Returns links to them all. Links on the nofollow pages lead where no crawl may come.
    """
    for n in range(4):
        _add(desk, f"/secret/{n}", _FORBIDDEN)
    _add(desk, "/search.cgi", _FORBIDDEN)
    _add(desk, "/secret/open", UNIQUE)
    noindex = skipped(Skip.NOINDEX)
    _add(desk, "/noindex", noindex, "/behind/noindex", '<meta name="robots" content="noindex">')
    _add(desk, "/x-noindex", noindex, "/behind/x-noindex", headers={"X-Robots-Tag": "noindex"})
    _add(desk, "/nofollow", UNIQUE, "/hidden/1", '<meta name="robots" content="nofollow">')
    _add(desk, "/x-nofollow", UNIQUE, "/hidden/2", headers={"X-Robots-Tag": "nofollow"})
    offered = tuple((path, path[1:]) for path in desk.site.pages)
    _add(desk, "/behind/noindex", UNIQUE)
    _add(desk, "/behind/x-noindex", UNIQUE)
    _add(desk, "/hidden/1", None)
    _add(desk, "/hidden/2", None)
    return offered


def fill_quiet(desk: Desk) -> None:
    """Publish a few articles on the host that asks for pauses."""
    for n in range(QUIET_PAGES):
        desk.publish(f"/calm/{n}", partial(desk.library.article, f"quiet{n}", "en"))


def fill_closed(desk: Desk) -> None:
    """Add a home page behind a robots.txt that never answers: nobody may look at it."""
    desk.site.put("/", html("<p>never seen</p>"), skipped(Skip.ROBOTS_UNREACHABLE))


def fill_manual(desk: Desk, chapters: int) -> tuple[Link, ...]:
    """Publish a handbook with canonical hints and frames; returns links to the odd pages."""
    for n in range(chapters):
        desk.publish(f"/guide/{n}.html", partial(desk.library.article, f"guide{n}", "en"))
    article = partial(desk.library.article, "hinted", "en", True)
    hint = '<link rel="canonical" href="/hinted">'
    fate = copy_of("hinted")
    wide = desk.page("/hinted", article, layout=newspaper, head=hint)
    desk.site.add("/hinted", desk.page("/hinted", article, head=hint), fate)
    desk.site.add("/hinted?view=wide", wide, fate)
    _add(desk, "/left", UNIQUE)
    _add(desk, "/right", UNIQUE)
    frames = '<frameset cols="20%,80%"><frame src="/left"><frame src="/right"></frameset>'
    desk.site.put("/frames", html(f"<html><head><title>Frames</title></head>{frames}</html>"))
    return (("/hinted?view=wide", "A hint"), ("/frames", "Frames"))


def _add(
    desk: Desk,
    path: str,
    fate: Fate | None,
    leads_to: str = "",
    head: str = "",
    headers: Mapping[str, str] | None = None,
) -> None:
    links = ((leads_to, "More"),) if leads_to else ()
    article = partial(desk.library.article, f"gate{path}", "en")
    desk.site.add(path, desk.page(path, article, links, head=head, headers=headers), fate)
