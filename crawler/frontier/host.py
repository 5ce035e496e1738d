"""One host while it has URLs: where it is, how polite to be, whether it is worth asking."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from math import inf

from crawler import urls
from crawler.frontier.host_queue import HostQueue
from crawler.frontier.turns import CheckRobots, GivenUp


class Place(Enum):
    """Where a host is; always one of these."""

    OUT = "out"
    """Nowhere: nothing may be asked of it, or it is on its way from one place to another."""
    SCHEDULED = "scheduled"
    """In the schedule, by when it may be asked."""
    IN_LINE = "in line"
    """At its IP address, which has as many requests under way as it may have."""
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
        OUT        HELD       it became a Resolve, a CheckRobots or a Refill
        HELD       OUT        that turn was answered

    Whether it is worth asking:

        event    from           to        because
        -------  -------------  --------  -----------------------------------------------
        answer   new, answered  answered  it has sent something, be it an error page
        strike   new, answered  the same  it failed; how often in a row is counted
        give_up  an origin      given up  its URLs end without being asked for
        park     answered       parked    nothing more in this run; its URLs stay pending

    What its robots.txt says is known by origin: `know_rules`, `miss_rules`. While the file is
    asked for at another host it is `absent`, and that host has an errand (`send`, `run_errand`).
    """

    __slots__ = (
        "_errands", "_missed_since", "_struck_at", "absent", "address", "address_until", "answered",
        "delay_s", "due", "in_flight", "name", "origins", "parked", "place", "queue", "strikes",
    )  # fmt: skip

    def __init__(
        self, name: str, queue: HostQueue, *, due: float, delay_s: float, answered: bool
    ) -> None:
        self.name = name
        self.queue = queue
        self.place = Place.OUT
        self.due = due
        """No request before this time on the caller's clock."""
        self.delay_s = delay_s
        """The pause between two requests."""
        self.in_flight = 0
        self.address: str | None = None
        self.address_until = 0.0
        """When the address must be looked up again."""
        self.answered = answered
        """Whether it ever did in this crawl: what has answered is waited for longer."""
        self.strikes = 0
        """Failures in a row that speak against it; of requests under way together one counts."""
        self.parked = False
        self.absent = False
        """Its robots.txt is being asked for at another host: no page until that has answered."""
        self.origins: dict[str, Origin] = {}
        self._errands: deque[CheckRobots] = deque()
        self._struck_at = -inf
        self._missed_since: float | None = None

    def __repr__(self) -> str:
        flags = " parked" * self.parked + " absent" * self.absent + " answered" * self.answered
        return (
            f"<Host {self.name} {self.place.value}{flags} due={self.due:.2f} "
            f"delay_s={self.delay_s:g} in_flight={self.in_flight} strikes={self.strikes} "
            f"queue={len(self.queue)}+{self.queue.stored}>"
        )

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

    def end(self) -> None:
        """A request has ended."""
        self.in_flight -= 1

    def owe(self, until: float) -> None:
        """It is left alone until then, or longer where that was owed already."""
        self.due = max(self.due, until)

    def answer(self) -> None:
        """It has answered, whatever it said."""
        self.answered = True
        self.strikes = 0
        self._missed_since = None

    def miss_answer(self, now: float) -> float:
        """It could not be looked up or reached; return since when nothing else was heard of it."""
        if self._missed_since is None:
            self._missed_since = now
        return self._missed_since

    def strike(self, begun_at: float, now: float) -> int:
        """Count a failure that speaks against it; return how many came in a row.

        A request that had begun before the last strike says nothing new: all that are under way
        when a server goes down fail together, and are one outage.
        """
        self._missed_since = None
        if begun_at >= self._struck_at:
            self.strikes += 1
            self._struck_at = now
        return self.strikes

    def give_up(self, origin: str, given_up: GivenUp) -> None:
        """Ask this origin no more."""
        self._origin(origin).given_up = given_up

    def park(self) -> None:
        """Ask it no more in this run."""
        self.parked = True

    @property
    def at_rest(self) -> bool:
        """Whether nothing may be asked of it, however long its last request is past."""
        return not self._errands and (self.absent or self.parked)

    @property
    def given_up(self) -> GivenUp | None:
        """Why its first task is not asked for any more, if its origin was given up."""
        if self._errands or not self.origins or not len(self.queue):
            return None
        known = self.origins.get(urls.origin(self.queue.peek().url))
        return known.given_up if known else None

    @property
    def forgettable(self) -> bool:
        """Whether nothing about it is worth keeping once its pause has passed."""
        known = any(o.given_up or o.failing_since is not None for o in self.origins.values())
        return self.queue.idle and not self.in_flight and not known

    # ----------------------------------------------------------------------------------------------
    # Its robots.txt, and those of others that lead here

    def needs_rules(self, origin: str, now: float) -> bool:
        """Whether the rules of an origin must be read before its next page."""
        known = self.origins.get(origin)
        return known is None or known.rules_until <= now

    def has_had_rules(self, origin: str) -> bool:
        """Whether this origin has answered in this crawl; of an earlier run its host is known."""
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
        self.delay_s = delay_s

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
        """Have it asked for another host's robots.txt, before its own pages."""
        self._errands.append(errand)

    @property
    def has_errands(self) -> bool:
        """Whether it is to be asked for another host's robots.txt."""
        return bool(self._errands)

    def run_errand(self) -> CheckRobots:
        """Take the errand that came first."""
        return self._errands.popleft()

    def _origin(self, name: str) -> Origin:
        return self.origins.setdefault(name, Origin())
