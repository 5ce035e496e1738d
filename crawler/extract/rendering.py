"""The text that is kept of a page, as plain text and as Markdown, from any choice of its lines.

::

    lines, kept -> selected -> blocks -> plain
                                      -> markdown (cells with links by `Addresses`)

`selected` leaves out what belongs to the page and not to its text, and keeps code and tables whole;
`blocks` are paragraphs, headings, tables and code, each in the lists and quotes around it. Pure;
time and text are linear in the page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, auto
from itertools import compress, groupby
from typing import NamedTuple
from urllib.parse import urljoin

from crawler.extract.lines import (
    CELL,
    END_OF_CHROME,
    END_OF_CODE,
    END_OF_LINK,
    END_OF_SIGNED,
    IN_CHROME,
    IN_CODE,
    IN_COLUMN,
    IN_DELETED,
    IN_FORMULA,
    IN_LINK,
    IN_LOWERED,
    IN_RAISED,
    IN_READING,
    IN_REFERENCE,
    IN_ROW,
    Box,
    Line,
)
from crawler.extract.text import clean, word_characters

MAX_ADDRESSES = 1_000_000
"""Characters of the addresses in one text; links beyond are text. As many as are followed of a
page: relative addresses may each be thousands of characters shorter than absolute ones."""

_KEPT = ("http://", "https://", "mailto:")
_ESCAPES = str.maketrans({char: f"%{ord(char):02X}" for char in ' "()<>\\^`{|}'})
"""Characters that would end a target in Markdown, or a cell around it."""


class Addresses:
    """Resolves the targets of one page's links against its base URL."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._left = MAX_ADDRESSES

    def __call__(self, target: str) -> str | None:
        """Return the address of a target, None where it is left out.

        That is one within the page itself, or by which no page is got, as of a script.
        """
        written = "".join(clean(target).split())
        if not written or written.startswith("#"):
            return None
        try:
            address = urljoin(self._base, written)
        except ValueError:  # no address at all, as `http://[`
            return None
        address = address.translate(_ESCAPES)
        self._left -= len(address)
        return address if address.startswith(_KEPT) and self._left >= 0 else None


_MOSTLY = 0.5
"""Share of a block of code, or of a table's characters, that must be kept for it to be kept whole:
what reads a page may miss a bracket on a line of its own, or a row that stands on other pages."""

_MOST_CHROME = 0.5
"""Share of the kept characters that may be chrome. Where more is called so, a wrapper of the whole
page has such a class, and none of it is left out."""

_LIST = 3
"""Lines left out below a heading from which it is that of a list that was left out, and no name
that stands above a button."""


def selected(lines: Sequence[Line], kept: Iterable[bool]) -> list[Line]:
    """Return the lines that are to be written, in order."""
    flags = _whole(lines, list(kept))
    _leave_out_chrome(lines, flags)
    _leave_out_contents(lines, flags)
    _leave_out_headings_of_nothing(lines, flags)
    return list(compress(lines, flags))


def _leave_out_chrome(lines: Sequence[Line], flags: list[bool]) -> None:
    chosen = list(compress(lines, flags))
    chrome = sum(len(line.text) for line in chosen if line.chrome)
    if chrome > _MOST_CHROME * sum(len(line.text) for line in chosen):
        return
    # Gutters: code that numbers the lines of other code in the same row of a table.
    numbers: dict[Box, bool] = {}
    last: dict[Box, int] = {}
    in_row: dict[Box, set[Box]] = defaultdict(set)
    for line in chosen:
        code = line.inside.code
        row = code.inside.row if code is not None else None
        if code is None or row is None:
            continue
        in_row[row].add(code)
        is_next = line.text.isdecimal() and len(line.text) < 8
        if is_next:
            number = int(line.text)
            is_next = number == last.get(code, number - 1) + 1
            last[code] = number
        numbers[code] = numbers.get(code, True) and is_next
    gutters = {
        code
        for codes in in_row.values()
        if len(codes) > 1 and not all(numbers[code] for code in codes)
        for code in codes
        if numbers[code]
    }
    for number, line in enumerate(lines):
        if line.chrome or (gutters and line.inside.code in gutters):
            flags[number] = False


