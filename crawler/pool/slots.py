"""Room for one process: started, asked, and what is done when it is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crawler.analysis import AnalysisFailed
from crawler.analysis.messages import Question, frame
from crawler.errors import AnalysisUnavailable
from crawler.pool.nursery import KilledAtStart, Nursery
from crawler.pool.patience import GivenBack, Late, Stopped, answer_of
from crawler.pool.pipes import ProcessDied
from crawler.pool.process import AnalysisProcess
from crawler.pool.turns import Ended
from crawler.records import Failure

log = logging.getLogger(__name__)

_ATTEMPTS = 2

START_ATTEMPTS = 3
"""Processes in a row that somebody may kill before they are ready."""

PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, *(60.0,) * 10)
"""Between attempts to start a new process in place of a lost one, where files or memory are short:
ten minutes together."""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a question: the answer or AnalysisFailed, and whose doing that was."""

    answer: Any
    how: Ended
    """Any but DROPPED speaks of the page; RETURNED: there is no answer."""


class Slot:
    """Room for one process at a time. Used by one task at a time."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self._process: AnalysisProcess | None = None

    async def ask(
        self, question: Question, limit_s: float, keeps: Callable[[], bool] | None = None
    ) -> Told:
        """Ask for an answer within `limit_s`; `keeps` says whether a borrowed process is kept.

        Where a process dies, or does not compute, a second one is asked.
        """
        framed = frame(question)
        failed, left_s = Told(None, Ended.DROPPED), limit_s
        for _ in range(_ATTEMPTS):
            process = await self._process_in_time()
            begun = asyncio.get_running_loop().time()
            try:
                return _told(await answer_of(process, framed, left_s, keeps))
            except GivenBack:
                return Told(None, Ended.RETURNED)
            except Late:
                return _late(process, limit_s, Ended.LATE)
            except Stopped:
                failed = _late(process, limit_s, Ended.DROPPED)
            except ProcessDied as death:
                log.warning("%r ended by %s in the middle of a page", process, death)
                detail = f"the page ended {_ATTEMPTS} analysis processes, the last by {death}"
                crash = AnalysisFailed(Failure.ANALYSIS_CRASH, detail)
                failed = Told(crash, Ended.CRASHED)
                # All attempts share the page's time: one that kills late would cost it twice.
                left_s -= asyncio.get_running_loop().time() - begun
        return failed

    async def ready(self) -> None:
        """Start a new process now where the last one was lost."""
        await self._process_in_time()

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
        for _ in range(START_ATTEMPTS - 1):
            try:
                return await self._started()
            except KilledAtStart as error:
                log.warning("%s; tried again", error)
        return await self._started()

    async def _started(self) -> AnalysisProcess:
        if self._process is None or not self._process.usable:
            await self.gone()
            self._process = await AnalysisProcess.spawn(self._nursery)
            await self._process.warm_up()
        return self._process

    def kill(self) -> None:
        """End the process at once, if there is one."""
        if self._process is not None:
            self._process.kill()

    async def gone(self) -> None:
        """Wait for the end of a process that died or was killed."""
        if self._process is not None:
            await self._process.gone()
            self._process = None


def _told(answer: Any) -> Told:
    crashed = isinstance(answer, AnalysisFailed) and answer.failure is Failure.ANALYSIS_CRASH
    return Told(answer, Ended.CRASHED if crashed else Ended.READ)


def _late(process: AnalysisProcess, limit_s: float, how: Ended) -> Told:
    detail = f"no answer within {limit_s:g} s"
    log.warning("%r: %s, killed", process, detail)
    return Told(AnalysisFailed(Failure.ANALYSIS_TIMEOUT, detail), how)
