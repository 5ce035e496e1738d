"""Progress lines every few seconds, and how long the event loop was deaf."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Self, TypeVar

from crawler.console import Level, Message, Say, progress
from crawler.models import UrlState
from crawler.observe.summary import Tally
from crawler.units import counted

if TYPE_CHECKING:
    from crawler.frontier import FrontierCounts

# ---------------------------------------------------------------- slices


_Item = TypeVar("_Item")


async def in_slices(items: Iterable[_Item], size: int) -> AsyncIterator[list[_Item]]:
    """Yield lists of at most `size` items, letting everything else run before each but the first.

    Items are taken from their iterator slice by slice, so what makes them is cut as well.
    """
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
        await asyncio.sleep(0)


class NowAndThen:
    """Says lines, each `every_s` seconds after the one before at least; others are left out."""

    def __init__(
        self, say: Say, every_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._every_s = every_s
        self._clock = clock
        self._said_at = clock()

    def __call__(self, line: str) -> None:
        """Say a line, where it is time for one."""
        if self._clock() - self._said_at >= self._every_s:
            self._said_at = self._clock()
            self._say(line)


# How long the event loop was deaf: what it is late by, when it should have looked up.
#
# While one callback runs, no signal is heard, no timer fires and no byte is read. A timer that
# should fire every few milliseconds tells by its lateness how long each of these stretches was.

EVERY_S = 0.02
"""Between two looks: stalls are measured to this, at a cost of .1 % of a core."""

WORTH_TELLING_S = 1.0
"""A stall from which progress lines say it: a host's pause by default, so its turns come late.
Shorter ones, as the start has, harm nobody; all are in `stall_s`."""

_PERCENT = 99

_MOST_MS = 1000
"""Longer stalls count as this in the percentile: a list of so many numbers is all it needs."""


class Stalls:
    """The stalls of the running loop: the longest in all and since it was last asked for, and more.

    `clock` is monotonic. What stops the whole machine or process for a while is a stall too.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._handle: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._recent_s = 0.0
        self.longest_s = 0.0
        """Seconds, 0 before the first look."""
        self._looks_by_ms = [0] * (_MOST_MS + 1)
        """How many looks were late by so many whole milliseconds."""

    def __enter__(self) -> Self:
        self._due = self._clock() + EVERY_S
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.cancel()

    @property
    def p99_s(self) -> float:
        """Seconds by which 99 of a hundred looks were late at most, to the next millisecond."""
        looks = sum(self._looks_by_ms)
        within = accumulate(self._looks_by_ms)
        at_most_ms = (ms for ms, count in enumerate(within, 1) if 100 * count >= _PERCENT * looks)
        return next(at_most_ms) / 1000 if looks else 0.0

    def take_recent(self) -> float:
        """Return the longest stall since the last call, in seconds."""
        recent_s, self._recent_s = self._recent_s, 0.0
        return recent_s

    def look(self) -> None:
        """Note how late it is; called by the loop."""
        late_s = max(0.0, self._clock() - self._due)
        self._recent_s = max(self._recent_s, late_s)
        self.longest_s = max(self.longest_s, late_s)
        self._looks_by_ms[min(_MOST_MS, int(1000 * late_s))] += 1
        self._due = self._clock() + EVERY_S
        self._wait()

    def _wait(self) -> None:
        self._handle = asyncio.get_running_loop().call_later(EVERY_S, self.look)


