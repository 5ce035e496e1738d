"""The files between stages: frames one after another, and bytes by group. Whole or not there.

Each appears under its name when all of it is on the disk, so what is there need not be made again,
and who is killed in the middle, or does what another one does already, harms nobody.
"""

from __future__ import annotations

import os
import pathlib
import pickle
import struct
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import zstandard

from crawler.errors import StoreError
from crawler.storage.directory import durably

_LENGTH = struct.Struct("<I")
_COMPRESSED = 1 << 31
_LEVEL = 1
"""Of Zstandard: 3 microseconds a kB of text."""

_INDEX = np.dtype([("group", "<i8"), ("start", "<i8")])
_FOOTER = struct.Struct("<q")


@contextmanager
def publishing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the name `path` once all of it is on the disk.

    Raises StoreError where it cannot be written.
    """
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with durably(part, path) as file:
            yield file
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error}") from None


def pack(value: Any, *, compressed: bool = True) -> bytes:
    """Return a value as a frame: a length (4 bytes, little-endian) and a pickle.

    It is compressed where that is worth it, which the first bit of the length says: of texts two
    fifths are left, of hashes all.
    """
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    if not compressed:
        return _LENGTH.pack(len(packed)) + packed
    packed = zstandard.compress(packed, _LEVEL)
    return _LENGTH.pack(len(packed) | _COMPRESSED) + packed


def frames(file: BinaryIO) -> Iterator[Any]:
    """Yield the values of frames, up to the end of a file.

    Raises StoreError for what is none of ours: nothing is made but what the stages hand on.
    """
    while head := file.read(_LENGTH.size):
        try:
            [length] = _LENGTH.unpack(head)
            packed = file.read(length & ~_COMPRESSED)
            if length & _COMPRESSED:
                packed = zstandard.decompress(packed)
            yield _Unpickler(BytesIO(packed)).load()
        except (zstandard.ZstdError, pickle.UnpicklingError, struct.error, EOFError) as error:
            name = getattr(file, "name", "a file between stages")
            raise StoreError(f"{name} is damaged ({error}): remove its directory") from None


class _Unpickler(pickle.Unpickler):
    """Makes plain data, arrays and the project's own values: a file must not run what it names."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("numpy") and name in _OF_ARRAYS:
            return super().find_class(module, name)
        if module.partition(".")[0] == "pathlib" and name in _OF_PATHS:
            return getattr(
                pathlib, name
            )  # Python 3.13 names a module of pathlib's that others lack
        if module.startswith("crawler."):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} does not belong here")


_OF_ARRAYS = {"_frombuffer", "_reconstruct", "ndarray", "dtype"}
_OF_PATHS = {"PosixPath", "WindowsPath"}


def write_groups(path: Path, groups: Iterable[tuple[int, bytes]]) -> None:
    """Write bytes by the number of their group: ascending, where one may come repeatedly.

    Behind the bytes lies an index of where each group begins.
    """
    with publishing(path) as file:
        index: list[tuple[int, int]] = []
        for group, data in groups:
            if not index or index[-1][0] != group:
                index.append((group, file.tell()))
            file.write(data)
        index.append((np.iinfo(np.int64).max, file.tell()))
        file.write(np.array(index, _INDEX).tobytes())
        file.write(_FOOTER.pack(len(index)))


class GroupFile:
    """A file that `write_groups` wrote. It is opened for each question."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            file.seek(-_FOOTER.size, os.SEEK_END)
            size = _INDEX.itemsize * _FOOTER.unpack(file.read(_FOOTER.size))[0]
            file.seek(-_FOOTER.size - size, os.SEEK_END)
            index = np.frombuffer(file.read(size), _INDEX)
        self._groups, self._starts = index["group"], index["start"]

    @property
    def sizes(self) -> dict[int, int]:
        """Bytes of each group."""
        return dict(zip(self._groups[:-1].tolist(), np.diff(self._starts).tolist(), strict=True))

    def between(self, first: int, end: int) -> bytes:
        """Return the bytes of the groups from `first` up to `end`, that one left out."""
        start, stop = self._starts[np.searchsorted(self._groups, [first, end])].tolist()
        if start == stop:
            return b""
        with self._path.open("rb") as file:
            file.seek(start)
            return file.read(stop - start)

    def frames(self, group: int) -> Iterator[Any]:
        """Yield the values of a group of frames."""
        return frames(BytesIO(self.between(group, group + 1)))
