"""What an analysis process says, however its pipe cuts it, and what its end means."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.analysis.messages import HEADER, frame
from crawler.pool.pipes import Pipes, ProcessDied

pytestmark = pytest.mark.asyncio


class Process:
    """The transport of a process that takes everything and says nothing by itself."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.written = b""

    def get_returncode(self) -> int | None:
        """See SubprocessTransport."""
        return self.code

    def get_pipe_transport(self, fd: int) -> Any:
        """See SubprocessTransport."""
        return self

    def write(self, data: bytes) -> None:
        """See WriteTransport."""
        self.written += data


def opened() -> tuple[Pipes, Process]:
    """Return pipes, and the process at their other end."""
    pipes, process = Pipes(), Process()
    transport: Any = process
    pipes.connection_made(transport)
    return pipes, process


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=40), min_size=1, max_size=4), st.integers(1, 60))
async def test_an_answer_comes_whole_however_it_is_cut(said: list[bytes], size: int) -> None:
    """Each question has its own answer, in pieces of any size, header and all."""
    pipes, process = opened()
    for answer in said:
        asked = pipes.ask(b"question")
        framed = frame(answer)
        for start in range(0, len(framed), size):
            assert not asked.done()
            pipes.pipe_data_received(1, framed[start : start + size])
        assert asked.result() == answer
    assert process.written == b"question" * len(said)


@pytest.mark.parametrize("exit_comes_first", [True, False])
async def test_last_words_count(exit_comes_first: bool) -> None:
    """An answer counts that is read after its process has ended; without one it has died."""
    for answered in (True, False):
        pipes, process = opened()
        asked = pipes.ask(b"question")
        if exit_comes_first:
            process.code = -9
            pipes.process_exited()
            assert not asked.done()
        if answered:
            pipes.pipe_data_received(1, frame("last words"))
        pipes.pipe_connection_lost(1, None)
        if not exit_comes_first:
            assert asked.done() is answered
            process.code = -9
            pipes.process_exited()
        if answered:
            assert asked.result() == "last words"
        else:
            with pytest.raises(ProcessDied, match="SIGKILL"):
                asked.result()
        with pytest.raises(ProcessDied, match="SIGKILL"):
            pipes.ask(b"another").result()


async def test_an_answer_that_nobody_waits_for_is_dropped() -> None:
    """Who has given up waiting is not told, and nothing breaks."""
    pipes, _ = opened()
    pipes.ask(b"question").cancel()
    pipes.pipe_data_received(1, frame("late"))
    pipes.process_exited()
    assert pipes.exited.done()


async def test_an_answer_that_cannot_be_read_is_an_error_at_once() -> None:
    """Whoever asked hears of it, and need not wait for a time limit."""
    pipes, _ = opened()
    asked = pipes.ask(b"question")
    pipes.pipe_data_received(1, HEADER.pack(5) + b"other")
    with pytest.raises(pickle.UnpicklingError):
        asked.result()
