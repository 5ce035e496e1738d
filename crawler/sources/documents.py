"""The documents of a corpus: where their fields are, and how files yield them one after another.

They come in batches, as bytes with the place where they lie; but for rows of Parquet none is parsed
here. What is wrong with one travels with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from crawler.errors import InputError
from crawler.models import PDF, PDF_MARK, is_binary
from crawler.sources.inputs import (
    STDIN_PATH,
    InputFile,
    damage_in,
    damage_of,
    decompressed,
    file_url,
    holds_many,
    media_type_of,
    open_plain,
)

TELLING = ("title", "url")
"""Fields that tell, where they are there, whether two documents are one page."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Where an object keeps a document.

    A name with dots leads into objects within objects, `metadata.url` to the `url` of the object
    `metadata`, unless there is a field whose own name has those dots.
    """

    text: str = "text"
    id: str | None = None
    """None: `id` where there is one, else the number of the line."""


def take(record: dict[str, Any], name: str) -> Any:
    """Remove a field from an object and return it; KeyError where there is none."""
    if name in record:
        return record.pop(name)
    outer, dot, inner = name.partition(".")
    while dot:
        if isinstance(within := record.get(outer), dict):
            try:
                return take(within, inner)
            except KeyError:
                pass
        more, dot, inner = inner.partition(".")
        outer += f".{more}"
    raise KeyError(name)


MAX_DOCUMENT_BYTES = 64_000_000
"""A longer line or file is refused: an analysis process would not have the memory for it."""

IS_BINARY = "binary data, neither page nor text: give text or HTML"


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


BATCH_DOCUMENTS = 64
BATCH_BYTES = 512_000
"""What travels to an analysis process at once: enough that the way costs little, so little that
all processes have work at the end of a corpus too."""

PLAIN = "text/plain"
"""The media type of what says nothing else."""
_WHOLE = "application/octet-stream"
"""Media type of a file of which nothing need be known but that it is one document."""

PLAIN_FIELDS = Fields()


@dataclass(slots=True)
class RawBatch:
    """Neighbouring documents that travel together."""

    documents: list[RawDocument] = field(default_factory=list)
    body_bytes: int = 0
    read_bytes: int = 0
    """How much of all files was read when this batch was complete."""


def real_trouble(raw: RawDocument, bad: Bad) -> Bad:
    """Return what is wrong with a document that makes no sense: its compressed file, or itself.

    Reads a compressed file to its end.
    """
    if raw.file.path is None or bad.reason is BadReason.UNREADABLE:
        return bad
    damage = damage_in(raw.file.path)
    if damage is None:
        return bad
    told = f"the compressed file is damaged ({damage}): get a new copy"
    return Bad(BadReason.UNREADABLE, f"{told}. The data at this place is {bad.detail}")


def batches(
    files: Iterable[InputFile], skip: int, fields: Fields = PLAIN_FIELDS
) -> Iterator[RawBatch]:
    """Yield all documents of some files in order, but for the first `skip`, in batches.

    Of rows of Parquet only the columns that `fields` name are read. Raises InputError where one of
    these is missing.
    """
    batch, before = RawBatch(), 0
    for file in files:
        passed = 0
        if skip and file.is_parquet:
            from crawler.sources.parquet import rows_in  # needs pyarrow, which is an extra

            passed = min(skip, rows_in(file))
            skip -= passed
        for document, read_bytes in documents_in(file, fields, passed):
            if skip:
                skip -= 1
                continue
            batch.documents.append(document)
            batch.body_bytes += len(document.body)
            batch.read_bytes = before + read_bytes
            if len(batch.documents) >= BATCH_DOCUMENTS or batch.body_bytes >= BATCH_BYTES:
                yield batch
                batch = RawBatch()
        before += file.size_bytes
    if batch.documents:
        yield batch


def read_whole(path: Path | None, name: str, *, pdf: bool = False) -> bytes:
    """Return a file's text as bytes, decompressed; or a PDF, where it may be one.

    Without a path it is that of standard input. Raises InputError, which calls it `name`.
    """
    if path is not None and holds_many(path.name):
        raise InputError(
            f"{name}: a file of many documents: `dedup` judges them, `explain DIR ID ID` tells of "
            "two that it has judged"
        )
    [(document, _)] = documents_in(InputFile(path, name, name, name, _WHOLE, 0))
    may_be = pdf and document.body.startswith(PDF_MARK)
    if document.bad or (is_binary(document.body) and not may_be):
        raise InputError(f"{name}: {document.bad.detail if document.bad else IS_BINARY}")
    return document.body


def read_page(path: Path | None, name: str) -> tuple[bytes, str]:
    """Return a file as a fetched page: its body, decompressed, and its media type.

    A name that tells no type leaves it to the body: what begins with `<` is HTML, a PDF with its
    mark, all else is plain text. Without a path it is standard input. Raises InputError as
    `read_whole` does.
    """
    body = read_whole(path, name, pdf=True)
    media_type = media_type_of(path.name if path else name) or PLAIN
    if media_type == PLAIN and body.lstrip()[:1] == b"<":
        media_type = "text/html"
    elif body.startswith(PDF_MARK):
        media_type = PDF
    return body, media_type


def document_at(
    file: InputFile, line: int | None, fields: Fields = PLAIN_FIELDS
) -> RawDocument | None:
    """Return the document on a line of a file, or the whole file; None where it has no such one.

    Reads the file up to there, and of Parquet the row group alone.
    """
    passed = line - 1 if line and file.is_parquet else 0
    for document, _ in documents_in(file, fields, passed):
        unreadable = document.bad is not None and document.bad.reason is BadReason.UNREADABLE
        if document.line == line or unreadable:
            return document
    return None


def documents_in(
    file: InputFile, fields: Fields = PLAIN_FIELDS, passed: int = 0
) -> Iterator[tuple[RawDocument, int]]:
    """Yield a file's documents, each with how many bytes of the file were read by then.

    Of a Parquet file only those after the first `passed`, as lines of JSON with the columns that
    `fields` name.
    """
    if file.is_parquet:
        from crawler.sources.parquet import documents  # needs pyarrow, which is an extra

        yield from documents(file, fields, passed)
        return
    url = file_url(file.path or STDIN_PATH)
    line = 0
    try:
        with ExitStack() as stack:
            plain = stack.enter_context(open_plain(file.path))
            content = decompressed(plain)
            whole = [(0, content.read(MAX_DOCUMENT_BYTES + 1))] if file.media_type else None
            for line, body in whole or _lines(content):
                bad = TOO_LARGE if len(body) > MAX_DOCUMENT_BYTES else None
                document = RawDocument(file, url, line or None, b"" if bad else body, bad)
                yield document, plain.tell() if file.size_bytes else 0
    except Exception as error:
        whence = " from here on" if line else ""
        bad = Bad(BadReason.UNREADABLE, f"cannot be read{whence}: {damage_of(error)}")
        yield RawDocument(file, url, None if file.media_type else line + 1, b"", bad), 0


def _lines(content: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) of all lines that are not blank; one that is too long is cut."""
    number = 0
    while line := content.readline(MAX_DOCUMENT_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
        rest = line
        while len(rest) > MAX_DOCUMENT_BYTES and not rest.endswith(b"\n"):
            rest = content.readline(MAX_DOCUMENT_BYTES + 1)
        if not line.isspace() and line:
            yield number, line
