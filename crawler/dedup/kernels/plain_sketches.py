"""Sketches of shingle hashes, made and compared: the kernels of `sketch.c` and `candidates.c`.

`crawler.dedup.signing.sketch` says what a sketch is. Its arithmetic is here, since the kernels are
what it is used in.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import scalars, sorted_unique
from crawler.dedup.kernels.plain_buckets import Cells, Numbers

BINS = 256
BITS = 4
WORDS = BINS * BITS // 64
QUARTER = WORDS // 4
"""Words of a sketch that are compared before the rest."""

_BIN_SHIFT = np.uint32(32 - 8)
_BIN_NUMBERS = np.arange(BINS, dtype=np.uint32)
_BIN_STARTS = _BIN_NUMBERS << _BIN_SHIFT
_ATTEMPTS = 64
_FEW_ATTEMPTS = 8
_BIN_ROWS = np.arange(BINS)

_VALUE = np.uint8((1 << BITS) - 1)
_LOW_BITS = np.uint64(0x1111_1111_1111_1111)
_WORDS_AT_ONCE = 4
_FOUR_BYTES = np.uint32(0x0101_0101)
_TOP_BYTE = np.uint32(24)
_HALF = np.uint64(32)

Words = npt.NDArray[np.uint64]
Bins = npt.NDArray[np.int64]


def make_sketch(hashes: Numbers) -> bytes:
    """Return the sketch of a sorted set of shingle hashes (uint32), before any cap: 132 bytes.

    Zeros for no hashes.
    """
    known = np.frombuffer(hashes, np.uint32)
    if not len(known):
        return bytes(WORDS * 8 + 4)
    smallest = known.take(np.searchsorted(known, _BIN_STARTS), mode="clip")
    is_empty = smallest >> _BIN_SHIFT != _BIN_NUMBERS
    empty = is_empty.nonzero()[0]
    if len(empty):
        smallest[empty] = smallest[_donors(empty, is_empty)]
    values = smallest.astype(np.uint8) & _VALUE
    packed: bytes = (values[::2] | values[1::2] << BITS).tobytes()
    return packed + len(known).to_bytes(4, "little")


def keep_likely_rows(
    rows: Numbers,
    words: Numbers,
    sizes: Numbers,
    rest: Numbers,
    quarter: Numbers,
    low: int,
    high: int,
    most_of_quarter: int,
    most: int,
) -> Cells:
    """Return those of some rows whose size is in low..high and whose sketch is like this one.

    `rows` are uint32, `words` the 16 of a sketch (uint64). Of each row `sizes` has one int32,
    `rest` the first 12 words of its sketch and `quarter` the last 4 (uint64). The last 4 may differ
    in `most_of_quarter` bins, all of them in `most`. Returns uint64, row << 32 | differing bins, in
    any order; of rows that are given repeatedly some may come back repeatedly. ValueError for any
    other number of words.
    """
    sketch = np.frombuffer(words, np.uint64)
    if len(sketch) != WORDS:
        raise ValueError(f"a sketch has {WORDS} words")
    kept = sorted_unique(np.array(np.frombuffer(rows, np.uint32))).astype(np.intp)
    above = np.frombuffer(sizes, np.int32).take(kept)
    above -= low
    # What is below the range wraps to far above it: one comparison for both ends.
    kept = kept.take((above.view(np.uint32) <= high - low).nonzero()[0])
    found = differing(sketch[-QUARTER:], _of_rows(quarter, QUARTER, kept))
    chosen = (found <= most_of_quarter).nonzero()[0]
    kept, found = kept.take(chosen), found.take(chosen)
    if len(kept):
        found += differing(sketch[:-QUARTER], _of_rows(rest, WORDS - QUARTER, kept))
    chosen = (found <= most).nonzero()[0]
    return scalars(kept.take(chosen).astype(np.uint64) << _HALF | found.take(chosen))


def differing(words: Words, rows: Words) -> npt.NDArray[np.uint32]:
    """Return in how many bins some sketches differ from one, shapes (w,) and (n, w).

    Of part of a sketch as well, a multiple of four words.
    """
    different = rows ^ words
    different |= different >> np.uint64(1)
    different |= different >> np.uint64(2)
    different &= _LOW_BITS
    # Four counts lie side by side as bytes, and the product has their sum on top: numpy's own sum
    # along an axis this short takes twice as long as all the rest.
    sums: npt.NDArray[np.uint32] = np.bitwise_count(different).view(np.uint32)
    sums *= _FOUR_BYTES
    sums >>= _TOP_BYTE
    return sums.ravel() if len(words) == _WORDS_AT_ONCE else sums.sum(axis=1, dtype=np.uint32)


def _of_rows(words: Numbers, each: int, rows: npt.NDArray[np.intp]) -> Words:
    return np.frombuffer(words, np.uint64).reshape(-1, each).take(rows, axis=0)


def _donors(empty: Bins, is_empty: npt.NDArray[np.bool_]) -> Bins:
    """Return for each empty bin the first bin of its sequence that is not empty.

    If all 64 are empty (likely only below some ten shingles) the first filled bin of all lends.
    """
    few, all_ = _sequences()
    donors = _first_filled(few.take(empty, axis=0), is_empty)
    if is_empty[donors].any():
        donors = _first_filled(all_.take(empty, axis=0), is_empty)
        donors[is_empty[donors]] = is_empty.argmin()
    return donors


@cache
def _sequences() -> tuple[Bins, Bins]:
    """Return for each bin those it may borrow from, in this order: the first eight, and all 64."""
    states = np.arange(1, BINS * _ATTEMPTS + 1, dtype=np.uint64)
    bins = (_splitmix64(states) % np.uint64(BINS)).astype(np.int64).reshape(BINS, _ATTEMPTS)
    return np.ascontiguousarray(bins[:, :_FEW_ATTEMPTS]), bins


def _splitmix64(states: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the outputs of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) at some of its states."""
    mixed = states * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _first_filled(attempts: Bins, is_empty: npt.NDArray[np.bool_]) -> Bins:
    """Return the first bin of each row that is not empty, or the row's first."""
    chosen = is_empty.take(attempts).argmin(axis=1)
    return np.asarray(attempts[_BIN_ROWS[: len(attempts)], chosen])
