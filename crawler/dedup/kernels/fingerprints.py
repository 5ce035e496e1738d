"""What the block index and its search share: where neighbours may lie, and how pairs are written.

A 64-bit fingerprint is cut into four blocks of 16 bits, block 0 the lowest::

    63            48 47            32 31            16 15             0
    +---------------+---------------+---------------+---------------+
    |    block 3    |    block 2    |    block 1    |    block 0    |
    +---------------+---------------+---------------+---------------+

With radii r0..r3 that sum to d - 3, two fingerprints that differ in d bits agree in some block i to
ri bits: otherwise they would differ in at least r0+1 + .. + r3+1 = d + 1 (pigeonhole; Manku, Jain,
Das Sarma, WWW 2007, section 3 for d = 3). So it is enough to look in four hash tables, one a block,
at the query's block and every value within ri bits of it. Nothing within the distance is missed.

A table's key is the low bits of its block, all 16 where fingerprints are many: what holds for a
block holds for a part of it. The other bits of the fingerprint are folded to a tag of 32, high half
xor low half. Tags differ in no more bits than the fingerprints do outside the key, so where a key
differs in r bits, a tag that differs in more than d - r rejects an entry for good. Tags of unlike
fingerprints differ in 16 bits on average: at distance 11 and radius 2 one in 100 is within 9.

A search finds pairs of a query and a row, a number each, so that pairs in order, by query and then
by row, are numbers in order::

    query, 28 bits | row, 32 bits | distance, 4 bits

`near.c` does the same arithmetic and writes the same pairs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCKS = 4
BLOCK_BITS = 16

MOST_QUERIES = 1 << 28
MOST_ROWS = 1 << 32

_QUERY = np.uint64(36)
_ROW = np.uint64(4)
_DISTANCE = np.uint8(15)

_HALF = 32
_LOW_HALF = (1 << _HALF) - 1

Fingerprints = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Tags = npt.NDArray[np.uint32]
Pairs = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.uint32]
Distances = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Ring:
    """Keys of one table about a query's own, and what their entries' tags may differ in."""

    table: int
    masks: Numbers
    """What to flip in a bucket number."""
    limit: int
    """Bits in which tags differ at most: the distance less the bits in which every key differs."""


class Probes:
    """The buckets of fingerprints, and where to look for neighbours up to a distance.

    A bucket number is `table << key_bits | key`.
    """

    def __init__(self, distance: int, key_bits: int) -> None:
        self.distance = distance
        self.key_bits = key_bits
        self.buckets = BLOCKS << key_bits
        self.rings = _rings(distance, key_bits)
        self.probed = sum(len(ring.masks) for ring in self.rings)
        """How many buckets a query looks in."""
        self._tables = np.arange(BLOCKS, dtype=np.int64) << key_bits
        self._key = (1 << key_bits) - 1
        self._rest = [~(self._key << BLOCK_BITS * table) for table in range(BLOCKS)]

    def of(self, fingerprint: int) -> tuple[int, int, int, int]:
        """Return the bucket of a fingerprint in each table."""
        key, first = self._key, self._key + 1
        return (
            fingerprint & key,
            fingerprint >> BLOCK_BITS & key | first,
            fingerprint >> 2 * BLOCK_BITS & key | 2 * first,
            fingerprint >> 3 * BLOCK_BITS & key | 3 * first,
        )

    def of_many(self, fingerprints: Fingerprints) -> Numbers:
        """Return the buckets of fingerprints, shape (n, 4)."""
        shifts = np.arange(0, 64, BLOCK_BITS, dtype=np.uint64)
        keys = fingerprints[:, None] >> shifts & np.uint64(self._key)
        return keys.astype(np.int64) | self._tables

    def tags(self, fingerprint: int) -> list[int]:
        """Return the tag of a fingerprint for each table."""
        rests = [fingerprint & rest for rest in self._rest]
        return [(rest ^ rest >> _HALF) & _LOW_HALF for rest in rests]

    def tags_many(self, fingerprints: Fingerprints) -> Tags:
        """Return the tags of fingerprints, shape (n, 4)."""
        masks = np.array([rest & (1 << 64) - 1 for rest in self._rest], np.uint64)
        rests = fingerprints[:, None] & masks
        return (rests ^ rests >> np.uint64(_HALF)).astype(np.uint32)


def pack_pairs(queries: Numbers | int, rows: npt.NDArray[Any], distances: Distances) -> Pairs:
    """Return the pairs of some queries, or of one, with rows."""
    pairs = rows.astype(np.uint64)
    pairs <<= _ROW
    pairs |= distances
    pairs |= np.asarray(queries).astype(np.uint64) << _QUERY
    return pairs


def queries_of(pairs: Pairs) -> Numbers:
    """Return the number of the query of each pair."""
    return (pairs >> _QUERY).astype(np.int64)


def rows_of(pairs: Pairs) -> Rows:
    """Return the row of each pair."""
    return (pairs >> _ROW).astype(np.uint32)


def distances_of(pairs: Pairs) -> Distances:
    """Return the distance of each pair."""
    return pairs.astype(np.uint8) & _DISTANCE


def _rings(distance: int, key_bits: int) -> tuple[Ring, ...]:
    """Return the rings to look in: one a table up to radius 1, and three for radius 2."""
    rings = list[Ring]()
    for table in range(BLOCKS):
        radius = (distance - table) // BLOCKS
        cuts = [(0, 0), (1, 1), (2, 2)] if radius == 2 else [(0, radius)]
        rings += [Ring(table, _masks(key_bits, low, high), distance - low) for low, high in cuts]
    return tuple(ring for ring in rings if len(ring.masks))


def _masks(bits: int, fewest: int, most: int) -> Numbers:
    """Return all numbers of some bits of which so many are ones."""
    masks = [
        sum(1 << place for place in places)
        for ones in range(fewest, most + 1)
        for places in itertools.combinations(range(bits), ones)
    ]
    return np.array(masks, np.int64)
