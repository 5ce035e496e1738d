"""How many URLs have ended, by state, kept beside the tables: to count ten million takes seconds.

Written with each group. Whoever else changes how URLs ended (`retry`, `restore`) makes it void in
the same transaction: then all are counted again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from crawler.records import Batch, UrlState
from crawler.storage.database import reading_stored_values
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView


@dataclass
class Counts:
    """Ends of URLs."""

    last: int
    """Number of the last one (`urls.ended`)."""
    by_state: Counter[UrlState]

    @classmethod
    def of(cls, view: StoreView) -> Counts:
        """Return what a state file says, of committed rows."""
        with reading_stored_values(view.directory):
            kept = view.meta(Meta.COUNTS)
            if kept:
                states = ((UrlState(int(state)), n) for state, n in kept["by_state"].items())
                return cls(int(kept["last"]), Counter(dict(states)))
            by_state: Counter[UrlState] = Counter()
            for (state, _), number in view.accounting().outcomes.items():
                by_state[state] += number
            del by_state[UrlState.PENDING]
            last = view.database.rows("SELECT ifnull(max(ended), 0) FROM urls")[0][0]
            return cls(int(last), by_state)

    def add(self, batches: Iterable[Batch]) -> None:
        """Count ends."""
        added = Counter(batch.state for batch in batches)
        self.by_state += added
        self.last += added.total()

    def record(self) -> dict[str, Any]:
        """Return what is kept."""
        by_state = {str(int(state)): number for state, number in self.by_state.items()}
        return {"last": self.last, "by_state": by_state}
