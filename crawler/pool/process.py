"""One analysis process, seen from the crawler: started, asked, killed, reaped."""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import os
import pickle
import signal
import sys
import time
from asyncio import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from crawler.analysis import AnalysisFailed
from crawler.analysis.messages import HEADER
from crawler.errors import AnalysisUnavailable
from crawler.records import Failure

log = logging.getLogger(__name__)

START_TIMEOUT_S = 60.0
"""How long a process may take to start and warm up; it takes under a second on a calm machine."""

_BUFFER_BYTES = 1 << 20

_SHORT_OF = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})
"""Files, memory, processes: what others may give back in a minute."""

_CPU_CLOCK = 2
"""Linux: the clock of all that a process computes has the number `~pid << 3 | 2`, as
clock_getcpuclockid(3) makes it. Reading it is one short system call before each page."""


class ProcessDied(Exception):
    """The process ended before it answered; the message says by what."""

    def __init__(self, code: int) -> None:
        self.by_signal = code < 0
        super().__init__(signal.Signals(-code).name if code < 0 else f"exit code {code}")


class KilledAtStart(AnalysisUnavailable):
    """Somebody ended the process before it was ready: the kernel, perhaps, for want of memory."""

    def __init__(self, death: ProcessDied) -> None:
        super().__init__(f"cannot start an analysis process: it ended by {death}", passes=True)


class AnalysisProcess:
    """One analysis process (`crawler.analysis.worker`)."""

    def __init__(self, process: subprocess.Process) -> None:
        self._process = process
        self._killed = False
        self._before_s = 0.0

    @classmethod
    async def spawn(cls) -> Self:
        """Start a process of its own session: Ctrl-C speaks to the crawler, not to it."""
        # It can import what this one can, and computes on its one core only.
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        environment = os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "crawler.analysis.worker"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                limit=_BUFFER_BYTES,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise AnalysisUnavailable(
                f"cannot start an analysis process: {error}", passes=error.errno in _SHORT_OF
            ) from None
        log.debug("analysis process %d started", process.pid)
        return cls(process)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._process.pid}>"

    @property
    def usable(self) -> bool:
        """Whether it lives, as far as is known, and is in step: every question was answered."""
        return not self._killed and self._process.returncode is None

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

    async def ask(self, framed: bytes) -> Any:
        """Send a frame and return the answer; whatever keeps it from coming kills the process."""
        assert self._process.stdin is not None
        answered, self._before_s = False, self._cpu_s()
        try:
            self._process.stdin.write(framed)
            await self._process.stdin.drain()
            answer = await self._receive()
            answered = True
        except (asyncio.IncompleteReadError, ConnectionError):
            raise ProcessDied(await self._process.wait()) from None
        finally:
            if not answered:
                self.kill()
        # A process whose memory ran out says so itself, then ends.
        failure = answer.failure if isinstance(answer, AnalysisFailed) else None
        self._killed = failure is Failure.ANALYSIS_CRASH
        return answer

    async def _receive(self) -> Any:
        assert self._process.stdout is not None
        header = await self._process.stdout.readexactly(HEADER.size)
        (length,) = HEADER.unpack(header)
        return pickle.loads(await self._process.stdout.readexactly(length))

    @property
    def computed_s(self) -> float:
        """CPU seconds since the last question; infinite where that is not known."""
        now_s = self._cpu_s()
        return now_s - self._before_s if math.isfinite(now_s) else math.inf

    def _cpu_s(self) -> float:
        if sys.platform != "linux":
            return math.inf
        try:
            return time.clock_gettime(~self._process.pid << 3 | _CPU_CLOCK)
        except OSError:  # it has ended
            return math.inf

    def kill(self) -> None:
        """End it at once; it is gone only after `gone`.

        Never twice: Popen.kill looks first whether the process has ended, and would reap it in
        place of the event loop, which then complains.
        """
        if self.usable:
            log.debug("killing analysis process %d", self._process.pid)
            self._process.kill()
        self._killed = True

    async def gone(self) -> None:
        """Wait until the process has ended and its pipes are closed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.kill()
        self._process.stdin.close()
        with suppress(ConnectionError):
            await self._process.stdin.wait_closed()
        await self._process.stdout.read()
        await self._process.wait()
