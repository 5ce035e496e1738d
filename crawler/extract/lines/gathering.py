"""Lines of visible text, gathered text by text, with the marks of what is within them."""

from __future__ import annotations

from typing import NamedTuple

from crawler.extract.lines.chrome import (
    LONGEST_BUTTON,
    is_anchor,
    is_button,
    may_be_anchor,
    may_be_chrome,
)
from crawler.extract.lines.paths import BODY
from crawler.extract.lines.structure import CELL, END_OF_CHROME, IN_CHROME, ITEMS, NOWHERE, Box
from crawler.extract.text import folded, word_characters

_NO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen, zero width space and joiners, byte order mark: a line of nothing else shows nothing.
Editors and templates leave them in paragraphs that are otherwise empty."""


class Line(NamedTuple):
    """One line of visible text."""

    text: str
    """White space folded; never empty."""
    linked: int
    """How many of its word characters are link text."""
    path: str = ""
    """Where it stands: its block elements with their first classes, as `body>div.main>p`."""
    box: Box | None = None
    """The innermost element of structure that it ends in."""
    marked: str = ""
    """Its text as it is written, white space and marks included (`structure`), where these say
    something: in code, in rows of cells, and where code, formulas, links or chrome are in it."""
    notes: tuple[str, ...] = ()
    """What its marks tell of, in order."""
    at: int = 0
    """In code, the number of its row; in a row of a table, that of the cell it begins in."""
    chrome: bool = False
    """Whether it belongs to the page and not to its text (`chrome`)."""
    broken: bool = False
    """Whether it is the paragraph of the line before, after a `br`."""


class Gathering:
    """The line that is being gathered, what holds for it, and the lines that have been."""

    __slots__ = (
        "_cells", "_linked", "_notes", "box", "broken", "content", "furniture", "in_link",
        "is_marked", "place", "texts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.content: list[Line] = []
        self.furniture: list[Line] = []
        self.place = BODY
        """Where the next text stands; this, the box and the links around it are set by the walk."""
        self.box: Box | None = None
        self.in_link = 0
        """Links around it: one at most but for those within an `object` in a link."""
        self.texts: list[str] = []
        """Of the line, with marks between them. Never another list: the walk adds to it itself."""
        self.is_marked = False
        """Whether there are marks in it."""
        self.broken = False
        """See `Line`."""
        self._linked = 0
        self._notes: list[str] = []
        self._cells = 0

    def add_link(self, text: str) -> None:
        """Add a text of a link, of one row."""
        self._linked += len(word_characters(text))
        if may_be_anchor(text) and self._is_anchor(text):
            self.is_marked = True
            text = f"{IN_CHROME}{text}{END_OF_CHROME}"
        self.texts.append(text)

    def add_rows(self, text: str) -> None:
        """Add a text in code that goes over line ends."""
        add = self.add_link if self.in_link else self.texts.append
        first, *others = text.split("\n")
        if first:
            add(first)
        for row in others:
            self.end()
            self.end_row()
            if row:
                add(row)

    def _is_anchor(self, text: str) -> bool:
        box = self.box
        return is_anchor(
            text,
            in_heading=box is not None and box.inside.heading is not None,
            in_term=box is not None and box.tag == "dt",
        )

    def mark(self, mark: str, note: str | None = None) -> None:
        """Add a mark, and what it tells of."""
        self.texts.append(mark)
        self.is_marked = True
        if note is not None:
            self._notes.append(note)

    def begin_cell(self, *, is_head: bool) -> None:
        """Part what follows from what stands before, and count the cell if a row has it."""
        row = self.box.inside.row if self.box is not None else None
        if row is None:
            self.texts.append(" ")
            return
        row.cells += 1
        row.heads += is_head
        self._cells += 1
        self.mark(f" {CELL}")

    def end_row(self) -> None:
        """End a row of code, if this is code."""
        if self.box is not None and self.box.inside.code is not None:
            self.box.inside.code.count += 1

    def end(self) -> bool:
        """End the line that is being gathered; return whether there was one."""
        if not self.texts:
            return False
        written = "".join(self.texts)
        self.texts.clear()
        # Marks are surrogates, which are left out like this in a tenth of the time `folded` takes.
        unmarked = written.encode(errors="ignore").decode() if self.is_marked else written
        text = folded(unmarked)
        is_seen = text.strip(_NO_WIDTH) != ""
        if is_seen:
            lines = self.furniture if self.place.is_furniture else self.content
            lines.append(self._line(text, written))
        self._linked = 0
        if self.is_marked:
            self.is_marked, self._cells = False, 0
            self._notes.clear()
        return is_seen

    def _line(self, text: str, written: str) -> Line:
        place, box, linked = self.place, self.box, self._linked
        marked = written if self.is_marked else ""
        notes = tuple(self._notes) if self._notes else ()
        at, is_apart = 0, True
        if box is not None:
            inside = box.inside
            is_apart = inside is NOWHERE and box.tag not in ITEMS
            if inside.code is not None:
                at, marked = inside.code.count, written
            elif inside.row is not None:
                at = inside.row.cells - self._cells
        is_chrome = place.chrome
        if is_chrome:
            is_chrome = may_be_chrome(text)
        elif (is_apart or linked > 0) and len(text) <= LONGEST_BUTTON:
            is_chrome = is_button(text)
        return Line(text, linked, place.path, box, marked, notes, at, is_chrome, self.broken)
