"""Archives taken apart into records, and what each says as a fetch of its URL would have ended.

FastWARC is the reader, and not warcio, as it takes a fraction of the CPU (docs/from-archives.md).
It stops at the first damage. Here the next record behind that is looked for, and reading goes on.

A `revisit` (WARC/1.1 6.7) has the digest of its payload, and no payload. What was read before and
has this digest is that payload, whichever tool wrote it, wherever it was fetched from.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from crawler.config import Job
from crawler.console import no_file
from crawler.errors import InputError, NotInstalled
from crawler.fetch import response as rules
from crawler.fetch.response import ContentDecoder, Headers
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.models import Failed, Failure, Fetched, FetchTask, Redirected, Skip, Skipped
from crawler.sources.inputs import digest_of
from crawler.urls import Canonicaliser, host_key

SUFFIXES = tuple(f".{kind}{end}" for kind in ("warc", "wet") for end in ("", ".gz", ".zst"))
"""What is read of a directory; a file that is named is read whatever its name."""


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One archive, as it lay there when the run began."""

    path: Path
    size_bytes: int
    modified_ns: int


def expand(arguments: Sequence[str]) -> tuple[ArchiveFile, ...]:
    """Return the archives behind arguments: in their order, a directory's sorted by path.

    Raises InputError for an argument that does not exist or holds no archive, and for a file that
    is given twice: its pages would be copies of themselves.
    """
    files: dict[Path, ArchiveFile] = {}
    for argument in arguments:
        path = Path(argument)
        if not argument or not path.exists():
            why = no_file(argument, "no such file or directory")
            raise InputError(f"{argument or repr(argument)}: {why}")
        found = [path]
        if path.is_dir():
            named = sorted(file for file in path.rglob("*") if file.name.lower().endswith(SUFFIXES))
            found = [file for file in named if not file.is_dir()]
        if not found:
            raise InputError(
                f"{argument}: no archives in this directory (looked for {', '.join(SUFFIXES)})"
            )
        for path in found:
            if (place := path.resolve()) in files:
                raise InputError(f"{path} is given twice")
            try:
                status = path.stat()
            except OSError as error:
                raise InputError(f"{path}: {error.strerror or error}") from None
            files[place] = ArchiveFile(path, status.st_size, status.st_mtime_ns)
    return tuple(files.values())


def fingerprint_of(files: Iterable[ArchiveFile]) -> str:
    """Return a digest of names, sizes and times: what a run that goes on must find unchanged.

    Where the files lie is no part of it: they may be moved meanwhile.
    """
    return digest_of((file.path.name, file.size_bytes, file.modified_ns) for file in files)


READ_TYPES = ("response", "resource", "conversion")
"""What can hold a page: an exchange, a body with its URL, and a text made of a page (WET); a
revisit is one that refers to the body of another."""

REVISIT = "revisit"
_PROFILES = ("identical-payload-digest", "server-not-modified")
"""Of revisits, as their URIs end: no other is to be interpreted (WARC 1.1, 6.7.1)."""

_BEGIN = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]|(?:\A|(?<=\n))WARC/[01]\.\d+\r?\n")
"""A gzip member (RFC 1952 2.3.1: magic, deflate, no reserved flag), or a record as it is."""
_GZIP, _PLAIN, _HEAD_END = b"\x1f\x8b", b"WARC/", b"\r\n\r\n"
_MOST_HEAD = 1 << 20
"""Bytes of a record that are looked through for the end of its head."""
_FED = 1 << 14
"""Compressed bytes that are unpacked at once: a thousand times as many may come of them."""
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
    id: str = ""
    """WARC-Record-ID as it stands there; empty where there is none."""
    refers_to: str = ""
    """WARC-Refers-To: the id of the record that this one was made of."""

    @property
    def is_rendered(self) -> bool:
        """Whether it is a page that a browser made of a response."""
        return self.type == "conversion" and self.content_type.startswith("text/html")

    @property
    def is_revisit(self) -> bool:
        """Whether it speaks of a payload that another record has."""
        return self.type == REVISIT


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

    A page that a browser made of a response stands for it, where it follows within a few records.
    Raises InputError where the file cannot be opened, NotInstalled where FastWARC is not there.
    """
    warc = library()
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
            yield from _as_rendered(_resuming(warc, opened, data, file, max_bytes))


def _as_rendered(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items, less the responses of which a page was made that comes next but for requests."""
    held: Record | None = None
    for item in items:
        if isinstance(item, Other) and item.type == "request":
            yield item
            continue
        if held is not None:
            made = isinstance(item, Record) and item.is_rendered and item.refers_to == held.id
            yield Other(held.file, held.offset, "rendered response") if made else held
            held = None
        if isinstance(item, Record) and item.type in ("response", REVISIT) and item.id:
            held = item
        else:
            yield item
    if held is not None:
        yield held


