"""What an analysis process says, however its pipe cuts it, and what its end means."""

from __future__ import annotations

import asyncio
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.workers.messages import HEADER, frame
from crawler.workers.process import Frames, Pipes, ProcessDied

pytestmark = pytest.mark.asyncio


class Transport(asyncio.WriteTransport):
    """The way to a process that takes everything and says nothing by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """See WriteTransport."""
        self.written += data


def opened() -> tuple[Pipes, Transport]:
    """Return the way to a process, and what is written to it."""
    pipes, transport = Pipes(asyncio.get_running_loop().create_future()), Transport()
    pipes.connection_made(transport)
    return pipes, transport


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=4), st.integers(1, 60))
async def test_an_answer_comes_whole_however_it_is_cut(said: list[bytes], size: int) -> None:
    """Each question has its own answer, in pieces of any size, header and all."""
    pipes, transport = opened()
    for answer in said:
        asked = pipes.ask(b"question")
        framed = frame(answer)
        for start in range(0, len(framed), size):
            assert not asked.done()
            pipes.data_received(framed[start : start + size])
        assert asked.result() == answer
    assert transport.written == b"question" * len(said)


@given(st.lists(st.binary(max_size=40), min_size=2, max_size=5))
async def test_frames_that_come_at_once_are_all_heard(said: list[bytes]) -> None:
    """Reports of a fork server may lie in one piece, with a part of the next."""
    heard: list[bytes] = []

    class Ear(Frames):
        def heard(self, body: memoryview) -> None:
            heard.append(pickle.loads(body))

    together, ear = b"".join(map(frame, said)), Ear()
    ear.data_received(together[:-3])
    assert heard == said[:-1]
    ear.data_received(together[-3:])
    assert heard == said


@pytest.mark.parametrize("exit_comes_first", [True, False])
async def test_last_words_count(exit_comes_first: bool) -> None:
    """An answer counts that is read after its process has ended; without one it has died."""
    for answered in (True, False):
        pipes, _ = opened()
        asked = pipes.ask(b"question")
        if exit_comes_first:
            pipes.exited.set_result(-9)
            await asyncio.sleep(0)
            assert not asked.done()
        if answered:
            pipes.data_received(frame("last words"))
        pipes.connection_lost(None)
        if not exit_comes_first:
            assert asked.done() is answered
            pipes.exited.set_result(-9)
            await asyncio.sleep(0)
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
    pipes.data_received(frame("late"))
    assert pipes.ask(b"another").done() is False


async def test_an_answer_that_cannot_be_read_is_an_error_at_once() -> None:
    """Whoever asked hears of it, and need not wait for a time limit."""
    pipes, _ = opened()
    asked = pipes.ask(b"question")
    pipes.data_received(HEADER.pack(5) + b"other")
    with pytest.raises(pickle.UnpicklingError):
        asked.result()
