"""The only wiring.

Opens the parts, lets turns be played, stops where limits or the disk say so, drains, closes.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import (
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import crawler
from crawler.config import Job
from crawler.console import Say
from crawler.dedup.pictures import Pictures
from crawler.engine import outcomes
from crawler.engine.engine import Learners
from crawler.engine.ports import PageFrontier, PageStore, RememberedJudge
from crawler.errors import CrawlerError, StoreError
from crawler.fetch import (
    Access,
    Fetcher,
    Machine,
    RequestSlots,
    connections_left,
    raise_limit,
    slots_within,
)
from crawler.fetch.access import user_agent
from crawler.fetch.addresses import Resolver
from crawler.fetch.browser import Browsers
from crawler.fetch.robots_cache import Said
from crawler.fetch.transport import HttpTransport
from crawler.fetch.trouble import Trouble
from crawler.frontier import (
    Abandon,
    CheckRobots,
    Filtered,
    Frontier,
    LookFor,
    Refill,
    Refusal,
    Resolve,
    Subtree,
    UrlFilters,
    Wait,
)
from crawler.frontier.view import waited_for
from crawler.garbage import lasting_objects, short_collections
from crawler.models import (
    SIBLING,
    Failed,
    Failure,
    FetchTask,
    NewUrl,
    Obstacle,
    RobotsAnswer,
    SentUrl,
    Skip,
    Skipped,
    UrlState,
)
from crawler.observe.counting import Counts
from crawler.observe.internal_errors import InternalErrors
from crawler.observe.parts import parts_in_use
from crawler.observe.progress import Progress, Stalls, in_slices
from crawler.observe.summary import Tally
from crawler.observe.watching import Phase, Reading, Sight, Watcher
from crawler.plugins import Made, made
from crawler.sources.event_loop import run_work, until_any
from crawler.sources.web.checkpoint import Checkpoint, Memory
from crawler.sources.web.pipeline import PagePipeline, Parts, ReadingRoom
from crawler.sources.web.recrawl import Visits, write_changes
from crawler.sources.web.rendering import Rendering
from crawler.sources.web.rescope import Rescope
from crawler.sources.web.sinks import Sinks
from crawler.storage.archive import Archiving
from crawler.storage.catalog import LayeredCatalog
from crawler.storage.database import reading_stored_values
from crawler.storage.reference_index import open_layers
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.urls import Canonicaliser
from crawler.workers.pool import AnalysisPool

if TYPE_CHECKING:
    from crawler.config.job import Limits


# ---------------------------------------------------------------- turns
# Plays the frontier's turns: asks for the next one when there is room, answers each.


Began = FetchTask | Resolve | CheckRobots | LookFor | Refill | Abandon
"""A turn that is not to wait."""


class Dispatcher:
    """One coroutine asks the frontier, and begins a task for each turn that it is given.

    `run` ends when the frontier has nothing to wait for and nothing is under way; after `stop`, and
    where there is `enough`, when what was under way has ended. While the `machine` is in trouble
    nothing is begun. `clock` is monotonic.
    """

    def __init__(
        self,
        frontier: PageFrontier,
        fetcher: Fetcher,
        store: PageStore,
        life: PagePipeline,
        slots: RequestSlots,
        machine: Machine,
        clock: Callable[[], float],
        errors: InternalErrors,
        enough: Callable[[], bool],
        may_end: Callable[[], bool] = lambda: True,
        look_elsewhere: Callable[[str, int], Awaitable[Said]] | None = None,
    ) -> None:
        """Where nothing is left, `may_end` tells whether nothing can come from elsewhere.

        `look_elsewhere` has the partition of that number look for a place of a host of its own.
        """
        self._look_elsewhere = look_elsewhere
        self._waiting = set[asyncio.Task[None]]()
        self._guests: dict[str, asyncio.Future[Said]] = {}
        self._may_end = may_end
        self._frontier = frontier
        self._fetcher = fetcher
        self._store = store
        self._life = life
        self._slots = slots
        self._machine = machine
        self._clock = clock
        self._errors = errors
        self._enough = enough
        self._stopped = False
        self.at_rest = False
        """Whether nothing is left, and it waits for what may come from elsewhere."""
        self.paused = False
        """Whether no turn is begun until `go_on`."""
        self.played = 0
        """Turns that have ended."""

    def stop(self) -> None:
        """Begin no new turn."""
        self._stopped = True
        self.wake()

    def pause(self) -> None:
        """Begin nothing until `go_on`; what is under way ends, and the crawl does not."""
        self.paused = True

    def go_on(self) -> None:
        """Begin turns again after `pause`."""
        self.paused = False
        self.wake()

    def wake(self) -> None:
        """Ask for a turn now: somebody has queued a URL meanwhile."""
        self.at_rest = False  # until that is seen
        self._slots.changed.set()

    @property
    def waits(self) -> bool:
        """Whether another partition is asked for a place to which a robots.txt has led."""
        return bool(self._waiting)

    @property
    def has_guests(self) -> bool:
        """Whether other partitions wait for such a place here."""
        return bool(self._guests)

    async def look(self, url: str) -> Said:
        """Return what a place of a host of ours says, in its turn; for another partition."""
        waits = self._guests.get(url)
        if waits is None:
            waits = self._guests[url] = asyncio.get_running_loop().create_future()
            self._frontier.look_for(url)
            self.wake()
        return await asyncio.shield(waits)

    @property
    def in_flight(self) -> int:
        """Turns under way."""
        return self._slots.under_way

    async def run(self) -> None:
        """Play turns to the end. Raises StoreError where the store cannot go on."""
        try:
            async with asyncio.TaskGroup() as self._group:
                while (turn := await self._next_turn()) is not None:
                    self._slots.begin(turn.host, self._frontier.reputation(turn.host))
                    self._group.create_task(self._play(turn))
                for task in self._waiting:
                    task.cancel()
        except* CrawlerError as fatal:
            raise fatal.exceptions[0] from None

    async def _next_turn(self) -> Began | None:
        """Return the next turn, when it is due and has a place; None when there will be none."""
        slots = self._slots
        while not (self._stopped or self._enough()):
            slots.changed.clear()
            self.at_rest = False
            if self.paused or not self._machine.may_ask():
                await self._wait(None)
                continue
            now, until = self._clock(), None
            if self._machine.until > now:
                await self._wait(self._machine.until)
                continue
            if not slots.full:
                strangers = not slots.full_of_strangers
                idle = slots.idle and not self._waiting
                turn = self._frontier.take(now, idle=idle, strangers=strangers)
                self._store.submit_predicted(self._frontier.take_predicted(now))
                if not isinstance(turn, Wait):
                    return turn
                until = turn.until
                if until is None and slots.idle and not turn.lacks_slots:
                    if not self._waiting and self._may_end():
                        return None
                    self.at_rest = True
            again = self._make_room(now)
            await self._wait(min((at for at in (until, again) if at is not None), default=None))
        self.at_rest = False
        return None

    def _make_room(self, now: float) -> float | None:
        """Where a host is due that finds no place, ask a page for its own that keeps it waiting.

        Return when to look again; None: when something changes.
        """
        slots = self._slots
        if not slots.full_of_strangers:
            return None
        due = self._frontier.waiting_for_slot(now, only_strangers=not slots.full)
        stalls_at = slots.stalls_at()
        if due is None or stalls_at is None:
            return None
        if (at := max(due, stalls_at)) > now:
            return at
        slots.give_way()
        return None

    async def _wait(self, until: float | None) -> None:
        changed, timer = self._slots.changed, None
        if until is not None:
            delay_s = max(0.0, until - self._clock())
            timer = asyncio.get_running_loop().call_later(delay_s, changed.set)
        try:
            await changed.wait()
        finally:
            if timer is not None:
                timer.cancel()

    async def _play(self, turn: Began) -> None:
        begun_at = self._clock()
        try:
            match turn:
                case FetchTask():
                    await self._life.run(turn)
                case Resolve():
                    await self._resolve(turn)
                case CheckRobots():
                    await self._check_robots(turn)
                case LookFor():
                    await self._look(turn)
                case Refill():
                    await self._refill(turn)
                case Abandon():
                    self._abandon(turn)
        except MemoryError:
            if not isinstance(turn, FetchTask):
                raise
            self._machine.short_of(errno.ENOMEM, begun_at)
        finally:
            self.played += 1
            self._slots.end(turn.host)

    async def _resolve(self, turn: Resolve) -> None:
        address = None
        try:
            address = await self._fetcher.resolve(turn.host)
        except Exception as error:
            self._errors.tell(f"address of {turn.host}", error)
        self._frontier.resolved(turn.host, address, self._clock())

    async def _check_robots(self, turn: CheckRobots) -> None:
        begun_at = self._clock()
        try:
            answer = await self._fetcher.robots.refresh(turn.origin)
        except Exception as error:
            url = f"{turn.origin}/robots.txt"
            self._errors.tell(url, error)
            task = FetchTask(0, url, turn.host, 0)
            failed = Failed(task, Failure.INTERNAL_ERROR, type(error).__name__, time.time())
            answer = RobotsAnswer(requested=True, failure=failed)
        self._frontier.robots_answered(turn, answer, begun_at, self._clock())
        if answer.moved_to is not None and answer.moved_to_url is not None:
            owner = self._frontier.owner(answer.moved_to)
            if owner is not None:
                waiting = self._group.create_task(self._wait_for(turn, answer.moved_to_url, owner))
                self._waiting.add(waiting)
                waiting.add_done_callback(self._waited)

    async def _wait_for(self, turn: CheckRobots, url: str, owner: int) -> None:
        """Have the owner of a place look for it, which takes no slot here."""
        assert self._look_elsewhere is not None
        try:
            said = await self._look_elsewhere(url, owner)
        except CrawlerError:
            raise
        except Exception as error:
            self._errors.tell(url, error)
            said = Trouble(Failure.INTERNAL_ERROR, type(error).__name__)
        self._fetcher.robots.told(url, said)
        self._frontier.told(turn.asker)
        self.wake()

    def _waited(self, waiting: asyncio.Task[None]) -> None:
        self._waiting.discard(waiting)
        self.wake()

    async def _look(self, turn: LookFor) -> None:
        requested = True
        said: Said = Trouble(Obstacle.MACHINE, "it was not asked")
        try:
            said, requested = await self._fetcher.robots.look(turn.url)
        finally:
            self._guests.pop(turn.url).set_result(said)
            self._frontier.looked(turn, self._clock(), requested=requested)

    async def _refill(self, turn: Refill) -> None:
        tasks = await self._store.refill(turn.host, turn.after, turn.limit)
        now = time.time()
        for task in self._frontier.refilled(turn, tasks):
            skipped = Skipped(task, Skip.OUT_OF_SCOPE, "the job has changed", now)
            self._life.end(task, outcomes.skip_end(skipped))

    def _abandon(self, turn: Abandon) -> None:
        now = time.time()
        reason, detail = turn.given_up.reason, turn.given_up.detail
        for task in turn.tasks:
            if isinstance(reason, Skip):
                self._life.end(task, outcomes.skip_end(Skipped(task, reason, detail, now)))
            else:
                self._life.end(task, outcomes.fail_end(Failed(task, reason, detail, now)))


# ---------------------------------------------------------------- disk
# How much of the disk a crawl has taken, and how much is left: where it has enough, it stops.
#
# Looked at once a moment, however many pages come: a page more or less is no matter, and a
# directory of many files takes milliseconds to measure.


EVERY_S = 2.0
"""Seconds between two looks; `progress_s`, where that is shorter."""


class Disk:
    """Holds a directory against the limits of a job; nothing is measured where it sets none."""

    def __init__(self, limits: Limits, directory: Path, report: Say) -> None:
        self._most, self._least_free = limits.disk, limits.free_disk
        self._directory = directory
        self._report = report
        self.full = False
        """Whether a limit was reached; the run begins no new page."""

    async def look(self) -> None:
        """Measure once."""
        if self.full or (self._most is None and self._least_free is None):
            return
        why = await asyncio.to_thread(self._why)
        if why is not None:
            self.full = True
            self._report(f"{why}: waiting for the pages in progress.")

    async def watch(
        self,
        every_s: float,
        reached: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Measure again and again until a limit is reached; then tell so, and return."""
        if self._most is None and self._least_free is None:
            return
        while not self.full:
            await sleep(min(every_s, EVERY_S))
            await self.look()
        reached()

    def _why(self) -> str | None:
        if self._most is not None and (used := used_bytes(self._directory)) >= self._most:
            return f"{used:,} bytes on disk, and limits.disk is {self._most:,}"
        if self._least_free is not None:
            free = free_bytes(self._directory)
            if free < self._least_free:
                return f"{free:,} bytes free on disk, and limits.free_disk is {self._least_free:,}"
        return None


