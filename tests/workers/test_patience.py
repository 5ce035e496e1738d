"""How long a process is waited for, by the clock and by what it computes: it is not real here."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from crawler.workers import pool
from crawler.workers.pool import GivenBack, Late, Stopped, answer_of
from crawler.workers.process import AnalysisProcess, Pipes

pytestmark = pytest.mark.asyncio

LIMIT_S = 0.01


class Computing:
    """A process that has computed so much at each look, and answers after the last of these."""

    def __init__(self, *looks: float, answers: bool) -> None:
        self.looks = list(looks)
        self.answers = answers
        self.done = asyncio.Event()
        self.killed = False

    @property
    def computed_s(self) -> float:
        """See AnalysisProcess."""
        if len(self.looks) == 1 and self.answers:
            self.done.set()
        return self.looks.pop(0)

    def ask(self, framed: bytes) -> asyncio.Future[Any]:
        """See AnalysisProcess."""
        return asyncio.create_task(self._answer())

    async def _answer(self) -> Any:
        try:
            await self.done.wait()
        except asyncio.CancelledError:
            self.killed = True
            raise
        return "an answer"


async def answered(
    process: Any, keeps: Callable[[], bool] | None = None, limit_s: float = LIMIT_S
) -> Any:
    """Return the answer within a limit; `keeps` says whether a borrowed process is kept."""
    return await answer_of(process, b"", limit_s, keeps)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look again at once: what is proved is how often, and after what."""
    monkeypatch.setattr(pool, "LOOK_S", 0.0)
    monkeypatch.setattr(pool, "_GRACE_S", 0.0)
    monkeypatch.setattr(pool, "QUICK_S", LIMIT_S / 4)
    monkeypatch.setattr(pool, "MOST_LIMITS", 1e6)


async def test_a_page_that_had_its_time_is_late() -> None:
    """A process that computed for half of the limit or more is killed at it."""
    process = Computing(LIMIT_S, answers=False)
    with pytest.raises(Late):
        await answered(process)
    assert process.killed


async def test_a_busy_machine_is_given_time() -> None:
    """As long as a process gets on, however slowly, and has not had its time, it is waited for."""
    looks = [LIMIT_S / 4 + n / 1e6 for n in range(20)]
    process = Computing(*looks, answers=True)
    assert await answered(process) == "an answer"
    assert not process.looks
    assert not process.killed


async def test_an_answer_that_came_while_nobody_looked_counts() -> None:
    """Where the event loop was held beyond the limit, what has come meanwhile is taken."""
    assert await answered(Computing(LIMIT_S, answers=True)) == "an answer"


async def test_a_process_that_stands_still_is_stopped() -> None:
    """One that computes nothing between two looks is killed, and its page is not called late."""
    process = Computing(LIMIT_S / 4, LIMIT_S / 4, answers=False)
    with pytest.raises(Stopped):
        await answered(process)
    assert process.killed


async def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that never gives a page its time, it is given up after some limits."""
    monkeypatch.setattr(pool, "MOST_LIMITS", 1)
    with pytest.raises(Stopped):
        await answered(Computing(0.0, LIMIT_S / 1e6, answers=False))


async def test_a_borrowed_process_is_given_back() -> None:
    """It is kept while nobody wants it, and killed within its limit when somebody does."""
    process, kept = Computing(answers=False), iter((True, True, False))
    with pytest.raises(GivenBack):
        await answered(process, lambda: next(kept), limit_s=600.0)
    assert process.killed


async def test_a_borrowed_process_is_given_back_on_a_busy_machine() -> None:
    """Also where a page is waited for beyond its limit, since it had little time."""
    process = Computing(*(n / 1e6 for n in range(5)), answers=False)
    with pytest.raises(GivenBack):
        await answered(process, lambda: len(process.looks) > 2)
    assert process.killed
    assert len(process.looks) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is not known")
async def test_what_a_process_computes_is_what_its_clock_says() -> None:
    """It is the CPU time of a living process; of one that is gone, more than any limit."""
    before_s = time.process_time()
    computed_s = process_of(os.getpid()).computed_s
    assert before_s <= computed_s <= time.process_time()
    child = await asyncio.create_subprocess_exec("true")
    await child.wait()
    assert process_of(child.pid).computed_s == math.inf


def process_of(pid: int) -> AnalysisProcess:
    """Return what stands for a process that was not asked for anything."""
    return AnalysisProcess(pid, Pipes(asyncio.get_running_loop().create_future()), print)
