"""How long the event loop was deaf: what it is late by, when it should have looked up.

While one callback runs, no signal is heard, no timer fires and no byte is read. A timer that should
fire every few milliseconds tells by its lateness how long each of these stretches was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import accumulate
from typing import Self

EVERY_S = 0.02
"""Between two looks: stalls are measured to this, at a cost of .1 % of a core."""

WORTH_TELLING_S = 0.05
"""A stall from which progress lines say it: a person waits for an answer, a server for the rest of
a request."""

_PERCENT = 99

_MOST_MS = 1000
"""Longer stalls count as this in the percentile: a list of so many numbers is all it needs."""


class Stalls:
    """The stalls of the running loop: the longest in all and since it was last asked for, and more.

    `clock` is monotonic. What stops the whole machine or process for a while is a stall too.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._handle: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._recent_s = 0.0
        self.longest_s = 0.0
        """Seconds, 0 before the first look."""
        self._looks_by_ms = [0] * (_MOST_MS + 1)
        """How many looks were late by so many whole milliseconds."""

    def __enter__(self) -> Self:
        self._due = self._clock() + EVERY_S
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.cancel()

    @property
    def p99_s(self) -> float:
        """Seconds by which 99 of a hundred looks were late at most, to the next millisecond."""
        looks = sum(self._looks_by_ms)
        within = accumulate(self._looks_by_ms)
        at_most_ms = (ms for ms, count in enumerate(within, 1) if 100 * count >= _PERCENT * looks)
        return next(at_most_ms) / 1000 if looks else 0.0

    def take_recent(self) -> float:
        """Return the longest stall since the last call, in seconds."""
        recent_s, self._recent_s = self._recent_s, 0.0
        return recent_s

    def look(self) -> None:
        """Note how late it is; called by the loop."""
        late_s = max(0.0, self._clock() - self._due)
        self._recent_s = max(self._recent_s, late_s)
        self.longest_s = max(self.longest_s, late_s)
        self._looks_by_ms[min(_MOST_MS, int(1000 * late_s))] += 1
        self._due = self._clock() + EVERY_S
        self._wait()

    def _wait(self) -> None:
        self._handle = asyncio.get_running_loop().call_later(EVERY_S, self.look)
