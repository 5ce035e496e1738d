"""Plain text: what a reader sees, one block a line, with the marks that tell lists and cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crawler.extract.lines.structure import Box
from crawler.extract.lines.visible import Line
from crawler.extract.rendering.inline import plain_cells
from crawler.extract.rendering.outline import Block, Kind, blocks, code_rows
from crawler.extract.rendering.selection import selected

_BETWEEN_CELLS = " | "


def plain(lines: Sequence[Line], kept: Iterable[bool]) -> str:
    """Return the kept lines of a page as plain text.

    Items of lists have a dash, and are indented by two for each list around them. Their numbers
    are no text of the page but made by what shows it (CSS Lists 3, `::marker`): Markdown has them.
    Cells of tables stand apart by a pipe. Code is as it is written, wherever it stands.
    """
    return "\n".join(_rows(blocks(selected(lines, kept))))


def _rows(all_blocks: Iterable[Block]) -> Iterator[str]:
    before: tuple[Box, ...] = ()
    for block in all_blocks:
        frames = block.frames
        items = tuple([frame for frame in frames if frame.tag == "li"]) if frames else ()
        texts = [text for text in _texts(block) if text or block.kind is Kind.CODE]
        if not texts:
            continue
        if items:
            texts = _indented(texts, items, before, block.kind)
        before = items
        yield from texts


def _texts(block: Block) -> Iterable[str]:
    if block.kind is Kind.CODE:
        return code_rows(block.lines)
    between = _BETWEEN_CELLS if block.kind is Kind.TABLE else " "
    return (_joined(plain_cells(line), between) for line in block.lines)


def _joined(cells: Sequence[str], between: str) -> str:
    if len(cells) == 1:
        return cells[0]
    return between.join(cell for cell in cells if cell)


def _indented(
    texts: Sequence[str], items: tuple[Box, ...], before: tuple[Box, ...], kind: Kind
) -> list[str]:
    """Return the texts of a block in lists; code only has the mark of an item it begins."""
    common = 0
    while common < min(len(items), len(before)) and items[common] is before[common]:
        common += 1
    new = items[common:]
    indent = "" if kind is Kind.CODE else "  "
    marks = "- " * len(new)
    first = f"{indent * common}{marks}" if new else indent * common
    if kind is Kind.CODE:
        return [*([marks.rstrip()] if new else []), *texts]
    return [f"{first}{texts[0]}", *(f"{indent * len(items)}{text}" for text in texts[1:])]
