"""One reader process, seen from the crawler: forked, started, asked, killed, reaped."""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import os
import pickle
import signal
import socket
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self, cast

from crawler.errors import AnalysisUnavailable
from crawler.models import Failure
from crawler.workers.launch import Launched, launched
from crawler.workers.messages import BORN, ENDED, FORK, HEADER, HELLO, KILL, REQUEST, AnalysisFailed


class ProcessDied(Exception):
    """The process ended before it answered; the message says by what."""

    def __init__(self, code: int) -> None:
        self.by_signal = code < 0
        super().__init__(signal.Signals(-code).name if code < 0 else f"exit code {code}")


class Frames(asyncio.Protocol, ABC):
    """Takes frames apart, however they are cut; what one says is for `heard`."""

    def __init__(self) -> None:
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when nothing more is said."""
        self._pieces: list[bytes] = []
        """Of a frame that has not come whole."""
        self._missing = HEADER.size
        """Bytes, of what is known of it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See BaseProtocol."""
        self.transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        """Take a piece; the last one of a frame makes it known."""
        self._pieces.append(data)
        self._missing -= len(data)
        while self._missing <= 0:
            said = data if len(self._pieces) == 1 else b"".join(self._pieces)
            end = HEADER.size
            if len(said) >= end:
                end += HEADER.unpack_from(said)[0]
            self._missing = end - len(said)
            if self._missing > 0:
                self._pieces = [said]
                return
            data = said[end:]
            self._pieces, self._missing = [data], HEADER.size - len(data)
            self.heard(memoryview(said)[HEADER.size : end])

    @abstractmethod
    def heard(self, body: memoryview) -> None:
        """Take the pickle of a frame."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that nothing more comes."""
        if not self.closed.done():
            self.closed.set_result(None)


