"""A running crawl in a terminal.

Lines of verdicts, and rows that are drawn anew below all messages.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from crawler.console import Level, Message, Say, safe, warning
from crawler.frontier.view import HostSeen, HostState
from crawler.models import PageOutcome, UrlState
from crawler.observe.messages import Terminal
from crawler.observe.progress import hms
from crawler.observe.watching import Phase, Sight, Steering
from crawler.units import counted
from crawler.urls import host_key
from crawler.views.live.ends import entry
from crawler.views.live.server import Hosts, Rates

if TYPE_CHECKING:
    from crawler.config.job import Limits


LOOKED_EVERY_S = 1.0
"""Seconds between two looks at what is put aside."""
MOST_ASIDE = 200
"""Hosts that are looked at."""


@asynccontextmanager
async def _meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do something beside the crawl while the context lasts."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class Verdicts:
    """Watches one run and tells it all."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._aside: dict[str, str] = {}

    def add(self, outcome: PageOutcome) -> None:
        """Tell how a URL ended."""
        if not outcome.lines:
            return
        told = entry(outcome)
        verdict = told["verdict"] or told["state"]
        like = f" -> {told['of']}" if told["of"] else ""
        why = f" ({told['why']})" if told["why"] else ""
        text = f"{told['state']} {verdict}: {told['url']}{like}{why}"
        self._say(Message(text, Level.DETAIL, "page", **told))

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Tell of hosts that are put aside while the context lasts."""
        async with _meanwhile(self._look_again_and_again(run)):
            yield

    async def _look_again_and_again(self, run: Steering) -> None:
        while True:
            self.look(run)
            await asyncio.sleep(LOOKED_EVERY_S)

    def look(self, run: Steering) -> None:
        """Tell of hosts that were put aside, or came back, since the last look."""
        aside = {
            host.name: host.why
            for host in run.look((), MOST_ASIDE).hosts
            if host.state in (HostState.ASIDE, HostState.TRIED)
        }
        for name in aside.keys() - self._aside.keys():
            self._tell(name, "put aside", aside[name])
        for name in self._aside.keys() - aside.keys():
            self._tell(name, "no longer put aside", "")
        self._aside = aside

    def _tell(self, name: str, what: str, why: str) -> None:
        text = f"{name}: {what}" + (f": {why}" if why else "")
        self._say(Message(text, Level.DETAIL, "host", host=name, state=what, why=why or None))


# A running crawl in a terminal: some rows that are drawn anew below all messages.
#
# What is in a row is cut nowhere: where the terminal is narrow, the rest goes into the next row.
# Only ASCII, for a terminal may have no other characters.

REDRAWN_S = 0.5
"""Seconds between two drawings: often enough to be alive, at a thousandth of a core."""

MOST_HOSTS = 6
"""Rows of hosts: those that are asked, wait or are put aside, the busiest first."""

LOOKED_AT = 24
"""Hosts of which these are chosen, beside those that ended something lately."""

BETWEEN = "  "
_LEAST_HOST = 16
"""Columns that the name of a host has at least."""
_ROOM_FOR_ENDS = 90
"""Columns from which a host's row tells how its URLs ended, too."""

_URGENCY = {
    HostState.ASKED: 0,
    HostState.TRIED: 1,
    HostState.PREPARED: 2,
    HostState.ABSENT: 2,
    HostState.IN_LINE: 2,
    HostState.UNREAD: 2,
    HostState.PAUSING: 3,
    HostState.DUE: 3,
    HostState.ASIDE: 4,
    HostState.STOPPED: 5,
    HostState.IDLE: 6,
}
"""Which hosts are shown where not all are."""

_OPENING = {
    Phase.OPENING: "opening",
    Phase.PAUSED: "paused on the live page",
    Phase.STOPPING: "stopping: pages in progress end",
    Phase.CLOSING: "closing: the counts are compared",
}


