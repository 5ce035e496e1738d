"""What one of two pages shows and the other does not, in whatever order, however cut into lines.

A page is dropped only where the stored one shows everything that it shows, so the question is what
is *left over* on each of two pages, and whether something else stands in its place on the other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from crawler.dedup.copies.appearance import Appearance
from crawler.dedup.copies.volatile import has_only_dates, is_dateline, lasting
from crawler.records import BESIDE_LINE, LINK_LINE, SIGN_LINE, TEXT_LINE

MOST_ALIGNED = 1_000_000
"""Pairs of passages of two pages, but for what they begin and end with alike, that are put into one
order: some 50 ms. Beyond it all that is left over counts as standing in the place of something."""

_FEW = 2
"""Words of the longest passage that means nothing alone, such as a number in a cell: the word
before it belongs to it. Two teams whose goals are exchanged show the same passages."""

_SHORT = 40
"""Characters of the longest line that may have as few words."""

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*")
_TOKEN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|\d+|[^\W\d\u3400-\u9fff\uf900-\ufaff]+")
"""A word or a number; of Chinese a character, which needs no dictionary."""
_DIGIT = re.compile(r"\d")


def tokens(text: str) -> list[str]:
    """Return the words of a text."""
    return _TOKEN.findall(text)


def characters(lines: Iterable[str]) -> int:
    """Return how long lines are together."""
    return sum(map(len, lines))


def sentences(line: str) -> Sequence[str]:
    """Return the sentences of a line: what pages are compared by."""
    return _SENTENCE_END.split(line)


class Passage(NamedTuple):
    """A sentence of a page, or another line, as words in lower case without stamps and counters."""

    words: str
    part: str
    """What it is to the page (`crawler.records.TEXT_LINE` and the kinds of lines apart)."""
    judged: bool
    """Whether it stands in the judged text."""
    sentence: str
    """As it is written."""
    line: str
    """The line that it stands in, as it is written."""
    context: str = ""
    """The word before it, where it means nothing alone."""

    @property
    def in_place(self) -> str:
        """Its words, with the one before them where they mean nothing alone."""
        return f"{self.context} {self.words}" if self.context else self.words

    @property
    def dated(self) -> bool:
        """Whether it is but a byline or a date: on another site these are the publisher's own."""
        return is_dateline(self.sentence)

    @property
    def of_dates(self) -> bool:
        """Whether there are numbers in it, and all of them are of dates and times of day."""
        return has_only_dates(self.sentence)


@dataclass(frozen=True, slots=True)
class Left:
    """A passage that only one of two pages shows."""

    passage: Passage
    replaces: bool
    """Whether the other page has something in its place that this one does not show: a form was
    filled in with other values. Else it stands between passages that are neighbours there."""


