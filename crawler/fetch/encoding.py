"""Content- and Transfer-Encoding undone piece by piece, holding no more than a bounded piece.

A chain of stages, one a coding, the last applied undone first (RFC 9110 8.4). Each stage is a
generator over bounded pieces, so that a decompression bomb is stopped at the cap and not after it
has been unpacked. The cap holds for the output of every stage, since what is compressed twice may
grow beyond it in the first stage already.

What comes of streams that are not one and whole is decided here for every decompressor of data
that strangers made, by what is at stake: a page, a list of URLs, a document or a record.

- Here a page is what was sent, whole, or it is none. Several gzip members or zstd frames are one
  body; what follows the end and begins none is padding in each coding, as browsers take it. A body
  that is cut is `truncated` (another try may bring it whole). One wrong byte, in a checksum too,
  is `content-encoding`; brotli and raw deflate have no checksum, so theirs may go unseen.
- A sitemap (`crawler.extract.listing`) is worth what can be read of it: members are one file, all
  up to a cut or a wrong byte is read, what follows the end is padding.
- A corpus (`crawler.batch.streams`) is the user's own, who wants to know: members, frames and
  streams are one file, also with zeros between and behind; documents before a cut, a wrong byte or
  other bytes behind the end are kept, and one bad document (`unreadable`) says what there was.
- A record of an archive (`crawler.archives.records`) is one member: a cut, a wrong byte or other
  bytes behind it are `damaged` once, and the next record is looked for.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Protocol

import brotli
import zstandard

from crawler.fetch.headers import SNIFF_BYTES, looks_textual, sniff_media_type
from crawler.fetch.trouble import Trouble, Unwanted, printable, translate
from crawler.records import Failure, Skip

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


def _gzip(start: bytes) -> Coding:
    return _InARow("gzip members", _GZIP_MAGICS, lambda: _Zlib(wbits=31))


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
    "gzip": _gzip,
    "x-gzip": _gzip,
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

    def _choose(self, start: bytes) -> Coding:
        # Servers that add the header and forget to compress are common enough that browsers'
        # users would notice; text can be told from a coding that begins with a magic number.
        magics = _MAGICS.get(self._name)
        if magics and not start.startswith(magics) and looks_textual(start):
            return _Identity()
        return _CODINGS[self._name](start)

    def _decode(self, data: bytes) -> Iterator[bytes]:
        try:
            if self._coding is None:
                self._coding = self._choose(data)
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
