"""The pool and its slots: who gets a process, for how long, and what is done when it is lost."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import Any, Self, TypeVar

from crawler.analysis import Analyser, AnalysisFailed, AnalysisRequest, AnalysisSettings
from crawler.analysis.messages import Question, Start, frame
from crawler.config import Job
from crawler.errors import AnalysisUnavailable
from crawler.extract import PageLinks
from crawler.pool.process import AnalysisProcess, ProcessDied
from crawler.records import Document, Failure

log = logging.getLogger(__name__)

_Batch = TypeVar("_Batch")

AHEAD_PER_PROCESS = 3
"""Batches under way a process: one in it, one on its way, one in reserve."""

_ATTEMPTS = 2

PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, *(60.0,) * 10)
"""Between attempts to start a new process in place of a lost one, where files or memory are short:
ten minutes together."""

_BUSY = 0.5
"""A page that hangs computes for at least this part of its time. Where a process did not, something
else kept it or us (a machine that slept or swapped, a SIGSTOP), and the page is tried again."""


class WorkerPool:
    """The processes that the `analysis` section of a job asks for, there from entry to exit.

    `make` builds what runs in them: anything that can `warm` and `analyse` a picklable request
    within `timeout_s`, in an address space of `memory_bytes`. It travels by pickle, so it is a
    class or function that a fresh interpreter can import, or a `functools.partial` of one. `keys`
    are those of the stores that what it signs is compared with.
    """

    def __init__(
        self,
        job: Job,
        make: Callable[[AnalysisSettings], Any] = Analyser,
        keys: tuple[bytes, ...] = (),
    ) -> None:
        limits = job.analysis
        start = frame(Start(make, AnalysisSettings.of(job, keys), limits.memory_bytes))
        cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
        self._slots = [_Slot(start, limits.timeout_s) for _ in range(limits.processes or cores)]
        self._free: asyncio.Queue[_Slot] = asyncio.Queue()

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

    async def __aexit__(self, *_: object) -> None:
        """Kill all processes, busy or not, and wait until they are gone."""
        for slot in self._slots:
            slot.kill()
        for slot in self._slots:
            await slot.gone()

    async def ask(self, question: Question) -> Any:
        """Return the answer, or AnalysisFailed; waits for a free process."""
        slot = await self._free.get()
        try:
            return await slot.ask(question)
        finally:
            self._free.put_nowait(slot)

    async def ask_each(self, items: Sequence[Any]) -> Sequence[Any]:
        """Return an answer an item, from one process that is asked for all of them at once.

        Where that fails (the process hung or ended) each item is asked for alone, so that only the
        answer of the one to blame is AnalysisFailed.
        """
        answer: Sequence[Any] | AnalysisFailed = await self.ask(Question(items, links_only=False))
        if not isinstance(answer, AnalysisFailed):
            return answer
        if len(items) == 1:
            return [answer]
        log.debug("a batch of %d was lost (%s): each is tried alone", len(items), answer.detail)
        return [(await self.ask_each([item]))[0] for item in items]

    async def read_ahead(
        self, source: Iterator[_Batch], items: Callable[[_Batch], Sequence[Any]]
    ) -> AsyncGenerator[tuple[_Batch, Sequence[Any]], None]:
        """Yield batches in order, each with the answers to its `items`, while the next are read.

        To be closed (`contextlib.aclosing`) by whoever stops before the end: then what is under way
        is dropped.
        """
        under_way: deque[tuple[_Batch, asyncio.Task[Sequence[Any]]]] = deque()
        try:
            while True:
                while len(under_way) < AHEAD_PER_PROCESS * len(self._slots):
                    # In a thread: reading and decompressing must not keep the loop from its work.
                    batch = await asyncio.to_thread(next, source, None)
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


class AnalysisPool(WorkerPool):
    """Reads pages, whole or by their links; what `make` builds can do both."""

    async def analyse(self, request: AnalysisRequest) -> Document | AnalysisFailed:
        """Return what the page says, or why it could not be read; waits for a free process."""
        answer: Document | AnalysisFailed = await self.ask(Question(request, links_only=False))
        return answer

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """Return where the page leads, or why it could not be read; waits for a free process."""
        answer: PageLinks | AnalysisFailed = await self.ask(Question(request, links_only=True))
        return answer


class _Slot:
    """Room for one process at a time. Used by one task at a time."""

    def __init__(self, start: bytes, timeout_s: float) -> None:
        self._start = start
        self._timeout_s = timeout_s
        self._process: AnalysisProcess | None = None

    async def ask(self, question: Question) -> Any:
        framed = frame(question)
        left_s = self._timeout_s
        for _ in range(_ATTEMPTS):
            process = await self._process_in_time()
            begun = asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(left_s):
                    return await process.ask(framed)
            except TimeoutError:
                detail = f"no answer within {self._timeout_s:g} s"
                failed = AnalysisFailed(Failure.ANALYSIS_TIMEOUT, detail)
                log.warning("%r: %s, computed for %.1f s", process, detail, process.spent_s)
                if process.spent_s > _BUSY * left_s:
                    return failed
                continue
            except ProcessDied as death:
                log.warning("%r ended by %s in the middle of a page", process, death)
                detail = f"the page ended {_ATTEMPTS} analysis processes, the last by {death}"
                failed = AnalysisFailed(Failure.ANALYSIS_CRASH, detail)
            # All attempts share the page's time: one that kills late would cost it twice.
            left_s -= asyncio.get_running_loop().time() - begun
        return failed

    async def _process_in_time(self) -> AnalysisProcess:
        """Return a process; where this machine is short of means for one, wait for some minutes."""
        for pause_s in PAUSES_S:
            try:
                return await self.process()
            except AnalysisUnavailable as error:
                if not error.passes:
                    raise
                log.warning("%s; tried again in %.0f s", error, pause_s)
                await asyncio.sleep(pause_s)
        return await self.process()

    async def process(self) -> AnalysisProcess:
        """Return a process that can be asked, in place of a lost one if need be."""
        if self._process is None or not self._process.usable:
            await self.gone()
            self._process = await AnalysisProcess.spawn()
            await self._process.warm_up(self._start)
        return self._process

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    async def gone(self) -> None:
        """Wait for the end of a process that died or was killed."""
        if self._process is not None:
            await self._process.gone()
            self._process = None
