"""A page's visible lines by what they are to its judged text: in it, beside it, or links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from crawler.extract.text import word_characters
from crawler.extract.visible import Line

_LINK = 0.8
"""Share of a line's characters that are links in a line that is one: a sentence with a long link in
it is none."""


class PageParts(NamedTuple):
    """The lines of a page that have words in them, each in one part, in document order."""

    text: tuple[str, ...]
    """Lines of the judged text; where that is a part of the page also those that are links, as it
    has left out navigation already."""
    beside: tuple[str, ...]
    """Visible lines outside of the judged text that are no links."""
    links: tuple[str, ...]
    """Visible lines that are links and not in the text."""


def page_parts(visible: Sequence[Line], judged: Sequence[bool]) -> PageParts:
    """Return the parts of a page; `judged` says which lines are in its judged text."""
    lines = [
        (line.text, is_judged, line.linked >= _LINK * len(bare))
        for line, is_judged in zip(visible, judged, strict=True)
        if (bare := word_characters(line.text))
    ]
    if all(judged):
        text = tuple(line for line, _, is_link in lines if not is_link)
        return PageParts(text, (), tuple(line for line, _, is_link in lines if is_link))
    return PageParts(
        tuple(line for line, is_judged, _ in lines if is_judged),
        tuple(line for line, is_judged, is_link in lines if not is_judged and not is_link),
        tuple(line for line, is_judged, is_link in lines if not is_judged and is_link),
    )
