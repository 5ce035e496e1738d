"""A response, whatever carried it: what its head decides, and its body read within caps.

::

    Response        status, header fields and body, as a transport brings them
    check_status .. what status, headers and first bytes decide, before a body is read
    ContentDecoder  Content-Encoding undone piece by piece
    BodyReader      the body, read and decoded up to its caps
"""

from __future__ import annotations

import asyncio
import re
import sys
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from itertools import chain

import ada_url
import brotli
import webencodings
import zstandard

from crawler.console import encodable
from crawler.fetch.robots import escaped
from crawler.fetch.trouble import Trouble, Unwanted, printable, unforeseen
from crawler.models import (
    BINARY_BYTES,
    PDF,
    PDF_MARK,
    SNIFF_BYTES,
    Capture,
    Failure,
    Skip,
    Validators,
    is_binary,
)
from crawler.urls import without_route


class Headers:
    """Header fields in the order sent; names are asked for in lower case, repeated ones are kept.

    Bytes that are not UTF-8 stand in values as lone surrogates.
    """

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in fields:
            self._values.setdefault(name.lower(), []).append(value)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def all(self, name: str) -> Sequence[str]:
        """Return the values of a field, none where it was not sent."""
        return self._values.get(name, ())

    def first(self, name: str) -> str:
        """Return the first value of a field, empty where it was not sent."""
        return self._values[name][0] if name in self._values else ""

    def joined(self, name: str, separator: str = ", ") -> str:
        """Return the values of a field as one (RFC 9110 5.2), at most MAX_VALUE characters."""
        return separator.join(self.all(name))[:MAX_VALUE]


@dataclass(slots=True)
class Response:
    """A response whose head has come. What stands behind `close` is for archives."""

    status: int
    headers: Headers
    read: Callable[[], Awaitable[bytes]]
    """Gives the next piece of the body as it travelled, b"" at its end."""
    close: Callable[[], Awaitable[None]]
    """Gives the connection back; ends it where the body was not read to its end. Never raises."""
    address: str | None = None
    """Of who sent it; None where that is unknown, as behind a proxy."""
    target: str = ""
    """What stood in the request line."""
    asked: Iterable[tuple[str, str]] = ()
    """The fields of the request as they were sent, secret ones too."""
    version: str = "1.1"
    reason: str = ""
    raw_headers: tuple[tuple[bytes, bytes], ...] = ()


def captured(
    response: Response,
    url: str,
    at: float,
    secret: frozenset[str],
    body: bytes,
    truncated: str | None = None,
) -> Capture:
    """Return an exchange as an archive keeps it, as it was really asked for and sent.

    `url` was asked for at Unix time `at`; `secret` are lower-case names of header fields that no
    archive may have.
    """
    return Capture(
        url=without_route(url),
        target=response.target,
        at=at,
        address=response.address,
        request=tuple(pair for pair in response.asked if pair[0].lower() not in secret),
        version=response.version,
        status=response.status,
        reason=response.reason,
        headers=response.raw_headers,
        body=body,
        truncated=truncated,
    )


REDIRECTS = frozenset({301, 302, 303, 307, 308})
MULTIPLE_CHOICES = 300
"""A redirect where it has a Location (RFC 9110 15.4.1), as browsers take it."""
NOT_MODIFIED = 304
NO_CONTENT = frozenset({204, 205, NOT_MODIFIED})
PARTIAL = 206
"""We send no Range (RFC 9110 15.3.7), so a partial answer is a mistake and half a page."""

ACCEPTED_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
LISTING_TYPES = frozenset(
    {
        "application/xml",
        "text/xml",
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/gzip",
        "application/x-gzip",
    }
)
"""Types of sitemaps and feeds, which a seed may be; many servers have others for these."""

ROBOTS_TAG = "x-robots-tag"
KEPT_HEADERS = (
    "content-language",
    "content-type",
    "etag",
    "last-modified",
    "link",
    "refresh",
    ROBOTS_TAG,
)
"""Response headers that later stages or a later visit need."""

