"""What one run of a crawl leaves for the next, beside its URLs and pages.

The runs so far, a widened scope and what the trap rule knows, under keys of
`crawler.storage.tables.Meta`; what hosts are owed and what was seen of them, a row each.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from crawler.config import Job
from crawler.console import Say, progress
from crawler.dedup import Judge
from crawler.engine.ports import PageFrontier, RememberedJudge
from crawler.frontier import Frontier, Health, Pause, SeenSet, UrlFilters
from crawler.frontier.learning import HEARD
from crawler.frontier.scope import had
from crawler.models import IndexRow, UrlState
from crawler.observe.progress import NowAndThen, Stalls, in_slices
from crawler.observe.summary import counts
from crawler.storage import snapshots
from crawler.storage.catalog import LayeredCatalog
from crawler.storage.rows import HealthRow, PauseRow
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import confirm_accounts

HELD_A_SLICE, HOSTS_A_SLICE, LESSONS_A_SLICE = 5_000, 200, 100
"""Of work that is proportional to all of them: some 10 ms."""

PAUSES_KEPT_S = 3_600.0
"""How long a later run knows of a pause that has passed. A run that was killed may have asked the
host again since it last noted when it may be; and what a host refused for being asked too often is
mostly counted by the minute or the hour."""

JUMP_S = 5.0
"""A clock that is put right step by step is off by less between two notes of where a run stands."""

MANY = 100_000
"""Pending URLs that take more than a second to walk over."""


class Checkpoint:
    """Restores what earlier runs left, and keeps what a later run needs. `clock` is monotonic."""

    def __init__(
        self,
        job: Job,
        store: Store,
        clock: Callable[[], float],
        filters: UrlFilters | None = None,
        make: Callable[..., PageFrontier] = Frontier,
    ) -> None:
        """`make` makes the run's frontier."""
        self._make = make
        self._job = job
        self._filters = filters
        self._store = store
        self._clock = clock
        self._resumed = bool(store.meta(Meta.RUNS, []))
        self._owed: set[str] = set()
        """Hosts of which a pause is kept, those of earlier runs too: no other row is deleted."""
        self._offset_s = time.time() - clock()
        """By how much Unix time is ahead of the clock."""

    async def frontier(self, pages: int, seen: SeenSet, stop: asyncio.Event) -> PageFrontier:
        """Return the frontier as the store has it, or a part of it once a `stop` is asked for.

        `pages` were fetched so far; `seen` are the URLs of earlier runs.
        """
        store, limit = self._store, self._job.limits.pages
        totals = store.totals
        frontier = self._make(
            self._job,
            next_url_id=store.next_url_id,
            pages_left=None if limit is None else max(0, limit - pages),
            traps=store.meta(Meta.TRAPS, {}),
            drawn=counts(totals.drawn),
            had=had(totals),
            seen=seen,
            filters=self._filters,
        )
        frontier.widen((url for url, _, _ in store.seeds()), store.meta(Meta.SCOPE, []))
        if self._resumed:
            pauses, now = await self._owed_pauses(), time.time()
            health = {
                row.place: Health(
                    row.answered, row.tries, max(0.0, now - row.tried_at), row.evidence_s, row.why
                )
                for row in store.health()
            }
            frontier.resume(pauses, health, self._clock())
        async for lessons in in_slices(store.lessons(HEARD), LESSONS_A_SLICE):
            for lesson in lessons:
                frontier.hear(*lesson)
            if stop.is_set():
                break
        for foretold in store.predicted():
            frontier.foretold(*foretold)
        async for hosts in in_slices(store.pending(), HOSTS_A_SLICE):
            for host, pending in hosts:
                frontier.restore(host, pending)
            if stop.is_set():
                break
        return frontier

    async def _owed_pauses(self) -> dict[str, Pause]:
        """Return what is left of each pause by the time that has passed since it was noted.

        None has where the clock was set back since then: what is left is as it was.
        """
        ended_at: float = self._store.meta(Meta.RUNS)[-1]["finished_at"]
        now, limit_s = time.time(), self._job.politeness.max_retry_after_s
        if ended_at > now:
            await self._set_pauses(now - ended_at)
        owed, over = {}, []
        async for some in in_slices(self._store.pauses(), HELD_A_SLICE):
            for host, until, *delays_s in some:
                is_over = until <= now and max(delays_s) <= self._job.politeness.delay_s
                if is_over or until + max(delays_s) + PAUSES_KEPT_S <= now:
                    over.append(host)
                else:
                    owed[host] = Pause(min(max(0.0, until - now), limit_s), *delays_s)
        self._owed.update(owed)
        self._store.note_pauses(dict.fromkeys(over))
        return owed

    async def _set_pauses(self, by_s: float) -> None:
        """Note the ends of all pauses anew by a clock that was set, ahead or (below zero) back."""
        await self._store.flush()
        async for some in in_slices(self._store.pauses(), HELD_A_SLICE):
            self._store.note_pauses(
                {row.host: row._replace(until=row.until + by_s) for row in some}
            )
        await self._store.flush()

    async def mark(
        self,
        frontier: PageFrontier,
        stalls: Stalls,
        *,
        stopped: bool,
        timed_out: bool = False,
        disk_full: bool = False,
    ) -> None:
        """Note where this run stands, lest it be killed: what has changed since this was called."""
        self._store.mark_run(
            stopped=stopped,
            timed_out=timed_out,
            disk_full=disk_full,
            stall_s=stalls.longest_s,
            stall_p99_s=stalls.p99_s,
        )
        now, offset_s = time.time(), time.time() - self._clock()
        if abs(jumped_s := offset_s - self._offset_s) > JUMP_S:
            self._offset_s = offset_s
            await self._set_pauses(jumped_s)
        async for some in in_slices(frontier.take_pauses(self._clock()), HOSTS_A_SLICE):
            changed: dict[str, PauseRow | None] = {}
            for host, pause in some:
                if pause is not None:
                    self._owed.add(host)
                    changed[host] = PauseRow(host, now + pause.left_s, pause.delay_s, pause.slow_s)
                elif host in self._owed:
                    self._owed.remove(host)
                    changed[host] = None
            self._store.note_pauses(changed)
        self._store.note_health(
            [
                HealthRow(
                    name,
                    known.answered,
                    known.tries,
                    now - known.tried_ago_s,
                    known.evidence_s,
                    known.why,
                )
                for name, known in frontier.take_health().items()
            ]
        )

    def keep(
        self,
        frontier: PageFrontier,
        pending: Iterable[tuple[str, str, str | None, bool]] = (),
    ) -> None:
        """Note how far the scope was widened, and what the trap rule knows; a killed run has it."""
        state = frontier.state(pending)
        if state["places"]:
            self._store.set_meta(Meta.SCOPE, state["places"])
        self._store.set_meta(Meta.TRAPS, state["traps"])

    def count_held(self, frontier: PageFrontier, report: Say) -> None:
        """Count the URLs that each cut subtree holds back, of those committed as pending.

        One walk over the pending URLs, and none where nothing is cut.
        """

        def walked() -> Iterator[tuple[str, str, str | None, bool]]:
            if (pending := frontier.counts().pending) >= MANY:
                among = f"among {pending:,} pending ones"
                report(progress(f"Counting URLs in cut subtrees, {among} ..."))
            yield from self._store.pending_urls()

        self.keep(frontier, walked())

    def check_accounts(self, frontier: PageFrontier) -> None:
        """Hold three counts against each other: seen set, URL table, lines of the files."""
        accounting, counts = self._store.accounting(), frontier.counts()
        problems = list(accounting.problems)
        if accounting.seen != counts.seen:
            problems.append(f"{counts.seen} URLs were seen, {accounting.seen} are stored")
        if (stored := accounting.count(UrlState.PENDING)) != counts.pending:
            problems.append(f"{counts.pending} URLs are queued, {stored} are stored as pending")
        confirm_accounts(self._store.directory, problems)


