"""Exchanges to archive, and archives read by a library that knows nothing of us."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from crawler.models import EXACT_PAYLOAD, Batch, Capture
from crawler.storage.archive import Archiving
from support.store_material import duplicate, page, url_of

ARCHIVING = Archiving({"software": "test"}, rotate_bytes=3_000)


@dataclass(frozen=True)
class Found:
    """One record as warcio reads it; `body` is that of its message, or its whole block."""

    file: str
    offset: int
    kind: str
    fields: dict[str, str]
    http: dict[str, str]
    body: bytes


def read_archives(directory: Path) -> Iterator[Found]:
    """Yield every record of a directory's archives; fails where a digest is false."""
    for path in sorted((directory / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            records = ArchiveIterator(file, check_digests="raise")
            for record in records:
                body = record.raw_stream.read()
                fields = dict(record.rec_headers.headers)
                http = dict(record.http_headers.headers) if record.http_headers else {}
                offset = records.get_record_offset()
                yield Found(path.name, offset, record.rec_type, fields, http, body)


def capture(url: str, body: bytes = b"<p>body</p>", **changes: Any) -> Capture:
    """Return an exchange."""
    values: dict[str, Any] = {
        "url": url,
        "target": "/",
        "at": 1_700_000_000.25,
        "address": "192.0.2.1",
        "request": (("Host", "a.example"),),
        "version": "1.1",
        "status": 200,
        "reason": "OK",
        "headers": ((b"Content-Type", b"text/html; charset=utf-8"),),
        "body": body,
    }
    return Capture(**(values | changes))


def archived_page(number: int, body: bytes = b"") -> Batch:
    """The end of a page that is stored, with its exchange."""
    taken = capture(url_of(number), body or b"page %d " % number * 40, at=1_700_000_000.0 + number)
    return replace(page(number, number), captures=(taken,))


def archived_copy(number: int, of: int, body: bytes, kind: str = EXACT_PAYLOAD) -> Batch:
    """The end of a page that is a duplicate, with its exchange."""
    taken = capture(url_of(number), body, at=1_700_000_000.0 + number)
    return replace(duplicate(number, of, kind), captures=(taken,))
