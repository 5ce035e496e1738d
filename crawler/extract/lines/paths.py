"""Where text stands in a page: paths of block elements, the same on all pages of one template."""

from __future__ import annotations

import re
from functools import lru_cache

from crawler.extract.lines.chrome import is_chrome
from crawler.extract.lines.languages import language_around
from crawler.extract.lines.structure import CODE, STRUCTURES, is_simple

BLOCKS = frozenset(
    """
    address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav
    ol optgroup option p plaintext pre search section summary table tbody tfoot thead tr ul xmp
    """.split()
)
"""Elements that begin and end a line (HTML standard 15.3)."""

_SECTIONING = frozenset(("article", "aside", "main", "nav", "section"))
"""A header or footer in one of these is its own and not the page's (HTML-AAM 1.0, 3.5)."""

_CLASS = re.compile(r"\s*([^\s\d]{1,64})")
"""The first class, up to its first digit: `post-1234` and `col-6` say nothing of the template."""

MAX_DEPTH = 64
"""Elements in a path, by far more than templates have; what lies deeper has the path around it. A
page of nested elements would have a path of its own for each."""

FURNISHES, IS_CHROME = 1, 2
"""What attributes other than its classes say of an element: bits of a label."""

MAX_CLASSES = 500
"""Characters of a `class` attribute that are looked at; utility classes fill some hundreds. What
is remembered of them holds them: longer ones would fill memory."""

LANGUAGE_REACH = 5
"""Elements from the one that names the language of code down to the code: a figure, its table with
body and row, the cell with the code."""


class Place:
    """What holds for all text in elements of one path. Nothing changes it: pages share places."""

    __slots__ = (
        "_depth", "_language_at", "chrome", "is_furniture", "is_simple", "language", "path",
        "preformatted", "sectioned", "structure",
    )  # fmt: skip

    def __init__(self, path: str = "body", depth: int = 0) -> None:
        self.path = path
        """Tags with first classes, from the body down, as `body>div.main>p`."""
        self.is_furniture = False
        """In a nav, in the page's own header or footer, or in an element with such a role."""
        self.sectioned = False
        self.preformatted = False
        self.structure = ""
        """The tag of its innermost element, if that is one of STRUCTURES."""
        self.is_simple = False
        """Whether the box of that element needs no further look."""
        self.chrome = False
        """Whether text in it belongs to the page and not to what it says."""
        self.language = ""
        """Of the code in it, as an element close by says."""
        self._language_at = 0
        self._depth = depth

    def within(self, tag: str, classes: str, label: int) -> Place:
        """Return the place of an element in this one; `label` is what other attributes say."""
        path = self.path
        if self._depth < MAX_DEPTH:
            found = _CLASS.match(classes)
            path = f"{path}>{tag}.{found.group(1)}" if found else f"{path}>{tag}"
        place = Place(path, self._depth + 1)
        opens = tag == "nav" or (tag in ("header", "footer") and not self.sectioned)
        place.is_furniture = self.is_furniture or opens or bool(label & FURNISHES)
        place.sectioned = self.sectioned or tag in _SECTIONING
        place.preformatted = self.preformatted or tag in CODE
        place.structure = tag if tag in STRUCTURES else ""
        place.is_simple = is_simple(place.structure, self.structure)
        is_named, language = _said_by(classes) if classes else (False, "")
        place.chrome = self.chrome or is_named or bool(label & IS_CHROME)
        if language:
            place.language, place._language_at = language, place._depth
        elif place._depth - self._language_at <= LANGUAGE_REACH:
            place.language, place._language_at = self.language, self._language_at
        return place


BODY = Place()
"""The place of what is in the body and in nothing else."""

place_within = lru_cache(4096)(Place.within)
"""`Place.within`, remembered from page to page: those of a site have the same places, some hundred.
A path of MAX_DEPTH long names has 5 kB, so that no page can make this hold more than 20 MB if its
callers cut classes at MAX_CLASSES, and give only the tags of `BLOCKS`."""


@lru_cache(4096)
def _said_by(classes: str) -> tuple[bool, str]:
    """Return whether classes are those of chrome, and which language they name."""
    return is_chrome(classes), language_around(classes)
