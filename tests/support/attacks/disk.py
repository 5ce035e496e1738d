"""Small pages that make the crawl write much: long URLs, which all come to nothing.

Every URL that is queued stands in the state file, and at its end in a line beside the URL of the
page that led to it: what a page makes the disk hold is a multiple of what it sends.
"""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from crawler.urls import MAX_URL_LENGTH
from support.attacks.attack import ADDRESS, Attack, Staged, by_host
from support.hostile_web import closed_port
from support.servers import response, serve

LINKS = 9_000
"""Of the page with a long URL: further ones than ten thousand are not read."""
PAGES, LINKS_A_PAGE = 4, 450
"""With long links: of a page are read as many as a million characters hold."""
ORDINARY = tuple(f"/about-{word}" for word in ("us", "you", "them"))
"""Links of ordinary length, last on the attacker's page."""

_NUMBER = 5
"""Letters of the number that tells the long URLs apart."""


def long_path(before: int) -> str:
    """Return a path that makes URLs as long as they may be after `before` characters."""
    return f"/{'a' * (MAX_URL_LENGTH - before - _NUMBER - 2)}/"


def page(base: str, links: int, first: int = 0) -> bytes:
    """Return the answer that is a page of so many links, relative to a base; gzipped."""
    numbers = "".join(f"<a href={n:05}>" for n in range(first, first + links))
    others = "".join(f"<a href={path}>" for path in ORDINARY)
    text = f"<base href='{base}'><p>All that can be found here</p>{numbers}{others}"
    return response(gzip.compress(text.encode()), headers={"Content-Encoding": "gzip"})


@asynccontextmanager
async def long_urls() -> AsyncIterator[Staged]:
    """Pages whose base is a directory of two thousand letters on a host that is down."""
    with closed_port() as port:
        down = f"http://down.amplifier.test:{port}"
        base, paths = down + long_path(len(down)), [f"/{n}" for n in range(PAGES)]
        pages = {path: page(base, LINKS_A_PAGE, n * LINKS_A_PAGE) for n, path in enumerate(paths)}
        async with serve(by_host({"amplifier.test": pages})) as site:
            names = dict.fromkeys(("amplifier.test", "down.amplifier.test"), ADDRESS)
            seeds = (f"http://amplifier.test:{site.port}{path}" for path in paths)
            yield Staged(tuple(seeds), names)


@asynccontextmanager
async def long_referrer() -> AsyncIterator[Staged]:
    """A page of two thousand letters whose links are short: their lines would hold its URL."""
    with closed_port() as port:
        async with serve(by_host(answers := {})) as site:
            seed = f"http://referrer.test:{site.port}"
            path = long_path(len(seed))
            answers["referrer.test"] = {path: page(f"http://down.referrer.test:{port}/", LINKS)}
            names = dict.fromkeys(("referrer.test", "down.referrer.test"), ADDRESS)
            yield Staged((seed + path,), names)


_ANYWHERE = {"scope": {"mode": "domain"}}

ATTACKS: tuple[Attack, ...] = (
    Attack(
        "long-urls",
        "a few KB of page lead to 1,800 URLs of two thousand letters, on a host that is down",
        long_urls,
        _ANYWHERE,
    ),
    Attack(
        "long-referrer",
        "a page with a URL of two thousand letters leads to nine thousand others",
        long_referrer,
        _ANYWHERE,
    ),
)
