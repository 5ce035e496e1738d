"""How slowly one host is asked: the pause that it wants, and what answers 429 make of it."""

from __future__ import annotations

from math import inf

from crawler.frontier.failures import HASTEN_STEPS, slower_s


class Pace:
    """The pause between two requests to a host: it grows with refusals, answers shorten it."""

    __slots__ = ("_refused_at", "_slow_s", "_step_s", "base_s", "refusals")

    def __init__(self, base_s: float) -> None:
        self.base_s = base_s
        """The pause that the job or its robots.txt asks for."""
        self.refusals = 0
        """Answers 429 in a row."""
        self._refused_at = -inf
        self._slow_s = self._step_s = 0.0

    @property
    def delay_s(self) -> float:
        """The pause between two requests."""
        return max(self.base_s, self._slow_s)

    @property
    def slow_s(self) -> float:
        """What refusals have made of that pause; 0.0 where it is as it was."""
        return self._slow_s if self._slow_s > self.base_s else 0.0

    def lengthen(self, base_s: float) -> None:
        """Pause for so long at least, until its own rules say otherwise."""
        self.base_s = max(self.base_s, base_s)

    def refuse(self, begun_at: float, now: float) -> int:
        """It answered 429: be slower; return how many such answers came in a row.

        As with strikes, those under way together are one.
        """
        if begun_at >= self._refused_at:
            self.refusals += 1
            self._refused_at = now
            self.slow_down(slower_s(self.delay_s))
        return self.refusals

    def slow_down(self, delay_s: float) -> None:
        """Pause so long between two requests, and less with every answer from now on."""
        self._slow_s = delay_s
        self._step_s = delay_s / HASTEN_STEPS

    def hasten(self) -> None:
        """It has answered: be a little less slow."""
        if self._slow_s:
            self._slow_s = max(0.0, self._slow_s - self._step_s)
