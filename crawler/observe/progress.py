"""Progress lines: every few seconds one line that says how the crawl is doing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol, Self

from crawler.observe.summary import Tally
from crawler.printing import Say
from crawler.records import UrlState


class Queue(Protocol):
    """What a progress line says of the frontier."""

    pending: int

    @property
    def hosts(self) -> int:
        """Hosts with something to do."""


class Progress:
    """Reports one line every `every_s` seconds while it is entered, and one at the end."""

    def __init__(
        self,
        tally: Tally,
        queue: Queue,
        every_s: float,
        report: Say,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tally = tally
        self._queue = queue
        self._every_s = every_s
        self._report = report
        self._clock = clock

    async def __aenter__(self) -> Self:
        self._started = self._clock()
        self._last = (self._started, self._tally.pages)
        self._task = asyncio.create_task(self._repeat())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        self._report(self.line())

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            self._report(self.line())

    def line(self) -> str:
        """Return the state of the crawl now; the rate is that since the last line."""
        now, tally = self._clock(), self._tally
        since, pages = self._last
        rate = (tally.pages - pages) / max(now - since, 1e-9)
        self._last = (now, tally.pages)
        return (
            f"{hms(now - self._started)}  {tally.pages} pages ({rate:.1f}/s)"
            f"  {tally.count(UrlState.STORED)} stored"
            f"  {tally.count(UrlState.DUPLICATE)} duplicates"
            f"  {tally.count(UrlState.REDIRECT)} redirects"
            f"  {tally.count(UrlState.FAILED)} failed"
            f"  {tally.count(UrlState.SKIPPED)} skipped"
            f"  {self._queue.pending} pending on {self._queue.hosts} hosts"
        )


def hms(seconds: float) -> str:
    """Return a duration as `mm:ss`, or `h:mm:ss` from an hour on."""
    minutes, s = divmod(int(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m:02}:{s:02}"
