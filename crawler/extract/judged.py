"""Which text speaks for a page.

The main text where it has the page's content, else all that is visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from crawler.extract.lines import Line
from crawler.extract.text import word_characters
from crawler.models import BESIDE_LINE, LINK_LINE, SIGN_LINE, TEXT_LINE, JudgedOn

# ---------------------------------------------------------------- parts
# A page's visible lines by what they are to its judged text: in it, beside it, or links.


_LINK = 0.8
"""Share of a line's characters that are links in a line that is one: a sentence with a long link in
it is none."""

_WORD = re.compile(r"\w")


class PageParts(NamedTuple):
    """The lines of a page, each in one part, in document order."""

    text: tuple[str, ...]
    """Lines of the judged text; where that is a part of the page also those that are links, as it
    has left out navigation already."""
    beside: tuple[str, ...]
    """Visible lines outside of the judged text that are no links."""
    links: tuple[str, ...]
    """Visible lines that are links and not in the text."""
    signs: tuple[str, ...]
    """Lines without a word in them."""
    order: str
    """What each line is, from the first to the last (`crawler.models.TEXT_LINE`)."""


def page_parts(visible: Sequence[Line], judged: Sequence[bool]) -> PageParts:
    """Return the parts of a page; `judged` says which lines are in its judged text."""
    text: list[str] = []
    beside: list[str] = []
    links: list[str] = []
    signs: list[str] = []
    parts = {TEXT_LINE: text, BESIDE_LINE: beside, LINK_LINE: links, SIGN_LINE: signs}
    judged_link = LINK_LINE if all(judged) else TEXT_LINE
    order = []
    for line, is_judged in zip(visible, judged, strict=True):
        if not line.linked and not _WORD.search(line.text):
            part = SIGN_LINE
        elif line.linked and _is_link(line):
            part = judged_link if is_judged else LINK_LINE
        else:
            part = TEXT_LINE if is_judged else BESIDE_LINE
        parts[part].append(line.text)
        order.append(part.upper() if is_judged else part)
    return PageParts(tuple(text), tuple(beside), tuple(links), tuple(signs), "".join(order))


def shown_text(visible: str, heading: str | None) -> str:
    """Return all that is visible, by which a page is known: lines, and the heading before them.

    A heading that stands among the lines is no second time before them. In a header it is not one
    of them, and pages of a form that differ in nothing else are different pages.
    """
    if heading is None or f"\n{heading}\n" in f"\n{visible}\n":
        return visible
    return f"{heading}\n{visible}"


def _is_link(line: Line) -> bool:
    if line.linked >= _LINK * len(line.text):  # as most of them are: nothing has to be counted
        return True
    return line.linked >= _LINK * len(word_characters(line.text))


# ---------------------------------------------------------------- judged
# Which text speaks for a page: the main text where it has the page's content, else all of it.
#
# An extractor that returns the same notice for a hundred pages would make them copies of each
# other.
# Where it works, what it leaves out (teasers, comments, forms) stands around the article and is
# short
# or links. Where it fails, paragraphs are missing inside the article, or it has left out more prose
# than it found. docs/extraction.md gives the data behind the figures.


GRAM = 12
"""Word characters compared at once; shorter lines say too little to be looked for."""

_LINKED_SHARE = 0.3
"""Lines with more link text are navigation (link density: Kohlschuetter et al., WSDM 2010)."""

_PROSE = 100
"""Word characters from which a line around the main text counts as prose."""

_HOLES_IN_TEXT = 0.15
"""Word characters that may be missing inside the main text, as a share of it."""

_HOLES_IN_LINES = 0.3
"""Lines that may be missing between the first and the last line found, as a share of them."""

_SHORT = 4_000
"""Word characters up to which a main text is looked through for navigation. On a short page the
extractor falls back to all text; in a long one navigation weighs little."""

_STRANGE = 0.3
"""Share of a short main text that may stand in nav, header or footer, or nowhere."""

_LISTED = 4
"""Times its main text that a page's link lines may be long. Beyond that the page is a list, such as
a table of contents under a short notice, and the links are what it says."""


def judged_on(main: str, visible: Sequence[Line]) -> JudgedOn:
    """Return which text a page is judged by and stored with."""
    characters = word_characters(main)
    speaks = (
        bool(characters)
        and _speaks_for(characters, visible)
        and not _is_navigation(main, visible)
        and not _is_list(characters, visible)
    )
    return JudgedOn.MAIN if speaks else JudgedOn.VISIBLE


def speak_for(lines: Sequence[Line], flags: Sequence[bool]) -> bool:
    """Whether the flagged lines of a page have its content, as far as text is missing around them.

    For lines that were chosen as such: what an extractor adds or reads as a list is not asked.
    """
    texts = [word_characters(line.text) for line in lines]
    main = sum(len(text) for text, is_in in zip(texts, flags, strict=True) if is_in)
    prose = _prose(lines, texts)
    return _is_whole(main, [texts[number] for number in prose], [flags[number] for number in prose])


def _is_list(main: str, visible: Sequence[Line]) -> bool:
    """Whether links say much more than the main text."""
    lines = ((len(word_characters(line.text)), line.linked) for line in visible)
    listed = sum(length for length, linked in lines if linked > _LINKED_SHARE * length)
    return listed > _LISTED * len(main)


def _is_navigation(main: str, visible: Sequence[Line]) -> bool:
    """Whether much of a short main text is not found in the visible text."""
    lines = [text for line in main.splitlines() if len(text := word_characters(line)) >= GRAM]
    length = sum(map(len, lines))
    if length > _SHORT or not visible:
        return False
    shown = word_characters("".join(line.text for line in visible))
    is_found = found(shown, lines)
    strange = sum(len(line) for line, yes in zip(lines, is_found, strict=True) if not yes)
    return strange > _STRANGE * length


def _speaks_for(main: str, visible: Sequence[Line]) -> bool:
    texts = [word_characters(line.text) for line in visible]
    lines = [texts[number] for number in _prose(visible, texts)]
    return _is_whole(len(main), lines, found(main, lines))


def _prose(visible: Iterable[Line], texts: Iterable[str]) -> list[int]:
    """Return the numbers of the lines that a main text should have, by their word characters."""
    return [
        number
        for number, (line, text) in enumerate(zip(visible, texts, strict=True))
        if len(text) >= GRAM and line.linked <= _LINKED_SHARE * len(text)
    ]


def _is_whole(main: int, lines: Sequence[str], is_found: Sequence[bool]) -> bool:
    """Whether a main text of so many word characters has a page's prose; `is_found` says which."""
    covered = [number for number, yes in enumerate(is_found) if yes]
    if not covered:
        return sum(len(line) for line in lines if len(line) >= _PROSE) <= main
    between = range(covered[0], covered[-1] + 1)
    holes = [len(lines[number]) for number in between if not is_found[number]]
    around = sum(
        len(line)
        for number, line in enumerate(lines)
        if number not in between and not is_found[number] and len(line) >= _PROSE
    )
    return (
        sum(holes) <= _HOLES_IN_TEXT * main
        and len(holes) <= _HOLES_IN_LINES * len(between)
        and around <= main
    )


def found(main: str, lines: Sequence[str]) -> list[bool]:
    """Return which lines occur in `main`, all of them word characters alone.

    Gram by gram, in one pass: linear in both. A line shorter than a gram is never found.
    """
    wanted = {gram for line in lines for gram in _grams(line)}
    present = wanted.intersection(main[i : i + GRAM] for i in range(len(main) - GRAM + 1))
    return [present.issuperset(_grams(line)) for line in lines]


def _grams(line: str) -> Iterator[str]:
    """Yield pieces of `line` that cover it."""
    for start in range(0, len(line) - GRAM, GRAM):
        yield line[start : start + GRAM]
    yield line[-GRAM:]
