"""One host while it has URLs.

Where it is, how polite to be, what it has answered, and whether it is worth asking.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from crawler import urls
from crawler.frontier.backoff import Hold, Pace, Strikes
from crawler.frontier.failures import MOST_STALLS
from crawler.frontier.queue import HostQueue
from crawler.frontier.turns import CheckRobots, GivenUp
from crawler.models import FetchTask, Reputation
from crawler.urls.editions import subtrees

# ---------------------------------------------------------------- origins
# The origins of one host: until when their rules stand, and which are asked no more.


@dataclass(slots=True)
class Origin:
    """What is known of one origin; http and https of a host are two with one host key."""

    rules_until: float = 0.0
    """When its robots.txt must be read again; 0.0 where it was never read."""
    failing_since: float | None = None
    """Since when its robots.txt cannot be read."""
    given_up: GivenUp | None = None
    """Why nothing more is asked of it; its URLs leave the frontier."""


class Origins:
    """What is known of each origin that was asked for its robots.txt or given up, by name."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, Origin] = {}

    def __getitem__(self, name: str) -> Origin:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    @property
    def read(self) -> list[str]:
        """Those that have answered in this run."""
        return [name for name, origin in self._known.items() if origin.rules_until]

    @property
    def in_trouble(self) -> bool:
        """Whether one was given up, or has rules that cannot be read."""
        return any(o.given_up or o.failing_since is not None for o in self._known.values())

    def need_rules(self, name: str, now: float) -> bool:
        """Whether the rules of an origin must be read before its next page."""
        known = self._known.get(name)
        return known is None or known.rules_until <= now

    def know_rules(self, name: str, until: float, *, fresh: bool) -> None:
        """The rules of an origin stand until then; not `fresh`: they cannot be read again."""
        known = self._origin(name)
        known.rules_until = until
        if fresh:
            known.failing_since = None

    def miss_rules(self, name: str, now: float) -> float:
        """The robots.txt of an origin cannot be read; return since when it cannot."""
        known = self._origin(name)
        if known.failing_since is None:
            known.failing_since = now
        return known.failing_since

    def give_up(self, name: str, given_up: GivenUp) -> None:
        """Ask this origin no more."""
        self._origin(name).given_up = given_up

    def given_up(self, url: str) -> GivenUp | None:
        """Return why a URL is not asked for any more, if its origin was given up."""
        known = self._known.get(urls.origin(url)) if self._known else None
        return known.given_up if known else None

    def _origin(self, name: str) -> Origin:
        return self._known.setdefault(name, Origin())


# ---------------------------------------------------------------- answers
# What one host has answered in this run, and what that is worth: its reputation.


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


# ---------------------------------------------------------------- host
# One host while it has URLs: where it is, how polite to be, whether it is worth asking.


_NO_ERRANDS: deque[CheckRobots] = deque()
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
    """One host key's queue and manners: two state machines. Only methods change a host.

    What concerns one thing about it is told to the part that keeps it: `answers` (its standing),
    `strikes` (failures in a row), `pace` (the pause, and answers 429), `origins` (each one's rules
    and end), `queue`. What concerns more than one is told to the host itself.

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
        "_errand_ran", "_errands", "_missed_since", "_waits_since", "absent", "address",
        "address_until", "answers", "due", "halted", "healed", "hold", "holds", "in_flight", "name",
        "origins", "pace", "place", "queue", "spent", "strikes",
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
        self.halted = False
        """Somebody who watches the crawl has stopped it: nothing is asked of it in this run."""
        self.origins = Origins()
        self._errands = _NO_ERRANDS
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
        self.answers.add()
        self._missed_since = None
        self._end_row()
        self._heal(self.hold)
        self.hold = None
        if url is not None and self.holds:
            for name in self._names_around(url):
                if (hold := self.holds.get(name)) and hold.open:
                    self._heal(self.holds.pop(name))

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
        self.strikes.end()
        self.pace.refusals = 0
        self._waits_since = None

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
        return self.halted or (not self._errands and (self.absent or self.parked or self.spent))

    @property
    def wants_nothing(self) -> bool:
        """Whether there is nothing to ask it now."""
        idle = not (self._errands or self.queue.wants_refill or len(self.queue))
        return idle or self.at_rest

    @property
    def given_up(self) -> GivenUp | None:
        """Why its first task is not asked for any more, if its origin was given up."""
        return self.origins.given_up(self.queue.first_url) if len(self.queue) else None

    @property
    def forgettable(self) -> bool:
        """Whether nothing about it is worth keeping once its pause has passed."""
        known = self.origins.in_trouble or self.is_held or self.halted or self.pace.is_refused
        return self.queue.idle and not self.in_flight and not known

    # ----------------------------------------------------------------------------------------------
    # Its robots.txt, and those of others that lead here

    def has_had_rules(self, origin: str) -> bool:
        """Whether this origin has answered in this crawl.

        Of an earlier run its host is known, which stands for the first origin asked in this one.
        """
        known = self.origins.read
        return origin in known or (self.answered and not known)

    def know_rules(self, origin: str, until: float, delay_s: float, *, fresh: bool) -> None:
        """The rules of an origin stand until then, and ask for this pause between requests.

        `fresh` is False where they stand because they cannot be read again (`miss_rules`).
        """
        self.origins.know_rules(origin, until, fresh=fresh)
        if fresh:
            self._missed_since = None
        self.answers.ever = True
        self.pace.base_s = delay_s
        self._heal(self.holds.pop(origin, None))
        if self.hold is not None and self.hold.of_rules:
            self._heal(self.hold)
            self.hold = None

    def miss_rules(self, origin: str, now: float) -> float:
        """The robots.txt of an origin cannot be read; return since when it cannot."""
        self._missed_since = None
        return self.origins.miss_rules(origin, now)

    def leave(self) -> None:
        """Its robots.txt redirects to another host, which is asked when its turn comes."""
        self.absent = True

    def come_back(self) -> None:
        """The other host was asked."""
        self.absent = False

    def send(self, errand: CheckRobots) -> None:
        """Have it asked for another host's robots.txt, in turn with its own pages."""
        if self._errands is _NO_ERRANDS:
            self._errands = deque()
        self._errands.append(errand)

    @property
    def has_errands(self) -> bool:
        """Whether it is to be asked for another host's robots.txt."""
        return bool(self._errands)

    @property
    def has_page_turn(self) -> bool:
        """Whether a page of its own comes before the next errand."""
        pages = len(self.queue) or self.queue.wants_refill
        free = not (self.absent or self.parked or self.spent)
        return not self._errands or bool(free and pages and self._errand_ran)

    def run_errand(self) -> CheckRobots:
        """Take the errand that came first."""
        self._errand_ran = True
        errand = self._errands.popleft()
        if not self._errands:
            self._errands = _NO_ERRANDS
        return errand
