"""Which bits lead in which table, how they get there, and what it costs: the paper's arithmetic.

Cut the 64 bits into `blocks` blocks. Two fingerprints that differ in at most k bits differ in at
most k blocks, so they agree in at least `blocks - k` of them; with one table for every choice of
`chosen = blocks - k` blocks some table has all its chosen blocks in agreement (pigeonhole). The
bits left over in a table can be cut and chosen from again, which multiplies the tables and adds to
the bits that must match: the paper's 16 tables are a choice of 1 of 4, twice.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

BITS = 64
FINGERPRINT_BYTES = 8
ID_BYTES = 8

Fingerprints = npt.NDArray[np.uint64]

Bits: TypeAlias = tuple[int, ...]
"""Numbers of bits, 0 the lowest, in their order in a table from the highest on."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Neighbouring bits `start .. start + width - 1`, counted from the lowest."""

    start: int
    width: int


@dataclass(frozen=True, slots=True)
class Permutation:
    """One table: segments that cover all 64 bits, in their new order, highest first.

    Distances survive it: two permuted fingerprints differ in as many bits as the originals.
    """

    segments: tuple[Segment, ...]
    prefix_bits: int
    """How many leading bits must match."""

    def apply(self, fingerprints: Fingerprints) -> Fingerprints:
        """Return fingerprints with their bits in the new order."""
        moved, top = np.zeros_like(fingerprints), BITS
        for segment in self.segments:
            top -= segment.width
            moved |= _segment_of(fingerprints, segment.start, segment.width) << np.uint64(top)
        return moved

    def undo(self, permuted: Fingerprints) -> Fingerprints:
        """Return fingerprints with their bits where they were before `apply`."""
        original, top = np.zeros_like(permuted), BITS
        for segment in self.segments:
            top -= segment.width
            original |= _segment_of(permuted, top, segment.width) << np.uint64(segment.start)
        return original


def _segment_of(fingerprints: Fingerprints, start: int, width: int) -> Fingerprints:
    bits: Fingerprints = fingerprints >> np.uint64(start) & np.uint64((1 << width) - 1)
    return bits


@dataclass(frozen=True, slots=True)
class Split:
    """A cut into `blocks` blocks of which every choice of `chosen` gets a table of its own."""

    blocks: int
    chosen: int

    def __post_init__(self) -> None:
        if not 1 <= self.chosen <= self.blocks:
            raise ValueError(f"cannot choose {self.chosen} of {self.blocks} blocks")

    @property
    def choices(self) -> int:
        """Number of ways to choose."""
        return math.comb(self.blocks, self.chosen)

    @property
    def distance(self) -> int:
        """Most differing bits for which some choice has none of them."""
        return self.blocks - self.chosen


@dataclass(frozen=True, slots=True)
class TableDesign:
    """One or more splits, each applied to the bits that the one before left over.

    Exact for every Hamming distance up to `distance`. Raises ValueError where a split has more
    blocks than there are bits to cut.
    """

    splits: tuple[Split, ...]

    def __post_init__(self) -> None:
        if not self.splits:
            raise ValueError("a design needs at least one split")
        self.layout()

    def __str__(self) -> str:
        return " x ".join(f"{split.chosen} of {split.blocks}" for split in self.splits)

    @property
    def distance(self) -> int:
        """Largest Hamming distance (inclusive) at which nothing is missed."""
        return min(split.distance for split in self.splits)

    @property
    def tables(self) -> int:
        """Number of tables."""
        return math.prod(split.choices for split in self.splits)

    @property
    def prefix_bits(self) -> int:
        """Fewest bits that must match in any of the tables."""
        return min(table.prefix_bits for table in self.layout())

    def layout(self) -> tuple[Permutation, ...]:
        """Return the order of bits in every table."""
        whole: list[tuple[Bits, Bits]] = [((), tuple(reversed(range(BITS))))]
        for split in self.splits:
            whole = [
                (chosen + more, rest)
                for chosen, left in whole
                for more, rest in _choices(left, split)
            ]
        return tuple(Permutation(_segments(chosen + rest), len(chosen)) for chosen, rest in whole)

    def run_length(self, fingerprints: int) -> float:
        """Return the fingerprints a query compares in one table, expected of random bits."""
        runs = (math.ldexp(fingerprints, -table.prefix_bits) for table in self.layout())
        return sum(runs) / self.tables

    def nbytes(self, fingerprints: int) -> int:
        """Return the bytes of all tables and of the list that tells ids by fingerprint."""
        return fingerprints * ((self.tables + 1) * FINGERPRINT_BYTES + ID_BYTES)


def _choices(left: Bits, split: Split) -> list[tuple[Bits, Bits]]:
    """Return every (chosen, rest) of the blocks that some bits are cut into."""
    blocks = _cut(left, split.blocks)
    places = range(split.blocks)
    return [
        (
            tuple(bit for n in places if n in chosen for bit in blocks[n]),
            tuple(bit for n in places if n not in chosen for bit in blocks[n]),
        )
        for chosen in itertools.combinations(places, split.chosen)
    ]


def _cut(bits: Bits, blocks: int) -> list[Bits]:
    """Cut bits into blocks whose widths differ by one at most, wider ones first."""
    if len(bits) < blocks:
        raise ValueError(f"{len(bits)} bits cannot be cut into {blocks} blocks")
    size, wider = divmod(len(bits), blocks)
    starts = [number * size + min(number, wider) for number in range(blocks + 1)]
    return [bits[start:end] for start, end in itertools.pairwise(starts)]


def _segments(bits: Bits) -> tuple[Segment, ...]:
    """Return bit numbers as segments of neighbours, falling in each."""
    segments: list[Segment] = []
    for bit in bits:
        if segments and segments[-1].start == bit + 1:
            segments[-1] = Segment(bit, segments[-1].width + 1)
        else:
            segments.append(Segment(bit, 1))
    return tuple(segments)


PAPER_DESIGNS = (
    TableDesign((Split(4, 1),)),
    TableDesign((Split(5, 2),)),
    TableDesign((Split(4, 1), Split(4, 1))),
    TableDesign((Split(6, 3),)),
)
"""The designs of section 3.1.1 for 64 bits and k = 3: 4, 10, 16 and 20 tables."""
