"""Whose page is read next, in how many processes at once, and within which time.

All is counted by registrable domain, for that is what costs money: subdomains and ports are free,
and whoever has a domain has as many of them as he likes. Not by address, which thousands of
innocent sites may share, and which an attacker need not share with anybody. Where the users of a
domain are strangers to each other the public suffix list mostly knows it, and tells them apart;
where it does not, one of them can slow the others down, and no more.

Synchronous, and without a clock of its own: the caller says how long a page took.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

QUICK_S = 0.5
"""A page that is read within this is quick, in seconds: no limit is shortened below it, and so long
a page keeps a borrowed process that others wait for. Pages take hundredths of a second."""

HEAL_PAGES = 32
"""Pages read in time after which a domain whose limit was halved down to nothing has its whole time
again. One bad page in seventeen leaves every page the whole time, one in two a sixteenth of it."""

MOST_REMEMBERED = 10_000
"""Domains without pages here of which it is remembered how they fared: the latest, a few MB."""


class Ended(Enum):
    """How a turn ended."""

    READ = "read"
    """The page was read, or found unreadable, within its limit."""
    LATE = "late"
    """It was not read within its limit."""
    CRASHED = "crashed"
    """It ended its process."""
    RETURNED = "returned"
    """It gave its borrowed process back, for others that waited."""
    DROPPED = "dropped"
    """Nobody wants its answer any more."""


@dataclass(slots=True, eq=False)
class Turn:
    """One page: in line for a process, then in one."""

    domain: str
    limit_s: float = 0.0
    """How long it may take, from the moment it has a process."""
    borrowed: bool = False
    """Whether its process is one beyond its domain's own."""
    last: bool = False
    """Whether it is tried again, with all of the time."""


@dataclass(slots=True)
class _Domain:
    waiting: deque[Turn] = field(default_factory=deque)
    reading: int = 0
    used_s: float = 0.0
    """Process time it has had; what others had before it came counts as its own."""
    share: float = 1.0
    """The part of the whole time limit that its pages have."""
    proven: bool = False
    """Whether one of its pages was read since it came."""
    tried_last: bool = False
    """Whether a page is tried again with all of the time, or was, and in vain."""

    @property
    def trusted(self) -> bool:
        return self.proven and self.share == 1.0

    def learn(self, turn: Turn, how: Ended) -> None:
        """A turn has ended."""
        if how is Ended.READ:
            self.proven = True
            self.share = min(1.0, self.share + 1 / HEAL_PAGES)
        elif how is Ended.RETURNED:
            self.share = max(0.0, self.share - 1 / HEAL_PAGES)
        elif how is not Ended.DROPPED:
            self.share /= 2
        if self.share == 1.0 or (turn.last and how in (Ended.READ, Ended.DROPPED)):
            self.tried_last = False


class Turns:
    """The pages that wait to be read, and each domain's share of the processes.

    - The next turn is that of the domain that has had the least of the processes' time since it
      came (start-time fair queueing: Goyal, Vin, Cheng, "Start-time Fair Queuing", SIGCOMM 1996).
      Pages of one domain go in the order in which they came.
    - Half of the processes are a domain's own, at least one. It borrows others while nobody else
      wants them, and gives one back that somebody wants once its page has had `QUICK_S`. A domain
      borrows none before a page of it was read, nor while its limit is shortened.
    - A page that is late or crashes halves the limit of its domain's next ones, down to `QUICK_S`;
      each that is read in time brings back a part of it (`HEAL_PAGES`).
    - A page that is late by a shortened limit is tried again with all of the time, after everything
      else that waits. One of a domain at a time is; and when one of these is late too, none is any
      more, until the domain has its whole time again. So pages that need long are read beside the
      few bad ones of their site, and a site of bad pages gets all of the time twice.

    With one process a bad page holds up everybody for its limit: at first all of the time.
    """

    def __init__(self, processes: int, timeout_s: float) -> None:
        self._free = processes
        self._own = max(1, processes // 2)
        self._timeout_s = timeout_s
        self._domains: dict[str, _Domain] = {}
        self._resting: dict[str, _Domain] = {}
        self._last: deque[Turn] = deque()
        self._now_s = 0.0

    def __repr__(self) -> str:
        waiting = sum(len(domain.waiting) for domain in self._domains.values())
        return f"<Turns {waiting}+{len(self._last)} in line, {self._free} processes free>"

    def join(self, name: str) -> Turn:
        """Put a page of a domain in line."""
        turn = Turn(name)
        if name not in self._domains:
            self._domains[name] = self._resting.pop(name, _Domain())
        domain = self._domains[name]
        if not domain.waiting and not domain.reading:
            domain.used_s = max(domain.used_s, self._now_s)
        domain.waiting.append(turn)
        return turn

    def leave(self, turn: Turn) -> None:
        """Take a page out of line."""
        domain = self._domains[turn.domain]
        (self._last if turn.last else domain.waiting).remove(turn)
        domain.learn(turn, Ended.DROPPED)
        self._rest(turn.domain)

    def next(self) -> Turn | None:
        """Give a process to the page whose turn it is; None where there is no such page or process.

        O(domains in line).
        """
        turn = (self._first_in_line() or self._first_again()) if self._free else None
        if turn is None:
            return None
        domain = self._domains[turn.domain]
        turn.borrowed = domain.reading >= self._own
        shortened_s = max(QUICK_S, domain.share * self._timeout_s)
        turn.limit_s = self._timeout_s if turn.last else min(self._timeout_s, shortened_s)
        domain.reading += 1
        self._free -= 1
        self._now_s = max(self._now_s, domain.used_s)
        return turn

    def _first_in_line(self) -> Turn | None:
        in_line = [domain for domain in self._domains.values() if domain.waiting]
        entitled = [domain for domain in in_line if domain.reading < self._own]
        ready = entitled or [domain for domain in in_line if domain.trusted]
        first = min(ready, key=lambda domain: domain.used_s, default=None)
        return first.waiting.popleft() if first else None

    def _first_again(self) -> Turn | None:
        for turn in self._last:
            if self._domains[turn.domain].reading < self._own:
                self._last.remove(turn)
                return turn
        return None

    def keeps(self, turn: Turn) -> bool:
        """Whether a page may keep its process: it is its domain's own, or nobody else waits."""
        if not turn.borrowed or self._domains[turn.domain].reading <= self._own:
            return True
        return not any(
            domain.waiting and domain.reading < self._own for domain in self._domains.values()
        )

    def end(self, turn: Turn, took_s: float, how: Ended) -> bool:
        """Free a page's process, which it had for `took_s`; return whether it is in line again."""
        domain = self._domains[turn.domain]
        domain.reading -= 1
        domain.used_s += took_s
        self._free += 1
        short = turn.limit_s < self._timeout_s
        again = how is Ended.LATE and short and not domain.tried_last
        domain.learn(turn, how)
        if how is Ended.RETURNED:
            domain.waiting.appendleft(turn)
        elif again:
            turn.last = domain.tried_last = True
            self._last.append(turn)
        self._rest(turn.domain)
        return again or how is Ended.RETURNED

    def _rest(self, name: str) -> None:
        """Forget a domain without pages, unless it has something to make up for."""
        domain = self._domains[name]
        if domain.waiting or domain.reading or any(turn.domain == name for turn in self._last):
            return
        del self._domains[name]
        if domain.share < 1.0 or domain.used_s > self._now_s:
            self._resting[name] = domain
        if len(self._resting) > MOST_REMEMBERED:
            del self._resting[next(iter(self._resting))]
