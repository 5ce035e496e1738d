"""Where a line stands in the structure of its page: lists, tables, code, headings, quotes.

The walk over the page (`walk`) opens a box for each element that says something of this kind,
and gives each line the innermost one; `rendering` compares the boxes of neighbours.
"""

from __future__ import annotations

from typing import Final

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
