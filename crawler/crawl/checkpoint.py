"""What one run of a crawl leaves for the next, beside its URLs and pages.

The runs so far, the pauses still owed to hosts, a widened scope, and what the trap rule knows: all
under keys of `crawler.storage.Meta`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from crawler.config import Job
from crawler.frontier import Frontier, Health, Pause
from crawler.printing import Say
from crawler.storage import HealthRow, Meta, Store

MANY = 100_000
"""Pending URLs that take more than a second to walk over."""


class Checkpoint:
    """Restores what earlier runs left, and keeps what a later run needs. `clock` is monotonic."""

    def __init__(self, job: Job, store: Store, clock: Callable[[], float]) -> None:
        self._job = job
        self._store = store
        self._clock = clock
        self._resumed = bool(store.meta(Meta.RUNS, []))

    def frontier(self, pages: int, report: Say) -> Frontier:
        """Return the frontier as the store has it; `pages` were fetched so far."""
        store, limit = self._store, self._job.limits.pages
        if self._resumed:
            report(f"Loading {store.next_url_id - 1:,} URLs from the store ...")
        frontier = Frontier(
            self._job,
            next_url_id=store.next_url_id,
            pages_left=None if limit is None else max(0, limit - pages),
            traps=store.meta(Meta.TRAPS, {}),
        )
        for url in store.seen_urls():
            frontier.seen.add(url)
        for url, _, _ in store.seeds():
            frontier.scope.widen(url)
        for host in store.meta(Meta.SCOPE, []):
            frontier.scope.keep(host)
        if self._resumed:
            frontier.politeness.resume(self._owed_pauses(), self._clock(), self._health())
        for host, pending in store.pending():
            frontier.restore(host, pending)
        return frontier

    def _owed_pauses(self) -> dict[str, Pause]:
        now, limit_s = time.time(), self._job.politeness.max_retry_after_s
        kept: dict[str, tuple[float, ...]] = self._store.meta(Meta.PAUSES, {})
        return {
            host: Pause(min(max(0.0, until - now), limit_s), *delays_s)
            for host, (until, *delays_s) in kept.items()
        }

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
        self._store.begin_run(self._job.model_dump(mode="json"))

    def mark(self, frontier: Frontier, *, stopped: bool) -> None:
        """Note where this run stands, lest it be killed."""
        self._store.mark_run(stopped=stopped)
        pauses, now = frontier.politeness.pauses(self._clock()), time.time()
        self._store.set_meta(
            Meta.PAUSES, {h: (now + p.left_s, p.delay_s, p.slow_s) for h, p in pauses.items()}
        )
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
                report(
                    f"Counting URLs in cut subtrees, among {frontier.pending:,} pending ones ..."
                )
            pending = self._store.pending_urls()
            holders = (frontier.traps.holder(url, host) for host, url in pending)
            held = Counter(holder.name for holder in holders if holder is not None)
            for cut in cuts:
                cut.pending = held[cut.name]
        self.keep_traps(frontier)
