"""Files of lines: append, sync, cut back to what the state file vouches for, and read.

Lines of one kind lie in one file, `pages.jsonl`; or, where a job says how large it may become
(`storage.rotate_bytes`), in parts, `pages.00001.jsonl`, `pages.00002.jsonl` and so on, of which
only the last one grows. A crawl may go on with parts that was begun without, and the reverse:
`pages.jsonl` comes before all parts. Here a file is called by its name without `.jsonl`.

Bytes go to disk before the transaction that records their length, and so do the names of new files.
So after a crash a file can only be longer than recorded, never shorter, and cutting it back removes
exactly what was not committed. A file that is not recorded at all is, as a whole, such a rest.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from crawler.console import escape_json, json_of
from crawler.errors import LinesLost, StoreError, StoreMismatch
from crawler.storage.database import WAY_OUT
from crawler.storage.directory import LINE_FILES, STATE, line_path, sync_directory

log = logging.getLogger(__name__)

MAX_LINE_BYTES = 1 << 28
"""Far above any line of ours: a file without line ends is not read into memory whole."""

_NAME = re.compile(rf"({'|'.join(LINE_FILES)})(?:\.([0-9]{{5,}}))?")


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a file of lines is committed."""

    bytes: int = 0
    lines: int = 0

    def __add__(self, other: Extent) -> Extent:
        return Extent(self.bytes + other.bytes, self.lines + other.lines)


class Line(NamedTuple):
    """One line of a file."""

    path: Path
    number: int
    """In its file, from 1."""
    data: bytes
    """With its `\\n`, unless the file is damaged."""

    @property
    def place(self) -> str:
        """Where it is, as in `out/pages.jsonl line 7`."""
        return f"{self.path} line {self.number}"


class Place(NamedTuple):
    """Where a reader of lines has come to."""

    file: str
    offset: int
    """In bytes, the end of a line."""


BEGINNING = Place("", 0)
"""Before the first line of the first file."""


def part_name(kind: str, number: int) -> str:
    """Return the name of a part, from 1; 0 is the one file of a kind that has no parts."""
    return f"{kind}.{number:05}" if number else kind


def next_part(file: str) -> str:
    """Return the name of the file that follows one of ours."""
    kind, _, number = file.partition(".")
    return part_name(kind, int(number or 0) + 1)


def by_kind(files: Mapping[str, Extent]) -> dict[str, dict[str, Extent]]:
    """Return kind of line -> its files, in the order in which they were written.

    Every kind is there, one without a file with none; files that are none of ours are left out.
    """
    numbered: list[tuple[str, int, str]] = []
    for file in files:
        if match := _NAME.fullmatch(file):
            kind, number = match[1], int(match[2] or 0)
            if part_name(kind, number) == file:
                numbered.append((kind, number, file))
    found: dict[str, dict[str, Extent]] = {kind: {} for kind in LINE_FILES}
    for kind, _, file in sorted(numbered):
        found[kind][file] = files[file]
    return found


def total_extent(extents: Iterable[Extent]) -> Extent:
    """Return how much several files have together."""
    found = list(extents)
    # Not from zero: a single one stays as it was read, for a check to tell what is wrong with it.
    return reduce(add, found) if found else Extent()


def on_disk(directory: Path) -> dict[str, Extent]:
    """Return the files of lines in a directory with their sizes, committed or not; lines are 0."""
    paths = (path for path in directory.glob("*.jsonl") if path.is_file())
    found = {path.stem: Extent(path.stat().st_size) for path in paths}
    return {file: found[file] for files in by_kind(found).values() for file in files}


def read_lines(directory: Path, files: Mapping[str, Extent]) -> Generator[Line, None, None]:
    """Yield the lines of some files, one file after the other, each as far as its extent says.

    All that reads lines does it by this. Raises StoreError where a file cannot be read or is
    shorter.
    """
    for file, extent in files.items():
        path, left, number = line_path(directory, file), extent.bytes, 0
        try:
            with path.open("rb") as lines:
                while left > 0 and (data := lines.readline(min(left, MAX_LINE_BYTES))):
                    number += 1
                    left -= len(data)
                    yield Line(path, number, data)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        if left > 0:
            raise StoreError(
                f"{path}: the last {left} of {extent.bytes} committed bytes are missing: {WAY_OUT}"
            )


