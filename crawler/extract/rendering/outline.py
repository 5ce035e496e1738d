"""The lines of a text as blocks: paragraphs, headings, tables and code, in lists and quotes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from crawler.extract.lines.structure import CELL, END_OF_CHROME, IN_CHROME, NOWHERE, Box
from crawler.extract.lines.visible import Line
from crawler.extract.text import clean

MAX_FRAMES = 16
"""Lists and quotes within each other that a text shows; it is indented for each."""

_FRAMES = frozenset(("blockquote", "dd", "dt", "li"))

_MOST_LINES = 12
_MOST_CHARACTERS = 2_000
"""In a cell of a table that is written as one: more is a page that a table lays out."""


class Kind(Enum):
    """What a block is."""

    TEXT = auto()
    HEADING = auto()
    TABLE = auto()
    CODE = auto()


class Block(NamedTuple):
    """Lines that are written as one."""

    kind: Kind
    lines: Sequence[Line]
    box: Box | None
    """The heading, table or code that it is; of a text, what it stands in."""
    frames: tuple[Box, ...]
    """The items of lists and the quotes around it, outermost first."""


def blocks(lines: Sequence[Line]) -> Iterator[Block]:
    """Yield the blocks of a text."""
    tables = _tables(lines)
    frames: dict[Box | None, tuple[Box, ...]] = {None: ()}
    gathered: list[Line] = []
    unit: tuple[Kind, Box | None] = Kind.TEXT, None
    for line in lines:
        found = _found(line, tables)
        if gathered and not (found == unit and (line.broken or found[0] is not Kind.TEXT)):
            kind, box = unit
            yield Block(kind, gathered, box, _frames(box, frames))
            gathered = []
        unit = found
        gathered.append(line)
    if gathered:
        kind, box = unit
        yield Block(kind, gathered, box, _frames(box, frames))


def _found(line: Line, tables: set[Box]) -> tuple[Kind, Box | None]:
    if line.box is None or line.box.inside is NOWHERE:
        return Kind.TEXT, line.box
    inside = line.box.inside
    if inside.code is not None:
        return Kind.CODE, inside.code
    if inside.row is not None and inside.table in tables:
        return Kind.TABLE, inside.table
    if inside.heading is not None:
        return Kind.HEADING, inside.heading
    return Kind.TEXT, line.box


def _frames(box: Box | None, known: dict[Box | None, tuple[Box, ...]]) -> tuple[Box, ...]:
    """Return the frames around a box, which has at most MAX_BOXES around it."""
    frames = known.get(box)
    if frames is None:
        around, found = box, list[Box]()
        while around is not None and around not in known:
            if around.tag in _FRAMES:
                found.append(around)
            around = around.parent
        frames = known[box] = (*known[around], *reversed(found))[:MAX_FRAMES]
    return frames


def _tables(lines: Sequence[Line]) -> set[Box]:
    """Return the tables that tell something by their rows and cells, and do not lay out a page."""
    rows: dict[Box, set[Box]] = defaultdict(set)
    number: Counter[tuple[Box, int]] = Counter()
    length: Counter[tuple[Box, int]] = Counter()
    laid_out = set()
    for line in lines:
        inside = line.box.inside if line.box is not None else None
        if inside is None or inside.row is None or inside.table is None:
            continue
        table, row = inside.table, inside.row
        rows[table].add(row)
        cell = (row, line.at)
        number[cell] += 1
        length[cell] += len(line.text)
        if number[cell] > _MOST_LINES or length[cell] > _MOST_CHARACTERS:
            laid_out.add(table)
    return {
        table
        for table, its in rows.items()
        if len(its) > 1
        and not table.holds_blocks
        and table not in laid_out
        and any(row.cells > 1 for row in its)
    }


_CHROME = re.compile(f"{IN_CHROME}[^{IN_CHROME}{END_OF_CHROME}]*{END_OF_CHROME}")


def code_rows(lines: Sequence[Line]) -> list[str]:
    """Return the rows of a block of code as they are written, empty ones among them."""
    rows: list[str] = []
    before = lines[0].at
    for line in lines:
        rows += [""] * (line.at - before - 1)
        rows.append(_row(line))
        before = line.at
    return rows


def _row(line: Line) -> str:
    written = _CHROME.sub("", line.marked) if IN_CHROME in line.marked else line.marked
    return clean(written.replace(f" {CELL}", "").replace("\xa0", " ")).rstrip()
