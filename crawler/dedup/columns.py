"""What the in-memory indexes and the judge are built of.

The arithmetic of 64-bit fingerprints (their distances, and the blocks in which near ones agree),
columns that grow by appending rows, and the Bloom filters in front of digests and sketches. A
filter saves look-ups, no more: a negative answer is certain; a positive one must be confirmed by
who asks, so a false positive costs a look-up and never a page (Bloom, CACM 1970).
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any, TypeVar

import mmh3
import numpy as np
import numpy.typing as npt
from pybloom_live import ScalableBloomFilter

# A 64-bit fingerprint is cut into four blocks of 16 bits, block 0 the lowest::
#
#     63            48 47            32 31            16 15             0
#     +---------------+---------------+---------------+---------------+
#     |    block 3    |    block 2    |    block 1    |    block 0    |
#     +---------------+---------------+---------------+---------------+
#
# With radii r0..r3 that sum to d - 3, two fingerprints that differ in d bits agree in some block i
# to ri bits: otherwise they would differ in at least r0+1 + .. + r3+1 = d + 1 (pigeonhole; Manku,
# Jain, Das Sarma, WWW 2007, section 3 for d = 3). So it is enough to look in four hash tables, one
# a block, at the query's block and every value within ri bits of it. Nothing within the distance is
# missed.
#
# A table's key is the low bits of its block, all 16 where fingerprints are many: what holds for a
# block holds for a part of it. The other bits of the fingerprint are folded to a tag of 32, high
# half xor low half. Tags differ in no more bits than the fingerprints do outside the key, so where
# a key differs in r bits, a tag that differs in more than d - r rejects an entry for good. Tags of
# unlike fingerprints differ in 16 bits on average: at distance 11 and radius 2 one in 100 is within
# 9.
#
# A search finds pairs of a query and a row, a number each, so that pairs in order, by query and
# then by row, are numbers in order::
#
#     query, 28 bits | row, 32 bits | distance, 4 bits
#
# `near.c` does the same arithmetic and writes the same pairs.

BLOCKS = 4
BLOCK_BITS = 16

MOST_QUERIES = 1 << 28
MOST_ROWS = 1 << 32

_QUERY = np.uint64(36)
_ROW = np.uint64(4)
_DISTANCE = np.uint8(15)

_HALF = 32
_LOW_HALF = (1 << _HALF) - 1

Fingerprints = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Tags = npt.NDArray[np.uint32]
Pairs = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.uint32]
Distances = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Ring:
    """Keys of one table about a query's own, and what their entries' tags may differ in."""

    table: int
    masks: Numbers
    """What to flip in a bucket number."""
    limit: int
    """Bits in which tags differ at most: the distance less the bits in which every key differs."""


class Probes:
    """The buckets of fingerprints, and where to look for neighbours up to a distance.

    A bucket number is `table << key_bits | key`.
    """

    def __init__(self, distance: int, key_bits: int) -> None:
        self.distance = distance
        self.key_bits = key_bits
        self.buckets = BLOCKS << key_bits
        self.rings = _rings(distance, key_bits)
        self.probed = sum(len(ring.masks) for ring in self.rings)
        """How many buckets a query looks in."""
        self._tables = np.arange(BLOCKS, dtype=np.int64) << key_bits
        self._key = (1 << key_bits) - 1
        self._rest = [~(self._key << BLOCK_BITS * table) for table in range(BLOCKS)]

    def of(self, fingerprint: int) -> tuple[int, int, int, int]:
        """Return the bucket of a fingerprint in each table."""
        key, first = self._key, self._key + 1
        return (
            fingerprint & key,
            fingerprint >> BLOCK_BITS & key | first,
            fingerprint >> 2 * BLOCK_BITS & key | 2 * first,
            fingerprint >> 3 * BLOCK_BITS & key | 3 * first,
        )

    def of_many(self, fingerprints: Fingerprints) -> Numbers:
        """Return the buckets of fingerprints, shape (n, 4)."""
        shifts = np.arange(0, 64, BLOCK_BITS, dtype=np.uint64)
        keys = fingerprints[:, None] >> shifts & np.uint64(self._key)
        return keys.astype(np.int64) | self._tables

    def tags(self, fingerprint: int) -> list[int]:
        """Return the tag of a fingerprint for each table."""
        rests = [fingerprint & rest for rest in self._rest]
        return [(rest ^ rest >> _HALF) & _LOW_HALF for rest in rests]

    def tags_many(self, fingerprints: Fingerprints) -> Tags:
        """Return the tags of fingerprints, shape (n, 4)."""
        masks = np.array([rest & (1 << 64) - 1 for rest in self._rest], np.uint64)
        rests = fingerprints[:, None] & masks
        return (rests ^ rests >> np.uint64(_HALF)).astype(np.uint32)


def pack_pairs(queries: Numbers | int, rows: npt.NDArray[Any], distances: Distances) -> Pairs:
    """Return the pairs of some queries, or of one, with rows."""
    pairs = rows.astype(np.uint64)
    pairs <<= _ROW
    pairs |= distances
    pairs |= np.asarray(queries).astype(np.uint64) << _QUERY
    return pairs


def queries_of(pairs: Pairs) -> Numbers:
    """Return the number of the query of each pair."""
    return (pairs >> _QUERY).astype(np.int64)


def rows_of(pairs: Pairs) -> Rows:
    """Return the row of each pair."""
    return (pairs >> _ROW).astype(np.uint32)


def distances_of(pairs: Pairs) -> Distances:
    """Return the distance of each pair."""
    return pairs.astype(np.uint8) & _DISTANCE


def _rings(distance: int, key_bits: int) -> tuple[Ring, ...]:
    """Return the rings to look in: one a table up to radius 1, and three for radius 2."""
    rings = list[Ring]()
    for table in range(BLOCKS):
        radius = (distance - table) // BLOCKS
        cuts = [(0, 0), (1, 1), (2, 2)] if radius == 2 else [(0, radius)]
        rings += [Ring(table, _masks(key_bits, low, high), distance - low) for low, high in cuts]
    return tuple(ring for ring in rings if len(ring.masks))


def _masks(bits: int, fewest: int, most: int) -> Numbers:
    """Return all numbers of some bits of which so many are ones."""
    masks = [
        sum(1 << place for place in places)
        for ones in range(fewest, most + 1)
        for places in itertools.combinations(range(bits), ones)
    ]
    return np.array(masks, np.int64)


# Counting the bits in which fingerprints differ: of one pair, and of one against many.
#
# `benchmarks/hamming.py` measures both beside the kernel and says which is used where.


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


# Arrays of the in-memory indexes: columns that grow by appending rows, and sorted sets.
#
# The memory asked for at the start is only reserved (the kernel commits a page when it is first
# written), so a generous `expected_rows` costs nothing and spares the copies.

_GROWTH = 1.5
_CACHE_LINE = 64
_UINT32 = 2**32 - 1


class Sized:
    """What is made of arrays, and of parts that are Sized themselves."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""
        parts = [part for part in vars(self).values() if isinstance(part, Sized | np.ndarray)]
        return sum(part.nbytes for part in {id(part): part for part in parts}.values())


