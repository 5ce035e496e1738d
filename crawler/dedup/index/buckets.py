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
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup import native
from crawler.dedup.columns import Column, scalars
from crawler.dedup.index import entries
from crawler.dedup.index.runs import Runs
from crawler.dedup.native import BucketCells, Numbers

_FEWEST_SLOTS = 8
_MOST_SLOTS = 32
_BUCKET_IN_PAGES = 8
"""Pages a full bucket has, up to: half a page of eight is a sixteenth of a bucket wasted, and a
page number of 4 bytes serves an eighth of a bucket."""

_HALF = np.uint64(32)
_NO_CELLS = memoryview(bytearray()).cast("I")

Places = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]


class Buckets:
    """`buckets` lists of entries (row, tag), or of rows only, each in order of insertion.

    `expected_entries` in all sizes pages and reserves memory; more are taken. Rows and tags are
    uint32. At most 2^32 pages in all.
    """

    def __init__(self, buckets: int, expected_entries: int, *, tagged: bool = False) -> None:
        load = expected_entries / buckets
        self.page_slots = _page_slots(load)
        self._last_slot = self.page_slots - 1
        self._slot_bits = self.page_slots.bit_length() - 1
        self._sizes = np.zeros(buckets, np.uint32)
        self._size_cells = scalars(self._sizes)
        pages = int(expected_entries / self.page_slots) + min(expected_entries, buckets)
        shape = (self.page_slots,)
        self._rows = Column(np.uint32, pages, shape)
        self._tags = Column(np.uint32, pages, shape) if tagged else None
        # Most buckets stay within one standard deviation and never move their page numbers.
        usual = math.ceil((load + math.sqrt(load)) / self.page_slots)
        self._runs = Runs(buckets, usual, usual * min(expected_entries, buckets))
        writers = native.kernels or entries
        self._write, self._place = writers.insert_entries, writers.place_entries

    @property
    def nbytes(self) -> int:
        """Bytes in use, empty slots and runs left behind included."""
        tags = self._tags.nbytes if self._tags is not None else 0
        return self._sizes.nbytes + self._rows.nbytes + tags + self._runs.nbytes

    @property
    def tagged(self) -> bool:
        """Whether entries have tags."""
        return self._tags is not None

    @property
    def cells(self) -> BucketCells:
        """Sizes, where runs start, page numbers, rows, tags, and log2 of the slots of a page.

        As the kernels take them; not to be kept across an insert.
        """
        tags = self._tags.cells if self._tags is not None else _NO_CELLS
        return self._size_cells, *self._runs.cells, self._rows.cells, tags, self._slot_bits

    def insert(self, buckets: Numbers, rows: Numbers, tags: Numbers = b"") -> None:
        """Add row i, with tag i if entries have tags, to the i-th of some distinct buckets.

        Arrays of uint32; of those that Python reads one by one (`array`) is the fastest.
        """
        done, count = self._write(buckets, rows, tags, self.cells, 0, False), len(buckets)
        while done < count:
            self._open_page(buckets[done])
            done = self._write(buckets, rows, tags, self.cells, done, True)

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
        self._place(keys, rows, tags, self.cells)

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

    def pages(self, buckets: Iterable[int]) -> list[int]:
        """Return the page numbers of a few buckets, one after another.

        One loop without a call: calls would take as long as all the rest.
        """
        sizes, last_slot, slot_bits = self._size_cells, self._last_slot, self._slot_bits
        starts, numbers = self._runs.cells
        pages = list[int]()
        for bucket in buckets:
            start = starts[bucket]
            pages += numbers[start : start + (sizes[bucket] + last_slot >> slot_bits)]
        return pages

    def page_ends(self, buckets: Places) -> Places:
        """Return how many pages some buckets have up to and with each: a cumulative sum."""
        ends: Places = self._page_count(self._sizes.take(buckets)).cumsum(dtype=np.int64)
        return ends

    def pages_many(self, buckets: Places) -> tuple[Places, Places]:
        """Return the page numbers of some buckets, one after another, and where each's end."""
        counts = self.sizes(buckets)  # wide already: uint32 costs a conversion in every call
        counts += self._last_slot
        counts >>= self._slot_bits
        ends: Places = counts.cumsum()
        return self._runs.find(buckets, counts, ends).astype(np.int64), ends

    def page_rows(self, pages: Places | list[int]) -> Words:
        """Return the rows in some pages, shape (pages, page_slots).

        Empty slots repeat the first entry of their page: for callers that remove repetition anyway.
        """
        rows: Words = self._rows.take(pages)
        return rows

    def page_tags(self, pages: Places) -> Words:
        """Return the tags of `page_rows`: a copy that may be changed."""
        assert self._tags is not None, "these buckets were made without tags"
        tags: Words = self._tags.take(pages)
        return tags

    def rows_at(self, pages: Places, places: Places) -> Words:
        """Return the rows at some flat places of what `page_rows(pages)` would return."""
        chosen = pages.take(places >> self._slot_bits)
        chosen <<= self._slot_bits
        chosen += places & self._last_slot
        rows: Words = self._rows.flat.take(chosen)
        return rows

    def _page_count(self, sizes: Any) -> Any:
        return sizes + self._last_slot >> self._slot_bits


def key_bits(expected_keys: int, fewest_a_bucket: int, most_bits: int) -> int:
    """Return how many bits of a key should number a bucket of a table.

    As many as leave `fewest_a_bucket` of the expected keys to a bucket, or up to twice as many:
    fewer would make queries compare more, more would cost memory for buckets next to empty.
    """
    return min(most_bits, max(_FEWEST_BITS, (expected_keys // fewest_a_bucket).bit_length() - 1))


_FEWEST_BITS = 8


def _page_slots(load: float) -> int:
    """Return the slots of a page for buckets of `load` entries: a power of two."""
    slots = 1 << math.ceil(math.log2(max(1.0, load / _BUCKET_IN_PAGES)))
    return min(_MOST_SLOTS, max(_FEWEST_SLOTS, slots))
