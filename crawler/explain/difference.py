"""In which passages two texts differ: word by word, or character by character in Chinese.

Texts are first aligned by sentences, then the sentences that differ by words: aligning all words of
a long text at once takes time quadratic in its length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby
from typing import Any

from crawler.dedup.signing import scripts

MAX_CHARACTERS = 500_000
"""How much of a text is compared; what follows is left out, and that is said."""

MAX_CELLS = 4_000_000
"""Passages of n and m words are not aligned inside where n * m is above: it would take seconds."""

_SENTENCE_END = re.compile(
    r"(?<=\n)(?!\n)|(?<=[。！？；])(?![。！？；\n])|(?:(?<=[.!?;]\s)|(?<=[.!?;]\s\s))(?=\S)"
)
UNIT = re.compile(
    r"\d+(?:[.,:/-]\d+)+"
    rf"|{scripts.HAN_RUN.pattern.removesuffix('+')}"
    rf"|{scripts.UNSEGMENTED_RUN.pattern.removesuffix('+')}"
    rf"|{scripts.SPACED_RUN.pattern}|\s+|."
)
"""Finds words, numbers and dates, single characters of Chinese, and what stands between them."""


class Change(StrEnum):
    """What became of a passage of the first text."""

    EQUAL = "equal"
    REMOVED = "removed"
    """Only in the first text."""
    ADDED = "added"
    """Only in the second text."""
    ELIDED = "elided"
    """The rest of a line that both have: not shown."""


class LeftOut(StrEnum):
    """Why the judge does not look at a change: what differs between two copies as well."""

    STAMP = "a stamp or a counter"
    ORDER = "only the order, the same stands elsewhere on the other page"
    SPACE = "white space or line breaks"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text."""

    change: Change
    text: str
    left_out: LeftOut | None = None
    """Why the judge leaves the change out; None where it is one to him too, or nobody asked."""


def difference(text: str, other: str) -> list[Piece]:
    """Return both texts as one sequence of pieces, equal and other neighbours joined.

    The pieces but the added ones make the first text, the pieces but the removed ones the second
    (each up to MAX_CHARACTERS).
    """
    sides = sentences(text[:MAX_CHARACTERS]), sentences(other[:MAX_CHARACTERS])
    pieces: list[Piece] = []
    for same, ours, theirs in aligned(*sides):
        pieces.extend([Piece(Change.EQUAL, "".join(ours))] if same else _inside(ours, theirs))
    return _joined(pieces)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, which together are the text."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence]


def _inside(ours: Sequence[str], theirs: Sequence[str]) -> list[Piece]:
    """Return the pieces of sentences that differ."""
    units = UNIT.findall("".join(ours)), UNIT.findall("".join(theirs))
    if len(units[0]) * len(units[1]) > MAX_CELLS:
        return _changed("".join(ours), "".join(theirs))
    pieces: list[Piece] = []
    for same, mine, its in aligned(*units):
        text = "".join(mine)
        pieces += [Piece(Change.EQUAL, text)] if same else _changed(text, "".join(its))
    return pieces


def _changed(removed: str, added: str) -> list[Piece]:
    return [Piece(Change.REMOVED, removed), Piece(Change.ADDED, added)]


def aligned(
    ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    """Yield (equal?, some of ours, some of theirs), which together are all of both."""
    for same, own, its in spans(ours, theirs):
        yield same, ours[own], theirs[its]


def spans(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[bool, slice, slice]]:
    """Yield (equal?, where in ours, where in theirs), which together are all of both.

    What occurs so often that all its pairs are too many is told apart by how often it came before:
    thousands of equal lines would take hours.
    """
    counts, its = Counter(ours), Counter(theirs)
    if sum(number * its[one] for one, number in counts.items()) > MAX_CELLS:
        matcher: SequenceMatcher[Any] = SequenceMatcher(
            None, _numbered(ours), _numbered(theirs), autojunk=False
        )
    else:
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, begin, end, its_begin, its_end in matcher.get_opcodes():
        yield tag == "equal", slice(begin, end), slice(its_begin, its_end)


def _numbered(texts: Sequence[str]) -> list[tuple[str, int]]:
    seen: Counter[str] = Counter()
    found = []
    for text in texts:
        found.append((text, seen[text]))
        seen[text] += 1
    return found


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces without empty ones, neighbours of one kind as one piece.

    Between two agreements all that was removed comes first, then all that was added; white space
    alone between two changes belongs to both, or every changed phrase would fall apart in words.
    """
    runs: list[Piece] = []
    removed = added = ""
    for number, piece in enumerate(pieces):
        changed_on_both_sides = 0 < number < len(pieces) - 1 and bool(removed or added)
        if piece.change is Change.REMOVED:
            removed += piece.text
        elif piece.change is Change.ADDED:
            added += piece.text
        elif piece.text.isspace() and changed_on_both_sides and removed and added:
            removed, added = removed + piece.text, added + piece.text
        else:
            runs += [*_changed(removed, added), piece]
            removed = added = ""
    runs += _changed(removed, added)
    kept = [piece for piece in runs if piece.text]
    return [
        Piece(change, "".join(piece.text for piece in group))
        for change, group in groupby(kept, key=lambda piece: piece.change)
    ]
