"""Surroundings by the names of elements: asides, and boxes whose class says what they are.

Class names of the web are a convention that templates of many makers share (as used by Mozilla's
Readability, `unlikelyCandidates`); a page that knows better is not listened to less, since names
are believed only where they are about a smaller part of a page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from crawler.extract.lines.visible import Line
from crawler.extract.readings.places import around
from crawler.extract.text import word_characters

MOST = 0.5
"""Share of a page's characters that its surroundings may have: where they would be most of it,
the names are used for something else (a site of `.menu` pages: dishes)."""

_ELEMENTS = frozenset(("aside", "dialog", "legend", "menu", "search"))
BESIDE = 200
"""Word characters outside of links right beside a `sidebar` that show it to be a box in a text, as
DocBook has them, and no column of a page."""

_SIDEBAR = re.compile(r"[.\-_]side-?bar[^>]*$", re.IGNORECASE)
_PARTS_OF_TABLES = frozenset(("caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"))
"""Their names are about tables: a `tr.header` is no header of a page."""

_SURE = r"""cookies?|consent|copyright|newsletter|subscri(?:be|ption)|shar(?:e|ing)|sponsor(?:ed)?
    |ads?|advert(?:isement)?|promo|popular|trending|recommend(?:ed|ations)|log-?in|sign-?up
    |pagination|pager|breadcrumbs?|pop-?up"""
"""Names that no part of a text has."""

_CLASSES = re.compile(
    rf"""(?:^|[-_])(?:
    {_SURE}
    |side-?bar|menu|nav|navbar|top-?bar|toolbar|header|footer|foot|drawer|drop-?down
    |filters?|facets?|tags|skip|related
    |banner|teasers?|breaking|latest|recent|modal|overlay|dialog|toast|tooltip|disclaimer|legal
    )(?:$|[-_])""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole word of a class name; `header` is one of a page or a card, never of an article's head,
whose headings have elements of their own."""

_SURELY = re.compile(rf"(?:^|[-_])(?:{_SURE})(?:$|[-_])", re.IGNORECASE | re.VERBOSE)

_NOTES = re.compile(
    r"(?:^|[-_])(?:foot-?notes?|notes?|admonition|callout|topic)(?:$|[-_])", re.IGNORECASE
)
"""Asides that belong to the text (docutils, Asciidoctor)."""


def without_surroundings(
    lines: Sequence[Line], kept: Sequence[bool], *, surely: bool = False
) -> list[bool]:
    """Return the kept lines but for those in boxes that are named as surroundings.

    Boxes of one path count together. `surely` believes only the names that no part of a text has:
    for lines that something better has kept. Nothing goes where nothing would be left.
    """
    boxes = [_box(line.path, surely) for line in lines]
    if not any(boxes):
        return list(kept)
    believed = _believed(lines, boxes)
    left = [flag and box not in believed for flag, box in zip(kept, boxes, strict=True)]
    return left if any(left) else list(kept)


def _believed(lines: Sequence[Line], boxes: Sequence[str]) -> set[str]:
    """Return the boxes whose names are believed."""
    weights: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    for line, box in zip(lines, boxes, strict=True):
        length = len(word_characters(line.text))
        weights[box] += length
        if not box:
            beside[around(line.path)] += max(0, length - line.linked)
    most = MOST * weights.total()
    return {
        box
        for box, weight in weights.items()
        if box and weight <= most and not (_is_sidebar(box) and beside[around(box)] >= BESIDE)
    }


def _is_sidebar(box: str) -> bool:
    return _SIDEBAR.search(box) is not None


@lru_cache(4096)
def _box(path: str, surely: bool) -> str:
    """Return the path of the outermost box that is named as surroundings; empty if none is."""
    names = _SURELY if surely else _CLASSES
    for box, element in _steps(path):
        tag, _, name = element.partition(".")
        if tag in _ELEMENTS and not surely and not _NOTES.search(name):
            return box
        if tag not in _PARTS_OF_TABLES and names.search(name):
            return box
    return ""


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Yield (path up to an element, the element), outermost first."""
    end = 0
    for element in path.split(">"):
        end += len(element)
        yield path[:end], element
        end += 1