_CONTENTS = 3
"""Links in a row, each by the name of a heading, that are a table of contents."""
_NAMED = 0.8
"""Share of the links in such a row that a heading has as its text: some name what stands deeper."""
_NUMBERING = re.compile(r"[\d.\s]+")


def _leave_out_contents(lines: Sequence[Line], flags: list[bool]) -> None:
    """Leave out the page's own table of contents: links in a row that say what its headings say.

    All of it is kept once more, below.
    """
    kept = list(compress(range(len(lines)), flags))
    headings = {_unnumbered(lines[number]) for number in kept if lines[number].is_heading}
    if len(headings) < _CONTENTS:
        return
    links = {n for n in kept if lines[n].is_link and not lines[n].is_heading}
    for is_run, numbers in groupby(kept, links.__contains__):
        run = list(numbers) if is_run else []
        named = sum(
            _unnumbered(lines[number]) in headings and not _leads_elsewhere(lines[number])
            for number in run
        )
        if named >= _CONTENTS and named >= _NAMED * len(run):
            for number in run:
                flags[number] = False


def _leads_elsewhere(line: Line) -> bool:
    """Whether an address that is written with a link's text would be lost with it."""
    return IN_LINK in line.marked and any(note and "#" not in note for note in line.notes)


def _unnumbered(line: Line) -> str:
    """Return what a heading or a link to it says, without its number and signs."""
    text = line.text
    found = _NUMBERING.match(text)
    return word_characters(text[found.end() :] if found else text) or text


def _leave_out_headings_of_nothing(lines: Sequence[Line], flags: list[bool]) -> None:
    """Leave out headings without kept subsections right below which all was left out.

    One that is a link is the title of a card, and says where it leads. Where headings are all that
    is kept, they are the text.
    """
    headings = [line.inside.heading for line in lines]
    if all(flags) or None not in compress(headings, flags):
        return
    following = 0
    """Level of the kept heading that comes next."""
    left_out, is_kept = 0, False
    for number in range(len(lines) - 1, -1, -1):
        heading = headings[number]
        if heading is None:
            left_out += not flags[number]
            is_kept = is_kept or flags[number]
            continue
        if (
            left_out >= _LIST
            and not is_kept
            and following <= heading.level
            and not lines[number].is_link
        ):
            flags[number] = False
        if number == 0 or headings[number - 1] is not heading:
            left_out, is_kept = 0, False
            following = heading.level if flags[number] else following


