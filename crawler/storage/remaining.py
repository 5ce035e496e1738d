"""The lines of a crawl as they are without some hosts, and what those that go had added to sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

import orjson

from crawler.printing import Say
from crawler.storage.directory import LINE_FILES
from crawler.storage.journal import encoded
from crawler.storage.lines import reading_line
from crawler.storage.swapping import Swap, write_anew
from crawler.storage.view import StoreView
from crawler.urls import host_key

_OF_VERDICT = (
    *("reason", "evidence", "sibling_of", "duplicate_of", "distance", "similarity"),
    *("of_fingerprint", "matched_blocks", "cluster", "kind"),
    *("content_similarity", "layout_similarity"),
)
"""Fields of a stored page's line that only one which is like another has."""


class Counted(Protocol):
    """Tells what the line of a page has added to the running totals (`crawler.ends.counted`)."""

    def __call__(
        self, record: Mapping[str, Any], *, likeness_alone: bool = False
    ) -> Mapping[str, float]:
        """Return that; with `likeness_alone` only what tells of the page that it is like."""


class RemainingLines:
    """Writes the lines of a crawl that stay; temporary tables tell what goes (`purging`)."""

    def __init__(self, view: StoreView, hosts: Collection[str], counted: Counted, say: Say) -> None:
        self._view = view
        self._hosts = hosts
        self._counted = counted
        self._say = say
        self.uncounted: Counter[str] = Counter()
        """Running total -> what lines that go had added to it."""
        self._stored: set[str] = set()
        """URLs whose line in pages.jsonl goes or is changed: it has told all of them."""
        self._touched = {
            url for (url,) in view.database.stream("SELECT url FROM touched ORDER BY id")
        }

    def written(self) -> Iterator[Swap]:
        """Write each kind of lines anew that has any; yield what is to be taken over."""
        for kind in LINE_FILES:
            files = self._view.files()[kind]
            if any(extent.lines for extent in files.values()):
                lines = sum(extent.lines for extent in files.values())
                self._say(f"Writing {kind}.jsonl anew, from {lines:,} lines ...")
                yield write_anew(self._view.directory, kind, files, self._of(kind))

    def _of(self, kind: str) -> Iterator[bytes]:
        for line in self._view.lines(kind):
            with reading_line(line.place):
                record: dict[str, Any] = orjson.loads(line.data)
                kept = self._kept(kind, record)
            if kept is record:
                yield line.data
            elif kept is not None:
                yield b"".join(encoded(kept))

    def _kept(self, kind: str, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return what stays of a line, None where nothing does."""
        url = record["url"]
        goes = host_key(url) in self._hosts
        if goes or url in self._touched:
            self._uncount(kind, record, goes=goes)
        if goes or (url in self._touched and kind == "duplicates"):
            return None
        if url in self._touched and kind == "pages":
            blank = {name: None for name in _OF_VERDICT if name in record}
            record = {**record, **blank, "verdict": "new"}
        referrer = record.get("referrer")
        if referrer is not None and host_key(referrer) in self._hosts:
            record = {**record, "referrer": None}
        return record

    def _uncount(self, kind: str, record: Mapping[str, Any], *, goes: bool) -> None:
        """Note what a page had added to the sums, by the first of its lines."""
        if kind == "pages":
            self._stored.add(record["url"])
            self.uncounted.update(self._counted(record, likeness_alone=not goes))
        elif kind == "duplicates" and record["url"] not in self._stored:
            self.uncounted.update(self._counted(record))
            self.uncounted["duplicate_bytes"] += record["body_bytes"]
