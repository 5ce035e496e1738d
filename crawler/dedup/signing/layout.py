"""Layout fingerprints: 32 bytes that estimate how alike the skeletons of two pages are.

1-bit minwise hashing (Broder 1997; Li and König, WWW 2010) of the tag paths, a path of weight w
counting as w elements of a set: under each of 256 hash functions two sets with Jaccard similarity J
have the same smallest element with probability J, and of each smallest element one bit is kept,
which others share half of the time. So two fingerprints differ in (1 - J) / 2 of their bits on
average.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import mmh3
import numpy as np
import numpy.typing as npt

BITS = 256
SIZE_BYTES = BITS // 8
VERSION = 1
"""Fingerprints of different versions must not be compared."""

_SEED = 0x1A70_0001
_KEPT_BIT = np.uint64(32)
"""Of a smallest product the high bits are nearly all 0, the low ones hash badly."""

_MULTIPLIERS = np.frombuffer(
    b"".join(mmh3.hash_bytes(n.to_bytes(2, "little"), _SEED) for n in range(BITS // 2)), "<u8"
) | np.uint64(1)
"""One odd multiplier a hash function: h(x) = m * x mod 2**64 (Dietzfelbinger et al., 1997)."""


_KNOWN = 2048
"""Paths whose hashes a process holds, 4 MB: pages of one site share nearly all of theirs, some
hundred, and hashing them is most of the work."""


def layout_fingerprint(paths: Mapping[str, int]) -> bytes | None:
    """Return the fingerprint of a page's tag paths, each with its weight; None for no paths.

    Deterministic: whole numbers and seeded MurmurHash3 only.
    """
    if not paths:
        return None
    smallest = np.minimum.reduce([_smallest(path, weight) for path, weight in paths.items()])
    packed: bytes = np.packbits((smallest >> _KEPT_BIT) & np.uint64(1) != 0).tobytes()
    return packed


@lru_cache(_KNOWN)
def _smallest(path: str, weight: int) -> npt.NDArray[np.uint64]:
    """Return the smallest hash of a path's copies under each function, shape (BITS,)."""
    digests = b"".join(mmh3.hash_bytes(path, _SEED + copy) for copy in range(weight))
    elements = np.frombuffer(digests, "<u8")[::2]
    return np.asarray((elements[:, None] * _MULTIPLIERS).min(axis=0))


def layout_similarity(layout: bytes, other: bytes) -> float:
    """Return the estimated weighted Jaccard similarity of two pages' tag paths, 0..1.

    Exactly 1 for equal ones. The standard error is sqrt((1 - J**2) / 256): .054 at J = .5, .027 at
    J = .9.
    """
    different = int.from_bytes(layout, "big") ^ int.from_bytes(other, "big")
    return max(0.0, 1 - 2 * different.bit_count() / BITS)
