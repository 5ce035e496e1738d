"""How many URLs have ended, by state, kept beside the tables: to count ten million takes seconds.

Written with each group, along with how many lines there are by then. Where these are others, or
URLs were put back since, somebody else has changed the tables: then all are counted again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crawler.records import Batch, UrlState
from crawler.storage.database import reading_stored_values
from crawler.storage.lines import Extent
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
            if kept and kept["lines"] == _lines(view.extents()) - _retried(view):
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

    def record(self, extents: Mapping[str, Extent], retried: int) -> dict[str, Any]:
        """Return what is kept: with the lines of URLs that have ended and were not put back."""
        by_state = {str(int(state)): number for state, number in self.by_state.items()}
        return {"lines": _lines(extents) - retried, "last": self.last, "by_state": by_state}


def _lines(extents: Mapping[str, Extent]) -> int:
    return sum(extent.lines for extent in extents.values())


def _retried(view: StoreView) -> int:
    return sum(view.meta(Meta.RETRIED, {}).values())
