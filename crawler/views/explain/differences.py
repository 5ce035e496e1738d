"""In what two pages differ for a reader.

All that either shows, in passages, each with its place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import count, groupby
from typing import Any, NamedTuple, Self

from crawler.dedup import signing
from crawler.dedup.copies import Appearance, lines_of
from crawler.dedup.copies.appearance import CUT
from crawler.dedup.copies.volatile import stamps
from crawler.models import (
    CODE_NOTATION,
    DATA_LINE,
    DRAWN_LINE,
    EMBED_LINE,
    FRAME_LINE,
    HIDDEN_LINE,
    MARKUP_NOTATION,
    NOTATION_LINE,
    PICTURE_LINE,
    VALUE_LINE,
    Evidence,
)
from crawler.views.explain.subjects import Subject

# In which passages two texts differ: word by word, or character by character in Chinese.
#
# Texts are first aligned by sentences, then the sentences that differ by words: aligning all words
# of a long text at once takes time quadratic in its length.

MAX_CHARACTERS = 500_000
"""How much of a text is compared; what follows is left out, and that is said."""

MAX_CELLS = 4_000_000
"""Passages of n and m words are not aligned inside where n * m is above: it would take seconds."""

_SENTENCE_END = re.compile(
    r"(?<=\n)(?!\n)|(?<=[。！？；])(?![。！？；\n])|(?:(?<=[.!?;]\s)|(?<=[.!?;]\s\s))(?=\S)"
)
UNIT = re.compile(
    r"\d+(?:[.,:/-]\d+)+"
    rf"|{signing.HAN_RUN.removesuffix('+')}|{signing.UNSEGMENTED_RUN.removesuffix('+')}"
    rf"|{signing.SPACED_RUN}|\s+|."
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
    ours, theirs = sentences(text[:MAX_CHARACTERS]), sentences(other[:MAX_CHARACTERS])
    pieces: list[Piece] = []
    for same, own, its in spans(ours, theirs):
        one, two = "".join(ours[own]), "".join(theirs[its])
        pieces += [Piece(Change.EQUAL, one)] if same else _inside(one, two)
    return _joined(pieces)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, which together are the text."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence]


def _inside(ours: str, theirs: str) -> list[Piece]:
    """Return the pieces of sentences that differ."""
    own, its = UNIT.findall(ours), UNIT.findall(theirs)
    if len(own) * len(its) > MAX_CELLS:
        return _changed(ours, theirs)
    pieces: list[Piece] = []
    for same, span, its_span in spans(own, its):
        text = "".join(own[span])
        pieces += [Piece(Change.EQUAL, text)] if same else _changed(text, "".join(its[its_span]))
    return pieces


def _changed(removed: str, added: str) -> list[Piece]:
    return [Piece(Change.REMOVED, removed), Piece(Change.ADDED, added)]


def spans(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[bool, slice, slice]]:
    """Yield (equal?, where in ours, where in theirs), which together are all of both.

    What occurs so often that all its pairs are too many is told apart by how often it came before:
    thousands of equal lines would take hours.
    """
    counts, its = Counter(ours), Counter(theirs)
    sides: list[Sequence[Any]] = [ours, theirs]
    if sum(number * its[one] for one, number in counts.items()) > MAX_CELLS:
        for side, texts in enumerate((ours, theirs)):
            seen = defaultdict[str, Iterator[int]](count)
            sides[side] = [(text, next(seen[text])) for text in texts]
    matcher: SequenceMatcher[Any] = SequenceMatcher(None, sides[0], sides[1], False)
    for tag, begin, end, its_begin, its_end in matcher.get_opcodes():
        yield tag == "equal", slice(begin, end), slice(its_begin, its_end)


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


# What is visible on two pages beside their judged texts: how much, and in which lines they differ.
#
# Where extraction took only a part of a page, such as one article of a list, the reader must be
# told.

ONLY_A_PART = 0.5
"""What stands beside a text is worth telling from this length on, as a multiple of the text."""


def surroundings(subject: Subject) -> dict[str, Any] | None:
    """Return what is visible beside a subject's text, None where that is not known.

    How many lines extraction took, of how many; the `lines` beside them that are no links, and the
    `links`, in document order; and whether the judged text is `only_a_part` of what a reader sees.
    In visible text, lines of links are in the judged text: these are not beside it.
    """
    page = subject.appearance
    if page is None or not subject.is_whole or subject.text is None:
        return None
    inside = set(subject.text.split("\n"))
    beside, links = (
        tuple(line for line in lines if line not in inside) for lines in (page.beside, page.links)
    )
    part = sum(map(len, (*beside, *links))) >= ONLY_A_PART * len(subject.text) > 0
    lines = len(page.text) + len(beside) + len(links)
    counts = {"text_lines": len(page.text), "all_lines": lines}
    return {**counts, "lines": beside, "links": links, "only_a_part": part}


def differing(first: Subject, second: Subject) -> dict[str, list[str]] | None:
    """Return the lines beside two texts that only `a` or `b` has, or has more often, as they stand.

    None where what stands beside a text is not known of one of them.
    """
    sides = surroundings(first), surroundings(second)
    if sides[0] is None or sides[1] is None or first.text is None or second.text is None:
        return None
    ours, theirs = ((*around["lines"], *around["links"]) for around in sides if around)
    return {
        "a": list(_only(ours, (*theirs, *second.text.split("\n")))),
        "b": list(_only(theirs, (*ours, *first.text.split("\n")))),
    }


def _only(lines: Iterable[str], others: Iterable[str]) -> Iterator[str]:
    """Yield the lines that the others do not hold as often."""
    left = Counter(others)
    for line in lines:
        left[line] -= 1
        if left[line] < 0:
            yield line


# The passages in which a part of two pages differs, each with its place and why it is left out:
#
#     lines -> sentences and stamps, aligned -> words of those that differ -> runs -> passages

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
    DRAWN = "drawn"
    """What an element without text is drawn by: its classes, its colours, its place in a row."""
    NOTATION = "indentation, signs, powers"
    MARKUP = "tags and scripts"
    """A digest of them, told where nothing else says what differs."""


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
    left_out: tuple[LeftOut, ...]
    """Why the judge leaves out all its changes; empty where he leaves out none, or some."""
    pieces: tuple[Piece, ...]
    """Those elided are the rest of a line that is the same."""

    @classmethod
    def of(cls, place: Place, pieces: tuple[Piece, ...]) -> Self:
        """Make it of its pieces."""
        reasons = [piece.left_out for piece in pieces if piece.change in _CHANGES]
        left_out = dict.fromkeys(why for why in reasons if why) if all(reasons) else ()
        return cls(place, tuple(left_out), pieces)

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
        *,
        context: int = CONTEXT,
        is_list: bool = False,
        counted: bool = False,
    ) -> None:
        """Compare lines; those of a list say nothing of the ones beside them.

        `counted` says whether counters are facts to the judge.
        """
        common = {line for _, line in ours} & {line for _, line in theirs}
        self.sides = tuple(list(_elements(lines, common, counted)) for lines in (ours, theirs))
        self._context, self._is_list = context, is_list
        self._blocks = list(spans(*([one.text for one in side] for side in self.sides)))

    def changed(self) -> Iterator[tuple[int, int]]:
        """Yield the side, 0 or 1, and the number of each element that is not there on the other.

        Not of those that the other has there with another white space after them.
        """
        for same, *where in self._blocks:
            if same:
                continue
            texts = [
                {one.text.strip() for one in of[span]}
                for of, span in zip(self.sides, where, strict=True)
            ]
            both = texts[0] & texts[1]
            for side, span in enumerate(where):
                for number in range(span.start, span.stop):
                    if self.sides[side][number].text.strip() not in both:
                        yield side, number

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
            yield Passage.of(place, _tidy(pieces))

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
            yield from ours[own] if same else _inside_sentences(ours[own], theirs[its])


def _tidy(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return pieces with equal neighbours joined, without a line end after the last."""
    joined = [
        Piece(change, "".join(piece.text for piece in some), left_out)
        for (change, left_out), some in groupby(pieces, lambda one: (one.change, one.left_out))
    ]
    if joined[-1].change is Change.EQUAL:
        joined[-1] = replace(joined[-1], text=joined[-1].text.rstrip("\n"))
    return tuple(piece for piece in joined if piece.text)