MAX_VALUE = 16_384
"""Characters of a field's values together that are looked at; what real ones say fits in one."""

_ESSENCE = re.compile(
    r"[\t\n\r ]*([a-z0-9!#$%&'*+.^_`|~-]+/[a-z0-9!#$%&'*+.^_`|~-]+)", re.IGNORECASE
)
_CHARSET = re.compile(
    r"""[;,][\t\n\r ]*charset[\t ]*=[\t ]*(?:"([^"]*)"|'([^']*)'|([^;,"'\s]+))""", re.IGNORECASE
)
_VISIBLE = re.compile(r"[\x20-\x7e]+")
_DIGITS = re.compile(r"[0-9]+")

_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")

_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<(?:!--|(?:!doctype\ html|html|head|script|iframe|h1|div|font"
    rb"|table|a|style|title|b|body|br|p|meta|link)[\t\n\x0c\r />])",
    re.IGNORECASE,
)
"""The patterns of MIME Sniffing 7.1, and meta and link, with which terse pages begin."""

_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<\?xml", re.IGNORECASE)
_HTML_INSIDE = re.compile(rb"<html[\t\n\x0c\r />]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ContentType:
    """A Content-Type, read tolerantly; `media_type` is None where the server gave none."""

    media_type: str | None
    charset: str | None


def content_type(headers: Headers) -> ContentType:
    """Return the last usable Content-Type, as browsers do (Fetch standard, "extract a MIME type").

    Letter case, quotes, stray parameters and missing spaces are tolerated; the charset is as sent,
    in lower case, and need not name an encoding.
    """
    found = ContentType(None, None)
    for value in headers.all("content-type"):
        essence = _ESSENCE.match(value)
        if essence:
            match = _CHARSET.search(value)
            label = "".join(match.groups(default="")) if match else ""
            charset = encodable(label).strip().lower() or None
            found = ContentType(essence.group(1).lower(), charset)
    return found


def looks_textual(start: bytes) -> bool:
    """Whether bytes could be text in some encoding: a byte order mark, or no binary byte."""
    return start.startswith(_BYTE_ORDER_MARKS) or start == start.translate(None, BINARY_BYTES)


def accepted_types(*, pdf: bool) -> frozenset[str]:
    """Return the types of pages, PDFs among them or not."""
    return ACCEPTED_TYPES | {PDF} if pdf else ACCEPTED_TYPES


def sniff_media_type(start: bytes) -> str | None:
    """Return `text/html` or `text/plain` for a body's first SNIFF_BYTES, or None for the rest."""
    start = start[:SNIFF_BYTES]
    if _HTML_START.match(start):
        return "text/html"
    if _XML_START.match(start):
        return "text/html" if _HTML_INSIDE.search(start) else None
    return "text/plain" if looks_textual(start) else None


def type_of(declared: ContentType, start: bytes, accepted: frozenset[str]) -> ContentType:
    """Return the type of a body with this beginning, as declared; if it is not, by the beginning.

    Raises Unwanted for what is no page, also where a page is declared and the body is binary.
    """
    is_page = declared.media_type in ACCEPTED_TYPES
    if is_page and is_binary(start) and not _HTML_START.match(start):
        encoding = webencodings.lookup(declared.charset or "")
        # Any bytes are text in UTF-16.
        if encoding is None or not encoding.name.startswith("utf-16"):
            what = f"declared as {declared.media_type}, and the body is binary"
            raise Unwanted(Skip.CONTENT_TYPE, what)
    if declared.media_type is not None:
        return declared
    is_pdf = PDF in accepted and start.startswith(PDF_MARK)
    media_type = PDF if is_pdf else sniff_media_type(start)
    if media_type is None:
        raise Unwanted(Skip.CONTENT_TYPE, "no content type declared, and the body is not text")
    return ContentType(media_type, None)


def is_redirect(status: int, headers: Headers) -> bool:
    """Whether a response says that the page is elsewhere; its Location may be missing or bad."""
    return status in REDIRECTS or (status == MULTIPLE_CHOICES and bool(headers.first("location")))


def check_status(status: int, headers: Headers, now: float, max_retry_after_s: float) -> None:
    """Raise Trouble unless the status is a page's, a redirect's or that of an answer without body.

    Server errors, 408 and 429 carry the server's Retry-After, at most `max_retry_after_s`.
    """
    if is_redirect(status, headers) or status in NO_CONTENT:
        return
    if 200 <= status < 300 and status != PARTIAL:
        return
    wait_s = None
    if status >= 500 or status in (408, 429):
        # A date is by the server's clock, and so is that of the response.
        sent_at = http_date(headers.first("date"))
        now = now if sent_at is None else sent_at
        wait_s = retry_after_s(headers.first("retry-after"), now, max_retry_after_s)
    classes = {4: Failure.HTTP_CLIENT_ERROR, 5: Failure.HTTP_SERVER_ERROR}
    failure = classes.get(status // 100, Failure.HTTP_UNEXPECTED)
    failure = Failure.HTTP_RATE_LIMITED if status == 429 else failure
    raise Trouble(failure, f"HTTP status {status}", status, wait_s)


def retry_after_s(value: str, now: float, limit_s: float) -> float | None:
    """Return a Retry-After (seconds or HTTP-date, RFC 9110 10.2.3) as seconds in [0, limit_s].

    `now` is Unix time; None for an empty or unreadable value.
    """
    text = value.strip()
    if _DIGITS.fullmatch(text):
        # Python refuses to read integers of thousands of digits; none that long is below a limit.
        return min(float(text[:15]), limit_s)
    moment = http_date(text)
    return None if moment is None else min(max(0.0, moment - now), limit_s)


def http_date(text: str) -> float | None:
    """Return an HTTP-date as Unix time, None where it is none."""
    try:
        date = parsedate_to_datetime(text)
        # A date in "-0000" comes without a zone and means UTC (RFC 5322 3.3).
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except Exception:  # whatever a parser of dates makes of it
        return None


def conditions_of(known: Validators | None) -> dict[str, str]:
    """Return the header fields that ask for a page only if it has changed (RFC 9110 13.1).

    Both where both are known: who knows entity tags then ignores the date (13.1.3). What was not
    sent in visible ASCII is not sent back.
    """
    if known is None:
        return {}
    fields = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in fields.items() if value and _VISIBLE.fullmatch(value)}


def kept_headers(headers: Headers) -> Mapping[str, str]:
    """Return the headers in KEPT_HEADERS, repeated fields joined by a comma (RFC 9110 5.2).

    X-Robots-Tag is joined by line ends: each field may speak to another agent. Of each, at most
    MAX_VALUE characters are kept.
    """
    return {
        name: encodable(headers.joined(name, "\n" if name == ROBOTS_TAG else ", "))
        for name in KEPT_HEADERS
        if name in headers
    }


def named_headers(headers: Headers, names: Iterable[str]) -> Mapping[str, str] | None:
    """Return the headers that a job asks for by name, as `kept_headers`; None without `names`."""
    if not names:
        return None
    return {name: encodable(headers.joined(name)) for name in names if name in headers}


def resolve_location(location: str, base: str) -> str:
    """Return a Location as an absolute URL without fragment and user info, not yet canonical.

    Bytes outside ASCII are percent-encoded as they came, whatever charset they were meant in.
    Raises Trouble(REDIRECT_INVALID) for an empty or unparsable one.
    """
    if not location:
        raise Trouble(Failure.REDIRECT_INVALID, "a redirect without Location")
    try:
        url = ada_url.URL(escaped(location.encode("utf-8", "surrogateescape")), base)
    except ValueError:
        raise Trouble(Failure.REDIRECT_INVALID, f"Location: {location}") from None
    except Exception as error:
        raise unforeseen(error) from error
    url.hash = ""
    if url.username or url.password:  # or a transport would log in with them
        url.username = url.password = ""
    return url.href


def content_length(headers: Headers) -> int | None:
    """Return the announced body size in bytes, or None."""
    value = headers.first("content-length").strip()
    return int(value) if _DIGITS.fullmatch(value) and len(value) < 20 else None


# A chain of stages, one a coding, the last applied undone first (RFC 9110 8.4). Each stage is a
# generator over bounded pieces, so that a decompression bomb is stopped at the cap and not after
# it has been unpacked. The cap holds for the output of every stage, since what is compressed twice
# may grow beyond it in the first stage already.
#
# What comes of streams that are not one and whole is decided here for every decompressor of data
# that strangers made, by what is at stake: a page, a list of URLs, a document or a record.
#
# - Here a page is what was sent, whole, or it is none. Several gzip members or zstd frames are one
#   body; what follows the end and begins none is padding in each coding, as browsers take it. A
#   body that is cut is `truncated` (another try may bring it whole). One wrong byte, in a checksum
#   too, is `content-encoding`; brotli and raw deflate have no checksum, so theirs may go unseen.
# - A sitemap (`crawler.extract.listing`) is worth what can be read of it: members are one file,
#   all up to a cut or a wrong byte is read, what follows the end is padding.
# - A corpus (`crawler.sources.inputs`) is the user's own, who wants to know: members, frames and
#   streams are one file, also with zeros between and behind; documents before a cut, a wrong byte
#   or other bytes behind the end are kept, and one bad document (`unreadable`) says what there
#   was.
# - A record of an archive (`crawler.sources.records`) is one member: a cut, a wrong byte or other
#   bytes behind it are `damaged` once, and the next record is looked for.


MAX_CODINGS = 3
"""Real servers stack two by accident and three in test suites; more is an attack on time."""

MAX_STREAMS = 1024
"""Gzip members or zstd frames in a row. Tools that compress by blocks make one of 64 KiB or more;
each costs time to begin, and an empty one takes but a few bytes."""

_MOST_TOLD = 100
"""Characters kept of a value with an unknown coding."""

PIECE_BYTES = 65_536
"""Output a zlib or brotli step may make at once."""

_BROTLI_SLICE_BYTES = 4096
"""Of the input, that are given to the brotli library at once."""

ZSTD_WINDOW_BYTES = 8 * 1024 * 1024
"""Largest window a decoder must support for the `zstd` content coding (RFC 9659)."""

_ZSTD_BLOCK_BYTES = 128 * 1024
_ZSTD_MIN_BLOCK_BYTES = 4
"""A run-length block: three bytes of header and one of content (RFC 8878 3.1.1.2) make up to
128 KiB. That ratio bounds what a slice of input can become, as the decoder itself does not."""

_GZIP_MAGICS = (b"\x1f\x8b",)
_ZSTD_MAGICS = (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + n, 0x2A, 0x4D, 0x18)) for n in range(16)))
"""A frame, or a skippable one (RFC 8878 3.1.1, 3.1.2)."""


