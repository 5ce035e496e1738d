"""All stored fingerprints within a Hamming distance of a query, without looking at all of them.

A 64-bit fingerprint is cut into four blocks of 16 bits, block 0 the lowest::

    63            48 47            32 31            16 15             0
    +---------------+---------------+---------------+---------------+
    |    block 3    |    block 2    |    block 1    |    block 0    |
    +---------------+---------------+---------------+---------------+

With radii r0..r3 that sum to d - 3, two fingerprints that differ in d bits agree in some block i to
ri bits: otherwise they would differ in at least r0+1 + .. + r3+1 = d + 1 (pigeonhole; Manku, Jain,
Das Sarma, WWW 2007, section 3 for d = 3). So it is enough to look in four hash tables, one a block,
at the query's block and every value within ri bits of it: 4 probes for distance 3, 4 * 17 for 7,
4 * 137 for 11, and in between as many as the distance needs. Nothing within the distance is missed.

Beyond distance 3 the candidates are many, and to look at each one's fingerprint would cost a cache
miss. There an entry of 64 bits carries, above 28 bits of row number, the fingerprint folded to 36
bits (its high 28 xor its low ones). Two folds differ in no more bits than the fingerprints do, and
those of unlike fingerprints in 18 on average, whatever block they agree in: at distance 11 one
candidate in 70 is left when folds have been compared, at 7 one in 6,000.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup.bucket_table import BUCKETS, KEY_BITS, BucketTable
from crawler.dedup.growing import Column, few_places, sorted_unique
from crawler.dedup.hamming import distances

BLOCKS = 4
MAX_DISTANCE = 11

_SHIFTS = np.arange(0, 64, KEY_BITS, dtype=np.uint64)
_TABLES = np.arange(BLOCKS, dtype=np.int64) * BUCKETS
_HALF = np.uint64(32)

_ROW_BITS = np.uint64(28)
_ROW = np.uint64((1 << 28) - 1)
_FOLD_BITS = np.uint64(64 - 28)

_DISTANCE_BITS = np.uint64(8)

_UNTAGGED_DISTANCE = 3
"""Up to here one value a block is probed, and a tag saves less than it costs in memory."""

_INSERTED_AT_ONCE = 1 << 19
_PROBED_AT_ONCE = 1 << 16
_COMPARED_AT_ONCE = 1 << 15
"""Bounds on working memory; the last also keeps what is compared within a second-level cache."""

Fingerprints = npt.NDArray[np.uint64]
Ids = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint32]
Distances = npt.NDArray[np.uint8]


class BlockIndex:
    """Fingerprints by id, found again within `distance` bits (inclusive, 0..11).

    Raises ValueError for a distance it would not be exact for. Holds 2^28 fingerprints beyond
    distance 3 and 2^32 up to it; OverflowError for more.
    """

    def __init__(self, distance: int, expected_fingerprints: int = 0) -> None:
        if not 0 <= distance <= MAX_DISTANCE:
            raise ValueError(f"distance {distance} is not in 0..{MAX_DISTANCE}")
        self.distance = distance
        self._tagged = distance > _UNTAGGED_DISTANCE
        self._ids = Column(np.int64, expected_fingerprints)
        self._fingerprints = Column(np.uint64, expected_fingerprints)
        self._most_rows = 1 << (int(_ROW_BITS) if self._tagged else 32)
        dtype = np.uint64 if self._tagged else np.uint32
        self._tables = BucketTable(BLOCKS, expected_fingerprints, dtype)
        self._probes = _probes(distance)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._ids.nbytes + self._fingerprints.nbytes + self._tables.nbytes

    @property
    def ids(self) -> Ids:
        """All ids by row, a view that must not be kept."""
        return self._ids.values

    @property
    def fingerprints(self) -> Fingerprints:
        """All fingerprints by row, a view that must not be kept."""
        return self._fingerprints.values

    def insert(self, id_: int, fingerprint: int) -> None:
        """Add one fingerprint; an id may have several and a fingerprint several ids."""
        self._require_room(1)
        entry = len(self._ids)
        if self._tagged:
            entry |= int(_tags(np.uint64(fingerprint)))
        self._tables.insert_entry(_buckets(fingerprint), entry)
        self._ids.append(id_)
        self._fingerprints.append(fingerprint)

    def insert_many(self, ids: Ids, fingerprints: Fingerprints) -> None:
        """Add many fingerprints at once: the way to rebuild an index."""
        self._require_room(len(ids))
        for start in range(0, len(ids), _INSERTED_AT_ONCE):
            part = fingerprints[start : start + _INSERTED_AT_ONCE]
            rows = np.arange(len(self), len(self) + len(part), dtype=np.uint32)
            entries = rows | _tags(part) if self._tagged else rows
            self._tables.insert_many(_blocks(part).ravel(), np.repeat(entries, BLOCKS))
            self._ids.extend(ids[start : start + _INSERTED_AT_ONCE])
            self._fingerprints.extend(part)

    def _require_room(self, fingerprints: int) -> None:
        if len(self._ids) + fingerprints > self._most_rows:
            raise OverflowError(f"a block index holds {self._most_rows:,} fingerprints at most")

    def candidates(self, fingerprint: int) -> tuple[Ids, Distances]:
        """Return (ids, distances) of every fingerprint within the distance, in insertion order."""
        rows, found = self._near_one(fingerprint)
        return self.ids[rows], found

    def candidates_many(
        self, fingerprints: Fingerprints
    ) -> tuple[npt.NDArray[np.int64], Ids, Distances]:
        """Return (queries, ids, distances) of every pair within the distance.

        `queries[i]` is the place of a query in `fingerprints`; pairs come by query, then in
        insertion order. Ten times faster than one query after another where each meets few
        candidates; no faster where each meets thousands.
        """
        queries, rows = self._rows_many(fingerprints)
        differences = self._fingerprints.take(rows) ^ fingerprints[queries]
        return queries, self.ids[rows], np.bitwise_count(differences)

    def rows(self, fingerprint: int) -> Rows:
        """Return the rows (0 for the first insert) within the distance, ascending."""
        return self._near_one(fingerprint)[0]

    def _near_one(self, fingerprint: int) -> tuple[Rows, Distances]:
        """Return (rows, distances) within the distance, by ascending row."""
        if self._tagged:
            candidates = self._plausible_rows(fingerprint)
        else:
            candidates = self._tables.pages(_buckets(fingerprint)[: self.distance + 1]).ravel()
        found = distances(self._fingerprints.take(candidates), fingerprint)
        near = (found <= self.distance).nonzero()[0]
        rows, found = candidates[near], found[near]
        if len(rows) < 2:
            return rows, found
        keyed = sorted_unique(rows.astype(np.uint64) << _DISTANCE_BITS | found)
        return (keyed >> _DISTANCE_BITS).astype(np.uint32), keyed.astype(np.uint8)

    def _plausible_rows(self, fingerprint: int) -> Rows:
        """Return the rows whose tag is within the distance of a query's, with repetition."""
        query, (tables, masks) = np.array([fingerprint], np.uint64), self._probes
        buckets = _blocks(query)[0, tables] ^ masks
        pages = self._tables.pages_many(buckets, self._tables.page_counts(buckets))
        return _rows_of(pages.ravel()[self._plausible(pages, _tags(query))])

    def _rows_many(self, queries: Fingerprints) -> tuple[npt.NDArray[np.int64], Rows]:
        """Return the pairs (query, row) within the distance, ascending."""
        step = max(1, _PROBED_AT_ONCE // len(self._probes[1]))
        pairs = [np.empty(0, np.uint64)]
        for start in range(0, len(queries), step):
            part = queries[start : start + step]
            for numbers, rows in self._near(part):
                pairs.append((numbers + start).astype(np.uint64) << _HALF | rows)
        found = sorted_unique(np.concatenate(pairs))
        return (found >> _HALF).astype(np.int64), found.astype(np.uint32)

    def _near(self, queries: Fingerprints) -> Iterator[tuple[npt.NDArray[np.int64], Rows]]:
        """Yield the pairs (query, row) within the distance, with repetition, in portions."""
        tables, masks = self._probes
        buckets = _blocks(queries)[:, tables] ^ masks
        counts = self._tables.page_counts(buckets)
        totals = counts.sum(axis=1)
        for part in self._portions(np.cumsum(totals)):
            pages = self._tables.pages_many(buckets[part].ravel(), counts[part].ravel())
            asked = np.repeat(np.arange(part.start, part.stop), totals[part])
            if self._tagged:
                found = self._plausible(pages, _tags(queries)[asked, None])
                rows, asked = _rows_of(pages.ravel()[found]), asked[found // pages.shape[1]]
            else:
                rows, asked = pages.ravel(), np.repeat(asked, pages.shape[1])
            differences = self._fingerprints.take(rows) ^ queries[asked]
            near = (np.bitwise_count(differences) <= self.distance).nonzero()[0]
            yield asked[near], rows[near]

    def _portions(self, page_ends: npt.NDArray[np.int64]) -> Iterator[slice]:
        """Cut queries so that a portion has a bounded number of pages, or is one query."""
        most = _COMPARED_AT_ONCE // self._tables.page_slots
        bounds = np.arange(most, int(page_ends[-1]), most)
        cuts = np.searchsorted(page_ends, bounds, "right")
        starts = np.unique([0, *cuts, len(page_ends)]).tolist()
        return itertools.starmap(slice, itertools.pairwise(starts))

    def _plausible(self, pages: Fingerprints, tags: Fingerprints) -> npt.NDArray[np.int64]:
        """Return the places of the entries whose tag is within the distance of their query's.

        One tag serves all pages, or each page has its own: shape (1,) or (pages, 1).
        """
        differences = pages ^ tags
        differences >>= _ROW_BITS
        return few_places(np.bitwise_count(differences).ravel() <= self.distance)


def matched_blocks(fingerprint: int, other: int) -> tuple[int, ...]:
    """Return the numbers of the blocks in which two fingerprints agree, 0 the lowest."""
    difference = fingerprint ^ other
    return tuple(n for n in range(BLOCKS) if not difference >> (KEY_BITS * n) & (BUCKETS - 1))


def _buckets(fingerprint: int) -> tuple[int, int, int, int]:
    """Return a fingerprint's four bucket numbers."""
    key = BUCKETS - 1
    return (
        fingerprint & key,
        fingerprint >> KEY_BITS & key | BUCKETS,
        fingerprint >> 2 * KEY_BITS & key | 2 * BUCKETS,
        fingerprint >> 3 * KEY_BITS | 3 * BUCKETS,
    )


def _blocks(fingerprints: Fingerprints) -> npt.NDArray[np.int64]:
    """Return the four bucket numbers of each fingerprint, shape (n, 4)."""
    blocks = fingerprints[:, None] >> _SHIFTS & np.uint64(BUCKETS - 1)
    return blocks.astype(np.int64) | _TABLES


def _rows_of(entries: Fingerprints) -> Rows:
    """Return the row numbers of entries with a tag."""
    return (entries & _ROW).astype(np.uint32)


def _tags(fingerprints: Any) -> Any:
    """Return the fold of one or many fingerprints, 36 bits, above the bits of a row number."""
    return (fingerprints ^ fingerprints >> _FOLD_BITS) << _ROW_BITS


def _probes(distance: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return (tables, masks): in which bits a block may differ from a query's to be looked up."""
    probes = [
        (table, sum(1 << bit for bit in ones))
        for table in range(BLOCKS)
        for radius in range((distance - table) // BLOCKS + 1)
        for ones in itertools.combinations(range(KEY_BITS), radius)
    ]
    tables, masks = np.array(probes, np.int64).T
    return tables, masks
