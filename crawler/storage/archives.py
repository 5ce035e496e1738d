"""The archives of a crawl: what the files are called, and what is done with them between runs.

They lie in the directory `warc` of the output: `crawl-20261123042353123-00001.warc.gz` and so on,
by the time when each was begun and its number. A run never goes on with a file of an earlier one,
so the warcinfo record at the head of each speaks of all that is in it, and what has ended stays as
it is. Beside each lies its index, `.cdxj`, once no more is written to it: sorted, by which tools
find a URL. It is derived from the state file, and made again wherever it is missing.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from crawler import warc
from crawler.records import ArchivedPayload
from crawler.storage.appending import cut_back
from crawler.storage.directory import archive_path, sync_directory
from crawler.storage.lines import Extent, check_length

if TYPE_CHECKING:
    from crawler.storage.database import Database
    from crawler.storage.view import StoreView

log = logging.getLogger(__name__)

_NAME = re.compile(r"crawl-[0-9]{17}-([0-9]{5,})\.warc\.gz")
_HEAD_BYTES = 1 << 16
"""Compressed bytes of a record that are read for its head."""
_AT = "SELECT line, date FROM archived WHERE file = ? AND offset = ?"
_LINES = "SELECT line FROM archived WHERE file = ? ORDER BY line"


def archive_name(began: str, number: int) -> str:
    """Return the name of an archive; `began` is 17 digits, a time in milliseconds."""
    return f"crawl-{began}-{number:05}.warc.gz"


def archive_number(file: str) -> int:
    """Return the number in the name of an archive; 0 for names of other files."""
    found = _NAME.fullmatch(file)
    return int(found[1]) if found else 0


def index_name(file: str) -> str:
    """Return the name of the index of an archive."""
    return f"{file.removesuffix('.warc.gz')}.cdxj"


def in_order(files: Mapping[str, Extent]) -> dict[str, Extent]:
    """Return the archives among some files, oldest first."""
    return {file: files[file] for file in sorted(files, key=archive_number) if archive_number(file)}


def cut_archives(directory: Path, recorded: Mapping[str, Extent]) -> None:
    """Cut off what was never committed to the archives of a killed run, or remove it as a whole.

    Raises StoreMismatch for one that is shorter than recorded, before anything is changed; OSError.
    """
    for file, extent in recorded.items():
        check_length(archive_path(directory, file), extent.bytes)
    for path in _on_disk(directory):
        if path.name not in recorded:
            log.info("removing %s, of which nothing was ever committed", path)
            path.unlink()
        elif path.stat().st_size > recorded[path.name].bytes:
            descriptor = os.open(path, os.O_WRONLY)
            try:
                cut_back(descriptor, path, recorded[path.name].bytes)
            finally:
                os.close(descriptor)


def write_indexes(
    database: Database, directory: Path, files: Mapping[str, Extent], growing: str | None
) -> None:
    """Write the index of each archive that has none and is no more `growing`.

    A file is either whole or not there. Raises OSError.
    """
    for file in files:
        path = archive_path(directory, index_name(file))
        if file != growing and not path.exists():
            part = path.with_suffix(".part")
            with part.open("wb") as index:
                for (line,) in database.stream(_LINES, (archive_number(file),)):
                    index.write(f"{line}\n".encode())
                index.flush()
                os.fsync(index.fileno())
            part.rename(path)
            sync_directory(path.parent)


def entry_of(line: str) -> dict[str, Any]:
    """Return what a line of an index says of a record."""
    found: dict[str, Any] = orjson.loads(line.split(" ", 2)[2])
    return found


def archived_payload(view: StoreView, file: str, offset: int) -> ArchivedPayload | None:
    """Return what a revisit of what a record holds refers to; None where it cannot be told.

    That is the record itself or, where it is a revisit, what it refers to. Archives that have been
    moved elsewhere cannot tell.
    """
    for line, date in view.database.rows(_AT, (archive_number(file), offset)):
        entry = entry_of(line)
        if not warc.is_revisit(entry):
            return ArchivedPayload(entry["url"], date, entry["digest"])
        try:
            with archive_path(view.directory, file).open("rb") as archive:
                archive.seek(offset)
                return warc.payload_of(archive.read(_HEAD_BYTES))
        except OSError:
            return None
    return None


def _on_disk(directory: Path) -> Iterator[Path]:
    for path in archive_path(directory, "").glob("*.warc.gz"):
        if archive_number(path.name):
            yield path
