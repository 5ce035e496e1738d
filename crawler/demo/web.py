"""The demo web as a whole: which hosts there are, what each answers, and the job that crawls it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from crawler.demo import hosts, pages
from crawler.demo.articles import Library
from crawler.demo.hosts import DEPTH_LIMIT
from crawler.demo.pages import (
    ALLOW_ALL,
    UNIQUE,
    Answer,
    Desk,
    Outcome,
    Page,
    Site,
    Visit,
    html,
    skipped,
)
from crawler.demo.truth import Truth
from crawler.models import Skip
from crawler.urls import TRACKING_PARAMETERS

OUTSIDE = "elsewhere.test"
"""Answers like any host, but lies outside the demo job's scope: never to be visited."""
_ADDRESSES = {
    "news-a.demo.test": 1,
    "news-b.demo.test": 2,
    "archive.demo.test": 2,
    "xinwen.demo.test": 3,
    "zhuanzai.demo.test": 4,
    "blog.demo.test": 5,
    "handbook.demo.test": 5,
    "mirror.demo.test": 6,
    "shop.demo.test": 7,
    "calendar.demo.test": 8,
    "moved.demo.test": 9,
    "broken.demo.test": 10,
    "bodies.demo.test": 11,
    "slow.demo.test": 12,
    "babel.demo.test": 13,
    "private.demo.test": 14,
    "quiet.demo.test": 15,
    "closed.demo.test": 16,
    OUTSIDE: 17,
}
_ROBOTS = {
    "private.demo.test": hosts.PRIVATE,
    "quiet.demo.test": hosts.QUIET,
    "closed.demo.test": hosts.DOWN,
    "bodies.demo.test": hosts.MISSING,
}
_NOT_FOUND = Answer(404, {"Content-Type": "text/html"}, b"<h1>404 Not Found</h1>")


