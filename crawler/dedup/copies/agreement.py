"""What one of two pages shows and the other does not, in whatever order, however cut into lines.

A page is dropped only where the stored one shows everything that it shows, so the question is what
is *left over* on each of two pages, and whether something else stands in its place on the other.
Lines that both pages have as they are written are looked at no further: of two pages that are alike
these are nearly all.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from operator import ne
from typing import NamedTuple

from crawler.dedup.copies.appearance import Appearance
from crawler.dedup.copies.volatile import (
    MARKS,
    SIGNS,
    counters,
    days_of_publication,
    has_only_dates,
    is_dateline,
    lasting,
    stamps,
)
from crawler.models import (
    BESIDE_LINE,
    CODE_NOTATION,
    DRAWN_LINE,
    EMBED_LINE,
    FRAME_LINE,
    HIDDEN_LINE,
    LINK_LINE,
    MARKUP_NOTATION,
    NOTATION_LINE,
    SIGN_LINE,
    TEXT_LINE,
    notation_key,
)

MOST_ALIGNED = 1_000_000
"""Pairs of lines of two pages, but for what they begin and end with alike, that are put into one
order: some 50 ms. Beyond it all that is left over counts as standing in the place of something."""

_FEW, _SHORT = 3, 40
"""Words and characters of the longest line that means nothing alone, such as a number in a cell:
the word before it belongs to it. Two teams whose goals are exchanged show the same lines."""

_TELLING = 20
"""Sentences by which a text is known again."""

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*")
_HAN = r"\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"\d+|(?:[^\W\d{_HAN}]|[{MARKS}])+|\w|[{SIGNS}]")
"""A number, a word, of Chinese a character, which needs no dictionary, a unit or another sign."""
_NUMBER = re.compile(r"\d+")
_CELLS = re.compile(r"(.*\S)((?<!\d)(?: \d+)+)")
"""The text of a row and the numbers of its empty cells, as `crawler.extract.apart` tells them."""
_ALNUM = re.compile(r"\w+")
_CAPITALS = re.compile(rf"[^\W\d_{_HAN}]{{4}}")
"""A word that has letters in two cases, and is no unit and no grade."""
_VISIBLE = frozenset((TEXT_LINE, BESIDE_LINE, LINK_LINE))
_TEXTS = frozenset((FRAME_LINE, HIDDEN_LINE))


def tokens(text: str) -> list[str]:
    """Return the words of a text."""
    return _TOKEN.findall(text)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers in a text."""
    return frozenset(_NUMBER.findall(text))


def between_common_ends(
    ours: Sequence[str], theirs: Sequence[str]
) -> tuple[int, Sequence[str], Sequence[str]]:
    """Return how many items two rows begin with alike, and what is between common ends of each."""
    shorter = min(len(ours), len(theirs))
    begin = next((n for n, other in enumerate(map(ne, ours, theirs)) if other), shorter)
    back = enumerate(map(ne, reversed(ours), reversed(theirs)))
    end = min(shorter - begin, next((n for n, other in back if other), shorter))
    return begin, ours[begin : len(ours) - end], theirs[begin : len(theirs) - end]


def without_numbers(text: str) -> str:
    """Return a text with the same number for each of its numbers."""
    return _NUMBER.sub("0", text)


def characters(lines: Iterable[str]) -> int:
    """Return how long lines are together."""
    return sum(map(len, lines))


class Line(NamedTuple):
    """A line of a page, or of what it shows or holds apart from its lines."""

    part: str
    """What it is to the page (`crawler.models.TEXT_LINE` and the kinds of lines apart)."""
    judged: bool
    """Whether it stands in the judged text."""
    text: str
    """As it is written."""

    @property
    def is_visible(self) -> bool:
        """Whether it is one of the visible lines, and nothing apart from these."""
        return self.part in _VISIBLE


