"""Files opened for reading, whatever they are compressed by: the first bytes say, not the name."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol, cast

import zstandard

_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"
_ZSTD = (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + n, 0x2A, 0x4D, 0x18)) for n in range(16)))
"""A frame, or a skippable one (RFC 8878 3.1.1, 3.1.2)."""

_PIECE_BYTES = 1 << 17
_INPUT_BYTES = 1 << 13
"""Of a compressed file at once: what they can become stays within 256 MB, with Zstandard."""
_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3
"""Those of the programs gzip and zstd."""


def open_plain(path: Path | None) -> BinaryIO:
    """Open a file as it is; `tell` says how much of it was read. Raises OSError.

    None is standard input, by a buffer of its own: `sys.stdin` is closed at the interpreter's end,
    which aborts where a thread still waits in its buffer.
    """
    if path is None:
        return open(0, "rb", buffering=_PIECE_BYTES, closefd=False)
    return path.open("rb", buffering=_PIECE_BYTES)


def decompressed(file: BinaryIO) -> BinaryIO:
    """Return the content of a buffered binary file.

    Reading may raise whatever a library does (see `damage_of`): EOFError where the file is cut off.
    """
    head = cast(io.BufferedReader, file).peek(len(_XZ))
    for magics, begin in _KINDS:
        if head.startswith(magics):
            return cast(BinaryIO, io.BufferedReader(_Streams(file, begin), _PIECE_BYTES))
    return file


def damage_of(error: Exception) -> str:
    """Return in words what is wrong with a file whose reading raised this.

    No library promises to raise nothing else than it says, so whatever one raises of a file is
    damage of that file. MemoryError is raised again: what is short of memory is this process.
    """
    if isinstance(error, MemoryError):
        raise error
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(said).splitlines()[0]


def damage_in(path: Path) -> str | None:
    """Read a compressed file to its end; return what is wrong with it, None if nothing is.

    Bytes that were changed often decompress to something: the checksum at the end tells.
    """
    try:
        with open_plain(path) as plain:
            content = decompressed(plain)
            if content is plain:
                return None
            while content.read(_PIECE_BYTES):
                pass
    except Exception as error:
        return damage_of(error)
    return None


class _Stream(Protocol):
    """One compressed stream."""

    @property
    def eof(self) -> bool:
        """Whether its end has come."""

    @property
    def unused_data(self) -> bytes:
        """What followed its end."""

    def decompress(self, data: bytes, /) -> bytes:
        """Return what comes of data."""


def _gzip() -> _Stream:
    return zlib.decompressobj(16 + zlib.MAX_WBITS)


def _xz() -> _Stream:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


def _zstd() -> _Stream:
    return zstandard.ZstdDecompressor().decompressobj()


_KINDS: tuple[tuple[bytes | tuple[bytes, ...], Callable[[], _Stream]], ...] = (
    (_GZIP, _gzip),
    (_XZ, _xz),
    (_ZSTD, _zstd),
)


class _Streams(io.RawIOBase):
    """Streams one after another, with zeros between and behind them, and nothing else.

    The libraries' own readers differ in what they take for the end: a frame of Zstandard cut off in
    its middle, or anything behind a stream of xz.
    """

    def __init__(self, file: BinaryIO, begin: Callable[[], _Stream]) -> None:
        self._file = file
        self._begin = begin
        self._stream: _Stream | None = None
        self._input = b""
        self._output = b""
        self._streams = 0

    def readable(self) -> bool:
        """See RawIOBase."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """See RawIOBase; EOFError for a stream that is cut off."""
        while not self._output:
            data = self._input or self._file.read(_INPUT_BYTES)
            self._input = b""
            if not data:
                if self._stream is not None:
                    raise EOFError("it is cut off within its compressed data")
                return 0
            if self._stream is None:
                data = data.lstrip(b"\0") if self._streams else data
                if not data:
                    continue
                self._stream, self._streams = self._begin(), self._streams + 1
            self._output = self._stream.decompress(data)
            if self._stream.eof:
                self._input, self._stream = self._stream.unused_data, None
        size = min(len(buffer), len(self._output))
        buffer[:size] = self._output[:size]
        self._output = self._output[size:]
        return size


def compressing_like(source: Path, file: BinaryIO) -> BinaryIO:
    """Return what compresses into `file` as `source` is compressed; closing it ends the data.

    The same content gives the same bytes: nothing in them tells when they were written.
    """
    with open_plain(source) as plain:
        head = cast(io.BufferedReader, plain).peek(len(_XZ))
    if head.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0))
    if head.startswith(_XZ):
        return cast(BinaryIO, lzma.LZMAFile(file, "wb"))
    if head.startswith(_ZSTD):
        return cast(BinaryIO, zstandard.ZstdCompressor(_ZSTD_LEVEL).stream_writer(file))
    return file
