"""The frontier itself: which URLs are queued, and what must be known before a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.frontier.allowance import Allowance, Allowances, cost_of
from crawler.frontier.depths import Depths, Nearer
from crawler.frontier.failures import (
    LAST_CALL_S,
    LAST_TRIES,
    Blame,
    Retry,
    aside_s,
    policy_of,
    retry_of,
)
from crawler.frontier.holds import Hold
from crawler.frontier.host import Host, Place
from crawler.frontier.host_queue import key_of
from crawler.frontier.outcomes import Outcomes
from crawler.frontier.politeness import Politeness
from crawler.frontier.schedule import DueHeap
from crawler.frontier.scope import ScopeFilter
from crawler.frontier.seen import SeenSet
from crawler.frontier.traps import Subtree, TrapRule
from crawler.frontier.turns import (
    Abandon,
    CheckRobots,
    GivenUp,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)
from crawler.records import (
    Batch,
    Failed,
    Failure,
    FetchOutcome,
    FetchTask,
    NewUrl,
    Postponed,
    Priority,
    Redirected,
    RobotsAnswer,
    Skip,
)

if TYPE_CHECKING:
    from crawler.config import Job

FORBIDDEN_AT_ONCE = 100
"""URLs that robots.txt forbids in one turn."""


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
        rng: Random | None = None,
    ) -> None:
        """Begin empty; `traps` is what the trap rule of an earlier run left.

        `drawn` is what domains have drawn for long URLs by then (`allowance`), `rng` draws the
        pauses before further attempts.
        """
        self._allowed: Callable[[str], bool] = lambda url: True
        self._total_queue = job.frontier.total_queue
        self._obeys_robots = job.politeness.robots
        self._max_depth = job.limits.depth
        self._max_retries = job.fetch.retries
        self._longest_asked_s = job.politeness.max_retry_after_s
        self._random = rng or Random()
        self._next_url_id = next_url_id
        self._pages_left = pages_left
        self.scope = ScopeFilter(job.scope)
        self.seen = SeenSet()
        self.traps = TrapRule(job.traps, traps)
        self._allowances = Allowances(job.frontier.long_url_bytes, drawn or {})
        self.politeness = Politeness(job)
        self._outcomes = Outcomes(self.politeness, job)
        self.pending = 0
        """Accepted URLs whose end is not settled."""
        self._retries: DueHeap[FetchTask] = DueHeap()
        self._held = 0
        self._depths = Depths() if self._max_depth is not None else None

    def __repr__(self) -> str:
        return (
            f"<Frontier seen={len(self.seen)} pending={self.pending} hosts={self.hosts} "
            f"in_memory={self._held} retries={len(self._retries)}>"
        )

    @property
    def hosts(self) -> int:
        """Hosts with pending URLs, or too recently asked to be forgotten."""
        return len(self.politeness)

    @property
    def aside(self) -> int:
        """Hosts that are put aside."""
        return len(self.politeness.parked)

    def obey(self, allowed: Callable[[str], bool]) -> None:
        """Ask this whether known rules allow a URL; what they forbid ends without a request."""
        self._allowed = allowed

    def delay_s(self, host: str) -> float:
        """Return the pause between two requests to a host with URLs, Crawl-delay included."""
        return self.politeness[host].delay_s

    # ----------------------------------------------------------------------------------------------
    # Offering

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
        allowance: Allowance | None = None,
    ) -> NewUrl | Refusal:
        """Accept a canonical URL once, which the page of the task `via` led to.

        `allowance` is what that page pays with. The caller stores a NewUrl in the same synchronous
        step. One that was `asked` already, by a redirect within its host (`leads_on`), is not
        queued: the caller settles it.
        """
        host = urls.host_key(url)
        widened = seed and self.scope.widen(url)
        if not self.scope.admits(url, host):
            if widened:
                self.scope.keep(host)
            return Refusal.OUT_OF_SCOPE
        if self._max_depth is not None and depth > self._max_depth:
            return Refusal.TOO_DEEP
        if via is not None and allowance is not None:
            cost = cost_of(url, via)
            if cost and url not in self.seen and not allowance.pay(cost):
                return Refusal.OVER_BUDGET
        if via is not None and via.host != host:
            self.traps.led_to(host, via.host)
        if not self.seen.add(url):
            if self._depths is not None:
                self._depths.found_again(url, depth)
            return Refusal.SEEN
        url_id = self._next_url_id
        self._next_url_id += 1
        self.pending += 1
        referrer, referrer_id = (via.url, via.url_id) if via else (None, None)
        task = FetchTask(url_id, url, host, depth, priority, hops, referrer, seed=seed)
        if self._depths is not None:
            self._depths.found(task)
        if asked:
            self.politeness.host(host).queue.adopt(url_id)
        elif not self._is_cut(task):
            self._push(task)
        return NewUrl(url_id, url, host, depth, priority, hops, referrer_id, seed)

    def allowance(self, task: FetchTask, sent_bytes: int) -> Allowance | None:
        """Return what the page of a task, of so many bytes as they travelled, pays links with."""
        return self._allowances.of_page(task.host, sent_bytes)

    def leads_on(self, url: str, again: bool) -> bool:
        """Whether a redirect to this URL of the same host may be followed within its fetch.

        What was seen is not asked for again, unless `again`: with cookies it may answer otherwise.
        """
        host = urls.host_key(url)
        free = self.scope.admits(url, host) and self.traps.holder(url, host, url) is None
        return free and (again or url not in self.seen)

    def _push(self, task: FetchTask) -> None:
        host = self.politeness.host(task.host)
        held = len(host.queue)
        host.queue.push(task)
        if self._held >= self._total_queue:
            host.queue.spill(len(host.queue) // 2)
        self._held += len(host.queue) - held
        self.politeness.place(host)

    def depth_of(self, task: FetchTask) -> int:
        """Return the smallest depth that is known of a task: a shorter path may have been found."""
        return task.depth if self._depths is None else self._depths.of(task).depth

    def led_to(
        self, task: FetchTask, links: tuple[str, ...], priority: Priority, step: int
    ) -> None:
        """A page's links were offered, `step` deeper than itself, for the case it is found nearer.

        Kept only where `limits.depth` is set.
        """
        if self._depths is not None:
            self._depths.led_to(task, links, priority, step)

    def nearer(self) -> Nearer | None:
        """Return, once, a page that was found by a shorter path since and has ended.

        Its links are to be offered again, which may bring more. None where nothing is left.
        """
        return self._depths.take_nearer() if self._depths is not None else None

    def take_lowered(self) -> dict[int, int]:
        """Return, once, smaller depths of URLs that have ended, by id: for the store."""
        return self._depths.take_lowered() if self._depths is not None else {}

    @property
    def pending_depths(self) -> dict[int, int]:
        """Depths of pending URLs by id, for the store at the end of a run."""
        return self._depths.of_pending if self._depths is not None else {}

    # ----------------------------------------------------------------------------------------------
    # Taking

    def take(self, now: float, *, idle: bool = False, strangers: bool = True) -> Turn:
        """Return the next turn. Every turn but Wait must be answered by the method for it.

        Without `strangers` only hosts in good standing have turns.

        `idle` says that no turn is under way. Then what is put aside is not waited for: it is tried
        once more, and after that the crawl has come to its end.
        """
        while True:
            self._revive_retries(now)
            self._try_again(now)
            while self._pages_left != 0:
                host = self.politeness.pop_due(now, strangers=strangers)
                if host is None:
                    break
                turn = self._turn(host, now)
                self.politeness.follow(host)
                if turn is not None:
                    return turn
            until = self._next_event(strangers)
            if until is not None or self._pages_left == 0:
                return Wait(until)
            if not idle:
                return Wait(self.politeness.aside.next)
            if (soon := self._next_trial(now)) is not None:
                return Wait(soon)
            if not self._call_last(now):
                return Wait(None)

    def waiting_for_place(self, now: float, *, only_strangers: bool) -> float | None:
        """Return when the first host is due, for whom there may be no place.

        None where there is no such host, or one in good standing where `only_strangers` count.
        """
        if self._pages_left == 0:
            return None
        return self.politeness.wanting(now, only_strangers=only_strangers)

    def standing(self, name: str) -> int:
        """Return how often a host has answered since it last stalled; 0 for a stranger."""
        return self.politeness[name].standing

    def _next_event(self, strangers: bool) -> float | None:
        if self._pages_left == 0:
            return None
        events = (self.politeness.next_due(strangers=strangers), self._retries.next)
        return min((at for at in events if at is not None), default=None)

    def _turn(self, host: Host, now: float) -> Turn | None:
        if host.at_rest:
            self.politeness.pass_on(host)
            return None
        pages = host.has_page_turn or host.given_up is not None
        if pages and (turn := self._before_page(host, now)) is not None:
            return turn
        if host.due > now:  # it had a place before its time only to give pages up
            self.politeness.place(host)
            return None
        if not host.has_errands and not len(host.queue):
            self.politeness.forget_idle(host)
            self.politeness.pass_on(host)
            return None
        if host.has_page_turn and self.politeness.hold_back(host):
            return None
        if host.address_until <= now and not host.in_flight:
            host.go(Place.OUT, Place.HELD)
            return Resolve(host.name)
        return self._request(host, now)

    def _before_page(self, host: Host, now: float) -> Turn | None:
        """Return what is to be done before a page is asked for, be it the first in line or not."""
        self._hold_back(host)
        if host.queue.wants_refill:
            host.go(Place.OUT, Place.HELD)
            room = self._total_queue - self._held
            return Refill(host.name, *host.queue.begin_refill(room))
        if (given_up := host.given_up) is not None:
            return self._abandon(host, given_up)
        if forbidden := self._forbidden(host, now):
            why = GivenUp(Skip.ROBOTS, "disallowed by robots.txt")
            self.politeness.place(host)
            return Abandon(host.name, forbidden, why)
        return None

    def _request(self, host: Host, now: float) -> Turn | None:
        errand = not host.has_page_turn
        if not self.politeness.occupy(host):
            return None
        if errand:
            host.go(Place.OUT, Place.HELD)
            return host.run_errand()
        origin = urls.origin(host.queue.peek().url)
        if self._obeys_robots and host.needs_rules(origin, now):
            host.go(Place.OUT, Place.HELD)
            return CheckRobots(host.name, origin, host.name)
        if self._pages_left is not None:
            self._pages_left -= 1
        host.owe(now + host.delay_s)
        task = self._pop(host)
        self.traps.begin(task)
        self.politeness.place(host)
        return self._depths.of(task) if self._depths is not None else task

    def _abandon(self, host: Host, given_up: GivenUp) -> Abandon:
        tasks = []
        while host.given_up is given_up:
            tasks.append(self._pop(host))
        self.politeness.place(host)
        return Abandon(host.name, tuple(tasks), given_up)

    def _forbidden(self, host: Host, now: float) -> tuple[FetchTask, ...]:
        """Take out first tasks that known rules forbid: nothing is asked, so nothing is owed."""
        tasks: list[FetchTask] = []
        while len(host.queue) and len(tasks) < FORBIDDEN_AT_ONCE and self._obeys_robots:
            url = host.queue.peek().url
            if host.needs_rules(urls.origin(url), now) or self._allowed(url):
                break
            tasks.append(self._pop(host))
            self._hold_back(host)
        return tuple(tasks)

    def _hold_back(self, host: Host) -> None:
        """Leave what lies in a cut subtree, or is put aside, up to the first task that does not."""
        while len(host.queue):
            task = host.queue.peek()
            hold = host.part_held(task.url)
            if hold is not None and not hold.open:
                self._leave(host, self._pop(host), hold)
            elif self._is_cut(task):
                host.queue.settle(self._pop(host))
            else:
                return

    def _leave(self, host: Host, task: FetchTask, hold: Hold) -> None:
        """Leave a task to the store until its hold ends; in memory if it was asked for before."""
        if task.attempt or task.refused:
            hold.tasks.append(task)
            return
        host.queue.settle(task)
        hold.left += 1

    def _pop(self, host: Host) -> FetchTask:
        self._held -= 1
        return host.queue.pop()

    # ----------------------------------------------------------------------------------------------
    # Answering turns

    def resolved(self, host: str, address: str | None, now: float) -> None:
        """Answer Resolve. A host that does not resolve is counted under its own name."""
        self.politeness.resolved(host, address, now)

    def refilled(self, turn: Refill, tasks: list[FetchTask]) -> list[FetchTask]:
        """Answer Refill with the store's tasks, in key order, at most `turn.limit`.

        Return those that a changed job no longer admits, for the caller to end.
        """
        host = self.politeness[turn.host]
        admitted = [task for task in tasks if self._admits(task)]
        free = [task for task in admitted if self._is_free(host, task)]
        held = len(host.queue)
        host.queue.end_refill(free, None if len(tasks) < turn.limit else key_of(tasks[-1]))
        self._held += len(host.queue) - held
        self.politeness.let_go(host)
        return [task for task in tasks if not self._admits(task)]

    def _is_free(self, host: Host, task: FetchTask) -> bool:
        hold = host.part_held(task.url)
        if hold is not None and not hold.open:
            hold.left += 1
            return False
        return not self._is_cut(task)

    def _is_cut(self, task: FetchTask) -> bool:
        if self.traps.holder(task.url, task.host, task.referrer, seed=task.seed) is None:
            return False
        self.traps.wait(task.host)
        return True

    def _admits(self, task: FetchTask) -> bool:
        within = self._max_depth is None or task.depth <= self._max_depth
        return within and self.scope.admits(task.url, task.host)

    def robots_answered(
        self, turn: CheckRobots, answer: RobotsAnswer, begun_at: float, now: float
    ) -> None:
        """Answer CheckRobots, for which a request was sent at `begun_at` or none at all."""
        self._outcomes.robots(turn, answer, begun_at, now)
        self._take_back(self.politeness[turn.asker])

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
        self._take_back(host)
        if isinstance(last, Postponed):
            self._push_back(host, task)
            return None
        if not isinstance(last, Failed):
            return outcome
        # Where a redirect was followed, its whole way is tried again: it may need its cookies.
        failed = replace(last, task=task)
        # The first page that fails in an outage has its attempts before any other is asked.
        unsure = own and not host.vouched_against(task) and self._has_fresh(host)
        retry = retry_of(failed, self._max_retries, self._random, own=own, pace_s=host.delay_s)
        if retry is None and unsure and policy_of(failed).blames is Blame.PART:
            retry = Retry(2.0 * host.delay_s + 1.0, counted=False)
        if retry is None:
            return outcome
        refused = task.refused + (failed.failure is Failure.HTTP_RATE_LIMITED)
        again = replace(task, attempt=task.attempt + retry.counted, refused=refused)
        if (hold := host.held_by(task.url)) is not None:
            hold.tasks.append(again)
        else:
            self._retries.push(now + retry.wait_s, again)
        return None

    def unread(self, host: str, size: int) -> bool:
        """A page of so many bytes waits to be read; return whether there is room for it."""
        return self.politeness.unread(host, size)

    def was_read(self, host: str, size: int) -> None:
        """It has been read, or nobody waits for that any more."""
        self.politeness.was_read(host, size)

    def refund_page(self) -> None:
        """A task that counted against the page limit brought no page."""
        if self._pages_left is not None:
            self._pages_left += 1

    def _revive_retries(self, now: float) -> None:
        while (task := self._retries.pop_due(now)) is not None:
            host = self.politeness[task.host]
            if (hold := host.held_by(task.url)) is not None:
                hold.tasks.append(task)
            else:
                self._push_back(host, task)

    def _push_back(self, host: Host, task: FetchTask) -> None:
        self.traps.give_back(task)
        host.queue.push_back(task)
        self._held += 1
        self.politeness.place(host)

    def _try_again(self, now: float) -> None:
        """Try what was put aside and whose time has come; a part only where its host goes on."""
        while (woken := self.politeness.aside.pop_due(now)) is not None:
            host, hold = woken
            if hold.open or hold.until > now or hold not in (host.hold, *host.holds.values()):
                continue  # it was put aside again, or has come back
            if host.hold not in (None, hold) and (host.parked or self._has_fresh(host)):
                self.politeness.aside.push(max(now, host.hold.until) + aside_s(1), woken)
            else:
                self._open(host, hold)

    def _next_trial(self, now: float) -> float | None:
        """Return when the first of those is tried that are worth a wait at the end of a crawl.

        What has answered before is, for its first tries; where its server asks for longer pauses,
        only one that has answered about pages in this run, and up to the longest Retry-After.
        """
        first = (
            hold.until
            for host, hold in self.politeness.holding
            if host.answered
            and hold.tries <= (LAST_TRIES if hold is host.hold else 1)
            and hold.asked_s <= (self._longest_asked_s if host.has_answered_pages else 0.0)
            and not hold.open
            and hold.until > now
        )
        return min(first, default=None)

    def _call_last(self, now: float) -> bool:
        """Try everything that is put aside once more; return whether there was something.

        Who asked to be left alone for longer is left alone: a later run will ask.
        """
        found = [
            (host, hold)
            for host, hold in self.politeness.holding
            if (hold.tasks if hold.open else not hold.called)
            and host.due - now <= max(LAST_CALL_S, host.delay_s)
        ]
        for host, hold in found:
            hold.called = True
            self._open(host, hold)
        freed = self.traps.take_triable()
        self._free(freed)
        return bool(found or freed)

    @staticmethod
    def _has_fresh(host: Host) -> bool:
        return bool(len(host.queue) or host.queue.stored)

    def _open(self, host: Host, hold: Hold) -> None:
        """Have it tried: first what was never asked, then what was."""
        fresh = hold.left or (hold is host.hold and self._has_fresh(host))
        again, hold.open = hold.open, True
        self._take_up(host, hold)
        if again or not fresh:
            self._give_back(host, hold)
        self.politeness.place(host)

    def _take_back(self, host: Host) -> None:
        """Queue again what holds that have ended held back."""
        while host.healed:
            hold = host.healed.pop()
            self._take_up(host, hold)
            self._give_back(host, hold)
        self.politeness.place(host)

    def _take_up(self, host: Host, hold: Hold) -> None:
        if hold.left:
            self._rewind(host, hold.left)
            hold.left = 0

    def _rewind(self, host: Host, passed_over: int) -> None:
        held = len(host.queue)
        host.queue.rewind(passed_over)
        self._held += len(host.queue) - held

    def _give_back(self, host: Host, hold: Hold) -> None:
        tasks, hold.tasks = hold.tasks, []
        for task in tasks:
            self._push_back(host, task)

    def settle(self, task: FetchTask, batch: Batch, text: str | None = None) -> Subtree | None:
        """The task's end has been handed to the store; return the subtree that it cuts, if any.

        `text` is the judged text of a stored page, for the trap rule.
        """
        host = self.politeness[task.host]
        host.queue.settle(task)
        host.forget(task)
        self.pending -= 1
        if self._depths is not None:
            self._depths.ended(task)
        self.politeness.place(host)
        cut = self.traps.learn(task, batch, text)
        self._free(self.traps.take_freed())
        return cut

    def _free(self, names: list[str]) -> None:
        """Queue what was held back of hosts, all of which is in the store."""
        for name in names:
            host = self.politeness.host(name)
            self._rewind(host, 1)
            self.politeness.place(host)
