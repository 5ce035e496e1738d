"""What a host does with its turn: what must be known and done before a page is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler import urls
from crawler.frontier.depths import Depths
from crawler.frontier.host import Host, Place
from crawler.frontier.politeness import Politeness
from crawler.frontier.sieve import Sieve
from crawler.frontier.traps import TrapRule
from crawler.frontier.turns import Abandon, CheckRobots, Refill, Resolve, Turn

if TYPE_CHECKING:
    from crawler.config import Job


class HostTurns:
    """Makes turns of hosts that are due, and counts the pages that may still be asked for."""

    def __init__(
        self,
        job: Job,
        politeness: Politeness,
        sieve: Sieve,
        traps: TrapRule,
        depths: Depths,
        pages_left: int | None,
    ) -> None:
        self._politeness = politeness
        self._sieve = sieve
        self._traps = traps
        self._depths = depths
        self._obeys_robots = job.politeness.robots
        self._pages_left = pages_left

    @property
    def over(self) -> bool:
        """Whether no more pages may be asked for."""
        return self._pages_left == 0

    def refund_page(self) -> None:
        """A task that counted against the page limit brought no page."""
        if self._pages_left is not None:
            self._pages_left += 1

    def turn(self, host: Host, now: float) -> Turn | None:
        """Return the turn of a host that is due and OUT; None where it has nothing to do now."""
        if host.at_rest:
            self._politeness.pass_on(host)
            return None
        pages = host.has_page_turn or host.given_up is not None
        if pages and (turn := self._before_page(host, now)) is not None:
            return turn
        if host.due > now:  # it had a place before its time only to give pages up
            self._politeness.place(host)
            return None
        if not host.has_errands and not len(host.queue):
            self._politeness.forget_idle(host)
            self._politeness.pass_on(host)
            return None
        if host.has_page_turn and self._politeness.hold_back(host):
            return None
        if host.address_until <= now and not host.in_flight:
            host.go(Place.OUT, Place.HELD)
            return Resolve(host.name)
        return self._request(host, now)

    def _before_page(self, host: Host, now: float) -> Refill | Abandon | None:
        """Return what is to be done before a page is asked for, be it the first in line or not."""
        self._sieve.hold_back(host)
        if host.queue.wants_refill:
            host.go(Place.OUT, Place.HELD)
            return Refill(host.name, *host.queue.begin_refill(self._politeness.room.left))
        abandon = self._sieve.abandon(host, now)
        if abandon is not None:
            self._politeness.place(host)
        return abandon

    def _request(self, host: Host, now: float) -> Turn | None:
        errand = not host.has_page_turn
        if not self._politeness.occupy(host):
            return None
        if errand:
            host.go(Place.OUT, Place.HELD)
            return host.run_errand()
        origin = urls.origin(host.queue.first_url)
        if self._obeys_robots and host.origins.need_rules(origin, now):
            host.go(Place.OUT, Place.HELD)
            return CheckRobots(host.name, origin, host.name)
        if self._pages_left is not None:
            self._pages_left -= 1
        host.owe(now + host.delay_s)
        task = host.queue.pop()
        self._traps.begin(task)
        self._politeness.place(host)
        return self._depths.of(task)
