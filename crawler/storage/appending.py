"""Files that only grow: append, sync, and cut back to what the state file vouches for.

Bytes go to disk before the transaction that records their length, and so do the names of new files.
So after a crash a file can only be longer than recorded, never shorter, and cutting it back removes
exactly what was not committed.
"""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crawler.errors import LinesLost
from crawler.storage.directory import sync_directory
from crawler.storage.lines import Extent

log = logging.getLogger(__name__)

_APPEND = os.O_WRONLY | os.O_APPEND


class Appending(ABC):
    """Files of a directory to which one thread appends; `extents` is what is on the disk of each.

    What belongs in the files, and when one ends, is said by those that derive from this.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.extents: dict[str, Extent] = {}
        self._descriptors: dict[str, int] = {}

    @abstractmethod
    def path(self, file: str) -> Path:
        """Return where a file lies."""

    def check(self) -> None:
        """Raise LinesLost unless all files are there and as long as they were written."""
        for file in self.extents.keys() | self._descriptors.keys():
            self._check(file)

    def close(self) -> None:
        """Close the files."""
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors = {}

    def _open_at_extent(self, file: str) -> int:
        path = self.path(file)
        descriptor = os.open(path, _APPEND | os.O_CREAT, 0o644)
        cut_back(descriptor, path, self.extents.setdefault(file, Extent()).bytes)
        return descriptor

    def _begin(self, file: str) -> None:
        """Create a file, with its name on the disk."""
        with self._named(file):
            path = self.path(file)
            self._descriptors[file] = os.open(path, _APPEND | os.O_CREAT | os.O_EXCL, 0o644)
            sync_directory(path.parent)
        self.extents[file] = Extent()

    def _end(self, file: str) -> None:
        """Close a file, all of which is on the disk."""
        os.close(self._descriptors.pop(file))

    def _check(self, file: str) -> None:
        path, size = self.path(file), self.extents[file].bytes
        found = path.stat() if path.exists() else None
        descriptor = self._descriptors.get(file)
        opened = None if descriptor is None else os.fstat(descriptor)
        if found is None or (opened and not os.path.samestat(found, opened)):
            what = "was moved, deleted or replaced"
        elif found.st_size != size:
            what = f"was changed by another program (to {found.st_size} bytes from {size})"
        else:
            return
        raise LinesLost(
            f"{path} {what} while it was written, the crawl must stop: put it back as it was, "
            "restore the whole directory from a backup, or start a new crawl in another directory"
        )

    def _write_all(self, file: str, buffer: bytearray) -> None:
        """Write what is left of a buffer, and make the file durable."""
        self._write(file, buffer)
        with self._named(file):
            os.fsync(self._descriptors[file])

    def _write(self, file: str, buffer: bytearray) -> None:
        """Write all of a buffer and empty it."""
        self._check(file)
        size = len(buffer)
        with self._named(file), memoryview(buffer) as data:
            written = 0
            while written < size:
                # A nearly full disk takes a part; the next write then says why.
                written += os.write(self._descriptors[file], data[written:])
        buffer.clear()
        self._count(file, size)

    def _count(self, file: str, size: int, lines: int = 0) -> None:
        before = self.extents[file]
        self.extents[file] = Extent(before.bytes + size, before.lines + lines)

    @contextmanager
    def _named(self, file: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = str(self.path(file))
            raise


def cut_back(descriptor: int, path: Path, size: int) -> None:
    """Cut an open file back to what is committed of it, durably."""
    excess = os.fstat(descriptor).st_size - size
    if excess > 0:
        log.info("cutting %d bytes that were never committed off %s", excess, path)
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
