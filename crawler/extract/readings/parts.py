"""A page's visible lines by what they are to its judged text: in it, beside it, or links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from crawler.extract.lines.visible import Line
from crawler.extract.text import word_characters
from crawler.records import BESIDE_LINE, LINK_LINE, SIGN_LINE, TEXT_LINE

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
    """What each line is, from the first to the last (`crawler.records.TEXT_LINE`)."""


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
