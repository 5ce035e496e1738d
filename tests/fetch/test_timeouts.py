"""No server is blamed for time in which the event loop was held by something else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from support.fetching import PAGE, fetch_reply, job, no_limit_before
from support.servers import Handler, Request, response

from crawler.fetch.exchange import LATE_S, TURN_S, FairTimer, Phase, fair_timeout
from crawler.models import Fetched


class Loop:
    """A loop whose clock the test moves; it fires what is due when it gets to it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[tuple[float, Callable[[], None], asyncio.TimerHandle]] = []

    def time(self) -> float:
        """Return the time."""
        return self.now

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Take a timer."""
        handle = asyncio.TimerHandle(when, callback, (), cast("Any", self))
        self._timers.append((when, callback, handle))
        return handle

    def get_debug(self) -> bool:
        """Satisfy the handle."""
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Satisfy the handle."""

    def listen(self, until: float) -> None:
        """Run in good order until then: each timer fires at its time."""
        while due := [t for t in self._timers if t[0] <= until and not t[2].cancelled()]:
            first = min(due, key=lambda timer: timer[0])
            self._timers.remove(first)
            self.now = max(self.now, first[0])
            first[1]()
        self.now = until

    def hold(self, until: float) -> None:
        """Let time go by unheard."""
        self.now = until


def timer(loop: Loop) -> tuple[FairTimer, list[float]]:
    """Return a timer of this loop, and the times at which it expired."""
    expired: list[float] = []
    fair = FairTimer(lambda: expired.append(loop.now), cast("asyncio.AbstractEventLoop", loop))
    return fair, expired


def test_a_timer_expires_in_time() -> None:
    """Where nothing holds the loop, a limit is what it says, and a turn of the loop."""
    loop = Loop()
    fair, expired = timer(loop)
    fair.set(10.0)
    loop.listen(100.0)
    assert expired == [10.0 + TURN_S]
    assert fair.put_off_s == 0.0


def test_a_time_that_is_moved_is_the_only_one() -> None:
    """Later as often as pieces come, by one timer of the loop; sooner where a limit is shorter."""
    loop = Loop()
    fair, expired = timer(loop)
    for at in range(10):
        loop.listen(float(at))
        fair.set(at + 10.0)
    assert len(loop._timers) == 1
    loop.listen(18.9)
    assert expired == []
    fair.set(30.0)
    fair.set(20.0)
    loop.listen(100.0)
    assert expired == [20.0 + TURN_S]
    assert fair.put_off_s == 0.0


def test_a_held_loop_puts_the_end_off() -> None:
    """What was held for three seconds too long is heard for three seconds more, once."""
    loop = Loop()
    fair, expired = timer(loop)
    fair.set(10.0)
    loop.hold(13.0)
    loop.listen(15.9)
    assert expired == []
    loop.listen(100.0)
    assert expired == [16.0 + TURN_S]
    assert fair.put_off_s == 6.0


def test_a_loop_that_was_stopped_for_hours_waits_for_no_hours_more() -> None:
    """After a SIGSTOP a server has all of its time once more, not as long as the stop took."""
    loop = Loop()
    fair, expired = timer(loop)
    fair.set(10.0)
    loop.hold(7200.0)
    loop.listen(20_000.0)
    assert expired == [7210.0 + TURN_S]


def test_a_timer_that_is_set_anew_forgets_the_old_time() -> None:
    """A phase that ends in time never expires; a cancelled timer does not either."""
    loop = Loop()
    fair, expired = timer(loop)
    fair.set(10.0)
    loop.listen(9.0)
    fair.set(20.0)
    loop.listen(19.0)
    fair.cancel()
    loop.listen(100.0)
    assert expired == []


def test_a_server_that_drips_gains_nothing_beyond_the_end() -> None:
    """Setting a time again that has passed does not grant another turn, and another."""
    loop = Loop()
    fair, expired = timer(loop)
    fair.set(10.0)
    for piece in range(40):
        loop.listen(9.95 + piece * TURN_S / 2)
        if not expired:
            fair.set(10.0)
    assert expired
    assert expired[0] < 10.0 + LATE_S


def holding(page: bytes, seconds: float) -> Handler:
    """Return what sends a page and holds the event loop while the page is on its way."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(page)
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while loop.time() < until:
            pass

    return answer


@pytest.mark.parametrize("limit", ["headers_timeout_s", "total_timeout_s"])
async def test_a_page_that_has_arrived_is_read(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that came while the loop was held is no time-out, though its limit is over."""
    no_limit_before(Phase.HEADERS, monkeypatch)
    outcome = await fetch_reply(holding(response(PAGE), 0.3), job(**{limit: 0.1}))
    assert isinstance(outcome, Fetched), outcome
    assert outcome.body == PAGE


async def test_a_fair_timeout_ends_a_wait() -> None:
    """What never comes is given up."""
    with pytest.raises(TimeoutError):
        async with fair_timeout(0.01):
            await asyncio.Event().wait()
