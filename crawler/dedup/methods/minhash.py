"""MinHash: k numbers by which the Jaccard similarity of two texts is estimated.

Broder (1997): under a random permutation of all shingles the smallest of one text and the smallest
of another are the same with probability J. With k permutations, the share of equal minima estimates
J with a standard error of sqrt(J (1 - J) / k): .035 at J = .8 and k = 128.

Instead of permutations stand the functions h(x) = (a x + b mod 2^64) >> 32 with a odd: strongly
universal for 32-bit x if a and b are random 64-bit numbers (Dietzfelbinger, STACS 1996). On sets
with a pattern such functions favour some members; shingle hashes have none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crawler.dedup.signing.shingles import Hashes

PERMUTATIONS = 128
"""The field's default."""

NO_SHINGLES = np.uint32(0xFFFF_FFFF)
"""Every value of an empty set; larger than any other."""

_SEED = 0x51A5_0003
_CHUNK = 2048
_HALF = np.uint64(32)

Values = npt.NDArray[np.uint32]


class MinHasher:
    """k hash functions, the same on every machine."""

    def __init__(self, permutations: int = PERMUTATIONS) -> None:
        raw = np.random.PCG64(_SEED).random_raw(2 * permutations)
        self._factors = raw[:permutations, None] | np.uint64(1)
        self._terms = raw[permutations:, None]

    def __call__(self, hashes: Hashes) -> Values:
        """Return the k minima of a set of shingle hashes, shape (k,)."""
        smallest = np.full(len(self._factors), NO_SHINGLES, np.uint32)
        for start in range(0, len(hashes), _CHUNK):
            chunk = hashes[start : start + _CHUNK].astype(np.uint64)
            images = (self._factors * chunk + self._terms) >> _HALF
            np.minimum(smallest, images.min(axis=1).astype(np.uint32), out=smallest)
        return smallest


def pack(values: Values) -> bytes:
    """Return values as bytes, little-endian."""
    return values.astype("<u4").tobytes()


def unpack_many(packed: Sequence[bytes], permutations: int) -> Values:
    """Return many texts' values, shape (n, k)."""
    rows = np.frombuffer(b"".join(packed), "<u4").reshape(-1, permutations)
    return rows.astype(np.uint32, copy=False)


def estimate(values: Values, rows: Values) -> npt.NDArray[np.float64]:
    """Return the estimated Jaccard similarity of one text to many, shapes (k,) and (n, k)."""
    return np.asarray((rows == values).mean(axis=1))
