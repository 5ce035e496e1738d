"""Dropped pages stored after all, each from its difference and its line in duplicates.jsonl.

They are signed anew by the crawl's settings, as `reindex` does it; the digests are those that were
recorded. Pages are committed in groups, so that a run that is stopped or killed has restored some
pages wholly and the others not at all; the same command again restores those.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from crawler import ends
from crawler.config import Job
from crawler.dedup import Signer
from crawler.dedup.copies import judged_text, pack
from crawler.dedup.signing.digests import format_digest
from crawler.printing import Say, progress
from crawler.records import Batch
from crawler.storage import (
    DuplicateLine,
    Ended,
    Meta,
    Restoring,
    duplicate_lines,
    reading_line,
    reading_stored_values,
)

log = logging.getLogger(__name__)

GROUP_PAGES = 64
GROUP_CHARACTERS = 4_000_000
"""Of text; a group is committed when it has so much or so many pages."""


class Restore:
    """One run over dropped pages. Make it, `run` it once, `stop` it if need be.

    `chosen` are the pages by URL; all of them must be dropped and kept.
    """

    def __init__(
        self,
        job: Job,
        pages: Restoring,
        chosen: Mapping[str, Ended],
        *,
        say: Say = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._job = job
        self._pages = pages
        self._chosen = chosen
        self._say = say
        self._clock = clock
        self._wall = wall
        self._said_at = clock()
        self._sign = Signer(job.dedup, (pages.view.key,))
        self._next_id = pages.view.next_document_id
        self._reindexed_at = _last_reindexed(pages)
        self._stopped = False
        self.ids: list[int] = []
        """Of the pages restored so far."""
        self.differing: list[str] = []
        """URLs of those whose text has another digest than the recorded one."""

    async def run(self) -> None:
        """Restore the pages, in the order of their lines in duplicates.jsonl; raises StoreError."""
        group: list[Batch] = []
        characters = 0
        for line, ended in self._lines():
            batch = self._restored(line, ended, self._next_id + len(group))
            group.append(batch)
            characters += len(batch.lines[0][1]["text"])
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
            if (ended := left.pop(line.record["url"], None)) is not None:
                yield line, ended
            if not left:
                return
        if left:
            place = self._pages.view.directory / "duplicates.jsonl"
            with reading_line(str(place)):
                raise LookupError(f"{len(left)} pages have no line, such as {next(iter(left))}")

    def _restored(self, line: DuplicateLine, ended: Ended, document_id: int) -> Batch:
        with reading_stored_values(self._pages.view.directory):
            kept = self._pages.view.dropped(ended.url_id)
            fields, seen = ({}, None) if kept is None else kept
            text, appearance = str(fields["text"]), pack(seen) if seen else None
            judged = judged_text(seen, text)
        made, recorded = self._sign(judged, kept_text=text), line.record
        with reading_line(line.place):
            if format_digest(made.text_digest) != recorded["text_digest"]:
                self.differing.append(ended.url)
            fetched_at = datetime.fromisoformat(recorded["fetched_at"]).timestamp()
            comparable = recorded["layout"] is not None and fetched_at > self._reindexed_at
            layout = bytes.fromhex(recorded["layout"]) if comparable else None
            id_, at = ended.url_id, self._wall()
            return ends.restored_end(
                document_id, id_, fields, recorded, made, layout, appearance, at
            )

    def _commit(self, group: list[Batch]) -> None:
        if not group:
            return
        self._pages.commit(group)
        self.ids += range(self._next_id, self._next_id + len(group))
        self._next_id += len(group)
        log.debug("restored %d pages", len(group))
        if self._clock() - self._said_at >= self._job.progress_s:
            self._said_at = self._clock()
            self._say(progress(f"{len(self.ids):,} of {len(self._chosen):,} pages restored"))


def _last_reindexed(pages: Restoring) -> float:
    """Return when `reindex` ran last, in Unix seconds.

    It may have brought layouts of another version: none from before is taken.
    """
    with reading_stored_values(pages.view.directory):
        return max((float(run["at"]) for run in pages.view.meta(Meta.REINDEXED, [])), default=0.0)
