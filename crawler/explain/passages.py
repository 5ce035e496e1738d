"""The passages in which a part of two pages differs, each with its place and why it is left out.

::

    lines -> sentences and stamps, aligned -> words of those that differ -> runs -> passages
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, islice
from typing import NamedTuple

from crawler.dedup.copies.volatile import stamps
from crawler.explain.difference import MAX_CELLS, UNIT, Change, LeftOut, Piece, sentences, spans

CONTEXT = 40
"""Characters of agreement shown on either side of a change."""
MEANINGLESS_WORDS = 2
"""Of a passage that means nothing where it does not stand, such as a number in a cell: its other
place is no mere order. Two teams whose goals are exchanged show the same passages."""
FACT = 120
"""Characters of the longest passage that counts as a replaced fact."""


class Place(StrEnum):
    """Where on a page something stands."""

    TITLE = "title"
    HEADING = "heading"
    TEXT = "text"
    """The judged text."""
    BESIDE = "beside the text"
    FRAME = "header or footer"
    HIDDEN = "hidden text"
    VALUE = "form or drawing"
    """Values of fields, what there is to choose from, words in a drawing."""
    PICTURE = "picture"
    """Its name, or the text that stands for it."""
    EMBED = "embed"
    """What is embedded, or attached as a file."""
    DATA = "data"
    """JSON-LD."""


_CHANGES = frozenset((Change.REMOVED, Change.ADDED))
_READ = frozenset((Place.HEADING, Place.TEXT, Place.BESIDE, Place.FRAME))
"""What stands in one of these on the one page and in another on the other is read on both."""
_LITTLE = 4
"""Times that what is replaced on either side is longer than what both have between, if that says
nothing."""
_SEPARATORS = re.compile(r"[\s.,:;·•|()/–—-]*")
"""What stands between a stamp and its neighbours."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Changes that stand together, with some agreement around them."""

    place: Place
    pieces: tuple[Piece, ...]
    """Those elided are the rest of a line that is the same."""

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Why the judge leaves out all its changes; empty where he leaves out none, or some."""
        reasons = [piece.left_out for piece in self.pieces if piece.change in _CHANGES]
        return tuple(dict.fromkeys(why for why in reasons if why)) if all(reasons) else ()

    @property
    def is_fact(self) -> bool:
        """Whether something short stands on the one page in place of something on the other."""
        changed = sum(len(piece.text) for piece in self.pieces if piece.change in _CHANGES)
        return changed <= FACT and {piece.change for piece in self.pieces} >= _CHANGES


class _Element(NamedTuple):
    """A sentence, a stamp, or a word of either."""

    text: str
    place: Place
    left_out: LeftOut | None = None
    """Why the judge leaves it out, if only one page has it there."""
    change: Change = Change.EQUAL


class _Run(NamedTuple):
    """Changes in one place that nothing stands between."""

    place: Place
    pieces: list[Piece]
    gap: str
    """What both have before it, since the run before."""

    @property
    def reasons(self) -> set[LeftOut | None]:
        return {piece.left_out for piece in self.pieces if piece.change in _CHANGES}


class Part:
    """A part of two pages, sentence by sentence."""

    def __init__(
        self,
        ours: Sequence[tuple[Place, str]],
        theirs: Sequence[tuple[Place, str]],
        context: int = CONTEXT,
        *,
        is_list: bool = False,
    ) -> None:
        """Compare lines; those of a list say nothing of the ones beside them."""
        common = {line for _, line in ours} & {line for _, line in theirs}
        self.sides = tuple(list(_elements(lines, common)) for lines in (ours, theirs))
        self._context, self._is_list = context, is_list
        self._blocks = list(spans(*([one.text for one in side] for side in self.sides)))

    def changed(self) -> Iterator[tuple[int, int]]:
        """Yield the side, 0 or 1, and the number of each element that is not there on the other.

        Not of those that the other has there with another white space after them.
        """
        for same, *where in self._blocks:
            if same:
                continue
            texts = [{one.text.strip() for one in self._of(side, where)} for side in (0, 1)]
            both = texts[0] & texts[1]
            for side, span in enumerate(where):
                for number in range(span.start, span.stop):
                    if self.sides[side][number].text.strip() not in both:
                        yield side, number

    def _of(self, side: int, where: Sequence[slice]) -> Sequence[_Element]:
        return self.sides[side][where[side]]

    def passages(self) -> Iterator[Passage]:
        """Yield what differs, in the order of the page."""
        runs, rest = self._runs()
        gaps = [*(run.gap for run in runs), rest]
        at = 0
        while at < len(runs):
            before = gaps[at].rpartition("\n")[2] if self._is_list else gaps[at]
            pieces = [*_before(before, self._context), *runs[at].pieces]
            while at + 1 < len(runs) and self._belongs(runs[at], runs[at + 1]):
                at += 1
                pieces += [Piece(Change.EQUAL, gaps[at]), *runs[at].pieces]
            place, at = runs[at].place, at + 1
            if not pieces[-1].text.endswith("\n"):
                pieces += _after(gaps[at], self._context)
            yield Passage(place, _tidy(pieces))

    def _belongs(self, run: _Run, following: _Run) -> bool:
        """Whether two runs are shown as one passage."""
        if run.place is not following.place or not following.gap:
            return False
        if len(following.gap) > 2 * self._context:
            return False
        on_one_line = "\n" not in f"{run.pieces[-1].text[-1:]}{following.gap}"
        return on_one_line or (run.reasons == following.reasons and not self._is_list)

    def _runs(self) -> tuple[list[_Run], str]:
        """Return the runs, and what both have after the last."""
        runs, gap = [], ""
        for is_equal, group in groupby(self._words(), lambda one: one.change is Change.EQUAL):
            if is_equal:
                gap = "".join(one.text for one in group)
                continue
            places: dict[Place, list[_Element]] = {}
            for one in group:
                places.setdefault(one.place, []).append(one)
            for place, some in places.items():
                runs.append(_Run(place, _pieces(some), gap))
                gap = ""
        return runs, gap

    def _words(self) -> Iterator[_Element]:
        ours, theirs = self.sides
        for same, own, its in self._blocks:
            yield from ours[own] if same else _inside(ours[own], theirs[its])


def _tidy(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return pieces with equal neighbours joined, without a line end after the last."""
    joined = [
        Piece(change, "".join(piece.text for piece in some), left_out)
        for (change, left_out), some in groupby(pieces, lambda one: (one.change, one.left_out))
    ]
    if joined[-1].change is Change.EQUAL:
        joined[-1] = replace(joined[-1], text=joined[-1].text.rstrip("\n"))
    return tuple(piece for piece in joined if piece.text)


