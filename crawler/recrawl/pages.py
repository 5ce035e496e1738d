"""What is known of each page: the fold of the lines of all directories, oldest first.

Memory: some 500 bytes a page besides its URL; texts and validators stay in the files, and are read
when the page is visited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from crawler.errors import StoreError
from crawler.recrawl.history import FETCHED, History
from crawler.storage import LINE_FILES, StoreView, read_lines, reading_line

THERE, GONE, REDIRECTED = "there", "gone", "redirected"
"""How a page stands at its last visit that could tell."""


class Place(NamedTuple):
    """Where a line begins."""

    path: Path
    offset: int

    def record(self) -> dict[str, Any]:
        """Return the line as it is read; StoreError where it is none of ours any more."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                data = file.readline()
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}") from None
        with reading_line(f"{self.path} byte {self.offset}"):
            found: dict[str, Any] = orjson.loads(data)
            return found


@dataclass(slots=True)
class KnownPage:
    """A page that was stored once."""

    source: int
    """Which of the directories has its text."""
    id: int
    """Of the page there."""
    page: Place
    """Its line there."""
    depth: int
    visited_at: float
    """Unix seconds of the last visit that could tell how it stands."""
    told_at: float
    """Unix seconds of the last line about it."""
    note: Place | None = None
    """That line, where it is another one."""
    history: History = FETCHED
    standing: str = THERE


def known_pages(views: Sequence[StoreView], known: dict[str, KnownPage]) -> Iterator[None]:
    """Fill `known`, by URL, from the lines of directories, oldest first; yields at every line.

    Raises StoreError where a line cannot be read.
    """
    for source, view in enumerate(views):
        for kind in LINE_FILES if source else ("pages",):
            for place, record in _records(view, kind):
                with reading_line(f"{place.path} byte {place.offset}"):
                    _take(known, source, kind, place, record)
                yield


def _records(view: StoreView, kind: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    for file, extent in view.files()[kind].items():
        offset = 0
        for line in read_lines(view.directory, {file: extent}):
            with reading_line(line.place):
                record = orjson.loads(line.data)
            yield Place(line.path, offset), record
            offset += len(line.data)


def _take(
    known: dict[str, KnownPage], source: int, kind: str, place: Place, record: dict[str, Any]
) -> None:
    url, at, visit = record["url"], told_at(record), record.get("revisit")
    page = known.get(url)
    if kind == "pages":
        fresh = KnownPage(source, record["id"], place, record["depth"], at, at)
        if page is not None:
            fresh.told_at, fresh.note = page.told_at, page.note
            fresh.history, fresh.standing = page.history, page.standing
            fresh.visited_at = page.visited_at
        page = known[url] = fresh
    if page is None or visit is None or at < page.told_at:
        return
    page.told_at, page.note = at, place
    page.history = History(*(visit[name] for name in History._fields))
    page.standing, page.visited_at = visit["standing"], seconds(visit["visited_at"])


def told_at(record: dict[str, Any]) -> float:
    """Return when what a line tells was found, in Unix seconds."""
    return seconds(record["fetched_at"])


def seconds(written: str) -> float:
    """Undo `crawler.observe.summary.format_time`."""
    return datetime.fromisoformat(written).timestamp()