class Passage(NamedTuple):
    """A sentence of a line, as words in lower case without stamps and counters."""

    words: str
    sentence: str
    """As it is written."""
    line: Line
    context: str = ""
    """The word before it, where it means nothing alone."""
    replaces: bool = False
    """Of one that is left over: whether the other page has something in its place that this one
    does not show: a form was filled in with other values. Else it stands between lines that are
    neighbours there."""
    fills: bool = False
    """Of one that replaces something: whether it does so between two lines that both pages have, as
    one of as many lines, or as a number. Then it stands in the content, whatever is around it."""

    in_text: bool = False
    """Whether it is judged and stands between judged lines that both pages have."""

    @property
    def in_place(self) -> str:
        """Its words, with the one before them where they mean nothing alone."""
        return f"{self.context} {self.words}" if self.context else self.words

    @property
    def part(self) -> str:
        """What its line is to the page."""
        return self.line.part

    @property
    def judged(self) -> bool:
        """Whether its line stands in the judged text."""
        return self.line.judged

    @property
    def is_visible(self) -> bool:
        """Whether its line is one of the visible ones."""
        return self.line.is_visible

    @property
    def dated(self) -> bool:
        """Whether it is but a byline or a date: on another site these are the publisher's own."""
        return is_dateline(self.sentence)

    @property
    def of_dates(self) -> bool:
        """Whether there are numbers in it, and all of them are of dates and times of day."""
        return has_only_dates(self.sentence)


