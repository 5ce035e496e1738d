"""How long a process is waited for: by the clock, and by what it computes meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from crawler.pool.process import AnalysisProcess
from crawler.pool.turns import QUICK_S

BUSY = 0.5
"""A page that hangs computes for at least this part of its time. Where a process did not, something
else kept it or us: a busy machine, one that slept or swapped, a SIGSTOP."""

LOOK_S = 0.5
"""How long a process may do nothing at all, once its page's time is over, until it is taken for
stopped. On the busiest machine it computes some hundredths of that."""

MOST_LIMITS = 8
"""So many times its limit a page may take on a machine that is too busy for it."""

_GRACE_S = 0.05
"""For an answer that came while the event loop was held."""


class Late(Exception):
    """The page has had its time and did not use it up for an answer."""


class Stopped(Exception):
    """The process does not compute."""


class GivenBack(Exception):
    """Others want the process."""


async def answer_of(
    process: AnalysisProcess, framed: bytes, limit_s: float, keeps: Callable[[], bool] | None
) -> Any:
    """Return the answer of a process that has `limit_s` for it; else it is killed.

    Raises Late, Stopped, ProcessDied, and GivenBack where `keeps` says so of a borrowed one.
    """
    answering = process.ask(framed)
    try:
        if not await _comes(answering, limit_s, keeps):
            await _comes_late(answering, process, limit_s, keeps)
        return answering.result()
    finally:
        if not answering.done():
            answering.cancel()
            await asyncio.wait({answering})


async def _comes(
    answering: asyncio.Future[Any], limit_s: float, keeps: Callable[[], bool] | None
) -> bool:
    """Wait for an answer for its limit, with looks at whether others want the process."""
    loop = asyncio.get_running_loop()
    until = loop.time() + limit_s
    while (left_s := until - loop.time()) > 0:
        await asyncio.wait({answering}, timeout=left_s if keeps is None else min(left_s, QUICK_S))
        if answering.done():
            return True
        if keeps is not None and not keeps():
            raise GivenBack
    return False


async def _comes_late(
    answering: asyncio.Future[Any],
    process: AnalysisProcess,
    limit_s: float,
    keeps: Callable[[], bool] | None,
) -> None:
    """Wait for an answer as long as its process has not had the time to compute it."""
    loop = asyncio.get_running_loop()
    until, computed_s = loop.time() + (MOST_LIMITS - 1) * limit_s, -1.0
    while True:
        before_s, computed_s = computed_s, process.computed_s
        busy = computed_s > BUSY * limit_s
        await asyncio.wait({answering}, timeout=_GRACE_S if busy else LOOK_S)
        if answering.done():
            return
        if busy:
            raise Late
        if computed_s == before_s or loop.time() > until:
            raise Stopped
        if keeps is not None and not keeps():
            raise GivenBack
