"""The line files: append, sync, and cut back to what the state file vouches for.

Lines go to disk before the transaction that records their length. So after a crash a file can only
be longer than recorded, never shorter, and cutting it back removes exactly what was not committed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from crawler.errors import LinesLost, StoreError, StoreMismatch
from crawler.printing import escape_json
from crawler.storage.database import WAY_OUT
from crawler.storage.directory import LINE_FILES, STATE, line_path, sync_directory

log = logging.getLogger(__name__)

PIECE_CHARACTERS = 16_384
"""Of a long text that are encoded at once: .1 ms, and 2 ms where each is escaped. No other thread
runs meanwhile; after 5 ms of such pieces it is the event loop's turn (sys.setswitchinterval)."""
PIECE_BYTES = 1 << 20
"""Of lines that are gathered for one write."""

_LONG = "text"
"""The one field of a line that may be long."""
_LONG_ITS_PLACE = b'"text":""'
"""An empty one in JSON. No string has this in it: a quote within a string is escaped."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a line file is committed."""

    bytes: int = 0
    lines: int = 0


class Journal:
    """The five line files of a directory, owned by the writer once it runs."""

    def __init__(self, directory: Path, extents: Mapping[str, Extent]) -> None:
        """Open the files at their committed `extents`.

        Cuts longer files back. Raises StoreMismatch for a shorter or missing one, StoreError where
        the files cannot be written; nothing is changed before all lengths are checked.
        """
        self.directory = directory
        self.extents = {name: extents.get(name, Extent()) for name in LINE_FILES}
        for name in LINE_FILES:
            check_length(line_path(directory, name), self.extents[name].bytes)
        self._descriptors: dict[str, int] = {}
        try:
            for name in LINE_FILES:
                self._descriptors[name] = self._open_at_extent(name)
            sync_directory(directory)
        except OSError as error:
            self.close()
            raise StoreError(f"{directory}: cannot write the line files: {error}") from None

    def append(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Extent]:
        """Write and sync (file name, record) pairs; return the new extent of each file written.

        Raises OSError naming the file, LinesLost as `check` does; what was written by then lies
        beyond the recorded extents.
        """
        waiting: dict[str, bytearray] = {}
        for name, record in records:
            buffer = waiting.setdefault(name, bytearray())
            for piece in encoded(record):
                buffer += piece
                if len(buffer) >= PIECE_BYTES:
                    self._write(name, buffer)
            self._count(name, 0, lines=1)
        for name, buffer in waiting.items():
            self._write(name, buffer)
            self._sync(name)
        return {name: self.extents[name] for name in waiting}

    def check(self) -> None:
        """Raise LinesLost unless all files are there and as long as they were written."""
        for name in self._descriptors:
            self._check(name)

    def close(self) -> None:
        """Close the files."""
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors = {}

    def _open_at_extent(self, name: str) -> int:
        path = line_path(self.directory, name)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        excess = os.fstat(descriptor).st_size - self.extents[name].bytes
        if excess > 0:
            log.info("cutting %d bytes that were never committed off %s", excess, path)
            os.ftruncate(descriptor, self.extents[name].bytes)
            os.fsync(descriptor)
        return descriptor

    def _check(self, name: str) -> None:
        path, opened = line_path(self.directory, name), os.fstat(self._descriptors[name])
        size = self.extents[name].bytes
        if not path.exists() or not os.path.samestat(path.stat(), opened):
            what = "was moved, deleted or replaced"
        elif opened.st_size != size:
            what = f"was changed by another program (to {opened.st_size} bytes from {size})"
        else:
            return
        raise LinesLost(
            f"{path} {what} while it was written, the crawl must stop: put it back as it was, "
            "restore the whole directory from a backup, or start a new crawl in another directory"
        )

    def _write(self, name: str, buffer: bytearray) -> None:
        """Write all of a buffer and empty it."""
        self._check(name)
        size = len(buffer)
        with self._named(name), memoryview(buffer) as data:
            written = 0
            while written < size:
                # A nearly full disk takes a part; the next write then says why.
                written += os.write(self._descriptors[name], data[written:])
        buffer.clear()
        self._count(name, size)

    def _sync(self, name: str) -> None:
        with self._named(name):
            os.fsync(self._descriptors[name])

    def _count(self, name: str, size: int, lines: int = 0) -> None:
        before = self.extents[name]
        self.extents[name] = Extent(before.bytes + size, before.lines + lines)

    @contextmanager
    def _named(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = str(line_path(self.directory, name))
            raise


def check_length(path: Path, recorded: int) -> None:
    """Raise StoreMismatch where a line file is shorter than the state says, or gone."""
    actual = path.stat().st_size if path.exists() else 0
    if actual < recorded:
        raise StoreMismatch(
            f"{path} has {actual} bytes where {recorded} were committed: lines were lost outside "
            "this program; restore the whole directory from a backup, or start a new crawl in "
            "another directory"
        )


def check_extents(directory: Path, extents: Mapping[str, Extent]) -> None:
    """Raise StoreError unless every recorded length can be one: lines would be cut off by it."""
    for name, extent in extents.items():
        path = line_path(directory, name)
        sound = all(type(number) is int and number >= 0 for number in (extent.bytes, extent.lines))
        if not sound or (extent.bytes and not _ends_a_line(path, extent.bytes)):
            raise StoreError(
                f"{directory / STATE} records {extent.lines} lines in {extent.bytes} bytes for "
                f"{path.name}, but the file differs: {WAY_OUT}"
            )


def committed_lines(directory: Path, name: str, extent: Extent) -> Iterator[tuple[str, bytes]]:
    """Yield the committed lines of a file, each with its place, as in `out/pages.jsonl line 7`."""
    path = line_path(directory, name)
    with path.open("rb") as file:
        for number in range(1, extent.lines + 1):
            yield f"{path} line {number}", file.readline()


@contextmanager
def reading_line(place: str) -> Iterator[None]:
    """Raise StoreError where a line is none that this program wrote; only reading belongs in it."""
    try:
        yield
    except (LookupError, TypeError, ValueError) as error:
        raise StoreError(f"{place} cannot be read back ({error}): {WAY_OUT}") from None


def _ends_a_line(path: Path, size: int) -> bool:
    """Whether a line ends at `size`; `check_length` reports a shorter file."""
    if not path.exists() or path.stat().st_size < size:
        return True
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"


def encoded(record: Mapping[str, Any]) -> Iterator[bytes]:
    r"""Yield a record as one line of UTF-8 JSON with its `\n`, in pieces made in a short time each.

    Servers can send bytes that Python keeps as lone surrogates; UTF-8 has no form for them, so they
    become U+FFFD. What a terminal obeys, or other tools take for a line end, is escaped. Raises
    TypeError for what JSON cannot hold.

    Encoding takes no break in which other threads could run: the text of a page of 10 MB, made in
    one piece, would stop the event loop for a tenth of a second.
    """
    text = record.get(_LONG)
    if not isinstance(text, str) or len(text) <= PIECE_CHARACTERS:
        yield escape_json(_json(record) + b"\n")
        return
    frame = _json({**record, _LONG: ""})
    if frame.count(_LONG_ITS_PLACE) != 1:  # nested somewhere, where it is not known which is which
        yield escape_json(_json(record) + b"\n")
        return
    head, _, tail = frame.partition(_LONG_ITS_PLACE)
    yield escape_json(head + _LONG_ITS_PLACE[:-1])
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield escape_json(_json(text[start : start + PIECE_CHARACTERS])[1:-1])
    yield escape_json(b'"' + tail + b"\n")


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return orjson.dumps(_without_surrogates(value))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, Mapping):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value
