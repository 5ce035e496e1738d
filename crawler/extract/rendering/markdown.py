"""Markdown: CommonMark, with the tables of GitHub's and formulas between dollars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from crawler.extract.lines.structure import Box
from crawler.extract.lines.visible import Line
from crawler.extract.rendering.inline import Resolve, begun, fence, markdown_cells
from crawler.extract.rendering.outline import Block, Kind, blocks, code_rows
from crawler.extract.rendering.selection import selected


def markdown(lines: Sequence[Line], kept: Iterable[bool], resolve: Resolve | None = None) -> str:
    """Return the kept lines of a page as Markdown.

    Links lead where `resolve` says, if their targets were read with the lines; without it they are
    text. A term with its definitions is an item of a list. Cells that span others are not told
    apart from those that do not.
    """
    outline = _Outline()
    for block in blocks(selected(lines, kept)):
        outline.add(block, _texts(block, resolve))
    return "\n".join(outline.rows)


def _texts(block: Block, resolve: Resolve | None) -> list[str]:
    if block.kind is Kind.CODE:
        return _code(block)
    if block.kind is Kind.TABLE:
        return _table(block, resolve)
    texts = [text for line in block.lines if (text := _joined(line, resolve))]
    if not texts:
        return []
    if block.kind is Kind.HEADING and block.box is not None:
        return [f"{'#' * block.box.level} {_closed(' '.join(texts))}"]
    texts = [begun(text) for text in texts]
    return [*(f"{text}\\" for text in texts[:-1]), texts[-1]]


def _joined(line: Line, resolve: Resolve | None) -> str:
    return " ".join(cell for cell in markdown_cells(line, resolve) if cell)


def _closed(heading: str) -> str:
    """Return a heading whose last signs do not count as its end (CommonMark 0.31, 4.2)."""
    bare = heading.rstrip("#")
    return f"{bare}\\{heading[len(bare) :]}" if bare.endswith(" ") and bare != heading else heading


def _code(block: Block) -> list[str]:
    rows = code_rows(block.lines)
    around = fence("\n".join(rows), 3)
    return [f"{around}{block.box.language if block.box else ''}", *rows, around]


def _table(block: Block, resolve: Resolve | None) -> list[str]:
    rows = [
        (row, _cells(its, resolve))
        for row, its in groupby(block.lines, lambda line: line.box and line.box.inside.row)
    ]
    first, head = rows[0]
    has_head = first is not None and first.heads == first.cells
    width = max(len(cells) for _, cells in rows)
    head = head if has_head else []
    head = [*head, *[""] * (width - len(head))]
    body = [cells for _, cells in rows[has_head:]]
    return [_piped(head), _piped(["---"] * width), *map(_piped, body)]


def _piped(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(lines: Iterable[Line], resolve: Resolve | None) -> list[str]:
    """Return the cells of a row; those of blocks have them apart by a break."""
    cells: dict[int, list[str]] = {}
    for line in lines:
        for number, text in enumerate(markdown_cells(line, resolve, in_table=True), line.at):
            if text:
                cells.setdefault(max(number - 1, 0), []).append(text)
    return ["<br>".join(cells.get(number, ())) for number in range(max(cells, default=-1) + 1)]


class _Outline:
    """Blocks one after another, each behind the marks of what it stands in."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self._before: tuple[Box, ...] = ()

    def add(self, block: Block, texts: Sequence[str]) -> None:
        """Add a block as its lines of Markdown."""
        if not texts:
            return
        frames, before = block.frames, self._before
        common = 0
        while common < min(len(frames), len(before)) and frames[common] is before[common]:
            common += 1
        kept_on = "".join(map(_continued, frames[:common]))
        if self.rows and not _is_tight(frames, before, common):
            self.rows.append(kept_on.rstrip())
        self.rows.append(f"{kept_on}{''.join(map(_mark, frames[common:]))}{texts[0]}")
        continued = "".join(map(_continued, frames))
        self.rows += _behind(continued, texts[1:])
        self._before = frames


def _behind(prefix: str, texts: Iterable[str]) -> Iterator[str]:
    return ((f"{prefix}{text}" if text else prefix.rstrip()) for text in texts)


def _is_tight(frames: tuple[Box, ...], before: tuple[Box, ...], common: int) -> bool:
    """Whether a block begins an item of a list that needs no empty line before it."""
    if len(frames) == common or frames[common].tag != "li":
        return False
    if len(before) == common:
        return common > 0
    return before[common].parent is frames[common].parent


def _mark(frame: Box) -> str:
    if frame.tag == "blockquote":
        return "> "
    return f"{frame.number}. " if frame.number else "- "


def _continued(frame: Box) -> str:
    return "> " if frame.tag == "blockquote" else " " * len(_mark(frame))
