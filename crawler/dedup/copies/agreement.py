"""The sentences in which two pages differ, in whatever order and however cut into lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from crawler.dedup.copies.appearance import Appearance
from crawler.dedup.copies.volatile import lasting

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*")


@dataclass(frozen=True, slots=True)
class Side:
    """What only one of two pages has, in words, without dates and counters; and how long it is."""

    text: Sequence[str]
    """Sentences of its judged text."""
    inside: bool
    """Whether some of them stand between others that both have: not at the edges of the text, where
    an extraction takes in what stands beside it."""
    beside: Sequence[str]
    links: Sequence[str]
    length: int
    """Characters of its judged text."""
    beside_length: int
    """Characters of all that stands beside it but for links."""
    links_length: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two pages compared sentence by sentence."""

    first: Side
    second: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both."""
        return self.first, self.second

    @property
    def same_text(self) -> bool:
        """Whether every lasting sentence of either text is on the other page too."""
        return not self.first.text and not self.second.text

    @property
    def text_changed(self) -> float:
        """Share of the judged text that only one of the two has, 0..1, of the larger."""
        return max(_share(characters(side.text), side.length) for side in self.sides)

    @property
    def beside_changed(self) -> float:
        """What only one of the two has beside its text, as a multiple of its text, of the larger.

        In characters; any number from 0.
        """
        return max(_share(characters((*s.beside, *s.links)), s.length) for s in self.sides)

    def shown_alike(self, *, links: bool) -> float:
        """Return how much of what is visible on either both show, if their judged texts are one.

        In characters, 0..1: what they share as a share of that and of what only one of them has;
        with or without `links`.
        """
        apart = (characters((*s.beside, *(s.links if links else ()))) for s in self.sides)
        whole = (s.length + s.beside_length + s.links_length * links for s in self.sides)
        return _alike(tuple(whole), tuple(apart))

    @property
    def visible_alike(self) -> float:
        """The same of all that is visible, whatever of it was judged."""
        apart = (characters((*s.text, *s.beside, *s.links)) for s in self.sides)
        whole = (s.length + s.beside_length + s.links_length for s in self.sides)
        return _alike(tuple(whole), tuple(apart))


def agreement(page: Appearance, other: Appearance) -> Agreement:
    """Compare two pages; linear in their texts. A sentence counts as often as it stands there."""
    first, second = _parts(page), _parts(other)
    for change in (_as_it_is, sentences, _lasting):  # what is equal as it is needs no closer look
        first, second = _without(first, second, change), _without(second, first, change)
    return Agreement(_side(page, *first), _side(other, *second))


def characters(lines: Iterable[str]) -> int:
    """Return how long lines are together."""
    return sum(map(len, lines))


_Parts = tuple[Sequence[str], Sequence[str], Sequence[str]]
_Change = Callable[[str], Sequence[str]]


def _parts(page: Appearance) -> _Parts:
    return page.text, page.beside, page.links


def _as_it_is(line: str) -> Sequence[str]:
    return (line,)


def sentences(line: str) -> Sequence[str]:
    """Return the sentences of a line: what pages are compared by."""
    return _SENTENCE_END.split(line)


def _lasting(sentence: str) -> Sequence[str]:
    return (lasting(sentence),)


def _without(parts: _Parts, other: _Parts, change: _Change) -> _Parts:
    """Return each part, changed, without what is anywhere on the other page."""
    left = Counter(piece for part in other for line in part for piece in change(line))
    text, beside, links = (
        _only((piece for line in part for piece in change(line)), left) for part in parts
    )
    return text, beside, links


def _only(pieces: Iterable[str], left: Counter[str]) -> list[str]:
    """Return the pieces not in `left`, taking those that are out of it; empty ones never count."""
    only = []
    for piece in pieces:
        if left[piece] > 0:
            left[piece] -= 1
        elif piece:
            only.append(piece)
    return only


def _side(
    page: Appearance, text: Sequence[str], beside: Sequence[str], links: Sequence[str]
) -> Side:
    lengths = map(characters, _parts(page))
    return Side(text, _are_inside(page.text, text), beside, links, *lengths)


def _are_inside(lines: Sequence[str], differing: Sequence[str]) -> bool:
    """Whether sentences are left of those that differ, when both edges of a text are taken off."""
    left = Counter(differing)
    for way in (lines, lines[::-1]):
        for line in way:
            pieces = [lasting(sentence) for sentence in sentences(line)]
            if any(piece and left[piece] <= 0 for piece in pieces):
                break
            left.subtract(pieces)
    return any(number > 0 for piece, number in left.items() if piece)


def _alike(whole: Sequence[int], apart: Sequence[int]) -> float:
    """Return what two pages share of so much, if so much of each is not on the other."""
    shared = max(0, min(all_ - own for all_, own in zip(whole, apart, strict=True)))
    total = shared + sum(apart)
    return shared / total if total else 1.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float(part > 0)