def read_at(file: ArchiveFile, offset: int, max_bytes: int) -> Item | None:
    """Return the record that begins at an offset; None for damage. Raises as `read`."""
    try:
        with file.path.open("rb") as opened:
            opened.seek(offset)
            item = next(_records(library(), opened, file, offset, max_bytes), None)
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
    held: Item | None = None
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
            if held is not None:
                yield held
            held = None
            if not isinstance(item, _Broken):
                held = item  # the last one may be a head that was cut
            elif not isinstance(last, Damage):
                broken = _Broken(item.damage, item.exact or (at_begin and begin > 0))
            last = item
        if not isinstance(last, _Broken):
            torn = _torn(data, begin if last is None else last.offset)
            if held is not None and torn != held.offset:
                yield held
            if torn is not None:
                yield Damage(file, torn, "the record that begins here is torn")
            break
        short += last.is_short
        if short > MOST_SHORT:
            yield Damage(file, last.damage.offset, "it ends here: too many records like this one")
            return
        begin = _next_begin(data, last.damage.offset + 1)
    if broken is not None:
        yield broken.damage


def _torn(data: mmap.mmap, at: int) -> int | None:
    """Return where the record begins whose head the end of the file cuts; None without one.

    FastWARC takes such an end for that of the archive, and half a head for a whole one. `at` is
    where the last record begins that it knows of.
    """
    while data[at : at + 2] == _GZIP[: len(data) - at] and at < len(data):
        unpacker, head, fed = zlib.decompressobj(16 + zlib.MAX_WBITS), b"", at
        try:
            while not unpacker.eof and fed < len(data):
                plain = unpacker.decompress(data[fed : fed + _FED])
                head += plain[: max(0, _MOST_HEAD - len(head))]
                fed += _FED
        except zlib.error:  # it was told as what it is
            return None
        if not unpacker.eof:
            return at if _HEAD_END not in head and len(head) < _MOST_HEAD else None
        at = min(fed, len(data)) - len(unpacker.unused_data)
    is_plain = data[at : at + len(_PLAIN)] == _PLAIN
    return at if is_plain and data.find(_HEAD_END, at) < 0 else None


def library() -> Any:
    """Return what reads archives; NotInstalled where it is not there."""
    try:
        return import_module("fastwarc.warc")
    except ImportError:
        raise NotInstalled("reading archives", "FastWARC", "archives") from None


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
    profile, said = (headers.get("WARC-Profile") or "").strip().strip("<>"), record.content_length
    if kind not in READ_TYPES and not (kind == REVISIT and profile.endswith(_PROFILES)):
        _check_length(_passed(record), said)
        return Other(file, at, kind)
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
        headers.get("WARC-Record-ID") or "",
        headers.get("WARC-Refers-To") or "",
    )


def _passed(record: Any) -> int:
    """Pass over the rest of a record; return its bytes."""
    return sum(map(len, iter(lambda: record.reader.read(_PIECE), b"")))


def _check_length(there: int, said: int) -> None:
    if there < said:
        raise _TooShort(f"{there} bytes of {said}, then the file ends")


