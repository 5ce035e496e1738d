"""Sketches: 132 bytes that estimate the similarity of two texts without their shingles.

One Permutation Hashing (Li, Owen, Zhang, NIPS 2012): the range of shingle hashes is cut into 256
bins, and two texts with Jaccard similarity J have the same smallest hash in a bin with probability
J. A bin left empty borrows from another by a fixed random sequence of bins, which keeps that true
for short texts (Shrivastava, ICML 2017, "Optimal Densification"). Of each smallest hash four bits
are kept (b-bit minwise hashing, Li and König, WWW 2010): different hashes agree in them once in 16.

A sketch also carries the number of shingles, since J <= min(n, m) / max(n, m).

Layout: 16 words of 64 bits (little-endian, bin i in bits 4 * (i % 16) of word i // 16), then the
number of shingles as a 32-bit integer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crawler.dedup import native

BINS = 256
BITS = 4
WORDS = BINS * BITS // 64
VERSION = 1
"""Sketches of different versions must not be compared."""

_CHANCE = 2.0**-BITS
"""How often different hashes agree in the bits that are kept."""

_BIN_SHIFT = np.uint32(32 - 8)
_BIN_NUMBERS = np.arange(BINS, dtype=np.uint32)
_BIN_STARTS = _BIN_NUMBERS << _BIN_SHIFT
_ATTEMPTS = 64
_FEW_ATTEMPTS = 8


def _splitmix64(states: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the outputs of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) at some of its states."""
    mixed = states * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


_DONORS = (
    (_splitmix64(np.arange(1, BINS * _ATTEMPTS + 1, dtype=np.uint64)) % np.uint64(BINS))
    .astype(np.int64)
    .reshape(BINS, _ATTEMPTS)
)
"""For each bin the bins it may borrow from, in this order."""
_BIN_ROWS = np.arange(BINS)
_FIRST_DONORS = np.ascontiguousarray(_DONORS[:, :_FEW_ATTEMPTS])

_VALUE = np.uint8((1 << BITS) - 1)
_LOW_BITS = np.uint64(0x1111_1111_1111_1111)
_WORDS_AT_ONCE = 4
_FOUR_BYTES = np.uint32(0x0101_0101)
_TOP_BYTE = np.uint32(24)

_LAYOUT = np.dtype([("words", "<u8", (WORDS,)), ("shingles", "<u4")])

Words = npt.NDArray[np.uint64]
Bins = npt.NDArray[np.int64]


def make_sketch(hashes: npt.NDArray[np.uint32]) -> bytes:
    """Return the sketch of a sorted set of shingle hashes, before any cap; zeros for none."""
    if native.kernels is not None:
        return native.kernels.make_sketch(hashes)
    if not len(hashes):
        return bytes(WORDS * 8 + 4)
    smallest = hashes.take(np.searchsorted(hashes, _BIN_STARTS), mode="clip")
    is_empty = smallest >> _BIN_SHIFT != _BIN_NUMBERS
    empty = is_empty.nonzero()[0]
    if len(empty):
        smallest[empty] = smallest[_donors(empty, is_empty)]
    values = smallest.astype(np.uint8) & _VALUE
    packed: bytes = (values[::2] | values[1::2] << BITS).tobytes()
    return packed + len(hashes).to_bytes(4, "little")


def unpack(sketch: bytes) -> tuple[Words, int]:
    """Return a sketch's words (shape (16,)) and its number of shingles."""
    words = np.frombuffer(sketch, "<u8", WORDS)
    return words.astype(np.uint64, copy=False), int.from_bytes(sketch[WORDS * 8 :], "little")


def unpack_many(sketches: Sequence[bytes]) -> tuple[Words, npt.NDArray[np.uint32]]:
    """Return the words (shape (n, 16)) and numbers of shingles of many sketches."""
    rows = np.frombuffer(b"".join(sketches), _LAYOUT)
    return rows["words"].astype(np.uint64), rows["shingles"].astype(np.uint32)


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


def similarity(differing: npt.NDArray[np.uint32], words: int) -> npt.NDArray[np.float64]:
    """Return the Jaccard similarities that go with numbers of differing bins, of `words` words."""
    agreeing = 1 - differing / (words * 64 // BITS)
    return np.asarray((agreeing - _CHANCE) / (1 - _CHANCE))


def estimate(words: Words, rows: Words) -> npt.NDArray[np.float64]:
    """Return the estimated Jaccard similarity of one sketch to many, shapes (w,) and (n, w).

    Any part of a sketch estimates too, with fewer bins.
    """
    return similarity(differing(words, rows), len(words))


def standard_error(similarity: float) -> float:
    """Return the standard error of an estimate at a true similarity, with every bin filled.

    256 independent bins agree with probability p = J + (1 - J) / 16. At J = 0.8 this is 0.026.
    Borrowed bins are not independent: for
    texts of fewer than some 300 shingles the error is larger, up to 0.03.
    """
    agreeing = similarity + (1 - similarity) * _CHANCE
    return math.sqrt(agreeing * (1 - agreeing) / BINS) / (1 - _CHANCE)


def _donors(empty: Bins, is_empty: npt.NDArray[np.bool_]) -> Bins:
    """Return for each empty bin the first bin of its sequence that is not empty.

    If all 64 are empty (likely only below some ten shingles) the first filled bin of all lends.
    """
    donors = _first_filled(_FIRST_DONORS.take(empty, axis=0), is_empty)
    if is_empty[donors].any():
        donors = _first_filled(_DONORS.take(empty, axis=0), is_empty)
        donors[is_empty[donors]] = is_empty.argmin()
    return donors


def _first_filled(attempts: Bins, is_empty: npt.NDArray[np.bool_]) -> Bins:
    """Return the first bin of each row that is not empty, or the row's first."""
    chosen = is_empty.take(attempts).argmin(axis=1)
    return np.asarray(attempts[_BIN_ROWS[: len(attempts)], chosen])
