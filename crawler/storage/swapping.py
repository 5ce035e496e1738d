"""Line files written anew: the whole kind in one new file, taken over by one transaction.

The new file is a part behind all others, which the state does not record: if the program is killed,
the next start removes it as it removes any end that was never committed. The transaction that
records it in place of the old files names these under `Meta.SWAPPED`; from then on they are to go,
and whoever opens the directory for writing next finishes that (`finish_swaps`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import StoreError
from crawler.storage import rows
from crawler.storage.database import Database, reading_stored_values
from crawler.storage.directory import LINE_FILES, line_path, sync_directory
from crawler.storage.journal import Extent, next_part
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView


@dataclass(frozen=True, slots=True)
class Swap:
    """A kind of lines that was written anew, and is durable."""

    kind: str
    new: str
    """The file that has all lines of it."""
    extent: Extent
    old: tuple[str, ...]
    """The files that had them."""

    @property
    def name(self) -> str:
        """What the new file is called once the old ones are gone."""
        return _name(self.new, self.old)


def write_anew(
    directory: Path, kind: str, files: Mapping[str, Extent], lines: Iterable[bytes]
) -> Swap:
    """Write all lines of a kind that stay into a new file; StoreError where that fails."""
    new = next_part(list(files)[-1])
    path, size, number = line_path(directory, new), 0, 0
    try:
        with path.open("wb") as file:
            for line in lines:
                file.write(line)
                size += len(line)
                number += 1
            file.flush()
            os.fsync(file.fileno())
        sync_directory(directory)
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise StoreError(
            f"{path}: cannot be written: {error.strerror}. Nothing has changed; repair the cause "
            "(free space, permissions), then repeat the command"
        ) from None
    return Swap(kind, new, Extent(size, number), tuple(files))


def discard(directory: Path, swaps: Iterable[Swap]) -> None:
    """Remove what was written and is not taken over."""
    for swap in swaps:
        line_path(directory, swap.new).unlink(missing_ok=True)


def meta_of(swaps: Iterable[Swap]) -> dict[Meta, object]:
    """Return what the transaction that takes them over notes of them."""
    return {Meta.SWAPPED: {swap.kind: {"new": swap.new, "old": swap.old} for swap in swaps} or None}


def finish_swaps(directory: Path, database: Database) -> None:
    """Remove the files that were replaced; what was one file of a kind has its name again.

    The lock is held. Each step may be repeated, whatever a kill interrupts. Raises StoreError.
    """
    with reading_stored_values(directory):
        swapped = StoreView(directory, database).meta(Meta.SWAPPED) or {}
        pairs = list(_pairs(swapped))
    if not swapped:
        return
    try:
        renamed = [_finish(directory, new, old) for new, old in pairs]
        sync_directory(directory)
    except OSError as error:
        raise StoreError(
            f"{directory}: files of a purge cannot be removed: {error}. Repair the cause (free "
            "space, permissions), then repeat the command"
        ) from None
    with database.transaction() as connection:
        connection.executemany(
            "UPDATE files SET name = ? WHERE name = ?",
            [(name, new) for name, (new, _) in zip(renamed, pairs, strict=True)],
        )
        rows.set_meta(connection, {Meta.SWAPPED: None})
    for name, (new, _) in zip(renamed, pairs, strict=True):
        if name != new:
            line_path(directory, new).unlink(missing_ok=True)


def _pairs(swapped: Mapping[str, Mapping[str, object]]) -> Iterator[tuple[str, list[str]]]:
    for kind, swap in swapped.items():
        old = swap["old"]
        if kind not in LINE_FILES or not isinstance(old, list):
            raise ValueError(f"no files of lines: {kind}")
        yield str(swap["new"]), [str(file) for file in old]


def _name(new: str, old: Sequence[str]) -> str:
    kind = new.partition(".")[0]
    return kind if old[-1] == kind else new


def _finish(directory: Path, new: str, old: list[str]) -> str:
    """Remove old files; return what the new one is called in the end. Raises OSError."""
    name = _name(new, old)
    if name != new:
        source, target = line_path(directory, new), line_path(directory, name)
        part = target.with_name(f"{target.name}.part")
        part.unlink(missing_ok=True)
        try:
            os.link(source, part)
        except OSError:  # a file system without hard links
            shutil.copyfile(source, part)
            with part.open("rb") as copied:
                os.fsync(copied.fileno())
        part.replace(target)
    for file in old:
        if file != name:
            line_path(directory, file).unlink(missing_ok=True)
    return name
