"""One analysis process, seen from the crawler: started, asked, killed, reaped."""

from __future__ import annotations

import asyncio
import logging
import math
import sys
import time
from collections.abc import Callable
from typing import Any, Self

from crawler.analysis import AnalysisFailed
from crawler.analysis.messages import HELLO
from crawler.pool.nursery import START_TIMEOUT_S, Nursery, cannot_start
from crawler.pool.pipes import Pipes, ProcessDied
from crawler.records import Failure

log = logging.getLogger(__name__)

_CPU_CLOCK = 2
"""Linux: the clock of all that a process computes has the number `~pid << 3 | 2`, as
clock_getcpuclockid(3) makes it. Reading it is one short system call before each page."""


class AnalysisProcess:
    """One analysis process (`crawler.analysis.worker`); `end` kills it."""

    def __init__(self, pid: int, pipes: Pipes, end: Callable[[int], None]) -> None:
        self._pid = pid
        self._pipes = pipes
        self._end = end
        self._killed = False
        self._before_s = 0.0

    @classmethod
    async def spawn(cls, nursery: Nursery) -> Self:
        """Start a process; AnalysisUnavailable if there can be none."""
        pid, pipes, line = await nursery.fork()
        log.debug("analysis process %d started", pid)
        return cls(pid, pipes, line.kill)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._pid}>"

    @property
    def usable(self) -> bool:
        """Whether it lives, as far as is known, and is in step: every question was answered."""
        return not self._killed and not self._pipes.exited.done()

    async def warm_up(self) -> None:
        """Wait until it is ready; AnalysisUnavailable if it will not be."""
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                trouble: str = await self.ask(HELLO)
        except (TimeoutError, ProcessDied) as error:
            self.kill()
            raise cannot_start(error) from None
        if trouble:
            self.kill()
            raise cannot_start(trouble)

    def ask(self, framed: bytes) -> asyncio.Future[Any]:
        """Send a frame; return its answer to be, or ProcessDied.

        Whoever cancels that kills the process.
        """
        self._before_s = self._cpu_s()
        answer = self._pipes.ask(framed)
        answer.add_done_callback(self._answered)
        return answer

    def _answered(self, answer: asyncio.Future[Any]) -> None:
        if answer.cancelled() or answer.exception() is not None:
            self.kill()
            return
        # A process whose memory ran out says so itself, then ends.
        failed = isinstance(answer.result(), AnalysisFailed)
        if failed and answer.result().failure is Failure.ANALYSIS_CRASH:
            self._killed = True

    @property
    def computed_s(self) -> float:
        """CPU seconds since the last question; infinite where that is not known."""
        now_s = self._cpu_s()
        return now_s - self._before_s if math.isfinite(now_s) else math.inf

    def _cpu_s(self) -> float:
        if sys.platform != "linux":
            return math.inf
        try:
            return time.clock_gettime(~self._pid << 3 | _CPU_CLOCK)
        except OSError:  # it has ended
            return math.inf

    def kill(self) -> None:
        """End it at once; it is gone only after `gone`."""
        if self.usable:
            log.debug("killing analysis process %d", self._pid)
            self._end(self._pid)
        self._killed = True

    async def gone(self) -> None:
        """Wait until the process has ended and the way to it is closed."""
        self.kill()
        await self._pipes.exited
        self._pipes.transport.close()
        await self._pipes.closed
