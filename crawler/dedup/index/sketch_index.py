"""Sketches of representatives: found by their bands, rejected by their size and by their estimate.

Bands make a hash table of a sketch (locality-sensitive hashing; Indyk, Motwani, STOC 1998; Broder
1997 calls them super-shingles). Six neighbouring bins are one band, and two texts become candidates
of each other if they agree in all bins of any of 16 bands. With p = J + (1 - J) / 16 the chance to
agree in a bin, the chance to be found is 1 - (1 - p^6)^16:

    J       .3     .4     .5     .6     .7     .8     .85    .9
    found   .03    .11    .31    .63    .91    .996   .9997  1.0

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

from crawler.dedup import kernels
from crawler.dedup.bloom import QuickFilter
from crawler.dedup.columns import Column, sorted_unique
from crawler.dedup.index.bucket_table import BUCKETS, KEY_BITS, BucketTable
from crawler.dedup.kernels.plain_sketches import BITS, QUARTER, WORDS, Words
from crawler.dedup.signing import shingles, sketch

BANDS = 16
BINS_A_BAND = 6

STANDARD_ERRORS = 3.1
"""How far below the threshold an estimate may lie before it is rejected: one true duplicate in a
thousand at the very threshold is lost by it (normal tail), far fewer above."""

QUARTER_STANDARD_ERRORS = 3.7
"""The same for a quarter of the sketch: one in ten thousand."""

_REST = WORDS - QUARTER
"""Where the last quarter begins. No band reaches into it, so it is not biased by having matched."""

_TABLES = np.arange(BANDS, dtype=np.uint64) * np.uint64(BUCKETS)
_BAND_BYTES = BINS_A_BAND * BITS // 8
_BAND = np.uint32((1 << 8 * _BAND_BYTES) - 1)
_ONE = np.uint64(1)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)
_LOWER_BITS = np.uint64(64 - KEY_BITS)

_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFF_FFFF)

_ROW = np.dtype([("words", "<u8", (WORDS,)), ("size", "<i4")])
"""A sketch, but that its number of shingles carries the kind as a sign."""
ROW_BYTES = _ROW.itemsize
"""Of a row that is packed."""

Rows = npt.NDArray[np.uint32]
Estimates = npt.NDArray[np.float64]


class SketchIndex:
    """Sketches by row (0 for the first insert)."""

    def __init__(self, threshold: float, expected_rows: int) -> None:
        self._threshold = threshold
        self.margin = STANDARD_ERRORS * sketch.standard_error(threshold)
        quarter_margin = 2 * QUARTER_STANDARD_ERRORS * sketch.standard_error(threshold)
        self._most = _most_differing(threshold - self.margin, WORDS)
        self._most_of_quarter = _most_differing(threshold - quarter_margin, QUARTER)
        self._bands = BucketTable(BANDS, expected_rows)
        self._seen = QuickFilter(expected_rows)
        self._sizes = Column(np.int32, expected_rows)
        self._rest = Column(np.uint64, expected_rows, (_REST,))
        self._quarter = Column(np.uint64, expected_rows, (QUARTER,))

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
        signs = np.array([_sign(kind) for kind in kinds], np.int64)
        self._insert_words(words, counts.astype(np.int64) * signs)
        for text in texts:
            self._seen.add(text)

    def _insert_words(self, words: Words, sizes: npt.NDArray[np.int64]) -> None:
        first = len(self._sizes)
        rows = np.arange(first, first + len(sizes), dtype=np.uint32)
        self._rest.extend(words[:, :_REST])
        self._quarter.extend(words[:, _REST:])
        self._sizes.extend(sizes)
        self._bands.insert_many(band_buckets(words).ravel(), np.repeat(rows, BANDS))

    def packed(self, start: int, end: int) -> bytes:
        """Return some rows as bytes, for `insert_packed`."""
        rows = np.empty(end - start, _ROW)
        rows["words"][:, :_REST] = self._rest.values[start:end]
        rows["words"][:, _REST:] = self._quarter.values[start:end]
        rows["size"] = self._sizes.values[start:end]
        return rows.tobytes()

    def insert_packed(self, packed: bytes) -> None:
        """Add the rows that were packed. Raises ValueError for other bytes."""
        rows = np.frombuffer(packed, _ROW)
        self._insert_words(rows["words"].astype(np.uint64), rows["size"].astype(np.int64))
        texts = rows.copy()
        np.abs(texts["size"], out=texts["size"])
        whole = texts.tobytes()
        for start in range(0, len(whole), _ROW.itemsize):
            self._seen.add(whole[start : start + _ROW.itemsize])

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
        columns = self._sizes.cells, self._rest.cells, self._quarter.cells
        limits = *self._fitting_sizes(count, kind), self._most_of_quarter, self._most
        kept = kernels.keep_likely_rows(rows, words, *columns, *limits)
        found = sorted_unique(np.frombuffer(kept, np.uint64))
        differing = (found & _LOW_HALF).astype(np.uint32)
        return (found >> _HALF).astype(np.uint32), sketch.similarity(differing, WORDS)

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


def band_buckets(words: Words) -> npt.NDArray[np.int64]:
    """Return the bucket numbers of sketches, shape (n, 16) from words of shape (n, 16).

    A band is 24 bits of a sketch, mixed down to the 16 bits of a bucket: unlike texts share a
    bucket by accident with probability 2^-16.
    """
    # Every three bytes are read as four: a reinterpretation, where cutting them out takes longer
    # than the arithmetic.
    strides = (words.strides[0], _BAND_BYTES)
    bands = np.ndarray((len(words), BANDS), "<u4", words, strides=strides) & _BAND
    mixed = bands.astype(np.uint64)
    mixed += _ONE
    mixed *= _MIX
    mixed >>= _LOWER_BITS
    mixed |= _TABLES
    return mixed.view(np.int64)


class _Read(NamedTuple):
    """A sketch in the forms that its index works with."""

    words: Words
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
    numbers = np.arange(words * 64 // BITS + 1, dtype=np.uint32)
    return int((sketch.similarity(numbers, words) >= similarity).sum()) - 1


def _sign(kind: str) -> int:
    return -1 if kind == shingles.CHAR4 else 1
