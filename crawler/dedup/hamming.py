"""Counting the bits in which fingerprints differ: one pair, one against many, and by the book.

`benchmarks/hamming.py` measures all three beside the kernel and says which is used where.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Fingerprints = npt.NDArray[np.uint64]


def kernighan(number: int) -> int:
    """Return the number of ones of a non-negative integer, by Kernighan's loop.

    `a & (a - 1)` clears the lowest one (Kernighan, Ritchie, The C Programming Language, exercise
    2-9), so the loop turns once a one: the way of a machine without a population count, kept as
    the reference the faster ones are tested against. Raises ValueError for a negative number.
    """
    if number < 0:
        raise ValueError(f"{number} is negative and has no end of ones")
    ones = 0
    while number:
        number &= number - 1
        ones += 1
    return ones


def hamming(fingerprint: int, other: int) -> int:
    """Return the number of bits in which two fingerprints differ, 0..64."""
    return (fingerprint ^ other).bit_count()


def distances(fingerprints: Fingerprints, query: int) -> npt.NDArray[np.uint8]:
    """Return the distance of each fingerprint to a query, in the shape of `fingerprints`."""
    counts: npt.NDArray[np.uint8] = np.bitwise_count(fingerprints ^ np.uint64(query))
    return counts


def within(fingerprints: Fingerprints, query: int, distance: int) -> npt.NDArray[np.int64]:
    """Return the places of the fingerprints within a distance (inclusive), by looking at each."""
    return np.flatnonzero(distances(fingerprints, query) <= distance)
