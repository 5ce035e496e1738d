"""Filters in front of digests and sketches: Bloom filters that save look-ups, no more.

A negative answer is certain; a positive one must be confirmed by who asks, so a false positive
costs a look-up and never a page (Bloom, CACM 1970).
"""

from __future__ import annotations

import struct
from io import BytesIO

import mmh3
from pybloom_live import ScalableBloomFilter

_ERROR_RATE = 0.001
"""One needless look-up in a thousand new pages; 1.8 bytes a key at this rate."""

_MINIMUM_CAPACITY = 1024

_BITS_A_KEY = 16
_MOST_BITS = 1 << 32


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

    def packed(self) -> bytes:
        """Return the filter as bytes, for `unpack`."""
        file = BytesIO()
        self._filter.tofile(file)
        return file.getvalue()

    def unpack(self, packed: bytes) -> None:
        """Become the filter that was packed. Raises ValueError for other bytes."""
        try:
            self._filter = ScalableBloomFilter.fromfile(BytesIO(packed))
        except struct.error as error:
            raise ValueError(f"not a packed filter: {error}") from None


class QuickFilter:
    """A set of byte keys that may claim to hold a key it does not: a Bloom filter of one hash.

    Half a microsecond a question where a SeenFilter takes five, for 1 false claim in 16 at the
    expected size. It does not grow: with more keys it claims more. Two bytes an expected key.
    """

    def __init__(self, expected_keys: int) -> None:
        bits = max(_MINIMUM_CAPACITY, min(_MOST_BITS, expected_keys * _BITS_A_KEY))
        self._mask = (1 << (bits - 1).bit_length()) - 1
        self._bytes = bytearray(self._mask + 1 >> 3)

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""
        return len(self._bytes)

    def add(self, key: bytes) -> None:
        """Add a key."""
        place = mmh3.hash(key, signed=False) & self._mask
        self._bytes[place >> 3] |= 1 << (place & 7)

    def __contains__(self, key: bytes) -> bool:
        place = mmh3.hash(key, signed=False) & self._mask
        return bool(self._bytes[place >> 3] >> (place & 7) & 1)
