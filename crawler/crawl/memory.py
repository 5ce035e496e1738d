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
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from crawler.config import Job
from crawler.console import Say, progress
from crawler.dedup import Judge
from crawler.frontier import Frontier, SeenSet
from crawler.models import IndexRow
from crawler.observe.slices import in_slices
from crawler.storage import snapshots
from crawler.storage.catalog import LayeredCatalog
from crawler.storage.store import Store
from crawler.storage.tables import Meta

log = logging.getLogger(__name__)

URLS_A_SLICE, PAGES_A_SLICE, PARTS_A_SLICE = 2_000, 500, 1
"""Of work that is proportional to all of them: some 10 to 20 ms, and 70 for a part of the judge."""

WORTH_URLS = 100_000
"""URLs from which a snapshot is made at the end of a run: a second or two to rebuild, 5 MB."""
GROWTH, LEAST_GROWTH = 0.05, 250_000
"""URLs since the last snapshot, as a share of all and in number, from which a running crawl makes
another: what a killed run leaves to be rebuilt takes some seconds, and in all a snapshot's bytes
are written about 20 times while a crawl doubles and doubles again."""
URLS_A_PAGE = 4
"""For how many of these URLs a page counts: it takes 40 µs to rebuild, a URL some 10."""
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
        self._pages = LayeredCatalog(store.catalog, store.key)
        self._saved = 0
        """The size of what the last snapshot tells of (`_size`)."""
        self._fails = False
        """Whether a snapshot could not be written: then none is tried again."""
        self._told_room = False
        """Whether it was told that there is no room for one."""

    # ----------------------------------------------------------------------------------------------
    # As a run begins

    async def restore(
        self, expected_documents: int, pages: LayeredCatalog | None = None
    ) -> tuple[SeenSet, Judge] | None:
        """Return both as the store has them; None where the run was stopped meanwhile.

        `pages` are those of the store, with the earlier ones that the judge is to know as well.
        """
        self._pages = pages or self._pages
        trusted = self._store.meta(Meta.SNAPSHOT)
        snapshots.remove_others(self._store.directory, trusted and str(trusted["token"]))
        if trusted:
            try:
                return await self._from_snapshot(trusted, expected_documents)
            except (snapshots.SnapshotDamagedError, ValueError) as why:
                self._report(f"Its snapshot of memory is not used: {why}")
        judge = self._judge(expected_documents)
        if await self._take_in(judge, self._pages.earlier_rows(), "earlier pages"):
            return await self._since(SeenSet(), 0, judge, 0)
        return None

    def _judge(self, expected_documents: int) -> Judge:
        judge = Judge(self._job.dedup, self._pages, expected_documents)
        judge.restore_editions(self._store.editions())
        return judge

    async def _from_snapshot(
        self, trusted: dict[str, Any], expected_documents: int
    ) -> tuple[SeenSet, Judge] | None:
        judge, seen_parts = self._judge(expected_documents), list[bytes]()
        if trusted.get("judge") != judge.kind:
            raise ValueError("it was made for another `dedup.near`, or by an older version")
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
        restored = await self._since(seen, urls, judge, documents)
        stored = self._store.next_url_id - 1 - int(trusted["missing"])
        if restored and len(seen) != stored:
            raise ValueError(f"with it {len(seen):,} URLs were seen, {stored:,} are stored")
        self._saved = _size(trusted)
        return restored

    async def _since(
        self, seen: SeenSet, urls: int, judge: Judge, documents: int
    ) -> tuple[SeenSet, Judge] | None:
        """Add the URLs and pages that the store has with higher ids than these two."""
        store, left = self._store, self._store.next_url_id - 1 - urls
        if left:
            self._report(progress(f"Loading {left:,} URLs from the store ..."))
        if not await self._take_in(judge, store.index_rows(documents), "pages"):
            return None
        async for some in in_slices(store.seen_urls(urls), URLS_A_SLICE):
            for url in some:
                seen.add(url)
            self._say(progress(f"{len(seen):,} URLs loaded"))
            if self._stop.is_set():
                return None
        return seen, judge

    async def _take_in(self, judge: Judge, pages: Iterator[IndexRow], called: str) -> bool:
        """Have the judge know pages; return whether all of them, not stopped meanwhile."""
        done = 0
        async for rows in in_slices(pages, PAGES_A_SLICE):
            judge.restore(rows)
            done += len(rows)
            self._say(progress(f"{done:,} {called} loaded"))
            if self._stop.is_set():
                return False
        return True

    def _say(self, line: str) -> None:
        if self._clock() - self._said_at >= SAY_EVERY_S:
            self._said_at = self._clock()
            self._report(line)

    # ----------------------------------------------------------------------------------------------
    # For the next run

    def is_due(self, frontier: Frontier) -> bool:
        """Whether so much is new since the last snapshot that a running crawl makes another."""
        size = _size(self._told(frontier))
        return size - self._saved >= max(LEAST_GROWTH, GROWTH * size)

    def is_worth(self, frontier: Frontier) -> bool:
        """Whether a run that ends leaves a snapshot."""
        return len(frontier.seen) >= WORTH_URLS and _size(self._told(frontier)) > self._saved

    async def save(self, frontier: Frontier, judge: Judge) -> None:
        """Write a snapshot beside the crawl, slice by slice, and have the store trust it.

        Nothing is awaited before what it tells of at least is fixed. All that is in it was handed
        to the store before the word that it is trusted, so no commit has that without the rest.
        Trouble of disk or memory is told, and ends nothing; StoreError as `Store.flush`.
        """
        told = self._told(frontier)
        parts = _parts(frontier.seen, judge, told["documents"])
        if parts is None or self._fails:
            return
        begun = self._clock()
        try:
            token = await self._write(parts) if self._has_room(told) else None
        except (OSError, MemoryError) as error:
            self._fails = True
            why = str(error) or type(error).__name__
            self._report(f"No snapshot of memory could be written: {why}")
            return
        if token is None:
            return
        self._store.set_meta(Meta.SNAPSHOT, {"token": token, **told, "judge": judge.kind})
        await self._store.flush()
        snapshots.remove_others(self._store.directory, token)
        self._saved = _size(told)
        log.debug("a snapshot of %s took %.1f s", told, self._clock() - begun)

    def _told(self, frontier: Frontier) -> dict[str, int]:
        """Return of what a snapshot would tell now, as `Meta.SNAPSHOT` has it."""
        urls = frontier.next_url_id - 1
        missing = urls - len(frontier.seen)
        return {"urls": urls, "missing": missing, "documents": self._store.last_document_id}

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
        pages = told["documents"] + self._pages.earlier_documents
        size = BYTES_A_URL * told["urls"] + BYTES_A_PAGE * pages
        has_room = shutil.disk_usage(self._store.directory).free > ROOM * size
        if not has_room and not self._told_room:
            self._told_room = True
            self._report(
                f"No snapshot of memory is written while too little is free on the disk, less than "
                f"{ROOM} times its {size:,} bytes: without one, `resume` takes longer to begin"
            )
        return has_room


def _size(told: Mapping[str, Any]) -> int:
    """Return how much there is to be rebuilt, in URLs."""
    return int(told["urls"]) + URLS_A_PAGE * int(told["documents"])


def _parts(seen: SeenSet, judge: Judge, last_id: int) -> Iterator[snapshots.Part] | None:
    judged = judge.parts(last_id)
    if judged is None:
        return None
    urls = ((_SEEN, data) for data in seen.parts())
    return chain(urls, ((_JUDGE + name, data) for name, data in judged))
