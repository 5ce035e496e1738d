"""What one host has answered in this run, and what that is worth: its reputation."""

from __future__ import annotations

from crawler.frontier.failures import MOST_STALLS
from crawler.records import FetchTask, Reputation


class Answers:
    """Counts answers, be they error pages, and those that a host owes because it stalled."""

    __slots__ = ("_at_stall", "_count", "_first_failed", "_gave_way", "_owed", "_stalls", "ever")

    def __init__(self, *, ever: bool) -> None:
        self.ever = ever
        """Whether there was one in this crawl, of whatever kind, also in earlier runs."""
        self._count = self._at_stall = self._stalls = self._owed = self._gave_way = 0
        self._first_failed: dict[int, int] = {}
        """URL id -> how many answers there were when that page failed first."""

    @property
    def any(self) -> bool:
        """Whether it has said anything about a page in this run but that it is busy or broken."""
        return self._count > 0

    def add(self) -> None:
        """It has answered."""
        self.ever = True
        self._count += 1
        self._owed = max(0, self._owed - 1)

    def stall(self, *, gave_way: bool) -> None:
        """It has kept the crawl waiting: it is in good standing again after some answers.

        Their number doubles with every time. Where it `gave_way` it may only have been slow.
        """
        self._gave_way = self._gave_way + 1 if gave_way else 0
        self._stalls += 1
        self._owed = 2 ** min(self._stalls, MOST_STALLS)
        self._at_stall = self._count

    @property
    def reputation(self) -> Reputation:
        """What its answers and stalls in this run are worth; answers of earlier runs count as one.

        A stranger has never answered, or has not made up for its stalls.
        """
        if not self.ever or self._owed:
            return Reputation(0, self._gave_way)
        return Reputation(max(1, self._count - self._at_stall), self._gave_way)

    def miss(self, task: FetchTask) -> None:
        """A page has failed."""
        self._first_failed.setdefault(task.url_id, self._count)

    def vouch_against(self, task: FetchTask) -> bool:
        """Whether there were answers about others since this page failed first."""
        return self._count > self._first_failed.get(task.url_id, -1)

    def forget(self, task: FetchTask) -> None:
        """A page has ended."""
        self._first_failed.pop(task.url_id, None)
