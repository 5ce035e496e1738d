"""The search of the block index by its kernels: one call for many queries."""

from __future__ import annotations

import sys

import numpy as np

from crawler.dedup.columns import Column
from crawler.dedup.index import pairs
from crawler.dedup.index.buckets import Buckets
from crawler.dedup.index.pairs import Pairs
from crawler.dedup.index.probes import Fingerprints, Probes
from crawler.dedup.native import Kernels, Numbers

_SCANNED_A_PROBE = 400
"""Fingerprints looked at one after another in the time that a look into one bucket takes, where the
processor counts the bits of eight of them at once; others count two to four times as slowly."""

_ASKED_AT_ONCE = 256
"""Queries whose pairs are put in order together: more would leave the cache."""


class CompiledSearch:
    """Finds the pairs of some queries and the fingerprints within a distance of them.

    Up to `scanned` fingerprints all are looked at, by default where that is quicker.
    """

    def __init__(
        self,
        kernels: Kernels,
        probes: Probes,
        buckets: Buckets,
        fingerprints: Column,
        scanned: int | None,
    ) -> None:
        self._near_kernel = kernels.near_fingerprints
        self._scan_kernel = kernels.scan_fingerprints
        self._probes = probes
        self._buckets = buckets
        self._fingerprints = fingerprints
        quicker = _SCANNED_A_PROBE * probes.probed
        self._scanned = quicker if scanned is None else scanned

    def one(self, fingerprint: int) -> Pairs:
        """Return what is near one fingerprint, each row once, in no order."""
        return self._near(fingerprint.to_bytes(8, sys.byteorder))

    def many(self, queries: Fingerprints) -> Pairs:
        """Return what is near each of some fingerprints, each pair once, in order."""
        queries = np.ascontiguousarray(queries, np.uint64)
        found = [np.empty(0, np.uint64)]
        for start in range(0, len(queries), _ASKED_AT_ONCE):
            part = self._near(queries[start : start + _ASKED_AT_ONCE])
            part.sort()
            found.append(pairs.renumbered(part, start))
        return np.concatenate(found)

    def _near(self, queries: Numbers) -> Pairs:
        stored, probes = self._fingerprints, self._probes
        if len(stored) <= self._scanned:
            found = self._scan_kernel(queries, stored.cells, len(stored), probes.distance)
        else:
            found = self._near_kernel(
                queries, stored.cells, self._buckets.cells, probes.key_bits, probes.distance
            )
        return np.frombuffer(found, np.uint64)