def _next_begin(data: mmap.mmap, after: int) -> int | None:
    """Return where the next record begins, or None; what only looks like one is passed over."""
    for begin in (found.start() for found in _BEGIN.finditer(data, after)):
        start = data[begin : begin + _LOOKED_AT]
        with suppress(zlib.error):
            if not start.startswith(b"WARC/"):
                start = zlib.decompressobj(31).decompress(start, 8)
            if start.startswith(b"WARC/"):
                return begin
    return None


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
        if record.is_revisit:
            return
        # Of a file that is compressed as a whole only the first record can be found again: all
        # others seem to lie at one place, mostly its end.
        can_be_found = place != self._last and record.offset < record.file.size_bytes
        if record.payload_digest and not record.too_large and can_be_found:
            self._places.setdefault(hash(record.payload_digest), place)
        self._last = place

    def lacks(self, revisit: Record) -> bool:
        """Whether it is a revisit whose payload was not met, and that ends by nothing else."""
        if not revisit.is_revisit or not _ends_by_body(revisit):
            return False
        return hash(revisit.payload_digest) not in self._places

    def whole(self, revisit: Record, max_bytes: int) -> Record:
        """Return a revisit with its payload, as the response that it stands for.

        One that the server called unmodified stays as it is: that is its end. Likewise one whose
        payload cannot be read any more. Raises InputError as `read`.
        """
        if not _ends_by_body(revisit):
            return replace(revisit, type="response", truncated=None)
        if revisit.http is not None and revisit.http[0] == rules.NOT_MODIFIED:
            return revisit
        found = read_at(*self._places[hash(revisit.payload_digest)], max_bytes)
        if not isinstance(found, Record) or found.payload_digest != revisit.payload_digest:
            return revisit
        kind, http = found.type, found.http
        if revisit.http is not None:
            status, own = revisit.http
            fields = [field for field in own if field[0].lower() not in _OF_THE_BODY]
            fields += [
                field for field in (http[1] if http else ()) if field[0].lower() in _OF_THE_BODY
            ]
            kind, http = "response", (status, tuple(fields))
        # What WARC-Truncated says of the revisit is that its body was left out.
        return replace(
            found,
            file=revisit.file,
            offset=revisit.offset,
            url=revisit.url,
            date=revisit.date,
            type=kind,
            http=http,
        )


def _ends_by_body(revisit: Record) -> bool:
    """Whether it takes the payload to end a revisit; redirects and errors end by their status."""
    status = revisit.http[0] if revisit.http else 200
    return status == rules.NOT_MODIFIED or not 300 <= status < 600


Outcome = Fetched | Redirected | Skipped | Failed

_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_WET_TYPE = "text/plain; charset=utf-8"
"""What texts made of pages are (WARC 1.1, 6.7: `conversion`), whatever their records say, unless
that is HTML."""


