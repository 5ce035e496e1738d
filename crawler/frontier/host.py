"""One host while it has URLs: its queue, its pace, its failures, and what of it is put aside.

::

    Host ── HostQueue  its pending URLs: the first in memory, the others in the store
         ── Pace       the pause between two requests, and what answers make of it
         ── Strikes    failures in a row, and in which part of the host they were
         ── Hold       what is put aside because it fails: the host, an origin, a part, a page
         ── Origin     http or https of it: until when its rules stand, whether it was given up
         ── Answers    what it has answered in this run: its reputation

Pure state: nothing here knows of other hosts. `politeness` has all of them by when they are due,
`outcomes` tells them what happened.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import inf
from typing import Final

from crawler import urls
from crawler.frontier.failures import (
    EVIDENCE_GAP_S,
    HASTEN_STEPS,
    LAST_CALL_S,
    MOST_STALLS,
    aside_s,
    slower_s,
)
from crawler.frontier.turns import CheckRobots, GivenUp, LookFor
from crawler.models import FetchTask, Priority, Reputation
from crawler.urls.editions import subtrees

Key = tuple[int, int, int]
_Entry = tuple[int, int, int, str, str, int, str | None, int, int, bool, str | None]
"""A task as it waits: its key, then its other fields. A tuple of nothing but numbers and strings
takes a third of what the task, its key and their pair take, and the garbage collector stops looking
at it, where hundreds of thousands of tasks would make each full collection longer by .1 s."""
_URL: Final = 3

BEFORE_ALL: Key = (-1, -1, -1)
_NONE: set[int] = set()
"""What most hosts have of most things, shared by all: an empty set of its own takes 216 bytes."""


def key_of(task: FetchTask) -> Key:
    """Return the order of a task within its host."""
    return (task.priority, task.depth, task.url_id)


def _entry_of(task: FetchTask) -> _Entry:
    return (
        *(int(task.priority), task.depth, task.url_id, task.url, task.host),
        *(task.hops, task.referrer, task.attempt, task.refused, task.seed, task.rule),
    )


@lru_cache(64)  # a task is looked at, several times at best, before it is taken
def _task_of(entry: _Entry) -> FetchTask:
    priority, depth, url_id, url, host, hops, referrer, attempt, refused, seed, rule = entry
    place = url_id, url, host, depth, Priority(priority)
    return FetchTask(*place, hops, referrer, attempt, refused, seed, rule=rule)


class Room:
    """The tasks that the queues of all hosts hold in memory together; each queue counts its own.

    They stay near `limit`: beyond it, each queue that grows leaves half of its tasks to the store.
    """

    __slots__ = ("_limit", "held")

    def __init__(self, limit: int = sys.maxsize) -> None:
        self._limit = limit
        self.held = 0

    @property
    def left(self) -> int:
        """How many more may come; where it is none, or less, whoever grows must give way."""
        return self._limit - self.held


class HostQueue:
    """The pending URLs of one host: the first of them in memory, the rest in the store.

    Order is by key `(priority, depth, url_id)`: breadth first, links of duplicates last. All keys
    up to the *horizon* are in memory, those beyond it wait in the store, where every pending URL
    stands anyway; so dropping a URL from memory loses nothing, and a resumed crawl begins with
    everything beyond the horizon. The one duty of the caller: a URL is handed to the store in the
    same synchronous step in which it is pushed, so that a refill asked for later finds it there.

    `limit` bounds the tasks held, at least 2. They are counted in the `room` that the queues of a
    crawl share.
    """

    __slots__ = (
        "_ended", "_heap", "_horizon", "_limit", "_passed_over", "_refilling", "_room", "_taken",
        "stored",
    )  # fmt: skip

    def __init__(self, limit: int, stored: int = 0, room: Room | None = None) -> None:
        self._limit = limit
        self._room = room or Room()
        self._heap: list[_Entry] = []
        self._horizon: Key | None = BEFORE_ALL if stored else None
        self._taken = self._ended = _NONE
        self._refilling = False
        self._passed_over: int | None = None
        self.stored = stored
        """Pending URLs that are in the store only."""

    def __len__(self) -> int:
        """Count the tasks in memory that can be popped."""
        return len(self._heap)

    @property
    def under_way(self) -> int:
        """Tasks that were popped and are not settled."""
        return len(self._taken)

    @property
    def idle(self) -> bool:
        """Nothing pending, nothing popped and not settled: the queue can be forgotten."""
        return not (self._heap or self._taken or self.stored or self._refilling)

    def push(self, task: FetchTask) -> None:
        """Add a new task: in memory up to the horizon, beyond it by leaving it to the store.

        Where there was no room for it, half of what is in memory is left to the store.
        """
        full, entry = self._room.left <= 0, _entry_of(task)
        if self._beyond_horizon(entry) and not self._refilling:
            self.stored += 1
        else:
            self._add(entry)
            if len(self._heap) > self._limit:
                self._spill(self._limit // 2)
        if full:
            self._spill(len(self._heap) // 2)

    def _add(self, entry: _Entry) -> None:
        heappush(self._heap, entry)
        self._room.held += 1

    def _spill(self, keep: int) -> None:
        """Leave all but the first `keep` tasks to the store, unless its answer is under way.

        That answer may have been read before these tasks came, and would then be taken for all
        there is.
        """
        if self._refilling:
            return
        kept = sorted(self._heap)[:keep]
        self.stored += len(self._heap) - len(kept)
        self._hold(kept)
        if self.stored:
            self._horizon = kept[-1][:3] if kept else BEFORE_ALL

    def _hold(self, heap: list[_Entry]) -> None:
        """Have these tasks in memory, in the order of a heap, and no others."""
        self._room.held += len(heap) - len(self._heap)
        self._heap = heap

    def peek(self) -> FetchTask:
        """Return the first task without taking it; IndexError if there is none in memory."""
        return _task_of(self._heap[0])

    @property
    def first_url(self) -> str:
        """The URL of the first task; IndexError if there is none in memory."""
        return self._heap[0][_URL]

    @property
    def has_only_predicted(self) -> bool:
        """Whether nothing is left, in memory or in the store, that may bring something."""
        return bool(self._heap) and self._heap[0][0] == Priority.PREDICTED

    def is_all(self, wanted: Callable[[str], bool]) -> bool:
        """Whether the URLs of all tasks in memory are such."""
        return all(wanted(entry[_URL]) for entry in self._heap)

    def pop(self) -> FetchTask:
        """Take the first task; it stays pending in the store until `settle` or `push_back`."""
        task = _task_of(heappop(self._heap))
        self._room.held -= 1
        self.adopt(task.url_id)
        return task

    def postpone(self, priority: Priority, rule: str) -> None:
        """Have the first task wait among those of another priority, here as in the store."""
        task = _task_of(heappop(self._heap))
        self._room.held -= 1
        self.push(replace(task, priority=priority, rule=rule))

    def adopt(self, url_id: int) -> None:
        """Take a task that was never pushed: it stays pending in the store until `settle`."""
        if self._taken is _NONE:
            self._taken = set()
        self._taken.add(url_id)

    def _leave(self, url_id: int) -> None:
        self._taken.discard(url_id)
        if not self._taken:
            self._taken = _NONE

    def push_back(self, task: FetchTask) -> None:
        """Return a popped task, to be popped again."""
        self._leave(task.url_id)
        self._add(_entry_of(task))

    def settle(self, task: FetchTask) -> None:
        """Forget a popped task: its end has been handed to the store.

        A refill under way may have been read before that, so its answer is told of it.
        """
        self._leave(task.url_id)
        if self._refilling:
            if self._ended is _NONE:
                self._ended = set()
            self._ended.add(task.url_id)

    def rewind(self, passed_over: int) -> None:
        """Begin again at the first key: so many tasks were popped and settled, and did not end."""
        if self._refilling:
            self._passed_over = (self._passed_over or 0) + passed_over
            return
        self.stored += passed_over + len(self._heap)
        self._hold([])
        if self.stored:
            self._horizon = BEFORE_ALL

    @property
    def has_waiting(self) -> bool:
        """Whether something waits here to be popped, in memory or in the store."""
        return bool(self._heap or self.stored)

    @property
    def wants_refill(self) -> bool:
        """Memory is empty and the store holds more."""
        return bool(self.stored) and not self._heap and not self._refilling

    def begin_refill(self, room: int) -> tuple[Key, int]:
        """Return the key after which, and the number up to which, to read pending URLs.

        `room` is what is left for all hosts; at least two tasks are asked for.

        Until `end_refill` every push stays in memory: it may be too late for the store's answer.
        """
        self._refilling = True
        limit = max(2, min(self._limit // 2, room))
        return self._horizon or BEFORE_ALL, limit + len(self._taken)

    def end_refill(self, tasks: list[FetchTask], last: Key | None) -> None:
        """Take in the store's answer; `last` is the key it ended at, None if nothing is beyond."""
        self._refilling = False
        present = self._taken | self._ended | {url_id for _, _, url_id, *_ in self._heap}
        self._ended = _NONE
        found = [_entry_of(task) for task in tasks if task.url_id not in present]
        self._horizon = last
        all_known = self._heap + found
        kept = [entry for entry in all_known if not self._beyond_horizon(entry)]
        if last is None:
            self.stored = 0
        else:
            self.stored = max(1, self.stored - len(tasks)) + len(all_known) - len(kept)
        heapify(kept)
        self._hold(kept)
        if self._passed_over is not None:
            passed_over, self._passed_over = self._passed_over, None
            self.rewind(passed_over)

    def _beyond_horizon(self, entry: _Entry) -> bool:
        return self._horizon is not None and entry[:3] > self._horizon


