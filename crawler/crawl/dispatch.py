"""Plays the frontier's turns: asks for the next one when there is room, answers each."""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Callable
from contextlib import suppress

from crawler import engine
from crawler.crawl.pipeline import PagePipeline
from crawler.errors import CrawlerError
from crawler.fetch import Fetcher, Machine, RequestSlots
from crawler.frontier import Abandon, CheckRobots, Frontier, Refill, Resolve, Wait
from crawler.models import Failed, Failure, FetchTask, RobotsAnswer, Skip, Skipped
from crawler.observe.internal_errors import InternalErrors
from crawler.storage.store import Store

Began = FetchTask | Resolve | CheckRobots | Refill | Abandon
"""A turn that is not to wait."""


class Dispatcher:
    """One coroutine asks the frontier, and begins a task for each turn that it is given.

    `run` ends when the frontier has nothing to wait for and nothing is under way; after `stop`, and
    where there is `enough`, when what was under way has ended. While the `machine` is in trouble
    nothing is begun. `clock` is monotonic.
    """

    def __init__(
        self,
        frontier: Frontier,
        fetcher: Fetcher,
        store: Store,
        life: PagePipeline,
        slots: RequestSlots,
        machine: Machine,
        clock: Callable[[], float],
        errors: InternalErrors,
        enough: Callable[[], bool],
    ) -> None:
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
        self.paused = False
        """Whether no turn is begun until `go_on`."""

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
        self._slots.changed.set()

    @property
    def in_flight(self) -> int:
        """Turns under way."""
        return self._slots.under_way

    async def run(self) -> None:
        """Play turns to the end. Raises StoreError where the store cannot go on."""
        try:
            async with asyncio.TaskGroup() as group:
                while (turn := await self._next_turn()) is not None:
                    self._slots.begin(turn.host, self._frontier.reputation(turn.host))
                    group.create_task(self._play(turn))
        except* CrawlerError as fatal:
            raise fatal.exceptions[0] from None

    async def _next_turn(self) -> Began | None:
        """Return the next turn, when it is due and has a place; None when there will be none."""
        slots = self._slots
        while not (self._stopped or self._enough()):
            slots.changed.clear()
            if self.paused:
                await self._wait(None)
                continue
            now, until = self._clock(), None
            if self._machine.until > now:
                await self._wait(self._machine.until)
                continue
            if not slots.full:
                strangers = not slots.full_of_strangers
                turn = self._frontier.take(now, idle=slots.idle, strangers=strangers)
                if not isinstance(turn, Wait):
                    return turn
                if turn.until is None and slots.idle:
                    return None
                until = turn.until
            again = self._make_room(now)
            await self._wait(min((at for at in (until, again) if at is not None), default=None))
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
        timeout = None if until is None else max(0.0, until - self._clock())
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._slots.changed.wait()

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
                case Refill():
                    await self._refill(turn)
                case Abandon():
                    self._abandon(turn)
        except MemoryError:
            if not isinstance(turn, FetchTask):
                raise
            self._machine.short_of(errno.ENOMEM, begun_at)
        finally:
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

    async def _refill(self, turn: Refill) -> None:
        tasks = await self._store.refill(turn.host, turn.after, turn.limit)
        now = time.time()
        for task in self._frontier.refilled(turn, tasks):
            skipped = Skipped(task, Skip.OUT_OF_SCOPE, "the job has changed", now)
            self._life.end(task, engine.skip_end(skipped))

    def _abandon(self, turn: Abandon) -> None:
        now = time.time()
        reason, detail = turn.given_up.reason, turn.given_up.detail
        for task in turn.tasks:
            if isinstance(reason, Skip):
                self._life.end(task, engine.skip_end(Skipped(task, reason, detail, now)))
            else:
                self._life.end(task, engine.fail_end(Failed(task, reason, detail, now)))