class ExchangeReader:
    """Reads records by the settings of a job."""

    def __init__(self, job: Job) -> None:
        self._limits = job.fetch
        self._accepted = rules.accepted_types(pdf=job.extract.pdf)
        self._asked_headers = job.extract.headers
        tracking = frozenset(job.urls.tracking_parameters)
        self._canonicalise = Canonicaliser(tracking)
        self._of_routes = Canonicaliser(tracking, routes=True)

    def task(self, record: Record, number: int) -> FetchTask | None:
        """Return the URL of a record as a task; None where no crawl could have asked for it."""
        canonicalise = self._of_routes if record.is_rendered else self._canonicalise
        url = canonicalise(record.url)
        return None if url is None else FetchTask(number, url, host_key(url), 0, seed=True)

    def __call__(self, record: Record, task: FetchTask) -> Outcome:
        """Return how a fetch would have ended by which this was received; never raises."""
        at = _seconds(record.date)
        try:
            return self._exchanged(record, task, at)
        except Trouble as trouble:
            failed = trouble.failed(task, at)
            assert isinstance(failed, Failed)  # others are this machine's, as it asks the network
            return failed
        except Unwanted as unwanted:
            return Skipped(task, unwanted.reason, unwanted.detail, at)

    def _exchanged(self, record: Record, task: FetchTask, at: float) -> Outcome:
        if record.type == "response" and record.http is None:
            raise Trouble(Failure.PROTOCOL, "the record holds no HTTP message")
        is_text = record.type == "conversion" and not record.is_rendered
        said = _WET_TYPE if is_text else record.content_type
        status, fields = record.http or (200, (("content-type", said),))
        headers = Headers(fields)
        rules.check_status(status, headers, at, 0.0)
        if rules.is_redirect(status, headers):
            target = self._canonicalise(headers.first("location"), task.url)
            if target is None or "location" not in headers:
                raise Trouble(Failure.REDIRECT_INVALID, "leads to no URL", status)
            return Redirected(task, status, target, at)
        if record.is_revisit:
            if status == rules.NOT_MODIFIED:  # it ends as in a recrawl
                return Skipped(task, Skip.UNCHANGED, f"HTTP status {status}", at)
            raise Trouble(Failure.TRUNCATED, "the body that it refers to cannot be read", status)
        if status in rules.NO_CONTENT:
            raise Unwanted(Skip.NO_CONTENT, f"HTTP status {status}")
        kind = rules.content_type(headers)
        if kind.media_type is not None and kind.media_type not in self._accepted:
            raise Unwanted(Skip.CONTENT_TYPE, kind.media_type)
        sent = record.too_large or len(record.body)
        if sent > self._limits.max_wire_bytes:
            raise Unwanted(Skip.TOO_LARGE, f"{sent} bytes")
        if record.truncated is not None:
            raise Trouble(Failure.TRUNCATED, f"WARC-Truncated: {record.truncated}", status)
        body, unknown = self._body(record, headers)
        kind = rules.type_of(kind, body, self._accepted)
        return Fetched(
            task=task,
            final_url=task.url,
            status=status,
            media_type=kind.media_type or "",
            charset=kind.charset,
            headers=rules.kept_headers(headers),
            asked_headers=rules.named_headers(headers, self._asked_headers),
            body=body,
            wire_bytes=sent,
            fetched_at=at,
            elapsed_s=0.0,
            unknown_encoding=unknown,
        )

    def _body(self, record: Record, headers: Headers) -> tuple[bytes, str | None]:
        """Return a body without its codings, and a coding that nobody knows."""
        limit, sent = self._limits.max_body_bytes, record.body
        transfer = headers.joined("transfer-encoding")
        if transfer.lower().rstrip().endswith("chunked"):
            sent = unchunked(sent)
        decoder = ContentDecoder(headers.joined("content-encoding"), limit, transfer)
        pieces, size = [], 0
        for part in (decoder.feed(sent), decoder.finish()):
            for piece in part:
                pieces.append(piece)
                size += len(piece)
                if size > limit:
                    raise Unwanted(Skip.TOO_LARGE, f"more than {limit} bytes")
        body = b"".join(pieces)
        if not body and "refresh" not in headers:
            raise Unwanted(Skip.NO_CONTENT, "empty body")
        return body, decoder.unknown


def unchunked(body: bytes) -> bytes:
    """Return a chunked body (RFC 9112 7.1) without its framing; Trouble where that breaks off.

    Many archives hold bodies whose chunks were undone, with the field that speaks of them: what
    does not begin with a chunk is returned as it is.
    """
    pieces: list[bytes] = []
    at = 0
    while (size := _CHUNK_SIZE.match(body, at)) is not None:
        length = int(size[1], 16)
        if not length:
            return b"".join(pieces)
        end = size.end() + length
        pieces.append(body[size.end() : end])
        at = end + (2 if body[end : end + 2] == b"\r\n" else 1)
        if end > len(body):
            break
    if not pieces:
        return body
    raise Trouble(Failure.TRUNCATED, "the chunked body stops before its end")


def _seconds(date: str) -> float:
    """Return a WARC-Date as Unix time; 0 for one that is none."""
    try:
        at = datetime.fromisoformat(date)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
