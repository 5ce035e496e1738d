"""Pages that were not stored, each kept as its difference from what it equals or is like.

The line that the page would have in `pages.jsonl` and its own appearance are compressed with the
appearance of the stored page as a preset dictionary (RFC 1950, section 2.2): what both have in
common costs next to nothing. The window of deflate is 32 kB, so only the end of a longer page
helps. Of copies to the byte nothing is kept: they are what the stored page is.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from crawler.records import Dropped, JudgedOn

if TYPE_CHECKING:
    from crawler.dedup.copies import Appearance

MAX_BYTES = 4_000_000
"""Of all that in JSON; what is longer is not kept."""

_WINDOW = 1 << zlib.MAX_WBITS
_AROUND_BEFORE_ORDER = 4
"""Parts of what earlier versions kept beside a line, whose text was the judged one."""
_DICTID = slice(2, 6)
"""Where a packed page names its dictionary, by its Adler-32."""


class Kept(NamedTuple):
    """A page that was not stored, read back."""

    line: dict[str, Any]
    """Its line for `pages.jsonl`, but for the id."""
    appearance: Appearance | None
    """What its reader saw, if that is known."""


def pack(page: Dropped) -> bytes | None:
    """Return a page as its difference; None where it is too large to be kept."""
    if len(page.line.get("text") or "") > MAX_BYTES:  # no other thread runs while JSON is made
        return None
    content = orjson.dumps((_sound(page.line), _around(page.appearance)))
    if len(content) > MAX_BYTES:
        return None
    packer = zlib.compressobj(zdict=_dictionary(page.like))
    return packer.compress(content) + packer.flush()


def unpack(packed: bytes, like: bytes) -> Kept:
    """Undo `pack`, with the appearance that the page was packed with. ValueError for others.

    What was packed without one is unpacked whatever is given: `reindex` may have made one since.
    """
    alone = packed[_DICTID] == zlib.adler32(_dictionary(b"")).to_bytes(4)
    try:
        unpacker = zlib.decompressobj(zdict=_dictionary(b"" if alone else like))
        content = unpacker.decompress(packed) + unpacker.flush()
    except zlib.error as error:
        raise ValueError(f"not the difference from this page: {error}") from None
    if not unpacker.eof:
        raise ValueError("a difference that was cut short")
    line, around = orjson.loads(content)
    return Kept(line, _shown(line, around) if around else None)


def _around(packed: bytes | None) -> orjson.Fragment | None:
    """Return an appearance as the JSON it is; what the line has too costs next to nothing twice."""
    return None if packed is None else orjson.Fragment(zlib.decompress(packed))


def _shown(line: Mapping[str, Any], around: Sequence[Any]) -> Appearance:
    from crawler.dedup import copies  # with numpy, which a `report` does without

    if len(around) != _AROUND_BEFORE_ORDER:
        return copies.of_fields(around)
    heading, alternates, beside, links = around
    apart = set(links) if line["judged_on"] == JudgedOn.VISIBLE else ()
    text = (one for one in copies.lines_of(line["text"]) if one not in apart)
    named = line["title"], heading, line["canonical_url"], tuple(alternates)
    return copies.Appearance(*named, tuple(text), tuple(beside), tuple(links))


def _dictionary(like: bytes) -> bytes:
    """Return the end of an appearance's bytes; without one, what never occurs in a line."""
    return zlib.decompress(like)[-_WINDOW:] if like else b"\0"


def _sound(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a line as JSON can hold it: lone surrogates become U+FFFD."""
    try:
        orjson.dumps(line)
    except orjson.JSONEncodeError:
        return {key: _text(value) for key, value in line.items()}
    return line


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value
