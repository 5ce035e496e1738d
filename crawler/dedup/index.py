"""Which stored pages may be near a new one.

The block index of fingerprints and the index of sketches, which grow with the crawl and keep rows
in the same buckets.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup import columns as blocks
from crawler.dedup import kernels, signing
from crawler.dedup.columns import (
    BLOCK_BITS,
    BLOCKS,
    Column,
    FingerprintRows,
    Fingerprints,
    QuickFilter,
    Rows,
    Sized,
    ranges,
    scalars,
    sorted_unique,
)
from crawler.dedup.kernels.plain import BITS, QUARTER, WORDS, BucketCells, Readable, Words64

# Numbered buckets of entries that only grow: under the block index and every table of keys.
#
# Entries lie in small pages, and a page belongs to one bucket for ever, so a bucket that grows
# wastes less than a page and moves nothing but its list of page numbers::
#
#     bucket 0x0002BEEF: 11 entries                      pages of 4 slots
#       run of page numbers: [ 17, 52, 90 ]  ----------> 17: [ e0 e1 e2 e3 ]
#                                                        52: [ e4 e5 e6 e7 ]
#                                                        90: [ e8 e9 e10 e8 ]   empty: a repetition
#
# An insert is amortised O(1) without ever rebuilding anything, one vectorised call serves all
# buckets of all queries of a batch, and pages are read from memory in whole cache lines. An entry
# is a row number and, where asked for, a tag beside it in an array of its own, so that what is
# scanned to reject entries is half as long as the entries.

_FEWEST_SLOT_BITS, _MOST_SLOT_BITS = 3, 5
"""Of a page: 8 to 32 slots."""
_BUCKET_IN_PAGES = 8
"""Pages a full bucket has, up to: half a page of eight is a sixteenth of a bucket wasted, and a
page number of 4 bytes serves an eighth of a bucket."""

_FEWEST_BITS = 8
_HALF = np.uint64(32)
_NO_CELLS = memoryview(bytearray()).cast("I")

Places = npt.NDArray[np.int64]
Words32 = npt.NDArray[np.uint32]
Lengths = npt.NDArray[np.integer[Any]]


class Buckets(Sized):
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
    def cells(self) -> BucketCells:
        """The buckets as the kernels take them; not to be kept across an insert."""
        tags = self._tags.cells if self._tags is not None else _NO_CELLS
        return self._size_cells, *self._runs.cells, self._rows.cells, tags, self._slot_bits

    def insert(self, buckets: Readable, rows: Readable, tags: Readable = b"") -> None:
        """Add row i, with tag i if entries have tags, to the i-th of some distinct buckets.

        Arrays of uint32; of those that Python reads one by one (`array`) is the fastest.
        """
        sizes = self._size_cells
        for bucket in buckets:
            if not (size := sizes[bucket]) & self._last_slot:  # its pages are full: it gets another
                self._runs.append(bucket, size >> self._slot_bits, self._rows.allocate(1))
                if self._tags is not None:
                    self._tags.allocate(1)
        kernels.insert_entries(buckets, rows, tags, self.cells)

    def insert_many(self, buckets: Places, rows: Words32, tags: Readable = b"") -> None:
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


class _Runs(Sized):
    """The page directory of buckets: for each one growing run of page numbers (uint32).

    All runs lie in one pool. A run owns a slab of consecutive slots: first a single slot, since
    many runs stay short where keys crowd, then a slab of the usual length, and when that is full
    one a quarter longer, or half where it is far beyond the usual. It leaves its old slab to the
    next run of that size, so that appending is amortised O(1) and nothing is ever rebuilt. How long
    each run is, its owner knows. At most 2^32 slots in all.
    """

    def __init__(self, runs: int, usual_length: int, expected_numbers: int) -> None:
        lengths = [1, max(2, usual_length)]  # that a slab may have, ascending
        while lengths[-1] < 1 << 32:
            grown = 5 / 4 if lengths[-1] < 4 * usual_length else 3 / 2
            lengths.append(int(lengths[-1] * grown) + 1)
        self._slabs = np.array(lengths, np.int64)
        self._full = {0: 0} | {length: n for n, length in enumerate(self._slabs.tolist(), 1)}
        self._starts = np.zeros(runs, np.uint32)
        self._start_cells = scalars(self._starts)
        self._pool = Column(np.uint32, expected_numbers)
        self._free = [array("I") for _ in self._slabs]

    @property
    def nbytes(self) -> int:
        """Bytes in use, slabs left behind included."""
        return super().nbytes + sum(4 * len(slabs) for slabs in self._free)

    @property
    def cells(self) -> tuple[memoryview[int], memoryview[int]]:
        """Where each run starts, and the pool: for loops, not to be kept across an append."""
        return self._start_cells, self._pool.cells

    def append(self, run: int, length: int, number: int) -> None:
        """Append one number to a run of the given length."""
        if (slab_class := self._full.get(length)) is not None:
            free = self._free[slab_class]
            start = free.pop() if free else self._pool.allocate(int(self._slabs[slab_class]))
            if length:
                pool, old = self._pool.values, self._start_cells[run]
                pool[start : start + length] = pool[old : old + length]
                self._free[slab_class - 1].append(old)
            self._start_cells[run] = start
        self._pool.cells[self._start_cells[run] + length] = number

    def append_many(
        self, runs: Places, lengths: Lengths, counts: Lengths, numbers: Words32
    ) -> None:
        """Append the next `counts[i]` of the numbers to each of some distinct runs."""
        grown = lengths + counts
        full = self._classes(grown) != self._classes(lengths)
        if full.any():
            self._move_many(runs[full], lengths[full], grown[full])
        self._pool.values[ranges(self._starts[runs] + lengths, counts)] = numbers

    def _move_many(self, runs: Places, lengths: Lengths, grown: Lengths) -> None:
        """Move distinct runs to slabs that hold their grown lengths."""
        starts, old, new = self._starts[runs], self._classes(lengths), self._classes(grown)
        kept = self._pool.take(ranges(starts, lengths))  # the slabs left may serve at once
        for slab_class in np.unique(old[old >= 0]).tolist():
            self._free[slab_class].extend(starts[old == slab_class].tolist())
        # Make usual slabs of single slots that were left behind side by side.
        usual = int(self._slabs[1])
        slots = np.sort(np.array(self._free[0], np.int64))
        first = np.flatnonzero(np.diff(slots, prepend=-2) != 1)
        joined = ranges(first, np.diff(first, append=len(slots)) // usual * usual)
        self._free[1].extend(slots[joined[::usual]].tolist())
        self._free[0] = array("I", np.delete(slots, joined).tolist())
        moved = np.empty(len(runs), np.int64)
        for slab_class in np.unique(new)[::-1].tolist():
            chosen = new == slab_class
            moved[chosen] = self._take(slab_class, int(np.count_nonzero(chosen)))
        self._pool.values[ranges(moved, lengths)] = kept
        self._starts[runs] = moved

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


def key_bits(expected_keys: int, fewest_a_bucket: int, most_bits: int) -> int:
    """Return how many bits of a key should number a bucket of a table.

    As many as leave `fewest_a_bucket` of the expected keys to a bucket, or up to twice as many:
    fewer would make queries compare more, more would cost memory for buckets next to empty.
    """
    return min(most_bits, max(_FEWEST_BITS, (expected_keys // fewest_a_bucket).bit_length() - 1))


# Tables of rows by 16-bit keys: the hash tables under the bands of sketches and other keys.
#
# Few rows do not pay for 65,536 buckets a table. A bucket is then shared by keys that agree in
# their high bits, and the low ones stand above the row number of an entry, which keeps lookups
# exact::
#
#     key    1011 0010 1110 1|001         13 bits number the bucket, 3 tell its keys apart
#     entry  001| row number, 29 bits

KEY_BITS = 16
BUCKETS = 1 << KEY_BITS

_FEWEST_A_BUCKET = 8
_ROW_BITS = 32

Keys = npt.NDArray[np.int64]


class BucketTable(Sized):
    """`tables` multi-maps from a 16-bit key to row numbers; a bucket number is `table << 16 | key`.

    Rows come back in the order of insertion bucket by bucket, with repetition where a row is found
    in several buckets. `expected_rows` decides how many keys share a bucket. Holds rows below 2^24
    at the least and below 2^32 if 2^19 or more are expected; OverflowError for others.
    """

    def __init__(self, tables: int, expected_rows: int) -> None:
        self._shared_bits = KEY_BITS - key_bits(expected_rows, _FEWEST_A_BUCKET, KEY_BITS)
        self._row_bits = _ROW_BITS - self._shared_bits
        self._buckets = Buckets(tables * BUCKETS >> self._shared_bits, tables * expected_rows)

    def insert(self, buckets: Keys, row: int) -> None:
        """Add one row to one bucket of each of some tables."""
        self._require_room(row)
        entries = (buckets & (1 << self._shared_bits) - 1) << self._row_bits | row
        numbers = scalars((buckets >> self._shared_bits).astype(np.uint32))
        self._buckets.insert(numbers, scalars(entries.astype(np.uint32)))

    def insert_many(self, buckets: Keys, rows: Rows) -> None:
        """Add `rows[i]` to `buckets[i]` for every i < 2^32; buckets may repeat."""
        self._require_room(int(rows.max(initial=0)))
        tags = buckets << self._row_bits & (1 << _ROW_BITS) - 1
        self._buckets.insert_many(buckets >> self._shared_bits, (tags | rows).astype(np.uint32))

    def find(self, buckets: Keys) -> Rows:
        """Return the rows of all the given buckets, one bucket after another."""
        found = kernels.find_rows(buckets, self._buckets.cells, self._shared_bits)
        return np.frombuffer(found, np.uint32)

    def find_in_emptiest(self, buckets: Keys) -> Rows:
        """Return the rows of that one of some buckets which shares its memory with the fewest."""
        least = int(self._buckets.sizes(buckets >> self._shared_bits).argmin())
        return self.find(buckets[least : least + 1])

    def _require_room(self, row: int) -> None:
        if row >> self._row_bits:
            raise OverflowError(
                f"row {row:,}: a table made for this few rows holds {1 << self._row_bits:,} at most"
            )


# All stored fingerprints within a Hamming distance of a query, without looking at all of them.
#
# Four hash tables, one a block of 16 bits, hold the rows of fingerprints (`columns` says why four
# are enough and in which buckets to look). Up to distance 3 one bucket a table is looked up, and
# its rows are compared at once. Beyond, the entries are many and looking at each one's fingerprint
# would cost a cache miss: there an entry has a tag, and only those whose tags are near are
# compared.
#
# While fingerprints are few all of them are looked at after all, in their order, which is quicker
# than finding the buckets.

MAX_DISTANCE = 11

_UNTAGGED_DISTANCE = 3
"""Up to here one value a block is probed, and a tag saves less than it costs in memory."""

_FEWEST_PLAIN_BUCKET = 6
_FEWEST_TAGGED_BUCKET = 40
"""Of entries of 4 and of 8 bytes: fewer would be compared faster and cost more than 50 bytes a
fingerprint."""

_INSERTED_AT_ONCE = 1 << 17
"""A bound on working memory."""

Ids = npt.NDArray[np.int64]


class BlockIndex(FingerprintRows):
    """Fingerprints by id, found again within `distance` bits (inclusive, 0..11).

    `expected_fingerprints` sizes the tables; more are taken and found as exactly, in buckets that
    grow longer. Up to `scanned` fingerprints a query looks at all of them; by default that is
    where it is quicker. Raises ValueError for a distance it would not be exact for, OverflowError
    for more than 2^32 fingerprints.
    """

    def __init__(
        self, distance: int, expected_fingerprints: int = 0, *, scanned: int | None = None
    ) -> None:
        if not 0 <= distance <= MAX_DISTANCE:
            raise ValueError(f"distance {distance} is not in 0..{MAX_DISTANCE}")
        tagged = distance > _UNTAGGED_DISTANCE
        fewest = _FEWEST_TAGGED_BUCKET if tagged else _FEWEST_PLAIN_BUCKET
        super().__init__(expected_fingerprints)
        self._probes = blocks.Probes(distance, key_bits(expected_fingerprints, fewest, BLOCK_BITS))
        self._buckets = Buckets(self._probes.buckets, BLOCKS * expected_fingerprints, tagged=tagged)
        self._limits = self._probes.key_bits, distance, -1 if scanned is None else scanned

    def insert(self, id_: int, fingerprint: int) -> None:
        """See FingerprintRows."""
        row = len(self)
        self._require_room(row + 1)
        tags = array("I", self._probes.tags(fingerprint)) if self._buckets.tagged else b""
        self._fingerprints.append(fingerprint)  # before a bucket can name its row
        self._ids.append(id_)
        self._buckets.insert(
            array("I", self._probes.of(fingerprint)), array("I", (row,) * BLOCKS), tags
        )

    def insert_many(self, ids: Ids, fingerprints: Fingerprints) -> None:
        """See FingerprintRows."""
        self._require_room(len(self) + len(ids))
        for start in range(0, len(ids), _INSERTED_AT_ONCE):
            part = fingerprints[start : start + _INSERTED_AT_ONCE]
            rows = np.arange(len(self), len(self) + len(part), dtype=np.uint32)
            tags = self._probes.tags_many(part).ravel() if self._buckets.tagged else b""
            self._fingerprints.extend(part)
            self._ids.extend(ids[start : start + _INSERTED_AT_ONCE])
            self._buckets.insert_many(
                self._probes.of_many(part).ravel(), np.repeat(rows, BLOCKS), tags
            )

    def _require_room(self, fingerprints: int) -> None:
        if fingerprints > blocks.MOST_ROWS:
            raise OverflowError(f"a block index holds {blocks.MOST_ROWS:,} fingerprints at most")

    def candidates_many(
        self, fingerprints: Fingerprints
    ) -> tuple[blocks.Numbers, Ids, blocks.Distances]:
        """Return (queries, ids, distances) of every pair within the distance.

        `queries[i]` is the place of a query in `fingerprints`; pairs come by query, then in
        insertion order. OverflowError for more than 2^28 queries.
        """
        if len(fingerprints) > blocks.MOST_QUERIES:
            raise OverflowError(
                f"at most {blocks.MOST_QUERIES:,} fingerprints are looked up at once"
            )
        found = self._near(np.ascontiguousarray(fingerprints, np.uint64))
        found.sort()
        ids = self._ids.take(blocks.rows_of(found))
        return blocks.queries_of(found), ids, blocks.distances_of(found)

    def rows(self, fingerprint: int) -> Rows:
        """Return the rows (0 for the first insert) within the distance, ascending."""
        return blocks.rows_of(np.sort(self._near_one(fingerprint)))

    def proposals(self, fingerprint: int) -> Rows:
        """Return the same rows in no order: for a caller that sorts them."""
        return blocks.rows_of(self._near_one(fingerprint))

    def _near_one(self, fingerprint: int) -> blocks.Pairs:
        return self._near(fingerprint.to_bytes(8, sys.byteorder))

    def _near(self, queries: Readable) -> blocks.Pairs:
        stored = self._fingerprints
        found = kernels.near_fingerprints(
            queries, stored.cells, len(stored), self._buckets.cells, *self._limits
        )
        return np.frombuffer(found, np.uint64)


def matched_blocks(fingerprint: int, other: int) -> tuple[int, ...]:
    """Return the numbers of the blocks in which two fingerprints agree, 0 the lowest."""
    difference, block = fingerprint ^ other, (1 << BLOCK_BITS) - 1
    return tuple(n for n in range(BLOCKS) if not difference >> (BLOCK_BITS * n) & block)


# Sketches of representatives: found by their bands, rejected by their size and by their estimate.
#
# Bands make a hash table of a sketch (locality-sensitive hashing; Indyk, Motwani, STOC 1998; Broder
# 1997 calls them super-shingles). Six neighbouring bins are one band, and two texts become
# candidates of each other if they agree in all bins of any of 16 bands. With p = J + (1 - J) / 16
# the chance to agree in a bin, the chance to be found is 1 - (1 - p^6)^16:
#
#     J       .3     .4     .5     .6     .7     .8     .85    .9
#     found   .03    .11    .31    .63    .91    .996   .9997  1.0
#
# Rejection is a cascade, cheapest first, because on a crawl full of one template's pages a text
# meets thousands of candidates: the number of shingles (one integer), a quarter of the sketch (half
# a cache line), the rest of it.

BANDS = 16
BINS_A_BAND = 6

STANDARD_ERRORS = 3.1
"""How far below the threshold an estimate may lie before it is rejected: one true duplicate in a
thousand at the very threshold is lost by it (normal tail), far fewer above."""

QUARTER_STANDARD_ERRORS = 3.7
"""The same for a quarter of the sketch: one in ten thousand."""

_REST = WORDS - QUARTER
"""Where the last quarter begins. No band reaches into it, so it is not biased by having matched."""

_TABLES = np.arange(BANDS, dtype=np.uint64) * np.uint64(BUCKETS)
_BAND_BYTES = BINS_A_BAND * BITS // 8
_BAND = np.uint32((1 << 8 * _BAND_BYTES) - 1)
_ONE = np.uint64(1)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)
_LOWER_BITS = np.uint64(64 - KEY_BITS)


_LOW_HALF = np.uint64(0xFFFF_FFFF)

_ROW = np.dtype([("words", "<u8", (WORDS,)), ("size", "<i4")])
"""A sketch, but that its number of shingles carries the kind as a sign."""
ROW_BYTES = _ROW.itemsize
"""Of a row that is packed."""


Estimates = npt.NDArray[np.float64]


class Sketches(Sized):
    """Sketches by row (0 for the first), and which of them may reach a threshold with another."""

    def __init__(self, threshold: float, expected_rows: int) -> None:
        self._threshold = threshold
        self.margin = STANDARD_ERRORS * signing.standard_error(threshold)
        quarter_margin = 2 * QUARTER_STANDARD_ERRORS * signing.standard_error(threshold)
        self._most = _most_differing(threshold - self.margin, WORDS)
        self._most_of_quarter = _most_differing(threshold - quarter_margin, QUARTER)
        self._sizes = Column(np.int32, expected_rows)
        self._rest = Column(np.uint64, expected_rows, (_REST,))
        self._quarter = Column(np.uint64, expected_rows, (QUARTER,))

    def extend(self, words: Words64, sizes: npt.NDArray[np.integer[Any]]) -> None:
        """Add sketches, each as its words with its number of shingles, negative for `char4`."""
        self._rest.extend(words[:, :_REST])
        self._quarter.extend(words[:, _REST:])
        self._sizes.extend(sizes)

    def alike(self, rows: Readable, words: Readable, size: int, slack: int = 0) -> Words64:
        """Return those of some rows that may reach the threshold with a sketch, in any order.

        As row << 32 | differing bins. `slack` shingles more or fewer than the threshold allows are
        admitted, too.
        """
        columns = self._sizes.cells, self._rest.cells, self._quarter.cells
        sign, count = (1 if size >= 0 else -1), abs(size)
        # J <= min(n, m) / max(n, m). A size carries its kind as a sign: one range says both.
        smallest = min(_MOST_SHINGLES, math.ceil(self._threshold * count - _ROUNDING) - slack)
        largest = math.floor(min(_MOST_SHINGLES, count / self._threshold + _ROUNDING + slack))
        low, high = sorted((sign * smallest, sign * largest))
        kept = kernels.keep_likely_rows(
            rows, words, *columns, low, high, self._most_of_quarter, self._most
        )
        return np.frombuffer(kept, np.uint64)


class SketchIndex(Sketches):
    """Sketches found by their bands."""

    def __init__(self, threshold: float, expected_rows: int) -> None:
        super().__init__(threshold, expected_rows)
        self._bands = BucketTable(BANDS, expected_rows)
        self._seen = QuickFilter(expected_rows)

    def insert(self, text: bytes, kind: str) -> None:
        """Add one sketch."""
        words, count, buckets = _read(text)
        row = len(self._sizes)
        self._rest.append(words[:_REST])
        self._quarter.append(words[_REST:])
        self._sizes.append(count * sign_of(kind))
        self._bands.insert(buckets, row)  # last: a bucket must not name a row that is not there
        self._seen.add(text)

    def insert_many(self, texts: Sequence[bytes], kinds: Sequence[str]) -> None:
        """Add many sketches at once."""
        words, counts = signing.unpack_many(texts)
        signs = np.array([sign_of(kind) for kind in kinds], np.int64)
        self._insert_words(words, counts.astype(np.int64) * signs)
        for text in texts:
            self._seen.add(text)

    def _insert_words(self, words: Words64, sizes: npt.NDArray[np.int64]) -> None:
        first = len(self._sizes)
        rows = np.arange(first, first + len(sizes), dtype=np.uint32)
        self.extend(words, sizes)
        self._bands.insert_many(band_buckets(words).ravel(), np.repeat(rows, BANDS))

    def packed(self, start: int, end: int) -> bytes:
        """Return some rows as bytes, for `insert_packed`."""
        rows = np.empty(end - start, _ROW)
        rows["words"][:, :_REST] = self._rest.values[start:end]
        rows["words"][:, _REST:] = self._quarter.values[start:end]
        rows["size"] = self._sizes.values[start:end]
        return rows.tobytes()

    def insert_packed(self, packed: bytes) -> None:
        """Add the rows that were packed. Raises ValueError for other bytes."""
        rows = np.frombuffer(packed, _ROW)
        self._insert_words(rows["words"].astype(np.uint64), rows["size"].astype(np.int64))
        texts = rows.copy()
        np.abs(texts["size"], out=texts["size"])
        whole = texts.tobytes()
        for start in range(0, len(whole), _ROW.itemsize):
            self._seen.add(whole[start : start + _ROW.itemsize])

    def proposals(self, text: bytes) -> Rows:
        """Return the rows that share a band with a sketch; unordered, with repetition."""
        _, _, buckets = _read(text)
        return self._bands.find(buckets)

    def twins(self, text: bytes, kind: str) -> Rows:
        """Return the rows whose sketch is the same, ascending.

        Each of them is in all buckets of the sketch, so the one with the fewest rows tells: a
        fraction of what it takes to read them all.
        """
        if text not in self._seen:
            return np.empty(0, np.uint32)
        words, count, buckets = _read(text)
        rows = self._bands.find_in_emptiest(buckets)
        rows = rows[self._sizes.take(rows) == count * sign_of(kind)]
        for column, part in ((self._quarter, words[_REST:]), (self._rest, words[:_REST])):
            if len(rows):
                rows = rows[(column.take(rows) == part).all(axis=1)]
        return sorted_unique(rows)

    def likely(self, rows: Rows, text: bytes, kind: str) -> tuple[Rows, Estimates]:
        """Return those of some rows that may reach the threshold, and their estimates.

        Rows may come in any order and repeatedly; they are returned ascending, each once.
        """
        words, count, _ = _read(text)
        found = sorted_unique(self.alike(rows, words, count * sign_of(kind)))
        differing = (found & _LOW_HALF).astype(np.uint32)
        return (found >> _HALF).astype(np.uint32), signing.sketch_similarity(differing, WORDS)


_ROUNDING = 1e-6
_MOST_SHINGLES = 2**31 - 1


def band_buckets(words: Words64) -> npt.NDArray[np.int64]:
    """Return the bucket numbers of sketches, shape (n, 16) from words of shape (n, 16).

    A band is 24 bits of a sketch, mixed down to the 16 bits of a bucket: unlike texts share a
    bucket by accident with probability 2^-16.
    """
    # Every three bytes are read as four: a reinterpretation, where cutting them out takes longer
    # than the arithmetic.
    strides = (words.strides[0], _BAND_BYTES)
    bands = np.ndarray((len(words), BANDS), "<u4", words, strides=strides) & _BAND
    mixed = bands.astype(np.uint64)
    mixed += _ONE
    mixed *= _MIX
    mixed >>= _LOWER_BITS
    mixed |= _TABLES
    return mixed.view(np.int64)


@lru_cache(maxsize=1)
def _read(text: bytes) -> tuple[Words64, int, npt.NDArray[np.int64]]:
    """Return a sketch's words, its number of shingles, and its buckets.

    Kept for the next call, since one is proposed for, compared and inserted.
    """
    words, count = signing.unpack(text)
    return words, count, band_buckets(words[None])[0]


def _most_differing(similarity: float, words: int) -> int:
    """Return the most bins of some words that may differ for an estimate this high, or -1."""
    numbers = np.arange(words * 64 // BITS + 1, dtype=np.uint32)
    return int((signing.sketch_similarity(numbers, words) >= similarity).sum()) - 1


def sign_of(kind: str) -> int:
    """Return the sign that the number of shingles of a kind has in `Sketches`."""
    return -1 if kind == signing.CHAR4 else 1
