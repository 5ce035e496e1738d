"""A page's visible lines by what they are to its judged text: in it, beside it, or links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from crawler.extract.judged import GRAM, found
from crawler.extract.text import word_characters
from crawler.extract.visible import Line

_LINK = 0.8
"""Share of a line's characters that are links in a line that is one: a sentence with a long link in
it is none."""


_SEARCHED = 5_000_000
"""Characters looked through for lines one by one, which is the fastest way for some: a ms or so."""


class PageParts(NamedTuple):
    """The lines of a page that have words in them, each in one part, in document order."""

    text: tuple[str, ...]
    """Lines of the judged text; of a main text also those that are links, as it has left out
    navigation already."""
    beside: tuple[str, ...]
    """Visible lines outside of the judged text that are no links."""
    links: tuple[str, ...]
    """Visible lines that are links and not in the text."""


def page_parts(main: str | None, visible: Sequence[Line]) -> PageParts:
    """Return the parts of a page that is judged on its main text, or None: on all that is visible.

    Linear in its text.
    """
    lines = [(bare, line) for line in visible if (bare := word_characters(line.text))]
    links = {bare for bare, line in lines if line.linked >= _LINK * len(bare)}
    if main is None:
        text = tuple(line.text for bare, line in lines if bare not in links)
        return PageParts(text, (), tuple(line.text for bare, line in lines if bare in links))
    judged = main.split("\n")
    known = set(map(word_characters, judged))
    strange = [(bare, line.text) for bare, line in lines if bare and bare not in known]
    is_found = _found(word_characters(main), [bare for bare, _ in strange])
    around = [pair for pair, yes in zip(strange, is_found, strict=True) if not yes]
    return PageParts(
        tuple(line for line in judged if word_characters(line)),
        tuple(line for bare, line in around if bare not in links),
        tuple(line for bare, line in around if bare in links),
    )


def _found(main: str, lines: Sequence[str]) -> list[bool]:
    """Return which lines occur in the main text; short ones occur everywhere and do not count."""
    if len(main) * len(lines) > _SEARCHED:
        return found(main, lines)
    return [len(line) >= GRAM and line in main for line in lines]
