"""A crawl that visits the pages of earlier directories: prepared, and offered to the frontier.

All of it is done again, with the same outcome, by every run: the lines that it is made from are
never changed, and what the frontier or the store has already is not taken twice. So a kill at any
moment costs nothing but the time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from crawler.config import Job
from crawler.crawl.slices import in_slices
from crawler.crawl.wider import lacks_links
from crawler.frontier import PASSING, PASSING_SKIPS, Frontier, SeenSet
from crawler.printing import Say, command
from crawler.records import NewUrl, UrlState
from crawler.recrawl import KnownPage, Plan, Sources, Visits, known_pages
from crawler.storage import Known, Meta, Store, reading_stored_values

LINES_A_SLICE, URLS_A_SLICE, TEMPLATES_A_SLICE = 200, 2_000, 200
"""Of work that is proportional to all of them: some 10 to 20 ms."""


_PENDING = "pending"
_WITHOUT_ANSWER = (UrlState.PENDING, UrlState.FAILED)


class Revisited:
    """The pages of earlier directories, in one run of a recrawl."""

    def __init__(self, job: Job, store: Store, plan: Plan, sources: Sources, report: Say) -> None:
        self._job = job
        self._store = store
        self._plan = plan
        self._sources = sources
        self._known: dict[str, KnownPage] = {}
        self._seen = SeenSet()
        """All URLs that earlier directories know, read or not."""
        self._report = report
        self._asked_again: Counter[str] = Counter()
        self._left: Counter[str] = Counter()
        """URLs without a page by how they ended, those that are asked for and all others."""
        self._left_in: dict[UrlState, Path] = {}
        """The newest directory that has some of the others, by their state."""

    @classmethod
    async def opened(
        cls, job: Job, store: Store, stack: AsyncExitStack, report: Say
    ) -> Revisited | None:
        """Open what a store's recrawl goes back to, until `stack` ends; None in other crawls."""
        with reading_stored_values(store.directory):
            kept = store.meta(Meta.RECRAWL)
            plan = None if kept is None else Plan.kept(kept)
        if plan is None:
            return None
        directories = [store.directory / path for path in plan.of]
        sources = stack.enter_context(Sources.opened(directories))
        return cls(job, store, plan, sources, report)

    async def visits(self, frontier: Frontier, stop: asyncio.Event) -> Visits:
        """Read what is known of all pages, or a part of it once a `stop` is asked for."""
        async for _ in in_slices(known_pages(self._sources.views, self._known), LINES_A_SLICE):
            if stop.is_set():
                break
        async for some in in_slices(self._sources.urls(), URLS_A_SLICE):
            for directory, url in some:
                if self._seen.add(url.url) and url.url not in self._known:
                    self._note(url, directory)
            if stop.is_set():
                break
        seeds, kept = self._sources.scope()
        for seed in seeds:
            frontier.scope.widen(seed)
        for place in kept:
            frontier.scope.keep_directory(place)
        frontier.leave((lambda url: True) if self._plan.known_only else self._seen.__contains__)
        await self._inherit()
        reads_links = lacks_links(self._sources.views[-1], self._job)
        return Visits(self._plan, self._sources, self._known, reads_links=reads_links)

    async def offer(self, frontier: Frontier) -> None:
        """Offer the pages that are to be visited; those of an earlier run are known by then."""
        async for some in in_slices(self._known.items(), URLS_A_SLICE):
            offered = [
                frontier.offer(url, depth=page.depth)
                for url, page in some
                if self._plan.wants(page, self._job)
            ]
            self._store.submit_urls([new for new in offered if isinstance(new, NewUrl)])
            await self._store.room()
        await self._offer_unread(frontier)
        self._tell()

    def _note(self, url: Known, directory: Path) -> None:
        """Count a URL that was never stored by how the newest directory that knows it left it."""
        if self._is_wanted(url):
            self._asked_again[_ending(url)] += 1
        elif url.state in _WITHOUT_ANSWER or _may_pass(url):
            self._left[_ending(url)] += 1
            self._left_in.setdefault(url.state, directory.resolve())

    def _is_wanted(self, url: Known) -> bool:
        """Whether a URL that was never stored is asked for: there is no answer about it yet."""
        if self._plan.known_only:
            return False
        return _may_pass(url) or (self._plan.pending and url.state is UrlState.PENDING)

    async def _offer_unread(self, frontier: Frontier) -> None:
        """Offer URLs without a page, those that are wanted."""
        if not self._asked_again:
            return
        newer = SeenSet()
        async for some in in_slices(self._sources.urls(), URLS_A_SLICE):
            offered = [
                frontier.offer(url.url, depth=url.depth, seed=url.seed)
                for _, url in some
                if newer.add(url.url) and url.url not in self._known and self._is_wanted(url)
            ]
            self._store.submit_urls([new for new in offered if isinstance(new, NewUrl)])
            await self._store.room()

    def _tell(self) -> None:
        """Say what becomes of URLs that no earlier directory has a page of."""
        if self._asked_again:
            told = _told(self._asked_again)
            self._report(f"Asking for URLs that earlier directories have no answer about: {told}")
        ways = []
        if directory := self._left_in.pop(UrlState.PENDING, None):
            here = "" if self._plan.known_only else ", or give --pending"
            ways.append(f"what is pending: {command('resume', directory)}{here}")
        ways += [
            f"what failed: {command('retry', directory)} --class CLASS, then resume it"
            for directory in dict.fromkeys(self._left_in.values())
        ]
        if ways:
            told = f"Not asking for URLs that were left before: {_told(self._left)}"
            self._report(f"{told}. To ask for {'; for '.join(ways)}")

    async def _inherit(self) -> None:
        """Go on with the templates that the newest directory has learned: once, by the first run.

        That it was done is committed after all of it; a run that was killed before does it again.
        """
        if self._plan.has_inherited:
            return
        async for some in in_slices(self._sources.learned(), TEMPLATES_A_SLICE):
            for known in some:
                self._store.keep_learned(known)
            await self._store.room()
        self._store.set_meta(Meta.RECRAWL, replace(self._plan, has_inherited=True).record())
        await self._store.flush()


def _may_pass(url: Known) -> bool:
    """Whether a URL has no page for a reason that may have passed, as `retry` takes it."""
    if url.state is UrlState.SKIPPED:
        return url.detail in PASSING_SKIPS
    return url.state is UrlState.FAILED and url.detail in PASSING


def _ending(url: Known) -> str:
    return url.detail or _PENDING


def _told(endings: Counter[str]) -> str:
    return ", ".join(f"{ending} {number:,}" for ending, number in endings.most_common())
