"""Numbered buckets of entries that only grow: under the block index and every table of keys.

Entries lie in small pages, and a page belongs to one bucket for ever, so a bucket that grows wastes
less than a page and moves nothing but its list of page numbers::

    bucket 0x0002BEEF: 11 entries                      pages of 4 slots
      run of page numbers: [ 17, 52, 90 ]  ----------> 17: [ e0 e1 e2 e3 ]
                                                       52: [ e4 e5 e6 e7 ]
                                                       90: [ e8 e9 e10 e8 ]   empty: a repetition

An insert is amortised O(1) without ever rebuilding anything, one vectorised call serves all buckets
of all queries of a batch, and pages are read from memory in whole cache lines. An entry is a row
number and, where asked for, a tag beside it in an array of its own, so that what is scanned to
reject entries is half as long as the entries.
"""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.columns import Column, ranges, scalars
from crawler.dedup.kernels.plain_buckets import BucketCells, Numbers

_FEWEST_SLOT_BITS, _MOST_SLOT_BITS = 3, 5
"""Of a page: 8 to 32 slots."""
_BUCKET_IN_PAGES = 8
"""Pages a full bucket has, up to: half a page of eight is a sixteenth of a bucket wasted, and a
page number of 4 bytes serves an eighth of a bucket."""

_FEWEST_BITS = 8
_HALF = np.uint64(32)
_NO_CELLS = memoryview(bytearray()).cast("I")

Places = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]
Lengths = npt.NDArray[np.integer[Any]]


class Buckets:
    """`buckets` lists of entries (row, tag), or of rows only, each in order of insertion.

    `expected_entries` in all sizes pages and reserves memory; more are taken. Rows and tags are
    uint32. At most 2^32 pages in all.
    """

    def __init__(self, buckets: int, expected_entries: int, *, tagged: bool = False) -> None:
        self.tagged = tagged
        load = expected_entries / buckets
        bits = math.ceil(math.log2(max(1.0, load / _BUCKET_IN_PAGES)))
        self._slot_bits = min(_MOST_SLOT_BITS, max(_FEWEST_SLOT_BITS, bits))
        slots = 1 << self._slot_bits
        self._last_slot = slots - 1
        self._sizes = np.zeros(buckets, np.uint32)
        self._size_cells = scalars(self._sizes)
        pages = int(expected_entries / slots) + min(expected_entries, buckets)
        self._rows = Column(np.uint32, pages, (slots,))
        self._tags = Column(np.uint32, pages, (slots,)) if tagged else None
        # Most buckets stay within one standard deviation and never move their page numbers.
        usual = math.ceil((load + math.sqrt(load)) / slots)
        self._runs = _Runs(buckets, usual, usual * min(expected_entries, buckets))

    @property
    def nbytes(self) -> int:
        """Bytes in use, empty slots and runs left behind included."""
        tags = self._tags.nbytes if self._tags is not None else 0
        return self._sizes.nbytes + self._rows.nbytes + tags + self._runs.nbytes

    @property
    def cells(self) -> BucketCells:
        """The buckets as the kernels take them; not to be kept across an insert."""
        tags = self._tags.cells if self._tags is not None else _NO_CELLS
        return self._size_cells, *self._runs.cells, self._rows.cells, tags, self._slot_bits

    def insert(self, buckets: Numbers, rows: Numbers, tags: Numbers = b"") -> None:
        """Add row i, with tag i if entries have tags, to the i-th of some distinct buckets.

        Arrays of uint32; of those that Python reads one by one (`array`) is the fastest.
        """
        done = kernels.insert_entries(buckets, rows, tags, self.cells, 0, False)
        while done < len(buckets):
            self._open_page(buckets[done])
            done = kernels.insert_entries(buckets, rows, tags, self.cells, done, True)

    def _open_page(self, bucket: int) -> None:
        """Give a bucket whose pages are full another one."""
        pages = self._size_cells[bucket] >> self._slot_bits
        self._runs.append(bucket, pages, self._rows.allocate(1))
        if self._tags is not None:
            self._tags.allocate(1)

    def insert_many(self, buckets: Places, rows: Words, tags: Numbers = b"") -> None:
        """Add `rows[i]`, with `tags[i]`, to `buckets[i]` for every i < 2^32; buckets may repeat."""
        # Sorting keys made unique by their place is stable and several times faster than argsort.
        keys = buckets.astype(np.uint64) << _HALF | np.arange(len(buckets), dtype=np.uint64)
        keys.sort()
        in_order = (keys >> _HALF).astype(np.int64)
        first = np.flatnonzero(np.diff(in_order, prepend=-1))
        self._open_pages(in_order[first], np.diff(first, append=len(in_order)))
        kernels.place_entries(keys, rows, tags, self.cells)

    def _open_pages(self, buckets: Places, counts: Places) -> None:
        """Give some distinct buckets the pages that the next `counts[i]` entries of each need."""
        sizes = self._sizes[buckets].astype(np.int64)
        held, needed = self._page_count(sizes), self._page_count(sizes + counts)
        total = int((needed - held).sum())
        first = self._rows.allocate(total)
        if self._tags is not None:
            self._tags.allocate(total)
        fresh = np.arange(first, first + total, dtype=np.uint32)
        self._runs.append_many(buckets, held, needed - held, fresh)

    def sizes(self, buckets: Places) -> Places:
        """Return the number of entries of each bucket."""
        return self._sizes.take(buckets).astype(np.int64)

    def _page_count(self, sizes: Places) -> Places:
        return sizes + self._last_slot >> self._slot_bits


