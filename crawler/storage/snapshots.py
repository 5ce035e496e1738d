"""A snapshot of what a crawl keeps in memory: with it the next run begins in seconds.

It is no truth, and may be deleted at any time: everything in it is derived from the state file,
from which memory is rebuilt where there is no snapshot, or one that is damaged. The state file
names the one that it trusts (`Meta.SNAPSHOT`): one that is durable, by a transaction that has, or
comes after, all that it tells of. So whatever a kill interrupts, the state names a whole one or
none.

::

    16 bytes   FORMAT, with the byte order of the machine's words
    each part  4 bytes length of its name, 8 of its data, 4 CRC-32 (RFC 1952, section 8) of both;
               then both
    at the end a part without name and data
"""

from __future__ import annotations

import logging
import os
import secrets
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from crawler.storage.directory import sync_directory

log = logging.getLogger(__name__)

FORMAT = b"crawl memory 1 %c" % ("<" if sys.byteorder == "little" else ">").encode()
_PREFIX, _SUFFIX = "memory.", ".snapshot"
_HEAD = struct.Struct("<IQI")

Part = tuple[str, bytes]


class SnapshotDamagedError(Exception):
    """A snapshot that is not there, not whole, or not one of ours."""


class SnapshotWriter:
    """Writes one snapshot part by part; `finish` makes it durable, `discard` removes it.

    All raise OSError where the disk is full or fails, but for `discard`.
    """

    def __init__(self, directory: Path) -> None:
        self.token = secrets.token_hex(8)
        self._path = _path(directory, self.token)
        self._file = self._path.open("xb")
        self._file.write(FORMAT)

    def write(self, name: str, data: bytes) -> None:
        """Add a part."""
        named = name.encode()
        self._file.write(_HEAD.pack(len(named), len(data), zlib.crc32(data, zlib.crc32(named))))
        self._file.write(named)
        self._file.write(data)

    def finish(self) -> None:
        """Make all parts durable; blocks until the disk has them."""
        self.write("", b"")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        sync_directory(self._path.parent)

    def discard(self) -> None:
        """Remove what was written."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._path.unlink()


def read(directory: Path, token: str) -> Iterator[Part]:
    """Yield the parts of a snapshot in their order, each verified by its checksum.

    Raises SnapshotDamagedError, before a damaged part and at the end of a file that was cut short.
    """
    try:
        with _path(directory, token).open("rb") as file:
            if file.read(len(FORMAT)) != FORMAT:
                raise SnapshotDamagedError("it has another format")
            while True:
                head = file.read(_HEAD.size)
                if len(head) < _HEAD.size:
                    raise SnapshotDamagedError("it was cut short")
                name_length, length, checksum = _HEAD.unpack(head)
                if name_length + length > os.fstat(file.fileno()).st_size - file.tell():
                    raise SnapshotDamagedError("a length in it is wrong")
                named, data = file.read(name_length), file.read(length)
                if zlib.crc32(data, zlib.crc32(named)) != checksum:
                    raise SnapshotDamagedError("a checksum in it is wrong")
                if not named:
                    return
                yield named.decode(errors="replace"), data
    except OSError as error:
        raise SnapshotDamagedError(f"it cannot be read: {error.strerror}") from None


def remove_others(directory: Path, token: str | None) -> None:
    """Remove all snapshots but one: what was replaced, or never finished."""
    for path in directory.glob(f"{_PREFIX}*{_SUFFIX}"):
        if token is None or path != _path(directory, token):
            log.debug("removing %s", path)
            with suppress(OSError):
                path.unlink()


def _path(directory: Path, token: str) -> Path:
    return directory / f"{_PREFIX}{token}{_SUFFIX}"
