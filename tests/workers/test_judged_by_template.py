"""What a template lets speak for a page: what an extractor keeps of its like, or all it keeps."""

from __future__ import annotations

from support.made_templates import TEXT, lesson, page

from crawler.config import Engine
from crawler.extract.lines import Line
from crawler.extract.templates import Evidence, pack_template
from crawler.workers.analyser import TextRead, read_text
from crawler.workers.messages import AnalysisRequest

NOTE = "body>div.page>div.text>dl>dd"


def with_notes(number: int, notes: int) -> list[Line]:
    """Return a page with notes amid its text, which no extractor keeps."""
    lines = page(number)
    own = [Line(f"Entry {number} of {note}", 0, NOTE) for note in range(notes)]
    return [*lines[:6], *own, *lines[6:]]


def read(lines: list[Line]) -> TextRead:
    """Return how a page of such a site is read by its template."""
    evidence = Evidence()
    for number in range(12):
        evidence.add(lesson(with_notes(number, 3)))
    request = AnalysisRequest(
        "http://a.test/", b"", "text/html", None, pack_template(evidence.template(), 1)
    )
    return read_text("", lines, request, Engine.VISIBLE)


def notes_in(lines: list[Line], flags: object) -> int:
    """Return how many notes are flagged."""
    assert isinstance(flags, list)
    return sum(flag for line, flag in zip(lines, flags, strict=True) if line.path == NOTE)


def test_what_an_extractor_leaves_out_is_kept_and_speaks_for_no_page() -> None:
    """Other versions of the page may lack it."""
    lines = with_notes(99, 3)
    found = read(lines)
    assert found.template == 1
    assert (notes_in(lines, found.kept), notes_in(lines, found.judged)) == (3, 0)


def test_a_page_that_says_hardly_anything_else_is_judged_by_all_that_is_kept() -> None:
    """An index has a text too: without it no copy of it would be known."""
    lines = [line for line in with_notes(99, 200) if line.path != TEXT]
    found = read(lines)
    assert found.template == 1
    assert notes_in(lines, found.judged) == notes_in(lines, found.kept) == 200
