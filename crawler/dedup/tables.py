"""Permuted sorted tables.

The index of Manku, Jain and Das Sarma (WWW 2007), section 3, its arithmetic and its planner.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import FingerprintRows, Sized, portions, ranges, sorted_unique, within
from crawler.errors import ConfigError

# Which bits lead in which table, how they get there, and what it costs: the paper's arithmetic.
#
# Cut the 64 bits into `blocks` blocks. Two fingerprints that differ in at most k bits differ in at
# most k blocks, so they agree in at least `blocks - k` of them; with one table for every choice of
# `chosen = blocks - k` blocks some table has all its chosen blocks in agreement (pigeonhole). The
# bits left over in a table can be cut and chosen from again, which multiplies the tables and adds
# to the bits that must match: the paper's 16 tables are a choice of 1 of 4, twice.

BITS = 64
FINGERPRINT_BYTES = 8
ID_BYTES = 8

Fingerprints = npt.NDArray[np.uint64]

Bits: TypeAlias = tuple[int, ...]
"""Numbers of bits, 0 the lowest, in their order in a table from the highest on."""


@dataclass(frozen=True, slots=True)
class Permutation:
    """One table: segments that cover all 64 bits, in their new order, highest first.

    Distances survive it: two permuted fingerprints differ in as many bits as the originals.
    """

    segments: tuple[tuple[int, int], ...]
    """Neighbouring bits each: the lowest one's number, and how many."""
    prefix_bits: int
    """How many leading bits must match."""

    def apply(self, fingerprints: Fingerprints, *, undo: bool = False) -> Fingerprints:
        """Return fingerprints with their bits in the new order; to `undo`, where they were."""
        moved, top = np.zeros_like(fingerprints), BITS
        for start, width in self.segments:
            top -= width
            place, to = (top, start) if undo else (start, top)
            bits = fingerprints >> np.uint64(place) & np.uint64((1 << width) - 1)
            moved |= bits << np.uint64(to)
        return moved


class Split(NamedTuple):
    """A cut into `blocks` blocks of which every choice of `chosen` gets a table of its own."""

    blocks: int
    chosen: int


@dataclass(frozen=True, slots=True)
class TableDesign:
    """One or more splits, each applied to the bits that the one before left over.

    Exact for every Hamming distance up to `distance`. No split has more blocks than there are bits
    to cut.
    """

    splits: tuple[Split, ...]

    def __str__(self) -> str:
        return " x ".join(f"{split.chosen} of {split.blocks}" for split in self.splits)

    @property
    def distance(self) -> int:
        """Largest Hamming distance (inclusive) at which nothing is missed."""
        return min(split.blocks - split.chosen for split in self.splits)

    @property
    def tables(self) -> int:
        """Number of tables."""
        return math.prod(itertools.starmap(math.comb, self.splits))

    @property
    def prefix_bits(self) -> int:
        """Fewest bits that must match in any of the tables."""
        return min(table.prefix_bits for table in self.layout())

    def layout(self) -> tuple[Permutation, ...]:
        """Return the order of bits in every table."""
        return _layout(self.splits)


@cache
def _layout(splits: tuple[Split, ...]) -> tuple[Permutation, ...]:
    whole: list[tuple[Bits, Bits]] = [((), tuple(reversed(range(BITS))))]
    for split in splits:
        whole = [
            (chosen + more, rest) for chosen, left in whole for more, rest in _choices(left, split)
        ]
    return tuple(Permutation(_segments(chosen + rest), len(chosen)) for chosen, rest in whole)


def _choices(left: Bits, split: Split) -> list[tuple[Bits, Bits]]:
    """Return every (chosen, rest) of the blocks that some bits are cut into."""
    # Their widths differ by one at most, wider ones first.
    size, wider = divmod(len(left), split.blocks)
    starts = [number * size + min(number, wider) for number in range(split.blocks + 1)]
    blocks = [left[start:end] for start, end in itertools.pairwise(starts)]
    places = range(split.blocks)
    return [
        (
            tuple(bit for n in places if n in chosen for bit in blocks[n]),
            tuple(bit for n in places if n not in chosen for bit in blocks[n]),
        )
        for chosen in itertools.combinations(places, split.chosen)
    ]


