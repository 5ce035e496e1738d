"""The rows of a crawl's directory, and what it kept of dropped pages.

Only committed lines are read, as far as they were when the export began: also while a crawl runs,
and after it was killed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from crawler.export.clusters import Clusters
from crawler.export.columns import MARKDOWN, Row, row_of
from crawler.records import NEAR, SIBLING
from crawler.storage import (
    Line,
    StoreView,
    dropped_urls,
    read_lines,
    reading_line,
    total_extent,
)

_DROPPED_FIELDS = (
    *("text", MARKDOWN, "title", "language", "language_score"),
    *("author", "published", "modified", "description", "site_name"),
)
"""What a dropped page's line in duplicates.jsonl does not say, and what was kept of it does."""


class Source:
    """A directory, in its state when it was opened."""

    def __init__(self, view: StoreView, dump: str, markdown: bool, dropped_text: bool) -> None:
        self._view = view
        self._dump = dump
        self._markdown = markdown
        self._files = view.files()
        self.lines = {
            kind: total_extent(self._files[kind].values()).lines for kind in ("pages", "duplicates")
        }
        """Kind -> how many committed lines there are."""
        self._stored_too: set[int] = set()
        self._clusters = Clusters(self._copies())
        self._dropped = _DroppedPages(view) if dropped_text else None

    @property
    def directory(self) -> Path:
        """Where the crawl lies."""
        return self._view.directory

    def pages(self) -> Iterator[Row]:
        """Yield a row for each stored page, in the order of pages.jsonl. To be read first."""
        for line, record in self._records("pages"):
            with reading_line(line.place):
                if record["verdict"] == NEAR or record.get("restored_at"):
                    self._stored_too.add(hash(record["url"]))
                row = self._row(record, str(record["id"]))
            yield row

    def duplicates(self) -> Iterator[Row | None]:
        """Yield a row for each page that was not stored; None for a line of one that was, too.

        A crawl gives duplicates no id; they are called by their place in duplicates.jsonl, `d1`
        and so on, which never changes.
        """
        for number, (line, record) in enumerate(self._records("duplicates"), 1):
            if hash(record["url"]) in self._stored_too:
                yield None
                continue
            with reading_line(line.place):
                if self._dropped is not None:
                    record = self._dropped.with_text(record)
                row = self._row(record, str(record.get("id", f"d{number}")))
            yield row

    def _copies(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the URL of each duplicate, and what names its original."""
        for line, record in self._records("duplicates"):
            with reading_line(line.place):
                is_copy = record["verdict"] != SIBLING
                pair = record["url"], record["duplicate_of"]
            if is_copy:
                yield pair

    def _row(self, record: dict[str, Any], id_: str) -> Row:
        row = row_of(record, id_, self._dump)
        self._clusters.place(row, record)
        if self._markdown:
            row[MARKDOWN] = record.get(MARKDOWN)
        return row

    def _records(self, kind: str) -> Iterator[tuple[Line, dict[str, Any]]]:
        for line in read_lines(self._view.directory, self._files[kind]):
            with reading_line(line.place):
                record = orjson.loads(line.data)
            yield line, record


class _DroppedPages:
    """What was kept of pages that were dropped, by URL: 16 bytes are held for each."""

    def __init__(self, view: StoreView) -> None:
        hashes, ids = array("q"), array("q")
        for url_id, url in dropped_urls(view):
            hashes.append(hash(url))
            ids.append(url_id)
        order = np.argsort(np.array(hashes, np.int64))
        self._hashes, self._ids = np.array(hashes, np.int64)[order], np.array(ids, np.int64)[order]
        self._view = view

    def with_text(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a line of duplicates.jsonl with what was kept of its page, if anything was."""
        wanted = hash(record["url"])
        at = int(np.searchsorted(self._hashes, wanted))
        if at == len(self._hashes) or self._hashes[at] != wanted:
            return record
        kept = self._view.dropped(int(self._ids[at]))
        if kept is None or kept.line["url"] != record["url"]:
            return record
        added = {name: kept.line[name] for name in _DROPPED_FIELDS if name in kept.line}
        return {**added, **{name: v for name, v in record.items() if v is not None}}
