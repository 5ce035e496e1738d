"""A crawl that visits the pages of earlier directories: prepared, and offered to the frontier.

All of it is done again, with the same outcome, by every run: the lines that it is made from are
never changed, and what the frontier or the store has already is not taken twice. So a kill at any
moment costs nothing but the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace

from crawler.config import Job
from crawler.crawl.slices import in_slices
from crawler.crawl.wider import lacks_links
from crawler.frontier import Frontier, SeenSet
from crawler.records import NewUrl
from crawler.recrawl import KnownPage, Plan, Sources, Visits, known_pages
from crawler.storage import Meta, Store, reading_stored_values

LINES_A_SLICE, URLS_A_SLICE, TEMPLATES_A_SLICE = 200, 2_000, 200
"""Of work that is proportional to all of them: some 10 to 20 ms."""


class Revisited:
    """The pages of earlier directories, in one run of a recrawl."""

    def __init__(self, job: Job, store: Store, plan: Plan, sources: Sources) -> None:
        self._job = job
        self._store = store
        self._plan = plan
        self._sources = sources
        self._known: dict[str, KnownPage] = {}
        self._seen = SeenSet()
        """All URLs that earlier directories know, read or not."""

    @classmethod
    async def opened(cls, job: Job, store: Store, stack: AsyncExitStack) -> Revisited | None:
        """Open what a store's recrawl goes back to, until `stack` ends; None in other crawls."""
        with reading_stored_values(store.directory):
            kept = store.meta(Meta.RECRAWL)
            plan = None if kept is None else Plan.kept(kept)
        if plan is None:
            return None
        directories = [store.directory / path for path in plan.of]
        sources = stack.enter_context(Sources.opened(directories))
        return cls(job, store, plan, sources)

    async def visits(self, frontier: Frontier, stop: asyncio.Event) -> Visits:
        """Read what is known of all pages, or a part of it once a `stop` is asked for."""
        async for _ in in_slices(known_pages(self._sources.views, self._known), LINES_A_SLICE):
            if stop.is_set():
                break
        async for urls in in_slices(self._urls(), URLS_A_SLICE):
            for url in urls:
                self._seen.add(url)
            if stop.is_set():
                break
        seeds, kept = self._sources.scope()
        for url in seeds:
            frontier.scope.widen(url)
        for directory in kept:
            frontier.scope.keep_directory(directory)
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

    def _urls(self) -> Iterator[str]:
        for view in self._sources.views:
            yield from view.seen_urls()

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