def _elements(
    lines: Sequence[tuple[Place, str]], common: set[str], counted: bool
) -> Iterator[_Element]:
    """Yield the sentences of lines, and each stamp by itself, as it is left out as a whole.

    Stamps are not looked for in lines that both pages have.
    """
    for place, line in lines:
        at = 0
        for begin, end in [] if line in common else stamps(line, counted=not counted):
            if begin >= at:
                yield from (_Element(one, place) for one in sentences(line[at:begin]))
                at = end if end < len(line) else end + 1
                yield _Element(f"{line}\n"[begin:at], place, LeftOut.STAMP)
        yield from (_Element(one, place) for one in sentences(f"{line}\n"[at:]))


def mark_moved(parts: Sequence[Part]) -> None:
    """Mark sentences that stand elsewhere on the other page, as often as they do there."""
    found = defaultdict[tuple[Place | None, str], tuple[_Found, _Found]](lambda: ([], []))
    for part in parts:
        for side, number in part.changed():
            text, place, left_out, _ = part.sides[side][number]
            if left_out is not None or place is Place.TITLE:
                continue
            if sum(unit[0].isalnum() for unit in UNIT.findall(text)) > MEANINGLESS_WORDS:
                key = None if place in _READ else place, text.strip()
                found[key][side].append((part.sides[side], number))
    for ours, theirs in found.values():
        moved = min(len(ours), len(theirs))
        for elements, number in (*ours[:moved], *theirs[:moved]):
            elements[number] = elements[number]._replace(left_out=LeftOut.ORDER)


