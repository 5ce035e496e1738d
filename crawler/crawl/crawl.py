"""The only wiring: opens the parts, plays the frontier's turns, drains, closes.

A crawl ends when the frontier has nothing more to wait for and nothing is under way, or when it is
told to stop; either way all that was judged is committed and the accounting identity is checked.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from crawler import ends
from crawler.analysis import AnalysisSettings
from crawler.config import Job
from crawler.crawl.checkpoint import Checkpoint
from crawler.crawl.life import PageLife, Parts
from crawler.dedup import Judge
from crawler.errors import CrawlerError
from crawler.fetch import Fetcher, Workers, places_aside
from crawler.frontier import (
    Abandon,
    CheckRobots,
    Frontier,
    Refill,
    Refusal,
    Resolve,
    Subtree,
    Turn,
    Wait,
    patience_with,
)
from crawler.observe import Tally
from crawler.observe.progress import Progress
from crawler.pool import AnalysisPool
from crawler.records import Failed, FetchTask, NewUrl, Skip, Skipped, UrlState
from crawler.storage import Store, confirm_accounts, reading_stored_values
from crawler.urls import Canonicaliser

EXPECTED_PAGES, MOST_EXPECTED_PAGES = 100_000, 10_000_000
"""What a crawl makes room for at first, without a limit and with a very high one; all can grow."""


class Crawl:
    """One run of a job over an opened store. Make it, `run` it once, `stop` it if need be."""

    def __init__(
        self,
        job: Job,
        store: Store,
        *,
        report: Callable[[str], None] = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job = job
        self._store = store
        self._report = report
        self._clock = clock
        self._changed = asyncio.Event()
        self._stop_asked = asyncio.Event()
        self._workers = Workers(job.fetch.workers, places_aside(job.fetch))
        self._turns: asyncio.Task[None] | None = None
        self._handover = Checkpoint(job, store, clock)
        self.tally = Tally(store.accounting().outcomes)

    # ----------------------------------------------------------------------------------------------
    # From the outside

    async def run(self) -> None:
        """Crawl until nothing is left or `stop` is called; the store is closed when this returns.

        Raises StoreError where the store cannot go on. Trouble with pages is in the output.
        """
        async with self._open() as parts:
            self._frontier = parts.frontier
            self._fetcher = parts.fetcher
            self._life = PageLife(self._job, parts, self._clock, time.time, self._report_cut)
            self._handover.begin()
            self._mark_run()
            self._offer_seeds()
            async with Progress(self.tally, parts.frontier, self._job.progress_s, self._beat):
                self._turns = asyncio.create_task(self._play_all())
                await self._finish(self._turns)
            self._report_parked(parts.frontier)
            self._mark_run()
            await self._store.flush()
            self._handover.count_held(parts.frontier, self._report)
            self._check_accounts(parts.frontier)

    def stop(self) -> None:
        """Begin no new page; let those under way finish within the job's grace period."""
        self._stop_asked.set()
        self._changed.set()

    def cancel(self) -> None:
        """Drop the pages under way; they stay pending and a resume fetches them."""
        self.stop()
        if self._turns is not None:
            self._turns.cancel()

    @property
    def stopped(self) -> bool:
        """Whether the run was ended from the outside."""
        return self._stop_asked.is_set()

    def _beat(self, line: str) -> None:
        """Report a progress line and note where this run stands, lest it be killed."""
        self._mark_run()
        self._report(line)

    def _report_parked(self, frontier: Frontier) -> None:
        for host in frontier.politeness.parked:
            self._report(f"{host} stopped answering; its URLs stay pending for a resume")

    def _report_cut(self, cut: Subtree) -> None:
        self._handover.keep_traps(self._frontier)
        self._report(
            f"Cut as endless: {cut.name}: of its last {cut.streak:,} pages {cut.streak_new:,} were "
            f"new, and each led to {cut.streak_found / cut.streak:.1f} more; the rest stays pending"
        )

    def _mark_run(self) -> None:
        self._handover.mark(self._frontier, stopped=self.stopped)

    def _check_accounts(self, frontier: Frontier) -> None:
        """Hold three counts against each other: seen set, URL table, lines of the files."""
        accounting = self._store.accounting()
        problems = list(accounting.problems)
        if accounting.seen != len(frontier.seen):
            problems.append(f"{len(frontier.seen)} URLs were seen, {accounting.seen} are stored")
        if accounting.count(UrlState.PENDING) != frontier.pending:
            stored = accounting.count(UrlState.PENDING)
            problems.append(f"{frontier.pending} URLs are queued, {stored} are stored as pending")
        confirm_accounts(self._store.directory, problems)

    # ----------------------------------------------------------------------------------------------
    # Opening

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Parts]:
        settings = AnalysisSettings.of(self._job)
        analysis = self._job.analysis
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._store)
            judge, frontier = self._restored()
            limits = (analysis.processes, analysis.timeout_s, analysis.memory_bytes)
            pool = await stack.enter_async_context(AnalysisPool(settings, *limits))
            fetcher = Fetcher(self._job, clock=self._clock, workers=self._workers)
            await stack.enter_async_context(fetcher)
            yield Parts(frontier, fetcher, pool, judge, store, self.tally)

    def _restored(self) -> tuple[Judge, Frontier]:
        with reading_stored_values(self._store.directory):
            judge = Judge(self._job.dedup, self._store.catalog, self._expected_documents())
            judge.restore(self._store.index_rows())
            return judge, self._handover.frontier(self.tally.pages, self._report)

    def _expected_documents(self) -> int:
        """Size filters and indexes by the page limit, or by twice what is there already."""
        expected = self._job.limits.pages or max(EXPECTED_PAGES, 2 * self._store.next_document_id)
        return min(expected, MOST_EXPECTED_PAGES)

    def _offer_seeds(self) -> None:
        canonicalise = Canonicaliser(frozenset(self._job.urls.tracking_parameters))
        urls = [url for seed in self._job.seeds if (url := canonicalise(seed)) is not None]
        for url in urls:
            self._fetcher.admit_seed(url)
        answers = [self._frontier.offer(url, depth=0, seed=True) for url in urls]
        self._store.submit_urls([answer for answer in answers if isinstance(answer, NewUrl)])
        # Refused URLs are not stored: nothing but this line would ever tell.
        for url, answer in zip(urls, answers, strict=True):
            if answer is Refusal.OUT_OF_SCOPE:
                self._report(f"{url}: not crawled: `scope.include` or `scope.exclude` forbids it")

    # ----------------------------------------------------------------------------------------------
    # Playing turns

    async def _finish(self, turns: asyncio.Task[None]) -> None:
        """Wait for the turns to end; after a stop, no longer than the grace period."""
        stop = asyncio.create_task(self._stop_asked.wait())
        try:
            await asyncio.wait({turns, stop}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({turns}, timeout=self._job.grace_s)
        finally:
            stop.cancel()
            turns.cancel()
            await asyncio.wait({turns, stop})
        if not turns.cancelled():
            turns.result()

    async def _play_all(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    await self._workers.room()
                    if (turn := await self._next_turn()) is None:
                        return
                    self._workers.begin()
                    group.create_task(self._play(turn))
        except* CrawlerError as fatal:
            raise fatal.exceptions[0] from None

    async def _next_turn(self) -> Turn | None:
        """Return the next turn, when it is due; None when there will be none."""
        while not self.stopped:
            self._changed.clear()
            turn = self._frontier.take(self._clock())
            if not isinstance(turn, Wait):
                return turn
            if turn.until is None and self._workers.idle:
                return None
            await self._wait(turn.until)
        return None

    async def _wait(self, until: float | None) -> None:
        timeout = None if until is None else max(0.0, until - self._clock())
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._changed.wait()

    async def _play(self, turn: Turn) -> None:
        try:
            match turn:
                case FetchTask():
                    await self._life.run(turn)
                case Resolve():
                    address = await self._fetcher.resolve(turn.host)
                    self._frontier.resolved(turn.host, address, self._clock())
                case CheckRobots():
                    await self._check_robots(turn)
                case Refill():
                    await self._refill(turn)
                case Abandon():
                    self._abandon(turn)
        finally:
            self._workers.end()
            self._changed.set()

    async def _check_robots(self, turn: CheckRobots) -> None:
        begun = self._clock()
        with self._workers.waiting():
            answer = await self._fetcher.robots.refresh(turn.origin)
        if answer.moved_to is not None:
            self._frontier.robots.moved(turn, answer.moved_to, self._clock())
            return
        if answer.failure is None:
            self._frontier.robots.checked(
                turn,
                self._clock(),
                expires_at=answer.expires_at,
                crawl_delay_s=answer.crawl_delay_s,
                requested=answer.requested,
                pause_s=answer.pause_s,
            )
            return
        self._robots_failed(turn, answer.failure, self._clock() - begun)

    def _robots_failed(self, turn: CheckRobots, failed: Failed, took_s: float) -> None:
        robots = self._frontier.robots
        patience = patience_with(
            failed,
            turn.origin,
            self._job.politeness.robots_wait_s,
            known=robots.knows(turn),
            took_s=took_s,
        )
        robots.failed(turn, self._clock(), patience)

    async def _refill(self, turn: Refill) -> None:
        tasks = await self._store.refill(turn.host, turn.after, turn.limit)
        now = time.time()
        for task in self._frontier.refilled(turn, tasks):
            skipped = Skipped(task, Skip.OUT_OF_SCOPE, "the job has changed", now)
            self._life.end(task, ends.skip_end(skipped))

    def _abandon(self, turn: Abandon) -> None:
        now = time.time()
        reason, detail = turn.given_up.reason, turn.given_up.detail
        for task in turn.tasks:
            if isinstance(reason, Skip):
                self._life.end(task, ends.skip_end(Skipped(task, reason, detail, now)))
            else:
                self._life.end(task, ends.fail_end(Failed(task, reason, detail, now)))
