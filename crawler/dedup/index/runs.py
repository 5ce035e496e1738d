"""The page directory of buckets: for every bucket one growing run of page numbers.

All runs lie in one pool. A run owns a slab of consecutive slots: first a single slot, since many
runs stay short where keys crowd, then a slab of the usual length, and when that is full one a
quarter longer, or half where it is far beyond the usual. It leaves its old slab to the next run of
that size, so that appending is amortised O(1) and nothing is ever rebuilt. How long each run is,
its owner knows.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import Column, ranges, scalars

Numbers = npt.NDArray[np.uint32]
Lengths = npt.NDArray[np.integer[Any]]


class Runs:
    """`runs` sequences of uint32, each in one piece; at most 2^32 slots in all."""

    def __init__(self, runs: int, usual_length: int, expected_numbers: int) -> None:
        self._slabs = _slab_lengths(usual_length)
        self._full = {0: 0} | {length: n for n, length in enumerate(self._slabs.tolist(), 1)}
        self._starts = np.zeros(runs, np.uint32)
        self._start_cells = scalars(self._starts)
        self._pool = Column(np.uint32, expected_numbers)
        self._free = [array("I") for _ in self._slabs]

    @property
    def nbytes(self) -> int:
        """Bytes in use, slabs left behind included."""
        return self._starts.nbytes + self._pool.nbytes + sum(4 * len(slabs) for slabs in self._free)

    @property
    def cells(self) -> tuple[memoryview[int], memoryview[int]]:
        """Where each run starts, and the pool: for loops, not to be kept across an append."""
        return self._start_cells, self._pool.cells

    def find(
        self, runs: npt.NDArray[np.int64], lengths: Lengths, ends: npt.NDArray[np.int64]
    ) -> Numbers:
        """Return the contents of some runs, one after another; `ends` sums up their lengths."""
        numbers: Numbers = self._pool.take(ranges(self._starts.take(runs), lengths, ends))
        return numbers

    def append(self, run: int, length: int, number: int) -> None:
        """Append one number to a run of the given length."""
        if (slab_class := self._full.get(length)) is not None:
            self._move(run, length, slab_class)
        self._pool.cells[self._start_cells[run] + length] = number

    def append_many(
        self, runs: npt.NDArray[np.int64], lengths: Lengths, counts: Lengths, numbers: Numbers
    ) -> None:
        """Append the next `counts[i]` of the numbers to each of some distinct runs."""
        grown = lengths + counts
        full = self._classes(grown) != self._classes(lengths)
        if full.any():
            self._move_many(runs[full], lengths[full], grown[full])
        self._pool.values[ranges(self._starts[runs] + lengths, counts)] = numbers

    def _move(self, run: int, length: int, slab_class: int) -> None:
        free = self._free[slab_class]
        start = free.pop() if free else self._pool.allocate(int(self._slabs[slab_class]))
        if length:
            pool, old = self._pool.values, self._start_cells[run]
            pool[start : start + length] = pool[old : old + length]
            self._free[slab_class - 1].append(old)
        self._start_cells[run] = start

    def _move_many(self, runs: npt.NDArray[np.int64], lengths: Lengths, grown: Lengths) -> None:
        """Move distinct runs to slabs that hold their grown lengths."""
        starts, old, new = self._starts[runs], self._classes(lengths), self._classes(grown)
        kept = self._pool.take(ranges(starts, lengths))  # the slabs left may serve at once
        for slab_class in np.unique(old[old >= 0]).tolist():
            self._free[slab_class].extend(starts[old == slab_class].tolist())
        self._join()
        moved = np.empty(len(runs), np.int64)
        for slab_class in np.unique(new)[::-1].tolist():
            chosen = new == slab_class
            moved[chosen] = self._take(slab_class, int(np.count_nonzero(chosen)))
        self._pool.values[ranges(moved, lengths)] = kept
        self._starts[runs] = moved

    def _join(self) -> None:
        """Make usual slabs of single slots that were left behind side by side."""
        usual = int(self._slabs[1])
        slots = np.sort(np.array(self._free[0], np.int64))
        first = np.flatnonzero(np.diff(slots, prepend=-2) != 1)
        joined = ranges(first, np.diff(first, append=len(slots)) // usual * usual)
        self._free[1].extend(slots[joined[::usual]].tolist())
        self._free[0] = array("I", np.delete(slots, joined).tolist())

    def _take(self, slab_class: int, count: int) -> npt.NDArray[np.int64]:
        """Take `count` slabs of one class: first those left behind, then new ones."""
        free = self._free[slab_class]
        reused = min(count, len(free))
        taken = np.array(free[len(free) - reused :], np.int64)
        del free[len(free) - reused :]
        slots = int(self._slabs[slab_class])
        first = self._pool.allocate((count - reused) * slots)
        fresh = first + np.arange(count - reused, dtype=np.int64) * slots
        return np.concatenate([taken, fresh])

    def _classes(self, lengths: Lengths) -> npt.NDArray[np.int64]:
        """Return the class of the slab of each run: the shortest that holds it; -1 for none."""
        return np.where(lengths > 0, self._slabs.searchsorted(lengths), -1)


def _slab_lengths(usual: int) -> npt.NDArray[np.int64]:
    """Return the lengths that a slab may have, ascending, up to 2^32 and more."""
    lengths = [1, max(2, usual)]
    while lengths[-1] < 1 << 32:
        grown = 5 / 4 if lengths[-1] < 4 * usual else 3 / 2
        lengths.append(int(lengths[-1] * grown) + 1)
    return np.array(lengths, np.int64)
