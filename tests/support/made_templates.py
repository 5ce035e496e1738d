"""Pages of made sites as visible lines, and what an extractor would keep of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from crawler.extract.lines import Line
from crawler.extract.templates import Block, Lesson, Template, blocks_of, lesson_of, pack_lesson

MENU = "body>div.menu>ul>li"
TEXT = "body>div.page>div.text>p"
ASIDE = "body>div.page>div.aside>p"
FOOT = "body>div.foot>p"


def page(number: int, *, paragraphs: int = 6, where: str = TEXT, aside: str = "") -> list[Line]:
    """Return a page: a menu that repeats, its own paragraphs, a box beside them, a foot line."""
    draw = random.Random(number)
    menu = [Line(f"Menu entry {entry}", 11, MENU) for entry in range(4)]
    own = [Line(prose(draw), 0, where) for _ in range(paragraphs)]
    beside = [Line(aside or f"Read also number {number} of the series", 0, ASIDE)]
    return [*menu, *own, *beside, Line("All rights reserved by the makers", 0, FOOT)]


def prose(draw: random.Random, words: int = 30) -> str:
    """Return a paragraph of its own words."""
    return " ".join(f"word{draw.randrange(10_000)}" for _ in range(words))


def kept(blocks: Sequence[Block], where: str = TEXT) -> list[bool]:
    """Return the blocks that an extractor without fault keeps: those at or below `where`."""
    return [block.zone.path.startswith(where) for block in blocks]


def lesson(
    lines: Sequence[Line], *, judged: bool = True, read: Template | None = None, where: str = TEXT
) -> Lesson:
    """Return what a page teaches, beside a template that read it."""
    blocks = blocks_of(lines)
    reading = read.read(blocks).kept if read else None
    return lesson_of(blocks, kept(blocks, where) if judged else None, reading)


def told(lines: Sequence[Line], **how: object) -> bytes:
    """Return the same as bytes."""
    return pack_lesson(lesson(lines, **how))  # type: ignore[arg-type]
