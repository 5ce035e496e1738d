"""Request slots: how many pages may be under way, and who gives way where servers stall.

Without this, as many stalling hosts as there are workers stop a crawl, each for as long as the
time limits allow. A wait costs next to nothing, so a page that has waited longer than
`PATIENCE_S` steps aside and lets another one begin. How many may stand aside is bounded, since
each may hold a body that has come in part.

Still more stalling hosts would fill the slots aside as well. So a part of all slots is kept for
hosts that have proved themselves; and where a host is due that finds no slot, whoever has used
up the time that it may wait gives way: its request is broken off, says nothing of its URL, and
is made again after a pause. Answers earn a host more of this time, so a slow one that has
answered for a while is heard, and one that only waits for its moment has paid for it.
"""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from crawler import config
from crawler.errors import ConfigError
from crawler.models import Reputation

PATIENCE_S = 0.05
"""How long a page keeps its slot while it waits, as long as there is room aside: a hundred
stalling servers that come at once hold up 32 slots for a sixth of a second. Pages of servers that
are near should come in less."""

STALL_S = 0.5
"""How long a page may wait at least, whoever else needs its slot: ten times the patience above,
and enough for a connection and an answer over an ocean. At the default of 132 slots six hundred
hosts that stall all had their turn within three seconds."""

_TYPICAL_WAITS = 4.0
_LONGEST_STALL_S = 2.0
"""Where answers take longer as a rule (far servers, a busy machine), a stall is so many times the
mean wait, up to this. With half a second for all, a thousand new hosts that answer after .4 s on a
machine under load took twice as long, since every second request was broken off and made again."""

EARNED_S = 0.5
"""What each answer adds to the time that its host may wait, until it stalls: whoever lets the crawl
wait for a minute has answered 120 times before, and took a slot as long as a slow server does."""

MOST_S = 8.0
"""A host that gave way may wait for twice as long the next time, up to this: it may only be slow.
In a simulation a thousand new hosts that answer after 2.5 s took 138 s so, and 352 s without it."""

KNOWN = Reputation(answers=1, gave_way=0)

_MEAN_OVER = 32
"""Waits that the mean is taken over, those of some time ago with less weight."""

_ASIDE_PER_WORKER = 4
_ASIDE_BYTES = 1_000_000_000
"""What the bodies of pages aside may take together, at worst."""


SPARE_CONNECTIONS = 8
"""Beyond one a page: robots.txt requests whose worker was cancelled may still be under way."""


