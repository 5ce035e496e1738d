"""The documents of files one after another, in batches; but for rows of Parquet not yet parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from crawler.batch.fields import Fields
from crawler.batch.inputs import STDIN_PATH, InputFile
from crawler.batch.names import file_url
from crawler.batch.raw import (
    IS_BINARY,
    MAX_DOCUMENT_BYTES,
    TOO_LARGE,
    Bad,
    BadReason,
    RawDocument,
    is_binary,
)
from crawler.batch.streams import damage_in, damage_of, decompressed, open_plain
from crawler.errors import InputError

BATCH_DOCUMENTS = 64
BATCH_BYTES = 512_000
"""What travels to an analysis process at once: enough that the way costs little, so little that
all processes have work at the end of a corpus too."""

_WHOLE = "application/octet-stream"
"""Media type of a file of which nothing need be known but that it is one document."""

_BOM = b"\xef\xbb\xbf"


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
        passed = min(skip, _rows_in(file)) if skip and file.is_parquet else 0
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


def read_whole(path: Path, name: str) -> bytes:
    """Return a file's text as bytes, decompressed. Raises InputError, which calls it `name`."""
    [(document, _)] = documents_in(InputFile(path, name, name, name, _WHOLE, 0))
    if document.bad or is_binary(document.body):
        raise InputError(f"{name}: {document.bad.detail if document.bad else IS_BINARY}")
    return document.body


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


def _rows_in(file: InputFile) -> int:
    from crawler.batch.parquet import rows_in  # needs pyarrow, which is an extra

    return rows_in(file)


Read = tuple[RawDocument, int]
"""A document, and how many bytes of its file were read by then."""


def documents_in(file: InputFile, fields: Fields = PLAIN_FIELDS, passed: int = 0) -> Iterator[Read]:
    """Yield a file's documents; of a Parquet file only those after the first `passed`.

    Of rows of Parquet there are only the columns that `fields` name, as a line of JSON.
    """
    if file.is_parquet:
        from crawler.batch.parquet import documents  # needs pyarrow, which is an extra

        yield from documents(file, fields, passed)
        return
    url = file_url(file.path or STDIN_PATH)
    line = 0
    try:
        with ExitStack() as stack:
            plain = stack.enter_context(open_plain(file.path))
            content = decompressed(plain)
            for line, body in _whole(content) if file.media_type else _lines(content):
                bad = TOO_LARGE if len(body) > MAX_DOCUMENT_BYTES else None
                document = RawDocument(file, url, line or None, b"" if bad else body, bad)
                yield document, plain.tell() if file.size_bytes else 0
    except Exception as error:
        whence = " from here on" if line else ""
        bad = Bad(BadReason.UNREADABLE, f"cannot be read{whence}: {damage_of(error)}")
        yield RawDocument(file, url, None if file.media_type else line + 1, b"", bad), 0


def _whole(content: BinaryIO) -> Iterator[tuple[int, bytes]]:
    yield 0, content.read(MAX_DOCUMENT_BYTES + 1)


def _lines(content: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) of all lines that are not blank; one that is too long is cut."""
    number = 0
    while line := content.readline(MAX_DOCUMENT_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BOM)
        rest = line
        while len(rest) > MAX_DOCUMENT_BYTES and not rest.endswith(b"\n"):
            rest = content.readline(MAX_DOCUMENT_BYTES + 1)
        if not line.isspace() and line:
            yield number, line