class _Runs:
    """The page directory of buckets: for each one growing run of page numbers (uint32).

    All runs lie in one pool. A run owns a slab of consecutive slots: first a single slot, since
    many runs stay short where keys crowd, then a slab of the usual length, and when that is full
    one a quarter longer, or half where it is far beyond the usual. It leaves its old slab to the
    next run of that size, so that appending is amortised O(1) and nothing is ever rebuilt. How long
    each run is, its owner knows. At most 2^32 slots in all.
    """

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

    def append(self, run: int, length: int, number: int) -> None:
        """Append one number to a run of the given length."""
        if (slab_class := self._full.get(length)) is not None:
            self._move(run, length, slab_class)
        self._pool.cells[self._start_cells[run] + length] = number

    def append_many(self, runs: Places, lengths: Lengths, counts: Lengths, numbers: Words) -> None:
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

    def _move_many(self, runs: Places, lengths: Lengths, grown: Lengths) -> None:
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

    def _take(self, slab_class: int, count: int) -> Places:
        """Take `count` slabs of one class: first those left behind, then new ones."""
        free = self._free[slab_class]
        reused = min(count, len(free))
        taken = np.array(free[len(free) - reused :], np.int64)
        del free[len(free) - reused :]
        slots = int(self._slabs[slab_class])
        first = self._pool.allocate((count - reused) * slots)
        fresh = first + np.arange(count - reused, dtype=np.int64) * slots
        return np.concatenate([taken, fresh])

    def _classes(self, lengths: Lengths) -> Places:
        """Return the class of the slab of each run: the shortest that holds it; -1 for none."""
        return np.where(lengths > 0, self._slabs.searchsorted(lengths), -1)


def _slab_lengths(usual: int) -> Places:
    """Return the lengths that a slab may have, ascending, up to 2^32 and more."""
    lengths = [1, max(2, usual)]
    while lengths[-1] < 1 << 32:
        grown = 5 / 4 if lengths[-1] < 4 * usual else 3 / 2
        lengths.append(int(lengths[-1] * grown) + 1)
    return np.array(lengths, np.int64)


def key_bits(expected_keys: int, fewest_a_bucket: int, most_bits: int) -> int:
    """Return how many bits of a key should number a bucket of a table.

    As many as leave `fewest_a_bucket` of the expected keys to a bucket, or up to twice as many:
    fewer would make queries compare more, more would cost memory for buckets next to empty.
    """
    return min(most_bits, max(_FEWEST_BITS, (expected_keys // fewest_a_bucket).bit_length() - 1))
