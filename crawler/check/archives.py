"""The archives: every committed record whole, and at the places that lines and index name."""

from __future__ import annotations

import base64
import hashlib
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from crawler.check.ends import as_hashes, reads_archives
from crawler.check.problems import Findings
from crawler.errors import StoreError
from crawler.storage import (
    Meta,
    StoreView,
    archive_number,
    archive_path,
    index_name,
    reading_stored_values,
)
from crawler.urls import Canonicaliser
from crawler.warc import named_fields

_CHUNK = 1 << 14
"""Bytes read at once: unpacked they are 16 MB at most."""
_MAX_HEAD = 1 << 16
_MOST_DIGITS = 20
"""Of a length. Python refuses to read numbers of thousands of digits."""
_Row = tuple[int, int, int]
_BY_PLACE = ("redirects", "failures", "skipped")
"""Lines that do not name the URL which was asked last: it may differ by a slash or parameter."""
_INDEX = "SELECT file, offset, line FROM archived ORDER BY file, offset"


@dataclass(frozen=True, slots=True)
class Member:
    """One record of an archive."""

    offset: int
    kind: str
    url: str
    fault: str | None
    """What is wrong with it."""


class Torn(ValueError):
    """An archive that cannot be read from here on; the offset, and why."""


def read_members(path: Path, size: int) -> Iterator[Member]:
    """Yield the records in the first `size` bytes of an archive; Torn where these end.

    Memory is bounded, whatever a record holds. Raises OSError.
    """
    offset = 0
    with path.open("rb") as file:
        data = b""
        while offset < size:
            reader, unpacker, left = _RecordReader(), zlib.decompressobj(16 + zlib.MAX_WBITS), 0
            begun = file.tell() - len(data)
            while not unpacker.eof:
                data = data or file.read(min(_CHUNK, size - file.tell()))
                if not data:
                    raise Torn(offset, "the record that begins here is torn")
                try:
                    reader.feed(unpacker.decompress(data))
                except zlib.error as error:
                    raise Torn(offset, f"no record: {error}") from None
                data = unpacker.unused_data
                left = len(data)
            yield reader.member(offset)
            offset += file.tell() - left - begun


class _RecordReader:
    """Takes the bytes of one record in pieces."""

    def __init__(self) -> None:
        self._head = b""
        self._fields: dict[str, str] | None = None
        self._left = 0
        self._digest = hashlib.sha1(usedforsecurity=False)
        self._rest = b""

    def feed(self, data: bytes) -> None:
        if self._fields is None:
            self._head += data
            head, end, data = self._head.partition(b"\r\n\r\n")
            if not end or len(head) > _MAX_HEAD:
                self._head = self._head[: 2 * _MAX_HEAD]
                return
            self._head = head
            self._fields = named_fields(head)
            length = self._fields.get("content-length", "")
            self._left = int(length) if length.isdecimal() and len(length) < _MOST_DIGITS else 0
        block, rest = data[: self._left], data[self._left :]
        self._digest.update(block)
        self._left -= len(block)
        self._rest = (self._rest + rest)[:5]

    def member(self, offset: int) -> Member:
        fields = self._fields or {}
        digest = base64.b32encode(self._digest.digest()).decode("ascii")
        fault = None
        if not self._head.startswith(b"WARC/1.1\r\n") or self._fields is None:
            fault = "no record of WARC/1.1"
        elif self._left or self._rest != b"\r\n\r\n":
            fault = "its block is not as long as it says"
        elif fields.get("warc-block-digest") != f"sha1:{digest}":
            fault = "its block differs from its digest"
        return Member(offset, fields.get("warc-type", ""), fields.get("warc-target-uri", ""), fault)


