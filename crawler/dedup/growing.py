"""Arrays of the in-memory indexes: columns that grow by appending rows, and sorted sets.

The memory asked for at the start is only reserved (the kernel commits a page when it is first
written), so a generous `expected_rows` costs nothing and spares the copies.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_GROWTH = 1.5
_LONG_MASK = 4096


class Column:
    """An append-only array of shape (rows, *item_shape); amortised O(1) an appended row.

    Outgrowing its capacity copies the column once: a pause that grows with its size.
    """

    def __init__(
        self, dtype: npt.DTypeLike, expected_rows: int, item_shape: tuple[int, ...] = ()
    ) -> None:
        self._array: npt.NDArray[Any] = np.empty((max(16, expected_rows), *item_shape), dtype)
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

    def span(self, start: int, end: int) -> npt.NDArray[Any]:
        """Return the rows start .. end - 1: a view that must not be kept across an append."""
        return self._array[start:end]

    def take(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a copy of some rows: five times faster than indexing where a row is an array.

        Row numbers are widened first: numpy takes twice as long with any other type than intp.
        """
        return self._array.take(rows.astype(np.intp, copy=False), axis=0)

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
            grown = np.empty(
                (max(rows, int(len(self._array) * _GROWTH)), *self._array.shape[1:]),
                self._array.dtype,
            )
            grown[: self._rows] = self.values
            self._array = grown
            self._cells = scalars(grown)

    def allocate(self, rows: int) -> int:
        """Append `rows` rows of undefined content and return the first one's number."""
        start = self._rows
        self.reserve(start + rows)
        self._rows += rows
        return start


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

    numpy's `flatnonzero` takes a step a place; in a long mask it here takes one for eight.
    """
    if len(mask) < _LONG_MASK:
        return np.flatnonzero(mask)
    whole = len(mask) & ~7
    words = np.flatnonzero(mask[:whole].view(np.uint64))
    places = (words[:, None] * 8 + np.arange(8)).ravel()
    return np.concatenate([places[mask[places]], whole + np.flatnonzero(mask[whole:])])


def ranges(
    starts: npt.NDArray[np.integer[Any]], lengths: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.int64]:
    """Return the numbers starts[i] .. starts[i] + lengths[i] - 1 for every i, in one array."""
    ends = np.cumsum(lengths, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - ends + lengths, lengths) + np.arange(total)