class Pipes(Frames):
    """Speaks with one process; a protocol and no streams, which take twice the event loop's time.

    One question is under way at a time. `exited` is done with the process's exit code.
    """

    def __init__(self, exited: asyncio.Future[int]) -> None:
        super().__init__()
        self.exited = exited
        self._answer: asyncio.Future[Any] | None = None
        exited.add_done_callback(lambda _: self._break_off())

    def ask(self, framed: bytes) -> asyncio.Future[Any]:
        """Send a frame; return its answer to be, or ProcessDied."""
        self._answer = answer = asyncio.get_running_loop().create_future()
        if not self.closed.done():
            self.transport.write(framed)
        self._break_off()
        return answer

    def heard(self, body: memoryview) -> None:
        """Give the answer to whoever asked; an error of it, too, and not to the event loop."""
        if self._answer is None or self._answer.done():
            return
        try:
            self._answer.set_result(pickle.loads(body))
        except Exception as error:
            self._answer.set_exception(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that nothing more comes; how the process ended may be told before or later."""
        super().connection_lost(exc)
        self._break_off()

    def _break_off(self) -> None:
        """Where the process has ended and said all, no answer will come."""
        if not self.closed.done() or not self.exited.done():
            return
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ProcessDied(self.exited.result()))


# The fork server of a pool, seen from the crawler: launched, asked for processes, ended with it.
#
# What it does is in `crawler.workers.fork_server`. Where it is lost, so are all that it has forked
# (the kernel ends them with it), and the next process that is asked for comes from a new one.

log = logging.getLogger(__name__)

START_TIMEOUT_S = 60.0
"""How long a fork server, or a process, may take to be ready; it takes under a second on a calm
machine."""

_SHORT_OF = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})
"""Files, memory, processes: what others may give back in a minute."""


Born = tuple[int, asyncio.Future[int]]
"""The id of a process, and its exit code to be."""


class KilledAtStart(AnalysisUnavailable):
    """Somebody ended the process before it was ready: the kernel, perhaps, for want of memory."""

    def __init__(self, death: ProcessDied) -> None:
        super().__init__(f"cannot start an analysis process: it ended by {death}", passes=True)


def cannot_start(why: ProcessDied | OSError | TimeoutError | str) -> AnalysisUnavailable:
    """Return what says so, and whether it may pass."""
    if isinstance(why, ProcessDied) and why.by_signal:
        return KilledAtStart(why)
    if isinstance(why, ProcessDied):
        why = f"it ended by {why}"
    if isinstance(why, TimeoutError):
        why = f"it is not ready after {START_TIMEOUT_S:g} s"
    passes = isinstance(why, OSError) and why.errno in _SHORT_OF
    return AnalysisUnavailable(f"cannot start an analysis process: {why}", passes=passes)


class ForkServer:
    """Gives processes that run what `start`, a framed `Start`, says. Launched when first asked."""

    def __init__(self, start: bytes) -> None:
        self.start = start
        self._line: Line | None = None
        self._opening = asyncio.Lock()

    async def fork(self) -> tuple[int, Pipes, Line]:
        """Return a new process: its id, the way to it, and the line to whoever can kill it.

        AnalysisUnavailable if there can be none.
        """
        try:
            async with self._opening:
                if self._line is None or self._line.lost:
                    await self.close()
                    self._line = await Line.begun(self.start)
                line = self._line
                await line.warm()
            ours, theirs = socket.socketpair()
            try:
                with theirs:
                    born = line.fork(theirs)
                async with asyncio.timeout(START_TIMEOUT_S):
                    pid, ended = await born
                ours.setblocking(False)
                loop = asyncio.get_running_loop()
                _, pipes = await loop.create_unix_connection(lambda: Pipes(ended), sock=ours)
            except BaseException:
                ours.close()  # whoever is born all the same finds nobody there, and ends
                raise
        except (OSError, ProcessDied) as error:  # TimeoutError is one
            raise cannot_start(error) from None
        return pid, pipes, line

    async def close(self) -> None:
        """End it, when what it has forked is gone or may end with it."""
        if self._line is not None:
            await self._line.hang_up()
            self._line = None


class Line(Frames):
    """What is said to one fork server that was launched, and heard of it.

    All that was forked ends with it: then futures of ids are ProcessDied, and of ends are done.
    """

    def __init__(self, server: Launched) -> None:
        super().__init__()
        self._server = server
        self._ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._born: deque[asyncio.Future[Born]] = deque()
        self._ends: dict[int, asyncio.Future[int]] = {}

    @classmethod
    async def begun(cls, start: bytes) -> Self:
        """Return the line to a fork server that is told what to run. OSError.

        It is the one that was launched ahead, if there is one.
        """
        server = launched()
        log.debug("analysis nursery %d started", server.process.pid)
        server.control.setblocking(False)
        # Descriptors cannot be sent over what belongs to the event loop.
        heard = server.control.dup()
        line = cls(server)
        try:
            await asyncio.get_running_loop().create_unix_connection(lambda: line, sock=heard)
        except BaseException:
            server.dismiss()
            raise
        line.transport.write(start)
        return line

    @property
    def lost(self) -> bool:
        """Whether it has ended."""
        return self.closed.done()

    async def warm(self) -> None:
        """Wait until it can be forked.

        AnalysisUnavailable where it cannot work, ProcessDied, TimeoutError.
        """
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                trouble = await asyncio.shield(self._ready)
        except TimeoutError:
            self._server.process.kill()
            raise
        if trouble:
            raise cannot_start(trouble)

    def fork(self, own: socket.socket) -> asyncio.Future[Born]:
        """Ask for a process that has this socket; return it to be. OSError."""
        born: asyncio.Future[Born] = asyncio.get_running_loop().create_future()
        if self.lost:
            born.set_exception(ProcessDied(-signal.SIGKILL))
            return born
        socket.send_fds(self._server.control, [REQUEST.pack(FORK, 0)], [own.fileno()])
        self._born.append(born)
        return born

    def kill(self, pid: int) -> None:
        """End a process at once; it is gone when its end is told.

        A fork server that does not tell of it in time (one that somebody has stopped) is ended.
        """
        if not self.lost:
            asyncio.get_running_loop().call_later(
                START_TIMEOUT_S, self._end_where_deaf, self._ends.get(pid)
            )
            with suppress(BrokenPipeError, ConnectionResetError):  # then it ends anyway
                self._server.control.send(REQUEST.pack(KILL, pid))

    def _end_where_deaf(self, ended: asyncio.Future[int] | None) -> None:
        if ended is not None and not ended.done():
            self._server.process.kill()

    def heard(self, body: memoryview) -> None:
        """Take a report, or at first whether it is ready."""
        message: str | tuple[bytes, int, int] = pickle.loads(body)
        if isinstance(message, str):
            if not self._ready.done():
                self._ready.set_result(message)
            return
        kind, pid, number = message
        if kind == ENDED:
            self._ends.pop(pid).set_result(number)
            return
        born = self._born.popleft()
        ended = asyncio.get_running_loop().create_future()
        if kind == BORN:
            self._ends[pid] = ended
        if born.done():  # nobody waits for it any more: it ends by itself
            return
        if kind == BORN:
            born.set_result((pid, ended))
        else:
            born.set_exception(OSError(number, os.strerror(number)))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell all who wait that it has ended."""
        super().connection_lost(exc)
        self._server.process.kill()  # where we hung up
        code = self._server.process.wait()
        self._server.control.close()
        waiting: list[asyncio.Future[Any]] = [self._ready, *self._born]
        for future in waiting:
            if not future.done():
                future.set_exception(ProcessDied(code))
                future.exception()  # perhaps nobody asks
        for ended in self._ends.values():
            ended.set_result(-signal.SIGKILL)
        self._born.clear()
        self._ends.clear()

    async def hang_up(self) -> None:
        """End it, and wait until it is gone."""
        if not self.lost:
            self._server.process.kill()
        await self.closed
        self.transport.close()


_CPU_CLOCK = 2
"""Linux: the clock of all that a process computes has the number `~pid << 3 | 2`, as
clock_getcpuclockid(3) makes it. Reading it is one short system call before each page."""


class AnalysisProcess:
    """One analysis process (`crawler.workers.analyser`); `end` kills it."""

    def __init__(self, pid: int, pipes: Pipes, end: Callable[[int], None]) -> None:
        self._pid = pid
        self._pipes = pipes
        self._end = end
        self._killed = False
        self._before_s = 0.0

    @classmethod
    async def spawn(cls, fork_server: ForkServer) -> Self:
        """Start a process; AnalysisUnavailable if there can be none."""
        pid, pipes, line = await fork_server.fork()
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