def read_after(
    directory: Path, files: Mapping[str, Extent], place: Place, most_lines: int, most_bytes: int
) -> list[tuple[Place, bytes]]:
    """Return lines of some files that come after `place`, each with the place of its end.

    Not more than `most_lines`, and none after `most_bytes`; none at the end of the files. Raises
    StoreError as `read_lines`.
    """
    found: list[tuple[Place, bytes]] = []
    order = list(files)
    size = 0
    for file in order[order.index(place.file) if place.file in files else 0 :]:
        path, at = line_path(directory, file), place.offset if file == place.file else 0
        try:
            with path.open("rb") as lines:
                lines.seek(at)
                while at < files[file].bytes and len(found) < most_lines and size < most_bytes:
                    data = lines.readline(min(files[file].bytes - at, MAX_LINE_BYTES))
                    if not data:
                        raise StoreError(f"{path}: committed lines are missing: {WAY_OUT}")
                    at, size = at + len(data), size + len(data)
                    found.append((Place(file, at), data))
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    return found


@contextmanager
def reading_line(place: str) -> Iterator[None]:
    """Raise StoreError where a line is none that this program wrote; only reading belongs in it."""
    try:
        yield
    except (LookupError, TypeError, ValueError) as error:
        raise StoreError(f"{place} cannot be read back ({error}): {WAY_OUT}") from None


def check_length(path: Path, recorded: int) -> None:
    """Raise StoreMismatch where a file of lines is shorter than the state says, or gone."""
    actual = path.stat().st_size if path.exists() else 0
    if actual < recorded:
        raise StoreMismatch(
            f"{path} has {actual} bytes where {recorded} were committed: lines were lost outside "
            "this program; restore the whole directory from a backup, or start a new crawl in "
            "another directory"
        )


def check_extents(directory: Path, extents: Mapping[str, Extent]) -> None:
    """Raise StoreError unless every recorded length can be one: lines would be cut off by it."""
    for file, extent in extents.items():
        path = line_path(directory, file)
        sound = all(type(number) is int and number >= 0 for number in (extent.bytes, extent.lines))
        # `check_length` reports a shorter file.
        if sound and extent.bytes and path.exists() and path.stat().st_size >= extent.bytes:
            with path.open("rb") as lines:
                lines.seek(extent.bytes - 1)
                sound = lines.read(1) == b"\n"
        if not sound:
            raise StoreError(
                f"{directory / STATE} records {extent.lines} lines in {extent.bytes} bytes for "
                f"{path.name}, but the file differs: {WAY_OUT}"
            )


_APPEND = os.O_WRONLY | os.O_APPEND


class Appending:
    """Files of a directory to which one thread appends; `extents` is what is on the disk of each.

    What belongs in the files, and when one ends, is said by those that derive from this. `path`
    gives where a file lies in a directory.
    """

    def __init__(self, directory: Path, path: Callable[[Path, str], Path]) -> None:
        self.directory = directory
        self.path = partial(path, directory)
        self.extents: dict[str, Extent] = {}
        self._descriptors: dict[str, int] = {}

    def check(self) -> None:
        """Raise LinesLost unless all files are there and as long as they were written."""
        for file in self.extents.keys() | self._descriptors.keys():
            self._check(file)

    def close(self) -> None:
        """Close the files."""
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors = {}

    def _begin(self, file: str) -> None:
        """Create a file, with its name on the disk."""
        with self._named(file):
            path = self.path(file)
            self._descriptors[file] = os.open(path, _APPEND | os.O_CREAT | os.O_EXCL, 0o644)
            sync_directory(path.parent)
        self.extents[file] = Extent()

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


PIECE_CHARACTERS = 16_384
"""Of a long text that are encoded at once: .1 ms, and 2 ms where each is escaped. No other thread
runs meanwhile; after 5 ms of such pieces it is the event loop's turn (sys.setswitchinterval)."""
PIECE_BYTES = 1 << 20
"""Of lines that are gathered for one write."""