def _elements(lines: Sequence[tuple[Place, str]], common: set[str]) -> Iterator[_Element]:
    """Yield the sentences of lines, and each stamp by itself, as it is left out as a whole.

    Stamps are not looked for in lines that both pages have.
    """
    for place, line in lines:
        at = 0
        for begin, end in [] if line in common else stamps(line):
            if begin >= at:
                yield from _sentences(line[at:begin], place)
                at = end if end < len(line) else end + 1
                yield _Element(f"{line}\n"[begin:at], place, LeftOut.STAMP)
        yield from _sentences(f"{line}\n"[at:], place)


def _sentences(text: str, place: Place) -> Iterator[_Element]:
    return (_Element(one, place) for one in sentences(text))


def mark_moved(parts: Sequence[Part]) -> None:
    """Mark sentences that stand elsewhere on the other page, as often as they do there."""
    found = defaultdict[tuple[Place | None, str], tuple[_Found, _Found]](lambda: ([], []))
    for part in parts:
        for side, number in part.changed():
            text, place, left_out, _ = part.sides[side][number]
            if left_out is None and place is not Place.TITLE and _means_something(text):
                key = None if place in _READ else place, text.strip()
                found[key][side].append((part.sides[side], number))
    for ours, theirs in found.values():
        moved = min(len(ours), len(theirs))
        for elements, number in (*ours[:moved], *theirs[:moved]):
            elements[number] = elements[number]._replace(left_out=LeftOut.ORDER)


_Found = list[tuple[list[_Element], int]]


def _means_something(text: str) -> bool:
    words = (unit for unit in UNIT.findall(text) if unit[0].isalnum())
    return len(list(islice(words, MEANINGLESS_WORDS + 1))) > MEANINGLESS_WORDS