@dataclass(frozen=True, slots=True)
class Pause:
    """What a host is owed beyond the job's own delay."""

    left_s: float
    """No request within this time: a Retry-After, a back-off, the rest of a Crawl-delay."""
    delay_s: float
    """Its pause between two requests, as its robots.txt asked."""
    slow_s: float = 0.0
    """What its answers have made of that pause; 0.0 where nothing."""


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
    """Why and since when something is put aside, and what waits for its end.

    Nothing is asked of it until its time has come; then it is tried: the first failure puts it
    aside again, for longer, the first answer ends the hold. `failures` has the pauses.
    """

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


@dataclass(slots=True)
class Origin:
    """What is known of one origin; http and https of a host are two with one host key."""

    rules_until: float = 0.0
    """When its robots.txt must be read again; 0.0 where it was never read."""
    failing_since: float | None = None
    """Since when its robots.txt cannot be read."""
    why: str = ""
    """Why it could not be read last."""
    given_up: GivenUp | None = None
    """Why nothing more is asked of it; its URLs leave the frontier."""


class Answers:
    """Counts answers, be they error pages, and those that a host owes because it stalled."""

    __slots__ = ("_at_stall", "_count", "_first_failed", "_gave_way", "_owed", "_stalls", "ever")

    def __init__(self, *, ever: bool) -> None:
        self.ever = ever
        """Whether there was one in this crawl, of whatever kind, also in earlier runs."""
        self._count = self._at_stall = self._stalls = self._owed = self._gave_way = 0
        self._first_failed: dict[int, int] = {}
        """URL id -> how many answers there were when that page failed first."""

    @property
    def any(self) -> bool:
        """Whether it has said anything about a page in this run but that it is busy or broken."""
        return self._count > 0

    def add(self) -> None:
        """It has answered."""
        self.ever = True
        self._count += 1
        self._owed = max(0, self._owed - 1)

    def stall(self, *, gave_way: bool) -> None:
        """It has kept the crawl waiting: it is in good standing again after some answers.

        Their number doubles with every time. Where it `gave_way` it may only have been slow.
        """
        self._gave_way = self._gave_way + 1 if gave_way else 0
        self._stalls += 1
        self._owed = 2 ** min(self._stalls, MOST_STALLS)
        self._at_stall = self._count

    @property
    def reputation(self) -> Reputation:
        """What its answers and stalls in this run are worth; answers of earlier runs count as one.

        A stranger has never answered, or has not made up for its stalls.
        """
        if not self.ever or self._owed:
            return Reputation(0, self._gave_way)
        return Reputation(max(1, self._count - self._at_stall), self._gave_way)

    def miss(self, task: FetchTask) -> None:
        """A page has failed."""
        self._first_failed.setdefault(task.url_id, self._count)

    def vouch_against(self, task: FetchTask) -> bool:
        """Whether there were answers about others since this page failed first."""
        return self._count > self._first_failed.get(task.url_id, -1)

    def forget(self, task: FetchTask) -> None:
        """A page has ended."""
        self._first_failed.pop(task.url_id, None)


