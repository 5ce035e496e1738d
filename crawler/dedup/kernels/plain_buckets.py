"""Buckets of entries, written and read: the kernels of `buckets.c` and of `candidates.c`.

`crawler.dedup.index.buckets` draws what a bucket is. The first entry of a page fills all of it, so
that empty slots repeat an entry of their bucket.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import ranges, scalars

Cells: TypeAlias = "memoryview[int]"
"""Numbers of one type side by side, which may be written."""

Numbers: TypeAlias = "Cells | npt.NDArray[Any] | array[int] | bytes"
"""The same to be read."""

BucketCells: TypeAlias = tuple[Cells, Cells, Cells, Cells, Cells, int]
"""Buckets of entries, arrays of uint32: the size of each, where its run of pages begins, all runs,
the rows and the tags of all entries page by page (no tags: an empty array), and the logarithm of a
page's slots. A kernel that inserts writes sizes, rows and tags."""

_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFF_FFFF)
_ROW_BITS = 32


def insert_entries(
    buckets: Numbers, rows: Numbers, tags: Numbers, cells: BucketCells, first: int, opened: bool
) -> int:
    """Write entry `first` and those after it to the ends of distinct buckets.

    `buckets`, `rows` and `tags` are uint32, one each an entry (no tags: an empty array).
    Returns the number of the first entry that needs a new page, or how many entries there are.
    `opened` says that entry `first` has its new page already.
    """
    # One loop without a call: calls would take as long as all the rest.
    sizes, starts, pages, row_slots, tag_slots, slot_bits = cells
    slots, last_slot = 1 << slot_bits, (1 << slot_bits) - 1
    for entry in range(first, len(buckets)):
        bucket = buckets[entry]
        size = sizes[bucket]
        used = size & last_slot
        if not used and not opened:
            return entry
        opened = False
        place = (pages[starts[bucket] + (size >> slot_bits)] << slot_bits) + used
        for slot in range(place, place + 1 if used else place + slots):
            row_slots[slot] = rows[entry]
            if len(tags):
                tag_slots[slot] = tags[entry]
        sizes[bucket] = size + 1
    return len(buckets)


def place_entries(keys: Numbers, rows: Numbers, tags: Numbers, cells: BucketCells) -> None:
    """Write entry `key & 0xFFFFFFFF` to the end of bucket `key >> 32` for each key.

    `keys` are sorted uint64, `rows` and `tags` uint32 (no tags: an empty array). The pages must all
    be there.
    """
    written, keys = BucketArrays(cells), np.frombuffer(keys, np.uint64)
    order, buckets = (keys & _LOW_HALF).astype(np.int64), (keys >> _HALF).astype(np.int64)
    first = np.flatnonzero(np.diff(buckets, prepend=-1))
    counts = np.diff(first, append=len(buckets))
    inside = np.arange(len(buckets)) - first.repeat(counts) + written.sizes[buckets]
    pages = written.pages[written.starts[buckets] + (inside >> written.slot_bits)].astype(np.int64)
    slots = inside & written.slots - 1
    places, opening = (pages << written.slot_bits) + slots, slots == 0
    for held, entries in ((written.rows, rows), (written.tags, tags)):
        if len(entries):
            chosen = np.frombuffer(entries, np.uint32)[order]
            held[pages[opening]] = chosen[opening, None]
            held.reshape(-1)[places] = chosen
    written.sizes[buckets[first]] += counts.astype(np.uint32)


def find_rows(buckets: Numbers, cells: BucketCells, shared_bits: int) -> Cells:
    """Return the rows in some buckets (int64) of a table, uint32, one bucket after another.

    The low `shared_bits` of a bucket's number lie above the row in each of its entries: entries of
    other numbers that share their memory are left out.
    """
    asked, row_bits = np.frombuffer(buckets, np.int64), _ROW_BITS - shared_bits
    tags = (asked << row_bits & (1 << _ROW_BITS) - 1).astype(np.uint32)
    numbers = asked >> shared_bits
    if len(asked) == 1:
        number = int(numbers[0])
        entries = rows_in((number,), cells)[: cells[0][number]]
        entries ^= tags
        return scalars(entries[entries >> np.uint32(row_bits) == 0] if shared_bits else entries)
    read = BucketArrays(cells)
    sizes = read.sizes.take(numbers)
    counts, held = read.page_counts(sizes), sizes > 0
    by_page = read.rows.take(read.pages_of(numbers, counts), axis=0)
    used = np.full(len(by_page), read.slots)
    used[counts.cumsum()[held] - 1] -= (counts * read.slots - sizes)[held]
    own = np.arange(read.slots) < used[:, None]
    if shared_bits:
        by_page ^= tags.repeat(counts)[:, None]
        own &= by_page >> np.uint32(row_bits) == 0
    return scalars(by_page[own])


def rows_in(buckets: Iterable[int], cells: BucketCells) -> npt.NDArray[np.uint32]:
    """Return what is in the pages of a few buckets: their rows, one repeated in empty slots.

    One loop without a call: calls would take as long as all the rest.
    """
    sizes, starts, numbers, rows, _, slot_bits = cells
    last_slot, pages = (1 << slot_bits) - 1, list[int]()
    for bucket in buckets:
        start = starts[bucket]
        pages += numbers[start : start + (sizes[bucket] + last_slot >> slot_bits)]
    by_page = np.frombuffer(rows, np.uint32).reshape(-1, last_slot + 1)
    found: npt.NDArray[np.uint32] = by_page.take(np.array(pages, np.intp), axis=0).ravel()
    return found


class BucketArrays:
    """Some `BucketCells` as arrays, to read many buckets in a few calls.

    `rows` and `tags` have the shape (pages, slots).
    """

    def __init__(self, cells: BucketCells) -> None:
        sizes, starts, pages, rows, tags, self.slot_bits = cells
        self.slots = 1 << self.slot_bits
        self.sizes, self.starts = np.frombuffer(sizes, np.uint32), np.frombuffer(starts, np.uint32)
        self.pages = np.frombuffer(pages, np.uint32)
        self.rows = np.frombuffer(rows, np.uint32).reshape(-1, self.slots)
        self.tags = np.frombuffer(tags, np.uint32).reshape(-1, self.slots)

    def page_counts(self, sizes: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """Return how many pages buckets of some sizes have."""
        return sizes.astype(np.int64) + (self.slots - 1) >> self.slot_bits

    def pages_of(
        self, buckets: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the pages of some buckets that have `counts[i]` of them, one after another."""
        return self.pages.take(ranges(self.starts.take(buckets), counts)).astype(np.int64)