def _inside(ours: Sequence[_Element], theirs: Sequence[_Element]) -> Iterator[_Element]:
    """Yield the words of sentences that differ."""
    own, its = (list(_units(side)) for side in (ours, theirs))
    if len(own) * len(its) > MAX_CELLS:
        yield from _changed(own, its)
        return
    blocks = list(spans([one.text for one in own], [one.text for one in its]))
    for number, (same, span, its_span) in enumerate(blocks):
        words = own[span]
        if not same or _joins(own, its, number, blocks):
            yield from _changed(words, its[its_span])
        else:
            yield from words


def _units(elements: Sequence[_Element]) -> Iterator[_Element]:
    for one in elements:
        if one.left_out:
            yield one
        else:
            yield from (one._replace(text=unit) for unit in UNIT.findall(one.text))


def _joins(
    ours: Sequence[_Element],
    theirs: Sequence[_Element],
    number: int,
    blocks: Sequence[tuple[bool, slice, slice]],
) -> bool:
    """Whether what both have in a block is but a space, or little, between two replaced phrases.

    A character in common would else cut two sentences that say other things to pieces.
    """
    common = "".join(one.text for one in ours[blocks[number][1]])
    if not 0 < number < len(blocks) - 1 or "\n" in common:
        return False
    replaced = min(
        sum(len(one.text) for one in side[span])
        for _, *spans_ in (blocks[number - 1], blocks[number + 1])
        for side, span in zip((ours, theirs), spans_, strict=True)
    )
    return replaced > 0 if common.isspace() else replaced > _LITTLE * len(common.strip())


def _changed(ours: Iterable[_Element], theirs: Iterable[_Element]) -> Iterator[_Element]:
    yield from (one._replace(change=Change.REMOVED) for one in ours)
    yield from (one._replace(change=Change.ADDED) for one in theirs)


def _pieces(changed: Sequence[_Element]) -> list[Piece]:
    """Return what was removed, then what was added; line ends around both stand outside."""
    sides = [
        [
            Piece(side, "".join(one.text for one in some), left_out)
            for left_out, some in groupby(
                (one for one in _settled(changed) if one.change is side), lambda one: one.left_out
            )
        ]
        for side in (Change.REMOVED, Change.ADDED)
    ]
    sides = [side for side in sides if side]
    before = after = ""
    if all(side[0].text.startswith("\n") and not side[0].text.isspace() for side in sides):
        before = "\n"
        for side in sides:
            side[0] = replace(side[0], text=side[0].text[1:])
    if all(side[-1].text.endswith("\n") and not side[-1].text.isspace() for side in sides):
        after = "\n"
        for side in sides:
            side[-1] = replace(side[-1], text=side[-1].text[:-1])
    pieces = [
        Piece(Change.EQUAL, before),
        *(piece for side in sides for piece in side),
        Piece(Change.EQUAL, after),
    ]
    return [piece for piece in pieces if piece.text]


def _settled(changed: Sequence[_Element]) -> Sequence[_Element]:
    """Return a run in which white space, and what stands around a stamp, is left out as well."""
    plain = "".join(one.text for one in changed if not one.left_out)
    reasons = [one.left_out for one in changed if one.left_out]
    if reasons and _SEPARATORS.fullmatch(plain):
        reason = reasons[0]
    elif not reasons and plain.isspace() and len({one.change for one in changed}) > 1:
        reason = LeftOut.SPACE
    else:
        return changed
    return [one if one.left_out else one._replace(left_out=reason) for one in changed]


def _before(gap: str, context: int) -> list[Piece]:
    """Return the end of what stands before a change: of its line, or of the one before."""
    begin = max(0, len(gap) - context)
    line = gap.rfind("\n", 0, begin) + 1
    end_of_line = gap.find("\n", begin)
    if line < begin and 0 <= end_of_line < len(gap.rstrip()):
        line = begin = end_of_line + 1
    return _equal(gap[begin:], elided_before=gap[line:begin])


def _after(gap: str, context: int) -> list[Piece]:
    """Return the beginning of what stands after a change, on its line."""
    line = gap.partition("\n")[0]
    return _equal(line[:context], elided_after=line[context:])


def _equal(shown: str, elided_before: str = "", elided_after: str = "") -> list[Piece]:
    pieces = (
        Piece(Change.ELIDED, elided_before),
        Piece(Change.EQUAL, shown),
        Piece(Change.ELIDED, elided_after),
    )
    return [piece for piece in pieces if piece.text]
