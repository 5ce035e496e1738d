"""URLs that were left out and that a changed job wants: put back before its run begins.

So are pages that were asked for and not stored, where what they link to was refused: of those no
line says where they lead, so they are asked for once more.
"""

from __future__ import annotations

from pathlib import Path

from crawler.config import Job
from crawler.crawl.identity import identity
from crawler.crawl.wider import job_before
from crawler.frontier.blocks import HostBlocks
from crawler.frontier.reach import is_deeper, is_wider, speaks_more, stores_more
from crawler.frontier.scope import ScopeFilter
from crawler.printing import Say
from crawler.records import Priority, Skip, UrlState
from crawler.storage import LeftOut, Meta, StoreView, Wanted, put_back
from crawler.urls import host_key

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
    scope = ScopeFilter(job.scope, HostBlocks(job))
    for url, _, _ in view.seeds():
        scope.widen(url)
    for directory in view.meta(Meta.SCOPE, []):
        scope.keep_directory(directory)
    return scope