class Page:
    """A page as lines in document order; what it shows or holds apart from its lines follows.

    Made once for each page that is compared, of what is kept of its appearance.
    """

    def __init__(self, page: Appearance, url: str = "", layout: bytes | None = None) -> None:
        self.appearance = page
        self.url = url
        self.layout = layout
        """Layout fingerprint; None for plain text."""

    @cached_property
    def in_order(self) -> tuple[Line, ...]:
        """All lines that say something, the heading before them where it is none of the text."""
        page = self.appearance
        is_apart = page.heading is not None and page.heading not in page.text
        lines = [Line(TEXT_LINE, True, page.heading or "")] if is_apart else []
        in_order = page.in_order
        if in_order is None:
            for part in (TEXT_LINE, BESIDE_LINE, LINK_LINE):
                lines += [Line(part, part == TEXT_LINE, line) for line in page.parts[part]]
        else:
            for mark, (line, judged) in zip(page.order, in_order, strict=True):
                if (part := mark.lower()) != SIGN_LINE:
                    lines.append(Line(part, judged, line))
                elif lasting(line):  # stars, or a tick: no punctuation
                    lines.append(Line(TEXT_LINE if judged else BESIDE_LINE, judged, line))
        lines += [Line(line[0], False, line[1:]) for line in page.apart if line[0] != NOTATION_LINE]
        return tuple(lines)

    @cached_property
    def _notations(self) -> tuple[str, ...]:
        return tuple(line[1:] for line in self.appearance.apart if line[0] == NOTATION_LINE)

    @cached_property
    def code(self) -> frozenset[str]:
        """Digests of its blocks of code and its formulas, as they are written."""
        written = (one for one in self._notations if one.startswith(CODE_NOTATION))
        return frozenset(one.rpartition(" ")[2] for one in written)

    @cached_property
    def notations(self) -> Mapping[str, str]:
        """What is raised, lowered or struck out in a line, by the key of that line."""
        apart = CODE_NOTATION, MARKUP_NOTATION
        of_lines = (one.partition(" ") for one in self._notations if not one.startswith(apart))
        return {key: says for key, _, says in of_lines}

    @cached_property
    def markup(self) -> str | None:
        """A digest of its markup; None where that is not known."""
        return next((one for one in self._notations if one.startswith(MARKUP_NOTATION)), None)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of its visible lines."""
        return frozenset(notation_key(line.text) for line in self.in_order if line.is_visible)

    @cached_property
    def lines(self) -> frozenset[str]:
        """The lines as they are written."""
        return self.lines_of_itself.union(self.appearance.links)

    @cached_property
    def lines_of_itself(self) -> frozenset[str]:
        """The same without links: these name other pages."""
        page = self.appearance
        heading = (page.heading,) if page.heading else ()
        apart = (line[1:] for line in page.apart if line[0] != NOTATION_LINE)
        signs = filter(lasting, page.signs)
        return frozenset((*heading, *page.text, *page.beside, *signs, *apart))

    @cached_property
    def values(self) -> frozenset[tuple[str, str]]:
        """The lines that may mean nothing alone, each with the one before it."""
        if not any(map(_may_be_value, self.lines)):
            return frozenset()
        return frozenset(
            (_before(last, line), line.text)
            for last, line in pairwise((None, *self.in_order))
            if line is not None and _may_be_value(line.text)
        )

    @cached_property
    def raw(self) -> str:
        """All lines as they are written."""
        return "\n".join(line.text for line in self.in_order)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """All numbers that it shows."""
        return numbers(self.raw)

    @cached_property
    def links(self) -> frozenset[str]:
        """The words of its lines of links."""
        links = " ".join(line.text for line in self.in_order if line.part == LINK_LINE)
        return frozenset(tokens(links.casefold()))

    @cached_property
    def shown(self) -> frozenset[str]:
        """The words of each sentence, and of title and heading."""
        beside = (one for one in self.in_order if one.part == LINK_LINE and not one.judged)
        return self.shown_of_itself | {one.words for one in _passages(beside)}

    @cached_property
    def shown_of_itself(self) -> frozenset[str]:
        """The same without links beside the text: these name other pages, and what is on them."""
        page = self.appearance
        named = (lasting(page.title or ""), lasting(page.heading or ""))
        own = (one for one in self.in_order if one.part != LINK_LINE or one.judged)
        return frozenset((*(one.words for one in _passages(own)), *named))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words that it shows."""
        return frozenset(word for one in self.shown for word in tokens(one))

    @cached_property
    def counters(self) -> frozenset[tuple[str, str]]:
        """Its counters, each in words and as its form."""
        return frozenset(one for line in self.in_order for one in counters(line.text))

    @cached_property
    def counter_forms(self) -> frozenset[str]:
        """The forms of these."""
        return frozenset(form for _, form in self.counters)

    @cached_property
    def published(self) -> frozenset[str]:
        """The days on which something was published, as it says itself."""
        lines = (line.text for line in self.in_order if line.is_visible)
        return frozenset(day for line in lines for day in days_of_publication(line))

    @cached_property
    def text_length(self) -> int:
        """Characters of its judged text."""
        return sum(len(line.text) for line in self.in_order if line.judged)

    @cached_property
    def _sentences(self) -> frozenset[str]:
        sentences = (_SENTENCE_END.split(line.text) for line in self.in_order)
        return frozenset(one for some in sentences for one in some)

    @cached_property
    def longest(self) -> tuple[str, ...]:
        """The longest sentences of its judged text, as many as tell it from another."""
        judged = (line.text for line in self.in_order if line.judged and line.part == TEXT_LINE)
        sentences = {one for line in judged for one in _SENTENCE_END.split(line)}
        return tuple(sorted(sentences, key=lambda one: (-len(one), one))[:_TELLING])

    def says(self, passage: Passage) -> bool:
        """Whether a sentence of another page is one of this, as it is written, or its title."""
        title = self.appearance.title or ""
        if passage.sentence in self.raw and passage.sentence in self._sentences:
            return True
        return passage.sentence in title and passage.words == lasting(title)

    def has_text_of(self, other: Page, share: float) -> bool:
        """Whether a share of another page's text, as its longest sentences tell, stands here."""
        missing = (1 - share) * characters(other.longest)
        for sentence in other.longest:
            if sentence not in self.raw:
                missing -= len(sentence)
                if missing < 0:
                    return False
        return bool(other.longest)

    def has_line(self, line: Line) -> bool:
        """Whether a line of another page stands here as it is written.

        A link here says what another page is about, and so nothing of a line that is none.
        """
        return line.text in (self.lines if line.part == LINK_LINE else self.lines_of_itself)


