"""A host whose pages have moved: redirects of every kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from crawler.demo.desk import Desk
from crawler.demo.pages import REDIRECT, Answer, Visit, copy_of, fails, html, moved
from crawler.demo.templates import Link
from crawler.records import Failure

_STATUSES = (301, 302, 303, 307, 308)


def fill(desk: Desk, url: Callable[[str, str], str]) -> tuple[Link, ...]:
    """Add the redirects and their targets; `url(host, path)` is absolute. Returns where to begin.

    Redirects that lead back to their own page (after a cookie, with a trailing slash, or with a
    tracking parameter that canonicalisation removes) are followed in place and end as that page;
    all others are redirects to a page of its own.
    """
    for status in _STATUSES:
        _redirect(desk, f"/r{status}", status, f"/now/{status}")
        _target(desk, f"/now/{status}")
    _redirect(desk, "/relative", 302, "now/relative")
    for place in ("/now/relative", "/now/chained", "/now/refreshed"):
        _target(desk, place)
    _folder(desk)
    _chain(desk)
    _circles(desk)
    _self_redirects(desk)
    _abroad(desk, url)
    return tuple((path, path[1:]) for path in desk.site.pages if not _hidden(path))


def _hidden(path: str) -> bool:
    return path.startswith("/now/") or path in ("/chain/2", "/chain/3")


def _redirect(desk: Desk, path: str, status: int, location: str) -> None:
    desk.site.put(path, moved(status, location), REDIRECT)


def _target(desk: Desk, path: str) -> None:
    desk.site.add(path, desk.page(path, partial(desk.library.article, f"moved{path}", "en")))


def _folder(desk: Desk) -> None:
    """One page by two names, as the redirect that adds the slash is followed in place."""
    same = copy_of("folder", "folder")
    desk.site.put("/folder", moved(301, "/folder/"), same)
    article = partial(desk.library.article, "folder", "en")
    desk.site.add("/folder/", desk.page("/folder/", article), same)


def _chain(desk: Desk) -> None:
    _redirect(desk, "/chain/1", 302, "/chain/2")
    _redirect(desk, "/chain/2", 301, "/chain/3")
    _redirect(desk, "/chain/3", 307, "/now/chained")


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

    welcome = desk.page("/cookie", partial(desk.library.article, "cookie", "en"))
    counted = desk.page("/tracked", partial(desk.library.article, "tracked", "en"))
    desk.site.add("/cookie", cookie)
    desk.site.add("/tracked", tracked)


def _abroad(desk: Desk, url: Callable[[str, str], str]) -> None:
    """To another host, out of scope, and by meta refresh, on a page that says nothing itself."""

    def to(host: str) -> Callable[[Visit], Answer]:
        return lambda visit: moved(301, url(host, "/"))

    desk.site.add("/neighbour", to("news-a.demo.test"), REDIRECT)
    desk.site.add("/abroad", to("elsewhere.test"), REDIRECT)
    refresh = '<meta http-equiv="refresh" content="0; url=/now/refreshed">'
    markup = f"<html><head>{refresh}<title>Moved</title></head><body></body></html>"
    desk.site.put("/refresh", html(markup), REDIRECT)
