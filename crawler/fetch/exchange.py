"""A response: its head, and its body read within caps and time limits and decoded on the way.

::

    FairTimer          time limits in which only that time counts in which the event loop listened
    BoundedConnector   connections that bound what a server may say in one exchange
    Deadline           the limits of one exchange, phase by phase
    ContentDecoder     Content-Encoding undone piece by piece
    Exchange           the response; BodyReader its body

While one callback runs, no byte is read and no timer fires. What has come meanwhile lies in the
sockets, and the timers that are due fire before it is read, or before it reaches who waits for it.
So whoever waits would be told that nothing came, and the server would be blamed for our own delay.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from enum import Enum
from functools import partial
from itertools import chain
from operator import itemgetter
from types import TracebackType
from typing import Any, Protocol, Self

import aiohttp
import brotli
import zstandard
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDictProxy

from crawler import config
from crawler.fetch.admission import SNIFF_BYTES, joined, looks_textual, sniff_media_type
from crawler.fetch.trouble import Trouble, Unwanted, printable, translate
from crawler.models import Capture, Failure, Obstacle, Skip

TURN_S = 0.005
"""What each limit is lengthened by: some turns of the loop, in which what has come is read."""

LATE_S = 0.02
"""A timer that fires later than this was held up: a loop in good order is late by less."""


class FairTimer:
    """Calls `expired` when a time has come on the loop's clock, and the loop has listened since.

    Where the loop was held, the time is put off by twice as long as it was late: once for what was
    late, once for what the other side had no chance to hear or say. The second is no longer than
    the limit itself, since the loop may have been held for hours (SIGSTOP). Not thread-safe.
    """

    def __init__(self, expired: Callable[[], object], loop: asyncio.AbstractEventLoop) -> None:
        self._expired = expired
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None
        self._at = self._limit_s = 0.0
        self._has_listened = False
        self.put_off_s = 0.0
        """By how much times were put off, in all."""

    def set(self, at: float) -> None:
        """Expire at this time and at no other; one that has passed expires at once."""
        self.cancel()
        now = self._loop.time()
        self._has_listened = self._has_listened and at <= now
        self._limit_s = max(0.0, at - now)
        self._wait(now + self._limit_s)

    def cancel(self) -> None:
        """Expire no more."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _wait(self, until: float) -> None:
        self._at = until
        self._handle = self._loop.call_at(until, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        late_s = now - self._at
        if late_s >= LATE_S:
            again_s = min(late_s, max(self._limit_s, TURN_S))
            self.put_off_s += late_s + again_s
            self._wait(now + again_s)
        elif self._has_listened:
            self._handle = None
            self._expired()
        else:
            self._has_listened = True
            self._wait(now + TURN_S)


@asynccontextmanager
async def fair_timeout(delay_s: float) -> AsyncIterator[None]:
    """Do as `asyncio.timeout`, by the clock of a loop that listens."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:
        timer = FairTimer(lambda: limit.reschedule(loop.time()), loop)
        timer.set(loop.time() + delay_s)
        try:
            yield
        finally:
            timer.cancel()


MAX_HEADER_LINE_BYTES = 16_384
MAX_HEADER_LINES = 256
MAX_HEAD_BYTES = 256 * 1024
"""Together a bound on header memory, and on the time to read values; policies in headers reach 8
KiB on real sites. Chrome takes as many bytes (HttpStreamParser::kMaxHeaderBufSize)."""

MAX_INTERIM = 32
"""Interim (1xx) responses before the real one. A server sends one or two (RFC 9110 15.2)."""

FREE_FRAMING_BYTES = 128 * 1024
BODY_PER_FRAMING = 8
"""What chunks may cost: so much framing whatever the body, which is some 20,000 chunks of any size,
and beyond it a byte for every eight of the body. That is 40 bytes a chunk, half a line of HTML.
Servers that send every piece of a page as they make it stay within the first bound; nobody who
means well sends a larger body in smaller chunks, and each takes a microsecond to parse."""

_SLICE_BYTES = 4096
"""What is parsed at once outside bodies. A read brings up to 256 KiB, ten thousand interim
responses, and all of them would be parsed before the first is seen here."""


class TooMuchOnTheWire(aiohttp.ClientPayloadError):
    """An exchange brings more than it may, or a body more framing than chunks need."""


_FAULTS = (HttpProcessingError, TooMuchOnTheWire)


def max_exchange_bytes(max_wire_bytes: int) -> int:
    """Return the bytes that one exchange may bring, for bodies of at most `max_wire_bytes`."""
    framing = FREE_FRAMING_BYTES + max_wire_bytes // BODY_PER_FRAMING
    return MAX_HEAD_BYTES + max_wire_bytes + framing


class BoundedConnector(aiohttp.TCPConnector):
    """A connector whose connections take at most `max_bytes` in one exchange.

    aiohttp bounds the lines of one response's head. Its caller sees the body without the framing,
    and so cannot bound four kinds of flood: interim responses, tiny chunks, chunk extensions, and
    responses that nobody asked for. They are cut off here, where bytes arrive, since each takes
    time of the event loop and so of all other hosts.

    `limit` holds for all connections: idle ones are closed, the oldest first, to make room.
    """

    def __init__(self, max_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        # aiohttp has no public way to say what a connection is made of.
        self._factory: Any = partial(
            BoundedConnection, max_bytes=max_bytes, loop=asyncio.get_running_loop()
        )

    async def _create_connection(self, *request: Any) -> ResponseHandler:
        # The new one is among those acquired. aiohttp has no bound for those that nobody uses.
        self.close_idle(keep=max(0, self.limit - len(self._acquired)))
        return await super()._create_connection(*request)

    def close_idle(self, keep: int = 0) -> None:
        """Close connections that no exchange uses, but for the `keep` youngest."""
        idle = sum(map(len, self._conns.values()))
        if idle <= keep:
            return
        by_age = sorted(
            ((since, key) for key, pooled in self._conns.items() for _, since in pooled),
            key=itemgetter(0),
        )
        for _, key in by_age[: idle - keep]:
            connection, _ = self._conns[key].popleft()
            connection.close()
            if not self._conns[key]:
                del self._conns[key]


class BoundedConnection(ResponseHandler):
    """One connection; `set_response_params` begins an exchange on it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        super().__init__(loop=loop)
        self._max_bytes = max_bytes
        self._begin()

    def _begin(self) -> None:
        self._bytes_left = self._max_bytes
        self._interim_left = MAX_INTERIM
        self._head_left = MAX_HEAD_BYTES
        self._answered = False
        self._body_bytes = 0
        """Of the body with its framing, and a slice at most of what came before it."""

    def set_response_params(self, **params: Any) -> None:
        """Begin an exchange: what is counted is counted anew."""
        self._begin()
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket, as long as they are within the bounds."""
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            self._refuse(TooMuchOnTheWire(f"more than {self._max_bytes} bytes with framing"))
            return
        while len(data) > _SLICE_BYTES and self._body_under_way() is None:
            self._parse(data[:_SLICE_BYTES])
            data = data[_SLICE_BYTES:]
            if self.transport is None or self.transport.is_closing():
                return
        self._parse(data)

    def _parse(self, data: bytes) -> None:
        if not self._answered:
            self._head_left -= len(data)
            if self._head_left < 0:
                what = f"more than {MAX_HEAD_BYTES} bytes of headers"
                self._refuse(HttpProcessingError(message=what))
                return
        super().data_received(data)
        if (body := self._body_under_way()) is not None:
            self._body_bytes += len(data)
            most = FREE_FRAMING_BYTES + body.total_bytes // BODY_PER_FRAMING
            # While reading is paused the parser holds bytes back, which are no framing.
            if self._body_bytes - body.total_bytes > most and not self._reading_paused:
                what = f"more than {most} bytes of framing for {body.total_bytes} of content"
                self._refuse(TooMuchOnTheWire(what))

    def _body_under_way(self) -> aiohttp.StreamReader | None:
        return None if self._payload is None or self._payload.is_eof() else self._payload

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Go on after a pause; without one there is nothing to do.

        aiohttp asks for it with every chunk that is read, and then wakes its parser for nothing.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Take a response's parsed head, and the stream of its body."""
        if self._answered:
            self._close()  # nobody asked for another one
        elif 100 <= data[0].code < 200 and data[0].code != 101:
            self._interim_left -= 1
            if self._interim_left < 0:
                reason = f"more than {MAX_INTERIM} interim responses"
                self._refuse(HttpProcessingError(message=reason))
            # Not passed on: the reader of the queue would only throw them away.
        else:
            self._answered = True
            super().feed_data(data, size)

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        """End the exchange with an error; one in framing is also the body's, if that has begun.

        Otherwise the body's reader would be told of a connection that ended early, or not,
        depending on whether the broken chunk came together with the head.
        """
        super().set_exception(exc, *cause)
        if isinstance(exc, _FAULTS) and self._payload is not None and not self._payload.is_eof():
            self._payload.set_exception(exc)

    def _refuse(self, error: Exception) -> None:
        self.set_exception(error)
        self._close()

    def _close(self) -> None:
        self.force_close()
        if self.transport is not None:
            self.transport.close()


class Phase(Enum):
    """Where an exchange stands, and the failure its time limit means."""

    ADDRESS = Obstacle.NETWORK
    CONNECTION = Failure.TIMEOUT_CONNECT
    HEADERS = Failure.TIMEOUT_HEADERS
    BODY = Failure.TIMEOUT_BODY


class Deadline:
    """One timer for all phases of an exchange: a phase's own limit, or the exchange's if sooner.

    Entered, it cancels its task when a limit is over and raises TimeoutError, as `asyncio.timeout`.
    """

    def __init__(self, limits: config.Fetch) -> None:
        self._limits_s = {
            Phase.ADDRESS: limits.dns_timeout_s,
            # All addresses of a name together: the connector tries one beside the other.
            Phase.CONNECTION: limits.connect_timeout_s,
            Phase.HEADERS: limits.headers_timeout_s,
            Phase.BODY: limits.read_timeout_s,
        }
        self._loop = asyncio.get_running_loop()
        self._total_s = limits.total_timeout_s
        self._begun_at = self._loop.time()
        self._limit_s = 0.0
        self._in_total = False
        self._gave_way = False
        self.phase = Phase.CONNECTION
        self._timeout = asyncio.timeout(None)
        self._timer = FairTimer(self._expire, self._loop)

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self.enter(Phase.CONNECTION)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        await self._timeout.__aexit__(kind, error, traceback)

    @property
    def expired(self) -> bool:
        """Whether a limit is over."""
        return self._timeout.expired()

    def enter(self, phase: Phase) -> None:
        """Begin a phase, or begin it anew: each piece of a body restarts its silence."""
        if self.expired or self._gave_way:
            return
        now = self._loop.time()
        ends_at = self._begun_at + self._total_s + self._timer.put_off_s
        self.phase = phase
        self._limit_s = self._limits_s[phase]
        self._in_total = ends_at < now + self._limit_s
        self._timeout.reschedule(None)  # it may have been about to expire
        self._timer.set(min(ends_at, now + self._limit_s))

    def give_way(self) -> None:
        """Break off: others need the place."""
        self._gave_way = True
        self._timer.cancel()
        if not self.expired:
            self._expire()

    def trouble(self) -> Trouble:
        """Return what running out of time means."""
        if self._gave_way:
            waited_s = self._loop.time() - self._begun_at
            return Trouble(Obstacle.CROWD, f"gave way to others after {waited_s:.1f} s")
        limit = f"{self._total_s:g} s in all" if self._in_total else f"{self._limit_s:g} s"
        return Trouble(self.phase.value, f"no {self.phase.name.lower()} within {limit}")

    def _expire(self) -> None:
        self._timeout.reschedule(self._loop.time())


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


class Coding(Protocol):
    """One decompressor; errors of its library pass through as they are."""

    finished: bool
    """Whether a complete stream has ended here (more input may begin another)."""

    def feed(self, data: bytes, room: int) -> Iterator[bytes]:
        """Yield the output of `data`, at most about `room` bytes being made at once."""


class _Zlib:
    """One zlib stream; `unused` is what follows its end."""

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


def _deflate(start: bytes) -> Coding:
    """`deflate` as the RFC has it (zlib-wrapped) or as some servers send it (raw)."""
    # RFC 1950 2.2: method 8, and the first two bytes are a multiple of 31.
    wrapped = len(start) < 2 or (start[0] & 0x0F == 8 and int.from_bytes(start[:2]) % 31 == 0)
    return _Zlib(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)


def _zstd(start: bytes) -> Coding:
    # One for all frames: making it is most of what an empty frame costs.
    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
    return _InARow("zstd frames", _ZSTD_MAGICS, lambda: _ZstdFrame(decompressor))


_CODINGS: dict[str, Callable[[bytes], Coding]] = {
    "gzip": lambda start: _InARow("gzip members", _GZIP_MAGICS, lambda: _Zlib(wbits=31)),
    "x-gzip": lambda start: _InARow("gzip members", _GZIP_MAGICS, lambda: _Zlib(wbits=31)),
    "deflate": _deflate,
    "br": lambda start: _Brotli(),
    "zstd": _zstd,
}
"""Content coding -> what makes its decompressor, given the first bytes of the body."""
_MAGICS = {"gzip": _GZIP_MAGICS, "x-gzip": _GZIP_MAGICS, "zstd": _ZSTD_MAGICS}
_ERRORS = (zlib.error, brotli.error, zstandard.ZstdError)


class _Stage:
    """One coding: its output within the cap, plain text let through, its errors translated."""

    def __init__(self, name: str, max_bytes: int) -> None:
        self._name = name
        self._room = max_bytes
        self._start = b""
        self._coding: Coding | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._coding is None:
            data = self._start = self._start + data
            if len(data) < 4:
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
                # Servers that add the header and forget to compress are common enough that
                # browsers' users would notice; text can be told from a coding that begins with a
                # magic number.
                magics = _MAGICS.get(self._name)
                is_plain = magics and not data.startswith(magics) and looks_textual(data)
                self._coding = _Identity() if is_plain else _CODINGS[self._name](data)
            # One byte beyond the cap is allowed to be made: it proves that there is more.
            for piece in self._coding.feed(data, self._room + 1):
                self._room -= len(piece)
                if self._room < 0:
                    raise Unwanted(Skip.TOO_LARGE, f"{self._name} body expands beyond the limit")
                if piece:
                    yield piece
        except (Trouble, Unwanted):
            raise
        except _ERRORS as error:
            raise Trouble(Failure.CONTENT_ENCODING, f"{self._name}: {error}") from error
        except Exception as error:
            raise translate(error) from error


class _Readable:
    """Lets text or HTML through as it is, and stops all else: what a made-up coding may mean."""

    def __init__(self, content_encoding: str) -> None:
        self._said = content_encoding
        self._start = b""
        self._is_text = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._is_text:
            yield data
            return
        self._start += data
        if len(self._start) >= SNIFF_BYTES:
            yield from self._judge()

    def finish(self) -> Iterator[bytes]:
        if not self._is_text and self._start:
            yield from self._judge()

    def _judge(self) -> Iterator[bytes]:
        if sniff_media_type(self._start) is None:
            detail = f"cannot undo {self._said!r}, and the body is not text"
            raise Trouble(Failure.CONTENT_ENCODING, detail)
        self._is_text = True
        yield self._start


def _names(field_value: str) -> list[str]:
    names = (name.strip().lower() for name in field_value.split(","))
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
        if not _CODINGS.keys() >= set(transfer):
            detail = f"cannot undo Transfer-Encoding {transfer_encoding!r}"
            raise Trouble(Failure.CONTENT_ENCODING, detail)
        if len(names) + len(transfer) > MAX_CODINGS:
            detail = f"cannot undo {', '.join([content_encoding, *transfer])!r}"
            raise Trouble(Failure.CONTENT_ENCODING, detail)
        known = [name for name in names if name in _CODINGS]
        self.unknown = None if known == names else printable(content_encoding)[:_MOST_TOLD]
        """The whole value, where a coding in it is unknown; fit to be printed."""
        stages = [_Stage(name, max_bytes) for name in (*known, *transfer)[::-1]]
        self._stages: list[_Stage | _Readable] = [*stages]
        if self.unknown is not None:
            self._stages.append(_Readable(content_encoding))

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


class Exchange:
    """A response whose headers have arrived."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        deadline: Deadline,
        judged: Callable[[Exception], Trouble],
        secret: frozenset[str] = frozenset(),
    ) -> None:
        """`judged` tells what an exception of the response means.

        `secret` are lower-case names of header fields that no archive may have.
        """
        self._response = response
        self._deadline = deadline
        self._judged = judged
        self._secret = secret
        self.status: int = response.status
        self.headers: CIMultiDictProxy[str] = response.headers

    def capture(self, url: str, at: float, body: bytes, truncated: str | None) -> Capture:
        """Return this exchange for an archive: what was really sent and received."""
        response, asked = self._response, self._response.request_info
        version = response.version
        return Capture(
            url=url,
            target=asked.url.raw_path_qs,
            at=at,
            address=getattr(response, "address", None),
            request=tuple(
                pair for pair in asked.headers.items() if pair[0].lower() not in self._secret
            ),
            version=f"{version.major}.{version.minor}" if version else "1.1",
            status=response.status,
            reason=response.reason or "",
            headers=tuple(response.raw_headers),
            body=body,
            truncated=truncated,
        )

    async def read(self) -> bytes:
        """Return the next piece of the body as it travelled, b"" at its end.

        Raises Unwanted(TOO_LARGE) where chunks have more framing than bodies may have bytes, and
        Trouble for whatever else goes wrong.
        """
        self._deadline.enter(Phase.BODY)
        try:
            return await self._response.content.readany()
        except TooMuchOnTheWire as flood:
            raise Unwanted(Skip.TOO_LARGE, str(flood)) from flood
        except Exception as error:
            raise self._judged(error) from error


class AddressedResponse(aiohttp.ClientResponse):
    """A response that knows who sent it, also when its connection has been given back."""

    address: str | None = None

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Take what `connection` brings."""
        transport = connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        self.address = peer[0] if peer else None
        return await super().start(connection)


class BodyReader:
    """Reads one body; memory stays within the two caps and one piece."""

    def __init__(self, exchange: Exchange, max_wire_bytes: int, max_body_bytes: int) -> None:
        """Raise Trouble if the exchange's Content- or Transfer-Encoding cannot be undone."""
        encoding = joined(exchange.headers, "content-encoding")
        transfer = joined(exchange.headers, "transfer-encoding")
        self._exchange = exchange
        self._decoder = ContentDecoder(encoding, max_body_bytes, transfer)
        self._max_wire_bytes = max_wire_bytes
        self._max_body_bytes = max_body_bytes
        self._pending: Iterator[bytes] = iter(())
        self._exhausted = False
        self._body = bytearray()
        self.wire_bytes = 0

    @property
    def unknown_encoding(self) -> str | None:
        """The Content-Encoding, where a coding in it is unknown and was taken for none."""
        return self._decoder.unknown

    @property
    def so_far(self) -> bytes:
        """What was read by now."""
        return bytes(self._body)

    async def at_least(self, size: int) -> bytes:
        """Return the body's beginning: `size` bytes or somewhat more, or all where it is shorter.

        Raises Trouble for a body that breaks off or is corrupt, Unwanted(TOO_LARGE) beyond a cap.
        """
        made = 0
        while len(self._body) < size:
            piece = next(self._pending, None)
            if piece is not None:
                self._body += piece
                made += len(piece)
                if made >= BREATH_BYTES:
                    made = 0
                    await asyncio.sleep(0)
                if len(self._body) > self._max_body_bytes:
                    what = f"body of more than {self._max_body_bytes} bytes"
                    raise Unwanted(Skip.TOO_LARGE, what)
            elif self._exhausted:
                break
            else:
                data = await self._exchange.read()
                self.wire_bytes += len(data)
                if self.wire_bytes > self._max_wire_bytes:
                    what = f"more than {self._max_wire_bytes} bytes on the wire"
                    raise Unwanted(Skip.TOO_LARGE, what)
                self._exhausted = not data
                self._pending = self._decoder.feed(data) if data else self._decoder.finish()
                made = 0
        return bytes(self._body)

    async def whole(self) -> bytes:
        """Return all of the body; see `at_least` for errors."""
        return await self.at_least(self._max_body_bytes + 1)
