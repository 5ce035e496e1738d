"""A pool of processes, and what is asked of it without regard to where the questions came from."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Self, TypeVar

from crawler.analysis import Analyser, AnalysisFailed, AnalysisSettings
from crawler.analysis.messages import Asks, Question, Start, frame
from crawler.config import Job
from crawler.pool.nursery import Nursery
from crawler.pool.slots import Slot

log = logging.getLogger(__name__)

_Batch = TypeVar("_Batch")
_Read = TypeVar("_Read")

AHEAD_PER_PROCESS = 3
"""Batches under way a process: one in it, one on its way, one in reserve."""


async def reading_apart(read: Callable[[], _Read], stop: asyncio.Event) -> _Read | None:
    """Return what a call reads, in a thread of its own: the loop goes on with its work meanwhile.

    A pipe may stay silent for ever, and a disk of the network be gone. So where a `stop` is asked
    for, or this is cancelled, nobody waits for the thread, the program's end neither: it is a
    daemon, and None is returned at once.
    """
    if stop.is_set():
        return None
    future: Future[_Read] = Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(read())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="reading", daemon=True).start()
    reading, stopping = asyncio.wrap_future(future), asyncio.create_task(stop.wait())
    either: set[asyncio.Future[Any]] = {reading, stopping}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return reading.result() if reading.done() else None
    finally:
        stopping.cancel()
        reading.cancel()


class Processes:
    """The processes that the `analysis` section of a job asks for, there from entry to exit.

    `make` builds what runs in them: anything that can `warm` and `analyse` a picklable request
    within `timeout_s`, in an address space of `memory_bytes`. It travels by pickle, so it is a
    class or function that a fresh interpreter can import, or a `functools.partial` of one. `keys`
    are those of the stores that what it signs is compared with.
    """

    spare = 0
    """Processes beyond one a core, where the job does not say how many: none, as the next batch of
    each is on its way to it."""

    def __init__(
        self,
        job: Job,
        make: Callable[[AnalysisSettings], Any] = Analyser,
        keys: tuple[bytes, ...] = (),
    ) -> None:
        limits = job.analysis
        start = frame(Start(make, AnalysisSettings.of(job, keys), limits.memory_bytes))
        self._nursery = Nursery(start)
        cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
        self._slots = [Slot(self._nursery) for _ in range(limits.processes or cores + self.spare)]
        self._free: asyncio.Queue[Slot] = asyncio.Queue()
        self._timeout_s = limits.timeout_s

    async def __aenter__(self) -> Self:
        """Start all processes and wait until they are warm; AnalysisUnavailable if one is not."""
        try:
            async with asyncio.TaskGroup() as group:
                for slot in self._slots:
                    group.create_task(slot.process())
        except BaseExceptionGroup as errors:
            await self.__aexit__()
            raise errors.exceptions[0] from None
        except asyncio.CancelledError:
            await self.__aexit__()
            raise
        for slot in self._slots:
            self._free.put_nowait(slot)
        return self

    @asynccontextmanager
    async def opening(self) -> AsyncIterator[asyncio.Task[Self]]:
        """Open it while the context does something else; yield the task to be waited for.

        That raises what entry would.
        """
        task = asyncio.create_task(self.__aenter__())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.__aexit__()

    async def __aexit__(self, *_: object) -> None:
        """Kill all processes, busy or not, and wait until they are gone."""
        for slot in self._slots:
            slot.kill()
        for slot in self._slots:
            await slot.gone()
        await self._nursery.close()


class WorkerPool(Processes):
    """Answers questions in the order in which they come."""

    async def ask(self, question: Question) -> Any:
        """Return the answer, or AnalysisFailed; waits for a free process."""
        slot = await self._free.get()
        try:
            return (await slot.ask(question, self._timeout_s)).answer
        finally:
            self._free.put_nowait(slot)

    async def ask_each(self, items: Sequence[Any]) -> Sequence[Any]:
        """Return an answer an item, from one process that is asked for all of them at once.

        Where that fails (the process hung or ended) each item is asked for alone, so that only the
        answer of the one to blame is AnalysisFailed.
        """
        answer: Sequence[Any] | AnalysisFailed = await self.ask(Question(items, Asks.PAGE))
        if not isinstance(answer, AnalysisFailed):
            return answer
        if len(items) == 1:
            return [answer]
        log.debug("a batch of %d was lost (%s): each is tried alone", len(items), answer.detail)
        return [(await self.ask_each([item]))[0] for item in items]

    async def read_ahead(
        self,
        source: Iterator[_Batch],
        items: Callable[[_Batch], Sequence[Any]],
        stop: asyncio.Event,
    ) -> AsyncGenerator[tuple[_Batch, Sequence[Any]], None]:
        """Yield batches in order, each with the answers to its `items`, while the next are read.

        After a `stop` no more is read.

        To be closed (`contextlib.aclosing`) by whoever stops before the end: then what is under way
        is dropped.
        """
        under_way: deque[tuple[_Batch, asyncio.Task[Sequence[Any]]]] = deque()
        try:
            while True:
                while len(under_way) < AHEAD_PER_PROCESS * len(self._slots):
                    batch = await reading_apart(partial(next, source, None), stop)
                    if batch is None:
                        break
                    under_way.append((batch, asyncio.create_task(self.ask_each(items(batch)))))
                if not under_way:
                    return
                batch, answers = under_way.popleft()
                yield batch, await answers
        finally:
            for _, answers in under_way:
                answers.cancel()
            await asyncio.gather(*(answers for _, answers in under_way), return_exceptions=True)
