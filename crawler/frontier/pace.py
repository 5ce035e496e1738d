"""How slowly one host is asked: the pause that it wants, and what its answers make of it."""

from __future__ import annotations

from math import inf

from crawler.frontier.failures import HASTEN_STEPS, slower_s


class Pace:
    """The pause between two requests to a host: never shorter than that of the job and its rules.

    It grows with refusals, which answers make up for step by step, and with the time that answers
    take, where the job wants that (`feel`).
    """

    __slots__ = ("_felt_s", "_refused_at", "_slow_s", "_step_s", "base_s", "refusals")

    def __init__(self, base_s: float) -> None:
        self.base_s = base_s
        """The pause that the job or its robots.txt asks for."""
        self.refusals = 0
        """Answers 429 in a row."""
        self._refused_at = -inf
        self._slow_s = self._step_s = self._felt_s = 0.0

    @property
    def delay_s(self) -> float:
        """The pause between two requests."""
        return max(self.base_s, self._slow_s, self._felt_s)

    @property
    def slow_s(self) -> float:
        """What answers have made of that pause; 0.0 where it is as it was."""
        slow_s = max(self._slow_s, self._felt_s)
        return slow_s if slow_s > self.base_s else 0.0

    @property
    def is_refused(self) -> bool:
        """Whether refusals have made that pause longer, which it has not made up for."""
        return self._slow_s > self.base_s

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

    def feel(self, wanted_s: float, *, well: bool) -> None:
        """An answer took so long that this pause is wanted: take it at once if it is longer.

        A shorter one only half way, and not after an answer that says that something is wrong: an
        error page takes no time to make. (AutoThrottle of Scrapy does the same.)
        """
        if wanted_s >= self._felt_s:
            self._felt_s = wanted_s
        elif well:
            self._felt_s = (self._felt_s + wanted_s) / 2

    def hasten(self) -> None:
        """It has answered: be a little less slow."""
        if self._slow_s:
            self._slow_s = max(0.0, self._slow_s - self._step_s)
