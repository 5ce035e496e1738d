"""How URLs have ended, and how many there are, kept beside the tables: to count them takes seconds.

Written with each group, in its transaction: what SQLite says it has inserted and changed, so that
the counts are the tables' (`check` counts again). Whoever else changes how URLs ended (`retry`,
`restore`) makes them void in the same transaction: then all are counted again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from crawler.records import Batch, UrlState

Outcome = tuple[UrlState, str]
"""State and detail: the verdict, failure class or skip reason."""


@dataclass
class Counts:
    """URLs, and their ends."""

    last: int
    """Number of the last end (`urls.ended`)."""
    urls: int
    """All that were ever queued."""
    ends: Counter[Outcome]

    @classmethod
    def counted(cls, last: int, outcomes: Mapping[Outcome, int]) -> Self:
        """Return the counts of a table, of which `outcomes` are all."""
        ends = {outcome: n for outcome, n in outcomes.items() if outcome[0]}
        return cls(last, sum(outcomes.values()), Counter(ends))

    @classmethod
    def of_record(cls, record: Mapping[str, Any] | None) -> Self | None:
        """Undo `record`; None where nothing is kept, or by a program that kept less."""
        if not record or "outcomes" not in record:
            return None
        ends = {(UrlState(state), str(detail)): int(n) for state, detail, n in record["outcomes"]}
        return cls(int(record["last"]), int(record["urls"]), Counter(ends))

    def record(self) -> dict[str, Any]:
        """Return what is kept. Earlier programs read `last` and `by_state`, and keep no more."""
        return {
            "last": self.last,
            "urls": self.urls,
            "outcomes": [[int(state), detail, n] for (state, detail), n in self.ends.items()],
            "by_state": {str(int(state)): n for state, n in self.by_state.items()},
        }

    @property
    def by_state(self) -> Counter[UrlState]:
        """Ends by state."""
        by_state: Counter[UrlState] = Counter()
        for (state, _), number in self.ends.items():
            by_state[state] += number
        return by_state

    def ended_as(self, detail: str) -> int:
        """Return how many ended with a detail, in any state."""
        return sum(number for (_, found), number in self.ends.items() if found == detail)

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """URLs by how they ended, those that are pending included."""
        pending = self.urls - self.ends.total()
        waiting = {(UrlState.PENDING, ""): pending} if pending else {}
        return waiting | dict(sorted(self.ends.items()))

    def add(self, urls: int, batches: Iterable[Batch]) -> None:
        """Count new URLs, and ends."""
        added = Counter((batch.state, batch.detail) for batch in batches)
        self.urls += urls
        self.ends += added
        self.last += added.total()
