"""The seen-filter in front of the digest tables: a Bloom filter that saves look-ups, no more.

A negative answer is certain; a positive one must be confirmed by the catalogue, so a false positive
costs a look-up and never a page.
"""

from __future__ import annotations

from pybloom_live import ScalableBloomFilter

_ERROR_RATE = 0.001
"""One needless look-up in a thousand new pages; 1.8 bytes a key at this rate (Bloom 1970)."""

_MINIMUM_CAPACITY = 1024


class SeenFilter:
    """A set of byte keys that may claim to hold a key it does not (at most about 1 in 1,000).

    It grows past `expected_keys` without losing keys or its error rate, but slower and larger than
    one of the right size: pybloom-live 4 chains filters of doubling capacity and asks each in turn.
    Its hash (xxhash) is not keyed: whoever crafts collisions causes look-ups, nothing worse.
    """

    def __init__(self, expected_keys: int) -> None:
        capacity = max(_MINIMUM_CAPACITY, expected_keys)
        self._filter = ScalableBloomFilter(initial_capacity=capacity, error_rate=_ERROR_RATE)

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""
        return sum(len(part.bitarray) // 8 for part in self._filter.filters)

    def add(self, key: bytes) -> None:
        """Add a key; a repeated one takes room again."""
        filters = self._filter.filters
        if filters and filters[-1].count < filters[-1].capacity:
            # Who adds a key has asked for it before; the chain would ask all its filters again.
            filters[-1].add(key.hex(), skip_check=True)
        else:
            self._filter.add(key.hex())

    def __contains__(self, key: bytes) -> bool:
        return key.hex() in self._filter
