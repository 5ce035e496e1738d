"""What one page teaches of its site's template: how its zones fared, and which lines it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import NamedTuple

import mmh3

from crawler.templates.blocks import Block, Zone, key_of

_MARGIN = 0.005
"""Share of the kept characters at either end that may be stray finds: the main text ranges from
the first to the last line of the rest."""

_LEFT_OUT = 0.1
"""Share of a zone's word characters that an extractor may keep where it leaves the zone out. F1 of
served pages on nine sites is .986; with .05 it is .985, with .2 .983."""

_OUTSIDE = 0.9
"""Share of them that must lie before or after the main text in a zone that surrounds it."""

MAX_ZONES = 200
"""Zones of one page in its lesson, the heaviest ones. Pages of nine sites have up to 84, of 450
other ones up to 103."""

MAX_LINES = 1_000
"""Keys of lines in a lesson. Pages of nine sites have up to 900 lines that could have one."""

MAX_EXAMPLE = 80
"""Characters of a line that stands for its zone where people look at what was learned."""

_LONGEST = 100
"""Word characters of a line that may be counted as a repetition: longer ones are prose, and what of
it repeats is rare and no harm."""


class Weights(NamedTuple):
    """Word characters of one zone on a page, or on many."""

    pages: int = 0
    judged: int = 0
    """Pages on which an extractor's text was taken for the page's."""
    all: int = 0
    """On all pages."""
    told: int = 0
    """On the judged ones: in all,"""
    kept: int = 0
    """in the main text,"""
    outside: int = 0
    """and before the first or after the last line of the main text."""
    most: int = 0
    """Outside of links on the page that has most of them,"""
    most_kept: int = 0
    """and on the page where most of them are in the main text."""

    def plus(self, other: Weights) -> Weights:
        """Return both together; the order does not matter."""
        sums = (mine + theirs for mine, theirs in zip(self, other, strict=True))
        most, most_kept = max(self.most, other.most), max(self.most_kept, other.most_kept)
        return Weights(*sums)._replace(most=most, most_kept=most_kept)

    @property
    def is_left_out(self) -> bool:
        """Whether an extractor leaves it out, on the judged pages."""
        return self.judged > 0 and self.kept <= _LEFT_OUT * self.told

    @property
    def is_outside(self) -> bool:
        """Whether it lies before or after the main text, on the judged pages."""
        return self.judged > 0 and self.outside >= _OUTSIDE * self.told


class Compared(NamedTuple):
    """A template's reading held against a trusted extractor's, in word characters."""

    kept: int
    """That the extractor keeps, outside of links;"""
    missed: int
    """those of them that the template drops."""
    both: int
    """That both keep, links and all;"""
    either: int
    """that one of them keeps."""

    @property
    def agreement(self) -> float:
        """What both keep, as a share of what either keeps (Jaccard)."""
        return self.both / self.either if self.either else 1.0


@dataclass(frozen=True, slots=True)
class Lesson:
    """One page, as its site's template is learned from it. Picklable; some kB, at most 200."""

    zones: Mapping[Zone, Weights]
    lines: frozenset[tuple[int, Zone]] = field(default=frozenset(), repr=False)
    """Keys of those of the page's lines that may be repetitions, with their zones."""
    identity: int = 0
    """64 bits that stand for all its text: a page fetched twice is no repetition."""
    is_judged: bool = False
    """Whether an extractor's text was taken for the page's."""
    share: int = 0
    """Thousandths of its word characters that the extractor keeps; 0 if not judged."""
    compared: Compared | None = None
    """With the template that read the page as well; None if none did, or if not judged."""
    examples: Mapping[Zone, str] = field(default_factory=dict, repr=False)
    """A line of each zone, cut: for people, nothing is concluded from them."""


def longer(one: str, other: str) -> str:
    """Return the better example of two."""
    return max(one, other, key=lambda text: (len(text), text))


def lesson_of(
    blocks: Sequence[Block], kept: Sequence[bool] | None, read: Sequence[bool] | None = None
) -> Lesson:
    """Return what a page teaches; `kept` are the blocks of its main text, None where none is sure.

    A page without a trusted main text shows what repeats itself, not what is content. `read` are
    the blocks that its site's template keeps, if that read the page as well.
    """
    zones = _weights(blocks, kept)
    total = sum(weights.all for weights in zones.values())
    told = sum(weights.kept for weights in zones.values())
    zones = _heaviest(zones)
    return Lesson(
        zones,
        frozenset(nsmallest(MAX_LINES, _lines(blocks, zones))),
        mmh3.hash64("\n".join(block.text for block in blocks).encode(errors="surrogatepass"))[0],
        kept is not None,
        1000 * told // total if total else 0,
        None if kept is None or read is None else _compared(blocks, kept, read),
        _examples(blocks, zones),
    )


def _examples(blocks: Sequence[Block], zones: Mapping[Zone, Weights]) -> dict[Zone, str]:
    examples: dict[Zone, str] = {}
    for block in blocks:
        if block.zone in zones:
            text = block.text[:MAX_EXAMPLE]
            examples[block.zone] = longer(examples.get(block.zone, ""), text)
    return examples


def _weights(blocks: Sequence[Block], kept: Sequence[bool] | None) -> dict[Zone, Weights]:
    begin, end = _range(blocks, kept) if kept else (0, 0)
    sums: dict[Zone, list[int]] = {}
    for number, block in enumerate(blocks):
        sum_of = sums.setdefault(block.zone, [0] * 5)
        weight = len(block.bare)
        sum_of[0] += weight
        sum_of[3] += block.unlinked
        if kept is None:
            continue
        if kept[number]:
            sum_of[1] += weight
            sum_of[4] += block.unlinked
        elif not begin <= number < end:
            sum_of[2] += weight
    judged = int(kept is not None)
    return {
        zone: Weights(1, judged, total, total * judged, told, outside, most, most_kept)
        for zone, (total, told, outside, most, most_kept) in sums.items()
    }


def _heaviest(zones: dict[Zone, Weights]) -> dict[Zone, Weights]:
    if len(zones) <= MAX_ZONES:
        return zones
    by_weight = sorted(zones.items(), key=lambda item: (-item[1].all, item[0]))
    return dict(by_weight[:MAX_ZONES])


def _lines(blocks: Sequence[Block], zones: Iterable[Zone]) -> set[tuple[int, Zone]]:
    told = {zone for zone in zones if not zone.is_verbatim}
    return {
        (key_of(block.text), block.zone)
        for block in blocks
        if len(block.bare) <= _LONGEST and block.zone in told
    }


def _compared(blocks: Sequence[Block], kept: Sequence[bool], read: Sequence[bool]) -> Compared:
    told = missed = both = either = 0
    for block, is_kept, is_read in zip(blocks, kept, read, strict=True):
        told += is_kept * block.unlinked
        missed += (is_kept and not is_read) * block.unlinked
        both += (is_kept and is_read) * len(block.bare)
        either += (is_kept or is_read) * len(block.bare)
    return Compared(told, missed, both, either)


def _range(blocks: Sequence[Block], kept: Sequence[bool]) -> tuple[int, int]:
    """Return the numbers of the main text's first block and of that after its last."""
    weights = [len(block.bare) * is_kept for block, is_kept in zip(blocks, kept, strict=True)]
    total, passed = sum(weights), 0
    begin = end = 0
    for number, weight in enumerate(weights):
        if passed <= _MARGIN * total:
            begin = number
        passed += weight
        if weight and passed - weight < (1 - _MARGIN) * total:
            end = number + 1
    return begin, end
