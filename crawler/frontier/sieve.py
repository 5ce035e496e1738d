"""What of a host's queue is not asked for: cut, put aside, given up, forbidden, out of bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from crawler import urls
from crawler.frontier.filters import UrlFilters
from crawler.frontier.host import Host
from crawler.frontier.host_queue import key_of
from crawler.frontier.politeness import Politeness
from crawler.frontier.scope import ScopeFilter
from crawler.frontier.traps import TrapRule
from crawler.frontier.turns import Abandon, GivenUp, Refill
from crawler.records import FetchTask, Priority, Skip

if TYPE_CHECKING:
    from crawler.config import Job

FORBIDDEN_AT_ONCE = 100
"""URLs that robots.txt forbids in one turn."""


class Sieve:
    """Takes tasks out of queues without a request, and keeps others from coming in again."""

    def __init__(
        self,
        job: Job,
        politeness: Politeness,
        scope: ScopeFilter,
        traps: TrapRule,
        filters: UrlFilters,
        first_id: int,
    ) -> None:
        """`filters` were asked about URLs from the number `first_id` on when these were queued."""
        self._filters = filters
        self._first_id = first_id
        self._politeness = politeness
        self._scope = scope
        self._traps = traps
        self._max_depth = job.limits.depth
        self._obeys_robots = job.politeness.robots
        self.allowed: Callable[[str], bool] = lambda url: True
        """Whether known rules allow a URL; what they forbid ends without a request."""

    def abandon(self, host: Host, now: float) -> Abandon | None:
        """Take out first tasks that end unasked: given up, or forbidden. None: there are none."""
        if (given_up := host.given_up) is not None:
            return Abandon(host.name, self._given_up(host, given_up), given_up)
        if forbidden := self._forbidden(host, now):
            return Abandon(host.name, forbidden, GivenUp(Skip.ROBOTS, "disallowed by robots.txt"))
        return None

    def hold_back(self, host: Host) -> None:
        """Leave what lies in a cut subtree, or is put aside, up to the first task that does not."""
        while len(host.queue):
            task = host.queue.peek()
            hold = host.part_held(task.url)
            if hold is not None and not hold.open:
                host.queue.pop()
                if task.attempt or task.refused:  # what the store does not know waits in memory
                    hold.tasks.append(task)
                else:
                    host.queue.settle(task)
                    hold.left += 1
            elif self._traps.holds_back(task):
                host.queue.settle(host.queue.pop())
            else:
                return

    def refilled(self, turn: Refill, tasks: list[FetchTask]) -> list[FetchTask]:
        """Queue the store's tasks, in key order, at most `turn.limit`.

        Return those that a changed job no longer admits.
        """
        host = self._politeness[turn.host]
        admitted = [task for task in tasks if self._admits(task)]
        free = [task for task in admitted if self._is_free(host, task)]
        host.queue.end_refill(free, None if len(tasks) < turn.limit else key_of(tasks[-1]))
        self._politeness.let_go(host)
        return [task for task in tasks if not self._admits(task)]

    @staticmethod
    def _given_up(host: Host, given_up: GivenUp) -> tuple[FetchTask, ...]:
        tasks = []
        while host.given_up is given_up:
            tasks.append(host.queue.pop())
        return tuple(tasks)

    def _forbidden(self, host: Host, now: float) -> tuple[FetchTask, ...]:
        """Take out first tasks that known rules forbid: nothing is asked, so nothing is owed."""
        tasks: list[FetchTask] = []
        while len(host.queue) and len(tasks) < FORBIDDEN_AT_ONCE and self._obeys_robots:
            url = host.queue.first_url
            if host.origins.need_rules(urls.origin(url), now) or self.allowed(url):
                break
            tasks.append(host.queue.pop())
            self.hold_back(host)
        return tuple(tasks)

    def _is_free(self, host: Host, task: FetchTask) -> bool:
        hold = host.part_held(task.url)
        if hold is not None and not hold.open:
            hold.left += 1
            return False
        return not self._traps.holds_back(task)

    def _admits(self, task: FetchTask) -> bool:
        within = self._max_depth is None or task.depth <= self._max_depth
        sitemap = task.priority is Priority.SITEMAP
        admits = self._scope.admits(task.url, task.host, seed=task.seed, sitemap=sitemap)
        return within and admits and not self._is_filtered(task, sitemap=sitemap)

    def _is_filtered(self, task: FetchTask, *, sitemap: bool) -> bool:
        """Whether a filter refuses what an earlier run queued, maybe with other filters."""
        if not self._filters or sitemap or task.seed or task.url_id >= self._first_id:
            return False
        if task.referrer is None:  # of a recrawl
            return False
        return self._filters.refused(task.url, task.depth, task.referrer) is not None
