"""A run that reaches farther than the one before.

What was left out or refused then is offered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from crawler.config import Job, parse_job
from crawler.console import Say, command, progress
from crawler.engine.identity import identity
from crawler.engine.ports import PageFrontier
from crawler.errors import ConfigError
from crawler.frontier import Nearer, Refusal
from crawler.frontier.scope import (
    HostOverrides,
    ScopeFilter,
    is_deeper,
    is_wider,
    speaks_more,
    stores_more,
)
from crawler.models import FetchTask, NewUrl, Priority, Skip, UrlState
from crawler.observe.progress import in_slices
from crawler.storage.database import reading_stored_values
from crawler.storage.journal import reading_line
from crawler.storage.requeue import LeftOut, Wanted, put_back
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.urls import host_key

# ---------------------------------------------------------------- wider
# Links beyond the reach of a job are counted and not kept: at a limit of depth they are most of all
# links. They are found again where lines say to which pages each stored page links
# (`extract.outlinks`), and where redirects led. Until all of it is offered the store says how far
# the run before reached (`Meta.REACHED`), so a run that is killed meanwhile is followed by one that
# does it again: what is known by then is not taken twice.


LINES_A_SLICE = 50
"""Lines hold texts: some 10 ms."""
MANY = 10_000
"""Pages whose lines take more than a second to read."""
_REFUSED = frozenset({Refusal.OUT_OF_SCOPE.value, Refusal.TOO_DEEP.value})


def job_before(view: StoreView) -> Job | None:
    """Return the job up to whose reach all links were offered; None where no run has begun."""
    with reading_stored_values(view.directory):
        kept: dict[str, Any] | None = view.meta(Meta.REACHED) or view.meta(Meta.JOB)
    try:
        return None if kept is None else parse_job(kept, "")
    except ConfigError:  # of another version of this program
        return None


def lacks_links(view: StoreView, job: Job) -> bool:
    """Whether pages of a directory may link to what was refused there, and a job would not."""
    if view.meta(Meta.LOST_LINKS):
        return True
    before = job_before(view)
    return before is not None and (is_deeper(before, job) or is_wider(before, job))


@dataclass
class Rescope:
    """Offers again what the run before refused."""

    store: Store
    report: Say
    least_depth: int = 0
    """Pages nearer to the seeds had no link refused."""
    lost: int = 0
    """Stored pages of which it is not known to where they link."""
    offered: int = 0

    @classmethod
    def than_before(cls, job: Job, store: Store, report: Say) -> Rescope | None:
        """Return what is to be offered, before the run is noted; None where that is nothing."""
        before = job_before(store)
        if before is None or store.meta(Meta.RECRAWL) is not None:
            return None
        wider, least = is_wider(before, job), before.limits.depth or 0
        if not (wider or is_deeper(before, job)):
            return None
        store.set_meta(Meta.REACHED, before.model_dump(mode="json"))
        return cls(store, report, 0 if wider else least)

    async def offer(self, frontier: PageFrontier, stopped: Callable[[], bool]) -> None:
        """Offer all that is known to have been refused, and tell how much it was."""
        pages = self.store.extents()["pages"].lines
        if pages >= MANY:
            self.report(progress(f"Looking where {pages:,} stored pages link to ..."))
        for some in (self._redirects(), self._pages()):
            async for slice_ in in_slices(some, LINES_A_SLICE):
                for page in slice_:
                    how = replace(page, budget=frontier.url_budget(page.task, 0)).how
                    answers = [frontier.offer(link, **how) for link in page.links]
                    new = [answer for answer in answers if isinstance(answer, NewUrl)]
                    self.offered += len(new)
                    self.store.submit_urls(new)
                await self.store.room()
                if stopped():
                    return
        self.store.set_meta(Meta.REACHED, None)
        if self.lost:
            self.store.set_meta(Meta.LOST_LINKS, {"pages": self.lost})
        await self.store.flush()
        self.report(
            f"Scope or depth is wider than before: {self.offered:,} URLs are queued that were "
            "refused"
        )
        if self.lost:
            again = command("recrawl", self.store.directory, "--all")
            self.report(
                f"Of {self.lost:,} stored pages it is not known what else they link to, since "
                "extract.outlinks was off. To ask for them again, and for what they link to, in a "
                f"directory beside this one: {again}"
            )

    def _pages(self) -> Iterator[Nearer]:
        """Yield the pages of which lines say where they lead, and that this may be followed."""
        query = "SELECT u.id, u.depth FROM documents d JOIN urls u ON u.id = d.url_id WHERE d.id=?"
        for line in self.store.lines("pages"):
            with reading_line(line.place):
                record = orjson.loads(line.data)
                page_id, url, links = record["id"], record["url"], record.get("outlinks")
                nofollow, depth = record.get("nofollow"), record["depth"]
            if depth < self.least_depth:
                continue
            if links is None or nofollow is None:
                self.lost += 1
                continue
            found = self.store.database.rows(query, (page_id,))
            if nofollow or not links or not found:
                continue
            url_id, depth = found[0]
            task = FetchTask(url_id, url, host_key(url), depth)
            yield Nearer(task, tuple(links), Priority.ORDINARY, step=1)

    def _redirects(self) -> Iterator[Nearer]:
        """Yield the redirects whose targets were refused."""
        refused: dict[str, str] = {}
        for line in self.store.lines("redirects"):
            with reading_line(line.place):
                record = orjson.loads(line.data)
                if record["offered"] in _REFUSED:
                    refused[record["url"]] = record["target"]
        if not refused:
            return
        query = "SELECT id, url, depth, hops, seed FROM urls WHERE state = 3"
        for url_id, url, depth, hops, seed in self.store.database.rows(query):
            if (target := refused.get(url)) is not None:
                task = FetchTask(url_id, url, host_key(url), depth, hops=hops, seed=bool(seed))
                yield Nearer(task, (target,), Priority.ORDINARY, step=0)


# ---------------------------------------------------------------- brought back
# URLs that were left out and that a changed job wants: put back before its run begins.
#
# So are pages that were asked for and not stored, where what they link to was refused: of those no
# line says where they lead, so they are asked for once more.


_LINKING = frozenset({Skip.NOINDEX, Skip.FOLLOW_ONLY, Skip.LANGUAGE})
"""Reasons of pages that are not stored, and whose links are followed."""


def bring_back(directory: Path, job: Job, say: Say) -> None:
    """Put back what a crawl has left out and its changed job wants; say how much it is.

    Before the store is opened. Raises StoreInUse and StoreError, as that does.
    """
    with StoreView.read(directory) as view:
        wanted = wanted_back(view, job)
    found = {} if wanted is None else put_back(directory, wanted)
    if found:
        told = ", ".join(f"{detail} {number:,}" for (_, detail), number in sorted(found.items()))
        say(f"The job has changed: {sum(found.values()):,} URLs are asked for again ({told})")


def wanted_back(view: StoreView, job: Job) -> Wanted | None:
    """Return which URLs of a crawl a job wants that the one before did not; None: none.

    None also where the crawl cannot go on with that job.
    """
    before = job_before(view)
    if before is None or view.meta(Meta.IDENTITY) != identity(job):
        return None
    wider, deeper = is_wider(before, job), is_deeper(before, job)
    reasons: set[Skip] = set()
    if wider or deeper:
        reasons |= {Skip.OUT_OF_SCOPE, *_LINKING}
    if wider:
        reasons.add(Skip.SITEMAP)
    if stores := stores_more(before, job):
        reasons.add(Skip.FOLLOW_ONLY)
    if speaks := speaks_more(before, job):
        reasons.add(Skip.LANGUAGE)
    if not reasons:
        return None
    scope, most = scope_of(view, job), job.limits.depth
    limit = before.limits.depth

    def admits(left: LeftOut) -> bool:
        sitemap = left.priority == Priority.SITEMAP
        seed = bool(left.seed)
        within = most is None or left.depth <= most
        if not within or not scope.admits(left.url, host_key(left.url), seed=seed, sitemap=sitemap):
            return False
        if left.detail == Skip.OUT_OF_SCOPE or wider:
            return True
        if left.detail == Skip.FOLLOW_ONLY and stores and not scope.follows_only(left.url):
            return True
        if left.detail == Skip.LANGUAGE and speaks:
            return True
        return deeper and limit is not None and left.depth >= limit

    classes = frozenset((UrlState.SKIPPED, reason.value) for reason in reasons)
    return Wanted(classes, admits=admits)


def scope_of(view: StoreView, job: Job) -> ScopeFilter:
    """Return the scope of a crawl that goes on with a job."""
    scope = ScopeFilter(job.scope, HostOverrides(job))
    for url, _, _ in view.seeds():
        scope.widen(url)
    for directory in view.meta(Meta.SCOPE, []):
        scope.keep_directory(directory)
    return scope
