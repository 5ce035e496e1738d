"""All stored fingerprints within a Hamming distance of a query, without looking at all of them.

Four hash tables, one a block of 16 bits, hold the rows of fingerprints (`probes` says why four are
enough and in which buckets to look). Up to distance 3 one bucket a table is looked up, and its rows
are compared at once. Beyond, the entries are many and looking at each one's fingerprint would cost
a cache miss: there an entry has a tag, and only those whose tags are near are compared.

While fingerprints are few all of them are looked at after all, in their order: that is quicker than
finding the buckets, up to 16,000 fingerprints at distance 3, 70,000 at 9 and 109,000 at 11.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup.growing import Column, Integers, few_places, sorted_unique
from crawler.dedup.hamming import distances
from crawler.dedup.index.buckets import Buckets, key_bits
from crawler.dedup.index.probes import BLOCK_BITS, BLOCKS, Probes, Tags

MAX_DISTANCE = 11

_HALF = np.uint64(32)
_DISTANCE_BITS = np.uint64(8)

_UNTAGGED_DISTANCE = 3
"""Up to here one value a block is probed, and a tag saves less than it costs in memory."""

_FEWEST_A_BUCKET = 6
_FEWEST_A_TAGGED_BUCKET = 40
"""Of entries of 4 and of 8 bytes: fewer would be compared faster and cost more than 50 bytes a
fingerprint."""

_SCANNED = 15_000
_SCANNED_A_PROBE = 350
"""Fingerprints looked at one after another in the time that probing takes for numpy's calls, and
for each bucket to look in."""

_SCANNED_AN_ENTRY = 6
"""The same for one entry of a bucket in a batch, where many queries share the calls."""

_FEW = 32
"""Rows up to which Python sorts them faster than eight calls of numpy do."""

_MOST_ROWS = 1 << 32

_INSERTED_AT_ONCE = 1 << 17
_PROBED_AT_ONCE = 1 << 16
_COMPARED_AT_ONCE = 1 << 17
"""Bounds on working memory; the last also keeps what is compared within a second-level cache."""

_MOST_IN_A_BATCH = 20_000
"""Entries that a query sees beyond which a batch gains nothing over one query after another."""

Fingerprints = npt.NDArray[np.uint64]
Ids = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint32]
Distances = npt.NDArray[np.uint8]


class BlockIndex:
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
        self.distance = distance
        self._tagged = distance > _UNTAGGED_DISTANCE
        self._ids = Integers(expected_fingerprints)
        self._fingerprints = Column(np.uint64, expected_fingerprints)
        fewest = _FEWEST_A_TAGGED_BUCKET if self._tagged else _FEWEST_A_BUCKET
        self._probes = Probes(distance, key_bits(expected_fingerprints, fewest, BLOCK_BITS))
        self._buckets = Buckets(
            self._probes.buckets, BLOCKS * expected_fingerprints, tagged=self._tagged
        )
        self._probed = int(self._probes.ring_ends[-1])
        quicker = _SCANNED + _SCANNED_A_PROBE * self._probed
        self._scanned = quicker if scanned is None else scanned

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._ids.nbytes + self._fingerprints.nbytes + self._buckets.nbytes

    @property
    def ids(self) -> npt.NDArray[np.integer[Any]]:
        """All ids by row, a view that must not be kept."""
        return self._ids.values

    @property
    def fingerprints(self) -> Fingerprints:
        """All fingerprints by row, a view that must not be kept."""
        return self._fingerprints.values

    def insert(self, id_: int, fingerprint: int) -> None:
        """Add one fingerprint; an id may have several and a fingerprint several ids."""
        row = len(self._ids)
        self._require_room(row + 1)
        tags = self._probes.tags(fingerprint) if self._tagged else ()
        self._buckets.insert(self._probes.of(fingerprint), (row,) * BLOCKS, tags)
        self._ids.append(id_)
        self._fingerprints.append(fingerprint)

    def insert_many(self, ids: Ids, fingerprints: Fingerprints) -> None:
        """Add many fingerprints at once: the way to rebuild an index."""
        self._require_room(len(self) + len(ids))
        for start in range(0, len(ids), _INSERTED_AT_ONCE):
            part = fingerprints[start : start + _INSERTED_AT_ONCE]
            rows = np.arange(len(self), len(self) + len(part), dtype=np.uint32)
            tags = self._probes.tags_many(part).ravel() if self._tagged else None
            self._buckets.insert_many(
                self._probes.of_many(part).ravel(), np.repeat(rows, BLOCKS), tags
            )
            self._ids.extend(ids[start : start + _INSERTED_AT_ONCE])
            self._fingerprints.extend(part)

    def _require_room(self, fingerprints: int) -> None:
        if fingerprints > _MOST_ROWS:
            raise OverflowError(f"a block index holds {_MOST_ROWS:,} fingerprints at most")

    def candidates(self, fingerprint: int) -> tuple[Ids, Distances]:
        """Return (ids, distances) of every fingerprint within the distance, in insertion order."""
        rows, found = self._near_one(fingerprint)
        return self._ids.take(rows), found

    def candidates_many(self, fingerprints: Fingerprints) -> tuple[Numbers, Ids, Distances]:
        """Return (queries, ids, distances) of every pair within the distance.

        `queries[i]` is the place of a query in `fingerprints`; pairs come by query, then in
        insertion order. Ten times faster than one query after another where each meets few
        candidates; no faster where each meets thousands.
        """
        queries, rows = self._rows_many(fingerprints)
        differences = self._fingerprints.take(rows) ^ fingerprints[queries]
        return queries, self._ids.take(rows), np.bitwise_count(differences)

    def rows(self, fingerprint: int) -> Rows:
        """Return the rows (0 for the first insert) within the distance, ascending."""
        return self._near_one(fingerprint)[0]

    def proposals(self, fingerprint: int) -> Rows:
        """Return the same rows unordered and with repetition: for a caller that sorts them anyway.

        In a crowd putting them in order takes as long as finding them.
        """
        return self._found(fingerprint)[0]

    def _near_one(self, fingerprint: int) -> tuple[Rows, Distances]:
        """Return (rows, distances) within the distance, by ascending row."""
        return _in_order(*self._found(fingerprint))

    def _found(self, fingerprint: int) -> tuple[Rows, Distances]:
        """Return (rows, distances) within the distance, unordered and with repetition."""
        if len(self) <= self._scanned:
            found = distances(self.fingerprints, fingerprint)
            places = (found <= self.distance).nonzero()[0]
            return places.astype(np.uint32), found.take(places)
        if self._tagged:
            candidates = self._plausible_rows(fingerprint)
        else:
            pages = self._buckets.pages(self._probes.of(fingerprint)[: self.distance + 1])
            candidates = self._buckets.page_rows(pages).ravel()
        found = distances(self._fingerprints.take(candidates), fingerprint)
        near = (found <= self.distance).nonzero()[0]
        return candidates.take(near), found.take(near)

    def _plausible_rows(self, fingerprint: int) -> Rows:
        """Return the rows whose tag is near enough to a query's, with repetition."""
        pages, page_ends = self._buckets.pages_many(self._probes.around(fingerprint))
        tags, own = self._buckets.page_tags(pages), self._probes.tags(fingerprint)
        ends, start = page_ends.take(self._probes.ring_ends - 1).tolist(), 0
        for table, ring in self._probes.tables:
            part = tags[start : ends[ring]]
            np.bitwise_xor(part, own[table], out=part)
            start = ends[ring]
        differing, near, start = np.bitwise_count(tags), np.empty(tags.shape, bool), 0
        for limit, ring in self._probes.limits:
            np.less_equal(differing[start : ends[ring]], limit, out=near[start : ends[ring]])
            start = ends[ring]
        return self._buckets.rows_at(pages, few_places(near.ravel()))

    def _rows_many(self, queries: Fingerprints) -> tuple[Numbers, Rows]:
        """Return the pairs (query, row) within the distance, ascending."""
        entries = self._probed * len(self) >> self._probes.key_bits
        few = len(self) <= min(self._scanned, _SCANNED_AN_ENTRY * entries)
        if few or entries > _MOST_IN_A_BATCH:
            return self._rows_one_by_one(queries)
        step = max(1, _PROBED_AT_ONCE // self._probed)
        pairs = [np.empty(0, np.uint64)]
        for start in range(0, len(queries), step):
            part = queries[start : start + step]
            for numbers, rows in self._near(part):
                pairs.append((numbers + start).astype(np.uint64) << _HALF | rows)
        found = sorted_unique(np.concatenate(pairs))
        return (found >> _HALF).astype(np.int64), found.astype(np.uint32)

    def _rows_one_by_one(self, queries: Fingerprints) -> tuple[Numbers, Rows]:
        """Return the same where one query has so much to compare that a batch gains nothing."""
        found = [self.rows(query) for query in queries.tolist()]
        numbers = np.arange(len(queries)).repeat([len(rows) for rows in found])
        return numbers, np.concatenate([np.empty(0, np.uint32), *found])

    def _near(self, queries: Fingerprints) -> Iterator[tuple[Numbers, Rows]]:
        """Yield the pairs (query, row) within the distance, with repetition, in portions."""
        own = self._probes.of_many(queries)
        tags = self._probes.tags_many(queries)
        for ring in self._probes.rings:
            probed = len(ring.masks)
            buckets = own[:, ring.table, None] ^ ring.masks
            page_ends = self._buckets.page_ends(buckets.ravel())[probed - 1 :: probed]
            counts = np.diff(page_ends, prepend=0)
            for part in self._portions(page_ends):
                pages, _ = self._buckets.pages_many(buckets[part].ravel())
                asked = np.arange(part.start, part.stop).repeat(counts[part])
                rows, slots = self._worth_comparing(pages, tags[asked, ring.table], ring.limit)
                asked = asked.take(slots // self._buckets.page_slots)
                differences = self._fingerprints.take(rows) ^ queries.take(asked)
                near = (np.bitwise_count(differences) <= self.distance).nonzero()[0]
                yield asked.take(near), rows.take(near)

    def _worth_comparing(self, pages: Numbers, own: Tags, limit: int) -> tuple[Rows, Numbers]:
        """Return the rows in some pages whose tags are near that page's own, and their places.

        Without tags that is all of them.
        """
        if not self._tagged:
            rows = self._buckets.page_rows(pages).ravel()
            return rows, np.arange(len(rows))
        tags = self._buckets.page_tags(pages)
        tags ^= own[:, None]
        places = few_places(np.bitwise_count(tags).ravel() <= limit)
        return self._buckets.rows_at(pages, places), places

    def _portions(self, page_ends: Numbers) -> Iterator[slice]:
        """Cut queries so that a portion has a bounded number of pages, or is one query."""
        most = _COMPARED_AT_ONCE // self._buckets.page_slots
        bounds = np.arange(most, int(page_ends[-1]), most)
        cuts = np.searchsorted(page_ends, bounds, "right")
        starts = np.unique([0, *cuts, len(page_ends)]).tolist()
        return itertools.starmap(slice, itertools.pairwise(starts))


def _in_order(rows: Rows, found: Distances) -> tuple[Rows, Distances]:
    """Return rows in ascending order, each once, and the distances that belong to them."""
    if len(rows) <= _FEW:
        numbers = rows.tolist()
        if not numbers or numbers.count(numbers[0]) == len(numbers):  # as with most queries
            return rows[:1], found[:1]
        near = dict(sorted(zip(numbers, found.tolist(), strict=True)))
        return np.array(list(near), np.uint32), np.array(list(near.values()), np.uint8)
    keyed = sorted_unique(rows.astype(np.uint64) << _DISTANCE_BITS | found)
    return (keyed >> _DISTANCE_BITS).astype(np.uint32), keyed.astype(np.uint8)


def matched_blocks(fingerprint: int, other: int) -> tuple[int, ...]:
    """Return the numbers of the blocks in which two fingerprints agree, 0 the lowest."""
    difference, block = fingerprint ^ other, (1 << BLOCK_BITS) - 1
    return tuple(n for n in range(BLOCKS) if not difference >> (BLOCK_BITS * n) & block)
