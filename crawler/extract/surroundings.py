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

from crawler.extract.visible import Line

MOST = 0.5
"""Share of a page's characters that its surroundings may have: where they would be most of it,
the names are used for something else (a site of `.menu` pages: dishes)."""

_ELEMENTS = frozenset(("aside", "dialog", "legend", "menu", "search"))

_CLASSES = re.compile(
    r"""(?:^|[-_])(?:
    side-?bar|menu|nav|navbar|top-?bar|toolbar|header|footer|foot|drawer|drop-?down|breadcrumbs?
    |pagination|pager|filters?|facets?|tags|skip|log-?in|sign-?up
    |related|recommend(?:ed|ations)|popular|trending|promo|banner|ads?|advert(?:isement)?
    |sponsor(?:ed)?|newsletter|subscri(?:be|ption)|shar(?:e|ing)|social
    |cookies?|consent|modal|pop-?up|overlay|dialog|toast|tooltip|disclaimer|legal|copyright
    )(?:$|[-_])""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole word of a class name; `header` is one of a page or a card, never of an article's head,
whose headings have elements of their own."""


def in_surroundings(lines: Sequence[Line], lengths: Sequence[int]) -> list[bool]:
    """Return for each line whether it stands in a box that is named as surroundings.

    `lengths` are the lines' word characters. Boxes of one path count together.
    """
    boxes = [_box(line.path) for line in lines]
    weights: Counter[str] = Counter()
    for box, length in zip(boxes, lengths, strict=True):
        weights[box] += length
    most = MOST * sum(lengths)
    return [bool(box) and weights[box] <= most for box in boxes]


@lru_cache(4096)
def _box(path: str) -> str:
    """Return the path of the outermost box that is named as surroundings; empty if none is."""
    for around, label in _steps(path):
        tag, _, name = label.partition(".")
        if tag in _ELEMENTS or _CLASSES.search(name):
            return around
    return ""


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Yield (path up to an element, the element), outermost first."""
    end = 0
    for label in path.split(">"):
        end += len(label)
        yield path[:end], label
        end += 1