def _segments(bits: Bits) -> tuple[tuple[int, int], ...]:
    """Return bit numbers as segments of neighbours, falling in each."""
    segments: list[tuple[int, int]] = []
    for bit in bits:
        if segments and segments[-1][0] == bit + 1:
            segments[-1] = bit, segments[-1][1] + 1
        else:
            segments.append((bit, 1))
    return tuple(segments)


PAPER_DESIGNS = (
    TableDesign((Split(4, 1),)),
    TableDesign((Split(5, 2),)),
    TableDesign((Split(4, 1), Split(4, 1))),
    TableDesign((Split(6, 3),)),
)
"""The designs of section 3.1.1 for 64 bits and k = 3: 4, 10, 16 and 20 tables."""


# Choosing a design: the fewest comparisons and searches that the memory allows.
#
# The paper's own arithmetic (section 3.1.1): with 2^34 fingerprints and all but d of 64 bits free,
# a table whose p leading bits must match shows a run of 2^(34-p) fingerprints; more tables make
# longer prefixes and shorter runs, and cost more memory.

MOST_TABLES = 64
_MOST_EXTRA_BLOCKS = 3

SEARCH_COST = 60
"""What one search in one table costs, counted in comparisons of one fingerprint: 300 ns for 5 ns,
measured on batches over 10^7 fingerprints. A search dominates short runs, so designs with more
tables pay only where runs are long."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A design and its arithmetic for a number of fingerprints."""

    design: TableDesign
    fingerprints: int
    distance: int

    @property
    def run_length(self) -> float:
        """Fingerprints compared in one table, expected of random bits."""
        return self.compared / self.design.tables

    @property
    def compared(self) -> float:
        """Fingerprints compared a query, expected of random bits."""
        tables = self.design.layout()
        return sum(math.ldexp(self.fingerprints, -table.prefix_bits) for table in tables)

    @property
    def nbytes(self) -> int:
        """Bytes of all tables and of the list that tells ids by fingerprint."""
        return self.fingerprints * ((self.design.tables + 1) * FINGERPRINT_BYTES + ID_BYTES)

    @property
    def cost(self) -> float:
        """What a query costs, counted in comparisons."""
        return self.design.tables * SEARCH_COST + self.compared

    def explain(self) -> str:
        """Return the arithmetic in lines a reader can check."""
        tables, prefix = self.design.tables, self.design.prefix_bits
        size = math.log2(max(1, self.fingerprints))
        return "\n".join(
            [
                f"{self.fingerprints:,} (2^{size:.1f}) fingerprints, distance <= {self.distance}",
                f"  blocks      choose {self.design}: {tables} tables",
                f"  must match  {prefix} bits or more",
                f"  run         2^({size:.1f} - {prefix}) or less,"
                f" {self.run_length:,.2f} on average, in each of {tables} tables",
                f"  compared    {self.compared:,.0f} fingerprints a query",
                f"  memory      {tables + 1} lists of 8 bytes and an id of 8:"
                f" {self.nbytes:,} bytes, {self.nbytes / max(1, self.fingerprints):.0f} each",
            ]
        )

    def fits(self, memory_limit_bytes: int | None) -> bool:
        """Whether it takes no more memory than a limit, if there is one."""
        return memory_limit_bytes is None or self.nbytes <= memory_limit_bytes


def plans(fingerprints: int, distance: int) -> list[Plan]:
    """Return every plan considered: designs exact to the distance of at most MOST_TABLES tables.

    Of one split, or of two that choose 1 block each. The one with the fewest blocks, distance + 1,
    is always among them.
    """
    designs = []
    for chosen in range(1, _MOST_EXTRA_BLOCKS + 2):
        split = Split(distance + chosen, chosen)
        if chosen == 1 or math.comb(*split) <= MOST_TABLES:
            designs.append(TableDesign((split,)))
    if 1 < (distance + 1) ** 2 <= MOST_TABLES:
        designs.append(TableDesign((Split(distance + 1, 1),) * 2))
    return [Plan(design, fingerprints, distance) for design in designs]


