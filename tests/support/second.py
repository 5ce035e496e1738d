"""The second of each part behind a port: small, in memory, and enough to crawl with."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import orjson

from crawler import config, urls
from crawler.dedup import Judge, Judged, MemoryCatalog, represents
from crawler.dedup.copies import address_key
from crawler.engine.engine import Learners
from crawler.engine.ports import PageFrontier, PageJudge
from crawler.errors import StoreError
from crawler.fetch import Access, Fetcher, Machine, RequestSlots
from crawler.fetch.addresses import Resolver
from crawler.fetch.transport import HttpTransport
from crawler.frontier import (
    PASSING,
    Abandon,
    CheckRobots,
    Filtered,
    FrontierCounts,
    Health,
    HostSeen,
    LookFor,
    Nearer,
    Pause,
    Refill,
    Refusal,
    RulesSeen,
    SeenSet,
    Subtree,
    Turn,
    UrlBudget,
    Wait,
)
from crawler.frontier.host import key_of
from crawler.frontier.scope import HostOverrides, ScopeFilter
from crawler.frontier.turns import GivenUp
from crawler.frontier.view import HostState
from crawler.models import (
    EXACT_PAYLOAD,
    EditionCount,
    ExactDuplicate,
    Failed,
    FetchOutcome,
    FetchTask,
    Learned,
    Mirrored,
    NearDuplicate,
    NewUrl,
    PageOutcome,
    PayloadKey,
    Postponed,
    Predicted,
    Priority,
    ReadPage,
    Redirected,
    Released,
    Reputation,
    RobotsAnswer,
    SentUrl,
    Shown,
    Signature,
    StoredDocument,
    UrlState,
)
from crawler.observe.internal_errors import InternalErrors
from crawler.observe.summary import Tally
from crawler.sources.web.crawl import Dispatcher
from crawler.sources.web.pipeline import PagePipeline, Parts, ReadingRoom
from crawler.storage.catalog import LayeredCatalog
from crawler.storage.view import FILE_OF_STATE, Accounting
from crawler.workers.pool import AnalysisPool
from support.fetching import Keeper

AT_ONCE = 100
"""URLs that are asked of the store at once."""


class BreadthFirst:
    """A frontier that asks for URLs in the order in which they were found; see PageFrontier.

    A host has one request at a time, and its pause after it. What fails and may pass is asked for
    again at the end of the queue. It cuts nothing, puts nothing aside and knows no budgets.
    """

    def __init__(
        self,
        job: config.Job,
        *,
        next_url_id: int = 1,
        pages_left: int | None = None,
        seen: SeenSet | None = None,
        **_: object,
    ) -> None:
        self._politeness = job.politeness
        self._retries = job.fetch.retries
        self._max_depth = job.limits.depth
        self._scope = ScopeFilter(job.scope, HostOverrides(job))
        self._first_id = self._next_url_id = next_url_id
        self._pages_left = pages_left
        self._seen = SeenSet() if seen is None else seen
        self._elsewhere: Callable[[str], bool] = lambda url: False
        self._owner: Callable[[str], int | None] = lambda host: None
        self._sent = SeenSet()
        self._adopted: set[int] = set()
        self._pending = 0
        self._queue: deque[FetchTask] = deque()
        self._due: dict[str, float] = {}
        """Host -> when it may be asked; for ever while a turn of it is under way."""
        self._delays: dict[str, float] = {}
        self._stirred: set[str] = set()
        self._rules: dict[str, float] = {}
        """Origin -> until when its rules stand."""
        self._missed: Counter[str] = Counter()
        self._given_up: dict[str, GivenUp] = {}
        self._moved: dict[str, str] = {}
        """Origin -> who has its robots.txt."""
        self._stored: dict[str, tuple[int, int, int] | None] = {}
        """Host -> the key behind which it has URLs in the store."""
        self._halted: set[str] = set()

    def take(self, now: float, *, idle: bool = False, strangers: bool = True) -> Turn:
        """See PageFrontier."""
        if self._pages_left == 0:
            return Wait(None)
        for host, after in self._stored.items():
            if self._may(host, now):
                self._due[host] = inf
                return Refill(host, after, AT_ONCE)
        for number, task in enumerate(self._queue):
            if self._may(task.host, now):
                return self._turn(number, task, now)
        waiting = {t.host for t in self._queue} | self._stored.keys()
        due = [self._due.get(host, 0.0) for host in waiting - self._halted]
        return Wait(min((at for at in due if now < at < inf), default=None))

    def _may(self, host: str, now: float) -> bool:
        return self._due.get(host, 0.0) <= now and host not in self._halted

    def _turn(self, number: int, task: FetchTask, now: float) -> Turn:
        origin = urls.origin(task.url)
        if (given_up := self._given_up.get(origin)) is not None:
            of_origin = tuple(t for t in self._queue if urls.origin(t.url) == origin)
            self._queue = deque(t for t in self._queue if t not in of_origin)
            return Abandon(task.host, of_origin, given_up)
        self._due[task.host] = inf
        if self._politeness.robots and self._rules.get(origin, 0.0) <= now:
            return CheckRobots(self._moved.get(origin, task.host), origin, task.host)
        del self._queue[number]
        if self._pages_left is not None:
            self._pages_left -= 1
        return task

    def waiting_for_slot(self, now: float, *, only_strangers: bool) -> float | None:
        """See PageFrontier: nobody is asked to give way."""
        return None

    def reputation(self, name: str) -> Reputation:
        """See PageFrontier."""
        return Reputation(1, 0)

    def resolved(self, host: str, address: str | None, now: float) -> None:
        """See PageFrontier: it never asks."""

    def lease(self, wanted: Callable[[], None]) -> None:
        """See PageFrontier: it knows no addresses."""

    def addresses(self, now: float) -> dict[str, int]:
        """See PageFrontier."""
        return {}

    def grant(self, slots: Mapping[str, int]) -> None:
        """See PageFrontier."""

    def refilled(self, turn: Refill, tasks: list[FetchTask]) -> list[FetchTask]:
        """See PageFrontier."""
        self._due[turn.host] = 0.0
        if len(tasks) < turn.limit:
            del self._stored[turn.host]
        else:
            self._stored[turn.host] = key_of(tasks[-1])
        # The others are queued, or their pages were read.
        waiting = (task for task in tasks if task.url_id < self._first_id)
        earlier = [task for task in waiting if task.url_id not in self._adopted]
        admitted = [t for t in earlier if self._scope.admits(t.url, t.host, seed=t.seed)]
        self._queue.extend(admitted)
        return [task for task in earlier if task not in admitted]

    def robots_answered(
        self, turn: CheckRobots, answer: RobotsAnswer, begun_at: float, now: float
    ) -> None:
        """See PageFrontier."""
        pause_s = self.delay_s(turn.asker)
        if answer.known:
            self._rules[turn.origin] = max(answer.expires_at, now + 1.0)
            self._delays[turn.asker] = answer.crawl_delay_s or 0.0
            pause_s = self.delay_s(turn.asker)
        elif answer.moved_to is not None:
            self._moved[turn.origin] = answer.moved_to
        elif answer.failure is not None:
            self._missed[turn.origin] += 1
            if self._missed[turn.origin] > self._retries:
                why = answer.failure
                self._given_up[turn.origin] = GivenUp(why.failure, why.detail)
            pause_s = max(pause_s, answer.failure.retry_after_s or 0.0)
        self._rest(turn.asker, now + pause_s)

    def _rest(self, host: str, until: float) -> None:
        self._due[host] = until
        self._stirred.add(host)

    def delay_s(self, host: str) -> float:
        """See PageFrontier."""
        return max(self._politeness.delay_s, self._delays.get(host, 0.0))

    def ended(
        self, task: FetchTask, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> FetchOutcome | None:
        """See PageFrontier."""
        last = outcome.last if isinstance(outcome, Redirected) else outcome
        asked_s = (last.retry_after_s or 0.0) if isinstance(last, Failed) else 0.0
        self._rest(task.host, now + max(self.delay_s(task.host), asked_s))
        if isinstance(last, Postponed):
            self._queue.append(task)
            return None
        passing = isinstance(last, Failed) and last.failure in PASSING
        if passing and task.attempt < self._retries:
            self._queue.append(replace(task, attempt=task.attempt + 1))
            return None
        return outcome

    def unread(self, host: str, size: int) -> bool:
        """See PageFrontier: there is always room."""
        return True

    def was_read(self, host: str, size: int) -> None:
        """See PageFrontier."""

    def owes(self, asked: Mapping[str, int], now: float) -> None:
        """See PageFrontier."""

    def spend(self, task: FetchTask, outcome: PageOutcome) -> Subtree | None:
        """See PageFrontier: no host has limits, nothing is cut."""
        return None

    def living_copy(self, task: FetchTask) -> int | None:
        """See PageFrontier: nothing is learned of URLs."""
        return None

    def mirror(self, task: FetchTask) -> Mirrored | None:
        """See PageFrontier: nothing is learned of URLs."""
        return None

    def take_predicted(self, now: float) -> list[Predicted | Released]:
        """Nothing is postponed here."""
        return []

    def hear(self, host: str, url: str, packed: bytes, referrer: str | None) -> None:
        """Nothing is learned of URLs here."""

    def foretold(self, host: str, rule: str, number: int, waiting: int, last: int) -> None:
        """Nothing is postponed here."""

    def settle(self, task: FetchTask, outcome: PageOutcome) -> None:
        """See PageFrontier."""
        self._pending -= 1

    def allow(self, pages: int) -> None:
        """See PageFrontier."""
        self._pages_left = (self._pages_left or 0) + pages

    @property
    def pages_left(self) -> int | None:
        """See PageFrontier."""
        return self._pages_left

    def refund_page(self) -> None:
        """See PageFrontier."""
        if self._pages_left is not None:
            self._pages_left += 1

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
        """See PageFrontier."""
        host = urls.host_key(url)
        if seed:
            self._scope.widen(url)
        is_sitemap = priority is Priority.SITEMAP
        if not self._scope.admits(url, host, seed=seed, sitemap=is_sitemap):
            return Refusal.OUT_OF_SCOPE
        if self._max_depth is not None and depth > self._max_depth:
            return Refusal.TOO_DEEP
        if via is not None and self._elsewhere(url):
            return Refusal.SEEN
        if (partition := self._owner(host)) is not None:
            told = f"{self._max_depth and depth} {url}"
            if via is not None and not self._sent.add(told):
                return Refusal.SEEN
            led_by = via.host if via else None
            return SentUrl(partition, url, depth, priority, hops, seed, led_by)
        if not self._seen.add(url):
            return Refusal.SEEN
        number = self._next_url_id
        self._next_url_id += 1
        self._pending += 1
        referrer = via.url if via else None
        if not asked:
            task = FetchTask(number, url, host, depth, priority, hops, referrer, seed=seed)
            self._queue.append(task)
        return NewUrl(number, url, host, depth, priority, hops, via.url_id if via else None, seed)

    def route(self, owner: Callable[[str], int | None], others: Iterable[int]) -> None:
        """See PageFrontier."""
        self._owner = owner

    def arrived(self, sent: SentUrl) -> NewUrl | SentUrl | Refusal | Filtered:
        """See PageFrontier."""
        return self.offer(
            sent.url, depth=sent.depth, priority=sent.priority, hops=sent.hops, seed=sent.seed
        )

    def adopt(self, task: FetchTask) -> None:
        """See PageFrontier."""
        self._adopted.add(task.url_id)

    def url_budget(self, task: FetchTask, sent_bytes: int) -> UrlBudget | None:
        """See PageFrontier: links cost nothing."""
        return None

    def follows_only(self, url: str) -> bool:
        """See PageFrontier."""
        return self._scope.follows_only(url)

    def leads_on(self, url: str, again: bool, via: FetchTask | None = None) -> bool:
        """See PageFrontier."""
        known = url in self._seen or self._elsewhere(url)
        return self._scope.admits(url, urls.host_key(url)) and (again or not known)

    def depth_of(self, task: FetchTask) -> int:
        """See PageFrontier."""
        return task.depth

    def led_to(
        self,
        task: FetchTask,
        links: tuple[str, ...],
        priority: Priority,
        step: int,
        budget: UrlBudget | None = None,
    ) -> None:
        """See PageFrontier: the first way is the shortest, but for retries."""

    def nearer(self) -> Nearer | None:
        """See PageFrontier."""
        return None

    def owner(self, host: str) -> int | None:
        """See PageFrontier."""
        return self._owner(host)

    def told(self, asker: str) -> None:
        """See PageFrontier: robots.txt of other partitions are not followed."""

    def look_for(self, url: str) -> None:
        """See PageFrontier."""
        raise NotImplementedError(url)

    def looked(self, turn: LookFor, now: float, *, requested: bool) -> None:
        """See PageFrontier."""
        raise NotImplementedError(turn)

    def take_widening(self) -> list[SentUrl]:
        """See PageFrontier."""
        return []

    def take_lowered(self) -> dict[int, int]:
        """See PageFrontier."""
        return {}

    @property
    def pending_depths(self) -> dict[int, int]:
        """See PageFrontier."""
        return {}

    def obey(self, allowed: Callable[[str], bool]) -> None:
        """See PageFrontier: what is forbidden ends when its turn comes."""

    def leave(self, elsewhere: Callable[[str], bool]) -> None:
        """See PageFrontier."""
        self._elsewhere = elsewhere

    def widen(self, seeds: Iterable[str], places: Iterable[str]) -> None:
        """See PageFrontier."""
        for url in seeds:
            self._scope.widen(url)
        for place in places:
            self._scope.keep_directory(place)

    def resume(self, pauses: Mapping[str, Pause], health: Mapping[str, Health], now: float) -> None:
        """See PageFrontier."""
        for host, pause in pauses.items():
            self._delays[host] = pause.delay_s
            self._rest(host, now + pause.left_s)

    def restore(self, host: str, pending: int) -> None:
        """See PageFrontier."""
        self._pending += pending
        self._stored[host] = None

    def take_pauses(self, now: float) -> Iterator[tuple[str, Pause | None]]:
        """See PageFrontier."""
        while self._stirred:
            host = self._stirred.pop()
            left_s = self._due[host] - now
            yield host, Pause(left_s, self.delay_s(host)) if 0.0 < left_s < inf else None

    def take_health(self) -> dict[str, Health]:
        """See PageFrontier: nothing is known."""
        return {}

    def state(self, pending: Iterable[tuple[str, str, str | None, bool]] = ()) -> dict[str, Any]:
        """See PageFrontier."""
        return {"places": sorted(self._scope.kept), "traps": {}}

    def snapshot(self) -> tuple[dict[str, int], Iterator[bytes]]:
        """See PageFrontier."""
        given = self._next_url_id - 1
        return {"urls": given, "missing": given - len(self._seen)}, self._seen.parts()

    def counts(self) -> FrontierCounts:
        """See PageFrontier."""
        hosts = {task.host for task in self._queue}
        return FrontierCounts(len(self._seen), self._pending, len(self._queue), len(hosts), 0)

    def rules_seen(self, now: float, most: int) -> RulesSeen:
        """See PageFrontier: there are none."""
        return RulesSeen()

    def hosts_seen(self, names: Iterable[str], now: float, most: int) -> list[HostSeen]:
        """See PageFrontier."""
        queued = Counter(task.host for task in self._queue)
        found = [*sorted(self._halted), *(name for name in names if name in queued)]
        return [
            HostSeen(
                name,
                HostState.STOPPED if name in self._halted else HostState.DUE,
                why="",
                wait_s=max(0.0, self._due.get(name, 0.0) - now),
                delay_s=self.delay_s(name),
                queued=queued[name],
                in_flight=0,
            )
            for name in dict.fromkeys([*found, *list(queued)[:most]])
        ]

    def left_behind(self) -> list[tuple[str, str]]:
        """See PageFrontier."""
        return [(host, "") for host in sorted(self._halted)]

    def halt(self, host: str, *, halted: bool = True) -> bool:
        """See PageFrontier."""
        if not halted:
            found = host in self._halted
            self._halted.discard(host)
            return found
        known = host in self._due or any(task.host == host for task in self._queue)
        if known:
            self._halted.add(host)
        return known


class MemoryStore:
    """A store in memory, with the catalogue of its pages; see PageStore."""

    def __init__(self) -> None:
        self.catalog = MemoryCatalog()
        self.urls: dict[int, NewUrl] = {}
        self.ends: dict[int, PageOutcome] = {}
        self.lines: dict[str, list[Any]] = defaultdict(list)
        self._learned: dict[str, Learned] = {}
        self._predicted: dict[int, Predicted] = {}
        self._failure: str | None = None

    def submit(self, outcome: PageOutcome) -> None:
        """See PageStore."""
        self._check()
        lines = [(name, orjson.loads(orjson.dumps(line))) for name, line in outcome.lines]
        self.submit_urls(outcome.new_urls)
        if outcome.url_id in self.ends or outcome.url_id not in self.urls:
            self._failure = f"URL {outcome.url_id} ended twice, or was never queued"
            return
        self.ends[outcome.url_id] = outcome
        for name, line in lines:
            self.lines[name].append(line)
        if outcome.document is not None:
            self.catalog.add(outcome.document)
        if outcome.learned is not None:
            self.keep_learned(outcome.learned)

    def submit_urls(self, new_urls: Sequence[NewUrl], sent: Sequence[SentUrl] = ()) -> None:
        """See PageStore."""
        self._check()
        self.urls |= {new.url_id: new for new in new_urls}

    def submit_predicted(self, changes: Sequence[Predicted | Released]) -> None:
        """See PageStore."""
        self._check()
        for change in changes:
            if isinstance(change, Released):
                moved = [p for p in self._predicted.values() if p.rule == change.rule]
                places = {p.url_id: self._predicted.pop(p.url_id).before for p in moved}
            elif change.audit:
                continue
            else:
                first = self._predicted.get(change.url_id, change)
                self._predicted[change.url_id] = change._replace(before=first.before)
                places = {change.url_id: change.priority}
            for id_, priority in places.items():
                self.urls[id_] = replace(self.urls[id_], priority=priority)

    def submit_depths(self, depths: Mapping[int, int]) -> None:
        """See PageStore."""
        self.urls |= {id_: replace(self.urls[id_], depth=depth) for id_, depth in depths.items()}

    async def refill(
        self, host: str, after: tuple[int, int, int] | None, limit: int
    ) -> list[FetchTask]:
        """See PageStore."""
        waiting = (
            FetchTask(
                *(new.url_id, new.url, new.host, new.depth, new.priority, new.hops),
                referrer=None if new.referrer_id is None else self.urls[new.referrer_id].url,
                seed=new.seed,
                rule=told.rule if (told := self._predicted.get(new.url_id)) else None,
            )
            for new in self.urls.values()
            if new.host == host and new.url_id not in self.ends
        )
        return sorted((t for t in waiting if key_of(t) > (after or ())), key=key_of)[:limit]

    async def flush(self) -> None:
        """See PageStore."""
        self._check()

    async def room(self) -> None:
        """See PageStore."""
        self._check()

    def accounting(self) -> Accounting:
        """See PageStore."""
        ends = Counter((end.state, end.detail) for end in self.ends.values())
        if pending := len(self.urls) - len(self.ends):
            ends[UrlState.PENDING, ""] = pending
        return Accounting(ends, {name: len(self.lines[name]) for name in FILE_OF_STATE.values()})

    def learned(self, host: str) -> Learned | None:
        """See KeptLearners."""
        return self._learned.get(host)

    def latest_version(self, host: str) -> int:
        """See KeptLearners: all are in memory."""
        return 0

    def keep_learned(self, known: Learned) -> None:
        """See KeptLearners."""
        self._learned[known.host] = known

    def _check(self) -> None:
        if self._failure is not None:
            raise StoreError(self._failure)


class AwaitedJudge:
    """A judge that answers later, as one elsewhere would: a page at a time; see PageJudge.

    It decides by pages of its own, and is asked for known bytes by what the store has.
    """

    def __init__(self, settings: config.Dedup, stored: MemoryCatalog) -> None:
        self._stored = stored
        self._own = MemoryCatalog()
        self._judge = Judge(settings, self._own, 100)
        self._turn = asyncio.Lock()
        self.waited = 0
        """Pages that waited for their verdict together, at most."""
        self._waiting = 0

    def known_payload(self, key: PayloadKey) -> ExactDuplicate | None:
        """See PageJudge."""
        found = self._stored.by_payload(key)
        return ExactDuplicate(EXACT_PAYLOAD, found) if found else None

    async def decide(
        self,
        key: PayloadKey,
        signature: Signature,
        shown: Shown | None = None,
        page: ReadPage | None = None,
    ) -> Judged:
        """See PageJudge."""
        self._waiting += 1
        self.waited = max(self.waited, self._waiting)
        try:
            async with self._turn:  # which is given in the order in which it is asked for
                for _ in range(3):  # the way there and back
                    await asyncio.sleep(0)
                answer = await self._judge.decide(key, signature, shown)
        finally:
            self._waiting -= 1
        if answer.page_id is not None:
            shown = shown or Shown("")
            is_copy = isinstance(answer.verdict, NearDuplicate)
            row = StoredDocument(
                *(answer.page_id, 0, shown.url, key, signature, represents(answer.verdict)),
                layout=shown.layout,
                address=None if is_copy else address_key(shown.url),
                appearance=shown.appearance,
            )
            self._own.add(row)
        return answer

    def observe(self, url: str, verdict: ExactDuplicate) -> None:
        """See PageJudge."""
        self._judge.observe(url, verdict)

    def take_editions(self) -> tuple[EditionCount, ...]:
        """See PageJudge."""
        return self._judge.take_editions()


async def carried(
    job: config.Job, frontier: PageFrontier, store: MemoryStore, judge: PageJudge | None = None
) -> Tally:
    """Crawl by these parts, all others being those of every crawl; return what ended how."""
    access = Access(job)
    resolver, slots, machine = Resolver(job, access, time.monotonic), RequestSlots(4, 4), Machine()
    pages = LayeredCatalog(store.catalog, b"k" * 24)
    tally, learners, errors = Tally({}), Learners(store), InternalErrors(print)
    transport = HttpTransport(job.fetch, access, resolver, slots.most)
    async with (
        AnalysisPool(job, keys=pages.keys) as pool,
        Fetcher(
            job, transport, resolver, access, slots=slots, machine=machine, rules=Keeper()
        ) as fetcher,
    ):
        frontier.obey(fetcher.robots.allowed)
        parts = Parts(
            frontier=frontier,
            fetcher=fetcher,
            pool=ReadingRoom(pool, slots, frontier),
            judge=judge or Judge(job.dedup, pages, 100),
            store=store,
            pages=pages,
            learners=learners,
            tally=tally,
        )
        clock, wall = time.monotonic, time.time
        pipeline = PagePipeline(job, parts, clock, wall, on_cut=print, errors=errors)
        dispatcher = Dispatcher(
            *(frontier, fetcher, store, pipeline, slots, machine, clock, errors),
            enough=lambda: False,
        )
        for seed in job.seeds:
            fetcher.admit_seed(seed)
            answer = frontier.offer(seed, depth=0, seed=True)
            assert isinstance(answer, NewUrl)
            store.submit_urls([answer])
        await dispatcher.run()
    await store.flush()
    return tally
