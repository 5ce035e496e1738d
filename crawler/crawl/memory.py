"""What a crawl keeps in memory of all URLs and pages: restored as a run begins, saved for the next.

From the store both are rebuilt in some 12 µs a URL and 40 µs a page: minutes for a large crawl. A
snapshot (`crawler.storage.snapshots`) is read in a hundredth of that; what came after it is added
from the store. Where there is none, or it proves damaged, all is rebuilt.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from crawler.config import Job
from crawler.crawl.slices import in_slices
from crawler.dedup import Judge
from crawler.frontier import Frontier, SeenSet
from crawler.printing import Say
from crawler.storage import Meta, Store, snapshots

log = logging.getLogger(__name__)

URLS_A_SLICE, PAGES_A_SLICE, PARTS_A_SLICE = 2_000, 500, 1
"""Of work that is proportional to all of them: some 10 to 20 ms, and 70 for a part of the judge."""

WORTH_URLS = 100_000
"""URLs from which a snapshot is made at the end of a run: a second or two to rebuild, 5 MB."""
GROWTH, LEAST_GROWTH = 0.05, 250_000
"""URLs since the last snapshot, as a share of all and in number, from which a running crawl makes
another: what a killed run leaves to be rebuilt takes some seconds, and in all a snapshot's bytes
are written about 20 times while a crawl doubles and doubles again."""
ROOM = 4
"""Times the bytes of a snapshot that must be free on disk: the crawl's own lines come first."""
BYTES_A_URL, BYTES_A_PAGE = 32, 200
"""Of a snapshot, rounded up."""
SAY_EVERY_S = 5.0

_SEEN, _JUDGE = "seen", "judge:"


class Memory:
    """Restores and saves the seen set and the judge's indexes.

    `stop` is heard between any two slices: `restore` then ends early.
    """

    def __init__(
        self,
        job: Job,
        store: Store,
        report: Say,
        stop: asyncio.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job = job
        self._store = store
        self._report = report
        self._stop = stop
        self._clock = clock
        self._said_at = clock()
        self._saved_urls = 0
        """How many URLs the last snapshot tells of."""
        self._fails = False
        """Whether the disk refused a snapshot: then none is tried again."""

    # ----------------------------------------------------------------------------------------------
    # As a run begins

    async def restore(self, expected_documents: int) -> tuple[SeenSet, Judge] | None:
        """Return both as the store has them; None where the run was stopped meanwhile."""
        trusted = self._store.meta(Meta.SNAPSHOT)
        snapshots.remove_others(self._store.directory, trusted and str(trusted["token"]))
        if trusted:
            try:
                return await self._from_snapshot(trusted, expected_documents)
            except (snapshots.SnapshotDamagedError, ValueError) as why:
                self._report(f"Its snapshot of memory is not used: {why}")
        judge = self._judge(expected_documents)
        return await self._since(SeenSet(), 0, judge)

    def _judge(self, expected_documents: int) -> Judge:
        return Judge(self._job.dedup, self._store.catalog, expected_documents)

    async def _from_snapshot(
        self, trusted: dict[str, Any], expected_documents: int
    ) -> tuple[SeenSet, Judge] | None:
        judge, seen_parts = self._judge(expected_documents), list[bytes]()
        urls, documents = int(trusted["urls"]), int(trusted["documents"])
        parts = snapshots.read(self._store.directory, str(trusted["token"]))
        async for some in in_slices(parts, PARTS_A_SLICE):
            for name, data in some:
                if name == _SEEN:
                    seen_parts.append(data)
                else:
                    judge.take_part(name.removeprefix(_JUDGE), data)
            if self._stop.is_set():
                return None
        seen = SeenSet.restore(seen_parts)
        judge.last_id = documents
        restored = await self._since(seen, urls, judge)
        if restored and len(seen) != (stored := self._store.next_url_id - 1):
            raise ValueError(f"with it {len(seen):,} URLs were seen, {stored:,} are stored")
        self._saved_urls = urls
        return restored

    async def _since(self, seen: SeenSet, urls: int, judge: Judge) -> tuple[SeenSet, Judge] | None:
        """Add what the store has beyond the first so many `urls` and the judge's last page."""
        store, left = self._store, self._store.next_url_id - 1 - urls
        if left:
            self._report(f"Loading {left:,} URLs from the store ...")
        done = 0
        async for rows in in_slices(store.index_rows(judge.last_id), PAGES_A_SLICE):
            judge.restore(rows)
            done += len(rows)
            self._say(f"{done:,} pages loaded")
            if self._stop.is_set():
                return None
        async for some in in_slices(store.seen_urls(urls), URLS_A_SLICE):
            for url in some:
                seen.add(url)
            self._say(f"{len(seen):,} URLs loaded")
            if self._stop.is_set():
                return None
        return seen, judge

    def _say(self, line: str) -> None:
        if self._clock() - self._said_at >= SAY_EVERY_S:
            self._said_at = self._clock()
            self._report(line)

    # ----------------------------------------------------------------------------------------------
    # For the next run

    def is_due(self, frontier: Frontier) -> bool:
        """Whether so much is new since the last snapshot that a running crawl makes another."""
        new = len(frontier.seen) - self._saved_urls
        return new >= max(LEAST_GROWTH, GROWTH * len(frontier.seen))

    def is_worth(self, frontier: Frontier) -> bool:
        """Whether a run that ends leaves a snapshot."""
        return len(frontier.seen) >= WORTH_URLS and len(frontier.seen) > self._saved_urls

    async def save(self, frontier: Frontier, judge: Judge) -> None:
        """Write a snapshot beside the crawl, slice by slice, and have the store trust it.

        Nothing is awaited before what it tells of at least is fixed. All that is in it was handed
        to the store before the word that it is trusted, so no commit has that without the rest.
        Trouble of the disk is told, and ends nothing; StoreError as `Store.flush`.
        """
        told = {"urls": frontier.next_url_id - 1, "documents": judge.last_id}
        parts = _parts(frontier.seen, judge)
        if parts is None or self._fails or not self._has_room(told):
            return
        begun = self._clock()
        try:
            token = await self._write(parts)
        except OSError as error:
            self._fails = True
            self._report(f"No snapshot of memory could be written: {error}")
            return
        self._store.set_meta(Meta.SNAPSHOT, {"token": token, **told})
        await self._store.flush()
        snapshots.remove_others(self._store.directory, token)
        self._saved_urls = told["urls"]
        log.debug("a snapshot of %s took %.1f s", told, self._clock() - begun)

    async def _write(self, parts: Iterator[snapshots.Part]) -> str:
        writer = snapshots.SnapshotWriter(self._store.directory)
        try:
            async for some in in_slices(parts, PARTS_A_SLICE):
                for name, data in some:
                    writer.write(name, data)
            await asyncio.to_thread(writer.finish)
        except BaseException:
            writer.discard()
            raise
        return writer.token

    def _has_room(self, told: dict[str, int]) -> bool:
        size = BYTES_A_URL * told["urls"] + BYTES_A_PAGE * told["documents"]
        return shutil.disk_usage(self._store.directory).free > ROOM * size


def _parts(seen: SeenSet, judge: Judge) -> Iterator[snapshots.Part] | None:
    judged = judge.parts()
    if judged is None:
        return None
    urls = ((_SEEN, data) for data in seen.parts())
    return chain(urls, ((_JUDGE + name, data) for name, data in judged))
