"""One page line by line, each with what becomes of it: for looking at a template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.dedup.copies import Appearance
from crawler.extract import XHTML, bounded, decode, parse, visible_lines
from crawler.learned.zones import Fate, fate_of
from crawler.templates import Template, blocks_of


@dataclass(frozen=True, slots=True)
class PaintedLine:
    """A visible line of a page."""

    text: str
    kept: bool
    """Whether it is in the text that a template, or what else read the page, takes for its own."""
    fate: Fate | None = None
    """What becomes of its zone; None where that is not known any more."""
    path: str = ""
    """Its zone."""


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
    """Return a page as a template reads it, zone by zone."""
    html = bounded(decode(body, None, media_type).text, xml=media_type == XHTML)
    blocks = blocks_of(visible_lines(parse(html, media_type)))
    reading = template.read(blocks)
    lines = [
        PaintedLine(block.text, is_kept, fate_of(template, block.zone), block.zone.path)
        for block, is_kept in zip(blocks, reading.kept, strict=True)
    ]
    return PaintedPage(name, "", _how(reading.is_trusted), lines)


def painted_stored(
    url: str, title: str | None, read_by: str, appearance: Appearance
) -> PaintedPage | None:
    """Return a stored page by what is kept of its lines; None where their order is not known."""
    if not appearance.order:
        return None
    lines = [PaintedLine(text, judged) for text, judged in appearance.in_order()]
    return PaintedPage(url, title or "", f"read by: {read_by}", lines)


def _how(is_trusted: bool) -> str:
    if is_trusted:
        return "the template reads this page"
    return "the template does not fit this page: a crawl reads it by itself, and learns from it"