def slots_within(limits: config.Fetch, connections: int | None) -> tuple[int, int]:
    """Return how many pages may be at work and how many aside, within so many connections.

    None: no bound. Aside may be a few for each worker, within the bytes above. Where connections
    are short, half of them are for pages that wait. At least one page is at work.
    """
    by_memory = max(limits.workers, _ASIDE_BYTES // limits.max_body_bytes)
    aside = min(_ASIDE_PER_WORKER * limits.workers, by_memory)
    if connections is None:
        return limits.workers, aside
    pages = max(1, connections - SPARE_CONNECTIONS)
    at_work = min(limits.workers, max(pages - aside, (pages + 1) // 2))
    return at_work, min(aside, pages - at_work)


@dataclass(slots=True, eq=False)
class _Wait:
    """A page that waits for its server."""

    host: str
    give_way: Callable[[], None]
    begun_at: float
    is_long: bool = False
    """It has waited for longer than a page keeps its slot."""


class RequestSlots:
    """`limit` slots for pages at work, and `aside` more for those that wait for a server.

    Owned by one event loop. A turn of a host that has not proved itself is a stranger's: all of
    them together have three quarters of the slots, so there is always room for other hosts.
    `clock` is monotonic.
    """

    def __init__(
        self,
        limit: int,
        aside: int,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._aside = aside
        self.most = limit + aside
        """Pages that can be under way at once."""
        self._most_strangers = max(1, self.most - self.most // 4)
        self._turns_of_strangers = 0
        self._hosts: dict[str, tuple[int, Reputation]] = {}
        """Those with turns: how many, and what their answers are worth."""
        self._patience_s = patience_s
        self._clock = clock
        self._resting = self._long = self._giving_way = 0
        self.under_way = 0
        """Turns that have begun and not ended, at work or aside."""
        self._waits: dict[_Wait, None] = {}
        self._mean_wait_s = STALL_S / _TYPICAL_WAITS
        self.changed = asyncio.Event()
        """Set when a page may perhaps begin, or be asked to give way; cleared by who looks."""
        self._free = asyncio.Event()
        self._free.set()

    def __repr__(self) -> str:
        left = max(0, self._aside - self._long)
        return f"<RequestSlots {self._taken} of {self._limit} taken, {left} left aside>"

    @property
    def _taken(self) -> int:
        return self.under_way - self._resting - min(self._aside, self._long)

    @property
    def idle(self) -> bool:
        """Whether no page is under way, neither at work nor aside."""
        return not self.under_way

    @property
    def full(self) -> bool:
        """Whether no page may begin."""
        return self._taken >= self._limit

    @property
    def full_of_strangers(self) -> bool:
        """Whether no page of a stranger may begin."""
        return self.full or self._turns_of_strangers >= self._most_strangers

    def begin(self, host: str, reputation: Reputation = KNOWN) -> None:
        """Give a slot to a page that begins."""
        self.under_way += 1
        self._count(host, 1, reputation)

    def end(self, host: str) -> None:
        """Free the slot of a page that has ended."""
        self.under_way -= 1
        self._count(host, -1)
        self.changed.set()

    def _count(self, host: str, change: int, reputation: Reputation | None = None) -> None:
        """Count a turn of a host that needs a slot, or one less; and what it is worth from now."""
        turns, known = self._hosts.get(host, (0, KNOWN))
        self._turns_of_strangers -= turns * known.is_strange
        turns, known = turns + change, reputation or known
        self._turns_of_strangers += turns * known.is_strange
        if turns:
            self._hosts[host] = turns, known
        else:
            del self._hosts[host]
        self._look()

    @contextmanager
    def waiting(self, host: str, give_way: Callable[[], None]) -> Iterator[None]:
        """Enclose a wait for a server, within a page that has a slot.

        Where others need the slot `give_way` is called, once, to have the wait end soon. Coming
        back takes a slot even where none is free: a page that has its body should go on, and what
        is at work for it is bounded by the processes that read pages.
        """
        wait = _Wait(host, give_way, self._clock())
        self._waits[wait] = None
        timer = asyncio.get_running_loop().call_later(self._patience_s, self._step_aside, wait)
        try:
            yield
        finally:
            timer.cancel()
            if wait in self._waits:
                del self._waits[wait]
                # How long a wait was that nobody broke off; no longer than counts.
                waited_s = self._clock() - wait.begun_at
                counted_s = min(waited_s, _LONGEST_STALL_S / _TYPICAL_WAITS)
                self._mean_wait_s += (counted_s - self._mean_wait_s) / _MEAN_OVER
            else:
                self._giving_way -= 1
            if wait.is_long:
                self._long -= 1
                self._look()

    @property
    def stall_s(self) -> float:
        """How long a stranger may wait where others need its slot: half a second to two."""
        return max(STALL_S, _TYPICAL_WAITS * self._mean_wait_s)

    def _step_aside(self, wait: _Wait) -> None:
        wait.is_long = True
        self._long += 1
        self._look()
        self.changed.set()

    async def rest(self, pause: Awaitable[object]) -> None:
        """Pause within a page that has a slot and holds nothing else; come back to a free one.

        Enclose it in no `waiting`. How many rest is not bounded here: it costs no memory to speak
        of, and a pause may last a minute.
        """
        self._resting += 1
        self._look()
        try:
            await pause
            await self._free.wait()
        finally:
            self._resting -= 1
            self._look()

    @contextmanager
    def left(self, host: str) -> Iterator[None]:
        """Give a page's slot away while it needs no server; how many do is for others to bound.

        Coming back takes a slot even where none is free, as after `waiting`.
        """
        reputation = self._reputation(host)
        self._resting += 1
        self._count(host, -1)
        self.changed.set()  # its host has answered, and may be asked again
        try:
            yield
        finally:
            self._resting -= 1
            # What others of its host began with meanwhile is newer.
            self._count(host, 1, None if host in self._hosts else reputation)

    def stalls_at(self) -> float | None:
        """Return when a page can be asked to give way, so that a turn may begin that may not now.

        None where there is no such page, or one is giving way already; or where all slots are with
        pages at work, since no wait has one of them as long as there is room aside.
        """
        at_work = self.full and self._long <= self._aside
        wait = None if self._giving_way or at_work else self._next()
        return None if wait is None else self._until(wait)

    def give_way(self) -> None:
        """Ask the page for its slot that may wait no longer; `stalls_at` has passed."""
        wait = self._next()
        assert wait is not None
        del self._waits[wait]
        self._giving_way += 1
        wait.give_way()

    def _next(self) -> _Wait | None:
        """Return whose time is up first: of strangers only, where they alone find no slot."""
        waits = (
            wait for wait in self._waits if self.full or self._reputation(wait.host).is_strange
        )
        return min(waits, key=self._until, default=None)

    def _until(self, wait: _Wait) -> float:
        """Return how long a page may wait, as long as others need its slot."""
        answers, gave_way = self._reputation(wait.host)
        may_be_slow_s = min(self.stall_s * 2.0**gave_way, MOST_S)
        return wait.begun_at + max(may_be_slow_s, EARNED_S * answers)

    def _reputation(self, host: str) -> Reputation:
        # A request may outlive the turn that it was made for.
        return self._hosts.get(host, (0, KNOWN))[1]

    def _look(self) -> None:
        if self.full:
            self._free.clear()
        elif not self._free.is_set():
            self._free.set()
            self.changed.set()


RESERVE = 24
"""For what is opened later: name servers, an analysis process for a lost one, second sockets where
two addresses of a host are tried together, the summary."""

_HIGHEST = 65_536
"""Where the hard limit is unlimited: some systems (macOS) refuse more than they have, and nothing
here needs more."""


def raise_limit() -> None:
    """Let this process open as many files as it is allowed to: the soft limit is often 256 or 1024.

    Where that is refused, the limit stays as it is.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _HIGHEST if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def connections_left() -> int | None:
    """Return how many connections may be open besides what is open now, None: no bound.

    To be asked when the store and the analysis processes have their files. Raises ConfigError where
    too few are left for a crawl.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return None
    in_use = 64  # where nobody tells
    for directory in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            in_use = sum(1 for _ in Path(directory).iterdir())
            break
    left = limit - in_use - RESERVE
    if left <= SPARE_CONNECTIONS:
        least = in_use + RESERVE + SPARE_CONNECTIONS + 1
        raise ConfigError(
            f"this process may open {limit} files only, and a crawl needs {least} and more; raise "
            "the limit: `ulimit -n 4096`, or `LimitNOFILE=` of a service"
        )
    return left
