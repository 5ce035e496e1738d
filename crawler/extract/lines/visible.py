"""Visible text: what a reader of the rendered page would see, as far as markup alone tells."""

from __future__ import annotations

from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.lines.gathering import Line
from crawler.extract.lines.walk import Walk
from crawler.extract.text import word_characters

__all__ = ["Line", "text_of", "visible_lines"]

_NOTHING, _SOMETHING = 40, 400
"""Word characters below which a page shows nothing (its name, a notice), and from which what it
hides is a text rather than a notice that scripts are needed. Forums that are programs show nothing
of their threads but in `noscript`."""


def visible_lines(
    tree: LexborHTMLParser,
    *,
    links: bool = False,
    skipped: list[tuple[str, LexborNode]] | None = None,
) -> list[Line]:
    """Return the text outside nav, header and footer, one block a line, in document order.

    Elements with those roles (navigation, banner, contentinfo) count as such; a header or footer
    within an article, aside, main or section is content. A page that has nothing outside of them
    is all content: an unclosed nav swallows the rest of its page. One that shows next to nothing is
    read with what scripts would reveal, and what stands there for a reader without scripts, if that
    is a text. `links` has lines marked where they lead elsewhere; `skipped` takes in the elements
    that were passed over (`Walk.skipped`).
    """
    body = tree.body
    if body is None:
        return []
    shown, walk = _read(tree, body, links, reveals=False)
    if not _says(shown, _NOTHING):
        revealed, revealing = _read(tree, body, links, reveals=True)
        if _says(revealed, _SOMETHING):
            shown, walk = revealed, revealing
    if skipped is not None:
        skipped.extend(walk.skipped)
    return shown


def _read(
    tree: LexborHTMLParser, body: LexborNode, links: bool, *, reveals: bool
) -> tuple[list[Line], Walk]:
    walk = Walk(tree, links, reveals=reveals)
    if lines := walk.read(body):
        return lines, walk
    walk = Walk(tree, links, reveals=reveals, furniture=True)
    return walk.read(body), walk


def _says(lines: Iterable[Line], least: int) -> bool:
    """Whether there are so many word characters in lines."""
    for line in lines:
        least -= len(word_characters(line.text))
        if least <= 0:
            return True
    return False


def text_of(lines: Iterable[Line]) -> str:
    """Return the lines as one text."""
    return "\n".join(line.text for line in lines)
