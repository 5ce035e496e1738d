"""Files opened for reading, whatever they are compressed by: the first bytes say, not the name."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)
"""What reading can raise: the file is cut off, or its content is not what its first bytes say."""

_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"
_ZSTD = (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + n, 0x2A, 0x4D, 0x18)) for n in range(16)))
"""A frame, or a skippable one (RFC 8878 3.1.1, 3.1.2)."""

_PIECE_BYTES = 1 << 17
_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3
"""Those of the programs gzip and zstd."""


def open_plain(path: Path) -> BinaryIO:
    """Open a file as it is; `tell` says how much of it was read. Raises OSError."""
    return path.open("rb", buffering=_PIECE_BYTES)


def decompressed(file: BinaryIO) -> BinaryIO:
    """Return the content of a buffered binary file; reading may raise any of DAMAGE."""
    head = cast(io.BufferedReader, file).peek(len(_XZ))
    if head.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb"))
    if head.startswith(_XZ):
        return cast(BinaryIO, lzma.LZMAFile(file))
    if head.startswith(_ZSTD):
        return cast(BinaryIO, io.BufferedReader(_Zstd(file), _PIECE_BYTES))
    return file


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
    except DAMAGE as error:
        return str(error) or type(error).__name__
    return None


class _Zstd(io.RawIOBase):
    """Zstandard frames one after another.

    The library's own stream reader takes the end of a file cut off in mid-frame for the end.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._input = b""
        self._output = b""

    def readable(self) -> bool:
        """See RawIOBase."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """See RawIOBase; EOFError for a frame that is cut off."""
        while not self._output:
            self._input = self._input or self._file.read(_PIECE_BYTES)
            if not self._input:
                if self._frame is not None:
                    raise EOFError("the last Zstandard frame is cut off")
                return 0
            self._frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
            self._output, self._input = self._frame.decompress(self._input), b""
            if self._frame.eof:
                self._input, self._frame = self._frame.unused_data, None
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