class Column(Sized):
    """An append-only array of shape (rows, *item_shape); amortised O(1) an appended row.

    Outgrowing its capacity copies the column once: a pause that grows with its size.
    """

    def __init__(
        self, dtype: npt.DTypeLike, expected_rows: int, item_shape: tuple[int, ...] = ()
    ) -> None:
        self._array = _aligned((max(16, expected_rows), *item_shape), dtype)
        self._cells = scalars(self._array)
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    @property
    def values(self) -> npt.NDArray[Any]:
        """The rows appended so far: a view that must not be kept across an append."""
        return self._array[: self._rows]

    @property
    def cells(self) -> memoryview[int]:
        """All `scalars` of all rows, the reserve included; must not be kept across an append."""
        return self._cells

    @property
    def nbytes(self) -> int:
        """Bytes in use, without the reserve."""
        return int(self.values.nbytes)

    def take(self, rows: npt.NDArray[Any] | list[int]) -> npt.NDArray[Any]:
        """Return a copy of some rows: five times faster than indexing where a row is an array.

        Row numbers are widened first: numpy takes twice as long with any other type than intp.
        """
        return self._array.take(np.asarray(rows, np.intp), axis=0)

    def append(self, item: Any) -> None:
        """Append one row."""
        if self._rows == len(self._array):
            self._reserve(self._rows + 1)
        self._array[self._rows] = item
        self._rows += 1

    def extend(self, items: npt.NDArray[Any]) -> None:
        """Append many rows."""
        end = self._rows + len(items)
        self._reserve(end)
        self._array[self._rows : end] = items
        self._rows = end

    def _reserve(self, rows: int) -> None:
        if rows > len(self._array):
            self._move(max(rows, int(len(self._array) * _GROWTH)), self._array.dtype)

    def _move(self, capacity: int, dtype: npt.DTypeLike) -> None:
        moved = _aligned((capacity, *self._array.shape[1:]), dtype)
        moved[: self._rows] = self.values
        self._array = moved
        self._cells = scalars(moved)

    def allocate(self, rows: int) -> int:
        """Append `rows` rows of undefined content and return the first one's number."""
        start = self._rows
        self._reserve(start + rows)
        self._rows += rows
        return start