_Found = list[tuple[list[_Element], int]]


def _inside_sentences(ours: Sequence[_Element], theirs: Sequence[_Element]) -> Iterator[_Element]:
    """Yield the words of sentences that differ."""
    own, its = (list(_units(side)) for side in (ours, theirs))
    if len(own) * len(its) > MAX_CELLS:
        yield from _changed_elements(own, its)
        return
    blocks = list(spans([one.text for one in own], [one.text for one in its]))
    for number, (same, span, its_span) in enumerate(blocks):
        words = own[span]
        if not same or _joins(own, its, number, blocks):
            yield from _changed_elements(words, its[its_span])
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


def _changed_elements(ours: Iterable[_Element], theirs: Iterable[_Element]) -> Iterator[_Element]:
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


# In what two pages differ for a reader: all that either shows, whatever the judge makes of it.
#
# The raw lines are compared, and what a page shows apart from them. So an error of the judge can
# be seen: what he leaves out of his comparison is a difference here, and said to be left out.

FEW = 12
"""Passages that are read in the order of the page; of more, replaced facts come first."""

_PLACES = {
    FRAME_LINE: Place.FRAME,
    HIDDEN_LINE: Place.HIDDEN,
    VALUE_LINE: Place.VALUE,
    PICTURE_LINE: Place.PICTURE,
    EMBED_LINE: Place.EMBED,
    DATA_LINE: Place.DATA,
    DRAWN_LINE: Place.DRAWN,
    NOTATION_LINE: Place.NOTATION,
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
    """None where the page's surroundings are not known."""
    is_whole: bool
    """Whether heading and what stands beside the text are known."""
    is_cut: bool
    """Whether more lines stood beside the text than were kept."""


@dataclass(frozen=True, slots=True)
class Differences:
    """All in which two pages differ."""

    passages: tuple[Passage, ...]
    """What matters most first: title, heading, lines, what is apart; then what is left out."""
    unknown: tuple[Sequence[Place], Sequence[Place]]
    """What is not known of either page, and so was not compared; in the order of places."""
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


def _read(line: str) -> tuple[Place, str]:
    """Return where a line apart stands, and what it says without what a notation is kept under."""
    kind, says = line[0], line[1:]
    if kind != NOTATION_LINE or says.startswith(CODE_NOTATION):
        return _PLACES[kind], says
    place = Place.MARKUP if says.startswith(MARKUP_NOTATION) else Place.NOTATION
    return place, says.partition(" ")[2]


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
    placed = list(map(_read, shown.apart))
    return Looks(shown.title, heading, lines, placed, True, is_cut=shown.order == CUT)


def differences(first: Looks, second: Looks, *, evidence: str | None = None) -> Differences:
    """Compare two pages, each part with the same part of the other.

    `evidence` is what decided on them: where other numbers did, counters are not left out.
    """
    counted = evidence == Evidence.OTHER_NUMBERS
    is_whole = first.is_whole and second.is_whole
    ours, theirs = (
        [one for one in page.lines if is_whole or one[0] is Place.TEXT] for page in (first, second)
    )
    heads = _beginning(ours), _beginning(theirs)

    def apart(place: Place) -> list[list[tuple[Place, str]]]:
        return [[one for one in of.apart or () if one[0] is place] for of in (first, second)]

    parts: list[Part] = []
    if all(page.is_whole or page.title for page in (first, second)):
        names = (_placed(Place.TITLE, [of.title or None]) for of in (first, second))
        parts.append(Part(*names, context=_WHOLE_TITLE))
    if is_whole:
        names = (_placed(Place.HEADING, [of.heading or None]) for of in (first, second))
        parts.append(Part(*names, context=_WHOLE_TITLE))
    parts.append(Part(*heads, counted=counted))
    if first.apart is not None and second.apart is not None:
        places = _PLACES.values()
        parts += (Part(*apart(place), is_list=True, counted=counted) for place in places)
    mark_moved(parts)
    found: list[Passage] = []
    for part in parts:
        passages = list(part.passages())
        if len(passages) > FEW:
            passages.sort(key=lambda passage: not passage.is_fact)
        found += passages
    if first.apart and second.apart and all(passage.left_out for passage in found):
        found += Part(*apart(Place.MARKUP), is_list=True).passages()
    rest, its_rest = ours[len(heads[0]) :], theirs[len(heads[1]) :]
    return Differences(
        tuple(sorted(found, key=lambda passage: bool(passage.left_out))),
        (_unknown(first), _unknown(second)),
        (first.is_cut, second.is_cut),
        is_long=bool(rest or its_rest),
        rest_differs=[line for _, line in rest] != [line for _, line in its_rest],
    )


def _placed(place: Place, lines: Iterable[str | None]) -> list[tuple[Place, str]]:
    return [(place, line) for line in lines if line is not None]


def _unknown(page: Looks) -> Sequence[Place]:
    unknown = set[Place]() if page.apart is not None else set(_PLACES.values())
    if not page.is_whole:
        unknown |= {Place.HEADING, Place.BESIDE}
        if not page.title:
            unknown.add(Place.TITLE)
    return [place for place in Place if place in unknown]


def _beginning(lines: Sequence[tuple[Place, str]]) -> Sequence[tuple[Place, str]]:
    """Return the lines that are compared piece by piece: MAX_CHARACTERS, or the first line."""
    left = MAX_CHARACTERS
    for number, (_, line) in enumerate(lines):
        left -= len(line)
        if left < 0:
            return lines[: max(number, 1)]
    return lines
