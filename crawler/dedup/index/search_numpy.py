"""The search of the block index by numpy: what is used where the kernels were not built.

Calls are what a query costs, a dozen up to distance 3 and a hundred beyond. So few fingerprints are
looked at one after another, and many queries share the calls.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from crawler.dedup.columns import Column, few_places, sorted_unique
from crawler.dedup.hamming import distances
from crawler.dedup.index import pairs
from crawler.dedup.index.buckets import Buckets
from crawler.dedup.index.pairs import Numbers, Pairs, Rows
from crawler.dedup.index.probes import Fingerprints, Probes, Tags

_SCANNED = 15_000
_SCANNED_A_PROBE = 350
"""Fingerprints looked at one after another in the time that probing takes for numpy's calls, and
for each bucket to look in."""

_SCANNED_AN_ENTRY = 6
"""The same for one entry of a bucket in a batch, where many queries share the calls."""

_PROBED_AT_ONCE = 1 << 16
_COMPARED_AT_ONCE = 1 << 17
"""Bounds on working memory; the last also keeps what is compared within a second-level cache."""


class NumpySearch:
    """Finds the pairs of some queries and the fingerprints within a distance of them.

    Up to `scanned` fingerprints all are looked at, by default where that is quicker.
    """

    def __init__(
        self, probes: Probes, buckets: Buckets, fingerprints: Column, scanned: int | None
    ) -> None:
        self._probes = probes
        self._buckets = buckets
        self._fingerprints = fingerprints
        quicker = _SCANNED + _SCANNED_A_PROBE * probes.probed
        self._scanned = quicker if scanned is None else scanned

    def one(self, fingerprint: int, number: int = 0) -> Pairs:
        """Return what is near one fingerprint, each row once, in no order."""
        stored, probes = self._fingerprints, self._probes
        if len(stored) <= self._scanned:
            rows, compared = np.arange(len(stored), dtype=np.uint32), stored.values
        elif self._buckets.tagged:
            return self.many(np.array([fingerprint], np.uint64))
        else:
            pages = self._buckets.pages(probes.of(fingerprint)[: probes.distance + 1])
            rows = self._buckets.page_rows(pages).ravel()
            compared = stored.take(rows)
        found = distances(compared, fingerprint)
        near = (found <= probes.distance).nonzero()[0]
        return sorted_unique(pairs.pack(number, rows.take(near), found.take(near)))

    def many(self, queries: Fingerprints) -> Pairs:
        """Return what is near each of some fingerprints, each pair once, in order."""
        probed, stored = self._probes.probed, len(self._fingerprints)
        entries = probed * stored >> self._probes.key_bits
        if stored <= min(self._scanned, _SCANNED_AN_ENTRY * entries):
            found = [self.one(query, number) for number, query in enumerate(queries.tolist())]
        else:
            step = max(1, _PROBED_AT_ONCE // probed)
            starts = range(0, len(queries), step)
            found = [
                part
                for start in starts
                for part in self._near(start, queries[start : start + step])
            ]
        return sorted_unique(np.concatenate([np.empty(0, np.uint64), *found]))

    def _near(self, first: int, queries: Fingerprints) -> Iterator[Pairs]:
        """Yield what is near some queries in portions, with repetition; `first` is numbered so."""
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
                found = np.bitwise_count(self._fingerprints.take(rows) ^ queries.take(asked))
                near = (found <= self._probes.distance).nonzero()[0]
                yield pairs.pack(first + asked.take(near), rows.take(near), found.take(near))

    def _worth_comparing(self, pages: Numbers, own: Tags, limit: int) -> tuple[Rows, Numbers]:
        """Return the rows in some pages whose tags are near that page's own, and their places.

        Without tags that is all of them.
        """
        if not self._buckets.tagged:
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
