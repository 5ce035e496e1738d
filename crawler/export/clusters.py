"""How many pages are copies of one: found in one pass over duplicates.jsonl.

Pages are told apart by 64-bit hashes of their URLs: 16 bytes a duplicate are held, and twice that
for a moment. Of ten million pages two share a hash with a probability of 3e-6; then their clusters
are counted as one, and no row is lost.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.export.columns import Row, reference
from crawler.records import SIBLING

_Hashes = NDArray[np.int64]
_MOST_STEPS = 8
"""From a copy to its representative it is two steps: a copy of a tagged near duplicate."""


class Clusters:
    """Names of clusters and their sizes."""

    def __init__(self, pairs: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """`pairs` are the URL of each copy and what names its original, in the order judged."""
        copies, originals = array("q"), array("q")
        for copy, original in pairs:
            copies.append(_own(copy))
            originals.append(_key(original))
        of = np.array(originals, np.int64)
        self._copies, first = np.unique(np.array(copies, np.int64), return_index=True)
        self._leads = of[first]
        for _ in range(_MOST_STEPS):
            at, is_copy = self._where(of)
            if not is_copy.any():
                break
            of[is_copy] = self._leads[at[is_copy]]
        self._heads, counts = np.unique(of, return_counts=True)
        self._sizes = counts + 1
        self._names: dict[int, str] = {}
        self._between = set(np.intersect1d(self._copies, self._leads).tolist())

    def _where(self, hashes: _Hashes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return where among the copies each hash would stand, and whether it is there."""
        at = np.searchsorted(self._copies, hashes)
        if not len(self._copies):
            return at, np.zeros(len(hashes), np.bool_)
        inside = np.minimum(at, len(self._copies) - 1)
        return inside, self._copies[inside] == hashes

    def place(self, row: Row, line: Mapping[str, Any]) -> None:
        """Write a row's cluster into it; stored pages come first, as in their file."""
        own = _own(line["url"])
        of = line.get("duplicate_of")
        if of is None or line["verdict"] == SIBLING:
            row["cluster_id"], head = row["id"], own
        else:
            head = _key(of)
            row["cluster_id"] = self._names.get(head) or reference(of)
            if own in self._between:
                self._names[own] = row["cluster_id"]
            head = self._head(head)
        row["cluster_size"] = self._size(head)

    def _head(self, of: int) -> int:
        for _ in range(_MOST_STEPS):
            at = int(np.searchsorted(self._copies, of))
            if at == len(self._copies) or self._copies[at] != of:
                break
            of = int(self._leads[at])
        return of

    def _size(self, head: int) -> int:
        at = int(np.searchsorted(self._heads, head))
        return int(self._sizes[at]) if at < len(self._heads) and self._heads[at] == head else 1


def _own(url: str) -> int:
    """Return the key of a page of this directory."""
    return hash((None, url))


def _key(original: Mapping[str, Any]) -> int:
    """Return the key of an original: one of another directory may have the URL of one of this."""
    return hash((original.get("against"), original["url"]))
