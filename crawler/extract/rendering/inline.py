"""What stands within a line: code, links, formulas and cells, and chrome that is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from crawler.extract.lines.structure import (
    CELL,
    END_OF_CHROME,
    END_OF_CODE,
    END_OF_FORMULA,
    END_OF_LINK,
    IN_CHROME,
    IN_CODE,
    IN_FORMULA,
    IN_LINK,
)
from crawler.extract.lines.visible import Line
from crawler.extract.text import clean

_MARKS = re.compile("([\ud800-\ud808])")

Resolve = Callable[[str], str | None]
"""A link's target as written -> its address, or None where it is to be left out."""


def plain_cells(line: Line) -> list[str]:
    """Return the text of a line without chrome, cell by cell; mostly it is one."""
    if IN_CHROME not in line.marked and CELL not in line.marked:
        return [line.text]
    cells, depth = [[]], 0  # type: list[list[str]], int
    for part in _MARKS.split(line.marked):
        if part == CELL:
            cells.append([])
        elif part == IN_CHROME:
            depth += 1
        elif part == END_OF_CHROME:
            depth -= depth > 0
        elif not depth:
            cells[-1].append(part)
    return [" ".join(clean("".join(cell)).split()) for cell in cells]


def markdown_cells(line: Line, resolve: Resolve | None, *, in_table: bool = False) -> list[str]:
    """Return a line as Markdown without chrome, cell by cell; what begins a line is not escaped.

    `in_table` writes what may stand between pipes.
    """
    if not line.marked:
        return [escaped(line.text, in_table=in_table)]
    cells = _Cells(line.notes, resolve, in_table)
    for part in _MARKS.split(line.marked):
        cells.add(part)
    return cells.end()


class _Cells:
    """Writes the parts of one line."""

    def __init__(self, notes: tuple[str, ...], resolve: Resolve | None, in_table: bool) -> None:
        self._notes: Iterator[str] = iter(notes)
        self._resolve = resolve
        self._in_table = in_table
        self._done: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._out: list[str] = []
        self._chrome = 0
        self._code = 0
        self._formula = 0
        self._raw: list[str] = []
        """Of the code or formula that is being read."""
        self._link: tuple[int, str] | None = None
        """Where a link begins in the output, and its target as written."""

    def add(self, part: str) -> None:
        """Add a mark, or the text up to the next one."""
        mark = _ADDS.get(part)
        if mark is not None:
            mark(self)
        elif part and not self._chrome:
            if self._code or self._formula:
                self._raw.append(part)
            else:
                self._text(part)

    def end(self) -> list[str]:
        """Return the cells."""
        self._end_cell()
        return self._done

    def _end_cell(self) -> None:
        if self._raw:
            self._text("".join(self._raw))
        self._close_link()
        self._done.append("".join(self._out).strip())
        self._begin()

    def _text(self, text: str) -> None:
        text = clean(text)
        is_linked = self._link is not None and self._resolve is not None
        words = escaped(" ".join(text.split()), in_table=self._in_table, in_link=is_linked)
        if text[:1].isspace():
            self._space()
        if words:
            self._out.append(words)
            if text[-1].isspace():
                self._space()

    def _space(self) -> None:
        if self._out and not self._out[-1].endswith(" "):
            self._out.append(" ")

    def _in_chrome(self) -> None:
        self._chrome += 1

    def _end_of_chrome(self) -> None:
        self._chrome -= self._chrome > 0

    def _in_code(self) -> None:
        if not self._formula:
            self._code += 1

    def _end_of_code(self) -> None:
        self._code -= self._code > 0
        if not self._code and not self._formula and self._raw:
            self._spaced(_code, self._taken())

    def _in_formula(self) -> None:
        if not self._code:
            self._formula += 1

    def _end_of_formula(self) -> None:
        tex = next(self._notes, "")
        if not self._formula:
            return
        self._formula -= 1
        if self._formula:
            return
        glyphs = self._taken()
        if self._chrome:
            return
        if tex.strip():
            self._out.append(_formula(tex, self._in_table))
        else:
            self._text(glyphs)

    def _taken(self) -> str:
        raw = "".join(self._raw)
        self._raw.clear()
        return raw

    def _spaced(self, write: Callable[[str, bool], str], raw: str) -> None:
        raw = clean(raw)
        text = " ".join(raw.split())
        if raw[:1].isspace():
            self._space()
        if text:
            self._out.append(write(text, self._in_table))
            if raw[-1].isspace():
                self._space()

    def _in_link(self) -> None:
        target = next(self._notes, "")
        if not self._code and not self._formula and self._link is None:
            self._link = (len(self._out), target)

    def _close_link(self) -> None:
        if self._link is None or self._code:
            return
        start, target = self._link
        self._link = None
        text = "".join(self._out[start:])
        url = self._resolve(target) if self._resolve and text.strip() and not self._chrome else None
        if url is not None:
            del self._out[start:]
            before = " " if text[0] == " " and start else ""
            after = " " if text[-1] == " " else ""
            self._out.append(f"{before}[{text.strip()}]({url}){after}")


