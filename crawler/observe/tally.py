"""The running counts of one crawl, for progress lines and the page limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from crawler.records import Batch, UrlState


class Tally:
    """How URLs ended, over all runs of a crawl. Begins with what earlier runs left in the store."""

    def __init__(self, outcomes: Mapping[tuple[UrlState, str], int]) -> None:
        self._ends: Counter[UrlState] = Counter()
        for (state, _), number in outcomes.items():
            self._ends[state] += number

    def add(self, batch: Batch) -> None:
        """Count a URL's end."""
        self._ends[batch.state] += 1

    def count(self, state: UrlState) -> int:
        """Return how many URLs ended in a state."""
        return self._ends[state]

    @property
    def pages(self) -> int:
        """Pages fetched and judged: what the page limit counts."""
        return self._ends[UrlState.STORED] + self._ends[UrlState.DUPLICATE]
