"""Sketches of representatives: found by their bands, rejected by their size and by their estimate.

Rejection is a cascade, cheapest first, because on a crawl full of one template's pages a text meets
thousands of candidates: the number of shingles (one integer), a quarter of the sketch (half a cache
line), the rest of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.dedup import native
from crawler.dedup.bloom import QuickFilter
from crawler.dedup.columns import Column, sorted_unique
from crawler.dedup.index.bands import BANDS, band_buckets
from crawler.dedup.index.bucket_table import BucketTable
from crawler.dedup.signing import shingles, sketch

STANDARD_ERRORS = 3.1
"""How far below the threshold an estimate may lie before it is rejected: one true duplicate in a
thousand at the very threshold is lost by it (normal tail), far fewer above."""

QUARTER_STANDARD_ERRORS = 3.7
"""The same for a quarter of the sketch: one in ten thousand."""

_REST = sketch.WORDS * 3 // 4
"""Where the last quarter begins. No band reaches into it, so it is not biased by having matched."""

_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFF_FFFF)

Rows = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.uint64]
Estimates = npt.NDArray[np.float64]


class SketchIndex:
    """Sketches by row (0 for the first insert)."""

    def __init__(self, threshold: float, expected_rows: int) -> None:
        self._threshold = threshold
        self.margin = STANDARD_ERRORS * sketch.standard_error(threshold)
        quarter_margin = 2 * QUARTER_STANDARD_ERRORS * sketch.standard_error(threshold)
        self._most = _most_differing(threshold - self.margin, sketch.WORDS)
        self._most_of_quarter = _most_differing(threshold - quarter_margin, sketch.WORDS - _REST)
        self._bands = BucketTable(BANDS, expected_rows)
        self._seen = QuickFilter(expected_rows)
        self._sizes = Column(np.int32, expected_rows)
        self._rest = Column(np.uint64, expected_rows, (_REST,))
        self._quarter = Column(np.uint64, expected_rows, (sketch.WORDS - _REST,))

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        parts = (self._bands, self._seen, self._sizes, self._rest, self._quarter)
        return sum(part.nbytes for part in parts)

    def insert(self, text: bytes, kind: str) -> None:
        """Add one sketch."""
        words, count, buckets = _read(text)
        row = len(self._sizes)
        self._rest.append(words[:_REST])
        self._quarter.append(words[_REST:])
        self._sizes.append(count * _sign(kind))
        self._bands.insert(buckets, row)  # last: a bucket must not name a row that is not there
        self._seen.add(text)

    def insert_many(self, texts: Sequence[bytes], kinds: Sequence[str]) -> None:
        """Add many sketches at once."""
        words, counts = sketch.unpack_many(texts)
        first = len(self._sizes)
        rows = np.arange(first, first + len(texts), dtype=np.uint32)
        self._rest.extend(words[:, :_REST])
        self._quarter.extend(words[:, _REST:])
        self._sizes.extend(counts * np.array([_sign(kind) for kind in kinds], np.int64))
        self._bands.insert_many(band_buckets(words).ravel(), np.repeat(rows, BANDS))
        for text in texts:
            self._seen.add(text)

    def proposals(self, text: bytes) -> Rows:
        """Return the rows that share a band with a sketch; unordered, with repetition."""
        return self._bands.find(_read(text).buckets)

    def twins(self, text: bytes, kind: str) -> Rows:
        """Return the rows whose sketch is the same, ascending.

        Each of them is in all buckets of the sketch, so the one with the fewest rows tells: a
        fraction of what it takes to read them all.
        """
        if text not in self._seen:
            return np.empty(0, np.uint32)
        words, count, buckets = _read(text)
        rows = self._bands.find_in_emptiest(buckets)
        rows = rows[self._sizes.take(rows) == count * _sign(kind)]
        for column, part in ((self._quarter, words[_REST:]), (self._rest, words[:_REST])):
            if len(rows):
                rows = rows[(column.take(rows) == part).all(axis=1)]
        return sorted_unique(rows)

    def likely(self, rows: Rows, text: bytes, kind: str) -> tuple[Rows, Estimates]:
        """Return those of some rows that may reach the threshold, and their estimates.

        Rows may come in any order and repeatedly; they are returned ascending, each once.
        """
        words, count, _ = _read(text)
        keep = self._keep_compiled if native.kernels else self._keep
        found = sorted_unique(keep(rows, words, *self._fitting_sizes(count, kind)))
        differing = (found & _LOW_HALF).astype(np.uint32)
        return (found >> _HALF).astype(np.uint32), sketch.similarity(differing, sketch.WORDS)

    def _keep_compiled(self, rows: Rows, words: sketch.Words, low: int, high: int) -> Numbers:
        assert native.kernels is not None
        columns = self._sizes.cells, self._rest.cells, self._quarter.cells
        limits = low, high, self._most_of_quarter, self._most
        return np.frombuffer(
            native.kernels.keep_likely_rows(rows, words, *columns, *limits), np.uint64
        )

    def _keep(self, rows: Rows, words: sketch.Words, low: int, high: int) -> Numbers:
        """Return `row << 32 | differing bins` for the rows of fitting sizes and sketches."""
        rows = sorted_unique(rows)
        above = self._sizes.take(rows)
        above -= low
        # What is below the range wraps to far above it: one comparison for both ends.
        rows = rows.take((above.view(np.uint32) <= high - low).nonzero()[0])
        differing = sketch.differing(words[_REST:], self._quarter.take(rows))
        chosen = (differing <= self._most_of_quarter).nonzero()[0]
        rows, differing = rows.take(chosen), differing.take(chosen)
        if len(rows):
            differing += sketch.differing(words[:_REST], self._rest.take(rows))
        chosen = (differing <= self._most).nonzero()[0]
        return rows.take(chosen).astype(np.uint64) << _HALF | differing.take(chosen)

    def _fitting_sizes(self, count: int, kind: str) -> tuple[int, int]:
        """Return the least and the largest size of texts of this kind that can reach the threshold.

        J <= min(n, m) / max(n, m). A size carries its kind as a sign, so that one range says both.
        """
        smallest = min(_MOST_SHINGLES, math.ceil(self._threshold * count - _ROUNDING))
        largest = math.floor(min(_MOST_SHINGLES, count / self._threshold + _ROUNDING))
        low, high = sorted((_sign(kind) * smallest, _sign(kind) * largest))
        return low, high


_ROUNDING = 1e-6
_MOST_SHINGLES = 2**31 - 1


class _Read(NamedTuple):
    """A sketch in the forms that its index works with."""

    words: sketch.Words
    shingles: int
    """How many."""
    buckets: npt.NDArray[np.int64]


@lru_cache(maxsize=1)
def _read(text: bytes) -> _Read:
    """Read a sketch; kept for the next call, since one is proposed for, compared and inserted."""
    words, count = sketch.unpack(text)
    return _Read(words, count, band_buckets(words[None])[0])


def _most_differing(similarity: float, words: int) -> int:
    """Return the most bins of some words that may differ for an estimate this high, or -1."""
    numbers = np.arange(words * 64 // sketch.BITS + 1, dtype=np.uint32)
    return int((sketch.similarity(numbers, words) >= similarity).sum()) - 1


def _sign(kind: str) -> int:
    return -1 if kind == shingles.CHAR4 else 1
