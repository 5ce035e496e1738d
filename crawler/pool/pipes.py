"""The pipes of an analysis process: one frame in, its answer out, then the next."""

from __future__ import annotations

import asyncio
import pickle
import signal
from typing import Any, cast

from crawler.analysis.messages import HEADER

_STDIN, _STDOUT = 0, 1


class ProcessDied(Exception):
    """The process ended before it answered; the message says by what."""

    def __init__(self, code: int) -> None:
        self.by_signal = code < 0
        super().__init__(signal.Signals(-code).name if code < 0 else f"exit code {code}")


class Pipes(asyncio.SubprocessProtocol):
    """Speaks with one process; a protocol and no streams, which take twice the event loop's time.

    One question is under way at a time.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = loop.create_future()
        """Done when the process has ended."""
        self.closed: asyncio.Future[None] = loop.create_future()
        """Done when its pipes are closed as well."""
        self._answer: asyncio.Future[Any] | None = None
        self._pieces: list[bytes] = []
        """Of an answer that has not come whole."""
        self._missing = HEADER.size
        """Bytes, of what is known of it."""
        self._has_said_all = False

    def ask(self, framed: bytes) -> asyncio.Future[Any]:
        """Send a frame; return its answer to be, or ProcessDied."""
        self._answer = answer = asyncio.get_running_loop().create_future()
        self._write(framed)
        self._break_off()
        return answer

    def _write(self, framed: bytes) -> None:
        stdin = cast(asyncio.WriteTransport | None, self._transport.get_pipe_transport(_STDIN))
        if stdin is not None:
            stdin.write(framed)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See SubprocessProtocol."""
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take a piece of an answer; its last one makes it known."""
        self._pieces.append(data)
        self._missing -= len(data)
        if self._missing > 0:
            return
        frame = data if len(self._pieces) == 1 else b"".join(self._pieces)
        if len(frame) >= HEADER.size:
            (length,) = HEADER.unpack_from(frame)
            self._missing = HEADER.size + length - len(frame)
        if self._missing > 0:
            self._pieces = [frame]
            return
        self._pieces, self._missing = [], HEADER.size
        if self._answer is None or self._answer.done():
            return
        try:
            self._answer.set_result(pickle.loads(memoryview(frame)[HEADER.size :]))
        except Exception as error:  # whoever asked hears of it, not the event loop
            self._answer.set_exception(error)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that nothing more comes."""
        if fd == _STDOUT:
            self._has_said_all = True
            self._break_off()

    def process_exited(self) -> None:
        """Note the end of the process; its last words may still be in the pipe."""
        if not self.exited.done():
            self.exited.set_result(None)
        self._break_off()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that all is closed."""
        if not self.closed.done():
            self.closed.set_result(None)

    def _break_off(self) -> None:
        """Where the process has ended and said all, no answer will come."""
        code = self._transport.get_returncode()
        if code is None or not self._has_said_all:
            return
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ProcessDied(code))
