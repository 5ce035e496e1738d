"""Pages that were not stored, each kept as its difference from what it equals or is like.

The line that the page would have in `pages.jsonl` and its own appearance are compressed with the
appearance of the stored page as a preset dictionary (RFC 1950, section 2.2): what both have in
common costs next to nothing. The window of deflate is 32 kB, so only the end of a longer page
helps; the text is that end, since the line begins with it. Parts of an appearance that are the
same are not kept a second time: of a page with the same visible text most are. Of copies to the
byte nothing is kept: they are what the stored page is.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from crawler.console import json_of
from crawler.models import Dropped

if TYPE_CHECKING:
    from crawler.dedup.copies import Appearance

MAX_BYTES = 4_000_000
"""Of all that in JSON; what is longer is not kept."""

_WINDOW = 1 << zlib.MAX_WBITS
_LINE = (
    b'{"counts":{"body_bytes":1,"wire_bytes":1,"text_chars":1,"tokens":1,"links":1},"verdict":"near'
    b'","evidence":"same-address","distance":0,"similarity":0.9,"of_fingerprint":"","matched_blocks"'
    b':[0,1,2,3],"cluster":1},"verdict":"exact-text","duplicate_of":{"id":1,"url":"http"},"kind":'
    b'"same-content-same-layout","content_similarity":1.0,"layout_similarity":1.0},"read_by":"combine'
    b'd","template":1,"etag":"","last_modified":"","depth":1,"referrer":"https://","payload_digest":'
    b'"sha256:","text_digest":"sha256:","fingerprint":"","layout":"","judged_on":"main","judged_on":'
    b'"template","url":"https://","final_url":"https://","canonical_url":null,"host":"","fetched_at":'
    b'"20","status":200,"content_type":"text/html","charset":"utf-8","title":"","text":"'
)
"""What lines have in common, at the end of each dictionary. It stays as it is for ever: what was
packed with it is unpacked with it."""
_NOTHING = b"\0"
"""A dictionary of what never occurs in a line."""
_SAME = 0
"""In place of a part of an appearance that is as on the other page; no part is a number."""
_TEXT = 4
"""Which part of a packed appearance is the text."""
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
    around = None
    if page.appearance is not None:
        around, others = _parts(page.appearance), _parts(page.like) if page.like else []
        if len(around) == len(others):  # else one is a PDF, or nothing is known of the other
            parts = zip(around, others, strict=True)
            around = [_SAME if one == other else one for one, other in parts]
    content = json_of((page.line, around))
    if len(content) > MAX_BYTES:
        return None
    packer = zlib.compressobj(zdict=_dictionary(page.like))
    return packer.compress(content) + packer.flush()


def unpack(packed: bytes, like: bytes) -> Kept:
    """Undo `pack`, with the appearance that the page was packed with. ValueError for others.

    What was packed without one is unpacked whatever is given: `reindex` may have made one since.
    """
    named, known = packed[_DICTID], map(_dictionary, (b"", like))
    fitting = (one for one in known if zlib.adler32(one).to_bytes(4) == named)
    try:
        unpacker = zlib.decompressobj(zdict=next(fitting, _NOTHING))
        content = unpacker.decompress(packed) + unpacker.flush()
    except zlib.error as error:
        raise ValueError(f"not the difference from this page: {error}") from None
    if not unpacker.eof:
        raise ValueError("a difference that was cut short")
    line, around = orjson.loads(content)
    if around and _SAME in around:
        around = [
            other if one == _SAME else one for one, other in zip(around, _parts(like), strict=True)
        ]
    if not around:
        return Kept(line, None)
    from crawler.dedup import copies  # with numpy, which a `report` does without

    return Kept(line, copies.of_fields(around))


def _parts(packed: bytes) -> list[Any]:
    """Return the parts of a packed appearance."""
    parts: list[Any] = orjson.loads(zlib.decompress(packed))
    return parts


def _dictionary(like: bytes) -> bytes:
    """Return the end of an appearance's parts with the text last; without one, `_NOTHING`."""
    if not like:
        return _NOTHING
    parts = _parts(like)
    said = orjson.dumps([*parts[:_TEXT], *parts[_TEXT + 1 :], parts[_TEXT]])
    return (said + _LINE)[-_WINDOW:]
