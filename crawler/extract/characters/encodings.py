"""Encoding labels by the WHATWG table, and the Python codecs that stand for them.

An encoding's name is WHATWG's in lower case (`windows-1252`, `gb18030`), never a Python codec's.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import webencodings

_LONGEST_CHARACTER_BYTES = 4

SINGLE_BYTE = frozenset(
    {"ibm866", "koi8-r", "koi8-u", "macintosh", "x-mac-cyrillic", "iso-8859-8-i", "windows-874"}
    | {f"windows-{page}" for page in range(1250, 1259)}
    | {f"iso-8859-{part}" for part in range(2, 17) if part != 12}
)
"""Encodings in which nearly any bytes are text, so that decoding without error proves nothing."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A text and how many U+FFFD stand in it for bytes that could not be decoded."""

    text: str
    errors: int


def lookup(label: str | bytes | None) -> str | None:
    """Return the encoding a label means, or None for an unknown one.

    GBK means GB18030, its superset, as in the standard's decoder. `replacement` is a name too: the
    standard gives it to encodings that must not be decoded.
    """
    if isinstance(label, bytes):
        label = label.decode("latin-1")
    if not label or not label.isascii():
        return None
    name = getattr(webencodings.lookup(label), "name", None)
    return "gb18030" if name == "gbk" else name


def decode_strictly(body: bytes, encoding: str) -> Attempt | None:
    """Decode `body`, or return None at the first error.

    A character cut off at the very end is no error of the encoding: the body was truncated. It
    comes out as one U+FFFD.
    """
    try:
        return Attempt(_compatible(body.decode(_codec(encoding)), encoding), 0)
    except UnicodeDecodeError as error:
        if error.start < len(body) - _LONGEST_CHARACTER_BYTES:
            return None
    try:
        text = codecs.getincrementaldecoder(_codec(encoding))("strict").decode(body)
    except UnicodeDecodeError:
        return None
    return Attempt(_compatible(text, encoding) + "\ufffd", 1)


def decode_leniently(body: bytes, encoding: str) -> Attempt:
    """Decode `body` with U+FFFD for what cannot be decoded; linear time, never raises."""
    text = body.decode(_codec(encoding), "replace")
    spelt = body.count(b"\xef\xbf\xbd") if encoding == "utf-8" else 0
    return Attempt(_compatible(text, encoding), text.count("\ufffd") - spelt)


def _codec(encoding: str) -> str:
    if encoding == "euc-jp":
        # The superset: it also has row 13 (① ㈱ №), which the standard's has and Python's lacks.
        return "euc_jis_2004"
    return str(webencodings.lookup(encoding).codec_info.name)


def _compatible(text: str, encoding: str) -> str:
    # WHATWG's index has the ideographic space at A3 A0, where editors put it; Python a private one.
    return text.replace("\ue5e5", "\u3000") if encoding == "gb18030" else text