class Panel:
    """Watches one run and draws how it is doing. `clock` is monotonic."""

    def __init__(
        self, terminal: Terminal, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._terminal = terminal
        self._limits = limits
        self._clock = clock
        self._begun_at = clock()
        self._rates = Rates(self._begun_at)
        self._hosts = Hosts()
        self._bytes: list[tuple[float, int]] = []

    def add(self, outcome: PageOutcome) -> None:
        """Hear of a URL's end."""
        self._rates.add(outcome, self._clock())
        if outcome.lines:
            line = outcome.lines[0][1]
            self._hosts.add(line.get("host") or host_key(line["url"]), outcome)

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Draw the run while the context lasts."""
        self._terminal.hold()
        try:
            async with _meanwhile(self._draw_again_and_again(run)):
                yield
        finally:
            self._terminal.release()

    async def _draw_again_and_again(self, run: Steering) -> None:
        try:
            while True:
                columns, rows = self._terminal.size
                self._terminal.draw(list(self.rows(run, columns))[:rows])
                await asyncio.sleep(REDRAWN_S)
        except Exception as error:  # no panel is worth a crawl
            self._terminal(warning(f"The panel is off, the crawl goes on: {error!r}"))

    def rows(self, run: Steering, columns: int) -> Iterator[str]:
        """Yield the rows that show the run now, none longer than so many columns."""
        now = self._clock()
        sight = run.look(self._hosts.latest, LOOKED_AT)
        parts = [hms(now - self._begun_at)]
        if sight.phase is not Phase.RUNNING:
            parts.append(_OPENING[sight.phase])
        stored, duplicates = sight.ends[UrlState.STORED], sight.ends[UrlState.DUPLICATE]
        parts += [
            f"{counted(stored + duplicates, 'page')} ({self._rates.pages_a_second(now):.1f}/s)",
            f"{stored:,} stored",
            f"{duplicates:,} duplicates",
            f"{sight.siblings:,} siblings",
        ]
        for state, name in _CALLED.items():
            if sight.ends[state]:
                parts.append(f"{sight.ends[state]:,} {name}")
        yield from wrapped(parts, columns)
        if sight.phase is Phase.OPENING:
            return
        aside = f", {sight.aside:,} put aside" if sight.aside else ""
        traffic = [
            f"queue {counted(sight.pending, 'URL')} on {counted(sight.known_hosts, 'host')}{aside}",
            f"in flight {sight.in_flight:,}",
            f"reading {sight.reading:,}" + (f" ({sight.unread:,} wait)" if sight.unread else ""),
            f"{_size(sight.wire_bytes)} ({_size(self._bytes_a_second(sight, now))}/s)",
        ]
        if sight.stall_p99_s:
            traffic.append(f"stalls {1000 * sight.stall_p99_s:.0f} ms")
        yield from wrapped(traffic, columns)
        if left := self._left(sight, now):
            yield from wrapped([left], columns)
        yield from self._host_rows(sight, columns)

    def _bytes_a_second(self, sight: Sight, now: float) -> float:
        """Return the speed over the last ten seconds or so."""
        self._bytes = [*self._bytes[-20:], (now, sight.wire_bytes)]
        since, then = self._bytes[0]
        return (sight.wire_bytes - then) / max(now - since, REDRAWN_S)

    def _left(self, sight: Sight, now: float) -> str:
        """Return which limit is reached first, and when."""
        limits, found = self._limits, []
        pages = sight.ends[UrlState.STORED] + sight.ends[UrlState.DUPLICATE]
        if limits.pages is not None and (speed := self._rates.pages_a_second(now)):
            found.append(
                (max(0, limits.pages - pages) / speed, f"limit of {counted(limits.pages, 'page')}")
            )
        if limits.bytes is not None and (speed := self._bytes_a_second(sight, now)):
            left = max(0, limits.bytes - sight.wire_bytes)
            found.append((left / speed, f"limit of {_size(limits.bytes)}"))
        if limits.time_s is not None:
            left_s = max(0.0, self._begun_at + limits.time_s - now)
            found.append((left_s, f"time limit of {hms(limits.time_s)}"))
        if not found:
            return ""
        left_s, limit = min(found)
        return f"{hms(left_s)} left to the {limit}, or less"

    def _host_rows(self, sight: Sight, columns: int) -> Iterator[str]:
        lively = [host for host in sight.hosts if host.state is not HostState.IDLE or host.queued]
        lively.sort(key=lambda host: (_URGENCY[host.state], -host.queued, host.name))
        shown = lively[:MOST_HOSTS]
        if not shown:
            return
        numbers = aligned([self._numbers(host, columns) for host in shown])
        states = [_state(host) for host in shown]
        longest = max(len(_short(host.name, columns)) for host in shown)
        beside = max(map(len, states)) + max(map(len, numbers)) + 2 * len(BETWEEN)
        wide = min(longest, max(_LEAST_HOST, 2 * columns // 5, columns - beside))
        room = max(0, columns - wide - max(map(len, numbers)) - 2 * len(BETWEEN))
        room = min(room, max(map(len, states)))
        for host, state, told in zip(shown, states, numbers, strict=True):
            row = f"{_short(host.name, wide):{wide}}{BETWEEN}{state[:room]:{room}}{BETWEEN}{told}"
            yield row[:columns].rstrip()

    def _numbers(self, host: HostSeen, columns: int) -> list[str]:
        queued = f"{host.queued:,} queued"
        if columns < _ROOM_FOR_ENDS:
            return [queued]
        stored, duplicates, failed = self._hosts.of(host.name)
        return [queued, f"{stored:,} new", f"{duplicates:,} dup", f"{failed:,} failed"]


_CALLED = {
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failed",
    UrlState.SKIPPED: "skipped",
}


def _state(host: HostSeen) -> str:
    """Return what a host does, or waits for and how long."""
    number = f" ({host.in_flight})" if host.in_flight > 1 else ""
    seconds = f"{host.wait_s:.1f} s" if host.wait_s < 100 else hms(host.wait_s)
    wait = f", {seconds}" if host.wait_s > 0 else ""
    why = f": {safe(host.why)}" if host.why else ""
    told = f"{host.state.value}{number}{wait}{why}"
    return told.encode("ascii", "replace").decode()


def _size(size: float) -> str:
    """Return a number of bytes in three digits or so."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"


def _short(name: str, columns: int) -> str:
    """Return a host's name, without its middle where it is too long: hosts differ at both ends."""
    shown = safe(name).encode("ascii", "replace").decode()
    if len(shown) <= columns:
        return shown
    first = (columns - 2) // 2
    return f"{shown[:first]}..{shown[len(shown) - (columns - 2 - first) :]}"


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Return a row of each list of cells, each cell to the right of its column."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        BETWEEN.join(f"{cell:>{wide}}" for cell, wide in zip(row, widths, strict=True))
        for row in cells
    ]


def wrapped(parts: Iterable[str], columns: int) -> Iterator[str]:
    """Yield rows of parts, as many in each as it holds; a part that is longer is cut."""
    row = ""
    for part in parts:
        longer = f"{row}{BETWEEN}{part}" if row else part
        if len(longer) > columns and row:
            yield row
            longer = part
        row = longer[:columns]
    if row:
        yield row