def _whole(lines: Sequence[Line], flags: list[bool]) -> list[bool]:
    """Return the flags with code kept or left as a whole, and tables kept so."""
    if all(flags) or not any(flags):
        return flags
    units: dict[Box, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        unit = _unit(line)
        if unit is not None:
            units[unit].append(number)
    for unit, numbers in units.items():
        total = sum(len(lines[number].text) for number in numbers)
        kept = sum(len(lines[number].text) for number in numbers if flags[number])
        is_kept = kept > _MOSTLY * total
        if is_kept or unit.inside.code is unit:
            for number in numbers:
                flags[number] = is_kept
    return flags


def _unit(line: Line) -> Box | None:
    """Return the block of code or the table that a line is a row of."""
    inside = line.inside
    if inside.code is not None:
        return inside.code
    table = inside.table
    is_row = table is not None and line.box is inside.row and not table.holds_blocks
    return table if is_row else None


_MARKS = re.compile("([\ud800-\ud810])")
_SIGNS = frozenset(map(chr, range(ord(IN_CODE), ord(END_OF_SIGNED) + 1)))
"""What `_MARKS` finds."""
_SIGNED = frozenset(
    (IN_COLUMN, IN_DELETED, IN_LOWERED, IN_RAISED, IN_READING, IN_REFERENCE, IN_ROW)
)
_REWRITTEN = re.compile(f"[{IN_CHROME}{CELL}-{END_OF_SIGNED}]")
"""Marks that change how a line is written as plain text."""

_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
"""Digits and signs that Unicode has raised and lowered: NFKC has them as they were."""
_BESIDE_DELETED = re.compile(rf"(?<=[^\s(\[（「]){IN_DELETED}(?=[^\s.,;:!?)\]。，；：！？）」])")
_REFERENCE = re.compile(r"\d{1,4}|[^\W\d_]|[*†‡§]")


def signed(sign: str, text: str) -> str:
    """Return a text as it is written with a sign of its own (`crawler.extract.lines`).

    Raised and lowered letters stay as they are: an ordinal is no power.
    """
    bare = text.strip()
    if not bare:
        return text
    if sign == IN_READING:
        return f"({bare})"
    if sign in (IN_COLUMN, IN_ROW):
        return f" {text} " if sign == IN_COLUMN else f"{IN_ROW}{text}{IN_ROW}"
    if sign == IN_REFERENCE:
        return f"[{bare}]" if _REFERENCE.fullmatch(bare) else text
    if sign in (IN_RAISED, IN_LOWERED):
        table = _RAISED if sign == IN_RAISED else _LOWERED
        return text.translate(table) if all(ord(char) in table for char in bare) else text
    return text


Resolve = Callable[[str], str | None]
"""A link's target as written -> its address, or None where it is to be left out."""


def plain_cells(line: Line) -> list[str]:
    """Return the text of a line without chrome, cell by cell; mostly it is one."""
    if not line.marked or not _REWRITTEN.search(line.marked):
        return [line.text]
    cells: list[list[str]] = [[]]
    depth, begun = 0, list[tuple[str, int]]()
    for part in _MARKS.split(line.marked):
        if part == CELL:
            cells.append([])
            begun.clear()
        elif part == IN_CHROME:
            depth += 1
        elif part == END_OF_CHROME:
            depth -= depth > 0
        elif part in _SIGNED:
            begun.append((part, len(cells[-1])))
        elif part == END_OF_SIGNED and begun:
            close_signed(cells[-1], *begun.pop(), signed)
        elif not depth and part not in _SIGNS:
            cells[-1].append(part)
    return ["\n".join(_rows(parted("".join(cell)))) for cell in cells]


def _rows(text: str) -> Iterator[str]:
    """Yield the rows of a text; it is one but for formulas in rows."""
    for row in text.split(IN_ROW):
        if words := " ".join(clean(row).split()):
            yield words


def close_signed(out: list[str], sign: str, start: int, write: Callable[[str, str], str]) -> None:
    """Replace what was written from `start` on by how `write` has it with its sign.

    What was deleted is no part of the words beside it, and a reference none of the space before.
    """
    text = write(sign, "".join(out[start:]))
    del out[start:]
    if sign == IN_REFERENCE and text.startswith("[") and out:
        out[-1] = out[-1].rstrip()
    out.append(f"{IN_DELETED}{text}{IN_DELETED}" if sign == IN_DELETED else text)


def parted(text: str) -> str:
    """Return a text with what was deleted apart from the words beside it."""
    return _BESIDE_DELETED.sub(" ", text).replace(IN_DELETED, "") if IN_DELETED in text else text


def _signed_markdown(sign: str, text: str) -> str:
    if sign == IN_DELETED and (bare := text.strip()):
        return text.replace(bare, f"~~{bare}~~")
    if sign in (IN_COLUMN, IN_ROW):  # outside of a formula
        return f" {' '.join(text.split())} "
    written = signed(sign, text)
    return f"[^{written[1:]}" if sign == IN_REFERENCE and written != text else written


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
        self._signed: list[tuple[str, int]] = []
        """Signs that were not closed, with where they begin in the output; -1 in code, formulas."""

    def add(self, part: str) -> None:
        """Add a mark, or the text up to the next one."""
        if part not in _SIGNS:
            if part and not self._chrome:
                if self._code or self._formula:
                    self._raw.append(part)
                else:
                    self._text(part)
        elif part == IN_CODE:
            self._code += not self._formula
        elif part == END_OF_CODE:
            self._code -= self._code > 0
            if not self._code and not self._formula and self._raw:
                self._text(self._taken(), is_code=True)
        elif part == IN_LINK:
            target = next(self._notes, "")
            if not self._code and not self._formula and self._link is None:
                self._link = (len(self._out), target)
        elif part == END_OF_LINK:
            self._close_link()
        elif part in _SIGNED:
            is_raw = self._code or self._formula
            self._signed.append((part, -1 if is_raw else len(self._out)))
        elif part == END_OF_SIGNED:
            sign, start = self._signed.pop() if self._signed else (part, -1)
            if start >= 0 and not self._code and not self._formula:
                close_signed(self._out, sign, start, _signed_markdown)
        elif part == CELL:
            self._end_cell()
        elif part == IN_CHROME:
            self._chrome += 1
        elif part == END_OF_CHROME:
            self._chrome -= self._chrome > 0
        elif part == IN_FORMULA:
            self._formula += not self._code
        else:
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

    def end(self) -> list[str]:
        """Return the cells."""
        self._end_cell()
        return self._done

    def _end_cell(self) -> None:
        if self._raw:
            self._text(self._taken())
        self._close_link()
        self._done.append(parted("".join(self._out)).strip())
        self._begin()

    def _text(self, text: str, *, is_code: bool = False) -> None:
        text = clean(text)
        words = " ".join(text.split())
        if not is_code:
            is_linked = self._link is not None and self._resolve is not None
            words = escaped(words, in_table=self._in_table, in_link=is_linked)
        elif words:
            words = _code_span(words, self._in_table)
        if text[:1].isspace():
            self._space()
        if words:
            self._out.append(words)
            if text[-1].isspace():
                self._space()

    def _space(self) -> None:
        if self._out and not self._out[-1].endswith(" "):
            self._out.append(" ")

    def _taken(self) -> str:
        raw = "".join(self._raw)
        self._raw.clear()
        return raw

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


_TICKS = re.compile("`+")


def fence(text: str, least: int) -> str:
    """Return backticks that stand nowhere in a text, `least` or more."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def _code_span(text: str, in_table: bool) -> str:
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
    if "\\)" not in text and "\\]" not in text:
        return _escaped(text, in_table, in_link)
    pieces, end = [], 0
    for found in _DELIMITED.finditer(text):
        pieces.append(_escaped(text[end : found.start()], in_table, in_link))
        tex = found[1] if found[1] is not None else f" {found[2]}"
        pieces.append(_formula(tex, in_table) if tex.strip() else found[0])
        end = found.end()
    pieces.append(_escaped(text[end:], in_table, in_link))
    return "".join(pieces)


def _escaped(text: str, in_table: bool, in_link: bool) -> str:
    text = _SPECIAL.sub(r"\\\g<0>", text)
    if in_table:
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


def blocks(lines: Sequence[Line]) -> list[Block]:
    """Return the blocks of a text."""
    tables = _tables(lines)
    frames: dict[Box | None, tuple[Box, ...]] = {None: ()}
    made, gathered = list[Block](), list[Line]()
    unit: tuple[Kind, Box | None] | None = None
    for line in lines:
        found = kind, box = _found(line, tables)
        if found != unit or (kind is Kind.TEXT and not line.broken):
            gathered, unit = [], found
            made.append(Block(kind, gathered, box, _frames(box, frames)))
        gathered.append(line)
    return made


def _found(line: Line, tables: set[Box]) -> tuple[Kind, Box | None]:
    inside = line.inside
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
            if around.tag in _FRAMES or around.note:
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
        inside = line.inside
        table, row = inside.table, inside.row
        if row is None or table is None:
            continue
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
        written = _CHROME.sub("", line.marked) if IN_CHROME in line.marked else line.marked
        rows.append(clean(written.replace(f" {CELL}", "").replace("\xa0", " ")).rstrip())
        before = line.at
    return rows


def plain(lines: Sequence[Line], kept: Iterable[bool]) -> str:
    """Return the kept lines of a page as plain text.

    Items of lists have a dash, and are indented by two for each list around them. Their numbers
    are no text of the page but made by what shows it (CSS Lists 3, `::marker`): Markdown has them.
    Cells of tables stand apart by a pipe. Code is as it is written, wherever it stands; in a list
    it only has the mark of an item that it begins.
    """
    rows: list[str] = []
    before: tuple[Box, ...] = ()
    for block in blocks(selected(lines, kept)):
        if is_code := block.kind is Kind.CODE:
            texts = code_rows(block.lines)
        else:
            is_table = block.kind is Kind.TABLE
            texts = []
            for line in block.lines:
                text = (" | " if is_table else " ").join(filter(None, plain_cells(line)))
                if text:
                    texts += [text.replace("\n", " ")] if is_table else text.split("\n")
        if not texts:
            continue
        items = tuple([frame for frame in block.frames if frame.tag == "li"])
        common = _in_common(items, before)
        before = items
        marks = "- " * (len(items) - common)
        if is_code:
            rows += [marks.rstrip(), *texts] if marks else texts
        else:
            rows.append(f"{'  ' * common}{marks}{texts[0]}")
            rows += [f"{'  ' * len(items)}{text}" for text in texts[1:]]
    return "\n".join(rows)


def _in_common(frames: tuple[Box, ...], before: tuple[Box, ...]) -> int:
    """Return how many of the outermost frames are the same."""
    common = 0
    while common < min(len(frames), len(before)) and frames[common] is before[common]:
        common += 1
    return common


def markdown(lines: Sequence[Line], kept: Iterable[bool], resolve: Resolve | None = None) -> str:
    """Return the kept lines of a page as Markdown.

    Links lead where `resolve` says, if their targets were read with the lines; without it they are
    text. A term with its definitions is an item of a list. What a cell spans beyond its own column
    and row is empty cells.
    """
    rows: list[str] = []
    before: tuple[Box, ...] = ()
    for block in blocks(selected(lines, kept)):
        texts = _markdown_texts(block, resolve)
        if not texts:
            continue
        frames = block.frames
        common = _in_common(frames, before)
        kept_on = _continued(frames[:common])
        # An item of a list needs no empty line before it, unless another list begins.
        is_tight = (
            len(frames) > common
            and frames[common].tag == "li"
            and (
                common > 0
                if len(before) == common
                else before[common].parent is frames[common].parent
            )
        )
        if rows and not is_tight:
            rows.append(kept_on.rstrip())
        lead = kept_on
        for depth, frame in enumerate(frames[common:], common + 1):
            lead += _mark(frame)
            if frame.note:
                rows.append(f"{lead}[!{frame.note.upper()}]")
                lead = _continued(frames[:depth])
        rows.append(f"{lead}{texts[0]}")
        continued = _continued(frames)
        rows += [f"{continued}{text}" if text else continued.rstrip() for text in texts[1:]]
        before = frames
    return "\n".join(rows)


def _markdown_texts(block: Block, resolve: Resolve | None) -> list[str]:
    if block.kind is Kind.CODE:
        rows = code_rows(block.lines)
        around = fence("\n".join(rows), 3)
        return [f"{around}{block.box.language if block.box else ''}", *rows, around]
    if block.kind is Kind.TABLE:
        return _table(block, resolve)
    texts = [
        text
        for line in block.lines
        if (text := " ".join(cell for cell in markdown_cells(line, resolve) if cell))
    ]
    if not texts:
        return []
    if block.kind is Kind.HEADING and block.box is not None:
        return [f"{'#' * block.box.level} {_closed(' '.join(texts))}"]
    texts = [begun(text) for text in texts]
    return [*(f"{text}\\" for text in texts[:-1]), texts[-1]]


def _closed(heading: str) -> str:
    """Return a heading whose last signs do not count as its end (CommonMark 0.31, 4.2)."""
    bare = heading.rstrip("#")
    return f"{bare}\\{heading[len(bare) :]}" if bare.endswith(" ") and bare != heading else heading


def _table(block: Block, resolve: Resolve | None) -> list[str]:
    rows: list[list[str]] = []
    has_head = False
    for row, its in groupby(block.lines, lambda line: line.inside.row):
        if not rows:
            has_head = row is not None and row.heads == row.cells
        cells: dict[int, list[str]] = {}
        for line in its:
            for number, text in enumerate(markdown_cells(line, resolve, in_table=True), line.at):
                if text:
                    cells.setdefault(max(number - 1, 0), []).append(text)
        # Blocks in a cell stand apart by a break.
        width = max(cells, default=-1) + 1
        rows.append(["<br>".join(cells.get(number, ())) for number in range(width)])
    width = max(map(len, rows))
    head = rows.pop(0) if has_head else []
    head += [""] * (width - len(head))
    return [_piped(head), _piped(["---"] * width), *map(_piped, rows)]


def _piped(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _mark(frame: Box) -> str:
    """Return what begins a frame; notes are quotes."""
    if frame.tag == "blockquote" or frame.note:
        return "> "
    return f"{frame.number}. " if frame.number else "- "


def _continued(frames: Iterable[Box]) -> str:
    """Return what stands before the further lines of a text in these."""
    marks = map(_mark, frames)
    return "".join(mark if mark == "> " else " " * len(mark) for mark in marks)
