"""Which of the kept lines are written: no chrome, no headings of nothing, code and tables whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from crawler.extract.lines.structure import Box
from crawler.extract.lines.visible import Line

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
    _leave_out_headings_of_nothing(lines, flags)
    return [line for line, is_kept in zip(lines, flags, strict=True) if is_kept]


def _leave_out_chrome(lines: Sequence[Line], flags: list[bool]) -> None:
    chosen = [line for line, is_kept in zip(lines, flags, strict=True) if is_kept]
    chrome = sum(len(line.text) for line in chosen if line.chrome)
    if chrome > _MOST_CHROME * sum(len(line.text) for line in chosen):
        return
    gutters = _gutters(chosen)
    for number, line in enumerate(lines):
        if line.chrome or (gutters and _code(line) in gutters):
            flags[number] = False


def _leave_out_headings_of_nothing(lines: Sequence[Line], flags: list[bool]) -> None:
    """Leave out headings without kept subsections right below which all was left out."""
    if all(flags):
        return
    headings = [_heading(line) for line in lines]
    following = 0
    """Level of the kept heading that comes next."""
    left_out, is_kept = 0, False
    for number in range(len(lines) - 1, -1, -1):
        heading = headings[number]
        if heading is None:
            left_out += not flags[number]
            is_kept = is_kept or flags[number]
            continue
        if left_out >= _LIST and not is_kept and following <= heading.level:
            flags[number] = False
        if number == 0 or headings[number - 1] is not heading:
            left_out, is_kept = 0, False
            following = heading.level if flags[number] else following


def _heading(line: Line) -> Box | None:
    return line.box.inside.heading if line.box is not None else None


def _code(line: Line) -> Box | None:
    return line.box.inside.code if line.box is not None else None


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
    box = line.box
    if box is None:
        return None
    inside = box.inside
    if inside.code is not None:
        return inside.code
    table = inside.table
    return table if table is not None and box is inside.row and not table.holds_blocks else None


def _gutters(lines: Iterable[Line]) -> set[Box | None]:
    """Return the blocks of code that number the lines of another one in the same row of a table."""
    numbers: dict[Box, bool] = {}
    last: dict[Box, int] = {}
    in_row: dict[Box, set[Box]] = defaultdict(set)
    for line in lines:
        code = _code(line)
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
    return {
        code
        for codes in in_row.values()
        if len(codes) > 1 and not all(numbers[code] for code in codes)
        for code in codes
        if numbers[code]
    }