class ArchiveCheck:
    """Archives, held against lines and index: 16 bytes a record or line, 200 a row of the index."""

    def __init__(self, view: StoreView, findings: Findings) -> None:
        self._view = view
        self._findings = findings
        self._places = array("q")
        self._named = array("q")
        self._lines: dict[str, tuple[array[int], array[int]]] = {}
        # Lines of a run that read archives name those, wherever they lie.
        self._own = not reads_archives(view)

    def compare(self) -> None:
        """Read every archive as far as it is committed, and hold lines and index against it.

        To be called when the lines were read: a running crawl commits no line before its record.
        """
        with reading_stored_values(self._view.directory):
            tracking = self._view.meta(Meta.IDENTITY, {}).get("tracking_parameters", ())
            self._canonical = Canonicaliser(frozenset(tracking))
            files = self._view.archives()
            rows = self._index() if files else ()
            files = self._view.archives()
        for file, extent in files.items():
            self._findings.begin(f"Reading {extent.lines:,} records of {file} ...")
            self._read_file(file, extent.bytes, extent.lines)
        self._compare_lines()
        self._compare_index(rows, {archive_number(file): file for file in files})

    def add(self, kind: str, number: int, record: Mapping[str, Any]) -> None:
        """Note where a line says that its exchange is."""
        if self._own and record.get("warc_filename") is not None:
            numbers, hashes = self._lines.setdefault(kind, (array("q"), array("q")))
            numbers.append(number)
            url = "" if kind in _BY_PLACE else record["final_url"]
            hashes.append(hash((record["warc_filename"], record["warc_offset"], url)))

    def _compare_lines(self) -> None:
        """Note every line at whose place there is no record, or that of another URL."""
        known = np.concatenate([as_hashes(self._places), as_hashes(self._named)])
        for kind, (numbers, hashes) in self._lines.items():
            for number in as_hashes(numbers)[~np.isin(as_hashes(hashes), known)].tolist():
                self._findings.add_line(kind, number, "its exchange is not where the line says")

    def _read_file(self, file: str, size: int, records: int) -> None:
        path, number = archive_path(self._view.directory, file), 0
        name = f"warc/{file}"
        try:
            found = path.stat().st_size if path.exists() else 0
            for member in read_members(path, min(size, found)) if found else ():
                number += 1
                self._findings.beat("{}: {:,} of {:,} records", file, number, records)
                self._note(file, member)
            if found < size:
                missing = f"the last {size - found:,} of {size:,} bytes are missing"
                self._findings.add(name, "", missing)
            elif number != records:
                self._findings.add(name, "", f"{number:,} records where {records:,} were committed")
            elif found > size:
                self._findings.note(
                    f"{name} has {found - size:,} bytes that are not committed: a running crawl "
                    "will commit them, after a kill the next start cuts them off"
                )
            if not archive_path(self._view.directory, index_name(file)).exists():
                self._findings.note(f"{name} has no index yet: the next end of a run writes it")
        except Torn as torn:
            offset, why = torn.args
            self._findings.add(name, f"offset {offset:,}", why)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None

    def _note(self, file: str, member: Member) -> None:
        if member.fault is not None:
            self._findings.add(f"warc/{file}", f"offset {member.offset:,}", member.fault)
        if member.kind in ("response", "revisit", "metadata"):
            self._places.append(hash((file, member.offset, "")))
            url = self._canonical(member.url) or ""
            self._named.append(hash((file, member.offset, url)))

    def _index(self) -> list[_Row]:
        """Return what the index says: number of the file, offset, and a hash of what is there."""
        rows = []
        for number, offset, line in self._view.database.stream(_INDEX):
            found = orjson.loads(line.split(" ", 2)[2])
            url = self._canonical(found["url"]) or ""
            rows.append((number, offset, hash((found["filename"], int(found["offset"]), url))))
        return rows

    def _compare_index(self, rows: Sequence[_Row], names: Mapping[int, str]) -> None:
        known = set(self._named)
        for number, offset, place in rows:
            if place not in known:
                what = f"not what the index says of offset {offset:,}"
                self._findings.add(f"warc/{names.get(number, number)}", "", what)
