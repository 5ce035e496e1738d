"""Frontier, judge and store of a crawl driven with generated pages: CPU by stage, memory, disk.

The parts are a crawl's own, as are batches, lines, transactions and checkpoints; made are the
pages (`benchmarks.scale.web`) and the clock, and nothing is fetched or read. What making pages
takes is left out.
"""

from __future__ import annotations

import asyncio
import gc
import random
import resource
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.scale.web import Page, Web, host_number
from crawler.config import Job, Scope
from crawler.dedup import Judge, likeness
from crawler.dedup.copies import address_key
from crawler.engine import outcomes
from crawler.frontier import CheckRobots, Frontier, Refill, Resolve, Wait
from crawler.garbage import lasting_objects, short_collections
from crawler.models import (
    ExactDuplicate,
    FetchTask,
    NearDuplicate,
    New,
    NewUrl,
    PageOutcome,
    Priority,
    RobotsAnswer,
    Sibling,
    UrlState,
    verdict_name,
)
from crawler.models.enums import ScopeMode
from crawler.observe.progress import Stalls
from crawler.sources.web.checkpoint import Checkpoint, Memory
from crawler.sources.web.pipeline import Offers
from crawler.storage.store import Store
from crawler.urls import host_key

AT_ONCE = 32
"""Pages under way, and refills."""
PAGES_A_BEAT = 500
"""Pages between two checkpoints: 5 seconds at 100 pages a second."""
PAGE_S = 0.002
"""How long a page takes on the clock that hosts are paced by."""
CRAWL_DELAY_S = 10.0
"""Of hosts that have one."""
WINDOWS = 5
"""Into how many parts of equal length a run is cut."""
MIB = 1 << 20
IDENTITY: dict[str, Any] = {}


def job(directory: Path) -> Job:
    """Return the job that is driven: the defaults, on any host."""
    return Job(output=directory, scope=Scope(mode=ScopeMode.ANY))


@dataclass
class Window:
    """What a part of a run took."""

    pages: int
    """Stored by its end."""
    urls: int
    ended: int
    """Pages that came to an end in it, duplicates too."""
    cpu_ms: dict[str, float]
    """Milliseconds of CPU by stage, a page that ended."""
    rss_mib: float
    disk_bytes: int
    longest_ms: dict[str, float]
    """Of one call, by stage."""
    turns: dict[str, int]

    @property
    def total_ms(self) -> float:
        """CPU a page."""
        return sum(self.cpu_ms.values())


@dataclass
class Meter:
    """CPU of the loop's thread by stage; of the writer's, what else the process took."""

    cpu: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    longest: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def __post_init__(self) -> None:
        self._process, self._thread = time.process_time(), time.thread_time()
        self._gc_begun = 0.0
        gc.callbacks.append(self._collected)

    def close(self) -> None:
        """Hear of no more collections."""
        gc.callbacks.remove(self._collected)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what is done within as one call of a stage."""
        begun, wall = time.thread_time(), time.perf_counter()
        yield
        self.cpu[name] += time.thread_time() - begun
        self.longest[name] = max(self.longest[name], time.perf_counter() - wall)

    def take(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return, once, the seconds by stage, and of the longest call of each."""
        process, thread = time.process_time(), time.thread_time()
        self.cpu["commit"] = (process - self._process) - (thread - self._thread)
        self._process, self._thread = process, thread
        cpu, longest = dict(self.cpu), dict(self.longest)
        self.cpu.clear()
        self.longest.clear()
        return cpu, longest

    def _collected(self, phase: str, _: object) -> None:
        if phase == "start":
            self._gc_begun = time.perf_counter()
        else:
            took = time.perf_counter() - self._gc_begun
            self.longest["garbage"] = max(self.longest["garbage"], took)