def free_bytes(directory: Path) -> int:
    """Return how many bytes this user may still write to the disk of a directory."""
    return shutil.disk_usage(directory).free


def used_bytes(directory: Path) -> int:
    """Return the bytes of all files in a directory and below; links are not followed."""
    used = 0
    for folder, _, files in os.walk(directory):
        for file in files:
            with suppress(OSError):  # a journal of SQLite comes and goes
                used += (Path(folder) / file).lstat().st_size
    return used


# ---------------------------------------------------------------- telling
# What a run says to who watches it, beside its progress.


MOST_LOOKED_AT = 20
"""Hosts that are looked at for what is waited for."""
MOST_ASIDE = 20
"""Hosts and sites that were put aside, told of one by one."""


def of_what_is_left(frontier: PageFrontier) -> Iterator[str]:
    """Yield what was put aside and did not come back, and why."""
    left = frontier.left_behind()
    aside = [(name, why) for name, why in left if why]
    for name, why in aside[:MOST_ASIDE]:
        yield f"{name}: put aside, its URLs stay pending: {why}"
    if len(aside) > MOST_ASIDE:
        yield f"... and {len(aside) - MOST_ASIDE:,} more like these"
    for name in (name for name, why in left if not why):
        yield f"{name}: stopped on the live page, its URLs stay pending"


