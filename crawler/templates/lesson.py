"""What one page teaches of its site's template: how its zones fared, and which lines it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from crawler.extract.text import word_characters
from crawler.extract.visible import Line

_LINKED = 0.5
"""Share of a line's word characters that are link text in a line that leads elsewhere (link
density: Kohlschuetter et al., WSDM 2010)."""

_MARGIN = 0.005
"""Share of the kept characters at either end that may be stray finds: the main text ranges from
the first to the last line of the rest."""


class Zone(NamedTuple):
    """Lines that a template treats alike: those of one path, links apart from text."""

    path: str
    linked: bool

    @property
    def is_heading(self) -> bool:
        """Whether its lines are headings that lead nowhere."""
        return not self.linked and any(tag in _HEADINGS for tag in _tags(self.path))


_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


def _tags(path: str) -> Iterator[str]:
    return (label.partition(".")[0] for label in path.split(">"))


class Block(NamedTuple):
    """A visible line that says something."""

    zone: Zone
    text: str
    bare: str
    """Its word characters, never empty."""
    linked: int
    """How many of them are link text."""

    @property
    def key(self) -> int:
        """64 bits that stand for the line in its zone."""
        named = f"{self.zone.linked:d}{self.zone.path}\n{self.text}"
        return _digest(named.encode(errors="surrogatepass"))

    @property
    def unlinked(self) -> int:
        """Word characters outside of links."""
        return len(self.bare) - min(len(self.bare), self.linked)


def _digest(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    """Return the lines that have word characters, with their zones."""
    blocks = []
    for text, linked, path, *_ in lines:
        if bare := word_characters(text):
            blocks.append(Block(Zone(path, linked > _LINKED * len(bare)), text, bare, linked))
    return blocks


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

    def plus(self, other: Weights) -> Weights:
        """Return the sum, field by field."""
        return Weights(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Lesson:
    """One page, as its site's template is learned from it. Picklable; some kB."""

    zones: dict[Zone, Weights]
    lines: frozenset[int] = field(repr=False)
    """Keys of the page's lines."""
    identity: int = 0
    """64 bits that stand for all its text: a page fetched twice is no repetition."""
    is_judged: bool = False
    """Whether an extractor's text was taken for the page's."""
    lost: int = 0
    """Word characters outside of links that the extractor left out; 0 if not judged."""


def lesson_of(blocks: Sequence[Block], kept: Sequence[bool] | None) -> Lesson:
    """Return what a page teaches; `kept` are the blocks of its main text, None where none is sure.

    A page without a trusted main text shows what repeats itself, not what is content.
    """
    begin, end = _range(blocks, kept) if kept else (0, 0)
    zones: dict[Zone, Weights] = {}
    lost = 0
    for number, block in enumerate(blocks):
        weight = len(block.bare)
        told = Weights(all=weight)
        if kept is not None:
            is_kept = kept[number]
            is_outside = not is_kept and not begin <= number < end
            told = Weights(0, 0, weight, weight, weight * is_kept, weight * is_outside)
            lost += 0 if is_kept else block.unlinked
        zones[block.zone] = zones.get(block.zone, Weights()).plus(told)
    once = Weights(pages=1, judged=int(kept is not None))
    keys = [block.key for block in blocks]
    return Lesson(
        {zone: weights.plus(once) for zone, weights in zones.items()},
        frozenset(keys),
        _digest(b"".join(key.to_bytes(8, "big") for key in keys)),
        kept is not None,
        lost,
    )


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
