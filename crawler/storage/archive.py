"""The archives of a crawl: what the files are called, and how a run appends records to them.

They lie in the directory `warc` of the output: `crawl-20261123042353123-00001.warc.gz` and so on,
by the time when each was begun and its number. A run never goes on with a file of an earlier one,
so the warcinfo record at the head of each speaks of all that is in it, and what has ended stays as
it is. Beside each lies its index, `.cdxj`, once no more is written to it: sorted, by which tools
find a URL. It is derived from the state file, and made again wherever it is missing.

Exchanges become records that are appended before their URLs' lines. Files grow as line files do
(`crawler.storage.journal`): what a kill leaves beyond the recorded lengths is cut off when the
directory is opened (`cut_archives`). The writer thread does all of this; compressing, most of it,
lets other threads run.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from crawler import warc
from crawler.models import EXACT_PAYLOAD, ArchivedPayload, Capture, PageOutcome, UrlState
from crawler.models.enums import WarcNear
from crawler.storage.database import Database
from crawler.storage.directory import archive_number, archive_path, durably, sync_directory
from crawler.storage.journal import Appending, Extent, check_length, cut_back

if TYPE_CHECKING:
    from crawler.storage.view import StoreView


log = logging.getLogger(__name__)

_HEAD_BYTES = 1 << 16
"""Compressed bytes of a record that are read for its head."""
PIECE_BYTES = 1 << 20
"""Of records that are gathered for one write."""


def index_name(file: str) -> str:
    """Return the name of the index of an archive."""
    return f"{file.removesuffix('.warc.gz')}.cdxj"


def cut_archives(directory: Path, recorded: Mapping[str, Extent]) -> None:
    """Cut off what was never committed to the archives of a killed run, or remove it as a whole.

    Raises StoreMismatch for one that is shorter than recorded, before anything is changed; OSError.
    """
    for file, extent in recorded.items():
        check_length(archive_path(directory, file), extent.bytes)
    for path in archive_path(directory, "").glob("*.warc.gz"):
        if not archive_number(path.name):
            continue
        if path.name not in recorded:
            log.info("removing %s, of which nothing was ever committed", path)
            path.unlink()
        elif path.stat().st_size > recorded[path.name].bytes:
            descriptor = os.open(path, os.O_WRONLY)
            try:
                cut_back(descriptor, path, recorded[path.name].bytes)
            finally:
                os.close(descriptor)


def write_indexes(view: StoreView, growing: str | None) -> None:
    """Write the index of each archive that has none and is no more `growing`.

    A file is either whole or not there. Raises OSError.
    """
    for file in view.archives():
        path = archive_path(view.directory, index_name(file))
        if file != growing and not path.exists():
            lines = "SELECT line FROM archived WHERE file = ? ORDER BY line"
            with durably(path.with_suffix(".part"), path) as index:
                for (line,) in view.database.stream(lines, (archive_number(file),)):
                    index.write(f"{line}\n".encode())


def entry_of(line: str) -> dict[str, Any]:
    """Return what a line of an index says of a record."""
    found: dict[str, Any] = orjson.loads(line.split(" ", 2)[2])
    return found


def archived_payload(view: StoreView, file: str, offset: int) -> ArchivedPayload | None:
    """Return what a revisit of what a record holds refers to; None where it cannot be told.

    That is the record itself or, where it is a revisit, what it refers to. Archives that have been
    moved elsewhere cannot tell.
    """
    query = "SELECT line, date FROM archived WHERE file = ? AND offset = ?"
    for line, date in view.database.rows(query, (archive_number(file), offset)):
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


@dataclass(frozen=True, slots=True)
class Archiving:
    """How a run archives."""

    info: Mapping[str, str]
    """Fields of the warcinfo record of each file."""
    rotate_bytes: int
    """A file that has reached this size ends."""
    near: WarcNear = WarcNear.RESPONSE


@dataclass(slots=True)
class Archived:
    """What was appended, for one transaction."""

    outcomes: list[PageOutcome] = field(default_factory=list)
    """With the places of their records in their lines; the loop goes on to read what it handed over
    without these, so they are copies."""
    rows: list[tuple[int, int, int | None, str, str]] = field(default_factory=list)
    """Of the table `archived` (`crawler.storage.tables`)."""
    extents: dict[str, Extent] = field(default_factory=dict)


class Archive(Appending):
    """The archive of one run; its first file is begun with the first exchange.

    `last` is the number of the last archive of earlier runs, `database` has what is committed.
    """

    def __init__(
        self,
        directory: Path,
        archiving: Archiving,
        last: int,
        database: Database,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(directory, archive_path)
        self._archiving = archiving
        self._number = last
        self._database = database
        self._wall = wall
        self._info = ""
        self._buffer = bytearray()
        self._pages: dict[int, ArchivedPayload] = {}
        self._done = Archived()
        self.growing: str | None = None
        """The file that is written now."""

    def append(self, outcomes: Sequence[PageOutcome]) -> Archived:
        """Write and sync the exchanges of some ends.

        Raises OSError naming the file, LinesLost as `check` does; what was written by then lies
        beyond the recorded extents.
        """
        self._done = done = Archived()
        self._pages = {}
        for outcome in outcomes:
            if outcome.captures:
                file = self._file()
                *before, last = outcome.captures
                for capture in before:
                    self._add_exchange(file, capture, warc.response(capture, self._info))
                offset, record_id = self._add_end(file, outcome, last)
                outcome = copy(outcome)
                outcome.place(warc.place(file, offset, record_id))
            done.outcomes.append(outcome)
        # Not by rows: what is evidence alone has none in the index.
        if self.growing is not None and any(outcome.captures for outcome in outcomes):
            self._write_all(self.growing, self._buffer)
            done.extents[self.growing] = self.extents[self.growing]
        return done

    def _add_end(self, file: str, outcome: PageOutcome, capture: Capture) -> tuple[int, str]:
        """Write what a URL ended with; return where that record begins, and its WARC-Record-ID."""
        is_duplicate = outcome.state is UrlState.DUPLICATE
        has_same_bytes = is_duplicate and outcome.detail == EXACT_PAYLOAD
        of, original = outcome.unchanged, outcome.duplicate_of if has_same_bytes else None
        if of is None and original is not None:
            of = self._original(original)
        if of is not None:
            record = warc.revisit(capture, self._info, of)
            return self._add_exchange(file, capture, record, revisit=True)
        if is_duplicate and original is None and self._archiving.near is WarcNear.METADATA:
            evidence = dict(outcome.lines).get("duplicates", {})
            record = warc.metadata(capture, self._info, evidence)
            offset, _ = self._append(file, record)
            self._append(file, warc.request(capture, self._info, record))
            return offset, record.id
        page = outcome.document.id if outcome.document is not None else None
        return self._add_exchange(file, capture, warc.response(capture, self._info), page)

    def _add_exchange(
        self,
        file: str,
        capture: Capture,
        record: warc.Record,
        page: int | None = None,
        *,
        revisit: bool = False,
    ) -> tuple[int, str]:
        offset, length = self._append(file, record)
        self._append(file, warc.request(capture, self._info, record))
        if capture.rendered is not None:
            self._append(file, warc.conversion(capture, self._info, record))
        line = warc.index_line(capture, record, file, offset, length, revisit=revisit)
        date = warc.warc_date(capture.at)
        self._done.rows.append((self._number, offset, page, date, line))
        if page is not None:
            self._pages[page] = ArchivedPayload(capture.url, date)
        return offset, record.id

    def _original(self, page: int) -> ArchivedPayload | None:
        """Return the record of a stored page; None for one that was stored without an archive."""
        if page in self._pages:
            return self._pages[page]
        query = "SELECT line, date FROM archived WHERE document_id = ?"
        for line, date in self._database.rows(query, (page,)):
            return ArchivedPayload(entry_of(line)["url"], date)
        return None

    def _append(self, file: str, record: warc.Record) -> tuple[int, int]:
        """Write a record, or have it wait for the next; return its offset and length."""
        packed = warc.gzipped(record)
        offset = self.extents[file].bytes + len(self._buffer)
        self._buffer += packed
        self._count(file, 0, lines=1)
        if len(self._buffer) >= PIECE_BYTES:
            self._write(file, self._buffer)
        return offset, len(packed)

    def _file(self) -> str:
        """Return the file for the next records; one that is full ends."""
        file = self.growing
        if file is not None:
            if self.extents[file].bytes + len(self._buffer) < self._archiving.rotate_bytes:
                return file
            self._write_all(file, self._buffer)
            self._done.extents[file] = self.extents[file]
            os.close(self._descriptors.pop(file))
        at = self._wall()
        digits = "".join(character for character in warc.warc_date(at) if character.isdigit())
        self._number += 1
        file = f"crawl-{digits[:17]}-{self._number:05}.warc.gz"  # to the millisecond
        if not self.path(file).parent.exists():
            self.path(file).parent.mkdir()
            sync_directory(self.directory)
        self._begin(file)
        self.growing = file
        info = warc.warcinfo(file, at, self._archiving.info)
        self._info = info.id
        self._append(file, info)
        return file