class Progress:
    """Reports one line every `every_s` seconds while it is entered, and one at the end."""

    def __init__(
        self,
        tally: Tally,
        queue: Callable[[], FrontierCounts],
        every_s: float,
        report: Say,
        clock: Callable[[], float] = time.monotonic,
        stalls: Stalls | None = None,
        waits: Callable[[], str] = str,
    ) -> None:
        """`waits` tells what is waited for; it is asked where no page came since the last line."""
        self._waits = waits
        self._tally = tally
        self._queue = queue
        self._every_s = every_s
        self._report = report
        self._clock = clock
        self._stalls = stalls

    async def __aenter__(self) -> Self:
        self._started = self._clock()
        self._last = (self._started, self._tally.pages)
        self._task = asyncio.create_task(self._repeat())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        self._report(self.line().at(Level.NOTICE))

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            self._report(self.line())

    def line(self) -> Message:
        """Return the state of the crawl now; the rate is that since the last line."""
        now, tally, queue = self._clock(), self._tally, self._queue()
        since, pages = self._last
        rate = (tally.pages - pages) / max(now - since, 1e-9)
        self._last = (now, tally.pages)
        stall_s = self._stalls.take_recent() if self._stalls else 0.0
        waits = self._waits() if tally.pages == pages else ""
        return progress(
            f"{hms(now - self._started)}  {counted(tally.pages, 'page')} ({rate:.1f}/s)"
            f"  {tally.count(UrlState.STORED)} stored"
            f"  {tally.count(UrlState.DUPLICATE)} duplicates"
            f"  {tally.count(UrlState.REDIRECT)} redirects"
            f"  {tally.count(UrlState.FAILED)} failed"
            f"  {tally.count(UrlState.SKIPPED)} skipped"
            f"  {queue.pending} pending on {counted(queue.hosts, 'host')}"
            + (f", {queue.aside} put aside" if queue.aside else "")
            + (f"  {waits}" if waits else "")
            + (f"  event loop stalled for {stall_s:.1f} s" if stall_s >= WORTH_TELLING_S else ""),
            elapsed_s=round(now - self._started, 3),
            pages=tally.pages,
            pages_per_s=round(rate, 3),
            **_counts(tally),
            wire_bytes=tally.wire_bytes,
            pending=queue.pending,
            hosts=queue.hosts,
            aside=queue.aside,
            stall_s=round(stall_s, 3),
            waits=waits,
        )


class Pace:
    """Says how fast a corpus is judged, how far it is and how long it will take.

    A line every `every_s` seconds; `total_bytes` is None where no end is known.
    """

    def __init__(
        self,
        tally: Tally,
        total_bytes: int | None,
        every_s: float,
        say: Say,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tally = tally
        self._total_bytes = total_bytes
        self._every_s = every_s
        self._say = say
        self._clock = clock
        self._begun_at = self._said_at = clock()
        self._first: tuple[float, int] | None = None
        self._documents = 0
        self._body_bytes = 0

    def add(self, documents: int, body_bytes: int, read_bytes: int) -> None:
        """Count judged documents; `read_bytes` of all files are behind them."""
        self._first = self._first or (self._clock(), read_bytes)
        self._documents += documents
        self._body_bytes += body_bytes
        if self._clock() - self._said_at >= self._every_s:
            self._said_at = self._clock()
            self._say(self.line(read_bytes))

    def line(self, read_bytes: int | None = None) -> Message:
        """Return how the run is doing; without `read_bytes`, as it ended."""
        elapsed_s = max(self._clock() - self._begun_at, 1e-9)
        tally, megabytes = self._tally, self._body_bytes / 1e6
        told = progress(
            f"{hms(elapsed_s)}  {counted(self._documents, 'document')}"
            f" ({self._documents / elapsed_s:,.1f}/s, {megabytes / elapsed_s:.1f} MB/s)"
            f"  {tally.count(UrlState.STORED):,} kept"
            f"  {tally.count(UrlState.DUPLICATE):,} duplicates"
            f"  {tally.count(UrlState.FAILED):,} failed"
            f"  {tally.count(UrlState.SKIPPED):,} skipped{self._left(read_bytes)}",
            elapsed_s=round(elapsed_s, 3),
            documents=self._documents,
            documents_per_s=round(self._documents / elapsed_s, 3),
            body_bytes=self._body_bytes,
            **_counts(tally),
            read_bytes=read_bytes,
            total_bytes=self._total_bytes,
        )
        return told if read_bytes is not None else told.at(Level.NOTICE)

    def _left(self, read_bytes: int | None) -> str:
        """Return share and time left, by the speed since the first batch: that bore the start."""
        if not self._total_bytes or read_bytes is None or self._first is None:
            return ""
        share = f"  {100 * read_bytes / self._total_bytes:.0f} %"
        since, first_bytes = self._first
        if read_bytes <= first_bytes:
            return share
        speed = (read_bytes - first_bytes) / max(self._clock() - since, 1e-9)
        return f"{share}, {hms((self._total_bytes - read_bytes) / speed)} left"


def _counts(tally: Tally) -> dict[str, int]:
    """Return how URLs or documents ended, as fields of a message."""
    return {
        "stored": tally.count(UrlState.STORED),
        "duplicates": tally.count(UrlState.DUPLICATE),
        "siblings": tally.siblings,
        "redirects": tally.count(UrlState.REDIRECT),
        "failed": tally.count(UrlState.FAILED),
        "skipped": tally.count(UrlState.SKIPPED),
    }


def hms(seconds: float) -> str:
    """Return a duration as `mm:ss`, or `h:mm:ss` from an hour on."""
    minutes, s = divmod(int(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m:02}:{s:02}"
