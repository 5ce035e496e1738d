"""What one run of a crawl leaves for the next, beside its URLs and pages.

The runs so far, a widened scope and what the trap rule knows, under keys of
`crawler.storage.tables.Meta`; what hosts are owed and what was seen of them, a row each.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from crawler.config import Job
from crawler.console import Say, progress
from crawler.frontier import Frontier, Health, Pause, SeenSet, UrlFilters
from crawler.models import UrlState
from crawler.observe.parts import parts_in_use
from crawler.observe.progress import Stalls
from crawler.observe.slices import in_slices
from crawler.observe.summary import drawn, had
from crawler.storage.rows import HealthRow, PauseRow
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import confirm_accounts

URLS_A_SLICE, HOSTS_A_SLICE = 5_000, 200
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
        plugins: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`plugins` are those of the run, by kind, as they are told."""
        self._plugins = plugins
        self._job = job
        self._filters = filters
        self._store = store
        self._clock = clock
        self._resumed = bool(store.meta(Meta.RUNS, []))
        self._owed: set[str] = set()
        """Hosts of which a pause is kept, those of earlier runs too: no other row is deleted."""
        self._offset_s = time.time() - clock()
        """By how much Unix time is ahead of the clock."""

    async def frontier(self, pages: int, seen: SeenSet, stop: asyncio.Event) -> Frontier:
        """Return the frontier as the store has it, or a part of it once a `stop` is asked for.

        `pages` were fetched so far; `seen` are the URLs of earlier runs.
        """
        store, limit = self._store, self._job.limits.pages
        frontier = Frontier(
            self._job,
            next_url_id=store.next_url_id,
            pages_left=None if limit is None else max(0, limit - pages),
            traps=store.meta(Meta.TRAPS, {}),
            drawn=drawn(store.totals),
            had=had(store.totals),
            seen=seen,
            filters=self._filters,
        )
        for url, _, _ in store.seeds():
            frontier.scope.widen(url)
        for directory in store.meta(Meta.SCOPE, []):
            frontier.scope.keep_directory(directory)
        if self._resumed:
            pauses = await self._owed_pauses()
            frontier.politeness.resume(pauses, self._clock(), self._health())
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
        async for some in in_slices(self._store.pauses(), URLS_A_SLICE):
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
        async for some in in_slices(self._store.pauses(), URLS_A_SLICE):
            self._store.note_pauses(
                {row.host: row._replace(until=row.until + by_s) for row in some}
            )
        await self._store.flush()

    def _health(self) -> dict[str, Health]:
        now = time.time()
        return {
            row.place: Health(
                row.answered, row.tries, max(0.0, now - row.tried_at), row.evidence_s, row.why
            )
            for row in self._store.health()
        }

    def begin(self) -> None:
        """Begin a run."""
        self._store.begin_run(self._job.model_dump(mode="json"), parts_in_use(self._plugins))

    async def mark(
        self,
        frontier: Frontier,
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
        async for some in in_slices(frontier.politeness.take_pauses(self._clock()), HOSTS_A_SLICE):
            self._note_pauses(some, now)
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
                for name, known in frontier.politeness.take_noted().items()
            ]
        )

    def _note_pauses(self, pauses: Iterable[tuple[str, Pause | None]], now: float) -> None:
        changed: dict[str, PauseRow | None] = {}
        for host, pause in pauses:
            if pause is not None:
                self._owed.add(host)
                changed[host] = PauseRow(host, now + pause.left_s, pause.delay_s, pause.slow_s)
            elif host in self._owed:
                self._owed.remove(host)
                changed[host] = None
        self._store.note_pauses(changed)

    def keep_scope(self, frontier: Frontier) -> None:
        """Note how far redirects of seeds have widened the scope beyond what stored URLs tell."""
        self._store.set_meta(Meta.SCOPE, sorted(frontier.scope.kept))

    def keep_traps(self, frontier: Frontier) -> None:
        """Note what the trap rule knows; a killed run keeps what was cut."""
        self._store.set_meta(Meta.TRAPS, frontier.traps.state())

    def count_held(self, frontier: Frontier, report: Say) -> None:
        """Count the URLs that each cut subtree holds back, of those committed as pending.

        One walk over the pending URLs, and none where nothing is cut.
        """
        cuts = frontier.traps.cuts()
        if cuts:
            if frontier.pending >= MANY:
                among = f"among {frontier.pending:,} pending ones"
                report(progress(f"Counting URLs in cut subtrees, {among} ..."))
            pending = self._store.pending_urls()
            holders = (
                frontier.traps.holder(url, host, via, seed=bool(seed))
                for host, url, via, seed in pending
            )
            held = Counter(holder.name for holder in holders if holder is not None)
            for cut in cuts:
                cut.pending = held[cut.name]
        self.keep_traps(frontier)

    def check_accounts(self, frontier: Frontier) -> None:
        """Hold three counts against each other: seen set, URL table, lines of the files."""
        accounting = self._store.accounting()
        problems = list(accounting.problems)
        if accounting.seen != len(frontier.seen):
            problems.append(f"{len(frontier.seen)} URLs were seen, {accounting.seen} are stored")
        if accounting.count(UrlState.PENDING) != frontier.pending:
            stored = accounting.count(UrlState.PENDING)
            problems.append(f"{frontier.pending} URLs are queued, {stored} are stored as pending")
        confirm_accounts(self._store.directory, problems)
