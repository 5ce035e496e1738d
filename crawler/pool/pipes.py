"""The way to an analysis process: one frame in, its answer out, then the next."""

from __future__ import annotations

import asyncio
import pickle
import signal
from abc import ABC, abstractmethod
from typing import Any, cast

from crawler.analysis.messages import HEADER


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
