"""Hosts that say where a crawler shall go, and where not: redirects, robots.txt, meta tags, hints.

Each `fill_` function returns the links under which a home page offers what it has added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from crawler.demo.desk import Desk
from crawler.demo.pages import (
    REDIRECT,
    UNIQUE,
    Answer,
    Fate,
    Visit,
    copy_of,
    fails,
    html,
    moved,
    skipped,
)
from crawler.demo.templates import Link, newspaper
from crawler.records import Failure, Skip

CRAWL_DELAY_S = 0.2
QUIET_PAGES = 6
_TEXT = {"Content-Type": "text/plain"}
PRIVATE = Answer(
    200, _TEXT, b"User-agent: *\nDisallow: /secret/\nAllow: /secret/open\nDisallow: /*.cgi$\n"
)
QUIET = Answer(200, _TEXT, f"User-agent: *\nCrawl-delay: {CRAWL_DELAY_S}\n".encode())
MISSING = Answer(404, _TEXT, b"no robots.txt here\n")
DOWN = Answer(503, _TEXT, b"down for maintenance\n")
"""What some hosts answer for robots.txt."""


def fill_moved(desk: Desk, url: Callable[[str, str], str]) -> tuple[Link, ...]:
    """Add redirects of every kind and their targets; `url(host, path)` is absolute.

    Redirects that lead back to their own page (after a cookie, with a trailing slash, or with a
    tracking parameter that canonicalisation removes) are followed in place and end as that page;
    all others are redirects to a page of its own.
    """
    statuses = (301, 302, 303, 307, 308)
    for status in statuses:
        _redirect(desk, f"/r{status}", status, f"/now/{status}")
    _redirect(desk, "/relative", 302, "now/relative")
    for name in (*statuses, "relative", "chained", "refreshed"):
        desk.version(f"/now/{name}", desk.english(f"moved/now/{name}"))
    # One page by two names, as the redirect that adds the slash is followed in place.
    same = copy_of("folder", "folder")
    desk.site.put("/folder", moved(301, "/folder/"), same)
    desk.version("/folder/", desk.english("folder"), same)
    _redirect(desk, "/chain/1", 302, "/chain/2")
    _redirect(desk, "/chain/2", 301, "/chain/3")
    _redirect(desk, "/chain/3", 307, "/now/chained")
    _circles(desk)
    _self_redirects(desk)
    _abroad(desk, url)
    inner = ("/now/", "/chain/2", "/chain/3")
    return tuple(link for link in desk.links() if not link[0].startswith(inner))


def _redirect(desk: Desk, path: str, status: int, location: str) -> None:
    desk.site.put(path, moved(status, location), REDIRECT)


def _circles(desk: Desk) -> None:
    """Two that lead to each other are both redirects; one that leads to itself goes nowhere."""
    _redirect(desk, "/loop/a", 302, "/loop/b")
    _redirect(desk, "/loop/b", 302, "/loop/a")
    desk.site.put("/circle", moved(302, "/circle"), fails(Failure.REDIRECT_LOOP))
    lost = Answer(302, {"Content-Type": "text/html"}, b"no Location")
    desk.site.put("/lost", lost, fails(Failure.REDIRECT_INVALID))


def _self_redirects(desk: Desk) -> None:
    def cookie(visit: Visit) -> Answer:
        if "welcome=1" in visit.headers.get("cookie", ""):
            return welcome(visit)
        return moved(302, "/cookie", {"Set-Cookie": "welcome=1; Path=/"})

    def tracked(visit: Visit) -> Answer:
        return counted(visit) if "utm_" in visit.path else moved(302, "/tracked?utm_source=gate")

    welcome = desk.page("/cookie", desk.english("cookie"))
    counted = desk.page("/tracked", desk.english("tracked"))
    desk.site.add("/cookie", cookie)
    desk.site.add("/tracked", tracked)


def _abroad(desk: Desk, url: Callable[[str, str], str]) -> None:
    """To another host, out of scope, and by meta refresh, on a page that says nothing itself."""
    desk.site.add("/neighbour", lambda _: moved(301, url("news-a.demo.test", "/")), REDIRECT)
    desk.site.add("/abroad", lambda _: moved(301, url("elsewhere.test", "/")), REDIRECT)
    refresh = '<meta http-equiv="refresh" content="0; url=/now/refreshed">'
    markup = f"<html><head>{refresh}<title>Moved</title></head><body></body></html>"
    desk.site.put("/refresh", html(markup), REDIRECT)


def fill_private(desk: Desk) -> tuple[Link, ...]:
    """Add pages that are forbidden, not to be indexed, or not to be followed.

    Links on the nofollow pages lead where no crawl may come.
    """
    forbidden, noindex = skipped(Skip.ROBOTS), skipped(Skip.NOINDEX)
    for n in range(4):
        _add(desk, f"/secret/{n}", forbidden)
    _add(desk, "/search.cgi", forbidden)
    _add(desk, "/secret/open", UNIQUE)
    _add(desk, "/noindex", noindex, "/behind/noindex", '<meta name="robots" content="noindex">')
    _add(desk, "/x-noindex", noindex, "/behind/x-noindex", headers={"X-Robots-Tag": "noindex"})
    _add(desk, "/nofollow", UNIQUE, "/hidden/1", '<meta name="robots" content="nofollow">')
    _add(desk, "/x-nofollow", UNIQUE, "/hidden/2", headers={"X-Robots-Tag": "nofollow"})
    offered = desk.links()
    _add(desk, "/behind/noindex", UNIQUE)
    _add(desk, "/behind/x-noindex", UNIQUE)
    _add(desk, "/hidden/1", None)
    _add(desk, "/hidden/2", None)
    return offered


def fill_quiet(desk: Desk) -> tuple[Link, ...]:
    """Publish a few articles on the host that asks for pauses."""
    for n in range(QUIET_PAGES):
        desk.publish(f"/calm/{n}", desk.english(f"quiet{n}"))
    return ()


def fill_handbook(desk: Desk, chapters: int) -> tuple[Link, ...]:
    """Publish a handbook with canonical hints and frames."""
    for n in range(chapters):
        desk.publish(f"/guide/{n}.html", desk.english(f"guide{n}"))
    article = desk.english("hinted", long=True)
    hint = '<link rel="canonical" href="/hinted">'
    fate = copy_of("hinted")
    desk.version("/hinted", article, fate, head=hint)
    wide = desk.page("/hinted", article, layout=newspaper, head=hint)
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
    more = ((leads_to, "More"),) if leads_to else ()
    source = desk.english(f"gate{path}")
    desk.version(path, source, fate, versions=more, head=head, headers=headers)
