"""Arrays of the in-memory indexes.

Columns that grow by appending rows, sorted sets, and distances of fingerprints.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

# ---------------------------------------------------------------- hamming
# Counting the bits in which fingerprints differ: of one pair, and of one against many.
#
# `benchmarks/hamming.py` measures both beside the kernel and says which is used where.


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


# ---------------------------------------------------------------- columns
# Arrays of the in-memory indexes: columns that grow by appending rows, and sorted sets.
#
# The memory asked for at the start is only reserved (the kernel commits a page when it is first
# written), so a generous `expected_rows` costs nothing and spares the copies.


_GROWTH = 1.5
_CACHE_LINE = 64
_LONG_MASK = 1 << 15
_UINT32 = 2**32 - 1
_INT64 = 2**63 - 1


class Column:
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
            self.reserve(self._rows + 1)
        self._array[self._rows] = item
        self._rows += 1

    def extend(self, items: npt.NDArray[Any]) -> None:
        """Append many rows."""
        end = self._rows + len(items)
        self.reserve(end)
        self._array[self._rows : end] = items
        self._rows = end

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all."""
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
        self.reserve(start + rows)
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
        self._most = _UINT32

    def take(self, rows: npt.NDArray[Any] | list[int]) -> npt.NDArray[np.int64]:
        """Return the numbers of some rows."""
        return Column.take(self, rows).astype(np.int64)

    def append(self, number: int) -> None:
        """Append one number."""
        if not 0 <= number <= self._most:
            self._widen()
        Column.append(self, number)

    def extend(self, numbers: npt.NDArray[np.int64]) -> None:
        """Append many numbers."""
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) <= self._most:
            self._widen()
        Column.extend(self, numbers)

    def _widen(self) -> None:
        if self._most == _UINT32:
            self._move(max(16, len(self) + len(self) // 2), np.int64)
            self._most = _INT64


class FingerprintRows:
    """Fingerprints and the ids they stand for, by row (0 for the first insert)."""

    def __init__(self, ids: Column, expected_rows: int) -> None:
        self._ids = ids
        self._fingerprints = Column(np.uint64, expected_rows)

    def __len__(self) -> int:
        return len(self._fingerprints)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._ids.nbytes + self._fingerprints.nbytes

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


def few_places(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the places that are True in a flat mask where few are.

    numpy's `nonzero` goes from one to the next; in a long mask it takes half the time to find the
    groups of eight that have any first.
    """
    if len(mask) < _LONG_MASK or len(mask) % 8 or 8 * np.count_nonzero(mask) > len(mask):
        return mask.nonzero()[0]
    groups = mask.view(np.uint64)
    chosen = groups.astype(bool).nonzero()[0]
    inside = groups.take(chosen).view(bool).nonzero()[0]
    places = chosen.take(inside >> 3)
    places <<= 3
    inside &= 7
    places += inside
    return places


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
