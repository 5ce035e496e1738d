"""The frontier itself.

Which URLs are queued, whose turn it is, and what must be known before a request.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.frontier.failures import (
    FIRST_STRIKES,
    FREE_STRIKES,
    HOST_STRIKES,
    LAST_CALL_S,
    LAST_TRIES,
    LASTING,
    MOST_REFUSALS,
    PART_STRIKES,
    STALE_RULES_S,
    STALLS,
    Blame,
    Retry,
    aside_s,
    host_pause_s,
    no_answer_pause_s,
    patience_with,
    policy_of,
    retry_of,
)
from crawler.frontier.host import Health, Hold, Host, Pause, Place, key_of
from crawler.frontier.learning import Forecast, UrlLearning
from crawler.frontier.politeness import DueHeap, Politeness
from crawler.frontier.scope import Had, HostOverrides, Quotas, ScopeFilter, UrlFilters
from crawler.frontier.seen import Depths, Nearer, SeenSet, UrlBudget, cost_of
from crawler.frontier.traps import Subtree
from crawler.frontier.turns import (
    Abandon,
    CheckRobots,
    Filtered,
    GivenUp,
    LookFor,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)
from crawler.frontier.view import FrontierCounts, HostSeen, RulesSeen, hosts_seen
from crawler.models import (
    Failed,
    Failure,
    FetchOutcome,
    FetchTask,
    Mirrored,
    NewUrl,
    Obstacle,
    PageOutcome,
    Postponed,
    Predicted,
    Priority,
    Redirected,
    Released,
    Reputation,
    RobotsAnswer,
    SentUrl,
    Skip,
    Skipped,
)

if TYPE_CHECKING:
    from crawler.config import Job


FORBIDDEN_AT_ONCE = 100
"""URLs that robots.txt forbids in one turn."""


class Frontier:
    """Decides which URL is fetched next. Not thread-safe; one event loop owns it.

    What a crawl asks of it is `PageFrontier` (`crawler.engine.ports`); its parts are its own.

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
        """Begin empty; `traps` is what is known of cuts from an earlier run.

        `had` is what hosts with limits of their own had by then, `drawn` what domains have drawn
        for long URLs (`budget`), `rng` draws the pauses before further attempts; `seen` are all
        URLs of earlier runs, which `filters` of this one are asked about again.
        """
        self._filters = filters or UrlFilters()
        self._first_id = next_url_id
        """From it on the job's filters were asked about URLs when these were queued."""
        self._max_depth = job.limits.depth
        self.next_url_id = next_url_id
        """The number of the next URL that is accepted."""
        self.pending = 0
        """Accepted URLs whose end is not settled."""
        overrides = HostOverrides(job)
        self._quotas = Quotas(overrides, had or {})
        self.scope = ScopeFilter(job.scope, overrides)
        self.seen = SeenSet() if seen is None else seen
        self._allowed: Callable[[str], bool] = lambda url: True
        self._elsewhere: Callable[[str], bool] = lambda url: False
        self._owner: Callable[[str], int | None] | None = None
        self._sent = SeenSet()
        self._others: tuple[int, ...] = ()
        self._widening: list[SentUrl] = []
        """What was sent to other partitions in this run, with its depth."""
        self._depths = Depths(limited=self._max_depth is not None)
        self.learning = UrlLearning(job.learn, self.seen.__contains__, job.traps, traps)
        self._drawn, self._draws_most = Counter(drawn or {}), job.frontier.long_url_bytes
        """What registrable domains have drawn for long URLs, and may; None: no link is counted."""
        self.politeness = Politeness(job, overrides, self._quotas)
        self._obeys_robots = job.politeness.robots
        self.pages_left = pages_left
        """How many more pages may be asked for; None without a limit."""
        self._outcomes = Outcomes(self.politeness, job)
        self._retries = Retries(self.politeness, self.learning, job, rng or Random())

    def __repr__(self) -> str:
        return f"<Frontier {self.counts()} retries={len(self._retries)}>"

    def obey(self, allowed: Callable[[str], bool]) -> None:
        """Ask this whether known rules allow a URL; what they forbid ends without a request."""
        self._allowed = allowed

    def leave(self, elsewhere: Callable[[str], bool]) -> None:
        """Take links and redirects to such URLs for seen: another directory has what they are."""
        self._elsewhere = elsewhere

    def route(self, owner: Callable[[str], int | None], others: Iterable[int]) -> None:
        """Answer with SentUrl where another partition of the crawl owns a host; None: this one.

        `others` are all partitions but this one.
        """
        self._owner = owner
        self._others = tuple(others)

    def delay_s(self, host: str) -> float:
        """Return the pause between two requests to a host with URLs, Crawl-delay included."""
        return self.politeness[host].delay_s

    def restore(self, host: str, pending: int, *, answered: bool = False) -> None:
        """Count URLs that an earlier run left pending in the store; `seen` is the caller's to fill.

        `answered` keeps what the earlier run knew of the host.
        """
        if answered:
            self.politeness.answered.add(host)
        self.politeness.place(self.politeness.add(host, stored=pending))
        self.pending += pending

    def widen(self, seeds: Iterable[str], places: Iterable[str]) -> None:
        """Take what lies where these seeds do, and the `places` of a `state`, into the scope."""
        for url in seeds:
            self.scope.widen(url)
        for place in places:
            self.scope.keep_directory(place)

    def resume(self, pauses: Mapping[str, Pause], health: Mapping[str, Health], now: float) -> None:
        """Begin with what an earlier run owed hosts and knew of them; before `restore`."""
        self.politeness.resume(pauses, now, health)

    def take_pauses(self, now: float) -> Iterator[tuple[str, Pause | None]]:
        """Yield, once, each host to which something happened, with what it is owed."""
        return self.politeness.take_pauses(now)

    def take_health(self) -> dict[str, Health]:
        """Return, once, how hosts and origins are, where that has changed."""
        return self.politeness.take_noted()

    def state(self, pending: Iterable[tuple[str, str, str | None, bool]] = ()) -> dict[str, Any]:
        """Return what else a later run begins with, ready for JSON: `places` and `traps`.

        With how many of the `pending` URLs, each as host, URL, referring host and whether it is a
        seed, each cut subtree holds back; where nothing is cut, none is taken from there.
        """
        if pending and (cuts := self.learning.cuts()):
            ask = self.learning.holder
            holders = (ask(url, host, via, seed=seed) for host, url, via, seed in pending)
            held = Counter(holder.name for holder in holders if holder is not None)
            for cut in cuts:
                cut.pending = held[cut.name]
        return {"places": sorted(self.scope.kept), "traps": self.learning.state()}

    def snapshot(self) -> tuple[dict[str, int], Iterator[bytes]]:
        """Return what `SeenSet.restore` makes all seen URLs of, and before it what that tells.

        It has all URLs with numbers up to `urls`, `missing` of which no URL has.
        """
        urls = self.next_url_id - 1
        return {"urls": urls, "missing": urls - len(self.seen)}, self.seen.parts()

    def counts(self) -> FrontierCounts:
        """Return how much there is; plain numbers, for any thread."""
        hosts, aside = len(self.politeness.hosts), len(self.politeness.quarantine.parked)
        return FrontierCounts(len(self.seen), self.pending, self.politeness.room.held, hosts, aside)

    def hosts_seen(self, names: Iterable[str], now: float, most: int) -> list[HostSeen]:
        """Return halted hosts, those of these names, and about `most` others."""
        return hosts_seen(self.politeness, names, now, most)

    def left_behind(self) -> list[tuple[str, str]]:
        """Return what is put aside, and why; then halted hosts, of which "" is said."""
        return [*self.politeness.quarantine.reasons, *((n, "") for n in self.politeness.halted)]

    def halt(self, host: str, *, halted: bool = True) -> bool:
        """Ask nothing more of a host, or do again; False where it is not known, or not halted."""
        return self.politeness.halt(host, halted=halted)

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
    ) -> NewUrl | SentUrl | Refusal | Filtered:
        """Accept a canonical URL once, which the page of the task `via` led to.

        `budget` is what that page pays with. The caller stores a NewUrl in the same synchronous
        step, and so a SentUrl, which another partition accepts or has: it is told once, and again
        by a shorter path. One that was `asked` already, by a redirect within its host (`leads_on`),
        is not queued: the caller settles it.
        """
        host, sitemap = urls.host_key(url), priority is Priority.SITEMAP
        widened = seed and self.scope.widen(url)
        if not self.scope.admits(url, host, seed=seed, sitemap=sitemap):
            if widened:  # where a seed leads becomes part of the scope in any case
                self.scope.keep(url)
                self._tell_all(url, depth, via)
            return Refusal.OUT_OF_SCOPE
        if self._max_depth is not None and depth > self._max_depth:
            return Refusal.TOO_DEEP
        partition = self._owner and self._owner(host)
        if widened and via is not None:
            if partition is not None:  # where it is stored
                self.scope.keep(url)
            self._tell_all(url, depth, via, but=partition)
        if via is not None:
            if self._elsewhere(url) or (partition is not None and self._was_sent(url, depth)):
                return Refusal.SEEN
            if refused := self._filtered(url, depth, via, seed or sitemap):
                return refused
            cost = 0 if budget is None else cost_of(url, via)
            if budget is not None and cost and url not in self.seen and not budget.pay(cost):
                return Refusal.OVER_BUDGET
            if partition is None and via.host != host:
                self.learning.led_to(host, via.host)
        if partition is not None:
            self._sent.add(f"{self._depth_told(depth)} {url}")
            led_by = None if via is None else via.host
            return SentUrl(partition, url, depth, priority, hops, seed, led_by)
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
        elif self.learning.holder_of(task) is None:
            known = self.politeness.host(host)
            known.queue.push(task)
            self.politeness.place(known)
        return NewUrl(url_id, url, host, depth, priority, hops, referrer_id, seed)

    def arrived(self, sent: SentUrl) -> NewUrl | SentUrl | Refusal | Filtered:
        """Offer what another partition has sent here, which has asked the job's filters.

        Where a seed leads is told to all partitions, since it widens the scope of each.
        """
        widened = sent.seed and self.scope.widen(sent.url)
        if self._elsewhere(sent.url):
            return Refusal.SEEN
        answer = self.offer(
            sent.url, depth=sent.depth, priority=sent.priority, hops=sent.hops, seed=sent.seed
        )
        if widened and not isinstance(answer, NewUrl):
            self.scope.keep(sent.url)
        if isinstance(answer, NewUrl) and sent.via is not None:
            self.learning.led_to(answer.host, sent.via)
        return answer

    def _tell_all(
        self, url: str, depth: int, via: FetchTask | None, but: int | None = None
    ) -> None:
        """Have other partitions hear of a URL by which the redirect of a seed widens the scope."""
        if via is not None:
            how = url, depth, via.priority, via.hops + 1, True, via.host
            self._widening += [SentUrl(other, *how) for other in self._others if other != but]

    def take_widening(self) -> list[SentUrl]:
        """Return, once, what other partitions are to hear of since it widens the scope."""
        found, self._widening = self._widening, []
        return found

    def adopt(self, task: FetchTask) -> None:
        """Take a restored URL whose page an earlier run has read for under way, to be settled."""
        self.politeness.host(task.host).queue.adopt(task.url_id)

    def _was_sent(self, url: str, depth: int) -> bool:
        """Whether a URL was sent by a path as short."""
        told = self._depth_told(depth)
        return any(f"{shorter} {url}" in self._sent for shorter in range(told + 1))

    def _depth_told(self, depth: int) -> int:
        """Return what of a depth another partition is to know: nothing where none is limited."""
        return 0 if self._max_depth is None else depth

    def _filtered(self, url: str, depth: int, via: FetchTask, free: bool) -> Filtered | None:
        """Ask the job's filters about a link that is new and not `free` of them."""
        if not self._filters or free or url in self.seen:
            return None
        refused = self._filters.refused(url, depth, via.url)
        return None if refused is None else Filtered(refused)

    def url_budget(self, task: FetchTask, sent_bytes: int) -> UrlBudget | None:
        """Return what the page of a task, of so many bytes as they travelled, pays links with."""
        if self._draws_most is None:
            return None
        return UrlBudget(task.host, sent_bytes, self._drawn, self._draws_most)

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
        free = self.scope.admits(url, host) and self.learning.holder(url, host, url) is None
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
            if not idle or self.politeness.lacks_slots:
                return Wait(self.politeness.quarantine.next, self.politeness.lacks_slots)
            if self.politeness.spend_rest():
                continue
            if (soon := self._retries.next_worth_waiting(now)) is not None:
                return Wait(soon)
            if not self._retries.call_last(now):
                return Wait(None)

    @property
    def _over(self) -> bool:
        """Whether no more pages may be asked for."""
        return self.pages_left == 0

    def _turn(self, host: Host, now: float) -> Turn | None:
        """Return the turn of a host that is due and OUT; None where it has nothing to do now."""
        politeness = self.politeness
        if host.at_rest:
            politeness.pass_on(host.address)
            return None
        if host.has_page_turn or host.given_up is not None:
            self._hold_back(host)
            if host.queue.wants_refill:
                host.go(Place.OUT, Place.HELD)
                return Refill(host.name, *host.queue.begin_refill(politeness.room.left))
            if (abandon := self._abandon(host, now)) is not None:
                politeness.place(host)
                return abandon
            politeness.keep_back(host)  # what may bring more has perhaps just been postponed
            if host.at_rest:
                politeness.pass_on(host.address)
                return None
        if host.due > now:  # it had a place before its time only to give pages up
            politeness.place(host)
            return None
        if not host.errands and not len(host.queue):
            politeness.forget_idle(host)
            politeness.pass_on(host.address)
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
        if self.pages_left is not None:
            self.pages_left -= 1
        host.owe(now + host.delay_s)
        task = host.queue.pop()
        self.learning.begin(task)
        politeness.place(host)
        return self._depths.of(task)

    def _abandon(self, host: Host, now: float) -> Abandon | None:
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
            if host.needs_rules(urls.origin(url), now) or self._allowed(url):
                break
            tasks.append(host.queue.pop())
            self._hold_back(host)
        if not tasks:
            return None
        forbidden = GivenUp(Skip.ROBOTS, "disallowed by robots.txt")
        return Abandon(host.name, tuple(tasks), forbidden)

    def _hold_back(self, host: Host) -> None:
        """Leave what lies in a cut subtree, or is put aside, up to the first task that does not.

        What is foreseen to bring little or nothing goes to its place behind the others.
        """
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
            elif (found := self.learning.foresee(task)) is None:
                return
            elif isinstance(found, Forecast):
                host.queue.postpone(found.priority, found.rule)
            else:
                host.queue.settle(host.queue.pop())

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

    def lease(self, wanted: Callable[[], None]) -> None:
        """Have requests to addresses by `grant` alone; call `wanted` where `addresses` has news."""
        self.politeness.lease(wanted)

    def addresses(self, now: float) -> dict[str, int]:
        """Return the wanted addresses, with what each may have, or has yet; others have nothing."""
        return self.politeness.addresses(now)

    def grant(self, slots: Mapping[str, int]) -> None:
        """Have so many requests at once to these addresses from now on."""
        self.politeness.grant(slots)

    def refilled(self, turn: Refill, tasks: list[FetchTask]) -> list[FetchTask]:
        """Answer Refill with the store's tasks, in key order; return those that are to end unasked.

        These a changed job no longer admits.
        """
        host, free, refused = self.politeness[turn.host], [], []
        for task in tasks:
            if not self._admits(task):
                refused.append(task)
            elif (hold := host.part_held(task.url)) is not None and not hold.open:
                hold.left += 1
            elif self.learning.holder_of(task) is None:
                free.append(task)
        host.queue.end_refill(free, None if len(tasks) < turn.limit else key_of(tasks[-1]))
        self.politeness.let_go(host)
        return refused

    def _admits(self, task: FetchTask) -> bool:
        """Whether the job wants what an earlier run queued, maybe with other filters."""
        if self._max_depth is not None and task.depth > self._max_depth:
            return False
        sitemap = task.priority is Priority.SITEMAP
        if not self.scope.admits(task.url, task.host, seed=task.seed, sitemap=sitemap):
            return False
        if not self._filters or sitemap or task.seed or task.url_id >= self._first_id:
            return True
        # Without a page that led to it it is of a recrawl.
        return (
            task.referrer is None
            or self._filters.refused(task.url, task.depth, task.referrer) is None
        )

    def robots_answered(
        self, turn: CheckRobots, answer: RobotsAnswer, begun_at: float, now: float
    ) -> None:
        """Answer CheckRobots, for which a request was sent at `begun_at` or none at all.

        Where it `moved_to` a host that another partition owns, the asker waits for `told`.
        """
        elsewhere = answer.moved_to is not None and self.owner(answer.moved_to) is not None
        self._outcomes.robots(turn, answer, begun_at, now, elsewhere=elsewhere)
        self._retries.take_back(self.politeness[turn.asker])

    def owner(self, host: str) -> int | None:
        """Return the partition that owns a host; None where it is this one."""
        return self._owner(host) if self._owner is not None else None

    def told(self, asker: str) -> None:
        """What a host's robots.txt was moved to has been asked by its owner."""
        self._outcomes.told(asker)

    def look_for(self, url: str) -> None:
        """Have a place of a host asked for another partition, in turn with its own pages."""
        host = self.politeness.host(urls.host_key(url))
        host.send(LookFor(host.name, url))
        self.politeness.place(host)

    def looked(self, turn: LookFor, now: float, *, requested: bool) -> None:
        """Answer LookFor."""
        host = self.politeness[turn.host]
        host.go(Place.HELD, Place.OUT)
        self.politeness.free(host, now, host.delay_s if requested else 0.0)

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
        self._retries.take_back(host)
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
        return self.politeness.unread.put(host, size)

    def was_read(self, host: str, size: int) -> None:
        """It has been read, or nobody waits for that any more."""
        self.politeness.was_read(host, size)

    def owes(self, asked: Mapping[str, int], now: float) -> None:
        """Leave hosts alone for a pause for each request beside those for pages."""
        for name, count in asked.items():
            if (host := self.politeness.hosts.get(name)) is not None:
                host.owe(now + count * host.delay_s)

    def spend(self, task: FetchTask, outcome: PageOutcome) -> Subtree | None:
        """Note in an end what it takes of its host's limits, and what it teaches of its site.

        Before it is handed to the store, which keeps both. Return the subtree that it cuts, if any.
        """
        self._quotas.spend(task.host, outcome)
        cut = self.learning.learn(task, outcome)
        self._retries.take_freed()
        return cut

    def living_copy(self, task: FetchTask) -> int | None:
        """Return the number of a stored page that is known to be what a task should lead to."""
        return self.learning.living_copy(task)

    def mirror(self, task: FetchTask) -> Mirrored | None:
        """Return what is known of the host or folder of a task as a mirror of another one."""
        return self.learning.mirror(task)

    def hear(self, host: str, url: str, packed: bytes, referrer: str | None) -> None:
        """Take in what an end of an earlier run taught, in the order of the ends."""
        self.learning.hear(host, url, packed, referrer)

    def foretold(self, host: str, rule: str, number: int, waiting: int, last: int) -> None:
        """Take in how often a rule spoke in earlier runs (`UrlLearning.restore`)."""
        self.learning.restore(host, rule, number, waiting, last)

    def take_predicted(self, now: float) -> list[Predicted | Released]:
        """Return, once, what rules have postponed and released since: to be stored in this order.

        The caller stores it in the synchronous step in which it asks for a turn, or ends a URL.
        """
        return self.learning.take_changes(now)

    def rules_seen(self, now: float, most: int) -> RulesSeen:
        """Return the rules by which URLs wait, at most so many, and what became of some of late."""
        return self.learning.seen(now, most)

    def allow(self, pages: int) -> None:
        """Have so many pages more than were left; from now on they are counted."""
        self.pages_left = (self.pages_left or 0) + pages

    def refund_page(self) -> None:
        """A task that counted against the page limit brought no page."""
        if self.pages_left is not None:
            self.pages_left += 1

    def settle(self, task: FetchTask, outcome: PageOutcome) -> None:
        """The task's end has been handed to the store."""
        host = self.politeness[task.host]
        host.queue.settle(task)
        host.answers.forget(task)
        self.pending -= 1
        self._depths.ended(task)
        self._quotas.learn(outcome)
        self.politeness.place(host)


