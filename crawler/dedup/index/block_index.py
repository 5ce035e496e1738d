"""All stored fingerprints within a Hamming distance of a query, without looking at all of them.

Four hash tables, one a block of 16 bits, hold the rows of fingerprints (`probes` says why four are
enough and in which buckets to look). Up to distance 3 one bucket a table is looked up, and its rows
are compared at once. Beyond, the entries are many and looking at each one's fingerprint would cost
a cache miss: there an entry has a tag, and only those whose tags are near are compared.

While fingerprints are few all of them are looked at after all, in their order, which is quicker
than finding the buckets.
"""

from __future__ import annotations

import sys
from array import array

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.columns import FingerprintRows, Integers
from crawler.dedup.index.buckets import Buckets, key_bits
from crawler.dedup.kernels import fingerprints as blocks
from crawler.dedup.kernels.fingerprints import BLOCK_BITS, BLOCKS, Fingerprints, Rows
from crawler.dedup.kernels.plain_buckets import Numbers as Buffer

MAX_DISTANCE = 11

_UNTAGGED_DISTANCE = 3
"""Up to here one value a block is probed, and a tag saves less than it costs in memory."""

_FEWEST_A_BUCKET = 6
_FEWEST_A_TAGGED_BUCKET = 40
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
        fewest = _FEWEST_A_TAGGED_BUCKET if tagged else _FEWEST_A_BUCKET
        super().__init__(Integers(expected_fingerprints), expected_fingerprints)
        self._probes = blocks.Probes(distance, key_bits(expected_fingerprints, fewest, BLOCK_BITS))
        self._buckets = Buckets(self._probes.buckets, BLOCKS * expected_fingerprints, tagged=tagged)
        self._limits = self._probes.key_bits, distance, -1 if scanned is None else scanned

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return super().nbytes + self._buckets.nbytes

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

    def candidates(self, fingerprint: int) -> tuple[Ids, blocks.Distances]:
        """Return (ids, distances) of every fingerprint within the distance, in insertion order."""
        found = self._in_order(fingerprint)
        return self._ids.take(blocks.rows_of(found)), blocks.distances_of(found)

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
        return blocks.rows_of(self._in_order(fingerprint))

    def proposals(self, fingerprint: int) -> Rows:
        """Return the same rows in no order: for a caller that sorts them."""
        return blocks.rows_of(self._near_one(fingerprint))

    def _in_order(self, fingerprint: int) -> blocks.Pairs:
        found = self._near_one(fingerprint)
        if len(found) > 1:
            found.sort()
        return found

    def _near_one(self, fingerprint: int) -> blocks.Pairs:
        return self._near(fingerprint.to_bytes(8, sys.byteorder))

    def _near(self, queries: Buffer) -> blocks.Pairs:
        stored = self._fingerprints
        found = kernels.near_fingerprints(
            queries, stored.cells, len(stored), self._buckets.cells, *self._limits
        )
        return np.frombuffer(found, np.uint64)


def matched_blocks(fingerprint: int, other: int) -> tuple[int, ...]:
    """Return the numbers of the blocks in which two fingerprints agree, 0 the lowest."""
    difference, block = fingerprint ^ other, (1 << BLOCK_BITS) - 1
    return tuple(n for n in range(BLOCKS) if not difference >> (BLOCK_BITS * n) & block)
