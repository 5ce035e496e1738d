"""What a reader sees of a page, line by line: kept of stored pages to compare later ones with."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Any

import orjson

from crawler.models import BESIDE_LINE, LINK_LINE, SIGN_LINE, TEXT_LINE

MAX_CHARACTERS = 200_000
"""Of lines kept of a page, in each of its parts: some hundred printed pages."""

CUT = "-"
"""The order of lines that are not all kept: neither text can be had again."""

_FIELDS = 11
"""Of packed appearances, but for those of PDFs, which have one more."""

_LEVEL = 2
"""Of zlib: a third of the time of the usual 6, for 8 % more bytes."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """A page as its reader sees it; lines are not empty and have no line ends in them."""

    title: str | None = None
    heading: str | None = None
    """The first heading of the highest level."""
    canonical_url: str | None = None
    alternates: tuple[str, ...] = ()
    """Canonical URLs of the page in other languages (link rel=alternate hreflang)."""
    text: tuple[str, ...] = ()
    """Lines of the judged text, but for those that are links."""
    beside: tuple[str, ...] = ()
    """Visible lines outside of the judged text, but for those that are links."""
    links: tuple[str, ...] = ()
    """Lines that are mostly links, in the judged text or beside it."""
    signs: tuple[str, ...] = ()
    """Lines without a word, in the judged text or beside it: nothing is concluded from them."""
    order: str = ""
    """What each visible line is, in document order (`crawler.models.TEXT_LINE`): with it judged
    and visible text can be had again. Empty of plain text, where the stored text is all there was
    to judge. CUT of a page beyond MAX_CHARACTERS."""
    apart: tuple[str, ...] = ()
    """What the page shows or holds apart from its visible lines: header and footer, hidden texts,
    pictures, embeds, values of JSON-LD; the first letter of each line is its kind
    (`crawler.models.FRAME_LINE`)."""
    language: str | None = None
    """What its markup says it is written in, as a BCP 47 tag."""
    is_pdf: bool = False
    """Whether it is a PDF."""

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """Its visible lines by what they are; each part in document order."""
        return {
            TEXT_LINE: self.text,
            BESIDE_LINE: self.beside,
            LINK_LINE: self.links,
            SIGN_LINE: self.signs,
        }

    @property
    def judged_text(self) -> str | None:
        """The text that was judged; None where `order` is not known."""
        lines = self.in_order
        return None if lines is None else "\n".join(line for line, judged in lines if judged)

    @property
    def visible_text(self) -> str | None:
        """All visible lines; None where `order` is not known."""
        lines = self.in_order
        return None if lines is None else "\n".join(line for line, _ in lines)

    @property
    def in_order(self) -> list[tuple[str, bool]] | None:
        """Each visible line, and whether it was judged; None where `order` is not known."""
        if self.order in ("", CUT):
            return None
        left = {part: iter(lines) for part, lines in self.parts.items()}
        return [(next(left[mark.lower()]), mark.isupper()) for mark in self.order]


def pack(page: Appearance) -> bytes:
    """Return a page as bytes, some 40 % of its text; what is beyond the limits is left out."""
    parts = list(page.parts.values())
    within = []
    for lines in parts:
        lengths = accumulate(map(len, lines))
        within.append(lines[: sum(1 for _ in takewhile(MAX_CHARACTERS.__ge__, lengths))])
    fields = [
        page.title,
        page.heading,
        page.canonical_url,
        page.alternates,
        *map("\n".join, within),
        page.order if within == parts else CUT,
        page.apart,
        page.language,
        *([True] if page.is_pdf else []),
    ]
    return zlib.compress(orjson.dumps(fields), _LEVEL)


def unpack(packed: bytes) -> Appearance:
    """Undo `pack`. Raises ValueError for other bytes."""
    try:
        fields = orjson.loads(zlib.decompress(packed))
    except (zlib.error, orjson.JSONDecodeError) as error:
        raise ValueError(f"not a packed appearance: {error}") from None
    return of_fields(fields)


def of_fields(packed: Any) -> Appearance:
    """Undo `pack` but for the compression: of what its JSON holds. ValueError for other data."""
    try:
        fields = list(packed)
        is_pdf = len(fields) > _FIELDS and fields.pop() is True
        title, heading, canonical_url, alternates, *lines, order, apart, language = fields
        text, beside, links, signs = (tuple(part.split("\n")) if part else () for part in lines)
        parts, around = (text, beside, links, signs), (tuple(apart), language, is_pdf)
        page = Appearance(title, heading, canonical_url, tuple(alternates), *parts, order, *around)
        counts = {part: len(own) for part, own in page.parts.items()}
        if order not in ("", CUT) and Counter(order.lower()) != Counter(counts):
            raise ValueError("its order is of other lines")
    except (TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"not a packed appearance: {error}") from None
    return page


def judged_text(page: Appearance | None, kept: str) -> str:
    """Return the text that a page was judged by.

    Where its appearance does not tell it is the text that was `kept`: of plain text they are the
    same; of a page beyond MAX_CHARACTERS that is the best there is.
    """
    known = page.judged_text if page else None
    return kept if known is None else known


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines of a plain text that are not empty."""
    return tuple(line for line in text.splitlines() if line and not line.isspace())
