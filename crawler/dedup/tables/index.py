"""The tables: built once from all fingerprints, then asked one query or many at a time.

Tables hold distinct fingerprints only. The list of all of them in their own order, each with its
id, says which ids a found fingerprint stands for; so a template's thousand equal fingerprints are
compared once, and an id costs 16 bytes whatever the number of tables.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import portions, ranges, sorted_unique
from crawler.dedup.tables.design import BITS, Fingerprints, Permutation, TableDesign

_COMPARED_AT_ONCE = 1 << 18
"""Bounds the working memory of a batch."""

_ASKED_AT_ONCE = 1 << 14

Ids = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]
Distances = npt.NDArray[np.uint8]


class TableIndex:
    """Fingerprints by id, found again within `distance` bits (inclusive).

    ValueError for a distance larger than the design's, for which it would miss some. Building is
    one sort a table, O(tables * n log n).
    """

    def __init__(
        self, design: TableDesign, ids: Ids, fingerprints: Fingerprints, distance: int
    ) -> None:
        self.distance = distance
        if not 0 <= distance <= design.distance:
            raise ValueError(f"distance {distance} is not in 0..{design.distance} of {design}")
        self._layout = design.layout()
        order = np.argsort(fingerprints, kind="stable")
        self._fingerprints = fingerprints[order]
        self._ids = np.asarray(ids, np.int64)[order]
        distinct = sorted_unique(self._fingerprints.copy())
        self.tables = tuple(np.sort(table.apply(distinct)) for table in self._layout)
        """The distinct fingerprints, permuted and sorted, for every table of the design."""

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self._fingerprints, self._ids, *self.tables)
        return sum(array.nbytes for array in arrays)

    def candidates(self, fingerprint: int) -> tuple[Ids, Distances]:
        """Return (ids, distances) of every fingerprint within the distance, by ascending id."""
        _, ids, found = self.candidates_many(np.array([fingerprint], np.uint64))
        return ids, found

    def candidates_many(self, fingerprints: Fingerprints) -> tuple[Places, Ids, Distances]:
        """Return (queries, ids, distances) of every pair within the distance.

        `queries[i]` is the place of a query in `fingerprints`; pairs come by query, then by id.
        """
        parts = [
            self._pairs(fingerprints[start : start + _ASKED_AT_ONCE], start)
            for start in range(0, len(fingerprints), _ASKED_AT_ONCE)
        ]
        places = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
        queries = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
        ids = self._ids[places]
        order = np.lexsort((ids, queries))
        places, queries, ids = places[order], queries[order], ids[order]
        differences = self._fingerprints[places] ^ fingerprints[queries]
        return queries, ids, np.bitwise_count(differences)

    def _pairs(self, fingerprints: Fingerprints, first: int) -> tuple[Places, Places]:
        """Return the pairs (place in the list of all fingerprints, query + first)."""
        found = [
            pair
            for table, ordered in zip(self._layout, self.tables, strict=True)
            for pair in self._matches(table, ordered, fingerprints)
        ]
        queries = np.concatenate([np.empty(0, np.int64), *(pair[0] for pair in found)])
        matched = np.concatenate([np.empty(0, np.uint64), *(pair[1] for pair in found)])
        starts = np.searchsorted(self._fingerprints, matched)
        pairs = sorted_unique(queries.astype(np.uint64) << np.uint64(32) | starts.astype(np.uint64))
        starts = (pairs & np.uint64(0xFFFF_FFFF)).astype(np.int64)
        values = self._fingerprints[starts]
        counts = np.searchsorted(self._fingerprints, values, "right") - starts
        queries = np.repeat((pairs >> np.uint64(32)).astype(np.int64), counts)
        return ranges(starts, counts), queries + first

    def _matches(
        self, table: Permutation, ordered: Fingerprints, fingerprints: Fingerprints
    ) -> Iterator[tuple[Places, Fingerprints]]:
        """Yield the (query, fingerprint) within the distance that one table shows."""
        permuted = table.apply(fingerprints)
        starts, lengths = self._runs(table, ordered, permuted)
        for part in portions(np.cumsum(lengths), _COMPARED_AT_ONCE):
            queries = np.repeat(np.arange(part.start, part.stop), lengths[part])
            values = ordered[ranges(starts[part], lengths[part])]
            differences = values ^ permuted[queries]
            near = (np.bitwise_count(differences) <= self.distance).nonzero()[0]
            yield queries[near], table.undo(values[near])

    def _runs(
        self, table: Permutation, ordered: Fingerprints, permuted: Fingerprints
    ) -> tuple[Places, Places]:
        """Return where in a table the run with each query's leading bits begins, and its length."""
        free = np.uint64((1 << BITS - table.prefix_bits) - 1)
        starts = np.searchsorted(ordered, permuted & ~free)
        return starts, np.searchsorted(ordered, permuted | free, "right") - starts