def archiving(job: Job) -> Archiving:
    """Return how a run of `job` archives, with what each of its files says of it."""
    info = {
        "software": f"inline-crawler/{crawler.__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/"
        "warc-1.1/",
        "http-header-user-agent": user_agent(job.user_agent),
        "robots": "obey" if job.politeness.robots else "ignore",
        "inline-crawler-job": job.model_dump_json(),
    }
    if job.user_agent.contact:
        info["operator"] = job.user_agent.contact
    return Archiving(info, job.storage.warc_bytes, job.storage.warc_near)


# ---------------------------------------------------------------- crawl
# A crawl ends when the frontier has nothing more to wait for and nothing is under way, or when it
# is told to stop; either way all that was judged is committed and the accounting identity is
# checked.


LEARNERS_A_SLICE = 10
"""Learners that are packed at once: some 10 ms."""

EXPECTED_PAGES, MOST_EXPECTED_PAGES = 100_000, 10_000_000
"""What a crawl makes room for at first, without a limit and with a very high one; all can grow."""


class Share(Protocol):
    """What makes a crawl one partition of several: the hosts that are its own, one judge for all.

    `crawler.cluster.partition.Partition` is one.
    """

    def pages(self, store: Store) -> LayeredCatalog:
        """Return the stored pages that a verdict may name."""

    def judge(self, store: Store) -> RememberedJudge:
        """Return what judges."""

    def opened(
        self, dispatcher: Dispatcher, frontier: PageFrontier, pipeline: PagePipeline
    ) -> None:
        """All parts are open, and what earlier runs left is restored: route URLs by their hosts."""

    async def exchanging(self) -> None:
        """Send and take what is to be, until cancelled. What it raises ends the crawl."""

    async def begin(self) -> None:
        """Come to the end of what earlier runs left half done, before any turn is played."""

    async def look_elsewhere(self, url: str, owner: int) -> Said:
        """Return what a place says that its owner asks for (`Robots.look`)."""

    def may_ask(self) -> bool:
        """Whether this process alone may ask the hosts of this partition, now."""

    def may_end(self) -> bool:
        """Whether nothing can come any more of which this partition does not know."""


