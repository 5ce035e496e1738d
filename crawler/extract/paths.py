"""Where text stands in a page: paths of block elements, the same on all pages of one template."""

from __future__ import annotations

import re

BLOCKS = frozenset(
    """
    address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav
    ol optgroup option p plaintext pre search section summary table tbody tfoot thead tr ul xmp
    """.split()
)
"""Elements that begin and end a line (HTML standard 15.3)."""

CELLS = frozenset(("td", "th"))
"""Elements set apart by space within a line."""

_PREFORMATTED = frozenset(("listing", "plaintext", "pre", "xmp"))
_SECTIONING = frozenset(("article", "aside", "main", "nav", "section"))
"""A header or footer in one of these is its own and not the page's (HTML-AAM 1.0, 3.5)."""

_CLASS = re.compile(r"\s*([^\s\d]{1,64})")
"""The first class, up to its first digit: `post-1234` and `col-6` say nothing of the template."""

MAX_DEPTH = 64
"""Elements in a path, by far more than templates have; what lies deeper has the path around it. A
page of nested elements would have a path of its own for each."""


class Place:
    """What holds for all text in elements of one path. Made once a page for each path."""

    __slots__ = ("_below", "_depth", "is_furniture", "path", "preformatted", "sectioned")

    def __init__(self, path: str = "body", depth: int = 0) -> None:
        self.path = path
        """Tags with first classes, from the body down, as `body>div.main>p`."""
        self.is_furniture = False
        """In a nav, in the page's own header or footer, or in an element with such a role."""
        self.sectioned = False
        self.preformatted = False
        self._depth = depth
        self._below: dict[tuple[str, str | None, bool], Place] = {}

    def within(self, tag: str, classes: str | None, furnishes: bool) -> Place:
        """Return the place of an element in this one; `furnishes` says that its role does."""
        key = (tag, classes, furnishes)
        below = self._below.get(key)
        if below is None:
            below = self._below[key] = self._make(tag, classes, furnishes)
        return below

    def _make(self, tag: str, classes: str | None, furnishes: bool) -> Place:
        path = self.path
        if self._depth < MAX_DEPTH:
            found = _CLASS.match(classes) if classes else None
            path = f"{path}>{tag}.{found.group(1)}" if found else f"{path}>{tag}"
        place = Place(path, self._depth + 1)
        opens = tag == "nav" or (tag in ("header", "footer") and not self.sectioned)
        place.is_furniture = self.is_furniture or furnishes or opens
        place.sectioned = self.sectioned or tag in _SECTIONING
        place.preformatted = self.preformatted or tag in _PREFORMATTED
        return place
