"""Writing entries into buckets where the kernels of the same names were not built.

Arguments are those of `native.Kernels`, all of them arrays or views of uint32 but `keys`. The first
entry of a page fills all of it, so that empty slots repeat an entry of their bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawler.dedup.native import BucketCells, Numbers

_LOW_HALF = np.uint64(0xFFFF_FFFF)
_HALF = np.uint64(32)


def insert_entries(
    buckets: Sequence[int],
    rows: Sequence[int],
    tags: Sequence[int],
    cells: BucketCells,
    first: int,
    opened: bool,
) -> int:
    """See `native.Kernels`: one loop without a call, which would take as long as all the rest."""
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


def place_entries(
    keys: Numbers,
    rows: Numbers,
    tags: Numbers,
    cells: BucketCells,
) -> None:
    """See `native.Kernels`."""
    sizes, starts, pages, row_slots, tag_slots, slot_bits = cells
    keys, last_slot = np.asarray(keys), (1 << slot_bits) - 1
    order, buckets = (keys & _LOW_HALF).astype(np.int64), (keys >> _HALF).astype(np.int64)
    held = np.asarray(sizes)
    first = np.flatnonzero(np.diff(buckets, prepend=-1))
    counts = np.diff(first, append=len(buckets))
    inside = np.arange(len(buckets)) - first.repeat(counts) + held[buckets]
    numbers = np.asarray(pages)[np.asarray(starts)[buckets] + (inside >> slot_bits)]
    places = (numbers.astype(np.int64) << slot_bits) + (inside & last_slot)
    opening = inside & last_slot == 0
    for slots, entries in ((row_slots, rows), (tag_slots, tags)):
        if len(entries):
            flat, chosen = np.asarray(slots), np.asarray(entries)[order]
            in_pages = flat.reshape(-1, last_slot + 1)
            in_pages[places[opening] >> slot_bits] = chosen[opening, None]
            flat[places] = chosen
    held[buckets[first]] += counts.astype(np.uint32)