# Each decompressor has `feed(data, room)`, which yields its output, at most some `room` bytes of it
# being made at once, and lets errors of its library pass; `finished` says that a complete stream
# has ended (more input may begin another), and `unused` what follows its end.


class _Zlib:
    """One zlib stream."""

    def __init__(self, wbits: int) -> None:
        self._stream = zlib.decompressobj(wbits)
        self.unused = b""
        self.finished = False

    def feed(self, data: bytes, room: int) -> Iterator[bytes]:
        limit = min(PIECE_BYTES, room)
        full = True
        # A full piece may leave output inside zlib although all input went in.
        while (data or full) and not self._stream.eof:
            piece = self._stream.decompress(data, limit)
            yield piece
            full = len(piece) == limit
            data = self._stream.unconsumed_tail
        self.unused = self._stream.unused_data
        self.finished = self._stream.eof


class _ZstdFrame:
    """One zstd frame (RFC 8878)."""

    def __init__(self, decompressor: zstandard.ZstdDecompressor) -> None:
        self._frame = decompressor.decompressobj()
        self.unused = b""
        self.finished = False

    def feed(self, data: bytes, room: int) -> Iterator[bytes]:
        while data and not self.finished:
            size = max(1, room // _ZSTD_BLOCK_BYTES - 1) * _ZSTD_MIN_BLOCK_BYTES
            piece = self._frame.decompress(data[:size])
            room -= len(piece)
            yield piece
            data = self._frame.unused_data + data[size:]
            self.finished = self._frame.eof
        self.unused = data


class _InARow:
    """Gzip members (RFC 1952 2.2) or zstd frames, one after another; all else is padding."""

    def __init__(
        self, name: str, magics: tuple[bytes, ...], begin: Callable[[], _Zlib | _ZstdFrame]
    ) -> None:
        self._name = name
        self._magics = magics
        self._begin = begin
        self._stream = begin()
        self._streams = 1
        self._start = b""
        self._padding = False
        self.finished = False

    def feed(self, data: bytes, room: int) -> Iterator[bytes]:
        while data and not self._padding:
            if self.finished:
                data = self._next(data)
                if self.finished:
                    return
            for piece in self._stream.feed(data, room):
                room -= len(piece)
                yield piece
            self.finished = self._stream.finished
            data = self._stream.unused

    def _next(self, data: bytes) -> bytes:
        """Begin a stream with these bytes and return them, unless too few or no stream's."""
        data = self._start + data
        self._start = b""
        if data.startswith(self._magics):
            self._streams += 1
            if self._streams > MAX_STREAMS:
                detail = f"more than {MAX_STREAMS} {self._name} in a row"
                raise Trouble(Failure.CONTENT_ENCODING, detail)
            self._stream, self.finished = self._begin(), False
        elif any(magic.startswith(data) for magic in self._magics):
            self._start = data
        else:
            self._padding = True
        return data


class _Brotli:
    """RFC 7932; what follows the end of the stream is padding.

    The library does not say where a stream ends within what it is given, and raises the same for
    bytes behind the end as for damage, with what it had made lost. So the input is kept (as much as
    travels at most), and where a slice of it raises, it is read once more up to there, and then
    byte by byte: either its end is found on the way, or it is damaged.
    """

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._input = bytearray()
        self._made = 0
        self.finished = False

    def feed(self, data: bytes, room: int) -> Iterator[bytes]:
        limit = min(PIECE_BYTES, room)
        for start in range(0, len(data), _BROTLI_SLICE_BYTES):
            if self.finished:
                return
            part = data[start : start + _BROTLI_SLICE_BYTES]
            try:
                for piece in self._process(part, limit):
                    self._made += len(piece)
                    yield piece
            except brotli.error as error:
                yield from self._to_the_end(part, limit, error)
            self._input += part

    def _process(self, data: bytes, limit: int) -> Iterator[bytes]:
        piece = self._stream.process(data, output_buffer_limit=limit)
        yield piece
        # It accepts more input before all its output is out, so ask until nothing comes.
        while not self._stream.is_finished() and (piece or not self._stream.can_accept_more_data()):
            piece = self._stream.process(b"", output_buffer_limit=limit)
            yield piece
        self.finished = self._stream.is_finished()

    def _to_the_end(self, part: bytes, limit: int, error: Exception) -> Iterator[bytes]:
        """Yield what had not come of a slice; raises the error where no stream ends in it."""
        self._stream, known = brotli.Decompressor(), self._made
        step, kept = _BROTLI_SLICE_BYTES, self._input
        slices = (bytes(kept[n : n + step]) for n in range(0, len(kept), step))
        for data in chain(slices, (part[n : n + 1] for n in range(len(part)))):
            try:
                for piece in self._process(data, limit):
                    new = piece[known:]
                    known = max(0, known - len(piece))
                    self._made += len(new)
                    yield new
            except brotli.error:
                raise error from None
            if self.finished:
                return
        raise error


class _Identity:
    """A body that was not compressed although its headers say so."""

    finished = True

    def feed(self, data: bytes, room: int) -> Iterator[bytes]:
        yield data


_Coding = _Zlib | _InARow | _Brotli | _Identity
_KNOWN = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd"})


def _coding(name: str, start: bytes) -> _Coding:
    """Return what undoes a coding, given the first bytes of the body.

    One that is none of _KNOWN is made up, and means nothing where text or HTML comes.
    """
    if name not in _KNOWN:
        if sniff_media_type(start) is None:
            detail = f"cannot undo {name!r}, and the body is not text"
            raise Trouble(Failure.CONTENT_ENCODING, detail)
        return _Identity()
    magics = {"deflate": (), "br": (), "zstd": _ZSTD_MAGICS}.get(name, _GZIP_MAGICS)
    if magics and not start.startswith(magics) and looks_textual(start):
        # Servers that add the header and forget to compress are common enough that browsers' users
        # would notice; text can be told from a coding that begins with a magic number.
        return _Identity()
    match name:
        case "deflate":  # as the RFC has it (zlib-wrapped), or raw as some servers send it
            # RFC 1950 2.2: method 8, and the first two bytes are a multiple of 31.
            is_short, number = len(start) < 2, int.from_bytes(start[:2])
            wrapped = is_short or (start[0] & 0x0F == 8 and number % 31 == 0)
            return _Zlib(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        case "br":
            return _Brotli()
        case "zstd":
            # One for all frames: making it is most of what an empty frame costs.
            decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
            return _InARow("zstd frames", magics, lambda: _ZstdFrame(decompressor))
        case _:
            return _InARow("gzip members", magics, lambda: _Zlib(wbits=31))


class _Stage:
    """One coding: its output within the cap, plain text let through, its errors translated."""

    def __init__(self, name: str, max_bytes: int) -> None:
        self._name = name
        self._room = max_bytes
        self._start = b""
        self._decided_at = 4 if name in _KNOWN else SNIFF_BYTES
        """Bytes of the body by which it is seen what is to be undone."""
        self._coding: _Coding | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._coding is None:
            data = self._start = self._start + data
            if len(data) < self._decided_at:
                return
        yield from self._decode(data)

    def finish(self) -> Iterator[bytes]:
        """Yield what was held back; raises Trouble where the stream stops before its end."""
        if self._coding is None and self._start:
            yield from self._decode(self._start)
        if self._coding is not None and not self._coding.finished:
            raise Trouble(Failure.TRUNCATED, f"the {self._name} stream stops before its end")

    def _decode(self, data: bytes) -> Iterator[bytes]:
        try:
            if self._coding is None:
                self._coding = _coding(self._name, data)
            # One byte beyond the cap is allowed to be made: it proves that there is more.
            for piece in self._coding.feed(data, self._room + 1):
                self._room -= len(piece)
                if self._room < 0:
                    raise Unwanted(Skip.TOO_LARGE, f"{self._name} body expands beyond the limit")
                if piece:
                    yield piece
        except (Trouble, Unwanted):
            raise
        except (zlib.error, brotli.error, zstandard.ZstdError) as error:
            raise Trouble(Failure.CONTENT_ENCODING, f"{self._name}: {error}") from error
        except Exception as error:
            raise unforeseen(error) from error


def _names(field_value: str) -> list[str]:
    names = map(str.strip, field_value.lower().split(","))
    return [name for name in names if name not in ("", "identity")]


class ContentDecoder:
    """Undoes Content-Encoding and Transfer-Encoding; `feed` body bytes, then `finish`.

    A coding that nobody knows (`utf-8`, `none`) is taken for none, as browsers do, if what is left
    after the others are undone reads as text or HTML.
    """

    def __init__(self, content_encoding: str, max_bytes: int, transfer_encoding: str = "") -> None:
        """Take the field values, each combined; Trouble for too many codings.

        Transfer codings were applied last (RFC 9112 6.1). The last of them, `chunked`, is undone
        already; no made-up one is taken for none, as it says where the body ends.
        """
        names, transfer = _names(content_encoding), _names(transfer_encoding)
        if transfer[-1:] == ["chunked"]:
            transfer.pop()
        if not set(transfer) <= _KNOWN:
            detail = f"cannot undo Transfer-Encoding {transfer_encoding!r}"
            raise Trouble(Failure.CONTENT_ENCODING, detail)
        if len(names) + len(transfer) > MAX_CODINGS:
            detail = f"cannot undo {', '.join([content_encoding, *transfer])!r}"
            raise Trouble(Failure.CONTENT_ENCODING, detail)
        known = [name for name in names if name in _KNOWN]
        self.unknown = None if known == names else printable(content_encoding)[:_MOST_TOLD]
        """The whole value, where a coding in it is unknown; fit to be printed."""
        self._stages = [_Stage(name, max_bytes) for name in (*known, *transfer)[::-1]]
        if self.unknown is not None:
            self._stages.append(_Stage(content_encoding, sys.maxsize))

    def feed(self, data: bytes, index: int = 0) -> Iterator[bytes]:
        """Yield what stages from `index` on make; lazily, so that the caller may stop between.

        Raises Trouble(CONTENT_ENCODING) for corrupt data and for an unknown coding of what is not
        text, Unwanted(TOO_LARGE) beyond the cap.
        """
        if index == len(self._stages):
            yield data
            return
        for piece in self._stages[index].feed(data):
            yield from self.feed(piece, index + 1)

    def finish(self) -> Iterator[bytes]:
        """Yield the last pieces; raises Trouble as `feed`, and where a stream has not ended."""
        for index, stage in enumerate(self._stages):
            for piece in stage.finish():
                yield from self.feed(piece, index + 1)


BREATH_BYTES = 1 << 20
"""Of a body that are decompressed at once: some 3 ms. One read can bring all of 10 MB."""


class BodyReader:
    """Reads one body; memory stays within the two caps and one piece."""

    def __init__(self, response: Response, max_wire_bytes: int, max_body_bytes: int) -> None:
        """Raise Trouble if the response's Content- or Transfer-Encoding cannot be undone."""
        encoding = response.headers.joined("content-encoding")
        transfer = response.headers.joined("transfer-encoding")
        self._read = response.read
        self._decoder = ContentDecoder(encoding, max_body_bytes, transfer)
        self.unknown_encoding = self._decoder.unknown
        """The Content-Encoding, where a coding in it is unknown and was taken for none."""
        self._max_wire_bytes = max_wire_bytes
        self._max_body_bytes = max_body_bytes
        self._pending: Iterator[bytes] = iter(())
        self._exhausted = False
        self.body = bytearray()
        """What was read by now."""
        self.wire_bytes = 0

    async def at_least(self, size: int) -> bytes:
        """Return the body's beginning: `size` bytes or somewhat more, or all where it is shorter.

        Raises Trouble for a body that breaks off or is corrupt, Unwanted(TOO_LARGE) beyond a cap.
        """
        made = 0
        while len(self.body) < size:
            piece = next(self._pending, None)
            if piece is not None:
                self.body += piece
                made += len(piece)
                if made >= BREATH_BYTES:
                    made = 0
                    await asyncio.sleep(0)
                if len(self.body) > self._max_body_bytes:
                    what = f"body of more than {self._max_body_bytes} bytes"
                    raise Unwanted(Skip.TOO_LARGE, what)
            elif self._exhausted:
                break
            else:
                data = await self._read()
                self.wire_bytes += len(data)
                if self.wire_bytes > self._max_wire_bytes:
                    what = f"more than {self._max_wire_bytes} bytes on the wire"
                    raise Unwanted(Skip.TOO_LARGE, what)
                self._exhausted = not data
                self._pending = self._decoder.feed(data) if data else self._decoder.finish()
                made = 0
        return bytes(self.body)

    async def whole(self) -> bytes:
        """Return all of the body; see `at_least` for errors."""
        return await self.at_least(self._max_body_bytes + 1)