# ---------------------------------------------------------------- outcomes
# What follows from an outcome: for the page (asked again or not), for its host, and for what is put
# aside.


log = logging.getLogger(__name__)


_AFTER_ANOTHER_S = 1.0
"""How long what could not be asked for waits when its host may be asked again: another page has
begun by then."""


class Retries:
    """Asks again: for pages that failed, and for what was put aside, held back or postponed.

    Keeps the former by when they are queued again; one whose host or part is put aside waits with
    that.
    """

    def __init__(
        self, politeness: Politeness, learning: UrlLearning, job: Job, rng: Random
    ) -> None:
        """Begin empty; `rng` draws the pauses."""
        self._politeness = politeness
        self._quarantine = politeness.quarantine
        self._learning = learning
        self._max_retries = job.fetch.retries
        self._longest_asked_s = job.politeness.max_retry_after_s
        """The longest Retry-After that the end of a crawl waits for."""
        self._random = rng
        self._due: DueHeap[FetchTask] = DueHeap()

    def __len__(self) -> int:
        return len(self._due)

    @property
    def next(self) -> float | None:
        """When the first task is queued again; None if there is none."""
        return self._due.next

    def follow(self, host: Host, failed: Failed, now: float, *, own: bool) -> bool:
        """Plan a further attempt at what failed; return whether there is one.

        `own` says that the failure is the page's own, and not perhaps its host's.
        """
        task = failed.task
        # The first page that fails in an outage has its attempts before any other is asked.
        unsure = own and not host.answers.vouch_against(task) and host.queue.has_waiting
        retry = retry_of(failed, self._max_retries, self._random, own=own, pace_s=host.delay_s)
        if retry is None and unsure and policy_of(failed).blames is Blame.PART:
            retry = Retry(2.0 * host.delay_s + 1.0, counted=False)
        if retry is None:
            return False
        refused = task.refused + (failed.failure is Failure.HTTP_RATE_LIMITED)
        again = replace(task, attempt=task.attempt + retry.counted, refused=refused)
        if (hold := host.held_by(task.url)) is not None:
            hold.tasks.append(again)
        else:
            self._due.push(now + retry.wait_s, again)
        return True

    def postpone(self, host: Host, task: FetchTask, obstacle: Obstacle, now: float) -> None:
        """Have what could not be asked for asked again, uncounted.

        Where it may be the way there, another page of the host goes first: what that comes to tells
        whether it is the way, or this page alone.
        """
        if obstacle is Obstacle.NETWORK and (hold := host.held_by(task.url)) is not None:
            hold.tasks.append(task)
        elif obstacle is Obstacle.NETWORK and host.queue.has_waiting:
            self._due.push(max(now, host.due) + _AFTER_ANOTHER_S, task)
        else:
            self.queue_again(host, task)

    def revive(self, now: float) -> None:
        """Queue again what is due; try what was put aside and whose time has come.

        A part only where its host goes on.
        """
        while (task := self._due.pop_due(now)) is not None:
            host = self._politeness[task.host]
            if (hold := host.held_by(task.url)) is not None:
                hold.tasks.append(task)
            else:
                self.queue_again(host, task)
        while (due := self._quarantine.pop_due(now)) is not None:
            host, hold = due
            whole = host.hold
            if whole not in (None, hold) and (host.parked or host.queue.has_waiting):
                self._quarantine.put(host, hold, max(now, whole.until) + aside_s(1))
            else:
                self._open(host, hold)

    def queue_again(self, host: Host, task: FetchTask) -> None:
        """Return a task that was taken to its host's queue."""
        self._learning.give_back(task)
        host.queue.push_back(task)
        self._politeness.place(host)

    def next_worth_waiting(self, now: float) -> float | None:
        """Return when the first of those is tried that are worth a wait at the end of a crawl.

        What has answered before is, for its first tries; where its server asks for longer pauses,
        only one that has answered about pages in this run, and up to the longest Retry-After.
        """
        first = (
            hold.until
            for host, hold in self._quarantine.holds
            if host.answered
            and hold.tries <= (LAST_TRIES if hold is host.hold else 1)
            and hold.asked_s <= (self._longest_asked_s if host.answers.any else 0.0)
            and not (hold.open or host.halted)
            and hold.until > now
        )
        return min(first, default=None)

    def call_last(self, now: float) -> bool:
        """Try everything that is put aside once more; return whether there was something.

        Who asked to be left alone for longer is left alone: a later run will ask.
        """
        found = [
            (host, hold)
            for host, hold in self._quarantine.holds
            if (hold.tasks if hold.open else not hold.called)
            and not host.halted
            and host.due - now <= max(LAST_CALL_S, host.delay_s)
        ]
        for host, hold in found:
            hold.called = True
            self._open(host, hold)
        return self.take_freed(at_last=True) or bool(found)

    def take_back(self, host: Host) -> None:
        """Queue again what holds that have ended held back."""
        while host.healed:
            self._take_up(host, host.healed.pop(), tried=True)
        self._politeness.place(host)

    def take_freed(self, *, at_last: bool = False) -> bool:
        """Begin the queues anew of hosts whose URLs wait without a rule; return whether there were.

        All of it is in the store. `at_last` also of hosts that nobody speaks for.
        """
        names = self._learning.take_freed(at_last=at_last)
        for name in names:
            host = self._politeness.host(name)
            host.queue.rewind(1)
            self._politeness.place(host)
        return bool(names)

    def _open(self, host: Host, hold: Hold) -> None:
        """Have it tried: first what was never asked, then what was."""
        fresh = hold.left or (hold is host.hold and host.queue.has_waiting)
        again, hold.open = hold.open, True
        self._take_up(host, hold, tried=bool(again or not fresh))
        self._politeness.place(host)

    def _take_up(self, host: Host, hold: Hold, *, tried: bool) -> None:
        """Queue what it left to the store; and, if wanted, what was `tried` before."""
        if hold.left:
            host.queue.rewind(hold.left)
            hold.left = 0
        if tried:
            tasks, hold.tasks = hold.tasks, []
            for task in tasks:
                self.queue_again(host, task)


