"""Near duplicates that were not stored, each kept as its difference from what it is like.

The line that the page would have in `pages.jsonl`, and its appearance, are compressed with the
appearance of its representative as a preset dictionary (RFC 1950, section 2.2): what both have in
common costs next to nothing. The window of deflate is 32 kB, so only the end of a longer
representative helps.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from crawler.records import Dropped

MAX_BYTES = 4_000_000
"""Of line and appearance in JSON; what is longer is not kept."""

_WINDOW = 1 << zlib.MAX_WBITS
_DICTID = slice(2, 6)
"""Where a packed page names its dictionary, by its Adler-32."""


class Kept(NamedTuple):
    """A near duplicate that was not stored, read back."""

    line: dict[str, Any]
    """Its line for `pages.jsonl`, but for the id."""
    appearance: bytes | None
    """See `Document.appearance`."""


def pack(page: Dropped) -> bytes | None:
    """Return a page as its difference; None where it is too large to be kept."""
    shown = orjson.Fragment(zlib.decompress(page.appearance)) if page.appearance else None
    content = orjson.dumps((_sound(page.line), shown))
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
    line, shown = orjson.loads(content)
    return Kept(line, None if shown is None else zlib.compress(orjson.dumps(shown)))


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
