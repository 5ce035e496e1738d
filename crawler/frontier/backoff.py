"""Backoff of one host.

How slowly it is asked, its failures in a row, and what is put aside because it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf

from crawler.frontier.failures import EVIDENCE_GAP_S, HASTEN_STEPS, LAST_CALL_S, aside_s, slower_s
from crawler.models import FetchTask
from crawler.urls.editions import subtrees

# ---------------------------------------------------------------- owed
# What hosts are owed as a run begins: pauses that an earlier one did not wait for.


@dataclass(frozen=True, slots=True)
class Pause:
    """What a host is owed beyond the job's own delay."""

    left_s: float
    """No request within this time: a Retry-After, a back-off, the rest of a Crawl-delay."""
    delay_s: float
    """Its pause between two requests, as its robots.txt asked."""
    slow_s: float = 0.0
    """What its answers have made of that pause; 0.0 where nothing."""


class OwedPauses:
    """The first moment at which a host new to this run may be asked, and its delay until known.

    A resumed run does not know whom the earlier one asked last, and that one may have been killed:
    every host is owed a whole delay from the start on, those with a `Pause` also what is left of
    it. In a first run nobody is owed anything.
    """

    def __init__(self, delay_of: Callable[[str], float]) -> None:
        """`delay_of` gives what the job says of a host."""
        self._delay_of = delay_of
        self._is_later = False
        self._pauses: Mapping[str, Pause] = {}
        self.since = 0.0
        """When this run began."""

    def take_over(self, pauses: Mapping[str, Pause], now: float) -> None:
        """Begin a resumed run at `now`."""
        self.since = now
        self._is_later = True
        self._pauses = pauses

    def of(self, host: str) -> tuple[float, float]:
        """Return (time before which the host must not be asked, its delay)."""
        pause = self._pauses.get(host)
        delay_s = self._delay_of(host)
        if pause is None:
            return self.since + delay_s if self._is_later else 0.0, delay_s
        delay_s = max(delay_s, pause.delay_s)
        return self.since + max(delay_s, pause.slow_s, pause.left_s), delay_s

    def slow_s(self, host: str) -> float:
        """Return what a host's delay was before, because of its answers."""
        pause = self._pauses.get(host)
        return pause.slow_s if pause else 0.0


# ---------------------------------------------------------------- pace
# How slowly one host is asked: the pause that it wants, and what its answers make of it.


class Pace:
    """The pause between two requests to a host: never shorter than that of the job and its rules.

    It grows with refusals, which answers make up for step by step, and with the time that answers
    take, where the job wants that (`feel`).
    """

    __slots__ = ("_felt_s", "_refused_at", "_slow_s", "_step_s", "base_s", "refusals")

    def __init__(self, base_s: float) -> None:
        self.base_s = base_s
        """The pause that the job or its robots.txt asks for."""
        self.refusals = 0
        """Answers 429 in a row."""
        self._refused_at = -inf
        self._slow_s = self._step_s = self._felt_s = 0.0

    @property
    def delay_s(self) -> float:
        """The pause between two requests."""
        return max(self.base_s, self._slow_s, self._felt_s)

    @property
    def slow_s(self) -> float:
        """What answers have made of that pause; 0.0 where it is as it was."""
        slow_s = max(self._slow_s, self._felt_s)
        return slow_s if slow_s > self.base_s else 0.0

    @property
    def is_refused(self) -> bool:
        """Whether refusals have made that pause longer, which it has not made up for."""
        return self._slow_s > self.base_s

    def lengthen(self, base_s: float) -> None:
        """Pause for so long at least, until its own rules say otherwise."""
        self.base_s = max(self.base_s, base_s)

    def refuse(self, begun_at: float, now: float) -> int:
        """It answered 429: be slower; return how many such answers came in a row.

        As with strikes, those under way together are one.
        """
        if begun_at >= self._refused_at:
            self.refusals += 1
            self._refused_at = now
            self.slow_down(slower_s(self.delay_s))
        return self.refusals

    def slow_down(self, delay_s: float) -> None:
        """Pause so long between two requests, and less with every answer from now on."""
        self._slow_s = delay_s
        self._step_s = delay_s / HASTEN_STEPS

    def feel(self, wanted_s: float, *, well: bool) -> None:
        """An answer took so long that this pause is wanted: take it at once if it is longer.

        A shorter one only half way, and not after an answer that says that something is wrong: an
        error page takes no time to make. (AutoThrottle of Scrapy does the same.)
        """
        if wanted_s >= self._felt_s:
            self._felt_s = wanted_s
        elif well:
            self._felt_s = (self._felt_s + wanted_s) / 2

    def hasten(self) -> None:
        """It has answered: be a little less slow."""
        if self._slow_s:
            self._slow_s = max(0.0, self._slow_s - self._step_s)


# ---------------------------------------------------------------- holds
# What is put aside because it fails: a host, one of its origins, or a part of it.
#
# Nothing is asked of it until its time has come; then it is tried: the first failure puts it aside
# again, for longer, the first answer ends the hold. `failures` has the pauses.


@dataclass(frozen=True, slots=True)
class Health:
    """What a run knows of a host (by host key) or an origin, for later runs."""

    answered: bool
    """Whether it ever sent rules or a page, be it an error page."""
    tries: int = 0
    """How often in a row it failed and was put aside."""
    tried_ago_s: float = 0.0
    """When that was last; seconds, never negative."""
    evidence_s: float = 0.0
    """For how long it has been dead, as far as tries have shown."""
    why: str = ""


