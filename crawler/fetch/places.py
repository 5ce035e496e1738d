"""The places for pages under way. A page that a server keeps waiting stands aside and takes none.

Without this, as many stalling hosts as there are workers stop a crawl, each for as long as the
time limits allow. A wait costs next to nothing, so a page that has waited longer than `PATIENCE_S`
steps aside and lets another one begin. How many may stand aside is bounded, since each may hold a
body that has come in part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager

from crawler import config

PATIENCE_S = 0.05
"""How long a page keeps its place while it waits, as long as there is room aside: a hundred
stalling servers that come at once hold up 32 places for a sixth of a second. Pages of servers that
are near should come in less."""

_ASIDE_PER_WORKER = 4
_ASIDE_BYTES = 1_000_000_000
"""What the bodies of pages aside may take together, at worst."""


SPARE_CONNECTIONS = 8
"""Beyond one a page: robots.txt requests whose worker was cancelled may still be under way."""


def places_aside(limits: config.Fetch) -> int:
    """Return how many pages may stand aside: a few for each worker, within the bytes above."""
    by_memory = max(limits.workers, _ASIDE_BYTES // limits.max_body_bytes)
    return min(_ASIDE_PER_WORKER * limits.workers, by_memory)


def places_within(limits: config.Fetch, connections: int | None) -> tuple[int, int]:
    """Return how many pages may be at work and how many aside, within so many connections.

    None: no bound. Where connections are short, half of them are for pages that wait. At least one
    page is at work.
    """
    aside = places_aside(limits)
    if connections is None:
        return limits.workers, aside
    pages = max(1, connections - SPARE_CONNECTIONS)
    at_work = min(limits.workers, max(pages - aside, (pages + 1) // 2))
    return at_work, min(aside, pages - at_work)


class Places:
    """`limit` places for pages at work, and `aside` more for those that wait for a server.

    Owned by one event loop.
    """

    def __init__(self, limit: int, aside: int, patience_s: float = PATIENCE_S) -> None:
        self._limit = limit
        self.most = limit + aside
        """Pages that can be fetched at once."""
        self._taken = 0
        self._under_way = 0
        self._aside_left = aside
        self._patience_s = patience_s
        self._free = asyncio.Event()
        self._free.set()

    def __repr__(self) -> str:
        return f"<Places {self._taken} of {self._limit} taken, {self._aside_left} left aside>"

    @property
    def idle(self) -> bool:
        """Whether no page is under way, neither at work nor aside."""
        return not self._under_way

    async def free(self) -> None:
        """Wait until one more page may begin."""
        await self._free.wait()

    def begin(self) -> None:
        """Give a place to a page that begins."""
        self._under_way += 1
        self._count(1)

    def end(self) -> None:
        """Free the place of a page that has ended."""
        self._under_way -= 1
        self._count(-1)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Enclose a wait for a server, within a page that has a place.

        Coming back takes a place even where none is free: a page that has its body should go on,
        and what is at work for it is bounded by the processes that read pages.
        """
        aside = False

        def step_aside() -> None:
            nonlocal aside
            if self._aside_left:
                aside = True
                self._aside_left -= 1
                self._count(-1)

        timer = asyncio.get_running_loop().call_later(self._patience_s, step_aside)
        try:
            yield
        finally:
            timer.cancel()
            if aside:
                self._aside_left += 1
                self._count(1)

    async def rest(self, pause: Awaitable[object]) -> None:
        """Pause within a page that has a place and holds nothing else; come back to a free one.

        Enclose it in no `waiting`. How many rest is not bounded here: it costs no memory to speak
        of, and a pause may last a minute.
        """
        self._count(-1)
        try:
            await pause
            await self._free.wait()
        finally:
            self._count(1)

    @contextmanager
    def left(self) -> Iterator[None]:
        """Give a page's place away while it needs no server; how many do is for others to bound.

        Coming back takes a place even where none is free, as after `waiting`.
        """
        self._count(-1)
        try:
            yield
        finally:
            self._count(1)

    def _count(self, change: int) -> None:
        self._taken += change
        if self._taken < self._limit:
            self._free.set()
        else:
            self._free.clear()
