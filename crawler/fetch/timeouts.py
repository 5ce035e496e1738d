"""Time limits in which only that time counts in which the event loop listened.

While one callback runs, no byte is read and no timer fires. What has come meanwhile lies in the
sockets, and the timers that are due fire before it is read, or before it reaches who waits for it.
So whoever waits would be told that nothing came, and the server would be blamed for our own delay.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

TURN_S = 0.005
"""What each limit is lengthened by: some turns of the loop, in which what has come is read."""

LATE_S = 0.02
"""A timer that fires later than this was held up: a loop in good order is late by less."""


class FairTimer:
    """Calls `expired` when a time has come on the loop's clock, and the loop has listened since.

    Where the loop was held, the time is put off by twice as long as it was late: once for what was
    late, once for what the other side had no chance to hear or say. The second is no longer than
    the limit itself, since the loop may have been held for hours (SIGSTOP). Not thread-safe.
    """

    def __init__(self, expired: Callable[[], object], loop: asyncio.AbstractEventLoop) -> None:
        self._expired = expired
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None
        self._at = self._limit_s = 0.0
        self._has_listened = False
        self.put_off_s = 0.0
        """By how much times were put off, in all."""

    def set(self, at: float) -> None:
        """Expire at this time and at no other; one that has passed expires at once."""
        self.cancel()
        now = self._loop.time()
        self._has_listened = self._has_listened and at <= now
        self._limit_s = max(0.0, at - now)
        self._wait(now + self._limit_s)

    def cancel(self) -> None:
        """Expire no more."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _wait(self, until: float) -> None:
        self._at = until
        self._handle = self._loop.call_at(until, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        late_s = now - self._at
        if late_s >= LATE_S:
            again_s = min(late_s, max(self._limit_s, TURN_S))
            self.put_off_s += late_s + again_s
            self._wait(now + again_s)
        elif self._has_listened:
            self._handle = None
            self._expired()
        else:
            self._has_listened = True
            self._wait(now + TURN_S)


@asynccontextmanager
async def fair_timeout(delay_s: float) -> AsyncIterator[None]:
    """Do as `asyncio.timeout`, by the clock of a loop that listens."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:
        timer = FairTimer(lambda: limit.reschedule(loop.time()), loop)
        timer.set(loop.time() + delay_s)
        try:
            yield
        finally:
            timer.cancel()