class Journal(Appending):
    """The files of lines of a directory, owned by the writer once it runs: of each kind one grows.

    Where `rotate_bytes` is given, a file ends with the line by which it reaches that size, and the
    next line of its kind begins another file. A file that is not recorded yet, as after a kill, is
    like lines that are not: it goes.
    """

    def __init__(
        self, directory: Path, extents: Mapping[str, Extent], rotate_bytes: int | None = None
    ) -> None:
        """Open the files at their committed `extents`.

        Cuts longer files back. Raises StoreMismatch for a shorter or missing one, StoreError where
        the files cannot be written; nothing is changed before all lengths are checked.
        """
        super().__init__(directory, line_path)
        recorded = by_kind(extents)
        self.extents = {file: extents[file] for files in recorded.values() for file in files}
        self._rotate_bytes = rotate_bytes
        for file, extent in self.extents.items():
            check_length(line_path(directory, file), extent.bytes)
        first = 0 if rotate_bytes is None else 1
        self._growing = {
            kind: next(reversed(files), part_name(kind, first)) for kind, files in recorded.items()
        }
        try:
            for kind, found in by_kind(on_disk(directory)).items():
                # What a run that was killed began after the last file that is recorded.
                known = [number for number, file in enumerate(found, 1) if file in recorded[kind]]
                for file in list(found)[max(known, default=0) :]:
                    if file != self._growing[kind]:
                        path = line_path(directory, file)
                        log.info("removing %s, of which nothing was ever committed", path)
                        path.unlink()
            for file in self._growing.values():
                path = line_path(directory, file)
                self._descriptors[file] = os.open(path, _APPEND | os.O_CREAT, 0o644)
                size = self.extents.setdefault(file, Extent()).bytes
                cut_back(self._descriptors[file], path, size)
            sync_directory(directory)
        except OSError as error:
            self.close()
            raise StoreError(f"{directory}: cannot write the line files: {error}") from None

    def append(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Extent]:
        """Write and sync (kind, record) pairs; return the new extent of each file written.

        Raises OSError naming the file, LinesLost as `check` does; what was written by then lies
        beyond the recorded extents.
        """
        waiting: dict[str, bytearray] = {}
        for kind, record in records:
            file = self._growing[kind]
            buffer = waiting.setdefault(file, bytearray())
            size = self.extents[file].bytes + len(buffer)
            if self._rotate_bytes is not None and size >= self._rotate_bytes:
                self._write_all(file, buffer)
                os.close(self._descriptors.pop(file))
                ended, file = file, next_part(file)
                self._begin(file)
                self._growing[kind] = file
                log.debug("%s is full, going on with %s", ended, file)
                buffer = waiting.setdefault(file, bytearray())
            for piece in encoded(record):
                buffer += piece
                if len(buffer) >= PIECE_BYTES:
                    self._write(file, buffer)
            self._count(file, 0, lines=1)
        for file, buffer in waiting.items():
            if file in self._descriptors:  # else it was full, and is all on the disk
                self._write_all(file, buffer)
        return {file: self.extents[file] for file in waiting}


def encoded(record: Mapping[str, Any]) -> Iterator[bytes]:
    r"""Yield a record as one line of UTF-8 JSON with its `\n`, in pieces made in a short time each.

    What a terminal obeys, or other tools take for a line end, is escaped. Raises TypeError for what
    JSON cannot hold: no line that `confirm_encodable` has seen.

    Encoding takes no break in which other threads could run: the text of a page of 10 MB, made in
    one piece, would stop the event loop for a tenth of a second.
    """
    text, place = record.get("text"), b'"text":""'
    if not isinstance(text, str) or len(text) <= PIECE_CHARACTERS:
        yield escape_json(json_of(record) + b"\n")
        return
    # No string has an empty text in it: a quote within a string is escaped.
    frame = json_of({**record, "text": ""})
    if frame.count(place) != 1:  # nested somewhere, where it is not known which is which
        yield escape_json(json_of(record) + b"\n")
        return
    head, _, tail = frame.partition(place)
    yield escape_json(head + place[:-1])
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield escape_json(json_of(text[start : start + PIECE_CHARACTERS])[1:-1])
    yield escape_json(b'"' + tail + b"\n")


def confirm_encodable(record: Mapping[str, Any]) -> None:
    """Raise TypeError for a line that cannot be written, nor kept as a difference.

    Fields that are nothing but a text can be encoded whatever it says; they are long.
    """
    json_of({**record, "text": None, "markdown": None}, room=1)
