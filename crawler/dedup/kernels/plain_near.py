"""The search of the block index: the kernel of `near.c`.

Calls are what a query costs here, a dozen up to distance 3 and a hundred beyond. So few
fingerprints are looked at one after another, and many queries share the calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from crawler.dedup.columns import few_places, portions, scalars, sorted_unique
from crawler.dedup.hamming import distances
from crawler.dedup.kernels.fingerprints import (
    Fingerprints,
    Numbers,
    Pairs,
    Probes,
    Rows,
    Tags,
    pack_pairs,
)
from crawler.dedup.kernels.plain_buckets import BucketArrays, BucketCells, Cells, rows_in
from crawler.dedup.kernels.plain_buckets import Numbers as Buffer

_SCANNED = 15_000
_SCANNED_A_PROBE = 350
"""Fingerprints looked at one after another in the time that probing takes for numpy's calls, and
for each bucket to look in."""

_SCANNED_AN_ENTRY = 6
"""The same for one entry of a bucket in a batch, where many queries share the calls."""

_PROBED_AT_ONCE = 1 << 16
_COMPARED_AT_ONCE = 1 << 17
"""Bounds on working memory; the last also keeps what is compared within a second-level cache."""


def near_fingerprints(
    queries: Buffer,
    fingerprints: Buffer,
    count: int,
    cells: BucketCells,
    key_bits: int,
    distance: int,
    scanned: int,
) -> Cells:
    """Return what lies within a distance (0..11) of some queries, as `fingerprints` packs pairs.

    Queries and fingerprints are uint64, of which the first `count` fingerprints are searched;
    `cells` are the buckets that a block index of these `key_bits` keeps of them, with tags above
    distance 3. Up to `scanned` fingerprints all are looked at and no bucket is; below 0 stands for
    as many as are looked at more quickly. Each pair comes once, the queries in their order (at most
    2^28), the rows of one in none.
    """
    asked, stored = np.frombuffer(queries, np.uint64), np.frombuffer(fingerprints, np.uint64, count)
    probes = _probes(distance, key_bits)
    if scanned < 0:
        scanned = _SCANNED + _SCANNED_A_PROBE * probes.probed
    entries = probes.probed * count >> key_bits
    scanning_pays = len(asked) == 1 or count <= _SCANNED_AN_ENTRY * entries
    if count <= scanned and scanning_pays:
        rows = np.arange(count, dtype=np.uint32)
        found = [
            _compare(n, query, rows, stored, distance) for n, query in enumerate(asked.tolist())
        ]
    elif len(asked) == 1 and not len(cells[4]):
        query = int(asked[0])
        rows = rows_in(probes.of(query)[: distance + 1], cells)
        found = [_compare(0, query, rows, stored.take(rows), distance)]
    else:
        found = list(_Search(probes, cells, stored).near(asked))
    return scalars(sorted_unique(np.concatenate([np.empty(0, np.uint64), *found])))


@lru_cache(maxsize=8)
def _probes(distance: int, key_bits: int) -> Probes:
    return Probes(distance, key_bits)


def _compare(number: int, query: int, rows: Rows, compared: Fingerprints, distance: int) -> Pairs:
    """Return the pairs of a query and those of some rows whose fingerprints are near it."""
    found = distances(compared, query)
    near = (found <= distance).nonzero()[0]
    return pack_pairs(number, rows.take(near), found.take(near))


class _Search:
    """Looks for the neighbours of many queries in buckets, with some dozen calls for all."""

    def __init__(self, probes: Probes, cells: BucketCells, fingerprints: Fingerprints) -> None:
        self._probes = probes
        self._buckets = BucketArrays(cells)
        self._fingerprints = fingerprints

    def near(self, queries: Fingerprints) -> Iterator[Pairs]:
        """Yield the pairs of the queries, some repeatedly."""
        step = max(1, _PROBED_AT_ONCE // self._probes.probed)
        for start in range(0, len(queries), step):
            yield from self._near(start, queries[start : start + step])

    def _near(self, first: int, queries: Fingerprints) -> Iterator[Pairs]:
        """Yield what is near some queries in portions, with repetition; `first` is numbered so."""
        own = self._probes.of_many(queries)
        tags = self._probes.tags_many(queries)
        for ring in self._probes.rings:
            buckets = own[:, ring.table, None] ^ ring.masks
            counts = self._buckets.page_counts(self._buckets.sizes.take(buckets))
            page_ends = counts.sum(axis=1).cumsum()
            for part in portions(page_ends, _COMPARED_AT_ONCE // self._buckets.slots):
                pages = self._buckets.pages_of(buckets[part].ravel(), counts[part].ravel())
                asked = np.arange(part.start, part.stop).repeat(counts[part].sum(axis=1))
                rows, slots = self._worth_comparing(pages, tags[asked, ring.table], ring.limit)
                asked = asked.take(slots >> self._buckets.slot_bits)
                found = np.bitwise_count(self._fingerprints.take(rows) ^ queries.take(asked))
                near = (found <= self._probes.distance).nonzero()[0]
                yield pack_pairs(first + asked.take(near), rows.take(near), found.take(near))

    def _worth_comparing(self, pages: Numbers, own: Tags, limit: int) -> tuple[Rows, Numbers]:
        """Return the rows in some pages whose tags are near that page's own, and their places.

        Without tags that is all of them.
        """
        slot_bits, last_slot = self._buckets.slot_bits, self._buckets.slots - 1
        if not len(self._buckets.tags):
            rows: Rows = self._buckets.rows.take(pages, axis=0).ravel()
            return rows, np.arange(len(rows))
        tags = self._buckets.tags.take(pages, axis=0)
        tags ^= own[:, None]
        places = few_places(np.bitwise_count(tags).ravel() <= limit)
        chosen = (pages.take(places >> slot_bits) << slot_bits) + (places & last_slot)
        return self._buckets.rows.reshape(-1).take(chosen), places
