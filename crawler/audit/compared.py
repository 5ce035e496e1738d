"""In what the two pages of a pair differ: passages of their texts, and lines beside these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.audit.pairs import Pair, Side
from crawler.dedup.copies import Appearance
from crawler.dedup.copies.agreement import Side as OnlyThere
from crawler.dedup.copies.agreement import agreement, sentences
from crawler.dedup.copies.volatile import lasting
from crawler.explain.difference import MAX_CHARACTERS, Change, Piece, difference, passages

OPENING = 160
"""Characters of agreement shown at the beginning, so that it is seen what a page is about."""
CONTEXT = 60
"""Characters of agreement shown on either side of a change."""
MAX_SHOWN = 20_000
"""Characters of a text that are shown of a pair; the rest is left out, and that is said."""
MAX_LINES = 30
"""Lines beside the text that are shown of either page."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Lines outside of the judged text that only one of the two has, dates and counters aside."""

    lines: tuple[str, ...]
    more: int
    """How many there are besides those."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two pages compared."""

    pieces: tuple[Piece, ...]
    """What is shown of both texts; empty where one of them is missing."""
    cut: bool
    """Whether there is more of the texts than is shown or was compared."""
    beside: tuple[Beside, Beside] | None
    """Of the page and of the stored one; None where it was not kept of one of them."""

    @property
    def same_text(self) -> bool:
        """Whether no difference is shown."""
        return not any(piece.change in (Change.REMOVED, Change.ADDED) for piece in self.pieces)


def compare(pair: Pair) -> Compared:
    """Compare the texts of a pair, and what is beside them."""
    page, stored = pair.page, pair.stored
    pieces: list[Piece] = []
    cut = False
    if page.text is not None and stored.text is not None:
        whole = _shown(difference(page.text, stored.text))
        pieces = _first(whole)
        longest = max(len(page.text), len(stored.text))
        cut = pieces != whole or longest > MAX_CHARACTERS
    return Compared(tuple(pieces), cut, _beside(page, stored))


def hunks(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return pieces in groups: each elision alone, and what stands between two of them."""
    groups: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.change is Change.ELIDED:
            groups += [[piece], []]
        else:
            groups[-1].append(piece)
    return [group for group in groups if group]


def _shown(pieces: list[Piece]) -> list[Piece]:
    """Return passages, after the opening of the texts if they begin alike."""
    if not pieces or pieces[0].change is not Change.EQUAL:
        return passages(pieces, CONTEXT)
    first, *others = pieces
    opening, rest = first.text[:OPENING], first.text[OPENING:]
    if not rest:
        return [first, *passages([Piece(Change.EQUAL, ""), *others], CONTEXT)]
    return [Piece(Change.EQUAL, opening), *passages([Piece(Change.EQUAL, rest), *others], CONTEXT)]


def _first(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces that fit into what is shown, the last of them cut off."""
    shown, left = [], MAX_SHOWN
    for piece in pieces:
        if left <= 0:
            break
        fits = piece.text if piece.change is Change.ELIDED else piece.text[:left]
        shown.append(Piece(piece.change, fits))
        left -= 0 if piece.change is Change.ELIDED else len(fits)
    return shown


def _beside(page: Side, stored: Side) -> tuple[Beside, Beside] | None:
    if page.appearance is None or stored.appearance is None:
        return None
    found = agreement(page.appearance, stored.appearance)
    return _as_written(found.first, page.appearance), _as_written(found.second, stored.appearance)


def _as_written(only: OnlyThere, page: Appearance) -> Beside:
    """Return sentences as the page has them: they were compared in lower case, without dates."""
    lines = (*page.beside, *page.links)
    written = {lasting(sentence): sentence for line in lines for sentence in sentences(line)}
    found = [written.get(sentence, sentence) for sentence in (*only.beside, *only.links)]
    return Beside(tuple(found[:MAX_LINES]), max(0, len(found) - MAX_LINES))
