"""The frontier itself.

Which URLs are queued, whose turn it is, and what must be known before a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.frontier.host import Host, Place, key_of
from crawler.frontier.outcomes import Outcomes, Retries, Trials
from crawler.frontier.politeness import Politeness
from crawler.frontier.scope import Had, HostOverrides, Quotas, ScopeFilter, UrlFilters
from crawler.frontier.seen import Depths, Nearer, SeenSet, UrlBudget, UrlBudgets, cost_of
from crawler.frontier.traps import Subtree, TrapRule
from crawler.frontier.turns import (
    Abandon,
    CheckRobots,
    Filtered,
    GivenUp,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)
from crawler.models import (
    Failed,
    FetchOutcome,
    FetchTask,
    NewUrl,
    PageOutcome,
    Postponed,
    Priority,
    Redirected,
    Reputation,
    RobotsAnswer,
    Skip,
)

if TYPE_CHECKING:
    from crawler.config import Job


FORBIDDEN_AT_ONCE = 100
"""URLs that robots.txt forbids in one turn."""


class QueueFilter:
    """Takes tasks out of queues without a request, and keeps others from coming in again.

    That is what was cut, put aside, given up, forbidden, or is out of the bounds of this job.
    """

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
        """Take out first tasks that end unasked: given up, or forbidden. None: there are none.

        Nothing is asked, so nothing is owed.
        """
        tasks: list[FetchTask] = []
        if (given_up := host.given_up) is not None:
            while host.given_up is given_up:
                tasks.append(host.queue.pop())
            return Abandon(host.name, tuple(tasks), given_up)
        while len(host.queue) and len(tasks) < FORBIDDEN_AT_ONCE and self._obeys_robots:
            url = host.queue.first_url
            if host.needs_rules(urls.origin(url), now) or self.allowed(url):
                break
            tasks.append(host.queue.pop())
            self.hold_back(host)
        if not tasks:
            return None
        forbidden = GivenUp(Skip.ROBOTS, "disallowed by robots.txt")
        return Abandon(host.name, tuple(tasks), forbidden)

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
        host, free, refused = self._politeness[turn.host], [], []
        for task in tasks:
            if not self._admits(task):
                refused.append(task)
            elif (hold := host.part_held(task.url)) is not None and not hold.open:
                hold.left += 1
            elif not self._traps.holds_back(task):
                free.append(task)
        host.queue.end_refill(free, None if len(tasks) < turn.limit else key_of(tasks[-1]))
        self._politeness.let_go(host)
        return refused

    def _admits(self, task: FetchTask) -> bool:
        """Whether the job wants what an earlier run queued, maybe with other filters."""
        if self._max_depth is not None and task.depth > self._max_depth:
            return False
        sitemap = task.priority is Priority.SITEMAP
        if not self._scope.admits(task.url, task.host, seed=task.seed, sitemap=sitemap):
            return False
        if not self._filters or sitemap or task.seed or task.url_id >= self._first_id:
            return True
        if task.referrer is None:  # of a recrawl
            return True
        return self._filters.refused(task.url, task.depth, task.referrer) is None


class Frontier:
    """Decides which URL is fetched next. Not thread-safe; one event loop owns it.

    Guarantees: a URL is accepted once in a crawl's life; a host gets at most `per_host` requests
    at once, the next one not before its delay has passed since the last one ended; an address gets
    at most `per_address` at once. An offer or a turn costs O(log hosts).
    """

    def __init__(
        self,
        job: Job,
        *,
        next_url_id: int = 1,
        pages_left: int | None = None,
        traps: Mapping[str, Any] | None = None,
        drawn: Mapping[str, int] | None = None,
        had: Had | None = None,
        seen: SeenSet | None = None,
        rng: Random | None = None,
        filters: UrlFilters | None = None,
    ) -> None:
        """Begin empty; `traps` is what the trap rule of an earlier run left.

        `had` is what hosts with limits of their own had by then, `drawn` what domains have drawn
        for long URLs (`budget`), `rng` draws the pauses before further attempts; `seen` are all
        URLs of earlier runs, which `filters` of this one are asked about again.
        """
        self._filters = filters or UrlFilters()
        self._max_depth = job.limits.depth
        self.next_url_id = next_url_id
        """The number of the next URL that is accepted."""
        self.pending = 0
        """Accepted URLs whose end is not settled."""
        overrides = HostOverrides(job)
        self._quotas = Quotas(overrides, had or {})
        self.scope = ScopeFilter(job.scope, overrides)
        self.seen = SeenSet() if seen is None else seen
        self._elsewhere: Callable[[str], bool] = lambda url: False
        self._depths = Depths(limited=self._max_depth is not None)
        self.traps = TrapRule(job.traps, traps)
        self._budgets = UrlBudgets(job.frontier.long_url_bytes, drawn or {})
        self.politeness = Politeness(job, overrides, self._quotas)
        self._queue_filter = QueueFilter(
            job, self.politeness, self.scope, self.traps, self._filters, next_url_id
        )
        self._obeys_robots = job.politeness.robots
        self._pages_left = pages_left
        self._outcomes = Outcomes(self.politeness, job)
        self._retries = Retries(self.politeness, self.traps, job.fetch.retries, rng or Random())
        self._trials = Trials(
            self.politeness, self._retries, self.traps, job.politeness.max_retry_after_s
        )

    def __repr__(self) -> str:
        return (
            f"<Frontier seen={len(self.seen)} pending={self.pending} hosts={self.hosts} "
            f"in_memory={self.in_memory} retries={len(self._retries)}>"
        )

    @property
    def hosts(self) -> int:
        """Hosts with pending URLs, or too recently asked to be forgotten."""
        return len(self.politeness)

    @property
    def in_memory(self) -> int:
        """URLs in the queues of all hosts, as far as these are in memory."""
        return self.politeness.room.held

    @property
    def aside(self) -> int:
        """Hosts that are put aside."""
        return len(self.politeness.quarantine.parked)

    def obey(self, allowed: Callable[[str], bool]) -> None:
        """Ask this whether known rules allow a URL; what they forbid ends without a request."""
        self._queue_filter.allowed = allowed

    def leave(self, elsewhere: Callable[[str], bool]) -> None:
        """Take links and redirects to such URLs for seen: another directory has what they are."""
        self._elsewhere = elsewhere

    def delay_s(self, host: str) -> float:
        """Return the pause between two requests to a host with URLs, Crawl-delay included."""
        return self.politeness[host].delay_s

    def restore(self, host: str, pending: int, *, answered: bool = False) -> None:
        """Count URLs that an earlier run left pending in the store; `seen` is the caller's to fill.

        `answered` keeps what the earlier run knew of the host.
        """
        if answered:
            self.politeness.has_answered(host)
        self.politeness.place(self.politeness.add(host, stored=pending))
        self.pending += pending

    def offer(
        self,
        url: str,
        *,
        depth: int,
        priority: Priority = Priority.ORDINARY,
        hops: int = 0,
        via: FetchTask | None = None,
        seed: bool = False,
        asked: bool = False,
        budget: UrlBudget | None = None,
    ) -> NewUrl | Refusal | Filtered:
        """Accept a canonical URL once, which the page of the task `via` led to.

        `budget` is what that page pays with. The caller stores a NewUrl in the same synchronous
        step. One that was `asked` already, by a redirect within its host (`leads_on`), is not
        queued: the caller settles it.
        """
        host, sitemap = urls.host_key(url), priority is Priority.SITEMAP
        widened = seed and self.scope.widen(url)
        if not self.scope.admits(url, host, seed=seed, sitemap=sitemap):
            if widened:  # where a seed leads becomes part of the scope in any case
                self.scope.keep(url)
            return Refusal.OUT_OF_SCOPE
        if self._max_depth is not None and depth > self._max_depth:
            return Refusal.TOO_DEEP
        if via is not None:
            if self._elsewhere(url):
                return Refusal.SEEN
            if refused := self._filtered(url, depth, via, seed or sitemap):
                return refused
            cost = 0 if budget is None else cost_of(url, via)
            if budget is not None and cost and url not in self.seen and not budget.pay(cost):
                return Refusal.OVER_BUDGET
            if via.host != host:
                self.traps.led_to(host, via.host)
        if not self.seen.add(url):
            self._depths.found_again(url, depth)
            return Refusal.SEEN
        url_id = self.next_url_id
        self.next_url_id += 1
        self.pending += 1
        referrer, referrer_id = (via.url, via.url_id) if via else (None, None)
        task = FetchTask(url_id, url, host, depth, priority, hops, referrer, 0, 0, seed)
        self._depths.found(task)
        if asked:
            self.politeness.host(host).queue.adopt(url_id)
        elif not self.traps.holds_back(task):
            known = self.politeness.host(host)
            known.queue.push(task)
            self.politeness.place(known)
        return NewUrl(url_id, url, host, depth, priority, hops, referrer_id, seed)

    def _filtered(self, url: str, depth: int, via: FetchTask, free: bool) -> Filtered | None:
        """Ask the job's filters about a link that is new and not `free` of them."""
        if not self._filters or free or url in self.seen:
            return None
        refused = self._filters.refused(url, depth, via.url)
        return None if refused is None else Filtered(refused)

    def url_budget(self, task: FetchTask, sent_bytes: int) -> UrlBudget | None:
        """Return what the page of a task, of so many bytes as they travelled, pays links with."""
        return self._budgets.of_page(task.host, sent_bytes)

    def follows_only(self, url: str) -> bool:
        """Whether the page at a URL is wanted for its links alone."""
        return self.scope.follows_only(url)

    def leads_on(self, url: str, again: bool, via: FetchTask | None = None) -> bool:
        """Whether a redirect to this URL of the same host may be followed within its fetch.

        What was seen is not asked for again, unless `again`: with cookies it may answer otherwise.
        The task `via` is what is fetched.
        """
        host = urls.host_key(url)
        if via is not None and self._filtered(url, self.depth_of(via), via, via.seed):
            return False
        free = self.scope.admits(url, host) and self.traps.holder(url, host, url) is None
        return free and (again or not (url in self.seen or self._elsewhere(url)))

    def depth_of(self, task: FetchTask) -> int:
        """Return the smallest depth that is known of a task."""
        return self._depths.of(task).depth

    def led_to(
        self,
        task: FetchTask,
        links: tuple[str, ...],
        priority: Priority,
        step: int,
        budget: UrlBudget | None = None,
    ) -> None:
        """A page's links were offered, `step` deeper than itself, and paid for with this."""
        self._depths.led_to(task, links, priority, step, budget)

    def nearer(self) -> Nearer | None:
        """Return, once, a page found by a shorter path, with the links to be offered again."""
        return self._depths.take_nearer()

    def take_lowered(self) -> dict[int, int]:
        """Return, once, smaller depths of URLs that have ended, by id."""
        return self._depths.take_lowered()

    @property
    def pending_depths(self) -> dict[int, int]:
        """Depths of pending URLs by id."""
        return self._depths.of_pending

    def take(self, now: float, *, idle: bool = False, strangers: bool = True) -> Turn:
        """Return the next turn. Every turn but Wait must be answered by the method for it.

        Without `strangers` only hosts in good standing have turns.

        `idle` says that no turn is under way. Then what is put aside is not waited for: it is tried
        once more, and after that the crawl has come to its end.
        """
        while True:
            self._retries.revive(now)
            self._trials.begin_due(now)
            while not self._over:
                host = self.politeness.pop_due(now, strangers=strangers)
                if host is None:
                    break
                turn = self._turn(host, now)
                self.politeness.follow(host)
                if turn is not None:
                    return turn
            if self._over:
                return Wait(None)
            events = (self.politeness.next_due(strangers=strangers), self._retries.next)
            if (until := min((at for at in events if at is not None), default=None)) is not None:
                return Wait(until)
            if not idle:
                return Wait(self._trials.next)
            if (soon := self._trials.next_worth_waiting(now)) is not None:
                return Wait(soon)
            if not self._trials.call_last(now):
                return Wait(None)

    @property
    def _over(self) -> bool:
        """Whether no more pages may be asked for."""
        return self._pages_left == 0

    def _turn(self, host: Host, now: float) -> Turn | None:
        """Return the turn of a host that is due and OUT; None where it has nothing to do now."""
        politeness = self.politeness
        if host.at_rest:
            politeness.pass_on(host)
            return None
        if host.has_page_turn or host.given_up is not None:
            self._queue_filter.hold_back(host)
            if host.queue.wants_refill:
                host.go(Place.OUT, Place.HELD)
                return Refill(host.name, *host.queue.begin_refill(politeness.room.left))
            if (abandon := self._queue_filter.abandon(host, now)) is not None:
                politeness.place(host)
                return abandon
        if host.due > now:  # it had a place before its time only to give pages up
            politeness.place(host)
            return None
        if not host.has_errands and not len(host.queue):
            politeness.forget_idle(host)
            politeness.pass_on(host)
            return None
        if host.has_page_turn and politeness.hold_back(host):
            return None
        if host.address_until <= now and not host.in_flight:
            host.go(Place.OUT, Place.HELD)
            return Resolve(host.name)
        errand = not host.has_page_turn
        if not politeness.occupy(host):
            return None
        if errand:
            host.go(Place.OUT, Place.HELD)
            return host.run_errand()
        origin = urls.origin(host.queue.first_url)
        if self._obeys_robots and host.needs_rules(origin, now):
            host.go(Place.OUT, Place.HELD)
            return CheckRobots(host.name, origin, host.name)
        if self._pages_left is not None:
            self._pages_left -= 1
        host.owe(now + host.delay_s)
        task = host.queue.pop()
        self.traps.begin(task)
        politeness.place(host)
        return self._depths.of(task)

    def waiting_for_slot(self, now: float, *, only_strangers: bool) -> float | None:
        """Return when the first host is due, for whom there may be no place.

        None where there is no such host, or one in good standing where `only_strangers` count.
        """
        if self._over:
            return None
        return self.politeness.wanting(now, only_strangers=only_strangers)

    def reputation(self, name: str) -> Reputation:
        """Return what a host's answers are worth."""
        return self.politeness[name].answers.reputation

    def resolved(self, host: str, address: str | None, now: float) -> None:
        """Answer Resolve. A host that does not resolve is counted under its own name."""
        self.politeness.resolved(host, address, now)

    def refilled(self, turn: Refill, tasks: list[FetchTask]) -> list[FetchTask]:
        """Answer Refill with the store's tasks, in key order, at most `turn.limit`.

        Return those that a changed job no longer admits, for the caller to end.
        """
        return self._queue_filter.refilled(turn, tasks)

    def robots_answered(
        self, turn: CheckRobots, answer: RobotsAnswer, begun_at: float, now: float
    ) -> None:
        """Answer CheckRobots, for which a request was sent at `begun_at` or none at all."""
        self._outcomes.robots(turn, answer, begun_at, now)
        self._trials.take_back(self.politeness[turn.asker])

    def ended(
        self, task: FetchTask, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> FetchOutcome | None:
        """Answer a FetchTask; `outcome` is None where the request was cut short.

        Return the outcome where it is the task's end: the caller records it, then calls `settle`.
        None: the task stays pending, and is asked for again if it was not cut short.
        """
        host = self.politeness[task.host]
        last = outcome.last if isinstance(outcome, Redirected) else outcome
        own = self._outcomes.page(task, last, begun_at, now)
        self._trials.take_back(host)
        if isinstance(last, Postponed):
            self._retries.postpone(host, task, last.obstacle, now)
            return None
        # Where a redirect was followed, its whole way is tried again: it may need its cookies.
        if isinstance(last, Failed) and self._retries.follow(
            host, replace(last, task=task), now, own=own
        ):
            return None
        return outcome

    def unread(self, host: str, size: int) -> bool:
        """A page of so many bytes waits to be read; return whether there is room for it."""
        return self.politeness.unread(host, size)

    def was_read(self, host: str, size: int) -> None:
        """It has been read, or nobody waits for that any more."""
        self.politeness.was_read(host, size)

    def spend(self, task: FetchTask, outcome: PageOutcome) -> None:
        """Count in an end what it takes of what its host may have, where that has a limit."""
        self._quotas.spend(task.host, outcome)

    def refund_page(self) -> None:
        """A task that counted against the page limit brought no page."""
        if self._pages_left is not None:
            self._pages_left += 1

    def settle(self, task: FetchTask, outcome: PageOutcome) -> Subtree | None:
        """The task's end has been handed to the store; return the subtree that it cuts, if any."""
        host = self.politeness[task.host]
        host.queue.settle(task)
        host.answers.forget(task)
        self.pending -= 1
        self._depths.ended(task)
        self._quotas.learn(outcome)
        self.politeness.place(host)
        # What a sitemap brings is in the pages that it lists.
        lists = outcome.end is Skip.SITEMAP
        cut = None if lists else self.traps.learn(task, outcome)
        self._trials.take_freed()
        return cut
