"""How many pages are under way, and which of them do not count: those that a server keeps waiting.

Without this, as many stalling hosts as there are workers stop a crawl, each for as long as the
time limits allow. A wait costs next to nothing, so a page that has waited longer than `PATIENCE_S`
steps aside and lets another one begin. How many may stand aside is bounded, since each may hold a
body that has come in part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from crawler import config

PATIENCE_S = 0.05
"""What a wait for a stalling server takes of one worker's time, while there is room aside: 32
workers are held up a sixth of a second by a hundred that come at once. Pages of servers that are
near should come in less."""

_ASIDE_PER_WORKER = 4
_ASIDE_BYTES = 1_000_000_000
"""What the bodies of pages aside may take together, at worst."""


def places_aside(limits: config.Fetch) -> int:
    """Return how many pages may stand aside: a few for each worker, within the bytes above."""
    by_memory = max(limits.workers, _ASIDE_BYTES // limits.max_body_bytes)
    return min(_ASIDE_PER_WORKER * limits.workers, by_memory)


class Workers:
    """Counts pages at work against a limit. Owned by one event loop."""

    def __init__(self, limit: int, aside: int, patience_s: float = PATIENCE_S) -> None:
        self._limit = limit
        self._busy = 0
        self._under_way = 0
        self._aside_left = aside
        self._patience_s = patience_s
        self._room = asyncio.Event()
        self._room.set()

    def __repr__(self) -> str:
        return f"<Workers {self._busy} of {self._limit} busy, room for {self._aside_left} aside>"

    @property
    def idle(self) -> bool:
        """Whether no page is under way, neither at work nor aside."""
        return not self._under_way

    async def room(self) -> None:
        """Wait until one more page may begin."""
        await self._room.wait()

    def begin(self) -> None:
        """Count a page that begins."""
        self._under_way += 1
        self._count(1)

    def end(self) -> None:
        """Count a page that has ended."""
        self._under_way -= 1
        self._count(-1)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Enclose a wait for a server, within a page that counts.

        Coming back needs no room: a page that has its body should go on, and what is at work for
        it is bounded by the processes that read pages.
        """
        away = False

        def step_aside() -> None:
            nonlocal away
            if self._aside_left:
                away = True
                self._aside_left -= 1
                self._count(-1)

        timer = asyncio.get_running_loop().call_later(self._patience_s, step_aside)
        try:
            yield
        finally:
            timer.cancel()
            if away:
                self._aside_left += 1
                self._count(1)

    def _count(self, change: int) -> None:
        self._busy += change
        if self._busy < self._limit:
            self._room.set()
        else:
            self._room.clear()