class Drive:
    """A crawl of `web` that goes on in a store; a `slow` share of its hosts has a Crawl-delay."""

    def __init__(
        self,
        web: Web,
        store: Store,
        frontier: Frontier,
        judge: Judge,
        checkpoint: Checkpoint,
        slow: float,
    ) -> None:
        self._slow = slow
        self._web, self._store, self._frontier, self._judge = web, store, frontier, judge
        self._checkpoint = checkpoint
        self._offers = Offers(frontier, store, job(store.directory).dedup.follow_duplicates)
        self._meter = Meter()
        self._now = 0.0
        self._flying: deque[tuple[FetchTask, float]] = deque()
        self._refills: set[asyncio.Task[None]] = set()
        self._next_id = store.next_document_id
        self._ended = 0
        self._turns: Counter[str] = Counter()

    async def run(self, pages: int) -> list[Window]:
        """Store so many pages more; return what each part of the run took."""
        first, windows = self._next_id, []
        self._meter.take()
        for part in range(1, WINDOWS + 1):
            ended = self._ended
            self._turns.clear()
            while self._next_id - first < pages * part // WINDOWS:
                await self._turn()
            windows.append(await self._window(self._ended - ended))
            _say(str(windows[-1]))
        self._meter.close()
        await asyncio.gather(*self._refills)
        return windows

    async def _window(self, ended: int) -> Window:
        await self._store.flush()
        cpu, longest = self._meter.take()
        directory = self._store.directory
        return Window(
            pages=self._next_id - 1,
            urls=self._frontier.counts().seen,
            ended=ended,
            cpu_ms={name: 1e3 * seconds / ended for name, seconds in cpu.items()},
            rss_mib=rss_mib(),
            disk_bytes=sum(path.stat().st_size for path in directory.iterdir()),
            longest_ms={name: 1e3 * seconds for name, seconds in longest.items()},
            turns=dict(self._turns),
        )

    async def _turn(self) -> None:
        with self._meter.stage("take"):
            turn = self._frontier.take(self._now, idle=False)
        self._turns[type(turn).__name__] += 1
        match turn:
            case FetchTask():
                self._flying.append((turn, self._now))
                if len(self._flying) > AT_ONCE:
                    await self._end_one()
            case Resolve():
                number = turn.host.split(".")[1]
                with self._meter.stage("take"):
                    self._frontier.resolved(turn.host, f"address of {number}", self._now)
            case CheckRobots():
                slow = random.Random(turn.host).random() < self._slow
                answer = RobotsAnswer(
                    requested=True,
                    known=True,
                    expires_at=self._now + 86_400,
                    crawl_delay_s=CRAWL_DELAY_S if slow else None,
                )
                with self._meter.stage("take"):
                    self._frontier.robots_answered(turn, answer, self._now, self._now)
            case Refill():
                refill = asyncio.create_task(self._refill(turn))
                self._refills.add(refill)
                refill.add_done_callback(self._refills.discard)
                await asyncio.sleep(0)
                if len(self._refills) >= AT_ONCE:
                    await asyncio.wait(self._refills, return_when=asyncio.FIRST_COMPLETED)
            case Wait():
                await self._wait(turn)
            case _:
                raise AssertionError(turn)

    async def _wait(self, turn: Wait) -> None:
        if self._flying:
            await self._end_one()
        elif self._refills:
            await asyncio.wait(self._refills, return_when=asyncio.FIRST_COMPLETED)
        else:
            assert turn.until is not None
            self._now = turn.until

    async def _refill(self, turn: Refill) -> None:
        with self._meter.stage("refill"):
            asked = asyncio.ensure_future(self._store.refill(turn.host, turn.after, turn.limit))
        tasks = await asked
        with self._meter.stage("refill"):
            self._frontier.refilled(turn, tasks)

    async def _end_one(self) -> None:
        self._now += PAGE_S
        task, begun_at = self._flying.popleft()
        page = self._web.answer(task)
        with self._meter.stage("take"):
            self._frontier.ended(task, page.fetched, begun_at, self._now)
        self._end(task, page)
        self._ended += 1
        if self._ended % PAGES_A_BEAT == 0:
            await self._beat()
        if self._ended % AT_ONCE == 0:
            await asyncio.sleep(0)
        await self._store.room()

    def _end(self, task: FetchTask, page: Page) -> None:
        """Judge a page, offer its links and end it, as `crawler.sources.web.pipeline` does."""
        frontier, catalog, document = self._frontier, self._store.catalog, page.document
        with self._meter.stage("judge"):
            next_id = self._next_id
            verdict = self._judge.known_payload(page.key) or self._judge.judge(
                page.key, document.signature, next_id, outcomes.shown(task.url, document)
            )
            kept = self._judge.keeps(verdict)
            alike = like = None
            if isinstance(verdict, ExactDuplicate | NearDuplicate | Sibling) and not kept:
                alike = likeness(verdict, document, catalog)
                if not isinstance(verdict, ExactDuplicate):
                    like = catalog.appearance(verdict.of.id) or b""
        self._turns[verdict_name(verdict)] += 1
        self._next_id += kept
        with self._meter.stage("offer"):
            self._offers.open(task, page.fetched.wire_bytes)
            costs = outcomes.costs(page.fetched, document)
            outcome = outcomes.judged(
                *(task.url_id, verdict, page.key, costs, document),
                is_stored=kept,
                likeness=alike,
            )
            self._offers.links(outcome, task, document.links, follow=True, copied=not kept)
        with self._meter.stage("end"):
            outcomes.page_end(outcome, page.fetched, document, next_id if kept else None, like)
        with self._meter.stage("settle"):
            frontier.spend(task, outcome)
        with self._meter.stage("end"):
            self._store.submit(outcome)
            self._offers.handed_over()
        with self._meter.stage("settle"):
            frontier.settle(task, outcome)

    async def _beat(self) -> None:
        with self._meter.stage("beat"):
            await self._checkpoint.mark(self._frontier, Stalls(), stopped=False)


