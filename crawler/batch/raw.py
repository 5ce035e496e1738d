"""A document before it is read: bytes, where they lie, and what may be wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crawler.batch.inputs import InputFile

MAX_DOCUMENT_BYTES = 64_000_000
"""A longer line or file is refused: an analysis process would not have the memory for it."""

_SNIFFED_BYTES = 1445
_BINARY_BYTES = bytes({*range(0x20)} - {*b"\t\n\f\r\x1b"})
_BINARY_SHARE = 0.02
"""A stray control character does not make a page binary; of random bytes a tenth are such."""
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")

IS_BINARY = "binary data, not a text: give text or HTML"


class BadReason(StrEnum):
    """Why a document cannot be judged. The classes of `skipped.jsonl`."""

    BAD_JSON = "bad-json"
    BAD_ENCODING = "bad-encoding"
    MISSING_FIELD = "missing-field"
    WRONG_TYPE = "wrong-type"
    TOO_LARGE = "too-large"
    BINARY = "binary"
    """A file that is no text, whatever its name says."""
    UNREADABLE = "unreadable"
    """The file cannot be read, or not beyond this point: cut off, damaged, not permitted."""


@dataclass(frozen=True, slots=True)
class Bad:
    """A document that cannot be judged, and why in words."""

    reason: BadReason
    detail: str


TOO_LARGE = Bad(BadReason.TOO_LARGE, f"longer than {MAX_DOCUMENT_BYTES:,} bytes")


@dataclass(frozen=True, slots=True)
class RawDocument:
    """One document before it is read."""

    file: InputFile
    file_url: str
    line: int | None
    """Its line, from 1; None where the file is the document."""
    body: bytes
    bad: Bad | None = None

    @property
    def place(self) -> str:
        """Where it lies, as messages say it."""
        return self.file.name if self.line is None else f"{self.file.name}:{self.line}"


def is_binary(body: bytes) -> bool:
    """Whether a file is no text in any encoding, by its beginning.

    Text has next to no binary data bytes (https://mimesniff.spec.whatwg.org/#binary-data-byte), but
    for UTF-16 and UTF-32: these begin with a byte order mark, or hold zeros in turn with text.
    """
    head = body[:_SNIFFED_BYTES]
    zeros, others = sorted((head[::2].count(0), head[1::2].count(0)), reverse=True)
    if head.startswith(_WIDE_BOMS) or (4 * zeros > len(head) and 20 * others < len(head)):
        return False
    return len(head) - len(head.translate(None, _BINARY_BYTES)) > _BINARY_SHARE * len(head)
