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

from crawler.dedup import kernels
from crawler.dedup.kernels.plain_sketches import BINS, BITS, WORDS, Words, differing

VERSION = 1
"""Sketches of different versions must not be compared."""

_CHANCE = 2.0**-BITS
"""How often different hashes agree in the bits that are kept."""

_LAYOUT = np.dtype([("words", "<u8", (WORDS,)), ("shingles", "<u4")])


def make_sketch(hashes: npt.NDArray[np.uint32]) -> bytes:
    """Return the sketch of a sorted set of shingle hashes, before any cap; zeros for none."""
    return kernels.make_sketch(hashes)


def unpack(sketch: bytes) -> tuple[Words, int]:
    """Return a sketch's words (shape (16,)) and its number of shingles."""
    words = np.frombuffer(sketch, "<u8", WORDS)
    return words.astype(np.uint64, copy=False), int.from_bytes(sketch[WORDS * 8 :], "little")


def unpack_many(sketches: Sequence[bytes]) -> tuple[Words, npt.NDArray[np.uint32]]:
    """Return the words (shape (n, 16)) and numbers of shingles of many sketches."""
    rows = np.frombuffer(b"".join(sketches), _LAYOUT)
    return rows["words"].astype(np.uint64), rows["shingles"].astype(np.uint32)


def similarity(differing: npt.NDArray[np.uint32], words: int) -> npt.NDArray[np.float64]:
    """Return the Jaccard similarities that go with numbers of differing bins, of `words` words."""
    agreeing = 1 - differing / (words * 64 // BITS)
    return np.asarray((agreeing - _CHANCE) / (1 - _CHANCE))


def estimate(words: Words, rows: Words) -> npt.NDArray[np.float64]:
    """Return the estimated Jaccard similarity of one sketch to many, shapes (w,) and (n, w).

    Any part of a sketch estimates too, with fewer bins.
    """
    return similarity(differing(words, rows), len(words))


def estimated(sketch: bytes, other: bytes) -> float:
    """Return the estimated Jaccard similarity (0..1) of two sketches, 1 for the same ones."""
    if sketch == other:
        return 1.0
    (words, number), (others, other_number) = unpack(sketch), unpack(other)
    most = min(number, other_number) / max(1, number, other_number)
    return min(most, max(0.0, float(estimate(words, others[np.newaxis])[0])))


def standard_error(similarity: float) -> float:
    """Return the standard error of an estimate at a true similarity, with every bin filled.

    256 independent bins agree with probability p = J + (1 - J) / 16. At J = 0.8 this is 0.026.
    Borrowed bins are not independent: for texts of fewer than some 300 shingles the error is
    larger, up to 0.03.
    """
    agreeing = similarity + (1 - similarity) * _CHANCE
    return math.sqrt(agreeing * (1 - agreeing) / BINS) / (1 - _CHANCE)