def rss_mib() -> float:
    """Return the memory of this process, in MiB."""
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * resource.getpagesize() / MIB


@dataclass
class Restart:
    """How a run came to its first turn, in seconds."""

    wall_s: float
    cpu_s: dict[str, float]
    """By stage: the store opened, seen set and judge restored, hosts."""
    rss_mib: float


async def resume(directory: Path, pages: int, slow: float) -> tuple[Restart, list[Window]]:
    """Take up a crawl as the crawler does, leave a snapshot, and store so many pages more."""
    begun, setup = time.perf_counter(), job(directory)
    cpu = {"": time.process_time()}
    opened = Store.open(directory, IDENTITY)
    cpu["open"] = time.process_time()
    async with opened as store:
        memory = Memory(setup, store, _say, asyncio.Event())
        checkpoint = Checkpoint(setup, store, lambda: 0.0)
        with lasting_objects():
            found = await memory.restore(max(100_000, 2 * store.next_document_id))
            assert found is not None
            cpu["memory"] = time.process_time()
            frontier = await checkpoint.frontier(0, found[0], asyncio.Event())
            assert isinstance(frontier, Frontier)
            judge = found[1]
            assert isinstance(judge, Judge)
            cpu["hosts"] = time.process_time()
        spent = {stage: cpu[stage] - cpu[before] for before, stage in pairwise(cpu)}
        restart = Restart(time.perf_counter() - begun, spent, rss_mib())
        windows = []
        if pages:
            store.begin_run(setup.model_dump(mode="json"), {})
            await memory.save(frontier, judge)
            web = Web(frontier.counts().hosts)
            web.go_on(store.next_document_id - 1, store.next_url_id)
            drive = Drive(web, store, frontier, judge, checkpoint, slow)
            with short_collections():
                windows = await drive.run(pages)
    return restart, windows


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


async def prime(directory: Path, web: Web, pages: int) -> None:
    """Begin a crawl in an empty directory with so many stored pages, none of them judged.

    Each page is new, and has no line: of what a page costs only the store's part is spent.
    """
    async with Store.create(directory, IDENTITY) as store:
        seeds = [_new(n, host_key(url), url) for n, url in enumerate(web.seeds(), 1)]
        waiting, next_id = deque(seeds), len(seeds) + 1
        store.submit_urls(seeds)
        for number in range(1, pages + 1):
            one = waiting.popleft()
            key, document = web.new(host_number(one.host))
            urls = web.fresh(host_number(one.host))
            new = tuple(_new(next_id + n, *url, via=one.url_id) for n, url in enumerate(urls))
            next_id += len(new)
            waiting.append(new[0])
            outcome = PageOutcome(one.url_id, UrlState.STORED, end=New(), payload=key, new_urls=new)
            outcome.document = outcomes.stored_document(
                number, one.url, document, outcome, address_key(one.url)
            )
            store.submit(outcome)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
                await store.room()
        store.begin_run(job(directory).model_dump(mode="json"))
        store.mark_run(stopped=True)


def _new(url_id: int, host: str, url: str, via: int | None = None) -> NewUrl:
    return NewUrl(url_id, url, host, 1, Priority.ORDINARY, 0, via)
