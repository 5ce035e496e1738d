"""Counting the bits in which fingerprints differ: of one pair, and of one against many.

`benchmarks/hamming.py` measures both beside the kernel and says which is used where.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Fingerprints = npt.NDArray[np.uint64]


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
