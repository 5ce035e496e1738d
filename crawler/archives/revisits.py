"""Records that say of a page that it was as before: read with the body that they refer to.

A `revisit` (WARC/1.1 6.7) has the digest of its payload, and no payload. What was read before and
has this digest is that payload, whichever tool wrote it, wherever it was fetched from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from crawler.archives.files import ArchiveFile
from crawler.archives.records import REVISIT, Record, read_at
from crawler.fetch.headers import NOT_MODIFIED

_OF_THE_BODY = ("content-encoding", "transfer-encoding")
"""Fields that say how a body is coded: those count with which it was archived."""


class Originals:
    """Where each payload was met first: some 130 bytes a record that names its digest."""

    def __init__(self) -> None:
        self._places: dict[int, tuple[ArchiveFile, int]] = {}
        self._last: tuple[ArchiveFile, int] | None = None

    def add(self, record: Record) -> None:
        """Note a record; all are to be given, in their order."""
        place = record.file, record.offset
        if is_revisit(record):
            return
        # Of a file that is compressed as a whole only the first record can be found again: all
        # others seem to lie at one place, mostly its end.
        can_be_found = place != self._last and record.offset < record.file.size_bytes
        if record.payload_digest and not record.too_large and can_be_found:
            self._places.setdefault(hash(record.payload_digest), place)
        self._last = place

    def lacks(self, revisit: Record) -> bool:
        """Whether it is a revisit whose payload was not met, and that ends by nothing else."""
        if not is_revisit(revisit) or not _ends_by_body(revisit):
            return False
        return hash(revisit.payload_digest) not in self._places

    def whole(self, revisit: Record, max_bytes: int) -> Record:
        """Return a revisit with its payload, as the response that it stands for.

        One that the server called unmodified stays as it is: that is its end. Likewise one whose
        payload cannot be read any more. Raises InputError as `read`.
        """
        if not _ends_by_body(revisit):
            return replace(revisit, type="response", truncated=None)
        if revisit.http is not None and revisit.http[0] == NOT_MODIFIED:
            return revisit
        found = read_at(*self._places[hash(revisit.payload_digest)], max_bytes)
        if not isinstance(found, Record) or found.payload_digest != revisit.payload_digest:
            return revisit
        # What WARC-Truncated says of the revisit is that its body was left out.
        return replace(
            found,
            file=revisit.file,
            offset=revisit.offset,
            url=revisit.url,
            date=revisit.date,
            type="response" if revisit.http else found.type,
            http=(revisit.http[0], tuple(_fields(revisit, found))) if revisit.http else found.http,
        )


def is_revisit(record: Record) -> bool:
    """Whether a record speaks of a payload that another one has."""
    return record.type == REVISIT


def _ends_by_body(revisit: Record) -> bool:
    """Whether it takes the payload to end a revisit; redirects and errors end by their status."""
    status = revisit.http[0] if revisit.http else 200
    return status == NOT_MODIFIED or not 300 <= status < 600


def _fields(revisit: Record, found: Record) -> Iterator[tuple[str, str]]:
    assert revisit.http is not None
    for name, value in revisit.http[1]:
        if name.lower() not in _OF_THE_BODY:
            yield name, value
    for name, value in found.http[1] if found.http else ():
        if name.lower() in _OF_THE_BODY:
            yield name, value
