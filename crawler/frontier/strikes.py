"""The failures of one host in a row: how many, since when, and where in the host they were."""

from __future__ import annotations

from math import inf

from crawler.frontier.traps.naming import subtrees
from crawler.records import FetchTask

_NONE: set[int] = set()
"""What a host has that has not failed, shared by all: an empty set of its own takes 216 bytes."""


class Strikes:
    """Failures in a row that speak against a host; of requests under way together one counts."""

    __slots__ = (
        "_common", "_common_of_part", "_host", "_last_at", "_of_part", "_pages", "in_a_row",
        "since",
    )  # fmt: skip

    def __init__(self, host: str) -> None:
        self._host = host
        self.in_a_row = 0
        self.since = 0.0
        """When the first of them was."""
        self._last_at = -inf
        self._pages = _NONE
        self._common: tuple[str, ...] | None = None
        """The parts in which all of them were, the narrowest first."""
        self._of_part = 0
        self._common_of_part: tuple[str, ...] | None = None
        """How many came since a part was put aside last, and in which parts these were."""

    def add(self, begun_at: float, now: float, task: FetchTask | None, *, of_part: bool) -> int:
        """Count a failure; return how many came in a row.

        A request that had begun before the last strike says nothing new: all that are under way
        when a server goes down fail together, and are one outage. Nor does a page that fails again,
        of so few that they may fail for themselves.
        """
        again = of_part and task is not None and task.url_id in self._pages and len(self._pages) < 3
        if begun_at >= self._last_at and not again:
            if not self.in_a_row:
                self.since = now
            self.in_a_row += 1
            self._of_part += 1
            self._last_at = now
        if task is not None:
            if self._pages is _NONE:
                self._pages = set()
            self._pages.add(task.url_id)
            names = subtrees(task.url, self._host)[:-1]
            self._common = _shared(self._common, names)
            self._common_of_part = _shared(self._common_of_part, names)
        return self.in_a_row

    def end(self) -> None:
        """It has answered: the row has ended."""
        self.in_a_row = 0
        self._pages = _NONE
        self._common = None
        self.end_part()

    def end_part(self) -> None:
        """A part was put aside: what comes now may be of another."""
        self._of_part, self._common_of_part = 0, None

    def failing_part(self, strikes: int) -> str | None:
        """Return the narrowest part in which the last failures were, if so many strikes were."""
        if self._of_part < strikes or not self._common_of_part:
            return None
        part = self._common_of_part[0]
        return None if part == f"{self._host}/" else part

    @property
    def wide(self) -> bool:
        """Whether different parts of the host failed in this row."""
        return not self._common or self._common[0] == f"{self._host}/"


def _shared(common: tuple[str, ...] | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is in both, in order; all of `names` where there was nothing before."""
    return names if common is None else tuple(name for name in common if name in names)
