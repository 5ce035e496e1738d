"""What follows for a host from what happened at it: its pauses, strikes and end, its robots.txt.

The bounds are those of `failures`; whether a URL is tried again is the frontier's own matter.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from crawler import urls
from crawler.frontier.failures import (
    FIRST_STRIKES,
    HOST_STRIKES,
    STALE_RULES_S,
    host_pause_s,
    no_answer_pause_s,
    patience_with,
    policy_of,
)
from crawler.frontier.host import Host, Place
from crawler.frontier.politeness import Politeness
from crawler.frontier.turns import CheckRobots, GivenUp
from crawler.records import (
    Failed,
    Failure,
    FetchOutcome,
    FetchTask,
    Obstacle,
    Postponed,
    RobotsAnswer,
    Skip,
    Skipped,
)

if TYPE_CHECKING:
    from crawler.config import Job

log = logging.getLogger(__name__)


class Outcomes:
    """Tells hosts what happened; gives back the slots that a request or a check had."""

    def __init__(self, politeness: Politeness, job: Job) -> None:
        self._politeness = politeness
        self._settings = job.politeness

    def page(
        self, task: FetchTask, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> None:
        """The request for a page has ended; None: it was cut short, which says nothing."""
        host = self._politeness[task.host]
        pause_s = self._pause_s(host, outcome, begun_at, now)
        self._politeness.free(host, now, max(pause_s, host.delay_s))

    def _pause_s(
        self, host: Host, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> float:
        """Return how long the host is left alone: what it asked for, or what it cannot do."""
        match outcome:
            case None | Skipped(reason=Skip.ROBOTS):
                return 0.0  # it was not asked, so this says nothing of it
            case Postponed():
                return self._wait_s(host, outcome, now)
            case Failed() if policy_of(outcome).host_strikes:
                strikes = host.strike(begun_at, now)
                self._end_host(host, outcome, strikes)
                return max(outcome.retry_after_s or 0.0, host_pause_s(outcome, strikes))
            case Failed():
                host.answer()
                return outcome.retry_after_s or 0.0
            case _:
                host.answer()
                return 0.0

    def _wait_s(self, host: Host, postponed: Postponed, now: float) -> float:
        """Return how long a host is left alone that could not be asked: it has done nothing.

        For this machine the dispatcher waits. A name that cannot be looked up may be one of many,
        so its host waits alone, and is parked where that lasts.
        """
        if postponed.obstacle is Obstacle.MACHINE:
            return 0.0
        waited_s = now - host.miss_answer(now)
        pause_s = no_answer_pause_s(waited_s)
        if waited_s + pause_s > self._settings.robots_wait_s:
            self._park(host, postponed.detail)
        return pause_s

    def _end_host(self, host: Host, failed: Failed, strikes: int) -> None:
        """Ask a host no more after many failures in a row, or few where it never answered."""
        if host.answered:
            if strikes >= HOST_STRIKES:
                self._park(host, f"{strikes} failures in a row")
        elif strikes >= FIRST_STRIKES:
            detail = f"the host never answered: {strikes} failures, the last one {failed.failure}"
            given_up = GivenUp(Failure.HOST_UNREACHABLE, detail)
            self._give_up(host, urls.origin(failed.task.url), given_up)

    def robots(self, turn: CheckRobots, answer: RobotsAnswer, begun_at: float, now: float) -> None:
        """A check of robots.txt that began at `begun_at` has ended."""
        asked, asker = self._politeness[turn.host], self._politeness[turn.asker]
        asker.come_back()
        if answer.postponed is not None:
            pause_s = max(self._wait_s(asked, answer.postponed, now), asked.delay_s)
            if asked.parked:
                asker.park()
        elif answer.known:
            pause_s = self._know_rules(asker, turn.origin, answer, now)
            if answer.requested:
                pause_s = max(pause_s, asked.delay_s)
        elif answer.failure is not None:
            pause_s = self._miss_rules(asker, turn.origin, answer.failure, begun_at, now)
            pause_s = max(pause_s, asked.delay_s)
        else:
            pause_s = asked.delay_s
        asked.go(Place.HELD, Place.OUT)
        self._politeness.free(asked, now, pause_s)
        self._politeness.place(asker)
        if answer.moved_to is not None:
            self._send(turn, answer.moved_to)
        elif answer.postponed is not None and asked is not asker and not asked.parked:
            self._send(turn, asked.name)

    def _know_rules(self, host: Host, origin: str, answer: RobotsAnswer, now: float) -> float:
        """There are rules, be they old ones; return for how long a server asked to wait."""
        delay_s = max(self._settings.delay_s, answer.crawl_delay_s or 0.0)
        until, failed = answer.expires_at, answer.failure
        if failed is not None:
            until = now + STALE_RULES_S
            host.miss_rules(origin, now)
        host.know_rules(origin, until, delay_s, fresh=failed is None)
        if answer.requested:
            host.owe(now + delay_s)
        return failed.retry_after_s or 0.0 if failed else 0.0

    def _miss_rules(
        self, host: Host, origin: str, failed: Failed, begun_at: float, now: float
    ) -> float:
        """There are no rules; return how long to wait. At the end of patience nothing is asked."""
        limit_s, known = self._settings.robots_wait_s, host.has_had_rules(origin)
        patience = patience_with(failed, origin, limit_s, known=known, took_s=now - begun_at)
        since = host.miss_rules(origin, now)
        if now + patience.retry_in_s - since > patience.patience_s:
            if patience.given_up is None:
                self._park(host, f"its robots.txt cannot be read: {failed.detail}")
            else:
                self._give_up(host, origin, patience.given_up)
        host.owe(now + patience.retry_in_s)
        return patience.retry_in_s

    def _send(self, turn: CheckRobots, to: str) -> None:
        """The file redirects to another host, which is asked when its own turn comes."""
        self._politeness[turn.asker].leave()
        target = self._politeness.host(to)
        target.send(CheckRobots(to, turn.origin, turn.asker))
        self._politeness.place(target)

    def _give_up(self, host: Host, origin: str, given_up: GivenUp) -> None:
        log.info("%s is given up: %s", origin, given_up.detail)
        host.give_up(origin, given_up)

    def _park(self, host: Host, why: str) -> None:
        log.info("%s is parked: %s", host.name, why)
        host.park()
