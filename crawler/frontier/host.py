"""One host while it has URLs: where it is, how polite to be, whether it is worth asking."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from math import inf

from crawler import urls
from crawler.frontier.failures import HASTEN_STEPS, MOST_STALLS, slower_s
from crawler.frontier.holds import Hold
from crawler.frontier.host_queue import HostQueue
from crawler.frontier.traps.naming import subtrees
from crawler.frontier.turns import CheckRobots, GivenUp
from crawler.records import FetchTask


class Place(Enum):
    """Where a host is; always one of these."""

    OUT = "out"
    """Nowhere: nothing may be asked of it, or it is on its way from one place to another."""
    SCHEDULED = "scheduled"
    """In the schedule, by when it may be asked."""
    IN_LINE = "in line"
    """At its IP address, which has as many requests under way as it may have."""
    HELD_BACK = "held back"
    """Until pages of its domain were read that wait for it (`crawler.frontier.unread`)."""
    HELD = "held"
    """By a turn (Resolve, CheckRobots, Refill), whose answer lets it go."""


@dataclass(slots=True)
class Origin:
    """What is known of one origin; http and https of a host are two with one host key."""

    rules_until: float = 0.0
    """When its robots.txt must be read again; 0.0 where it was never read."""
    failing_since: float | None = None
    """Since when its robots.txt cannot be read."""
    given_up: GivenUp | None = None
    """Why nothing more is asked of it; its URLs leave the frontier."""


class Host:
    """One host key's queue and manners: two state machines. Only its own methods change a host.

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

    An origin whose robots.txt cannot be read, and a part in which all fails, are put aside in the
    same way, beside a host that goes on: `holds`, by the origin or the name of the part
    (`crawler.frontier.traps.naming`). What is aside is tried first in the run that comes after.

    What its robots.txt says is known by origin: `know_rules`, `miss_rules`. While the file is
    asked for at another host it is `absent`, and that host has an errand (`send`, `run_errand`).
    Errands take turns with pages: while it has both, every second request is a page's.
    """

    __slots__ = (
        "_answers",
        "_answers_at_stall",
        "_common",
        "_common_since",
        "_errand_ran",
        "_errands",
        "_first_failed",
        "_missed_since",
        "_owed_answers",
        "_refused_at",
        "_row",
        "_since_part",
        "_slow_s",
        "_stalls",
        "_step_s",
        "_struck_at",
        "_waits_since",
        "absent",
        "address",
        "address_until",
        "answered",
        "base_delay_s",
        "due",
        "failing_since",
        "healed",
        "hold",
        "holds",
        "in_flight",
        "name",
        "origins",
        "place",
        "queue",
        "refusals",
        "strikes",
    )  # fmt: skip

    def __init__(
        self, name: str, queue: HostQueue, *, due: float, delay_s: float, answered: bool
    ) -> None:
        self.name = name
        self.queue = queue
        self.place = Place.OUT
        self.due = due
        """No request before this time on the caller's clock."""
        self.base_delay_s = delay_s
        """The pause between two requests that the job or its robots.txt asks for."""
        self.in_flight = 0
        self.address: str | None = None
        self.address_until = 0.0
        """When the address must be looked up again."""
        self.answered = answered
        """Whether it ever did in this crawl: what has answered is waited for longer, and never
        given up."""
        self.strikes = 0
        """Failures in a row that speak against it; of requests under way together one counts."""
        self.failing_since = 0.0
        """When the first of the strikes was."""
        self._since_part = 0
        self.refusals = 0
        """Answers 429 in a row."""
        self.hold: Hold | None = None
        """Why all of it is put aside, or being tried."""
        self.holds: dict[str, Hold] = {}
        """The same of origins and parts."""
        self.healed: list[Hold] = []
        """Holds that have ended, and whose tasks are to be taken back."""
        self.absent = False
        """Its robots.txt is being asked for at another host: no page until that has answered."""
        self.origins: dict[str, Origin] = {}
        self._errands: deque[CheckRobots] = deque()
        self._errand_ran = False
        self._struck_at = self._refused_at = -inf
        self._missed_since: float | None = None
        self._waits_since: float | None = None
        self._stalls = self._owed_answers = 0
        self._slow_s = self._step_s = 0.0
        self._row: set[int] = set()
        self._answers = self._answers_at_stall = 0
        self._first_failed: dict[int, int] = {}
        self._common: tuple[str, ...] | None = None
        self._common_since: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        flags = " parked" * self.parked + " absent" * self.absent + " answered" * self.answered
        return (
            f"<Host {self.name} {self.place.value}{flags} due={self.due:.2f} "
            f"delay_s={self.delay_s:g} in_flight={self.in_flight} strikes={self.strikes} "
            f"queue={len(self.queue)}+{self.queue.stored}>"
        )

    @property
    def delay_s(self) -> float:
        """The pause between two requests."""
        return max(self.base_delay_s, self._slow_s)

    @property
    def slow_s(self) -> float:
        """What refusals have made of that pause; 0.0 where it is as it was."""
        return self._slow_s if self._slow_s > self.base_delay_s else 0.0

    @property
    def parked(self) -> bool:
        """Whether all of it is put aside and is not being tried."""
        return self.hold is not None and not self.hold.open

    @property
    def is_held(self) -> bool:
        """Whether something of it is put aside, or being tried."""
        return self.hold is not None or bool(self.holds)

    @property
    def has_answered_pages(self) -> bool:
        """Whether it has said anything about a page in this run but that it is busy or broken."""
        return self._answers > 0

    def go(self, start: Place, end: Place) -> None:
        """Leave the place that it has, for another."""
        assert self.place is start, f"{self!r} cannot go from {start} to {end}"
        self.place = end

    def found_at(self, address: str, until: float) -> None:
        """Its address is known until then."""
        self.address = address
        self.address_until = until

    def begin(self) -> None:
        """A request begins."""
        self.in_flight += 1
        self._errand_ran = False

    def end(self) -> None:
        """A request has ended."""
        self.in_flight -= 1

    def owe(self, until: float) -> None:
        """It is left alone until then, or longer where that was owed already."""
        self.due = max(self.due, until)

    def answer(self, url: str | None = None) -> None:
        """It has answered, whatever it said: about this page, or about nothing in particular."""
        self.answered = True
        self._missed_since = None
        self._answers += 1
        self._owed_answers = max(0, self._owed_answers - 1)
        self._end_row()
        self._heal(self.hold)
        self.hold = None
        if url is not None and self.holds:
            for name in self._names_around(url):
                if (hold := self.holds.get(name)) and hold.open:
                    self._heal(self.holds.pop(name))

    def stall(self) -> None:
        """It has kept the crawl waiting: it is in good standing again after some answers.

        Their number doubles with every time.
        """
        self._stalls += 1
        self._owed_answers = 2 ** min(self._stalls, MOST_STALLS)
        self._answers_at_stall = self._answers

    @property
    def standing(self) -> int:
        """How often it has answered in this run since it last stalled, one for earlier runs.

        Zero for a stranger: one that never answered, or has not made up for its stalls.
        """
        if not self.answered or self._owed_answers:
            return 0
        return max(1, self._answers - self._answers_at_stall)

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

    def _heal(self, hold: Hold | None) -> None:
        if hold is not None:
            self.healed.append(hold)

    def _end_row(self) -> None:
        self.strikes = self._since_part = self.refusals = 0
        self._waits_since = None
        self._row.clear()
        self._common = self._common_since = None

    def strike(
        self, begun_at: float, now: float, task: FetchTask | None = None, *, of_part: bool = False
    ) -> int:
        """Count a failure that speaks against it; return how many came in a row.

        A request that had begun before the last strike says nothing new: all that are under way
        when a server goes down fail together, and are one outage. Nor does a page that fails again,
        of so few that they may fail for themselves.
        """
        self._missed_since = None
        again = of_part and task is not None and task.url_id in self._row and len(self._row) < 3
        if begun_at >= self._struck_at and not again:
            if not self.strikes:
                self.failing_since = now
            self.strikes += 1
            self._since_part += 1
            self._struck_at = now
        if task is not None:
            self._first_failed.setdefault(task.url_id, self._answers)
            self._row.add(task.url_id)
            names = subtrees(task.url, self.name)[:-1]
            self._common = _shared(self._common, names)
            self._common_since = _shared(self._common_since, names)
        return self.strikes

    def vouched_against(self, task: FetchTask) -> bool:
        """Whether it has answered about others since this page failed first."""
        return self._answers > self._first_failed.get(task.url_id, -1)

    def forget(self, task: FetchTask) -> None:
        """A page has ended."""
        self._first_failed.pop(task.url_id, None)

    def failing_part(self, strikes: int) -> str | None:
        """Return the narrowest part in which the last failures were, if so many strikes were."""
        if self._since_part < strikes or not self._common_since:
            return None
        part = self._common_since[0]
        return None if part == f"{self.name}/" else part

    @property
    def fails_widely(self) -> bool:
        """Whether different parts of it failed in this row."""
        return not self._common or self._common[0] == f"{self.name}/"

    def refuse(self, begun_at: float, now: float) -> int:
        """It answered 429: be slower; return how many such answers came in a row.

        As with strikes, those under way together are one.
        """
        self.answered = True
        if begun_at >= self._refused_at:
            self.refusals += 1
            self._refused_at = now
            self.slow_down(slower_s(self.delay_s))
        return self.refusals

    def slow_down(self, delay_s: float) -> None:
        """Pause so long between two requests, and less with every answer from now on."""
        self._slow_s = delay_s
        self._step_s = delay_s / HASTEN_STEPS

    def hasten(self) -> None:
        """It has answered: be a little less slow."""
        if self._slow_s:
            self._slow_s = max(0.0, self._slow_s - self._step_s)

    def give_up(self, origin: str, given_up: GivenUp) -> None:
        """Ask this origin no more."""
        self._origin(origin).given_up = given_up

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
        """Put aside an origin or a part, or all of it (`key` None), which fails since then.

        `asked_s` is how long its server asked to be left alone.
        """
        hold = self.hold if key is None else self.holds.get(key)
        hold = hold or Hold(why, of_rules)
        hold.fail(why, since, now, asked_s)
        if key is None:
            self.hold = hold
        else:
            self.holds[key] = hold
            self._since_part, self._common_since = 0, None
        return hold

    def held_by(self, url: str) -> Hold | None:
        """Return what holds a URL back, or is being tried; all of the host before a part."""
        return self.hold or self.part_held(url)

    def part_held(self, url: str) -> Hold | None:
        """Return the hold of an origin or a part that a URL lies in; one that is closed first."""
        if not self.holds:
            return None
        found = [hold for name in self._names_around(url) if (hold := self.holds.get(name))]
        return min(found, key=lambda hold: hold.open, default=None)

    def _names_around(self, url: str) -> tuple[str, ...]:
        return (urls.origin(url), *subtrees(url, self.name)[:-1])

    @property
    def at_rest(self) -> bool:
        """Whether nothing may be asked of it, however long its last request is past."""
        return not self._errands and (self.absent or self.parked)

    @property
    def wants_nothing(self) -> bool:
        """Whether there is nothing to ask it now."""
        idle = not (self._errands or self.queue.wants_refill or len(self.queue))
        return idle or self.at_rest

    @property
    def given_up(self) -> GivenUp | None:
        """Why its first task is not asked for any more, if its origin was given up."""
        if not self.origins or not len(self.queue):
            return None
        known = self.origins.get(urls.origin(self.queue.peek().url))
        return known.given_up if known else None

    @property
    def forgettable(self) -> bool:
        """Whether nothing about it is worth keeping once its pause has passed."""
        known = any(o.given_up or o.failing_since is not None for o in self.origins.values())
        known = known or self.is_held or self.slow_s > 0
        return self.queue.idle and not self.in_flight and not known

    # ----------------------------------------------------------------------------------------------
    # Its robots.txt, and those of others that lead here

    def needs_rules(self, origin: str, now: float) -> bool:
        """Whether the rules of an origin must be read before its next page."""
        known = self.origins.get(origin)
        return known is None or known.rules_until <= now

    def has_had_rules(self, origin: str) -> bool:
        """Whether this origin has answered in this crawl.

        Of an earlier run its host is known, which stands for the first origin asked in this one.
        """
        known = [name for name, origin in self.origins.items() if origin.rules_until]
        return origin in known or (self.answered and not known)

    def know_rules(self, origin: str, until: float, delay_s: float, *, fresh: bool) -> None:
        """The rules of an origin stand until then, and ask for this pause between requests.

        `fresh` is False where they stand because they cannot be read again (`miss_rules`).
        """
        known = self._origin(origin)
        known.rules_until = until
        if fresh:
            known.failing_since = None
            self._missed_since = None
        self.answered = True
        self.base_delay_s = delay_s
        self._heal(self.holds.pop(origin, None))
        if self.hold is not None and self.hold.of_rules:
            self._heal(self.hold)
            self.hold = None

    def miss_rules(self, origin: str, now: float) -> float:
        """The robots.txt of an origin cannot be read; return since when it cannot."""
        known = self._origin(origin)
        self._missed_since = None
        if known.failing_since is None:
            known.failing_since = now
        return known.failing_since

    def leave(self) -> None:
        """Its robots.txt redirects to another host, which is asked when its turn comes."""
        self.absent = True

    def come_back(self) -> None:
        """The other host was asked."""
        self.absent = False

    def send(self, errand: CheckRobots) -> None:
        """Have it asked for another host's robots.txt, in turn with its own pages."""
        self._errands.append(errand)

    @property
    def has_errands(self) -> bool:
        """Whether it is to be asked for another host's robots.txt."""
        return bool(self._errands)

    @property
    def has_page_turn(self) -> bool:
        """Whether a page of its own comes before the next errand."""
        pages = len(self.queue) or self.queue.wants_refill
        free = not (self.absent or self.parked)
        return not self._errands or bool(free and pages and self._errand_ran)

    def run_errand(self) -> CheckRobots:
        """Take the errand that came first."""
        self._errand_ran = True
        return self._errands.popleft()

    def _origin(self, name: str) -> Origin:
        return self.origins.setdefault(name, Origin())


def _shared(common: tuple[str, ...] | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is in both, in order; all of `names` where there was nothing before."""
    return names if common is None else tuple(name for name in common if name in names)
