"""What a reader sees of a page, line by line: kept of stored pages to compare later ones with."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson

MAX_CHARACTERS = 200_000
"""Of lines kept of a page, in each of its parts: some hundred printed pages."""

_LEVEL = 3
"""Of zlib: half the time of the usual 6, for 5 % more bytes."""


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


def pack(page: Appearance) -> bytes:
    """Return a page as bytes, some 40 % of its text; what is beyond the limits is left out."""
    parts = [
        page.title,
        page.heading,
        page.canonical_url,
        page.alternates,
        *("\n".join(_within(lines)) for lines in (page.text, page.beside, page.links)),
    ]
    return zlib.compress(orjson.dumps(parts), _LEVEL)


def unpack(packed: bytes) -> Appearance:
    """Undo `pack`. Raises ValueError for other bytes."""
    try:
        title, heading, canonical_url, alternates, *lines = orjson.loads(zlib.decompress(packed))
        text, beside, links = (tuple(part.split("\n")) if part else () for part in lines)
        return Appearance(title, heading, canonical_url, tuple(alternates), text, beside, links)
    except (zlib.error, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"not a packed appearance: {error}") from None


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines of a plain text that are not empty."""
    return tuple(line for line in text.splitlines() if line and not line.isspace())


def _within(lines: Sequence[str]) -> Iterable[str]:
    if sum(map(len, lines)) <= MAX_CHARACTERS:
        return lines
    return _first(lines)


def _first(lines: Sequence[str]) -> Iterator[str]:
    left = MAX_CHARACTERS
    for line in lines:
        left -= len(line)
        if left < 0:
            return
        yield line
