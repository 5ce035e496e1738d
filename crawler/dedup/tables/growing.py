"""Sorted tables for fingerprints that arrive one at a time: the logarithmic method.

Tables are built once, so there are several of them, each for a stretch of rows, and the newest rows
are in none and looked at one by one (Bentley, Saxe, Journal of Algorithms 1980; log-structured
merge trees do the same on disk)::

    rows   0 ........................ 900,000 .... 980,000 .. 990,000
           |        tables          |   tables    |  looked at  |

When more than SCANNED rows are in no table, they are sorted into tables. If the stretch before them
is less than FACTOR times as long, it is sorted again together with them, and so on. So a stretch is
at least FACTOR times as long as the next one, a query visits some log8(n / SCANNED) of them, and a
fingerprint is sorted a bounded number of times for each. Nothing is missed meanwhile: every stretch
is exact to the distance, and so is looking at all.
"""

from __future__ import annotations

import logging

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import FingerprintRows, Integers
from crawler.dedup.hamming import within
from crawler.dedup.tables.index import TableIndex
from crawler.dedup.tables.planner import Planner

log = logging.getLogger(__name__)

SCANNED = 1 << 16
"""Rows that may be in no table: looking at so many takes 55 µs, a query of one stretch 250 µs at
distance 3 and more beyond."""

FACTOR = 8
"""A query of one stretch costs as much as sorting a thousand fingerprints, so few stretches, each
sorted more often, are better than twice as many (docs/index-designs.md)."""

Rows = npt.NDArray[np.uint32]


class GrowingTables(FingerprintRows):
    """Fingerprints by id, found again within `distance` bits (inclusive): what a BlockIndex finds.

    Each stretch has the design that the planner chooses for its length and its share of the memory
    limit, or where none fits the smallest. Sorting happens in a query; the longest pause is that of
    sorting all fingerprints once for each table.
    """

    def __init__(
        self, distance: int, expected_fingerprints: int = 0, memory_limit_bytes: int | None = None
    ) -> None:
        super().__init__(Integers(expected_fingerprints), expected_fingerprints)
        self._distance = distance
        self._memory_limit = memory_limit_bytes
        self._stretches: list[TableIndex] = []
        self._sorted = 0

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return super().nbytes + sum(stretch.nbytes for stretch in self._stretches)

    def rows(self, fingerprint: int) -> Rows:
        """Return the rows (0 for the first insert) within the distance, ascending."""
        if len(self) - self._sorted > SCANNED:
            self._sort()
        recent = within(self.fingerprints[self._sorted :], fingerprint, self._distance)
        found = [stretch.candidates(fingerprint)[0] for stretch in self._stretches]
        return np.concatenate([*found, recent + self._sorted]).astype(np.uint32)

    proposals = rows

    def _sort(self) -> None:
        """Put all rows into tables."""
        start, end = self._sorted, len(self)
        while self._stretches and len(self._stretches[-1]) < FACTOR * (end - start):
            start -= len(self._stretches.pop())
        limit = self._memory_limit and self._memory_limit * (end - start) // end
        design = Planner(limit).best(end - start, self._distance).design
        rows = np.arange(start, end, dtype=np.int64)
        part = self.fingerprints[start:end]
        self._stretches.append(TableIndex(design, rows, part, self._distance))
        self._sorted = end
        log.debug("sorted %d fingerprints into tables, %s", end - start, design)