def _aligned(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an undefined array that begins with a cache line.

    So rows of a line's length cost one cache miss; numpy begins arrays 16 bytes into a line.
    """
    nbytes = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(nbytes + _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    return memory[start : start + nbytes].view(dtype).reshape(shape)


class Integers(Column):
    """An append-only column of int64, kept as uint32 as long as all numbers fit.

    The first one that does not costs a copy of the column. `Column` is called by its name:
    `super()` takes measurably longer, for each fingerprint.
    """

    def __init__(self, expected_rows: int) -> None:
        super().__init__(np.uint32, expected_rows)

    def take(self, rows: npt.NDArray[Any] | list[int]) -> npt.NDArray[np.int64]:
        """Return the numbers of some rows."""
        return Column.take(self, rows).astype(np.int64)

    def append(self, number: int) -> None:
        """Append one number."""
        if not 0 <= number <= _UINT32:
            self._widen()
        Column.append(self, number)

    def extend(self, numbers: npt.NDArray[np.int64]) -> None:
        """Append many numbers."""
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) <= _UINT32:
            self._widen()
        Column.extend(self, numbers)

    def _widen(self) -> None:
        if self._array.dtype != np.int64:
            self._move(max(16, len(self) + len(self) // 2), np.int64)


class FingerprintRows(Sized):
    """Fingerprints and the ids they stand for, by row (0 for the first insert)."""

    def __init__(self, expected_rows: int) -> None:
        self._ids = Integers(expected_rows)
        self._fingerprints = Column(np.uint64, expected_rows)

    def __len__(self) -> int:
        return len(self._fingerprints)

    @property
    def ids(self) -> npt.NDArray[np.integer[Any]]:
        """All ids, a view that must not be kept."""
        return self._ids.values

    @property
    def fingerprints(self) -> npt.NDArray[np.uint64]:
        """All fingerprints, a view that must not be kept."""
        return self._fingerprints.values

    def insert(self, id_: int, fingerprint: int) -> None:
        """Add one fingerprint; an id may have several and a fingerprint several ids."""
        self._ids.append(id_)
        self._fingerprints.append(fingerprint)

    def insert_many(self, ids: npt.NDArray[np.int64], fingerprints: npt.NDArray[np.uint64]) -> None:
        """Add many fingerprints at once: the way to rebuild an index."""
        self._ids.extend(ids)
        self._fingerprints.extend(fingerprints)


def scalars(numbers: npt.NDArray[Any]) -> memoryview[int]:
    """Return a flat view of a contiguous array of integers, for access to one at a time.

    Reading or writing one here takes a third of the time it takes in the array.
    """
    flat: Any = numbers.reshape(-1)  # an array is a Buffer from Python 3.12 on, says its stub
    return memoryview(flat)


_Unsigned = TypeVar("_Unsigned", np.uint32, np.uint64)


def sorted_unique(values: npt.NDArray[_Unsigned]) -> npt.NDArray[_Unsigned]:
    """Sort an array in place and return its distinct values, ascending.

    numpy's own `unique` hashes first, which is slower for the sizes met here.
    """
    if len(values) < 2:
        return values
    values.sort()
    first = np.empty(len(values), bool)
    first[:1] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return values[first]


def ranges(
    starts: npt.NDArray[np.integer[Any]], lengths: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.int64]:
    """Return the numbers starts[i] .. starts[i] + lengths[i] - 1 for every i, in one array."""
    ends = lengths.cumsum(dtype=np.int64)
    bases = starts - ends
    bases += lengths
    numbers: npt.NDArray[np.int64] = bases.repeat(lengths)
    numbers += np.arange(len(numbers))
    return numbers


def portions(ends: npt.NDArray[np.int64], most: int) -> Iterator[slice]:
    """Cut items whose sizes add up to `ends`, so that a portion's are `most` or it is one item."""
    cuts = np.searchsorted(ends, np.arange(most, int(ends[-1]), most), "right")
    starts = np.unique([0, *cuts, len(ends)]).tolist()
    return itertools.starmap(slice, itertools.pairwise(starts))


_ERROR_RATE = 0.001
"""One needless look-up in a thousand new pages; 1.8 bytes a key at this rate."""

_MINIMUM_CAPACITY = 1024

_BITS_A_KEY = 16
_MOST_BITS = 1 << 32


class SeenFilter(Sized):
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


class QuickFilter(Sized):
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
