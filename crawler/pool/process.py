"""One analysis process, seen from the crawler: started, asked, killed, reaped."""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import os
import sys
import time
from pathlib import Path
from typing import Any, Self

from crawler.analysis import AnalysisFailed
from crawler.errors import AnalysisUnavailable
from crawler.pool.pipes import Pipes, ProcessDied
from crawler.records import Failure

log = logging.getLogger(__name__)

START_TIMEOUT_S = 60.0
"""How long a process may take to start and warm up; it takes under a second on a calm machine."""

_SHORT_OF = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})
"""Files, memory, processes: what others may give back in a minute."""

_CPU_CLOCK = 2
"""Linux: the clock of all that a process computes has the number `~pid << 3 | 2`, as
clock_getcpuclockid(3) makes it. Reading it is one short system call before each page."""


class KilledAtStart(AnalysisUnavailable):
    """Somebody ended the process before it was ready: the kernel, perhaps, for want of memory."""

    def __init__(self, death: ProcessDied) -> None:
        super().__init__(f"cannot start an analysis process: it ended by {death}", passes=True)


class AnalysisProcess:
    """One analysis process (`crawler.analysis.worker`)."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: Pipes) -> None:
        self._transport = transport
        self._pipes = pipes
        self._killed = False
        self._before_s = 0.0

    @classmethod
    async def spawn(cls) -> Self:
        """Start a process of its own session: Ctrl-C speaks to the crawler, not to it."""
        # It can import what this one can, and computes on its one core only.
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        environment = os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
        try:
            transport, pipes = await asyncio.get_running_loop().subprocess_exec(
                Pipes,
                *(sys.executable, "-P", "-m", "crawler.analysis.worker"),
                stderr=None,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise AnalysisUnavailable(
                f"cannot start an analysis process: {error}", passes=error.errno in _SHORT_OF
            ) from None
        log.debug("analysis process %d started", transport.get_pid())
        return cls(transport, pipes)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._transport.get_pid()}>"

    @property
    def usable(self) -> bool:
        """Whether it lives, as far as is known, and is in step: every question was answered."""
        return not self._killed and self._transport.get_returncode() is None

    async def warm_up(self, start: bytes) -> None:
        """Send what to run, and wait until it is ready; AnalysisUnavailable if it will not be."""
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                trouble: str = await self.ask(start)
        except TimeoutError:
            trouble = f"it is not ready after {START_TIMEOUT_S:g} s"
        except ProcessDied as death:
            if death.by_signal:
                raise KilledAtStart(death) from None
            trouble = f"it ended by {death}"
        if trouble:
            self.kill()
            raise AnalysisUnavailable(f"cannot start an analysis process: {trouble}")

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
            return time.clock_gettime(~self._transport.get_pid() << 3 | _CPU_CLOCK)
        except OSError:  # it has ended
            return math.inf

    def kill(self) -> None:
        """End it at once; it is gone only after `gone`.

        Never twice: Popen.kill looks first whether the process has ended, and would reap it in
        place of the event loop, which then complains.
        """
        if self.usable:
            log.debug("killing analysis process %d", self._transport.get_pid())
            self._transport.kill()
        self._killed = True

    async def gone(self) -> None:
        """Wait until the process has ended and its pipes are closed."""
        self.kill()
        await self._pipes.exited
        self._transport.close()
        await self._pipes.closed