class Agreement:
    """Two pages compared; everything is found when it is first asked for.

    Takes time linear in what only one of the pages has, and in the number of lines.
    """

    def __init__(self, page: Page, other: Page) -> None:
        self.page, self.other = page, other
        self._sides = _Side(page, other), _Side(other, page)

    @cached_property
    def left(self) -> tuple[Passage, ...]:
        """What only the first page shows."""
        return tuple(self._left(*self._sides))

    @cached_property
    def left_of_other(self) -> tuple[Passage, ...]:
        """What only the second page shows."""
        return tuple(self._left(*self._sides[::-1]))

    @property
    def left_of_each(self) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
        """Both."""
        return self.left, self.left_of_other

    @cached_property
    def _own_lines(self) -> Sequence[Sequence[Line]]:
        """Lines of each page, embeds among them and no links, that the other has not as written."""
        return [
            [
                line
                for line in one.in_order
                if line.text not in other.lines and (_is_told(line) or line.part == EMBED_LINE)
            ]
            for one, other in ((self.page, self.other), (self.other, self.page))
        ]

    @cached_property
    def has_other_case(self) -> bool:
        """Whether a line differs from one of the other page by letter case alone, and not in style.

        Style makes whole lines capitals, or capitals of first letters: `mW` and `MW`, the grades
        `6a` and `6A`, the moves `bxc3` and `Bxc3` are not of its making.
        """
        ours, theirs = ({line.text for line in lines} for lines in self._own_lines)
        folded = {text.casefold(): text for text in theirs}
        return any(
            (its := folded.get(text.casefold())) is not None and not _are_styled(text, its)
            for text in ours
        )

    @cached_property
    def has_other_punctuation(self) -> bool:
        """Whether a line has the words of one of the other page, and other signs between them.

        Or lines of signs alone are other ones. Lines with stamps have signs that part these.
        """
        ours, theirs = (
            {lasting(line.text) for line in lines if _is_told(line) and not stamps(line.text)}
            for lines in self._own_lines
        )
        signs, its_signs = ({*of.appearance.signs} for of in (self.page, self.other))
        return bool(ours & theirs - {""}) or bool(signs - its_signs and its_signs - signs)

    @property
    def has_other_markup(self) -> bool:
        """Whether other tags or scripts stand on the pages, though as many visible lines do.

        A line more, such as a counter, has tags of its own.
        """
        ours, theirs = self.page.markup, self.other.markup
        if ours is None or theirs is None or ours == theirs:
            return False
        lines = [sum(line.is_visible for line in of.in_order) for of in (self.page, self.other)]
        return lines[0] == lines[1]

    @cached_property
    def has_other_order(self) -> bool:
        """Whether a line has the words of one of the other page in another order: two teams."""
        if not all(self._own_lines):
            return False
        ours, theirs = (
            {
                tuple(tokens(lasting(line.text)))
                for line in lines
                if _is_told(line) and not is_dateline(line.text)
            }
            for lines in self._own_lines
        )
        mixed = {tuple(sorted(words)) for words in theirs}
        return any(tuple(sorted(words)) in mixed for words in ours - theirs)

    @cached_property
    def has_other_cells(self) -> bool:
        """Whether in a row of one text other cells are empty: the tick stands in another column."""
        ours, theirs = (
            {
                found[1]: found[2]
                for one in left
                if one.part == DRAWN_LINE
                and (found := _CELLS.fullmatch(one.sentence)) is not None
                and found[1] in page.lines_of_itself
            }
            for page, left in ((self.page, self.left), (self.other, self.left_of_other))
        )
        return any(cells != theirs.get(row, cells) for row, cells in ours.items())

    @cached_property
    def has_other_notation(self) -> bool:
        """Whether code, a formula, a power or what is struck out is written in another way.

        In a line that both show, or in code on both: what one page lacks is left over by its words.
        So may a chart be drawn by other numbers.
        """
        page, other = self.page, self.other
        if page.code - other.code and other.code - page.code:
            return True
        return any(
            other.notations.get(key, "" if key in other.keys else written) != written
            for page, other in ((page, other), (other, page))
            for key, written in page.notations.items()
        )

    @cached_property
    def has_other_drawings(self) -> bool:
        """Whether an element without text is drawn by other numbers: a bar, a place on a map."""
        ours, theirs = (
            {without_numbers(one.sentence) for one in left if one.part == DRAWN_LINE}
            for left in self.left_of_each
        )
        return not ours.isdisjoint(theirs)

    def is_reordered(self, counts: Callable[[Line], bool]) -> bool:
        """Whether visible lines that `counts` lets count stand in another order on the other page.

        Of those that stand once on either.
        """
        ours, theirs = (
            [line.text for line in page.in_order if line.is_visible and counts(line)]
            for page in (self.page, self.other)
        )
        if ours == theirs:
            return False
        once = [{text for text, n in Counter(of).items() if n == 1} for of in (ours, theirs)]
        both = once[0] & once[1]
        return [text for text in ours if text in both] != [text for text in theirs if text in both]

    def shown_alike(self, counts: Callable[[Line], bool]) -> float:
        """Return how much of what is visible on either page both show, in characters, 0..1.

        Of the lines that `counts` lets count.
        """
        whole, apart = [], []
        for page, left in ((self.page, self.left), (self.other, self.left_of_other)):
            whole.append(sum(len(line.text) for line in page.in_order if counts(line)))
            apart.append(sum(len(one.sentence) for one in left if counts(one.line)))
        shared = max(0, min(all_ - own_ for all_, own_ in zip(whole, apart, strict=True)))
        total = shared + sum(apart)
        return shared / total if total else 1.0

    def _left(self, side: _Side, other: _Side) -> Iterator[Passage]:
        own, its = self._own(side, other), self._own(other, side)
        if own:
            replacing, filling = _replacing(side.page, other.page, own.keys(), its.keys())
            within = _text_of(side.page, other.page)
            for number, passages in own.items():
                for one in passages:
                    yield one._replace(
                        replaces=number in replacing,
                        fills=number in filling,
                        in_text=one.judged and number in within,
                    )

    def _own(self, side: _Side, other: _Side) -> dict[int, list[Passage]]:
        """Return the number of each line with passages that the other page does not show.

        However either is cut into lines. What stands in a line of the other that both have is there
        as it is written.
        """
        if side.own is None:
            left: dict[int, list[Passage]] = {}
            places: list[tuple[int, Passage]] = []
            for number, passages in side.passages.items():
                for passage in passages:
                    shown = other.shows(passage) or (
                        not passage.context and other.page.says(passage)
                    )
                    places.append((-1 if shown else number, passage))
            open_ = [n for n, (number, _) in enumerate(places) if number >= 0]
            if open_ and len(places) > 1:
                # One line of the other in several here: none of these is shown by itself.
                covered = side.covered(other.words - side.words)
                open_ = [n for n in open_ if n not in covered]
            for n in open_:
                number, passage = places[n]
                left.setdefault(number, []).append(passage)
            side.own = left
        return side.own


