"""What every method offers the judge, and what its matchers share.

Only representatives are in a matcher. Rows are numbered in order of insertion, so a lower row is
older.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column
from crawler.dedup.hamming import hamming
from crawler.dedup.signing import shingles
from crawler.records import IndexRow, Signature

MAX_VERIFIED = 64
"""Most candidates read from the store for one text, the likeliest first."""

_RESTORE_ROWS = 16_384

Rows = npt.NDArray[np.uint32]
Text = Signature | IndexRow
"""A text to insert: fresh, or read back from the store."""


@dataclass(frozen=True, slots=True)
class Match:
    """The representative that a text is a near duplicate of."""

    document_id: int
    fingerprint: int
    distance: int
    similarity: float | None
    """Jaccard similarity: exact where it was verified, else MinHash's estimate, else None."""


class Matcher(Protocol):
    """Representatives, and the search for one that a text is a near duplicate of."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

    def insert(self, document_id: int, text: Signature) -> None:
        """Make a text a representative."""

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """Make many stored texts representatives, oldest first."""

    def match(self, text: Signature) -> Match | None:
        """Return the representative to join, or None for a text unlike all of them."""


class Representatives(Protocol):
    """The ids and fingerprints of all representatives by row; an index of fingerprints is one."""

    @property
    def ids(self) -> npt.NDArray[np.integer[Any]]:
        """All ids, a view that must not be kept."""

    @property
    def fingerprints(self) -> npt.NDArray[np.uint64]:
        """All fingerprints, a view that must not be kept."""


class RowColumns:
    """Representatives of a method that has no index of fingerprints."""

    def __init__(self, expected_documents: int) -> None:
        self._ids = Column(np.int64, expected_documents)
        self._fingerprints = Column(np.uint64, expected_documents)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._ids.nbytes + self._fingerprints.nbytes

    @property
    def ids(self) -> npt.NDArray[np.integer[Any]]:
        """See Representatives."""
        return self._ids.values

    @property
    def fingerprints(self) -> npt.NDArray[np.uint64]:
        """See Representatives."""
        return self._fingerprints.values

    def extend(self, ids: Sequence[int], fingerprints: Sequence[int]) -> None:
        """Add rows."""
        self._ids.extend(np.array(ids, np.int64))
        self._fingerprints.extend(np.array(fingerprints, np.uint64))


class Comparison:
    """A text compared with a representative: by what the catalogue stores, and as a match."""

    def __init__(self, catalog: Catalog, representatives: Representatives) -> None:
        self._catalog = catalog
        self._representatives = representatives

    def similarity(self, text: Signature, row: int) -> float:
        """Return the exact Jaccard similarity of the shingles."""
        stored = self._catalog.shingles(int(self._representatives.ids[row]))
        return shingles.jaccard(text.shingles, stored)

    def match(self, text: Signature, row: int, similarity: float | None) -> Match:
        """Return the match of a text with a row."""
        fingerprint = int(self._representatives.fingerprints[row])
        distance = hamming(fingerprint, text.fingerprint)
        return Match(int(self._representatives.ids[row]), fingerprint, distance, similarity)


def batches(rows: Iterable[IndexRow]) -> Iterator[list[IndexRow]]:
    """Cut rows to be restored into lists that bound the working memory."""
    remaining = iter(rows)
    while batch := list(itertools.islice(remaining, _RESTORE_ROWS)):
        yield batch
