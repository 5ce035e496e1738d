"""The time limits of one HTTP exchange, phase by phase, and what running out of each means."""

from __future__ import annotations

import asyncio
from enum import Enum
from types import TracebackType
from typing import Self

from crawler import config
from crawler.fetch.timeouts import FairTimer
from crawler.fetch.trouble import Trouble
from crawler.records import Failure, Obstacle


class Phase(Enum):
    """Where an exchange stands, and the failure its time limit means."""

    ADDRESS = Obstacle.NETWORK
    CONNECTION = Failure.TIMEOUT_CONNECT
    HEADERS = Failure.TIMEOUT_HEADERS
    BODY = Failure.TIMEOUT_BODY


class Deadline:
    """One timer for all phases of an exchange: a phase's own limit, or the exchange's if sooner.

    Entered, it cancels its task when a limit is over and raises TimeoutError, as `asyncio.timeout`.
    """

    def __init__(self, limits: config.Fetch) -> None:
        self._limits_s = {
            Phase.ADDRESS: limits.dns_timeout_s,
            # All addresses of a name together: the connector tries one beside the other.
            Phase.CONNECTION: limits.connect_timeout_s,
            Phase.HEADERS: limits.headers_timeout_s,
            Phase.BODY: limits.read_timeout_s,
        }
        self._loop = asyncio.get_running_loop()
        self._total_s = limits.total_timeout_s
        self._begun_at = self._loop.time()
        self._limit_s = 0.0
        self._in_total = False
        self._gave_way = False
        self.phase = Phase.CONNECTION
        self._timeout = asyncio.timeout(None)
        self._timer = FairTimer(self._expire, self._loop)

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self.enter(Phase.CONNECTION)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        await self._timeout.__aexit__(kind, error, traceback)

    @property
    def expired(self) -> bool:
        """Whether a limit is over."""
        return self._timeout.expired()

    def enter(self, phase: Phase) -> None:
        """Begin a phase, or begin it anew: each piece of a body restarts its silence."""
        if self.expired or self._gave_way:
            return
        now = self._loop.time()
        ends_at = self._begun_at + self._total_s + self._timer.put_off_s
        self.phase = phase
        self._limit_s = self._limits_s[phase]
        self._in_total = ends_at < now + self._limit_s
        self._timeout.reschedule(None)  # it may have been about to expire
        self._timer.set(min(ends_at, now + self._limit_s))

    def give_way(self) -> None:
        """Break off: others need the place."""
        self._gave_way = True
        self._timer.cancel()
        if not self.expired:
            self._expire()

    def trouble(self) -> Trouble:
        """Return what running out of time means."""
        if self._gave_way:
            waited_s = self._loop.time() - self._begun_at
            return Trouble(Obstacle.CROWD, f"gave way to others after {waited_s:.1f} s")
        limit = f"{self._total_s:g} s in all" if self._in_total else f"{self._limit_s:g} s"
        return Trouble(self.phase.value, f"no {self.phase.name.lower()} within {limit}")

    def _expire(self) -> None:
        self._timeout.reschedule(self._loop.time())
