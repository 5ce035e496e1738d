"""What hosts are owed as a run begins: pauses that an earlier one did not wait for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pause:
    """What a host is owed beyond the job's own delay."""

    left_s: float
    """No request within this time: a Retry-After, a back-off, the rest of a Crawl-delay."""
    delay_s: float
    """Its pause between two requests, as its robots.txt asked."""
    slow_s: float = 0.0
    """What its answers have made of that pause; 0.0 where nothing."""


class OwedPauses:
    """The first moment at which a host new to this run may be asked, and its delay until known.

    A resumed run does not know whom the earlier one asked last, and that one may have been killed:
    every host is owed a whole delay from the start on, those with a `Pause` also what is left of
    it. In a first run nobody is owed anything.
    """

    def __init__(self, delay_of: Callable[[str], float]) -> None:
        """`delay_of` gives what the job says of a host."""
        self._delay_of = delay_of
        self._is_later = False
        self._pauses: Mapping[str, Pause] = {}
        self.since = 0.0
        """When this run began."""

    def take_over(self, pauses: Mapping[str, Pause], now: float) -> None:
        """Begin a resumed run at `now`."""
        self.since = now
        self._is_later = True
        self._pauses = pauses

    def of(self, host: str) -> tuple[float, float]:
        """Return (time before which the host must not be asked, its delay)."""
        pause = self._pauses.get(host)
        delay_s = self._delay_of(host)
        if pause is None:
            return self.since + delay_s if self._is_later else 0.0, delay_s
        delay_s = max(delay_s, pause.delay_s)
        return self.since + max(delay_s, pause.slow_s, pause.left_s), delay_s

    def slow_s(self, host: str) -> float:
        """Return what a host's delay was before, because of its answers."""
        pause = self._pauses.get(host)
        return pause.slow_s if pause else 0.0
