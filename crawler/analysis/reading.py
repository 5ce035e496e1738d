"""Which of a page's visible lines are its text: by its site's template, or by itself.

Two purposes: `judged` are the lines that speak for the page's identity, as safe as can be; `kept`
are those that a reader of its text wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from crawler.analysis.messages import AnalysisRequest
from crawler.config import Engine
from crawler.extract import (
    Aligned,
    aligned,
    combined_lines,
    engine_text,
    judged_on,
    speak_for,
    without_surroundings,
)
from crawler.extract.lines.visible import Line
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


_LEAST_SURE = 0.5
"""Share of what a template keeps that an extractor keeps of its like, below which all of it speaks
for the page: an index or a table says hardly anything else, and may have no sure line at all. With
.25 ten of 498 copies are stored on two editions of a manual, with .5 five (`benchmarks.copies`)."""


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
    doubted: bool = False
    """See `Document.doubted`."""


def read_text(html: str, lines: Sequence[Line], request: AnalysisRequest, by: Engine) -> TextRead:
    """Return which visible lines of a page are its text; a pure function of its arguments.

    `html` is the page of these lines, as its engine `by` is to read it. A lesson comes with it if
    the request asks for one, or the site's template does not know the page.
    """
    blocks = blocks_of(lines)
    if request.template is None or request.doubted:
        return _by_itself(html, lines, blocks, request, by)
    template, version = _template(request.template)
    reading = template.read(blocks)
    if not reading.is_trusted:
        # Where text may have been lost, nothing less than all that is visible speaks for the page.
        again = replace(request, teaches=True, doubted=reading.is_short)
        return _by_itself(html, lines, blocks, again, by)
    kept = _spread(len(lines), blocks, reading.kept)
    lesson = None
    if request.teaches:
        own = _by_engine(html, lines, blocks, by)
        lesson = pack_lesson(lesson_of(blocks, own.trusted, reading.kept))
    # What an extractor leaves out of all pages (bylines, notes) is kept, but speaks for no page:
    # its other versions may lack it, or have another.
    sure = _spread(len(lines), blocks, reading.sure)
    least = _LEAST_SURE * reading.weight
    is_enough = reading.sure_weight >= least and speak_for(lines, sure)
    judged = sure if is_enough else kept
    shown = without_surroundings(lines, kept, surely=True)
    return TextRead(judged, JudgedOn.TEMPLATE, shown, TEMPLATE, version, lesson)


def _by_itself(
    html: str, lines: Sequence[Line], blocks: Sequence[Block], request: AnalysisRequest, by: Engine
) -> TextRead:
    """Read a page as if it were alone, and take the lesson from it if it is to teach."""
    own = _by_engine(html, lines, blocks, by)
    lesson = pack_lesson(lesson_of(blocks, own.trusted)) if request.teaches else None
    everything = [True] * len(lines)
    surely, main = (_spread(len(lines), blocks, found) for found in own.found)
    is_main = own.is_trusted and not request.doubted
    judged, judged_by = (surely, JudgedOn.MAIN) if is_main else (everything, JudgedOn.VISIBLE)
    if by is Engine.COMBINED:
        kept = combined_lines(lines, main, trusted=own.is_trusted)
    elif own.is_trusted:
        kept = main
    else:
        kept, by = everything, Engine.VISIBLE
    return TextRead(judged, judged_by, kept, by.value, None, lesson, request.doubted)


class _Own(NamedTuple):
    """What an engine says of a page."""

    found: Aligned
    """Which blocks its text has."""
    is_trusted: bool
    """Whether that is the page's content (`crawler.extract.readings.judged`)."""

    @property
    def trusted(self) -> Sequence[bool] | None:
        """The blocks that a text surely has which is to be trusted."""
        return self.found.surely if self.is_trusted else None


def _by_engine(html: str, lines: Sequence[Line], blocks: Sequence[Block], by: Engine) -> _Own:
    main = engine_text(by, html)
    found = aligned(main, [block.bare for block in blocks])
    return _Own(found, judged_on(main, lines) is JudgedOn.MAIN and any(found.surely))


def chosen(lines: Iterable[Line], flags: Iterable[bool]) -> Iterator[Line]:
    """Yield the lines that are flagged."""
    return (line for line, is_chosen in zip(lines, flags, strict=True) if is_chosen)


def _spread(count: int, blocks: Sequence[Block], kept: Iterable[bool]) -> list[bool]:
    """Return the flags of blocks for all `count` lines.

    One without word characters goes with the block before it.
    """
    if len(blocks) == count:
        return list(kept)
    spread: list[bool] = []
    own = False
    for block, is_kept in zip(blocks, kept, strict=True):
        spread += [own] * (block.line - len(spread))
        own = is_kept
    return spread + [own] * (count - len(spread))


@lru_cache(_TEMPLATES)
def _template(packed: bytes) -> tuple[Template, int]:
    return unpack_template(packed)