class Page:
    """A page as passages, in document order; what it shows or holds apart from its lines follows.

    Made once for each page that is compared, of what is kept of its appearance.
    """

    def __init__(self, page: Appearance) -> None:
        self.appearance = page

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """All that it shows, but for what has no word."""
        return tuple(_passages(self.appearance))

    @cached_property
    def shown(self) -> frozenset[str]:
        """The words of each passage, and of title and heading."""
        page = self.appearance
        named = (lasting(page.title or ""), lasting(page.heading or ""))
        return frozenset((*(one.words for one in self.passages), *named))

    @cached_property
    def _stream(self) -> tuple[str, frozenset[int], frozenset[int]]:
        """All words in their order between spaces, and where passages begin and end in them."""
        named = (lasting(self.appearance.title or ""), lasting(self.appearance.heading or ""))
        begins, ends, at = set(), set(), 1
        told = [words for words in (*named, *(one.words for one in self.passages)) if words]
        for words in told:
            begins.add(at)
            at += len(words)
            ends.add(at)
            at += 1
        return f" {' '.join(told)} ", frozenset(begins), frozenset(ends)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """All numbers that it shows."""
        return frozenset(word for word in tokens(self._stream[0]) if word.isdigit())

    @cached_property
    def links(self) -> frozenset[str]:
        """The words of its lines of links."""
        links = (one.words for one in self.passages if one.part == LINK_LINE)
        return frozenset(word for words in links for word in tokens(words))

    @cached_property
    def lines(self) -> frozenset[str]:
        """Its lines as they are written, those apart with the letters of their kinds."""
        page = self.appearance
        return frozenset((*page.text, *page.beside, *page.links, *(page.apart or ())))

    @cached_property
    def values(self) -> frozenset[tuple[str, str]]:
        """Its lines that may mean nothing alone, each with the one before it."""
        lines = [line for _, _, line in _lines(self.appearance)]
        return frozenset(
            (before, line)
            for before, line in pairwise(("", *lines))
            if len(line) <= _SHORT and _DIGIT.search(line) is not None
        )

    def has_all_of(self, other: Page) -> bool:
        """Whether all that another page shows stands here as it is written, but for its title."""
        return other.lines <= self.lines and other.values <= self.values

    def without(self, other: Page) -> Page:
        """Return the page without the lines that another has as they are written."""
        page, known = self.appearance, other.lines
        text, beside, links, apart = (
            tuple(line for line in part if line not in known)
            for part in (page.text, page.beside, page.links, page.apart or ())
        )
        heading = None if page.heading == other.appearance.heading else page.heading
        return Page(Appearance(None, heading, None, (), text, beside, links, (), "", apart))

    def has_line(self, passage: Passage) -> bool:
        """Whether the line of another page's passage stands here as it is written."""
        apart = f"{passage.part}{passage.line}"
        return (passage.line if is_visible(passage) else apart) in self.lines

    @cached_property
    def text_length(self) -> int:
        """Characters of its judged text."""
        return sum(len(one.words) for one in self.passages if one.judged)

    def tells(self, words: str) -> bool:
        """Whether words stand in the heading or the judged text, as a part of these."""
        told = (one.words for one in self.passages if one.judged)
        return any(f" {words} " in f" {one} " for one in told)

    def shows(self, passage: Passage) -> bool:
        """Whether a passage of another page stands here, in one line or in several."""
        if not passage.context:
            return passage.words in self.shown or self.runs(passage.words)
        stream, _, ends = self._stream
        words = f" {passage.in_place} "
        at = stream.find(words)
        while at >= 0:
            if at + len(words) - 1 in ends:
                return True
            at = stream.find(words, at + 1)
        return False

    def runs(self, words: str) -> bool:
        """Whether some whole passages that follow each other make up these words."""
        return next(self.places(words), None) is not None

    def places(self, words: str) -> Iterator[tuple[int, int]]:
        """Yield where passages that follow each other make up words, as characters of them all."""
        if " " not in words and words.isascii():
            return
        stream, begins, ends = self._stream
        words = f" {words} "
        at = stream.find(words)
        while at >= 0:
            begin, end = at + 1, at + len(words) - 1
            if begin in begins and end in ends:
                yield begin, end
            at = stream.find(words, at + 1)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where each passage begins among the characters of all."""
        begins = sorted(self._stream[1])
        return tuple(begins[len(begins) - len(self.passages) :])


class Agreement:
    """Two pages compared; everything is found when it is first asked for. Linear in their texts."""

    def __init__(self, page: Page, other: Page) -> None:
        self.page, self.other = page, other

    @cached_property
    def is_all_shown(self) -> bool:
        """Whether neither page shows anything that the other does not, as far as can soon be told.

        Where the two are the same but for a few lines only these are looked at.
        """
        if not (self.page.values <= self.other.values and self.other.values <= self.page.values):
            return False
        ours, theirs = self.page.without(self.other), self.other.without(self.page)
        return not _not_shown(ours, theirs) and not _not_shown(theirs, ours)

    @cached_property
    def left(self) -> tuple[Left, ...]:
        """What only the first page shows."""
        if self.is_all_shown:
            return ()
        return tuple(self._left(self.page, self.other, self._own, self._others))

    @cached_property
    def left_of_other(self) -> tuple[Left, ...]:
        """What only the second page shows."""
        if self.is_all_shown:
            return ()
        return tuple(self._left(self.other, self.page, self._others, self._own))

    @cached_property
    def _own(self) -> frozenset[int]:
        return _not_shown(self.page, self.other)

    @cached_property
    def _others(self) -> frozenset[int]:
        return _not_shown(self.other, self.page)

    def _left(
        self, page: Page, other: Page, own: frozenset[int], others: frozenset[int]
    ) -> Iterator[Left]:
        if not own:
            return
        replacing = _replacing(page, other, own, others)
        for number in sorted(own):
            yield Left(page.passages[number], number in replacing)

    def shown_alike(self, counts: Callable[[Passage], bool]) -> float:
        """Return how much of what is visible on either page both show, in characters, 0..1.

        Of the passages that `counts` lets count.
        """
        whole, apart = [], []
        for page, own in ((self.page, self._own), (self.other, self._others)):
            whole.append(sum(len(one.words) for one in page.passages if counts(one)))
            left = (page.passages[number] for number in own)
            apart.append(sum(len(one.words) for one in left if counts(one)))
        shared = max(0, min(all_ - own_ for all_, own_ in zip(whole, apart, strict=True)))
        total = shared + sum(apart)
        return shared / total if total else 1.0


def is_visible(passage: Passage) -> bool:
    """Whether a passage is one of the visible lines, and nothing apart from these."""
    return passage.part in _VISIBLE


_VISIBLE = frozenset((TEXT_LINE, BESIDE_LINE, LINK_LINE))


def _passages(page: Appearance) -> Iterator[Passage]:
    heading = lasting(page.heading or "")
    if heading:
        yield Passage(heading, TEXT_LINE, True, page.heading or "", page.heading or "")
    before = heading
    for part, judged, line in _lines(page):
        for sentence in sentences(line):
            words = lasting(sentence)
            if words:
                context = ""
                if _DIGIT.search(words) and len(found := tokens(words)) <= _FEW and before:
                    context = "" if len(found) > 1 else before.rpartition(" ")[2]
                yield Passage(words, part, judged, sentence, line, context)
                before = words


def _lines(page: Appearance) -> Iterator[tuple[str, bool, str]]:
    """Yield each line that says something: its part, whether it was judged, its text."""
    in_order = page.in_order
    if in_order is None:
        parts = {TEXT_LINE: page.text, BESIDE_LINE: page.beside, LINK_LINE: page.links}
        for part, lines in parts.items():
            for line in lines:
                yield part, part == TEXT_LINE, line
    else:
        for mark, (line, judged) in zip(page.order, in_order, strict=True):
            if (part := mark.lower()) != SIGN_LINE:
                yield part, judged, line
    for line in page.apart or ():
        yield line[0], False, line[1:]


def _not_shown(page: Page, other: Page) -> frozenset[int]:
    """Return which passages of a page another does not show, however either is cut into lines."""
    left = {n for n, one in enumerate(page.passages) if not other.shows(one)}
    if len(left) < 2:  # one line of the other in several: these are all not shown as they stand
        return frozenset(left)
    for words in other.shown - page.shown:
        for begin, end in page.places(words):
            first = bisect_left(page.offsets, begin)
            left.difference_update(range(first, bisect_left(page.offsets, end)))
    return frozenset(left)


def _replacing(
    page: Page, other: Page, own: frozenset[int], others: frozenset[int]
) -> frozenset[int]:
    """Return which of a page's own passages stand in the place of ones that only the other has."""
    if not others:
        return frozenset()
    ours = [one.words for one in page.passages]
    theirs = [one.words for one in other.passages]
    begin = next(
        (n for n, (one, two) in enumerate(zip(ours, theirs, strict=False)) if one != two),
        min(len(ours), len(theirs)),
    )
    most = min(len(ours), len(theirs)) - begin
    end = next((n for n in range(most) if ours[-1 - n] != theirs[-1 - n]), most)
    middle, its_middle = ours[begin : len(ours) - end], theirs[begin : len(theirs) - end]
    if len(middle) * len(its_middle) > MOST_ALIGNED:
        return own
    matcher = SequenceMatcher(None, middle, its_middle, autojunk=False)
    blocks = matcher.get_matching_blocks()
    replacing: set[int] = set()
    at = its_at = 0
    for block in blocks:
        gap = {n for n in range(begin + at, begin + block.a) if n in own}
        if gap and any(n in others for n in range(begin + its_at, begin + block.b)):
            replacing |= gap
        at, its_at = block.a + block.size, block.b + block.size
    return frozenset(replacing)
