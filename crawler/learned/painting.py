"""One page line by line, each with what becomes of it: for looking at a template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.dedup.copies import Appearance
from crawler.extract import XHTML, aligned, bounded, decode, parse, visible_lines
from crawler.extract.text import word_characters
from crawler.templates import Template, blocks_of


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


def painted_file(name: str, body: bytes, media_type: str, template: Template) -> PaintedPage:
    """Return a page as a template reads it, with the zone of each line."""
    html = bounded(decode(body, None, media_type).text, xml=media_type == XHTML)
    blocks = blocks_of(visible_lines(parse(html, media_type)))
    reading = template.read(blocks)
    flags = zip(blocks, reading.kept, reading.sure, strict=True)
    lines = [PaintedLine(block.text, kept, sure, block.zone.path) for block, kept, sure in flags]
    return PaintedPage(name, "", _how(reading.is_trusted), lines)


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
