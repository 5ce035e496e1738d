"""Layout: the skeleton of a page, apart from what it says.

Pages of one template agree in the elements that hold the content and differ in the content. So the
tree is read from the top, a few levels deep, upper levels weigh more, and paragraphs, headings,
links and other elements that hold text are not looked into. docs/judging.md has the figures.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.lines import MAX_CLASSES

LEVEL_WEIGHTS = (3, 3, 2, 2, 1, 1, 1)
"""What a path weighs, by level below the root; deeper levels are not read. The deeper an element,
the more likely it is content."""

MAX_ELEMENTS = 10_000
"""Elements read of one page, the ones nearest to the root: a page of millions costs no more."""

_MAX_LABEL_LENGTH = 64

_KNOWN = 2048
"""Labels that a process holds, 1 MB at most."""

_UNSEEN = frozenset("br head hr link meta noscript script style template wbr".split())
"""No part of the skeleton; scripts and styles come and go with adverts and counters."""

_HOLDS_CONTENT = frozenset(
    """
    a abbr acronym address applet audio b bdi bdo big blockquote button canvas caption cite code
    data del dfn dt em embed figcaption font h1 h2 h3 h4 h5 h6 hgroup i iframe img input ins kbd
    label legend listing map mark math meter nobr object output p picture pre progress q ruby s
    samp select slot small span strike strong sub summary sup svg textarea time tt u var video xmp
    """.split()
)
"""Counted, but not looked into: text-level elements, headings, and blocks of text (HTML standard
4.3-4.5 and 15.3). An `a` around a whole teaser is content too."""

_CLASS = re.compile(r"\s*([^\s\d]+)")
"""The first class, up to its first digit: `post-1234` and `col-6` say nothing of the template."""


def layout_paths(tree: LexborHTMLParser) -> dict[str, int]:
    """Return the paths of two elements, e.g. `div.body>div.section`, each with its weight.

    How often one occurs says nothing: a page with more sections, rows or comments has the same
    layout. It weighs by the uppermost place where it occurs. Time is linear in the elements of the
    upper levels, memory bounded by MAX_ELEMENTS. Empty only for a tree without elements.
    """
    root = tree.root
    if root is None:
        return {}
    paths: dict[str, int] = {}
    level = [("html", root)]
    left = MAX_ELEMENTS
    for weight in LEVEL_WEIGHTS:
        below = []
        for parent, element in level:
            for child in islice(element.iter(), left):
                left -= 1
                tag = (child.tag or "")[:_MAX_LABEL_LENGTH]
                if tag in _UNSEEN:
                    continue
                classes = child.attributes.get("class")
                label = _label(tag, classes[:MAX_CLASSES]) if classes else tag
                paths.setdefault(f"{parent}>{label}", weight)
                if tag not in _HOLDS_CONTENT:
                    below.append((label, child))
        level = below
    return paths


@lru_cache(_KNOWN)
def _label(tag: str, classes: str) -> str:
    stable = _CLASS.match(classes)
    return (f"{tag}.{stable.group(1)}" if stable else tag)[:_MAX_LABEL_LENGTH]