class Outcomes:
    """Tells hosts what happened; gives back the slots that a request or a check had."""

    def __init__(self, politeness: Politeness, job: Job) -> None:
        self._politeness = politeness
        self._settings = job.politeness

    def page(
        self, task: FetchTask, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> bool:
        """The request for a page has ended; None: it was cut short, which says nothing.

        Return whether a failure is the page's own, and not perhaps the host's or a part's.
        """
        host = self._politeness[task.host]
        own, pause_s = True, 0.0
        match outcome:
            case None | Skipped(reason=Skip.ROBOTS):
                pass  # it was not asked, so this says nothing of it
            case Postponed():
                pause_s = self._wait_s(host, outcome, now, task)
            case Failed(failure=Failure.HTTP_RATE_LIMITED):
                own = self._refused(host, outcome, begun_at, now)
                pause_s = outcome.retry_after_s or 0.0
            case Failed() if policy_of(outcome).blames is not Blame.URL:
                own = self._strike(host, outcome, begun_at, now)
                pause_s = outcome.retry_after_s or 0.0
                if host.held_by(task.url) is None:
                    pause_s = max(pause_s, host_pause_s(outcome, host.strikes.in_a_row))
            case _:
                host.answer(task.url)
                host.pace.hasten()
                pause_s = (outcome.retry_after_s or 0.0) if isinstance(outcome, Failed) else 0.0
        if _kept_waiting(outcome):
            host.answers.stall(gave_way=isinstance(outcome, Postponed))
        self._feel(host, outcome, now - begun_at)
        self._politeness.note(host, now)
        self._politeness.free(host, now, max(pause_s, host.delay_s))
        return own

    def _feel(self, host: Host, outcome: FetchOutcome | None, took_s: float) -> None:
        """Have the pause follow how long an answer took, where one was asked for."""
        manners = self._politeness.manners(host.name)
        factor, most_s = manners.delay_factor, manners.max_delay_s
        asked = not (isinstance(outcome, Skipped) and outcome.reason is Skip.ROBOTS)
        if factor and asked and outcome is not None and not isinstance(outcome, Postponed):
            wanted_s = min(factor * took_s, most_s)
            host.pace.feel(wanted_s, well=not isinstance(outcome, Failed))

    def _wait_s(
        self, host: Host, postponed: Postponed, now: float, task: FetchTask | None = None
    ) -> float:
        """Return how long a host is left alone that could not be asked: it has done nothing.

        For this machine the dispatcher waits. A name that cannot be looked up may be one of many,
        so its host waits alone, and is put aside where that lasts. A page that could not be asked
        for, while its host has answered about others, is put aside by itself.
        """
        if postponed.obstacle is Obstacle.MACHINE or host.parked:
            return 0.0
        if postponed.obstacle is Obstacle.NETWORK and task is not None:
            host.answers.miss(task)
            if host.answers.vouch_against(task):
                self._put_aside(host, task.url, postponed.detail, now)
                return 0.0
        waited_s = now - host.miss_answer(now)
        pause_s = no_answer_pause_s(waited_s)
        if host.hold is not None or waited_s + pause_s > self._settings.robots_wait_s:
            proven_s = host.hold.evidence_s if host.hold else 0.0
            hold = self._put_aside(host, None, postponed.detail, now)
            hold.evidence_s = proven_s  # it speaks against nobody
            if postponed.obstacle is Obstacle.CROWD:
                hold.called = False  # it had no time to answer, so this was not its last call
            return 0.0
        return pause_s

    def _strike(self, host: Host, failed: Failed, begun_at: float, now: float) -> bool:
        """Count a failure against the host; put aside what fails again and again."""
        tried = host.held_by(failed.task.url)
        if tried is not None:
            if tried.open:
                self._fail_again(host, tried, failed, now)
            return False
        of_part = policy_of(failed).blames is Blame.PART
        strikes = host.strike(begun_at, now, failed.task, of_part=of_part)
        if self._asks_too_long(host, failed, now):
            return False
        why = f"{strikes} failures in a row, the last one {failed.failure}: {failed.detail}"
        part = host.strikes.failing_part(PART_STRIKES) if of_part else None
        if part is not None:
            self._put_aside(host, part, why, now)
        if strikes >= (HOST_STRIKES if host.answered else FIRST_STRIKES):
            widely = host.strikes.wide or not of_part
            if widely and not self._dead(host, failed, why, now):
                self._put_aside(host, None, why, now)
            return False
        return strikes <= FREE_STRIKES

    def _fail_again(self, host: Host, tried: Hold, failed: Failed, now: float) -> None:
        """What was tried again has failed."""
        key = next((name for name, hold in host.holds.items() if hold is tried), None)
        if key is None and self._dead(host, failed, tried.why, now):
            return
        self._put_aside(host, key, _said(failed), now, asked_s=failed.retry_after_s or 0.0)

    def _dead(self, host: Host, failed: Failed, why: str, now: float) -> bool:
        """Give up a host that never answered, if there is reason enough; return whether."""
        if host.answered:
            return False
        origin = urls.origin(failed.task.url)
        dead_s = host.hold.evidence(now) if host.hold else now - host.strikes.since
        if failed.failure not in LASTING and dead_s < self._settings.dead_after_s:
            return False
        detail = f"the host never answered: {why}"
        self._give_up(host, origin, GivenUp(Failure.HOST_UNREACHABLE, detail))
        return True

    def _refused(self, host: Host, failed: Failed, begun_at: float, now: float) -> bool:
        """Count an answer 429; put the host aside where it says nothing else."""
        refusals = host.refuse(begun_at, now)
        tried = host.held_by(failed.task.url)
        if tried is not None:
            if tried.open:
                self._fail_again(host, tried, failed, now)
        elif self._asks_too_long(host, failed, now):
            return False
        elif refusals >= MOST_REFUSALS:
            self._put_aside(host, None, f"{refusals} answers 429 in a row", now)
        return tried is None and refusals <= FREE_STRIKES

    def _asks_too_long(self, host: Host, failed: Failed, now: float) -> bool:
        """Put a host aside that only ever asks to wait, where patience ends before its wait.

        Patience is that with a robots.txt, of which a server says the same.
        """
        asked_s = failed.retry_after_s
        if asked_s is None or now + asked_s - host.ask_to_wait(now) <= self._settings.robots_wait_s:
            return False
        self._put_aside(host, None, f"it says nothing else: {_said(failed)}", now, asked_s=asked_s)
        return True

    def told(self, asker: str) -> None:
        """What the robots.txt of a host has moved to is known now."""
        host = self._politeness[asker]
        host.absent = False
        self._politeness.place(host)

    def robots(
        self,
        turn: CheckRobots,
        answer: RobotsAnswer,
        begun_at: float,
        now: float,
        *,
        elsewhere: bool = False,
    ) -> None:
        """A check of robots.txt that began at `begun_at` has ended; `elsewhere`: see `told`."""
        asked, asker = self._politeness[turn.host], self._politeness[turn.asker]
        asker.absent = False
        if _kept_waiting(answer.failure or answer.postponed):
            asked.answers.stall(gave_way=answer.postponed is not None)
        if answer.postponed is not None:
            pause_s = asked.delay_s
            asker.owe(now + self._wait_s(asker, answer.postponed, now))
        elif answer.known:
            pause_s = self._know_rules(asker, turn.origin, answer, now)
            if answer.requested:
                pause_s = max(pause_s, asked.delay_s)
        elif answer.failure is not None:
            pause_s = self._miss_rules(asker, turn.origin, answer.failure, begun_at, now)
            if asked is not asker:  # which is not to blame for where its name was put
                pause_s = answer.failure.retry_after_s or 0.0
            pause_s = max(pause_s, asked.delay_s)
        else:
            pause_s = asked.delay_s if answer.requested else 0.0
        self._politeness.note(asker, now)
        asked.go(Place.HELD, Place.OUT)
        self._politeness.free(asked, now, pause_s)
        self._politeness.place(asker)
        if answer.moved_to is not None:  # another host is asked when its own turn comes
            asker.absent = True
            if elsewhere:
                return
            target = self._politeness.host(answer.moved_to)
            target.pace.lengthen(answer.moved_to_delay_s or 0.0)
            target.send(CheckRobots(target.name, turn.origin, turn.asker))
            self._politeness.place(target)

    def _know_rules(self, host: Host, origin: str, answer: RobotsAnswer, now: float) -> float:
        """There are rules, be they old ones; return for how long a server asked to wait."""
        own_s = self._politeness.manners(host.name).delay_s
        delay_s = max(own_s, answer.crawl_delay_s or 0.0)
        until, failed = answer.expires_at, answer.failure
        if failed is not None:
            until = now + STALE_RULES_S
            host.miss_rules(origin, now, _unread(failed))
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
        since = host.miss_rules(origin, now, why := _unread(failed))
        tried = host.hold or host.holds.get(origin)
        if tried is not None or now + patience.retry_in_s - since > patience.patience_s:
            dead_s = tried.evidence(now) if tried else now - since
            proven = failed.failure in LASTING or dead_s >= self._settings.dead_after_s
            if patience.given_up is not None and proven:
                self._give_up(host, origin, patience.given_up)
            else:
                # Where nothing is known of the host but this origin, it need not be told apart.
                of_host = host.hold is not None or (
                    set(host.origins) == {origin}
                    and host.queue.is_all(lambda url: urls.origin(url) == origin)
                )
                key, asked_s = None if of_host else origin, failed.retry_after_s or 0.0
                self._put_aside(host, key, why, now, since, asked_s=asked_s)
        host.owe(now + patience.retry_in_s)
        return patience.retry_in_s

    @staticmethod
    def _give_up(host: Host, origin: str, given_up: GivenUp) -> None:
        log.info("%s is given up: %s", origin, given_up.detail)
        host.give_up(origin, given_up)

    def _put_aside(
        self,
        host: Host,
        key: str | None,
        why: str,
        now: float,
        since: float | None = None,
        *,
        asked_s: float = 0.0,
    ) -> Hold:
        """Put aside a host, or an origin or a part of it; `since` is of its robots.txt.

        `asked_s` is how long its server asked to be left alone.
        """
        of_rules = since is not None
        began = host.strikes.since if host.strikes.in_a_row else now
        began = began if since is None else since
        hold = host.put_aside(key, why, began, now, of_rules=of_rules, asked_s=asked_s)
        log.info("%s is put aside for %g s: %s", key or host.name, hold.until - now, why)
        self._politeness.quarantine.put(host, hold)
        return hold


def _kept_waiting(outcome: FetchOutcome | None) -> bool:
    """Whether the crawl had to wait for nothing."""
    if isinstance(outcome, Failed):
        return outcome.failure in STALLS
    return isinstance(outcome, Postponed) and outcome.obstacle is Obstacle.CROWD


def _unread(failed: Failed) -> str:
    return f"its robots.txt cannot be read: {_said(failed)}"


def _said(failed: Failed) -> str:
    """Return a failure in words, with what its server asked for."""
    asked = f"; it asks to wait for {failed.retry_after_s:,.0f} s" if failed.retry_after_s else ""
    return f"{failed.failure}: {failed.detail}{asked}"
