"""The text of a page of no known template: what an extractor found, put right by structure.

The extractor is good at articles and loses the items of lists, shops and forums. Where it is
trusted its lines are the text, with what is missing in between; on pages of items, where much is
missing, all lines between its first and its last are. Where it is not trusted (`judged_on`), all
visible lines are the text but for menus, and for what lies around a main text that is most of the
page, in other boxes than its lines. Surroundings go by name in either case, and so does what
stands outside the box of an article (`article`).
docs/extraction.md has the figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from crawler.extract.lines.visible import Line
from crawler.extract.readings.article import within_article
from crawler.extract.readings.places import LINKED, around, is_heading
from crawler.extract.readings.surroundings import without_surroundings
from crawler.extract.text import word_characters

_ITEMS = 0.25
"""Characters missing inside the main text, as a share of it, from which a page is one of items."""

_MOST_OF_PAGE = 0.5
"""Share of the unlinked characters from which a main text says where the page's content ends."""

_STRAY = 0.02
"""Share of the main text at either end that may be stray finds, in menus or comments."""

_HOLE, _HOLE_LINES = 100, 10
"""Word characters of a line, and number of lines, that an extractor drops between two lines of the
same box though they belong there: formulas, code, captions, short items."""

_BESIDE = 200
"""Found word characters outside of links in the box of a heading, from which a list below it is of
the text: exercises, references."""

_MENU = 3
"""Lines of links in a row that are a menu."""

_FOOTNOTES = re.compile(r"[-_.](?:foot|end)-?notes?(?:$|[-_>])", re.IGNORECASE)
"""In the path of a text's notes, as of MkDocs, Pandoc and WordPress. Extractors leave them out as
links, with the heading before them."""


def combined_lines(lines: Sequence[Line], found: Sequence[bool], *, trusted: bool) -> list[bool]:
    """Return by line whether it is part of the text.

    `found` are the lines of an extractor's main text, `trusted` says whether that has the content
    of the page. Linear; something is kept of every page that says something.
    """
    page = _Page(lines)
    if not any(found):
        kept = page.without_menus([True] * len(lines), found)
    elif trusted:
        whole = page.between(found)
        is_of_items = page.weight(whole) > (1 + _ITEMS) * page.weight(found)
        kept = whole if is_of_items else page.filled(found)
    else:
        is_most = page.unlinked(found) > _MOST_OF_PAGE * page.unlinked([True] * len(lines))
        whole = page.like(found) if is_most else [True] * len(lines)
        kept = page.without_menus(whole, found)
    kept = within_article(lines, found, without_surroundings(lines, kept))
    return kept if page.weight(kept) else [True] * len(lines)


class _Page:
    """Lines with their weights."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._lengths = [len(word_characters(line.text)) for line in lines]
        self._menu = [
            line.linked > LINKED * length for line, length in zip(lines, self._lengths, strict=True)
        ]

    def weight(self, flags: Sequence[bool]) -> int:
        """Return the word characters of the flagged lines."""
        return sum(length for length, flag in zip(self._lengths, flags, strict=True) if flag)

    def unlinked(self, flags: Sequence[bool]) -> int:
        """Return the word characters of the flagged lines outside of links."""
        parts = zip(self._lines, self._lengths, flags, strict=True)
        return sum(max(0, length - line.linked) for line, length, flag in parts if flag)

    def between(self, found: Sequence[bool]) -> list[bool]:
        """Return the found lines, and all between the first and the last that are no stray ones."""
        stray, total = _STRAY * self.weight(found), self.weight(found)
        passed, first, last = 0, len(found), -1
        for number, length in enumerate(self._lengths):
            if found[number]:
                if passed + length > stray:
                    first = min(first, number)
                if passed < total - stray:
                    last = number
                passed += length
        return [flag or first <= number <= last for number, flag in enumerate(found)]

    def like(self, found: Sequence[bool]) -> list[bool]:
        """Return what is between the found lines, and others where most lines are found ones."""
        all_, kept = Counter[str](), Counter[str]()
        for line, length, flag in zip(self._lines, self._lengths, found, strict=True):
            all_[line.path] += length
            kept[line.path] += length * flag
        flags = zip(self._lines, self.between(found), strict=True)
        return [flag or 2 * kept[line.path] > all_[line.path] for line, flag in flags]

    def filled(self, found: Sequence[bool]) -> list[bool]:
        """Return the found lines, what is missing between two of the same box, and footnotes."""
        filled, last = list(found), None
        for number in (number for number, flag in enumerate(found) if flag):
            if last is not None and self._is_hole(last, number):
                filled[last:number] = [True] * (number - last)
            last = number
        for first, end in self._sections(found, 0):
            if filled[first] and self._is_list(first, end) and not any(filled[first + 1 : end]):
                filled[first:end] = [True] * (end - first)
        for number in self._footnotes():
            filled[number] = True
        return filled

    def _footnotes(self) -> Iterator[int]:
        """Yield the numbers of all lines of footnotes, and of headings right before them."""
        paths = {line.path for line in self._lines}
        notes = {path for path in paths if _FOOTNOTES.search(path)}
        for number, line in enumerate(self._lines):
            if line.path in notes:
                yield number
                if number and is_heading(self._lines[number - 1]):
                    yield number - 1

    def _is_list(self, first: int, end: int) -> bool:
        """Whether all lines after the first one, a heading, are items of lists beside it."""
        box = around(self._lines[first].path)
        below = self._lines[first + 1 : end]
        return all(around(around(line.path)) == box for line in below)

    def _sections(self, found: Sequence[bool], least: int) -> Iterator[tuple[int, int]]:
        """Yield where headings, and what follows them in their boxes, begin and end.

        `least` unlinked characters beside them were found.
        """
        beside = Counter[str]()
        for line, length, flag in zip(self._lines, self._lengths, found, strict=True):
            if flag and not is_heading(line):
                beside[around(line.path)] += max(0, length - line.linked)
        begun, box = 0, ""
        for number, line in enumerate(self._lines):
            if is_heading(line) or not line.path.startswith(f"{box}>"):
                if box:
                    yield begun, number
                begun, box = number, around(line.path)
                if not is_heading(line) or beside[box] < least:
                    box = ""
        if box:
            yield begun, len(self._lines)

    def _is_hole(self, last: int, following: int) -> bool:
        """Whether the lines between two found ones are a hole in their box."""
        if not 1 < following - last <= _HOLE_LINES + 1:
            return False
        boxes = {around(self._lines[last].path), around(self._lines[following].path)}
        return all(
            self._lengths[number] <= _HOLE
            and not self._menu[number]
            and around(self._lines[number].path) in boxes
            for number in range(last + 1, following)
        )

    def without_menus(self, kept: Sequence[bool], found: Sequence[bool]) -> list[bool]:
        """Return the kept lines without runs of links that the extractor has left out.

        All of them stay where they are most of the page: then it is a list of links.
        """
        left = list(kept)
        for first, end in self._menus(found):
            left[first:end] = [False] * (end - first)
        for first, end in self._sections(found, _BESIDE):
            if left[first]:
                left[first:end] = [True] * (end - first)
        return left if self.weight(left) > self.weight(kept) / 2 else list(kept)

    def _menus(self, found: Sequence[bool]) -> Iterator[tuple[int, int]]:
        begun = 0
        for number in range(len(found) + 1):
            if number < len(found) and self._menu[number] and not found[number]:
                continue
            if number - begun >= _MENU:
                yield begun, number
            begun = number + 1
