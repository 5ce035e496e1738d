"""Pauses that outlive a run: what an earlier one still owes the hosts it asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pause:
    """What a host is owed beyond the job's own delay."""

    left_s: float
    """No request within this time: a Retry-After, a back-off, the rest of a Crawl-delay."""
    delay_s: float
    """Its pause between two requests, as its robots.txt asked."""


class OwedPauses:
    """The first moment at which a host new to this run may be asked, and its delay until known.

    A resumed run does not know whom the earlier one asked last, and that one may have been killed:
    every host is owed a whole delay from the start on, those with a `Pause` also what is left of
    it. In a first run nobody is owed anything.
    """

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._earliest = 0.0
        self._pauses: Mapping[str, Pause] = {}
        self._since = 0.0

    def take_over(self, pauses: Mapping[str, Pause], now: float) -> None:
        """Begin a resumed run at `now`."""
        self._since = now
        self._earliest = now + self._delay_s
        self._pauses = pauses

    def of(self, host: str) -> tuple[float, float]:
        """Return (time before which the host must not be asked, its delay)."""
        pause = self._pauses.get(host)
        if pause is None:
            return self._earliest, self._delay_s
        delay_s = max(self._delay_s, pause.delay_s)
        return self._since + max(delay_s, pause.left_s), delay_s

    def left(self, now: float) -> dict[str, Pause]:
        """Return what is still owed at `now`, for a later run."""
        pauses = {host: (self.of(host)[0] - now, pause) for host, pause in self._pauses.items()}
        return {
            host: Pause(left_s, p.delay_s) for host, (left_s, p) in pauses.items() if left_s > 0
        }