# ---------------------------------------------------------------- memory
# What a crawl keeps in memory of all URLs and pages: restored as a run begins, saved for the next.
#
# From the store both are rebuilt in some 12 µs a URL and 40 µs a page: minutes for a large crawl. A
# snapshot (`crawler.storage.snapshots`) is read in a hundredth of that; what came after it is added
# from the store. Where there is none, or it proves damaged, all is rebuilt.


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
        judge: Callable[[], RememberedJudge] | None = None,
    ) -> None:
        """`judge` makes the judge, where it is not that of the store's own pages."""
        self._make = judge
        self._job = job
        self._store = store
        self._report = report
        self._stop = stop
        self._clock = clock
        self._say = NowAndThen(report, SAY_EVERY_S, clock)
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
    ) -> tuple[SeenSet, RememberedJudge] | None:
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

    def _judge(self, expected_documents: int) -> RememberedJudge:
        if self._make is not None:
            return self._make()
        next_id = self._store.next_document_id
        judge = Judge(self._job.dedup, self._pages, expected_documents, next_id)
        judge.restore_editions(self._store.editions())
        return judge

    async def _from_snapshot(
        self, trusted: dict[str, Any], expected_documents: int
    ) -> tuple[SeenSet, RememberedJudge] | None:
        judge, seen_parts = self._judge(expected_documents), list[bytes]()
        if trusted.get("judge") != judge.kind:
            raise ValueError("it was made for another `dedup.near`, or by another version")
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
        stored = self._store.counts.urls
        if restored and len(seen) != stored:
            raise ValueError(f"with it {len(seen):,} URLs were seen, {stored:,} are stored")
        self._saved = _size(trusted)
        return restored

    async def _since(
        self, seen: SeenSet, urls: int, judge: RememberedJudge, documents: int
    ) -> tuple[SeenSet, RememberedJudge] | None:
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

    async def _take_in(
        self, judge: RememberedJudge, pages: Iterator[IndexRow], called: str
    ) -> bool:
        """Have the judge know pages; return whether all of them, not stopped meanwhile."""
        done = 0
        async for rows in in_slices(pages, PAGES_A_SLICE):
            judge.restore(rows)
            done += len(rows)
            self._say(progress(f"{done:,} {called} loaded"))
            if self._stop.is_set():
                return False
        return True

    # ----------------------------------------------------------------------------------------------
    # For the next run

    def is_due(self, frontier: PageFrontier) -> bool:
        """Whether so much is new since the last snapshot that a running crawl makes another."""
        size = _size(self._told(frontier))
        return size - self._saved >= max(LEAST_GROWTH, GROWTH * size)

    def is_worth(self, frontier: PageFrontier) -> bool:
        """Whether a run that ends leaves a snapshot."""
        is_large = frontier.counts().seen >= WORTH_URLS
        return is_large and _size(self._told(frontier)) > self._saved

    async def save(self, frontier: PageFrontier, judge: RememberedJudge) -> None:
        """Write a snapshot beside the crawl, slice by slice, and have the store trust it.

        Nothing is awaited before what it tells of at least is fixed. All that is in it was handed
        to the store before the word that it is trusted, so no commit has that without the rest.
        Trouble of disk or memory is told, and ends nothing; StoreError as `Store.flush`.
        """
        told = self._told(frontier)
        seen, judged = frontier.snapshot()[1], judge.parts(told["documents"])
        if judged is None or self._fails:
            return
        parts = chain(
            ((_SEEN, data) for data in seen), ((_JUDGE + name, data) for name, data in judged)
        )
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

    def _told(self, frontier: PageFrontier) -> dict[str, int]:
        """Return of what a snapshot would tell now, as `Meta.SNAPSHOT` has it."""
        return {**frontier.snapshot()[0], "documents": self._store.last_document_id}

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
