"""Archives taken apart into records, by FastWARC; what is damaged is passed over and told.

FastWARC is the reader, and not warcio, as it takes a fraction of the CPU (docs/from-archives.md).
It stops at the first damage. Here the next record behind that is looked for, and reading goes on.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from crawler.archives.files import ArchiveFile
from crawler.errors import InputError

READ_TYPES = ("response", "resource", "conversion")
"""What can hold a page: an exchange, a body with its URL, and a text made of a page (WET); a
revisit is one that refers to the body of another."""

REVISIT = "revisit"
_PROFILES = ("identical-payload-digest", "server-not-modified")
"""Of revisits, as their URIs end: no other is to be interpreted (WARC 1.1, 6.7.1)."""

_BEGIN = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]|(?:\A|(?<=\n))WARC/[01]\.\d+\r?\n")
"""A gzip member (RFC 1952 2.3.1: magic, deflate, no reserved flag), or a record as it is."""
MOST_SHORT = 10
"""Records of a file that may be longer than it, by their own word: behind each the file is read
once more. One is a torn end, and some are damage; more are made for the time that they take."""
_PIECE = 1 << 20
_LOOKED_AT = 512
"""Compressed bytes that must become the begin of a record."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record that can hold a page, whole and with the digest that it says."""

    file: ArchiveFile
    offset: int
    """Of its gzip member, or of itself where it is not compressed."""
    type: str
    url: str
    date: str
    """WARC-Date as it stands there."""
    content_type: str
    """Of the record."""
    truncated: str | None
    """WARC-Truncated: why the body is not whole."""
    http: tuple[int, tuple[tuple[str, str], ...]] | None
    """Status and header fields of a response; None where the record is no HTTP message."""
    body: bytes
    """As the record holds it: codings are not undone. Empty where `too_large`."""
    too_large: int = 0
    """Bytes of a body that is larger than any that is read."""
    payload_digest: str = ""
    """WARC-Payload-Digest as it stands there; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Other:
    """A record that holds no page."""

    file: ArchiveFile
    offset: int
    type: str


@dataclass(frozen=True, slots=True)
class Damage:
    """What cannot be read, from this offset to the next record that can be."""

    file: ArchiveFile
    offset: int
    detail: str


Item = Record | Other | Damage


@dataclass(frozen=True, slots=True)
class _Broken:
    """Where the reader broke off."""

    damage: Damage
    exact: bool
    """Whether that is the damaged record, not the one before it."""
    is_short: bool = False
    """Whether it says that it is longer than the file: what follows was read as a part of it."""


class _TooShort(ValueError):
    """A record of which bytes are missing."""


def read(file: ArchiveFile, max_bytes: int) -> Iterator[Item]:
    """Yield what is in an archive, in its order; bodies above `max_bytes` are not held.

    Raises InputError where the file cannot be opened, or FastWARC is not installed.
    """
    warc = _library()
    if not file.size_bytes:
        return
    try:
        opened = file.path.open("rb")
    except OSError as error:
        raise InputError(f"{file.path}: {error.strerror or error}") from None
    with opened:
        try:
            mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # not a file of a disk, or emptied meanwhile
            raise InputError(f"{file.path}: cannot be read: {error}") from None
        with closing(mapped) as data:
            yield from _resuming(warc, opened, data, file, max_bytes)


def read_at(file: ArchiveFile, offset: int, max_bytes: int) -> Item | None:
    """Return the record that begins at an offset; None for damage. Raises as `read`."""
    try:
        with file.path.open("rb") as opened:
            opened.seek(offset)
            item = next(_records(_library(), opened, file, offset, max_bytes), None)
    except OSError as error:
        raise InputError(f"{file.path}: {error.strerror or error}") from None
    return None if isinstance(item, _Broken) else item


def _resuming(
    warc: Any, opened: Any, data: mmap.mmap, file: ArchiveFile, max_bytes: int
) -> Iterator[Item]:
    """Yield all items, beginning again behind what breaks the reader off."""
    begin: int | None = 0
    short = 0
    broken: _Broken | None = None
    while begin is not None:
        opened.seek(begin)
        last: Item | _Broken | None = None
        for item in _records(warc, opened, file, begin, max_bytes):
            # FastWARC may break off at the record before the damaged one: if that is met again at
            # its own begin, this is where the damage is, and it is told once.
            at_begin = last is None and isinstance(item, _Broken)
            if broken is not None and (broken.exact or not at_begin):
                yield broken.damage
            broken = None
            if not isinstance(item, _Broken):
                yield item
            elif not isinstance(last, Damage):
                broken = _Broken(item.damage, item.exact or (at_begin and begin > 0))
            last = item
        if not isinstance(last, _Broken):
            break
        short += last.is_short
        if short > MOST_SHORT:
            yield Damage(file, last.damage.offset, "it ends here: too many records like this one")
            return
        begin = _next_begin(data, last.damage.offset + 1)
    if broken is not None:
        yield broken.damage


def _library() -> Any:
    try:
        return import_module("fastwarc.warc")
    except ImportError:
        raise InputError(
            "archives are read by FastWARC, which is not installed: "
            "pip install 'inline-crawler[archives]'"
        ) from None


def _records(
    warc: Any, opened: Any, file: ArchiveFile, begin: int, max_bytes: int
) -> Iterator[Item | _Broken]:
    """Yield items from an offset on; the last one says where the reader broke off, if it did."""
    at, exact = begin, False
    try:
        for record in warc.ArchiveIterator(opened, parse_http=False, fsspec_args=False):
            at, exact = record.stream_pos, True
            yield _item(record, file, at, max_bytes)
            exact = False
    except _TooShort as error:
        yield _Broken(Damage(file, at, str(error)), exact=True, is_short=True)
    except MemoryError:
        raise
    except Exception as error:  # FastWARC does not say what it raises
        yield _Broken(Damage(file, at, str(error) or type(error).__name__), exact)


def _item(record: Any, file: ArchiveFile, at: int, max_bytes: int) -> Item:
    kind, headers = str(record.record_type), record.headers
    if kind not in READ_TYPES and not _is_known_revisit(kind, headers):
        return Other(file, at, kind)
    said = record.content_length
    if is_held := said <= max_bytes:
        record.freeze()
        _check_length(record.content_length, said)
        digest = headers.get("WARC-Block-Digest") or ""
        if digest.startswith("sha1:") and not record.verify_block_digest():
            return Damage(file, at, "its content has not the digest that it says")
    http = None
    if kind in ("response", REVISIT) and record.is_http:
        record.parse_http()
        fields = record.http_headers
        if fields is not None and fields.status_code:
            http = fields.status_code, tuple((str(n), str(v)) for n, v in fields.astuples())
    if not is_held:
        _check_length(_passed(record), record.content_length)
    return Record(
        file,
        at,
        kind,
        (headers.get("WARC-Target-URI") or "").strip().strip("<>"),
        headers.get("WARC-Date") or "",
        headers.get("Content-Type") or "",
        headers.get("WARC-Truncated"),
        http,
        record.reader.read() if is_held else b"",
        0 if is_held else said,
        headers.get("WARC-Payload-Digest") or "",
    )


def _check_length(there: int, said: int) -> None:
    if there < said:
        raise _TooShort(f"{there} bytes of {said}, then the file ends")


def _passed(record: Any) -> int:
    """Read over what is too large to be held; return the bytes that are there."""
    passed = 0
    while piece := record.reader.read(_PIECE):
        passed += len(piece)
    return passed


def _is_known_revisit(kind: str, headers: Any) -> bool:
    profile = (headers.get("WARC-Profile") or "").strip().strip("<>")
    return kind == REVISIT and profile.endswith(_PROFILES)


def _next_begin(data: mmap.mmap, after: int) -> int | None:
    """Return where the next record begins, or None; what only looks like one is passed over."""
    for begin in (found.start() for found in _BEGIN.finditer(data, after)):
        start = data[begin : begin + _LOOKED_AT]
        if start.startswith(b"WARC/") or _is_member(start):
            return begin
    return None


def _is_member(start: bytes) -> bool:
    try:
        return zlib.decompressobj(31).decompress(start, 8).startswith(b"WARC/")
    except zlib.error:
        return False
