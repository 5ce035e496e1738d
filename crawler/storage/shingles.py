"""A stored page's shingles as the bytes of a row: their hashes, their marks and a checksum.

::

    1 byte    FORMAT
    4 bytes   CRC-32 (RFC 1952, section 8) of the page's id, 8 bytes, and of all that follows
    4 n       the hashes, ascending
    n         their marks, and zeros up to a multiple of 4

All numbers are little-endian. So the length is one more than a multiple of 4. Rows of older
programs are the hashes alone, a multiple of 4, and are read as well: those hold no checksum, only
an order that damage hardly keeps.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from crawler.records import Shingles

if TYPE_CHECKING:
    from crawler.records import Signature

MARKED, UNMARKED = 1, 2
"""Formats: with marks, and without, as pages are signed without a key."""

_HEAD = struct.Struct("<BI")
_HASH_BYTES = 4


def pack(document_id: int, text: Signature) -> bytes:
    """Return the row of a page's shingles, with their marks by the first key."""
    body = text.shingles.astype("<u4").tobytes()
    if text.marks:
        marks = text.marks[0].tobytes()
        body += marks + bytes(-len(marks) % _HASH_BYTES)
    how = MARKED if text.marks else UNMARKED
    return _HEAD.pack(how, _checksum(document_id, body)) + body


def unpack(document_id: int, packed: bytes) -> Shingles:
    """Undo `pack`. Raises ValueError for what is damaged, or is of another page."""
    import numpy as np  # a `report` does without

    if len(packed) % _HASH_BYTES == 0:
        hashes = np.frombuffer(packed, "<u4").astype(np.uint32, copy=False)
        if not (hashes[1:] > hashes[:-1]).all():
            raise ValueError("its shingles are damaged: they are not in order")
        return Shingles(hashes)
    if len(packed) % _HASH_BYTES != 1 or len(packed) < _HEAD.size:
        raise ValueError("its shingles are damaged: they were cut short")
    how, checksum = _HEAD.unpack_from(packed)
    body = memoryview(packed)[_HEAD.size :]
    if checksum != _checksum(document_id, body) or how not in (MARKED, UNMARKED):
        raise ValueError("its shingles are damaged: their checksum is wrong")
    words = len(body) // _HASH_BYTES
    number = words if how == UNMARKED else 4 * words // 5  # a mark a hash, four in a word
    hashes = np.frombuffer(body, "<u4", number).astype(np.uint32, copy=False)
    if how == UNMARKED:
        return Shingles(hashes)
    return Shingles(hashes, np.frombuffer(body, np.uint8, number, _HASH_BYTES * number))


def _checksum(document_id: int, body: bytes | memoryview) -> int:
    return zlib.crc32(body, zlib.crc32(document_id.to_bytes(8, "little", signed=True)))
