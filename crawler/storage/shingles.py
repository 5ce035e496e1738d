"""A stored page's shingles as the bytes of a row: their hashes, their marks and a checksum.

::

    1 byte    PACKED or PACKED_MARKED
    4 bytes   CRC-32 (RFC 1952, section 8) of the page's id, 8 bytes, of the first byte, and of all
              that follows
    4 bytes   n, how many there are
    2 n       bits 0 to 15 of each hash, in ascending order of the hashes
    n         bits 16 to 23 of each, where n is below 8192
    the rest  what is above these, in unary: for the i-th hash (from 0) bit i + h is set, and no
              other, where h is that number; 256 + n bits, or 65,536 + n where n is 8192 or more,
              in whole bytes, the highest bit of each first
    n         their marks, if they have any
    zeros     up to one more than a multiple of 4 in all

This is the code of Elias (1974) and Fano (1971) for ascending numbers, with whole bytes for what
they keep as it is. All numbers are little-endian. Rows of older programs are read as well: MARKED
and UNMARKED ones have all hashes as they are after the checksum, which leaves the first byte out,
and then their marks; still older ones are the hashes alone, a multiple of 4: those hold no
checksum, only an order that damage hardly keeps.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from crawler.models import Shingles

if TYPE_CHECKING:
    from crawler.dedup.signing import Hashes, Marks

MARKED, UNMARKED, PACKED_MARKED, PACKED = 1, 2, 3, 4
"""Formats: with marks, and without, as pages are signed without a key."""

_HEAD = struct.Struct("<BI")
_NUMBER = struct.Struct("<I")
_HASH_BYTES = 4
_LOWEST_BYTES = 2
_LARGE = 8192
"""Shingles from which on two lower bytes take less than three: 8 kB more for what is above them,
and a byte less for each hash."""


def pack(document_id: int, text: Shingles) -> bytes:
    """Return the row of a page's shingles, with their marks if they have any.

    Of 420 shingles, the median of real pages, 4.2 bytes each, of 65,536 3.3.
    """
    body = _NUMBER.pack(len(text.hashes)) + _packed(text.hashes)
    if text.marks is not None:
        body += text.marks.tobytes()
    body += bytes(-len(body) % _HASH_BYTES)
    how = PACKED if text.marks is None else PACKED_MARKED
    return _HEAD.pack(how, _checksum(document_id, how, body)) + body


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
    if how not in _READ_BY or checksum != _checksum(document_id, how, body):
        raise ValueError("its shingles are damaged: their checksum is wrong")
    return _READ_BY[how](body, how in (MARKED, PACKED_MARKED))


def _as_they_are(body: memoryview, is_marked: bool) -> Shingles:
    """Read what follows the checksum of a row of an older program."""
    import numpy as np

    words = len(body) // _HASH_BYTES
    number = 4 * words // 5 if is_marked else words  # a mark a hash, four in a word
    hashes = np.frombuffer(body, "<u4", number).astype(np.uint32, copy=False)
    return Shingles(hashes, _marks(body, number, _HASH_BYTES * number) if is_marked else None)


def _in_parts(body: memoryview, is_marked: bool) -> Shingles:
    """Undo `_packed` for what follows the checksum."""
    import numpy as np

    (number,) = _NUMBER.unpack_from(body)
    low = _low_bytes(number)
    above = _NUMBER.size + low * number
    marks = above + _above_bits(number) // 8
    bits = np.unpackbits(np.frombuffer(body, np.uint8, marks - above, above))
    high = np.flatnonzero(bits.view(np.bool_)) - np.arange(number)
    if low > _LOWEST_BYTES:
        middle = _NUMBER.size + _LOWEST_BYTES * number
        high = high << 8 | np.frombuffer(body, np.uint8, number, middle)
    hashes = (high << 16).astype(np.uint32)
    hashes |= np.frombuffer(body, "<u2", number, _NUMBER.size)
    return Shingles(hashes, _marks(body, number, marks) if is_marked else None)


_READ_BY = {
    MARKED: _as_they_are,
    UNMARKED: _as_they_are,
    PACKED_MARKED: _in_parts,
    PACKED: _in_parts,
}


def _packed(hashes: Hashes) -> bytes:
    """Return ascending hashes as their lower bytes, and what is above these in unary."""
    import numpy as np

    low = _low_bytes(len(hashes))
    lower = hashes.astype("<u2").tobytes()
    if low > _LOWEST_BYTES:
        lower += (hashes >> np.uint32(16)).astype(np.uint8).tobytes()
    bits = np.zeros(_above_bits(len(hashes)), np.bool_)
    bits[(hashes >> np.uint32(8 * low)) + np.arange(len(hashes), dtype=np.uint32)] = True
    return lower + np.packbits(bits).tobytes()


def _low_bytes(number: int) -> int:
    return _LOWEST_BYTES if number >= _LARGE else _LOWEST_BYTES + 1


def _above_bits(number: int) -> int:
    """Return how many bits there are for what is above the lower bytes, in whole bytes."""
    bits = (1 << 8 * (_HASH_BYTES - _low_bytes(number))) + number
    return bits + -bits % 8


def _marks(body: memoryview, number: int, start: int) -> Marks:
    import numpy as np

    return np.frombuffer(body, np.uint8, number, start)


def _checksum(document_id: int, how: int, body: bytes | memoryview) -> int:
    of_page = document_id.to_bytes(8, "little", signed=True)
    first = b"" if how in (MARKED, UNMARKED) else bytes([how])
    return zlib.crc32(body, zlib.crc32(of_page + first))
