"""One page line by line, each with what becomes of it: for looking at a template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.analysis import AnalysisRequest
from crawler.analysis.reading import read_text
from crawler.config import Engine
from crawler.dedup.copies import Appearance
from crawler.extract import XHTML, aligned, bounded, decode, parse, visible_lines
from crawler.extract.text import word_characters


@dataclass(frozen=True, slots=True)
class PaintedLine:
    """A visible line of a page."""

    text: str
    kept: bool
    """Whether it is in the text that is kept."""
    judged: bool
    """Whether it is in the text that pages are compared by."""
    path: str = ""
    """Its zone; empty where that is not known any more."""


@dataclass(frozen=True, slots=True)
class PaintedPage:
    """A page, for people."""

    name: str
    """Its URL, or the file it was read from."""
    title: str
    note: str
    """How it was read."""
    lines: Sequence[PaintedLine]

    @property
    def kept_share(self) -> float:
        """Share of its characters that is kept, 0 to 1."""
        kept = sum(len(line.text) for line in self.lines if line.kept)
        return kept / max(1, sum(len(line.text) for line in self.lines))


def painted_file(name: str, body: bytes, media_type: str, template: bytes) -> PaintedPage:
    """Return a page as a template, packed, reads it, with the path of each line."""
    html = bounded(decode(body, None, media_type).text, xml=media_type == XHTML)
    lines = visible_lines(parse(html, media_type))
    request = AnalysisRequest(name, body, media_type, None, template)
    read = read_text(html, lines, request, Engine.VISIBLE)
    flags = zip(lines, read.kept, read.judged, strict=True)
    painted = [PaintedLine(line.text, kept, judged, line.path) for line, kept, judged in flags]
    return PaintedPage(name, "", _how(read.template is not None), painted)


def painted_stored(
    url: str, title: str | None, text: str, version: int, appearance: Appearance
) -> PaintedPage | None:
    """Return a stored page by its `text` and its lines; None where their order is not known."""
    lines = appearance.in_order
    if lines is None:
        return None
    worded = [(line, judged, bare) for line, judged in lines if (bare := word_characters(line))]
    kept = aligned(text, [bare for _, _, bare in worded]).perhaps
    painted = [
        PaintedLine(line, is_kept or judged, judged)
        for (line, judged, _), is_kept in zip(worded, kept, strict=True)
    ]
    return PaintedPage(url, title or "", f"read by version {version:,} of the template", painted)


def _how(is_trusted: bool) -> str:
    if is_trusted:
        return "the template reads this page"
    return "the template does not fit this page: a crawl reads it by itself, and learns from it"
