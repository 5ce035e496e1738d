"""The pool and its slots: who gets a process, how long, and what is done when it is lost."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from crawler.analysis import (
    Analyser,
    AnalysisFailed,
    AnalysisRequest,
    AnalysisSettings,
    PageLinks,
)
from crawler.analysis.messages import PageAnalyser, Question, Start, frame
from crawler.pool.process import AnalysisProcess, ProcessDied
from crawler.records import Document, Failure

_ATTEMPTS = 2

_BUSY = 0.5
"""A page that hangs computes for at least this part of its time. Where a process did not, something
else kept it or us (a machine that slept or swapped, a SIGSTOP), and the page is tried again."""


class WorkerPool:
    """`processes` processes (None: one a core), started on entry, gone on exit.

    `make` builds what runs in them: anything that can `warm` and `analyse` a picklable request. It
    travels by pickle, so it is a class or function that a fresh interpreter can import, or a
    `functools.partial` of one.
    """

    def __init__(
        self,
        settings: AnalysisSettings,
        processes: int | None,
        timeout_s: float,
        memory_bytes: int,
        make: Callable[[AnalysisSettings], Any],
    ) -> None:
        start = frame(Start(make, settings, memory_bytes))
        self._slots = [_Slot(start, timeout_s) for _ in range(processes or _cores())]
        self._free: asyncio.Queue[_Slot] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        """Start all processes and wait until they are warm; AnalysisUnavailable if one is not."""
        try:
            async with asyncio.TaskGroup() as group:
                for slot in self._slots:
                    group.create_task(slot.process())
        except BaseExceptionGroup as errors:
            await self._close()
            raise errors.exceptions[0] from None
        except asyncio.CancelledError:
            await self._close()
            raise
        for slot in self._slots:
            self._free.put_nowait(slot)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Kill all processes, busy or not, and wait until they are gone."""
        await self._close()

    @property
    def processes(self) -> int:
        """How many there are."""
        return len(self._slots)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._free.qsize()} of {len(self._slots)} free>"

    async def ask(self, question: Question) -> Any:
        """Return the answer, or AnalysisFailed; waits for a free process."""
        slot = await self._free.get()
        try:
            return await slot.ask(question)
        finally:
            self._free.put_nowait(slot)

    async def _close(self) -> None:
        for slot in self._slots:
            slot.kill()
        for slot in self._slots:
            await slot.gone()


class AnalysisPool(WorkerPool):
    """Reads pages: see WorkerPool."""

    def __init__(
        self,
        settings: AnalysisSettings,
        processes: int | None,
        timeout_s: float,
        memory_bytes: int,
        make: Callable[[AnalysisSettings], PageAnalyser] = Analyser,
    ) -> None:
        super().__init__(settings, processes, timeout_s, memory_bytes, make)

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
            process = await self.process()
            begun = asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(left_s):
                    return await process.ask(framed)
            except TimeoutError:
                detail = f"no answer within {self._timeout_s:g} s"
                failed = AnalysisFailed(Failure.ANALYSIS_TIMEOUT, detail)
                if process.spent_s > _BUSY * left_s:
                    return failed
                continue
            except ProcessDied as death:
                detail = f"the page ended {_ATTEMPTS} analysis processes, the last by {death}"
                failed = AnalysisFailed(Failure.ANALYSIS_CRASH, detail)
            # All attempts share the page's time: one that kills late would cost it twice.
            left_s -= asyncio.get_running_loop().time() - begun
        return failed

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


def _cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
