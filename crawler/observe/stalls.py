"""How long the event loop was deaf: what it is late by, when it should have looked up.

While one callback runs, no signal is heard, no timer fires and no byte is read. A timer that should
fire every few milliseconds tells by its lateness how long each of these stretches was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Self

EVERY_S = 0.02
"""Between two looks: stalls are measured to this, at a cost of .1 % of a core."""

WORTH_TELLING_S = 0.05
"""A stall from which progress lines say it: a person waits for an answer, a server for the rest of
a request."""


class Stalls:
    """The longest stall of the running loop, in all and since it was last asked for.

    `clock` is monotonic. What stops the whole machine or process for a while is a stall too.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._handle: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._recent_s = 0.0
        self.longest_s = 0.0
        """Seconds, 0 before the first look."""

    def __enter__(self) -> Self:
        self._due = self._clock() + EVERY_S
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.cancel()

    def take_recent(self) -> float:
        """Return the longest stall since the last call, in seconds."""
        recent_s, self._recent_s = self._recent_s, 0.0
        return recent_s

    def look(self) -> None:
        """Note how late it is; called by the loop."""
        late_s = max(0.0, self._clock() - self._due)
        self._recent_s = max(self._recent_s, late_s)
        self.longest_s = max(self.longest_s, late_s)
        self._due = self._clock() + EVERY_S
        self._wait()

    def _wait(self) -> None:
        self._handle = asyncio.get_running_loop().call_later(EVERY_S, self.look)