@dataclass(slots=True, eq=False)
class Hold:
    """Why and since when something is put aside, and what waits for its end."""

    why: str
    of_rules: bool = False
    """Its robots.txt is what failed; what can be read again ends the hold."""
    tries: int = 0
    tried_at: float | None = None
    """When it failed last, on the caller's clock."""
    until: float = 0.0
    """When it is tried again."""
    evidence_s: float = 0.0
    asked_s: float = 0.0
    """How long its server has asked to be left alone, in all tries together."""
    open: bool = False
    """It is being tried."""
    called: bool = False
    """It was tried because nothing else was left to do."""
    left: int = 0
    """Tasks that were left to the store because of it."""
    tasks: list[FetchTask] = field(default_factory=list)
    """Tasks asked for before. They are tried last, since they may fail for themselves."""

    @classmethod
    def of(cls, health: Health, now: float, owed_s: float) -> Hold:
        """Return what an earlier run put aside: it is tried at once, with no further patience.

        Where more than a moment is left (`owed_s`) for which its server asked to be left alone, it
        is tried after that.
        """
        hold = cls(health.why, tries=health.tries, evidence_s=health.evidence_s)
        hold.tried_at, hold.until = now - health.tried_ago_s, now
        hold.open = owed_s <= LAST_CALL_S
        if not hold.open:
            hold.until, hold.asked_s = now + owed_s, owed_s
        return hold

    def evidence(self, now: float) -> float:
        """Return for how long it has been dead, if it fails now; seconds."""
        last = now if self.tried_at is None else self.tried_at
        return self.evidence_s + min(EVIDENCE_GAP_S, max(0.0, now - last))

    def fail(self, why: str, since: float, now: float, asked_s: float = 0.0) -> None:
        """Put aside what failed: for the first time, after failures since then, or once more.

        It is not tried before the `asked_s` have passed that its server asked to be left alone for.
        """
        if self.tried_at is None:
            self.tried_at = since
        self.evidence_s = self.evidence(now)
        self.tries += 1
        self.tried_at, self.why, self.open = now, why, False
        self.asked_s += asked_s
        self.until = now + max(aside_s(self.tries), asked_s)

    def health(self, now: float, *, answered: bool) -> Health:
        """Return what a later run must know of it."""
        ago_s = max(0.0, now - (now if self.tried_at is None else self.tried_at))
        return Health(answered, self.tries, ago_s, self.evidence_s, self.why)


# ---------------------------------------------------------------- strikes
# The failures of one host in a row: how many, since when, and where in the host they were.


_NONE: set[int] = set()
"""What a host has that has not failed, shared by all: an empty set of its own takes 216 bytes."""


class Strikes:
    """Failures in a row that speak against a host; of requests under way together one counts."""

    __slots__ = (
        "_common", "_common_of_part", "_host", "_last_at", "_of_part", "_pages", "in_a_row",
        "since",
    )  # fmt: skip

    def __init__(self, host: str) -> None:
        self._host = host
        self.in_a_row = 0
        self.since = 0.0
        """When the first of them was."""
        self._last_at = -inf
        self._pages = _NONE
        self._common: tuple[str, ...] | None = None
        """The parts in which all of them were, the narrowest first."""
        self._of_part = 0
        self._common_of_part: tuple[str, ...] | None = None
        """How many came since a part was put aside last, and in which parts these were."""

    def add(self, begun_at: float, now: float, task: FetchTask | None, *, of_part: bool) -> int:
        """Count a failure; return how many came in a row.

        A request that had begun before the last strike says nothing new: all that are under way
        when a server goes down fail together, and are one outage. Nor does a page that fails again,
        of so few that they may fail for themselves.
        """
        again = of_part and task is not None and task.url_id in self._pages and len(self._pages) < 3
        if begun_at >= self._last_at and not again:
            if not self.in_a_row:
                self.since = now
            self.in_a_row += 1
            self._of_part += 1
            self._last_at = now
        if task is not None:
            if self._pages is _NONE:
                self._pages = set()
            self._pages.add(task.url_id)
            names = subtrees(task.url, self._host)[:-1]
            self._common = _shared(self._common, names)
            self._common_of_part = _shared(self._common_of_part, names)
        return self.in_a_row

    def end(self) -> None:
        """It has answered: the row has ended."""
        self.in_a_row = 0
        self._pages = _NONE
        self._common = None
        self.end_part()

    def end_part(self) -> None:
        """A part was put aside: what comes now may be of another."""
        self._of_part, self._common_of_part = 0, None

    def failing_part(self, strikes: int) -> str | None:
        """Return the narrowest part in which the last failures were, if so many strikes were."""
        if self._of_part < strikes or not self._common_of_part:
            return None
        part = self._common_of_part[0]
        return None if part == f"{self._host}/" else part

    @property
    def wide(self) -> bool:
        """Whether different parts of the host failed in this row."""
        return not self._common or self._common[0] == f"{self._host}/"


def _shared(common: tuple[str, ...] | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is in both, in order; all of `names` where there was nothing before."""
    return names if common is None else tuple(name for name in common if name in names)
