"""In which passages two texts differ: word by word, or character by character in Chinese.

Texts are first aligned by sentences, then the sentences that differ by words: aligning all words of
a long text at once takes time quadratic in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby

from crawler.dedup.signing import scripts

MAX_CHARACTERS = 500_000
"""How much of a text is compared; what follows is left out, and that is said."""

MAX_CELLS = 4_000_000
"""Passages of n and m words are not aligned inside where n * m is above: it would take seconds."""

CONTEXT = 40
"""Characters of agreement shown on either side of a change."""

_SENTENCE = re.compile(r"[^\n。！？；.!?;]*(?:\n+|[。！？；]+|[.!?;]+\s*|\Z)")
_UNIT = re.compile(
    rf"{scripts.HAN_RUN.pattern.removesuffix('+')}"
    rf"|{scripts.UNSEGMENTED_RUN.pattern.removesuffix('+')}"
    rf"|{scripts.SPACED_RUN.pattern}|\s+|."
)


class Change(StrEnum):
    """What became of a passage of the first text."""

    EQUAL = "equal"
    REMOVED = "removed"
    """Only in the first text."""
    ADDED = "added"
    """Only in the second text."""
    ELIDED = "elided"
    """Agreement that is not shown; only after `passages`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text."""

    change: Change
    text: str


def difference(text: str, other: str) -> list[Piece]:
    """Return both texts as one sequence of pieces, equal and other neighbours joined.

    The pieces but the added ones make the first text, the pieces but the removed ones the second
    (each up to MAX_CHARACTERS).
    """
    sentences = _sentences(text[:MAX_CHARACTERS]), _sentences(other[:MAX_CHARACTERS])
    pieces: list[Piece] = []
    for same, ours, theirs in _aligned(*sentences):
        pieces.extend([Piece(Change.EQUAL, "".join(ours))] if same else _inside(ours, theirs))
    return _joined(pieces)


def passages(pieces: Sequence[Piece], context: int = CONTEXT) -> list[Piece]:
    """Return the changed pieces with some agreement around them; the rest is elided."""
    shown: list[Piece] = []
    for number, piece in enumerate(pieces):
        begin = context if number else 0
        end = len(piece.text) - (context if number < len(pieces) - 1 else 0)
        if piece.change is not Change.EQUAL or end <= begin + context:
            shown.append(piece)
            continue
        shown.append(Piece(Change.EQUAL, piece.text[:begin]))
        shown.append(Piece(Change.ELIDED, piece.text[begin:end]))
        shown.append(Piece(Change.EQUAL, piece.text[end:]))
    return [piece for piece in shown if piece.text]


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.findall(text) if sentence]


def _inside(ours: Sequence[str], theirs: Sequence[str]) -> list[Piece]:
    """Return the pieces of sentences that differ."""
    units = _UNIT.findall("".join(ours)), _UNIT.findall("".join(theirs))
    if len(units[0]) * len(units[1]) > MAX_CELLS:
        return _changed("".join(ours), "".join(theirs))
    pieces: list[Piece] = []
    for same, mine, its in _aligned(*units):
        text = "".join(mine)
        pieces += [Piece(Change.EQUAL, text)] if same else _changed(text, "".join(its))
    return pieces


def _changed(removed: str, added: str) -> list[Piece]:
    return [Piece(Change.REMOVED, removed), Piece(Change.ADDED, added)]


def _aligned(
    ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, begin, end, its_begin, its_end in matcher.get_opcodes():
        yield tag == "equal", ours[begin:end], theirs[its_begin:its_end]


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
