"""The files of lines: what they are called, how much of each is committed, and how all are read.

Lines of one kind lie in one file, `pages.jsonl`; or, where a job says how large it may become
(`storage.rotate_bytes`), in parts, `pages.00001.jsonl`, `pages.00002.jsonl` and so on, of which
only the last one grows. A crawl may go on with parts that was begun without, and the reverse:
`pages.jsonl` comes before all parts. Here a file is called by its name without `.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import NamedTuple

from crawler.errors import StoreError, StoreMismatch
from crawler.storage.database import WAY_OUT
from crawler.storage.directory import LINE_FILES, STATE, line_path

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


def kind_and_part(file: str) -> tuple[str, int] | None:
    """Undo `part_name`; None for names of other files."""
    match = _NAME.fullmatch(file)
    if match is None:
        return None
    kind, number = match[1], int(match[2] or 0)
    return (kind, number) if part_name(kind, number) == file else None


def next_part(file: str) -> str:
    """Return the name of the file that follows one of ours."""
    kind, _, number = file.partition(".")
    return part_name(kind, int(number or 0) + 1)


def by_kind(files: Mapping[str, Extent]) -> dict[str, dict[str, Extent]]:
    """Return kind of line -> its files, in the order in which they were written.

    Every kind is there, one without a file with none; files that are none of ours are left out.
    """
    found: dict[str, dict[str, Extent]] = {kind: {} for kind in LINE_FILES}
    known = ((place, file) for file in files if (place := kind_and_part(file)) is not None)
    for (kind, _), file in sorted(known):
        found[kind][file] = files[file]
    return found


def total(extents: Iterable[Extent]) -> Extent:
    """Return how much several files have together."""
    found = list(extents)
    # Not from zero: a single one stays as it was read, for a check to tell what is wrong with it.
    return reduce(add, found) if found else Extent()


def on_disk(directory: Path) -> dict[str, Extent]:
    """Return the files of lines in a directory with their sizes, committed or not; lines are 0."""
    paths = (path for path in directory.glob("*.jsonl") if path.is_file())
    found = {path.stem: Extent(path.stat().st_size) for path in paths}
    return {file: found[file] for files in by_kind(found).values() for file in files}


def read_lines(directory: Path, files: Mapping[str, Extent]) -> Iterator[Line]:
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
        if not sound or (extent.bytes and not _ends_a_line(path, extent.bytes)):
            raise StoreError(
                f"{directory / STATE} records {extent.lines} lines in {extent.bytes} bytes for "
                f"{path.name}, but the file differs: {WAY_OUT}"
            )


def _ends_a_line(path: Path, size: int) -> bool:
    """Whether a line ends at `size`; `check_length` reports a shorter file."""
    if not path.exists() or path.stat().st_size < size:
        return True
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"
