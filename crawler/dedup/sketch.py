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

BINS = 256
BITS = 4
WORDS = BINS * BITS // 64
VERSION = 1
"""Sketches of different versions must not be compared."""

_CHANCE = 2.0**-BITS
"""How often different hashes agree in the bits that are kept."""

_BIN_STARTS = np.arange(BINS, dtype=np.uint64) << np.uint64(32 - 8)
_ATTEMPTS = 64


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

_LOW_BITS = np.uint64(0x1111_1111_1111_1111)
_SHIFTS = np.arange(0, 64, BITS, dtype=np.uint64)

_LAYOUT = np.dtype([("words", "<u8", (WORDS,)), ("shingles", "<u4")])

Words = npt.NDArray[np.uint64]


def make_sketch(hashes: npt.NDArray[np.uint32]) -> bytes:
    """Return the sketch of a sorted set of shingle hashes, before any cap; zeros for none."""
    if not len(hashes):
        return bytes(WORDS * 8 + 4)
    smallest = np.searchsorted(hashes, _BIN_STARTS.astype(np.uint32))
    empty = np.append(smallest[1:], len(hashes)) == smallest
    values = hashes[smallest - (smallest == len(hashes))] & np.uint32((1 << BITS) - 1)
    if empty.any():
        values[empty] = values[_donors(empty)]
    words = (values.astype(np.uint64).reshape(WORDS, -1) << _SHIFTS).sum(axis=1, dtype=np.uint64)
    packed: bytes = words.astype("<u8").tobytes()
    return packed + len(hashes).to_bytes(4, "little")


def unpack(sketch: bytes) -> tuple[Words, int]:
    """Return a sketch's words (shape (16,)) and its number of shingles."""
    words, counts = unpack_many([sketch])
    return words[0], int(counts[0])


def unpack_many(sketches: Sequence[bytes]) -> tuple[Words, npt.NDArray[np.uint32]]:
    """Return the words (shape (n, 16)) and numbers of shingles of many sketches."""
    rows = np.frombuffer(b"".join(sketches), _LAYOUT)
    return rows["words"].astype(np.uint64), rows["shingles"].astype(np.uint32)


def estimate(words: Words, rows: Words) -> npt.NDArray[np.float64]:
    """Return the estimated Jaccard similarity of one sketch to many, shapes (w,) and (n, w).

    Any part of a sketch estimates too, with fewer bins.
    """
    different = rows ^ words
    different |= different >> np.uint64(1)
    different |= different >> np.uint64(2)
    different &= _LOW_BITS
    agreeing = 1 - np.bitwise_count(different).sum(axis=1, dtype=np.int64) / (
        len(words) * 64 // BITS
    )
    return np.asarray((agreeing - _CHANCE) / (1 - _CHANCE))


def standard_error(similarity: float) -> float:
    """Return the standard error of an estimate at a true similarity, with every bin filled.

    256 independent bins agree with probability p = J + (1 - J) / 16. At J = 0.8 this is 0.026.
    Borrowed bins are not independent: for
    texts of fewer than some 300 shingles the error is larger, up to 0.03.
    """
    agreeing = similarity + (1 - similarity) * _CHANCE
    return math.sqrt(agreeing * (1 - agreeing) / BINS) / (1 - _CHANCE)


def _donors(empty: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return for each empty bin the first bin of its sequence that is not empty.

    If all 64 are empty (likely only below some ten shingles) the first filled bin of all lends.
    """
    attempts = _DONORS[empty]
    filled = ~empty[attempts]
    chosen = attempts[np.arange(len(attempts)), filled.argmax(axis=1)]
    return np.asarray(np.where(filled.any(axis=1), chosen, np.flatnonzero(~empty)[0]))
