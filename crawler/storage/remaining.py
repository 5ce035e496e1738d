"""The lines of a crawl as they are without some hosts, and what those that go had added to sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import orjson

from crawler.printing import Say, progress
from crawler.storage.directory import LINE_FILES
from crawler.storage.journal import encoded
from crawler.storage.lines import reading_line
from crawler.storage.swapping import Swap, write_anew
from crawler.storage.tables import Meta
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
        self._sinks: Mapping[str, Mapping[str, Sequence[Any]]] = view.meta(Meta.SINKS, {})
        self._moved: dict[tuple[str, str, int], int] = {}
        """Kind, file and end of a line -> the bytes before it that stay."""
        self._touched = {
            url for (url,) in view.database.stream("SELECT url FROM touched ORDER BY id")
        }

    def written(self) -> Iterator[Swap]:
        """Write each kind of lines anew that has any; yield what is to be taken over."""
        for kind in LINE_FILES:
            files = self._view.files()[kind]
            if any(extent.lines for extent in files.values()):
                lines = sum(extent.lines for extent in files.values())
                self._say(progress(f"Writing {kind}.jsonl anew, from {lines:,} lines ..."))
                yield write_anew(self._view.directory, kind, files, self._of(kind))

    def places(self, swaps: Iterable[Swap]) -> dict[str, dict[str, Sequence[Any]]]:
        """Return how far each sink has come in the files that take the place of the old ones.

        One that had come to no end of a line is given all of them again.
        """
        names = {swap.kind: swap.name for swap in swaps}
        moved: dict[str, dict[str, Sequence[Any]]] = {}
        for sink, kinds in self._sinks.items():
            moved[sink] = {
                kind: (names[kind], self._moved[kind, file, offset])
                for kind, (file, offset) in kinds.items()
                if (kind, file, offset) in self._moved
            }
        return moved

    def _of(self, kind: str) -> Iterator[bytes]:
        ends: Counter[str] = Counter()
        stays = 0
        wanted = {
            (file, offset) for kinds in self._sinks.values() for file, offset in kinds.values()
        }
        for line in self._view.lines(kind):
            with reading_line(line.place):
                record: dict[str, Any] = orjson.loads(line.data)
                kept = self._kept(kind, record)
            if kept is not None:
                data = line.data if kept is record else b"".join(encoded(kept))
                stays += len(data)
                yield data
            file = line.path.name.removesuffix(".jsonl")
            ends[file] += len(line.data)
            if (file, ends[file]) in wanted:
                self._moved[kind, file, ends[file]] = stays

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