_NO_ERRANDS: deque[CheckRobots | LookFor] = deque()
"""What nearly every host has, shared by all: an empty deque of its own takes 760 bytes."""


class Place(Enum):
    """Where a host is; always one of these."""

    OUT = "out"
    """Nowhere: nothing may be asked of it, or it is on its way from one place to another."""
    SCHEDULED = "scheduled"
    """In the schedule, by when it may be asked."""
    IN_LINE = "in line"
    """At its IP address, which has as many requests under way as it may have."""
    HELD_BACK = "held back"
    """Until pages of its domain were read that wait for it (`crawler.frontier.politeness`)."""
    HELD = "held"
    """By a turn (Resolve, CheckRobots, Refill), whose answer lets it go."""


class Host:
    """One host key's queue and manners: two state machines.

    What concerns one thing about it is told to the part that keeps it: `answers` (its standing),
    `strikes` (failures in a row), `pace` (the pause, and answers 429), `queue`. What concerns more
    than one is told to the host itself.

    Where it is (`go`); every way leads through OUT:

        from       to         because
        ---------  ---------  ---------------------------------------------------------
        OUT        SCHEDULED  something may be asked of it
        SCHEDULED  OUT        its time has come
        OUT        IN_LINE    it was due, but its address has no room
        IN_LINE    OUT        its address has room again
        OUT        HELD_BACK  it was due, but too many pages of its domain wait to be read
        HELD_BACK  OUT        fewer do
        OUT        HELD       it became a Resolve, a CheckRobots or a Refill
        HELD       OUT        that turn was answered

    Whether it is worth asking:

        event     from            to        because
        --------  --------------  --------  ----------------------------------------------------
        answer    new, answered   answered  it has sent something, be it an error page
        answer    tried           answered  it is well again; what was put aside comes back
        strike    new, answered   the same  it failed; how often in a row is counted
        refuse    new, answered   answered  it said 429: its delay grows, and answers shorten it
        put_aside new, answered,  aside     too many failures in a row: nothing is asked of it
                  tried
        try_again aside           tried     its time has come, or nothing else is left to do
        give_up   an origin       given up  its URLs end without being asked for

    An origin whose robots.txt cannot be read, a part in which all fails, and a page that alone
    cannot be asked for are put aside in the same way, beside a host that goes on: `holds`, by the
    origin, the name of the part (`crawler.urls.editions`) or the URL. What is aside is
    tried first in the run that comes after.

    What its robots.txt says is known by origin: `know_rules`, `miss_rules`. While the file is
    asked for at another host it is `absent`, and that host has an errand (`send`, `run_errand`).
    Errands take turns with pages: while it has both, every second request is a page's.
    """

    __slots__ = (
        "_errand_ran", "_missed_since", "_waits_since", "absent", "address", "address_until",
        "answers", "due", "errands", "halted", "healed", "hold", "holds", "in_flight", "name",
        "origins", "pace", "place", "queue", "spent", "strikes", "waits",
    )  # fmt: skip

    def __init__(
        self, name: str, queue: HostQueue, *, due: float, delay_s: float, answered: bool
    ) -> None:
        self.name = name
        self.queue = queue
        self.place = Place.OUT
        self.due = due
        """No request before this time on the caller's clock."""
        self.pace = Pace(delay_s)
        self.in_flight = 0
        self.address: str | None = None
        self.address_until = 0.0
        """When the address must be looked up again."""
        self.answers = Answers(ever=answered)
        self.strikes = Strikes(name)
        self.hold: Hold | None = None
        """Why all of it is put aside, or being tried."""
        self.holds: dict[str, Hold] = {}
        """The same of origins, parts and pages."""
        self.healed: list[Hold] = []
        """Holds that have ended, and whose tasks are to be taken back."""
        self.absent = False
        """Its robots.txt is being asked for at another host: no page until that has answered."""
        self.spent = False
        """It has had as many pages, or bytes, as the job allows it."""
        self.waits = False
        """All that is left of it are predicted duplicates, for which there may be no pages left
        (`limits`): other hosts come first."""
        self.halted = False
        """Somebody who watches the crawl has stopped it: nothing is asked of it in this run."""
        self.origins: dict[str, Origin] = {}
        """Those that were asked for their robots.txt or given up, by name."""
        self.errands = _NO_ERRANDS
        """What it is to be asked for beside its pages: other hosts' robots.txt, places."""
        self._errand_ran = False
        self._missed_since: float | None = None
        self._waits_since: float | None = None

    def __repr__(self) -> str:
        flags = " parked" * self.parked + " absent" * self.absent + " answered" * self.answered
        return (
            f"<Host {self.name} {self.place.value}{flags} due={self.due:.2f} "
            f"delay_s={self.delay_s:g} in_flight={self.in_flight} strikes={self.strikes.in_a_row} "
            f"queue={len(self.queue)}+{self.queue.stored}>"
        )

    @property
    def delay_s(self) -> float:
        """The pause between two requests."""
        return self.pace.delay_s

    @property
    def answered(self) -> bool:
        """Whether it ever did in this crawl.

        What has answered is waited for longer, and never given up.
        """
        return self.answers.ever

    @property
    def parked(self) -> bool:
        """Whether all of it is put aside and is not being tried."""
        return self.hold is not None and not self.hold.open

    @property
    def is_held(self) -> bool:
        """Whether something of it is put aside, or being tried."""
        return self.hold is not None or bool(self.holds)

    def go(self, start: Place, end: Place) -> None:
        """Leave the place that it has, for another."""
        assert self.place is start, f"{self!r} cannot go from {start} to {end}"
        self.place = end

    def begin(self) -> None:
        """A request begins."""
        self.in_flight += 1
        self._errand_ran = False

    def owe(self, until: float) -> None:
        """It is left alone until then, or longer where that was owed already."""
        self.due = max(self.due, until)

    def answer(self, url: str | None = None) -> None:
        """It has answered, whatever it said: about this page, or about nothing in particular."""
        self.answers.add()
        self._missed_since = self._waits_since = None
        self.strikes.end()
        self.pace.refusals = 0
        if self.hold is not None:
            self.healed.append(self.hold)
            self.hold = None
        if url is not None and self.holds:
            for name in self._names_around(url):
                if (hold := self.holds.get(name)) and hold.open:
                    self.healed.append(self.holds.pop(name))

    def miss_answer(self, now: float) -> float:
        """It could not be looked up or reached; return since when nothing else was heard of it."""
        if self._missed_since is None:
            self._missed_since = now
        return self._missed_since

    def ask_to_wait(self, now: float) -> float:
        """It asks to be left alone for a while; return since when it has said nothing else."""
        if self._waits_since is None:
            self._waits_since = now
        return self._waits_since

    def strike(
        self, begun_at: float, now: float, task: FetchTask | None = None, *, of_part: bool = False
    ) -> int:
        """Count a failure that speaks against it; return how many came in a row (`Strikes.add`)."""
        self._missed_since = None
        if task is not None:
            self.answers.miss(task)
        return self.strikes.add(begun_at, now, task, of_part=of_part)

    def refuse(self, begun_at: float, now: float) -> int:
        """It answered 429: be slower; return how many such answers came in a row."""
        self.answers.ever = True
        return self.pace.refuse(begun_at, now)

    def put_aside(
        self,
        key: str | None,
        why: str,
        since: float,
        now: float,
        *,
        of_rules: bool = False,
        asked_s: float = 0.0,
    ) -> Hold:
        """Put aside an origin, a part or a page, or all of it (`key` None), which fails since then.

        `asked_s` is how long its server asked to be left alone.
        """
        hold = self.hold if key is None else self.holds.get(key)
        hold = hold or Hold(why, of_rules)
        hold.fail(why, since, now, asked_s)
        if key is None:
            self.hold = hold
        else:
            self.holds[key] = hold
            self.strikes.end_part()
        return hold

    def held_by(self, url: str) -> Hold | None:
        """Return what holds a URL back, or is being tried; all of the host before a part."""
        return self.hold or self.part_held(url)

    def part_held(self, url: str) -> Hold | None:
        """Return the hold of a URL, or of an origin or a part around it; closed ones first."""
        if not self.holds:
            return None
        found = [hold for name in self._names_around(url) if (hold := self.holds.get(name))]
        return min(found, key=lambda hold: hold.open, default=None)

    def _names_around(self, url: str) -> tuple[str, ...]:
        return (url, urls.origin(url), *subtrees(url, self.name)[:-1])

    @property
    def at_rest(self) -> bool:
        """Whether nothing may be asked of it, however long its last request is past."""
        idle = self.absent or self.parked or self.spent or self.waits
        return self.halted or (not self.errands and idle)

    @property
    def wants_nothing(self) -> bool:
        """Whether there is nothing to ask it now."""
        idle = not (self.errands or self.queue.wants_refill or len(self.queue))
        return idle or self.at_rest

    @property
    def given_up(self) -> GivenUp | None:
        """Why its first task is not asked for any more, if its origin was given up."""
        if not self.origins or not len(self.queue):
            return None
        known = self.origins.get(urls.origin(self.queue.first_url))
        return known.given_up if known else None

    @property
    def forgettable(self) -> bool:
        """Whether nothing about it is worth keeping once its pause has passed."""
        if not self.queue.idle or self.in_flight:
            return False
        if self.is_held or self.halted or self.pace.is_refused:
            return False
        return not any(o.given_up or o.failing_since is not None for o in self.origins.values())

    def has_had_rules(self, origin: str) -> bool:
        """Whether this origin has answered in this crawl.

        Of an earlier run its host is known, which stands for the first origin asked in this one.
        """
        known = [name for name, origin in self.origins.items() if origin.rules_until]
        return origin in known or (self.answered and not known)

    def needs_rules(self, origin: str, now: float) -> bool:
        """Whether the rules of an origin must be read before its next page."""
        known = self.origins.get(origin)
        return known is None or known.rules_until <= now

    def give_up(self, origin: str, given_up: GivenUp) -> None:
        """Ask this origin no more."""
        self._origin(origin).given_up = given_up

    def _origin(self, name: str) -> Origin:
        return self.origins.setdefault(name, Origin())

    def know_rules(self, origin: str, until: float, delay_s: float, *, fresh: bool) -> None:
        """The rules of an origin stand until then, and ask for this pause between requests.

        `fresh` is False where they stand because they cannot be read again (`miss_rules`).
        """
        known = self._origin(origin)
        known.rules_until = until
        if fresh:
            known.failing_since = self._missed_since = None
            known.why = ""
        self.answers.ever = True
        self.pace.base_s = delay_s
        if (hold := self.holds.pop(origin, None)) is not None:
            self.healed.append(hold)
        if self.hold is not None and self.hold.of_rules:
            self.healed.append(self.hold)
            self.hold = None

    def miss_rules(self, origin: str, now: float, why: str) -> float:
        """The robots.txt of an origin cannot be read; return since when it cannot."""
        self._missed_since, known = None, self._origin(origin)
        known.why = why
        if known.failing_since is None:
            known.failing_since = now
        return known.failing_since

    def send(self, errand: CheckRobots | LookFor) -> None:
        """Have it asked for another host's robots.txt, in turn with its own pages."""
        if self.errands is _NO_ERRANDS:
            self.errands = deque()
        self.errands.append(errand)

    @property
    def why_without_rules(self) -> str:
        """Why a robots.txt of it cannot be read; empty where all can."""
        return next((origin.why for origin in self.origins.values() if origin.why), "")

    @property
    def has_page_turn(self) -> bool:
        """Whether a page of its own comes before the next errand."""
        pages = len(self.queue) or self.queue.wants_refill
        free = not (self.absent or self.parked or self.spent or self.waits)
        return not self.errands or bool(free and pages and self._errand_ran)

    def run_errand(self) -> CheckRobots | LookFor:
        """Take the errand that came first."""
        self._errand_ran = True
        errand = self.errands.popleft()
        if not self.errands:
            self.errands = _NO_ERRANDS
        return errand
