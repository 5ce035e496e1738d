"""The hash tables under the block index and the sketch bands: buckets of entries that only grow.

Entries lie in small pages, and a page belongs to one bucket for ever, so a bucket that grows wastes
less than a page and moves nothing but its list of page numbers::

    bucket 0x0002BEEF: 11 entries                      pages of 4 slots
      run of page numbers: [ 17, 52, 90 ]  ----------> 17: [ e0 e1 e2 e3 ]
                                                       52: [ e4 e5 e6 e7 ]
                                                       90: [ e8 e9 e10 e8 ]   empty: a repetition

An insert is amortised O(1) without ever rebuilding a table, one vectorised call serves every table
and every query of a batch, and pages are read from memory in whole cache lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup.growing import Column, scalars
from crawler.dedup.runs import Runs

KEY_BITS = 16
BUCKETS = 1 << KEY_BITS

_FEWEST_SLOTS = 2
_MOST_SLOTS = 16
"""16 entries of 32 bits are a cache line of 64 bytes."""

_PAGES_A_BUCKET = 4
"""Aimed at: half a page of four is an eighth of a bucket wasted, and lists of pages stay short."""

_LOW_HALF = np.uint64(0xFFFF_FFFF)
_HALF = np.uint64(32)

Entries = npt.NDArray[Any]
Buckets = npt.NDArray[np.int64]


class BucketTable:
    """`tables` multi-maps from a 16-bit key to unsigned integers, called entries.

    A bucket number is `table << 16 | key`. Entries come back in the order of insertion bucket by
    bucket, with repetition where an entry is found in several buckets. `dtype` is that of an entry:
    uint32 for row numbers. At most 2^32 pages in all.
    """

    def __init__(
        self, tables: int, expected_rows: int, dtype: type[np.unsignedinteger[Any]] = np.uint32
    ) -> None:
        self.page_slots = _page_slots(expected_rows)
        self._sizes = np.zeros(tables * BUCKETS, np.uint32)
        self._size_cells = scalars(self._sizes)
        pages = expected_rows * tables // self.page_slots
        pages += min(expected_rows, BUCKETS) * tables  # the last page of a bucket is not full
        self._pages = Column(dtype, pages, (self.page_slots,))
        self._runs = Runs(tables * BUCKETS, 3 * pages)

    @property
    def nbytes(self) -> int:
        """Bytes in use, empty slots and runs left behind included."""
        return self._sizes.nbytes + self._pages.nbytes + self._runs.nbytes

    def insert(self, buckets: Buckets, row: int) -> None:
        """Add one row to each of some distinct buckets."""
        self.insert_entry(buckets.tolist(), row)

    def insert_entry(self, buckets: Iterable[int], entry: int) -> None:
        """Add one entry to each of some distinct buckets."""
        slots = self.page_slots
        for bucket in buckets:
            size = self._size_cells[bucket]
            page, used = divmod(size, slots)
            if used:
                self._pages.cells[self._runs.at(bucket, page) * slots + used] = entry
            else:
                self._runs.append(bucket, page, len(self._pages))
                self._pages.append(entry)
            self._size_cells[bucket] = size + 1

    def insert_many(self, buckets: Buckets, rows: Entries) -> None:
        """Add `rows[i]` to `buckets[i]` for every i < 2^32; buckets may repeat."""
        if not len(buckets):
            return
        # Sorting keys made unique by their place is stable and several times faster than argsort.
        keys = buckets.astype(np.uint64) << _HALF | np.arange(len(buckets), dtype=np.uint64)
        keys.sort()
        order = (keys & _LOW_HALF).astype(np.int64)
        in_order = (keys >> _HALF).astype(np.int64)
        first = np.flatnonzero(np.diff(in_order, prepend=-1))
        counts = np.diff(first, append=len(in_order))
        self._add(in_order[first], counts, rows[order])

    def _add(self, buckets: Buckets, counts: npt.NDArray[np.int64], entries: Entries) -> None:
        """Add the next `counts[i]` of the entries to each of some distinct buckets."""
        sizes = self._sizes[buckets].astype(np.int64)
        held, needed = self._page_count(sizes), self._page_count(sizes + counts)
        fresh = needed - held
        total = int(fresh.sum())
        first = self._pages.allocate(total)
        numbers = np.arange(first, first + total, dtype=np.uint32)
        self._runs.append_many(buckets, held, fresh, numbers)
        starts = np.cumsum(counts) - counts
        places = np.arange(len(entries)) + np.repeat(sizes - starts, counts)
        pages, slots = np.divmod(places, self.page_slots)
        pages = self._runs.at_many(np.repeat(buckets, counts), pages)
        opening = slots == 0
        self._pages.values[pages[opening]] = entries[opening, None]
        self._pages.values[pages, slots] = entries
        self._sizes[buckets] = sizes + counts

    def pages(self, buckets: Sequence[int]) -> Entries:
        """Return the pages of a few buckets, shape (pages, page_slots).

        Empty slots repeat the first entry of their page: for callers that remove repetition anyway.
        """
        numbers = [
            self._runs.run(bucket, -(-size // self.page_slots))
            for bucket in buckets
            if (size := self._size_cells[bucket])
        ]
        if not numbers:
            return self._pages.values[:0]
        return self._pages.take(np.concatenate(numbers))

    def page_counts(self, buckets: Buckets) -> npt.NDArray[np.int64]:
        """Return the number of pages of each bucket, in the shape given."""
        return self._page_count(self._sizes[buckets].astype(np.int64))

    def pages_many(self, buckets: Buckets, page_counts: npt.NDArray[np.int64]) -> Entries:
        """Return the same as `pages` for many buckets, given their `page_counts`."""
        return self._pages.take(self._runs.find(buckets, page_counts))

    def find(self, buckets: Buckets) -> Entries:
        """Return the entries of all the given buckets, one bucket after another."""
        pages = self.pages(buckets.tolist())
        sizes = self._sizes[buckets].astype(np.int64)
        counts = self._page_count(sizes)
        used = np.full(len(pages), self.page_slots)
        held = sizes > 0
        used[np.cumsum(counts)[held] - 1] -= (counts * self.page_slots - sizes)[held]
        found: Entries = pages[np.arange(self.page_slots) < used[:, None]]
        return found

    def _page_count(self, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return (sizes + (self.page_slots - 1)) // self.page_slots


def _page_slots(expected_rows: int) -> int:
    """Return the slots of a page for buckets of expected_rows / 2^16 entries: a power of two."""
    load = expected_rows // BUCKETS // _PAGES_A_BUCKET
    return min(_MOST_SLOTS, max(_FEWEST_SLOTS, 1 << load.bit_length()))