def best_plan(fingerprints: int, distance: int, memory_limit_bytes: int | None = None) -> Plan:
    """Return the cheapest plan that fits; the smaller one of equally cheap ones.

    Where none fits the memory, the one that takes the least.
    """
    known = plans(fingerprints, distance)
    smallest = min(known, key=lambda plan: plan.nbytes)
    fitting = [plan for plan in known if plan.fits(memory_limit_bytes)] or [smallest]
    return min(fitting, key=lambda plan: (plan.cost, plan.nbytes))


def fitting_plan(fingerprints: int, distance: int, memory_limit_bytes: int | None = None) -> Plan:
    """Return the same; ConfigError if none fits the memory, naming the least that would do."""
    plan = best_plan(fingerprints, distance, memory_limit_bytes)
    if not plan.fits(memory_limit_bytes):
        raise ConfigError(
            f"memory limit of {memory_limit_bytes:,} bytes: tables of {fingerprints:,} "
            f"fingerprints at distance {distance} need at least {plan.nbytes:,}"
        )
    return plan


# The tables: built once from all fingerprints, then asked one query or many at a time.
#
# Tables hold distinct fingerprints only. The list of all of them in their own order, each with its
# id, says which ids a found fingerprint stands for; so a template's thousand equal fingerprints are
# compared once, and an id costs 16 bytes whatever the number of tables.

_COMPARED_AT_ONCE = 1 << 18
"""Bounds the working memory of a batch."""

_ASKED_AT_ONCE = 1 << 14

Ids = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]
Distances = npt.NDArray[np.uint8]


class TableIndex(Sized):
    """Fingerprints by id, found again within `distance` bits (inclusive).

    ValueError for a distance larger than the design's, for which it would miss some. Building is
    one sort a table, O(tables * n log n).
    """

    def __init__(
        self, design: TableDesign, ids: Ids, fingerprints: Fingerprints, distance: int
    ) -> None:
        self.distance = distance
        if not 0 <= distance <= design.distance:
            raise ValueError(f"distance {distance} is not in 0..{design.distance} of {design}")
        self._layout = design.layout()
        order = np.argsort(fingerprints, kind="stable")
        self._fingerprints = fingerprints[order]
        self._ids = np.asarray(ids, np.int64)[order]
        distinct = sorted_unique(self._fingerprints.copy())
        self.tables = tuple(np.sort(table.apply(distinct)) for table in self._layout)
        """The distinct fingerprints, permuted and sorted, for every table of the design."""

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return super().nbytes + sum(table.nbytes for table in self.tables)

    def candidates(self, fingerprint: int) -> tuple[Ids, Distances]:
        """Return (ids, distances) of every fingerprint within the distance, by ascending id."""
        _, ids, found = self.candidates_many(np.array([fingerprint], np.uint64))
        return ids, found

    def candidates_many(self, fingerprints: Fingerprints) -> tuple[Places, Ids, Distances]:
        """Return (queries, ids, distances) of every pair within the distance.

        `queries[i]` is the place of a query in `fingerprints`; pairs come by query, then by id.
        """
        parts = [
            self._pairs(fingerprints[start : start + _ASKED_AT_ONCE], start)
            for start in range(0, len(fingerprints), _ASKED_AT_ONCE)
        ]
        none = np.empty(0, np.int64)
        places, queries = map(np.concatenate, zip((none, none), *parts, strict=True))
        ids = self._ids[places]
        order = np.lexsort((ids, queries))
        places, queries, ids = places[order], queries[order], ids[order]
        differences = self._fingerprints[places] ^ fingerprints[queries]
        return queries, ids, np.bitwise_count(differences)

    def _pairs(self, fingerprints: Fingerprints, first: int) -> tuple[Places, Places]:
        """Return the pairs (place in the list of all fingerprints, query + first)."""
        found = [
            pair
            for table, ordered in zip(self._layout, self.tables, strict=True)
            for pair in self._matches(table, ordered, fingerprints)
        ]
        none = np.empty(0, np.int64), np.empty(0, np.uint64)
        queries, matched = map(np.concatenate, zip(none, *found, strict=True))
        starts = np.searchsorted(self._fingerprints, matched)
        pairs = sorted_unique(queries.astype(np.uint64) << np.uint64(32) | starts.astype(np.uint64))
        starts = (pairs & np.uint64(0xFFFF_FFFF)).astype(np.int64)
        values = self._fingerprints[starts]
        counts = np.searchsorted(self._fingerprints, values, "right") - starts
        queries = np.repeat((pairs >> np.uint64(32)).astype(np.int64), counts)
        return ranges(starts, counts), queries + first

    def _matches(
        self, table: Permutation, ordered: Fingerprints, fingerprints: Fingerprints
    ) -> Iterator[tuple[Places, Fingerprints]]:
        """Yield the (query, fingerprint) within the distance that one table shows."""
        permuted = table.apply(fingerprints)
        # The run with each query's leading bits.
        free = np.uint64((1 << BITS - table.prefix_bits) - 1)
        starts = np.searchsorted(ordered, permuted & ~free)
        lengths = np.searchsorted(ordered, permuted | free, "right") - starts
        for part in portions(np.cumsum(lengths), _COMPARED_AT_ONCE):
            queries = np.repeat(np.arange(part.start, part.stop), lengths[part])
            values = ordered[ranges(starts[part], lengths[part])]
            differences = values ^ permuted[queries]
            near = (np.bitwise_count(differences) <= self.distance).nonzero()[0]
            yield queries[near], table.apply(values[near], undo=True)


