"""In what two pages differ for a reader: all that either shows, whatever the judge makes of it.

The raw lines are compared, and what a page shows apart from them. So an error of the judge can be
seen: what he leaves out of his comparison is a difference here, and said to be left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.dedup.copies import Appearance, lines_of
from crawler.dedup.copies.appearance import CUT
from crawler.explain.difference import MAX_CHARACTERS
from crawler.explain.passages import Part, Passage, Place, mark_moved
from crawler.records import (
    DATA_LINE,
    EMBED_LINE,
    FRAME_LINE,
    HIDDEN_LINE,
    PICTURE_LINE,
    VALUE_LINE,
)

FEW = 12
"""Passages that are read in the order of the page; of more, replaced facts come first."""

_PLACES = {
    FRAME_LINE: Place.FRAME,
    HIDDEN_LINE: Place.HIDDEN,
    VALUE_LINE: Place.VALUE,
    PICTURE_LINE: Place.PICTURE,
    EMBED_LINE: Place.EMBED,
    DATA_LINE: Place.DATA,
}
_WHOLE_TITLE = 400
"""Characters shown around a change in a title."""


@dataclass(frozen=True, slots=True)
class Looks:
    """A page as it is compared, each line with its place."""

    title: str | None
    heading: str | None
    """Where it is not among the lines."""
    lines: Sequence[tuple[Place, str]]
    """In document order; where that was not kept, text first."""
    apart: Sequence[tuple[Place, str]] | None
    """None where an earlier version stored the page, or its surroundings are not known."""
    is_whole: bool
    """Whether heading and what stands beside the text are known."""
    is_cut: bool
    """Whether more lines stood beside the text than were kept."""


@dataclass(frozen=True, slots=True)
class Differences:
    """All in which two pages differ."""

    passages: tuple[Passage, ...]
    """What matters most first: title, heading, lines, what is apart; then what is left out."""
    unknown: tuple[frozenset[Place], frozenset[Place]]
    """What is not known of either page, and so was not compared."""
    cut: tuple[bool, bool]
    """Whether more stood beside the text of either page than was kept."""
    is_long: bool
    """Whether there is more of a page than MAX_CHARACTERS, which are compared piece by piece."""
    rest_differs: bool
    """Whether that is not the same on both."""

    @property
    def same_text(self) -> bool:
        """Whether the judged texts differ in nothing but what the judge leaves out."""
        return all(one.left_out for one in self.passages if one.place is Place.TEXT)

    @property
    def is_none(self) -> bool:
        """Whether the two show the same, and nothing is unknown of them."""
        return not (self.passages or self.rest_differs or any(self.unknown) or any(self.cut))


def looks(
    title: str | None, text: str, shown: Appearance | None, *, is_whole: bool = True
) -> Looks:
    """Return a page as a reader sees it; `is_whole` as `Subject` has it, `text` is the judged one.

    Where the order of its lines is not known, `text` stands first.
    """
    if shown is None or not is_whole:
        return Looks(title, None, _placed(Place.TEXT, lines_of(text)), None, False, is_cut=False)
    in_order = shown.in_order
    if in_order is not None:
        lines = [(Place.TEXT if judged else Place.BESIDE, line) for line, judged in in_order]
    else:
        inside = lines_of(text)
        known = set(inside)  # of text that is all that is visible, links are lines, too
        others = (*shown.beside, *shown.links, *shown.signs)
        lines = _placed(Place.TEXT, inside)
        lines += _placed(Place.BESIDE, (line for line in others if line not in known))
    heading = shown.heading
    if any(line == heading for _, line in lines):
        heading = None
    apart = shown.apart
    placed = None if apart is None else [(_PLACES[one[0]], one[1:]) for one in apart]
    return Looks(shown.title, heading, lines, placed, True, is_cut=shown.order == CUT)


def differences(first: Looks, second: Looks) -> Differences:
    """Compare two pages, each part with the same part of the other."""
    is_whole = first.is_whole and second.is_whole
    ours, theirs = (
        [one for one in page.lines if is_whole or one[0] is Place.TEXT] for page in (first, second)
    )
    heads = _beginning(ours), _beginning(theirs)
    names = []
    if all(page.is_whole or page.title for page in (first, second)):
        names.append((_one(Place.TITLE, first.title), _one(Place.TITLE, second.title)))
    if is_whole:
        names.append((_one(Place.HEADING, first.heading), _one(Place.HEADING, second.heading)))
    parts = [*(Part(one, other, _WHOLE_TITLE) for one, other in names), Part(*heads)]
    if first.apart is not None and second.apart is not None:
        for place in _PLACES.values():
            one, other = (
                [of for of in apart if of[0] is place] for apart in (first.apart, second.apart)
            )
            parts.append(Part(one, other, is_list=True))
    mark_moved(parts)
    found = [passage for part in parts for passage in _facts_first(list(part.passages()))]
    rest, its_rest = ours[len(heads[0]) :], theirs[len(heads[1]) :]
    return Differences(
        tuple(sorted(found, key=lambda passage: bool(passage.left_out))),
        (_unknown(first), _unknown(second)),
        (first.is_cut, second.is_cut),
        is_long=bool(rest or its_rest),
        rest_differs=[line for _, line in rest] != [line for _, line in its_rest],
    )


def _placed(place: Place, lines: Iterable[str]) -> list[tuple[Place, str]]:
    return [(place, line) for line in lines]


def _one(place: Place, line: str | None) -> list[tuple[Place, str]]:
    return [(place, line)] if line else []


def _unknown(page: Looks) -> frozenset[Place]:
    unknown = set() if page.is_whole else {Place.HEADING, Place.BESIDE}
    if not page.is_whole and not page.title:
        unknown.add(Place.TITLE)
    return frozenset(unknown if page.apart is not None else {*unknown, *_PLACES.values()})


def _beginning(lines: Sequence[tuple[Place, str]]) -> Sequence[tuple[Place, str]]:
    """Return the lines that are compared piece by piece: MAX_CHARACTERS, or the first line."""
    left = MAX_CHARACTERS
    for number, (_, line) in enumerate(lines):
        left -= len(line)
        if left < 0:
            return lines[: max(number, 1)]
    return lines


def _facts_first(passages: list[Passage]) -> list[Passage]:
    if len(passages) > FEW:
        passages.sort(key=lambda passage: not passage.is_fact)
    return passages
