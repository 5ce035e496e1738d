"""Where a line stands in its page.

The path of block elements, and lists, tables, code, headings, quotes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from crawler.extract.chrome import is_chrome

# ---------------------------------------------------------------- languages
# Which language a block of code is written in, where its markup says so.


_LANGUAGE = r"(?P<language>[A-Za-z][\w+#.-]*)"
_AROUND = re.compile(
    rf"(?:^|\s)(?:highlight-source-|highlight-|language-|src-|brush:\s*|sourceCode\s+"
    rf"|highlight\s+(?!highlight)){_LANGUAGE}"
)
"""Sphinx, Jekyll, GitHub, org-mode, SyntaxHighlighter, pandoc, Hexo."""
_OWN = re.compile(
    rf"(?:^|\s)(?:highlight-source-|highlight-|language-|lang-|src-|brush:\s*|sourceCode\s+"
    rf"|hljs\s+|highlight\s+(?!highlight)){_LANGUAGE}|(?:^|\s)(?P<before>[\w+#.-]+)\s+hljs(?:\s|$)"
)
"""Beside these google-code-prettify and highlight.js."""

_NAMES = ("highlight", "language-", "brush", "src-", "sourceCode")

_NO_LANGUAGES = frozenset(
    "code default nohighlight none notranslate plain plaintext text txt undefined".split()
)


def language_around(classes: str) -> str:
    """Return the language that the classes of an element name for the code in it, or nothing."""
    if not any(name in classes for name in _NAMES):
        return ""
    return _first(_AROUND, classes)


def language_of(code: LexborNode) -> str:
    """Return the language that a `pre` names, or the `code` that it begins with."""
    attributes = code.attributes
    return _named(attributes) or _named(_first_element(code))


def _named(attributes: dict[str, str | None]) -> str:
    for name in ("data-lang", "data-language"):
        if found := _AROUND.match(f"language-{attributes.get(name) or ''}"):
            return _known(found["language"])
    return _first(_OWN, attributes.get("class") or "")


def _first_element(node: LexborNode) -> dict[str, str | None]:
    """Return the attributes of a `code` that a node begins with."""
    child = node.first_child
    while child is not None and child.tag == "-text" and (child.text_content or "").isspace():
        child = child.next
    return child.attributes if child is not None and child.tag == "code" else {}


def _first(named: re.Pattern[str], classes: str) -> str:
    for found in named.finditer(classes):
        groups = found.groupdict()
        if language := _known(groups["language"] or groups.get("before") or ""):
            return language
    return ""


def _known(language: str) -> str:
    language = language.lower().rstrip(".-")
    return "" if language in _NO_LANGUAGES else language


# ---------------------------------------------------------------- structure
# Where a line stands in the structure of its page: lists, tables, code, headings, quotes.
#
# The walk over the page (`walk`) opens a box for each element that says something of this kind,
# and gives each line the innermost one; `rendering` compares the boxes of neighbours.


HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
LISTS: Final = frozenset(("dir", "dl", "menu", "ol", "ul"))
DEFINITIONS: Final = frozenset(("dd", "dt"))
ITEMS: Final = frozenset(("li", *DEFINITIONS))
CODE: Final = frozenset(("listing", "plaintext", "pre", "xmp"))
"""Elements whose white space counts (HTML standard, 15.3.1)."""

STRUCTURES: Final = frozenset((*HEADINGS, *LISTS, *ITEMS, *CODE, "blockquote", "table", "tr"))
"""Elements that open a box."""

GOVERNING: Final = frozenset((*HEADINGS, *CODE, "table", "tr"))
"""Those that say how all text in them is written."""

_SIMPLE = frozenset(("blockquote", "dir", "dl", "menu", "ul"))


def is_simple(tag: str, around: str) -> bool:
    """Whether of a box, known by its tag and that of the element around it, no more is to know."""
    return tag in _SIMPLE or (tag == "li" and around in _SIMPLE)


MAX_BOXES = 40
"""Boxes within each other, twenty lists; what lies deeper has the box around it. Each level of a
list indents all its lines: deeper pages would have texts of the square of their size."""


class Inside:
    """The nearest elements around a text that govern how it is written."""

    __slots__ = ("code", "heading", "row", "table")

    def __init__(self, around: Inside | None = None) -> None:
        self.code: Box | None = around.code if around else None
        self.heading: Box | None = around.heading if around else None
        self.row: Box | None = around.row if around else None
        self.table: Box | None = around.table if around else None


NOWHERE: Final = Inside()


class Box:
    """An element that structures the text in it. Lives as long as the lines of its page.

    There are hundreds on a page, mostly items and lists: what only others have is no slot.
    """

    __slots__ = ("__dict__", "depth", "inside", "parent", "tag")

    item: Box | None = None
    """Of a list of definitions, its last item: the box of a term and of what is said of it."""
    number = 0
    """Of an item of an ordered list."""
    count = 0
    """Of a list, the number of its last item; of code, line ends so far."""
    cells = 0
    """Of a row, cells so far, and how many of them are headers."""
    heads = 0
    holds_blocks = False
    """Of a table: it holds others, code or headings, as one does that lays out a page."""
    language = ""
    """Of code, where it is marked."""

    def __init__(self, tag: str, parent: Box | None) -> None:
        self.tag = tag
        self.parent = parent
        if parent is None:
            self.depth, self.inside = 0, NOWHERE
        else:
            self.depth, self.inside = parent.depth + 1, parent.inside

    def govern(self) -> None:
        """Be the nearest one of its kind, for all that stands in it."""
        tag, around = self.tag, self.inside.table
        inside = self.inside = Inside(self.inside)
        if tag in HEADINGS:
            inside.heading = self
        elif tag in CODE:
            inside.code = self
        elif tag == "tr":
            inside.row = self
        else:
            inside.table, inside.row = self, None
        if around is not None and tag != "tr":
            around.holds_blocks = True

    def is_numbered(self) -> bool:
        """Whether it may have a number of its own: an ordered list, or an item of one."""
        return self.tag == "ol" or (self.parent is not None and self.parent.tag == "ol")

    def count_from(self, written: str | None) -> None:
        """Number a list's first item, or an item, as its attribute says, or as it comes."""
        number = int(written) if written and _is_short_number(written) else None
        if self.tag == "ol":
            self.count = (1 if number is None else number) - 1
        elif self.parent is not None:
            following = self.parent.count + 1 if number is None else number
            self.parent.count = self.number = following

    @property
    def level(self) -> int:
        """Of a heading, 1 to 6."""
        return HEADINGS[self.tag]


def _is_short_number(number: str) -> bool:
    """Whether it is a number of a list's item (CommonMark 0.31, 5.2: at most nine digits)."""
    return number.isascii() and number.isdigit() and len(number) < 10


# What is marked within a line, as lone surrogates, which no text of a page holds and `clean` takes
# away: a line's own text costs no more for them.
IN_CODE: Final = "\ud800"
END_OF_CODE: Final = "\ud801"
IN_LINK: Final = "\ud802"
"""Has a note: where it leads, as written."""
END_OF_LINK: Final = "\ud803"
IN_FORMULA: Final = "\ud804"
END_OF_FORMULA: Final = "\ud805"
"""Has a note: its TeX, or nothing; after a space where it stands on a line of its own."""
IN_CHROME: Final = "\ud806"
END_OF_CHROME: Final = "\ud807"
CELL: Final = "\ud808"
"""Here the next cell of a row begins."""


# ---------------------------------------------------------------- paths
# Where text stands in a page: paths of block elements, the same on all pages of one template.


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