# Sorted tables for fingerprints that arrive one at a time: the logarithmic method.
#
# Tables are built once, so there are several of them, each for a stretch of rows, and the newest
# rows are in none and looked at one by one (Bentley, Saxe, Journal of Algorithms 1980;
# log-structured merge trees do the same on disk)::
#
#     rows   0 ........................ 900,000 .... 980,000 .. 990,000
#            |        tables          |   tables    |  looked at  |
#
# When more than SCANNED rows are in no table, they are sorted into tables. If the stretch before
# them is less than FACTOR times as long, it is sorted again together with them, and so on. So a
# stretch is at least FACTOR times as long as the next one, a query visits some log8(n / SCANNED) of
# them, and a fingerprint is sorted a bounded number of times for each. Nothing is missed meanwhile:
# every stretch is exact to the distance, and so is looking at all.

log = logging.getLogger(__name__)

SCANNED = 1 << 16
"""Rows that may be in no table: looking at so many takes 55 µs, a query of one stretch 250 µs at
distance 3 and more beyond."""

FACTOR = 8
"""A query of one stretch costs as much as sorting a thousand fingerprints, so few stretches, each
sorted more often, are better than twice as many (docs/index-designs.md)."""

Rows = npt.NDArray[np.uint32]


class GrowingTables(FingerprintRows):
    """Fingerprints by id, found again within `distance` bits (inclusive): what a BlockIndex finds.

    Each stretch has the design that the planner chooses for its length and its share of the memory
    limit, or where none fits the smallest. Sorting happens in a query; the longest pause is that of
    sorting all fingerprints once for each table.
    """

    def __init__(
        self, distance: int, expected_fingerprints: int = 0, memory_limit_bytes: int | None = None
    ) -> None:
        super().__init__(expected_fingerprints)
        self._distance = distance
        self._memory_limit = memory_limit_bytes
        self._stretches: list[TableIndex] = []
        self._sorted = 0

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return super().nbytes + sum(stretch.nbytes for stretch in self._stretches)

    def rows(self, fingerprint: int) -> Rows:
        """Return the rows (0 for the first insert) within the distance, ascending."""
        if len(self) - self._sorted > SCANNED:
            start, end = self._sorted, len(self)
            while self._stretches and len(self._stretches[-1]) < FACTOR * (end - start):
                start -= len(self._stretches.pop())
            limit = self._memory_limit and self._memory_limit * (end - start) // end
            design = best_plan(end - start, self._distance, limit).design
            rows = np.arange(start, end, dtype=np.int64)
            part = self.fingerprints[start:end]
            self._stretches.append(TableIndex(design, rows, part, self._distance))
            self._sorted = end
            log.debug("sorted %d fingerprints into tables, %s", end - start, design)
        recent = within(self.fingerprints[self._sorted :], fingerprint, self._distance)
        found = [stretch.candidates(fingerprint)[0] for stretch in self._stretches]
        return np.concatenate([*found, recent + self._sorted]).astype(np.uint32)

    proposals = rows