_ADDS = {
    CELL: _Cells._end_cell,
    IN_CHROME: _Cells._in_chrome,
    END_OF_CHROME: _Cells._end_of_chrome,
    IN_CODE: _Cells._in_code,
    END_OF_CODE: _Cells._end_of_code,
    IN_FORMULA: _Cells._in_formula,
    END_OF_FORMULA: _Cells._end_of_formula,
    IN_LINK: _Cells._in_link,
    END_OF_LINK: _Cells._close_link,
}

_TICKS = re.compile("`+")


def fence(text: str, least: int) -> str:
    """Return backticks that stand nowhere in a text, `least` or more."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def _code(text: str, in_table: bool) -> str:
    """Return a code span (CommonMark 0.31, 6.1)."""
    ticks = fence(text, 1) if "`" in text else "`"
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    text = text.replace("|", "\\|") if in_table else text
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _formula(tex: str, in_table: bool) -> str:
    dollars = "$$" if tex[0] == " " else "$"
    tex = " ".join(clean(tex).split())
    # A pipe would end the cell, and what escapes it is another sign in TeX.
    tex = tex.replace("|", r"\vert ").strip() if in_table else tex
    return f"{dollars}{tex}{dollars}"


_SPECIAL = re.compile(
    r"""
      \\(?=[!-/:-@\[-`{-~])           # would escape what follows
    | `
    | \*(?=\S) | (?<=\S)\*
    | (?<![^\W_])_ | _(?![^\W_])      # within words it is no emphasis
    | ~(?=~) | (?<=~)~
    | <(?=[A-Za-z/!?])
    | &(?=\#?\w{1,32};)
    | \](?=[(\[:])
    """,
    re.VERBOSE,
)
"""What would be taken for markup within a line (CommonMark 0.31, 6; GFM 6.5 for `~~`)."""

_DELIMITED = re.compile(r"\\\((.{1,300}?)\\\)|\\\[(.{1,300}?)\\\]")
"""Formulas as scripts look for them in a text, of a length that keeps the search linear."""

_OPENING = re.compile(r"(?:[-+*](?=\s|$)|\#{1,6}(?=\s|$)|>|=+\s*$|-{2,}\s*$|(\d{1,9})[.)](?=\s|$))")
"""What would begin a list, heading or quote, or underline a heading, as a line's first (CommonMark
0.31, 4 and 5)."""


def escaped(text: str, *, in_table: bool = False, in_link: bool = False) -> str:
    """Return a text so that Markdown takes nothing within it for markup."""
    if ("\\)" in text or "\\]" in text) and _DELIMITED.search(text):
        pieces, end = [], 0
        for found in _DELIMITED.finditer(text):
            pieces.append(_escaped(text[end : found.start()], in_table, in_link))
            tex = found[1] if found[1] is not None else f" {found[2]}"
            pieces.append(_formula(tex, in_table) if tex.strip() else found[0])
            end = found.end()
        pieces.append(_escaped(text[end:], in_table, in_link))
        return "".join(pieces)
    return _escaped(text, in_table, in_link)


def _escaped(text: str, in_table: bool, in_link: bool) -> str:
    text = _SPECIAL.sub(r"\\\g<0>", text)
    if in_table and "|" in text:
        text = text.replace("|", "\\|")
    if in_link and ("[" in text or "]" in text):
        text = re.sub(r"(?<!\\)[\[\]]", r"\\\g<0>", text)
    return text


def begun(text: str) -> str:
    """Return an escaped text so that nothing of a block begins with it."""
    found = _OPENING.match(text)
    if found is None:
        return text
    at = found.end(1) if found[1] else 0
    return f"{text[:at]}\\{text[at:]}"
