"""Dropped pages stored after all, each from its difference and its line in duplicates.jsonl.

A copy to the byte has no difference: what it says is in the line of the page that it equals. All
are signed anew by the crawl's settings, as `reindex` does it; the digests are those that were
recorded. Pages are committed in groups, so that a run that is stopped or killed has restored some
pages wholly and the others not at all; the same command again restores those.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from crawler.config import Job
from crawler.console import Say, progress
from crawler.dedup import Signer
from crawler.dedup.copies import Appearance, judged_text, pack, unpack
from crawler.dedup.signing import format_digest
from crawler.engine import outcomes
from crawler.models import EXACT_PAYLOAD, PageOutcome
from crawler.observe.progress import NowAndThen
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.database import reading_stored_values
from crawler.storage.journal import Line, reading_line
from crawler.storage.restoring import DuplicateLine, Ended, Restoring, duplicate_lines, found_on
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

log = logging.getLogger(__name__)

GROUP_PAGES = 64
GROUP_CHARACTERS = 4_000_000
"""Of text; a group is committed when it has so much or so many pages."""
LINES_A_TURN = 2_000
"""Lines read before a signal is let in: some ten milliseconds."""

_ID = re.compile(rb'\{"id":(\d+),')


class _Content(NamedTuple):
    """What a dropped page says, and what was recorded of it."""

    fields: Mapping[str, Any]
    """Its line for pages.jsonl, but for the id."""
    appearance: Appearance | None
    recorded: Mapping[str, Any]
    """Its line in duplicates.jsonl, with the digests of its texts."""
    layout: bytes | None


class Restore:
    """One run over dropped pages. Make it, `run` it once, `stop` it if need be.

    `chosen` are the pages by URL; all of them must be dropped and kept.
    """

    def __init__(
        self, job: Job, pages: Restoring, chosen: Mapping[str, Ended], *, say: Say
    ) -> None:
        self._pages = pages
        self._chosen = chosen
        self._say = NowAndThen(say, job.progress_s)
        self._sign = Signer(job.dedup, (pages.view.key,))
        with reading_stored_values(pages.view.directory):
            runs = pages.view.meta(Meta.REINDEXED, [])
            self._reindexed_at = max((float(run["at"]) for run in runs), default=0.0)
        """Unix seconds. It may have brought layouts of another version: none from before is taken.
        """
        self._stopped = False
        self.ids: list[int] = []
        """Of the pages restored so far."""
        self.differing: list[str] = []
        """URLs of those whose text has another digest than the recorded one."""
        self._originals: dict[int, tuple[StoreView, Line]] = {}
        """Lines of stored pages, by id, of which copies to the byte are chosen: no more than pages
        that were asked for by URL or id."""

    async def run(self) -> None:
        """Restore the pages, in the order of their lines in duplicates.jsonl; raises StoreError."""
        await self._find_originals()
        if self._stopped:
            return
        group: list[PageOutcome] = []
        characters = 0
        for line, ended in self._lines():
            outcome = self._restored(line, ended, self._pages.number(ended.url_id))
            group.append(outcome)
            characters += len(outcome.lines[0][1]["text"])
            if len(group) >= GROUP_PAGES or characters >= GROUP_CHARACTERS:
                self._commit(group)
                group, characters = [], 0
                await asyncio.sleep(0)  # lets a signal in
                if self._stopped:
                    return
        self._commit(group)

    def stop(self) -> None:
        """Begin no other group."""
        self._stopped = True

    def cancel(self) -> None:
        """Begin no other group: one takes no time worth dropping it for."""
        self.stop()

    def _lines(self) -> Iterator[tuple[DuplicateLine, Ended]]:
        """Yield the lines of the chosen pages in duplicates.jsonl, and how each page ended."""
        left = dict(self._chosen)
        for line in duplicate_lines(self._pages.view) if left else ():
            ended = left.get(line.record["url"])
            if ended is not None and ended.detail == line.record["verdict"]:
                del left[ended.url]
                yield line, ended
            if not left:
                return
        if left:
            place = self._pages.view.directory / "duplicates.jsonl"
            with reading_line(str(place)):
                raise LookupError(f"{len(left)} pages have no line, such as {next(iter(left))}")

    async def _find_originals(self) -> None:
        """Read the lines of the stored pages that chosen ones have the bytes of."""
        wanted: dict[Path, tuple[StoreView, set[int]]] = {}
        for end in self._chosen.values():
            if end.detail == EXACT_PAYLOAD and end.of is not None:
                view = self._pages.view_of(end.of)
                wanted.setdefault(view.directory, (view, set()))[1].add(end.of.id)
        for view, missing in wanted.values():
            for number, line in enumerate(view.lines("pages"), 1):
                found = _ID.match(line.data)
                with reading_line(line.place):
                    id_ = int(found[1]) if found else orjson.loads(line.data)["id"]
                if id_ in missing:
                    missing.remove(id_)
                    self._originals[id_] = view, line
                if not missing or self._stopped:
                    break
                if number % LINES_A_TURN == 0:
                    await asyncio.sleep(0)
            else:
                with reading_line(str(view.directory / "pages.jsonl")):
                    raise LookupError(f"the stored page {min(missing)} has no line")

    def _restored(self, line: DuplicateLine, ended: Ended, document_id: int) -> PageOutcome:
        same_bytes = ended.detail == EXACT_PAYLOAD
        found = self._of_original(line, ended) if same_bytes else self._kept(line, ended)
        with reading_stored_values(self._pages.view.directory):
            text = str(found.fields["text"])
            appearance = pack(found.appearance) if found.appearance else None
            judged = judged_text(found.appearance, text)
        made = self._sign(judged, kept_text=text)
        with reading_line(line.place):
            if format_digest(made.text_digest) != found.recorded["text_digest"]:
                self.differing.append(ended.url)
            return outcomes.restored_end(
                document_id,
                ended.url_id,
                found.fields,
                found.recorded,
                made,
                found.layout,
                appearance,
                time.time(),
            )

    def _kept(self, line: DuplicateLine, ended: Ended) -> _Content:
        """Return a page of which a difference was kept."""
        with reading_stored_values(self._pages.view.directory):
            kept = self._pages.view.dropped(ended.url_id)
        fields, seen = ({}, None) if kept is None else kept
        recorded = line.record
        with reading_line(line.place):
            fetched_at = datetime.fromisoformat(recorded["fetched_at"]).timestamp()
            told = recorded.get("layout") if fetched_at > self._reindexed_at else None
            layout = None if told is None else bytes.fromhex(told)
        return _Content(fields, seen, recorded, layout)

    def _of_original(self, line: DuplicateLine, ended: Ended) -> _Content:
        """Return a page with the bytes of a stored one: that one's content, its own visit."""
        assert ended.of is not None  # as those have that can be restored
        id_, (view, stored) = ended.of.id, self._originals[ended.of.id]
        with reading_line(stored.place):
            original: dict[str, Any] = orjson.loads(stored.data)
            way = found_on(self._pages.view, ended.url_id)
            fields = outcomes.fields_of_copy(original, line.record, *way)
            text_digest = original["text_digest"]
        with reading_stored_values(view.directory):
            visible, packed = view.visible_digest(id_), view.appearance(id_)
            digests = {"text_digest": text_digest, "visible_digest": format_digest(visible or b"")}
            layout = SqliteCatalog(view.database).layout(id_)
            seen = unpack(packed) if packed else None
        return _Content(fields, seen, {**line.record, **digests}, layout)

    def _commit(self, group: list[PageOutcome]) -> None:
        if not group:
            return
        self._pages.commit(group)
        self.ids += (page.document.id for page in group if page.document)
        log.debug("restored %d pages", len(group))
        self._say(progress(f"{len(self.ids):,} of {len(self._chosen):,} pages restored"))
