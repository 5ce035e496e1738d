"""Which of a page's visible lines are its text: by its site's template, or by itself.

Two purposes: `judged` are the lines that speak for the page's identity, as safe as can be; `kept`
are those that a reader of its text wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from crawler.analysis.messages import AnalysisRequest
from crawler.config import Engine
from crawler.extract import combined_lines, engine_text, judged_on, kept_lines
from crawler.extract.text import word_characters
from crawler.extract.visible import Line
from crawler.records import TEMPLATE, JudgedOn
from crawler.templates import (
    Block,
    Template,
    blocks_of,
    lesson_of,
    pack_lesson,
    unpack_template,
)

_TEMPLATES = 64
"""Templates that a process holds at once."""


@dataclass(frozen=True, slots=True)
class TextRead:
    """What was made of a page's visible lines."""

    judged: Sequence[bool]
    """By line: whether it speaks for the page."""
    judged_on: JudgedOn
    kept: Sequence[bool]
    """By line: whether it is part of the text that is kept."""
    read_by: str
    """What found the kept lines (`Document.read_by`)."""
    template: int | None = None
    """Version of the template that read it."""
    lesson: bytes | None = None
    """See `Document.lesson`."""


def read_text(html: str, lines: Sequence[Line], request: AnalysisRequest, by: Engine) -> TextRead:
    """Return which visible lines of a page are its text; a pure function of its arguments.

    `html` is the page of these lines, as its engine `by` is to read it.
    """
    blocks = blocks_of(lines)
    served = None if request.doubted else _by_template(lines, blocks, request.template)
    if served is not None and not request.teaches:
        return served
    return _by_itself(html, lines, blocks, request, by, served)


def _by_template(
    lines: Sequence[Line], blocks: Sequence[Block], packed: bytes | None
) -> TextRead | None:
    """Return the lines that a template holds for text, None where the page is not one of its."""
    if packed is None:
        return None
    template, version = _template(packed)
    reading = template.read(blocks)
    if not reading.is_trusted:
        return None
    kept = _spread(lines, reading.kept)
    return TextRead(kept, JudgedOn.TEMPLATE, kept, TEMPLATE, version)


def _by_itself(
    html: str,
    lines: Sequence[Line],
    blocks: Sequence[Block],
    request: AnalysisRequest,
    by: Engine,
    served: TextRead | None,
) -> TextRead:
    """Read a page as if it were alone, and take the lesson from it if it is to teach."""
    everything = [True] * len(lines)
    main = engine_text(by, html)
    basis = judged_on(main, lines)
    found = kept_lines(main, [block.bare for block in blocks])
    is_main = basis is JudgedOn.MAIN and any(found)
    lesson = pack_lesson(lesson_of(blocks, found if is_main else None)) if request.teaches else None
    if served is not None:
        return TextRead(
            served.judged, served.judged_on, served.kept, TEMPLATE, served.template, lesson
        )
    own = _spread(lines, found)
    if request.doubted or (by is not Engine.COMBINED and not is_main):
        return TextRead(
            everything, JudgedOn.VISIBLE, everything, Engine.VISIBLE.value, None, lesson
        )
    kept = combined_lines(lines, own, trusted=is_main) if by is Engine.COMBINED else own
    judged, judged_by = (own, JudgedOn.MAIN) if is_main else (everything, JudgedOn.VISIBLE)
    return TextRead(judged, judged_by, kept, by.value, None, lesson)


def chosen(lines: Iterable[Line], flags: Iterable[bool]) -> Iterator[Line]:
    """Yield the lines that are flagged."""
    return (line for line, is_chosen in zip(lines, flags, strict=True) if is_chosen)


def _spread(lines: Sequence[Line], kept: Iterable[bool]) -> list[bool]:
    """Return the flags of blocks for all lines: one without word characters goes with the last."""
    flags, own = iter(kept), False
    spread = []
    for line in lines:
        if word_characters(line.text):
            own = next(flags)
        spread.append(own)
    return spread


@lru_cache(_TEMPLATES)
def _template(packed: bytes) -> tuple[Template, int]:
    return unpack_template(packed)