class DemoWeb:
    """Hosts, pages and the truth about them; a pure function of (seed, articles, port).

    `articles` is how many different articles the press writes; about 2.5 times as many URLs come of
    them, and some 190 more whatever their number. Answers are made when they are asked for.
    `port` appears in absolute links; `serve` sets it before the first answer.
    """

    def __init__(self, seed: int = 2026, articles: int = 300, port: int = 80) -> None:
        self.seed = seed
        self.articles = articles
        self.port = port
        self._library = Library(seed)
        self._sites = {
            name: Site(name, f"127.0.1.{number}", _ROBOTS.get(name, ALLOW_ALL))
            for name, number in _ADDRESSES.items()
        }
        self._fill_press()
        self._fill_odd()

    @property
    def hosts(self) -> Mapping[str, str]:
        """Host name -> loopback address; two names may share one."""
        return {site.name: site.address for site in self._sites.values()}

    @property
    def seeds(self) -> tuple[str, ...]:
        """The home page of every host in scope."""
        return tuple(self.url(name, "/") for name in self._sites if name != OUTSIDE)

    @property
    def truth(self) -> Truth:
        """What an ordinary crawl (`demo_job`) makes of every URL it meets."""
        return Truth(
            {
                self.url(site.name, path): page.fate
                for site in self._sites.values()
                for path, page in site.pages.items()
                if page.fate is not None
            }
        )

    def url(self, host: str, path: str) -> str:
        """Return the canonical URL of a path."""
        port = "" if self.port == 80 else f":{self.port}"
        return f"http://{host}{port}{path}"

    def get(self, host: str, path_qs: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Answer one request; `host` without port, header names in any case."""
        site = self._sites.get(host)
        if site is None:
            return _NOT_FOUND
        if path_qs == "/robots.txt":
            return site.robots
        lower = {name.lower(): value for name, value in (headers or {}).items()}
        visit = Visit(path_qs, lower)
        page = site.pages.get(_untracked(path_qs))
        return page.render(visit) if page else site.beyond(visit) or _NOT_FOUND

    def _desk(self, name: str, title: str, layout: pages.Layout, language: str = "en") -> Desk:
        site = self._sites[f"{name}.demo.test"]
        return Desk(self._library, site, title, layout, language)

    def _fill_press(self) -> None:
        desks = {
            "news-a": self._desk("news-a", "The Daily Loop", pages.newspaper),
            "news-b": self._desk("news-b", "Wireside", pages.magazine),
            "archive": self._desk("archive", "The Archive", pages.manual),
            "xinwen": self._desk("xinwen", "回环新闻", pages.portal, "zh"),
            "zhuanzai": self._desk("zhuanzai", "转载网", pages.magazine, "zh"),
            "blog": self._desk("blog", "两种语言", pages.newspaper, "zh"),
        }
        hosts.fill(self._library, desks, self.articles)
        for desk in desks.values():
            desk.finish()

    def _fill_odd(self) -> None:
        desk = self._desk
        hosts.fill_shop(self._library, self._sites["shop.demo.test"])
        hosts.fill_calendar(self._library, self._sites["calendar.demo.test"])
        moved = partial(hosts.fill_moved, url=self.url)
        handbook = partial(hosts.fill_handbook, chapters=self.articles // 10)
        for name, title, layout, fill in (
            ("handbook", "Handbook", pages.manual, handbook),
            ("moved", "We have moved", pages.newspaper, moved),
            ("broken", "Broken", pages.newspaper, hosts.fill_errors),
            ("bodies", "Bodies", pages.magazine, hosts.fill_bodies),
            ("slow", "Slow", pages.portal, hosts.fill_slow),
            ("babel", "Babel", pages.newspaper, hosts.fill_babel),
            ("private", "Private", pages.manual, hosts.fill_private),
            ("quiet", "Quiet", pages.portal, hosts.fill_quiet),
        ):
            odd = desk(name, title, layout)
            odd.finish(*fill(odd))
        # All of the handbook under another name: the same bytes, as its links name no host.
        site, other = self._sites["handbook.demo.test"], self._sites["mirror.demo.test"]
        for path, page in list(site.pages.items()):
            fate = page.fate
            if fate is not None and fate.outcome is Outcome.STORED:
                cluster = fate.cluster or f"mirrored {path}"
                fate = replace(UNIQUE, cluster=cluster, payload=path)
            site.pages[path] = other.pages[path] = Page(page.render, fate)
        # Behind a robots.txt that never comes, and out of scope: nobody may look at these.
        closed = skipped(Skip.ROBOTS_UNREACHABLE)
        self._sites["closed.demo.test"].put("/", html("<p>never seen</p>"), closed)
        self._sites[OUTSIDE].put("/", html("<p>out of bounds</p>"), None)


def demo_job(web: DemoWeb, output: Path | str) -> dict[str, Any]:
    """Return job data for `crawler.config.parse_job`; `web.port` must be the served one.

    Without politeness delay, since the server is our own; timeouts are short because two pages
    never end, and the waits for robots.txt because one host's never comes.
    """
    return {
        "seeds": web.seeds,
        "output": str(output),
        "user_agent": {"contact": "https://demo.test/about-the-crawler"},
        "scope": {"mode": "domain"},
        "limits": {"depth": DEPTH_LIMIT},
        "politeness": {
            "delay_s": 0.0,
            "per_host": 4,
            "per_address": 8,
            "robots_wait_s": 1.0,
            "dead_after_s": 0.0,
        },
        "fetch": {
            "resolve": dict(web.hosts),
            "allow_addresses": ("127.0.1.0/24",),
            "headers_timeout_s": 4.0,
            "read_timeout_s": 4.0,
            "retries": 1,
            "max_wire_bytes": hosts.MAX_BODY_BYTES,
            "max_body_bytes": hosts.MAX_BODY_BYTES,
        },
    }


def _untracked(path_qs: str) -> str:
    """Drop tracking parameters, which no page of a server depends on."""
    path, mark, query = path_qs.partition("?")
    if not mark:
        return path
    kept = [p for p in query.split("&") if p.partition("=")[0].lower() not in TRACKING_PARAMETERS]
    return f"{path}?{'&'.join(kept)}" if kept else path