class _Side:
    """What a page has that another has not as it is written."""

    def __init__(self, page: Page, other: Page) -> None:
        self.page, self._other = page, other
        self.own: dict[int, list[Passage]] | None = None
        """What of it the other does not show at all, once that is known."""

    @cached_property
    def passages(self) -> dict[int, list[Passage]]:
        """The passages of lines that are its own, by the number of the line."""
        known, values = self._other.lines, self._other.values
        found: dict[int, list[Passage]] = {}
        if self.page.lines <= known and self.page.values <= values:
            return found
        last = None
        for number, line in enumerate(self.page.in_order):
            before = _before(last, line)
            if line.text not in known or (
                _may_be_value(line.text) and (before, line.text) not in values
            ):
                passages = list(_passages((line,), before))
                if passages:
                    found[number] = passages
            last = line
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of each of these passages."""
        return frozenset(one.words for some in self.passages.values() for one in some)

    @cached_property
    def _values(self) -> frozenset[str]:
        """Those that mean nothing alone, with the word before them: both pages may have that."""
        passages = (one for some in self.passages.values() for one in some)
        return frozenset(one.in_place for one in passages if one.context)

    @cached_property
    def _stream(self) -> tuple[str, list[int], frozenset[int]]:
        """All words in their order between spaces, and where passages begin and end in them.

        Lines that follow each other on the page do so here; a mark parts others.
        """
        begins, ends, at, told, last = [], set(), 1, [], -1
        for number, passages in self.passages.items():
            if number != last + 1:
                told.append("\0")
                at += 2
            for one in passages:
                begins.append(at)
                told.append(one.words)
                at += len(one.words)
                ends.add(at)
                at += 1
            last = number
        return f" {' '.join(told)} ", begins, frozenset(ends)

    def shows(self, passage: Passage) -> bool:
        """Whether a passage of the other page is among these, in one line or in several."""
        if not passage.context:
            return passage.words in self.words or next(self._runs(passage.words), None) is not None
        ending = self._ending(passage.in_place)
        return passage.in_place in self._values or next(ending, None) is not None

    def _ending(self, words: str) -> Iterator[tuple[int, int]]:
        """Yield where words stand that end as a passage does, as characters of them all."""
        stream, _, ends = self._stream
        words = f" {words} "
        at = stream.find(words)
        while at >= 0:
            begin, end = at + 1, at + len(words) - 1
            if end in ends:
                yield begin, end
            at = stream.find(words, at + 1)

    def _runs(self, words: str) -> Iterator[tuple[int, int]]:
        """Yield where passages that follow each other make up words."""
        begins = self._stream[1]
        for begin, end in self._ending(words):
            if begins[bisect_left(begins, begin, hi=len(begins) - 1)] == begin:
                yield begin, end

    def covered(self, words: Iterable[str]) -> set[int]:
        """Return which passages, counted from the first, are parts of a line that reads like this.

        One line of the other page may stand here in several.
        """
        begins, found = self._stream[1], set[int]()
        for one in words:
            for begin, end in self._runs(one):
                found.update(range(bisect_left(begins, begin), bisect_left(begins, end)))
        return found


def _text_of(page: Page, other: Page) -> range:
    """Return the lines of a page from the first to the last judged one that both pages have.

    Behind the heading, as a publisher's credit and note stand between it and the text.
    """
    both = [
        number
        for number, line in enumerate(page.in_order)
        if line.judged
        and line.text in other.lines_of_itself
        and line.text != page.appearance.heading
    ]
    return range(both[0], both[-1]) if both else range(0)


def _may_be_value(line: str) -> bool:
    return len(line) <= _SHORT and _NUMBER.search(line) is not None


def _before(last: Line | None, line: Line) -> str:
    """Return the line before one, if that says what its value is of: none does of a list of facts.

    So are the lines apart, but for texts in header and footer, and hidden ones.
    """
    if last is None or not (
        (line.is_visible and last.is_visible) or line.part == last.part in _TEXTS
    ):
        return ""
    return last.text


def _passages(lines: Iterable[Line], before: str = "") -> Iterator[Passage]:
    """Yield the passages of lines; `before` is what stands before the first one."""
    last, above = before, None
    for line in lines:
        if above is not None:
            last = _before(above, line) and last
        above = line
        for sentence in _SENTENCE_END.split(line.text):
            words = lasting(sentence)
            if words:
                context = ""
                if len(sentence) <= _SHORT and _NUMBER.search(words) and last:
                    found = tokens(words)
                    if len(found) <= _FEW:
                        context = lasting(last).rpartition(" ")[2]
                yield Passage(words, sentence, line, context)
                last = sentence


def _replacing(
    page: Page, other: Page, own: Iterable[int], others: Iterable[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return which of a page's own lines stand in the place of ones that only the other has.

    And which of these fill in a form, between two lines that both have: as many as there, or with
    numbers alone.
    """
    own, others = frozenset(own), frozenset(others)
    if not others:
        return frozenset(), frozenset()
    ours, theirs = ([line.text for line in of.in_order] for of in (page, other))
    begin, middle, its_middle = between_common_ends(ours, theirs)
    if len(middle) * len(its_middle) > MOST_ALIGNED:
        return own, frozenset()
    replacing, filling = set[int](), set[int]()
    at = its_at = 0
    for block in SequenceMatcher(None, middle, its_middle, autojunk=False).get_matching_blocks():
        gap = own.intersection(range(begin + at, begin + block.a))
        its_gap = others.intersection(range(begin + its_at, begin + block.b))
        if gap and its_gap:
            replacing |= gap
            around = begin + at - 1, begin + block.a
            if all(0 <= n < len(ours) and _is_told(page.in_order[n]) for n in around):
                told, its_told = (
                    {n: of.in_order[n].text for n in some if _is_told(of.in_order[n])}
                    for of, some in ((page, gap), (other, its_gap))
                )
                lines = (*told.values(), *its_told.values())
                if len(told) == len(its_told) or all(map(_may_be_value, lines)):
                    filling |= told.keys()
        at, its_at = block.a + block.size, block.b + block.size
    return frozenset(replacing), frozenset(filling)


def _are_styled(one: str, other: str) -> bool:
    """Whether two lines of one wording are so in two styles of capital letters."""
    if any(line.isupper() and _CAPITALS.search(line) for line in (one, other)):
        return True
    return all(
        word == its or (word[1:] == its[1:] and word.isalpha() and word[1:].islower())
        for word, its in zip(_ALNUM.findall(one), _ALNUM.findall(other), strict=False)
    )


def _is_told(line: Line) -> bool:
    """Whether a line is visible and no link."""
    return line.is_visible and line.part != LINK_LINE