class Crawl:
    """One run of a job over an opened store. Make it, `run` it once, `stop` it if need be.

    Who watches it sees and steers it as a `Steering` (`observe.watching`), which decides nothing: a
    pause is the dispatcher's, a stopped host the frontier's.
    """

    def __init__(
        self,
        job: Job,
        store: Store,
        *,
        report: Say = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        meter: Counts | None = None,
        watcher: Watcher | None = None,
        plugins: Made | None = None,
        frontier: Callable[..., PageFrontier] = Frontier,
        share: Share | None = None,
    ) -> None:
        """`meter` measures the run, `watcher` watches and steers it; a partition has a `share`.

        `plugins` are those of the job unless given. Raises ConfigError where one of those cannot be
        made. `frontier` makes the run's frontier, of what `Frontier` is made of.
        """
        self._meter = meter
        self._watcher = watcher
        self._share = share
        self._job = job
        self._store = store
        self._report = report
        self._clock = clock
        self._wall = wall
        tracking = frozenset(job.urls.tracking_parameters)
        self._canonicalise = Canonicaliser(tracking, routes=job.renders)
        self.began = asyncio.Event()
        """Set when the seeds are queued; not where the run is stopped before."""
        self._stop_asked = asyncio.Event()
        self._timed_out = False
        self._is_closing = False
        self._disk = Disk(job.limits, store.directory, report)
        self._dispatcher: Dispatcher | None = None
        self._turns: asyncio.Task[None] | None = None
        if job.storage.warc:
            store.archive(archiving(job))
        self._errors = InternalErrors(report)
        self._plugins = plugins or made(job.plugins)
        filters = UrlFilters(self._plugins.filters, self._errors.tell_of_filter)
        self._checkpoint = Checkpoint(job, store, clock, filters, frontier)
        self._sinks = Sinks(
            self._plugins.sinks, store, self.stop, self._stop_asked, job.grace_s, report
        )
        judge = None if share is None else partial(share.judge, store)
        self._memory = Memory(job, store, report, self._stop_asked, clock, judge)
        self._learners = Learners(store, report=report)
        self._stalls = Stalls(clock)
        sent = int(store.totals.sums.get("wire_bytes", 0))
        hear = [each.add for each in (meter, watcher) if each is not None]
        self.tally = Tally(store.counts.by_state, sent, hear, store.counts.ended_as(SIBLING))

    async def run(self) -> None:
        """Crawl until nothing is left or `stop` is called; the store is closed when this returns.

        Raises StoreError where the store cannot go on. Trouble with pages is in the output.
        """
        by = self._watcher
        watched = by.watching(self) if by is not None else nullcontext()
        async with watched, self._open() as dispatcher:
            if dispatcher is not None:
                await self._crawl(dispatcher)

    async def _crawl(self, dispatcher: Dispatcher) -> None:
        every_s = self._job.progress_s
        rescope = Rescope.than_before(self._job, self._store, self._report)
        told = self._plugins.told
        for kind, names in told.items():
            self._report(f"Plugins, {kind}: {', '.join(names)}")
        self._store.begin_run(self._job.model_dump(mode="json"), parts_in_use(told))
        await self._mark_run()
        self._offer_seeds()
        if self._visits is not None:
            await self._visits.offer(self._frontier)
        if rescope is not None:
            await rescope.offer(self._frontier, self._stop_asked.is_set)
        self.began.set()
        await self._disk.look()
        exchanging = None
        if self._share is not None:
            exchanging = asyncio.create_task(self._share.exchanging())
            exchanging.add_done_callback(self._exchange_ended)
        watching = asyncio.create_task(self._disk.watch(every_s, dispatcher.wake))
        beat = asyncio.create_task(self._mark_again_and_again())
        frontier, stalls = self._frontier, self._stalls
        progress = Progress(
            *(self.tally, frontier.counts, every_s, self._report),
            stalls=stalls,
            waits=lambda: waited_for(frontier.hosts_seen((), time.monotonic(), MOST_LOOKED_AT)),
        )
        try:
            async with progress:
                if self._share is not None:
                    self._turns = asyncio.create_task(self._share.begin())
                    await self._finish(self._turns)
                self._turns = asyncio.create_task(dispatcher.run())
                await self._finish(self._turns)
        finally:
            watching.cancel()
            beat.cancel()
            if exchanging is not None:
                exchanging.cancel()
                with suppress(asyncio.CancelledError):
                    await exchanging
        self._is_closing = True
        for line in of_what_is_left(self._frontier):
            self._report(line)
        await self._mark_run()
        # What pages that came after the last lesson changed: how many were served.
        async for some in in_slices(self._learners.unsaved(), LEARNERS_A_SLICE):
            for known in some:
                self._store.keep_learned(known)
        self._store.submit_depths(self._frontier.pending_depths)
        await self._store.flush()
        self._checkpoint.count_held(self._frontier, self._report)
        if self._memory.is_worth(self._frontier):
            await self._memory.save(self._frontier, self._judge)
        self._checkpoint.check_accounts(self._frontier)
        await self._sinks.finish()
        await self._store.flush()

    async def _finish(self, turns: asyncio.Task[None]) -> None:
        """Wait for the turns to end; after a stop, or the time limit, for the grace period only."""
        try:
            if not await until_any(turns, self._stop_asked, timeout=self._job.limits.time_s):
                self._report("Time limit reached: waiting for the pages in progress.")
                self._timed_out = True
                self._end_turns()
            await asyncio.wait({turns}, timeout=self._job.grace_s)
        finally:
            turns.cancel()
            await asyncio.wait({turns})
        if not turns.cancelled():
            turns.result()

    def _exchange_ended(self, exchanging: asyncio.Task[None]) -> None:
        if not exchanging.cancelled():
            self.cancel()

    def stop(self) -> None:
        """Begin no new page; let those under way finish within the job's grace period."""
        self._stop_asked.set()
        self._end_turns()

    def _end_turns(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher.stop()

    def _has_enough(self) -> bool:
        most = self._job.limits.bytes
        return self._disk.full or (most is not None and self.tally.wire_bytes >= most)

    def cancel(self) -> None:
        """Drop the pages under way; they stay pending and a resume fetches them."""
        self.stop()
        self._sinks.drop()
        if self._turns is not None:
            self._turns.cancel()

    @property
    def stopped(self) -> bool:
        """Whether the run was ended from the outside."""
        return self._stop_asked.is_set()

    # ----------------------------------------------------------------------------------------------
    # Measured, seen and steered

    def _gauges(self) -> Reading:
        """Return how the parts are doing; reads plain numbers, so any thread may ask."""
        counts = self._frontier.counts()
        return {
            ("crawler_frontier_urls", "seen"): counts.seen,
            ("crawler_frontier_urls", "pending"): counts.pending,
            ("crawler_frontier_urls", "in_memory"): counts.in_memory,
            ("crawler_frontier_hosts", "known"): counts.hosts,
            ("crawler_frontier_hosts", "aside"): counts.aside,
            ("crawler_pool_pages", "waiting"): self._pool.waiting,
            ("crawler_pool_pages", "reading"): self._pool.busy,
            ("crawler_pool_processes", ""): self._pool.processes,
            ("crawler_event_loop_stall_longest_seconds", ""): self._stalls.longest_s,
            ("crawler_event_loop_stall_p99_seconds", ""): self._stalls.p99_s,
        }

    @property
    def _phase(self) -> Phase:
        if self._is_closing:
            return Phase.CLOSING
        if self.stopped:
            return Phase.STOPPING
        if not self.began.is_set():
            return Phase.OPENING
        assert self._dispatcher is not None
        return Phase.PAUSED if self._dispatcher.paused else Phase.RUNNING

    def look(self, names: Iterable[str], most: int) -> Sight:
        """See Steering."""
        tally, dispatcher = self.tally, self._dispatcher
        ends = {state: tally.count(state) for state in UrlState}
        sight = Sight(self._phase, ends, tally.wire_bytes, tally.siblings)
        if dispatcher is None:
            return sight
        counts, now = self._frontier.counts(), self._clock()
        return replace(
            sight,
            seen=counts.seen,
            pending=counts.pending,
            in_memory=counts.in_memory,
            known_hosts=counts.hosts,
            aside=counts.aside,
            unread=self._pool.waiting,
            reading=self._pool.busy,
            in_flight=dispatcher.in_flight,
            turns=dispatcher.played,
            stall_p99_s=self._stalls.p99_s,
            hosts=tuple(self._frontier.hosts_seen(names, now, most)),
            rules=self._frontier.rules_seen(now, most),
        )

    def pause(self) -> None:
        """See Steering."""
        if self._dispatcher is not None and self._phase is Phase.RUNNING:
            self._dispatcher.pause()

    def go_on(self) -> None:
        """See Steering."""
        if self._dispatcher is not None:
            self._dispatcher.go_on()

    def stop_host(self, name: str) -> bool:
        """See Steering."""
        return self._dispatcher is not None and self._frontier.halt(name)

    def release_host(self, name: str) -> bool:
        """See Steering."""
        if self._dispatcher is None or not self._frontier.halt(name, halted=False):
            return False
        self._dispatcher.wake()
        return True

    # ----------------------------------------------------------------------------------------------

    async def _mark_again_and_again(self) -> None:
        """Note where this run stands, lest it be killed."""
        with suppress(StoreError):  # the crawl hears of it by itself
            while True:
                await asyncio.sleep(self._job.progress_s)
                try:
                    await self._mark_run()
                    if self._memory.is_due(self._frontier):
                        await self._memory.save(self._frontier, self._judge)
                except StoreError:
                    raise
                except Exception as error:
                    self._errors.tell("where this run stands", error)

    def _report_cut(self, cut: Subtree) -> None:
        self._checkpoint.keep(self._frontier)
        self._report(
            f"Cut as endless: {cut.name}: of its last {cut.streak:,} pages {cut.streak_new:,} were "
            f"new, and each page linked to {cut.streak_found / cut.streak:.1f} further URLs there; "
            "its other URLs stay pending"
        )

    async def _mark_run(self) -> None:
        await self._checkpoint.mark(
            self._frontier,
            self._stalls,
            stopped=self.stopped,
            timed_out=self._timed_out,
            disk_full=self._disk.full,
        )

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Dispatcher | None]:
        """Open all parts; None where the run was stopped before all was restored."""
        job, clock = self._job, self._clock
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._store)
            stack.enter_context(self._stalls)
            stack.enter_context(short_collections())
            earlier, judged_by = stack.enter_context(ExitStack()), store.meta(Meta.IDENTITY)
            if self._share is None:
                self._pages = open_layers(job.dedup.against, store, judged_by, earlier)
            else:
                self._pages = self._share.pages(store)
            pool = self._pool = AnalysisPool(job, keys=self._pages.keys)
            # It takes a second, in which what is known is restored.
            ready = await stack.enter_async_context(pool.opening())
            judge = await self._restore()
            if judge is None or not await self._are_ready(ready):
                yield None
                return
            may_ask = self._share.may_ask if self._share is not None else lambda: True
            slots, machine = self._slots(), Machine(self._report, clock, may_ask=may_ask)
            access = Access(job)
            resolver = Resolver(job, access, clock)
            fetcher = Fetcher(
                job,
                HttpTransport(job.fetch, access, resolver, slots.most),
                resolver,
                access,
                clock=clock,
                wall=self._wall,
                slots=slots,
                machine=machine,
                rules=store,
            )
            self._frontier.obey(fetcher.robots.allowed)
            fetcher.robots.ask_only(lambda host: self._frontier.owner(host) is None)
            self._fetcher = await stack.enter_async_context(fetcher)
            room = ReadingRoom(pool, slots, self._frontier)
            if self._meter is not None:
                stack.enter_context(self._meter.reading(self._gauges))
            rendering, pictures = None, None
            if job.dedup.visual:
                pictures = Pictures()
                for page in store.pictures():
                    pictures.add(*page)
            if job.renders:
                browsers = Browsers(
                    job,
                    fetcher.resources,
                    access.agent,
                    lambda asked: self._frontier.owes(asked, clock()),
                    self._wall,
                )
                await stack.enter_async_context(browsers)
                rendering = Rendering(
                    job, pool, browsers, store.totals.rendering, room.aside, self._wall
                )
            parts = Parts(
                frontier=self._frontier,
                fetcher=fetcher,
                pool=room,
                judge=judge,
                store=store,
                pages=self._pages,
                learners=self._learners,
                tally=self.tally,
                pictures=pictures,
                rendering=rendering,
            )
            self._visits = await Visits.opened(job, store, stack, self._report)
            if self._visits is not None:
                await self._visits.prepare(self._frontier, self._stop_asked)
            pipeline = PagePipeline(
                job,
                parts,
                clock,
                self._wall,
                on_cut=self._report_cut,
                on_widened=partial(self._checkpoint.keep, self._frontier),
                errors=self._errors,
                visits=self._visits,
                judged=self._meter.judged if self._meter is not None else None,
            )
            self._dispatcher = Dispatcher(
                self._frontier,
                fetcher,
                store,
                pipeline,
                slots,
                machine,
                clock,
                self._errors,
                self._has_enough,
                self._share.may_end if self._share is not None else lambda: True,
                self._share.look_elsewhere if self._share is not None else None,
            )
            if self._share is not None:
                self._share.opened(self._dispatcher, self._frontier, pipeline)
            await stack.enter_async_context(self._sinks)
            if self.stopped:
                self._dispatcher.stop()
            yield self._dispatcher

    async def _are_ready(self, readers: asyncio.Task[AnalysisPool]) -> bool:
        """Wait for the processes that read pages; False where the run is stopped meanwhile.

        No page is asked for before. Those that pile up are heard of in another order than they were
        asked for: beside endless neighbours healthy hosts were cut before they had spoken.
        """
        await until_any(readers, self._stop_asked)
        if readers.done():
            readers.result()
        return not self.stopped

    def _slots(self) -> RequestSlots:
        """Return as many slots as the job has workers, or fewer where files are short."""
        wanted = self._job.fetch.workers
        at_work, aside = slots_within(self._job.fetch, connections_left())
        if at_work + aside < wanted:
            self._report(
                f"Fetching {at_work + aside} pages at once, not {wanted}: this process may open no "
                "more files; raise `ulimit -n`, or `LimitNOFILE=` of a service"
            )
        return RequestSlots(at_work, aside)

    async def _restore(self) -> RememberedJudge | None:
        """Restore frontier and judge, slice by slice; None if the run is stopped meanwhile.

        Filters and indexes are sized by the page limit, or by twice what is there already.
        """
        most = self._job.limits.pages or max(EXPECTED_PAGES, 2 * self._store.next_document_id)
        expected = min(most, MOST_EXPECTED_PAGES) + self._pages.earlier_documents
        with reading_stored_values(self._store.directory), lasting_objects():
            restored = await self._memory.restore(expected, self._pages)
            if restored is None:
                return None
            seen, self._judge = restored
            pages, stop = self.tally.pages, self._stop_asked
            self._frontier = await self._checkpoint.frontier(pages, seen, stop)
        return None if self.stopped else self._judge

    def _offer_seeds(self) -> None:
        if self._visits is not None:  # its pages come in place of seeds
            for url in filter(None, map(self._canonicalise, self._job.seeds)):
                self._fetcher.admit_seed(url)
            return
        for seed in self._job.seeds:
            # Refused URLs are not stored: nothing but this line would ever tell.
            if self.add(seed) is Refusal.OUT_OF_SCOPE:
                self._report(f"{seed}: not crawled: `scope.exclude` forbids it")

    def add(self, url: str) -> NewUrl | SentUrl | Refusal | Filtered | None:
        """Offer one more seed, once the run `began`; return what came of it, None for no URL.

        A partition offers those of its own hosts: others are given the same.
        """
        canonical = self._canonicalise(url)
        if canonical is None:
            return None
        self._fetcher.admit_seed(canonical)
        answer = self._frontier.offer(canonical, depth=0, seed=True)
        if isinstance(answer, NewUrl):
            self._store.submit_urls([answer])
            if self._dispatcher is not None:
                self._dispatcher.wake()
        return answer


def run_crawl(
    job: Job,
    store: Store,
    say: Say,
    meter: Counts | None = None,
    watcher: Watcher | None = None,
) -> int:
    """Run a job over an opened store; return 0, or 128 + the signal that stopped it.

    `meter` measures the run, `watcher` watches and steers it. The summary is written to
    `summary.json` however the run ended. Raises StoreError.
    """
    raise_limit()
    visits_again = store.meta(Meta.RECRAWL) is not None
    work = partial(Crawl, job, store, report=say, meter=meter, watcher=watcher)
    code = run_work(work, store, say)
    if visits_again:
        write_changes(store.directory, job.recrawl.min_s, job.recrawl.max_s)
    return code
