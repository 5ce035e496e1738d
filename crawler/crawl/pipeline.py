"""One page, top to bottom: fetch, read, judge, store."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from crawler import engine
from crawler.config import Job
from crawler.console import safe
from crawler.crawl.offers import CopiedLinks, FollowOnly, Offers, Sitemaps
from crawler.crawl.revisit import UnchangedPages, Visits
from crawler.engine.engine import Engine
from crawler.engine.outcomes import is_copy_here
from crawler.engine.ports import PagePool, Parts
from crawler.engine.templates import SiteReader
from crawler.errors import CrawlerError
from crawler.extract import Listing, PageLinks
from crawler.frontier import Subtree
from crawler.models import (
    Document,
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    FetchTask,
    NewUrl,
    PageOutcome,
    Redirected,
    Skip,
    Skipped,
)
from crawler.observe.internal_errors import InternalErrors
from crawler.urls import host_key
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import Planned, as_it_is

# ---------------------------------------------------------------- reading
# A page on its way from its fetch to the processes that read it: it holds no place meanwhile.


_Read = TypeVar("_Read")


class UnreadPages(Protocol):
    """What the frontier hears of pages that wait to be read."""

    def unread(self, host: str, size: int) -> bool:
        """A page of so many bytes waits to be read; return whether there is room for it."""

    def was_read(self, host: str, size: int) -> None:
        """It has been read, or nobody waits for that any more."""


class LeftSlots(Protocol):
    """The slots for pages that are fetched."""

    def left(self, host: str) -> AbstractContextManager[None]:
        """Give the place of a page away for a while."""


class ReadingRoom:
    """A pool whose pages give their place to others until they were read, while there is room.

    So a site whose pages take long to read does not keep others from being fetched. The frontier
    counts the pages in the room, and holds back the domains that fill it. A page for which there is
    no room keeps its place: a crawl whose processes cannot keep up fetches no faster than they
    read.
    """

    def __init__(self, pool: PagePool, slots: LeftSlots, frontier: UnreadPages) -> None:
        self._pool = pool
        self._slots = slots
        self._frontier = frontier

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """Read a page, by what `planned` makes of the request when its turn has come."""
        return await self._read(request, partial(self._pool.analyse, planned=planned))

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """Read the links of a page whose payload is known."""
        return await self._read(request, self._pool.links)

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """Read what a sitemap or feed lists."""
        return await self._read(request, self._pool.listing)

    async def _read(
        self, request: AnalysisRequest, read: Callable[[AnalysisRequest], Awaitable[_Read]]
    ) -> _Read:
        host, size = host_key(request.url), len(request.body)
        room = self._frontier.unread(host, size)
        try:
            with self._slots.left(host) if room else nullcontext():
                return await read(request)
        finally:
            self._frontier.was_read(host, size)


# ---------------------------------------------------------------- life
# The life of one page, top to bottom: fetch, read, judge, store.
#
# One coroutine carries one page. There are no queues between the steps; how many pages are under
# way is how many of these coroutines run. Everything from the verdict to the hand-over to the store
# is one synchronous stretch, so the judge's indexes, the frontier and the store never disagree.


log = logging.getLogger(__name__)

_DETAIL_LENGTH = 300
"""An exception may quote a page."""


class PagePipeline:
    """Carries pages from a task to a committed batch. `clock` is monotonic, `wall` Unix time.

    `on_cut` hears of every subtree that the trap rule cuts, `on_widened` of every host that became
    part of the scope although the redirect of a seed to it was refused, `errors` of our own ones.
    `visits` are the pages of earlier directories, where those are visited again.
    """

    def __init__(
        self,
        job: Job,
        parts: Parts,
        clock: Callable[[], float],
        wall: Callable[[], float],
        on_cut: Callable[[Subtree], None],
        on_widened: Callable[[], None] = lambda: None,
        errors: InternalErrors | None = None,
        visits: Visits | None = None,
    ) -> None:
        self._parts = parts
        self._frontier = parts.frontier
        self._clock = clock
        self._wall = wall
        self._on_cut = on_cut
        self._errors = errors or InternalErrors(lambda line: None)
        self._sites = SiteReader(job, parts.pool, parts.learners)
        self._copies = CopiedLinks(parts.pool)
        self._offers = Offers(parts.frontier, parts.store, job.dedup.follow_duplicates, on_widened)
        self._follow_only = FollowOnly(parts.frontier, self._copies, self._offers)
        self._sitemaps = Sitemaps(job, parts, self._offers)
        self._engine = Engine(
            job, parts.judge, parts.pages, parts.store.next_document_id, self._offers
        )
        self._unchanged = UnchangedPages(visits, parts, self._offers) if visits else None
        self._open: set[int] = set()
        """URLs under way that have no end yet."""

    async def run(self, task: FetchTask) -> None:
        """Carry one page to its end, or leave it to the frontier for another attempt.

        Raises CrawlerError where the crawl cannot go on, and MemoryError, which is no page's fault:
        the URL stays pending. What else goes wrong here with one page ends that page.
        """
        judged, way = False, [task]
        self._open.add(task.url_id)
        try:
            judged = await self._carry(way)
            await self._offers.catch_up()
        except CrawlerError:
            raise
        except MemoryError:
            self._offers.keep()
            raise
        except Exception as error:
            self._break_off(way[-1], error)
        finally:
            self._open.discard(way[-1].url_id)
            self._offers.forget(way[-1])
            if not judged:
                self._frontier.refund_page()
        await self._parts.store.room()

    def _break_off(self, task: FetchTask, error: Exception) -> None:
        """End a URL with which the crawler itself went wrong; all others go on."""
        self._offers.keep()
        self._errors.tell(task.url, error)
        if task.url_id in self._open:
            detail = safe(f"{type(error).__name__}: {error}")[:_DETAIL_LENGTH]
            failed = Failed(task, Failure.INTERNAL_ERROR, detail, self._wall())
            self.end(task, engine.fail_end(failed))

    async def _carry(self, way: list[FetchTask]) -> bool:
        """Carry one page; return whether it was judged as one.

        `way` is its task; those to which redirects led within the fetch are added as they end.
        """
        outcome = await self._fetch(way[0])
        while isinstance(outcome, Redirected):
            outcome = self._redirect(outcome)
            if outcome is not None:
                way.append(outcome.task)
        judged = False
        match outcome:
            case Fetched() as fetched if self._sitemaps.is_one(fetched):
                self.end(fetched.task, await self._sitemaps.read(fetched))
            case Fetched() as fetched:
                self._sitemaps.find(fetched.task)
                judged = await self._read(fetched)
            case Skipped() as skipped:
                self.end(skipped.task, engine.skip_end(skipped))
            case Failed() as failed:
                self.end(failed.task, engine.fail_end(failed))
            case None:
                log.debug("%s is asked for again later, or ended", way[-1].url)
        return judged

    def end(self, task: FetchTask, outcome: PageOutcome) -> None:
        """Hand a page's end to the store; only then may the frontier forget the task."""
        if self._unchanged is not None:
            self._unchanged.note(task, outcome)
        self._frontier.spend(task, outcome)
        self._parts.store.submit(outcome)
        self._open.discard(task.url_id)
        self._offers.handed_over()
        self._parts.tally.add(outcome)
        cut = self._frontier.settle(task, outcome)
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s ended: %s %s", task.url, outcome.state.name.lower(), outcome.detail)
        if cut is not None:
            self._on_cut(cut)

    # ----------------------------------------------------------------------------------------------
    # Fetching

    async def _fetch(self, task: FetchTask) -> FetchOutcome | None:
        """Return how the task's request ended; None where the task is not at its end."""
        outcome, begun_at = None, self._clock()
        try:
            outcome = await self._ask(task)
        finally:  # also where the run is cancelled: the host gets its slots back
            outcome = self._frontier.ended(task, outcome, begun_at, self._clock())
        return outcome

    async def _ask(self, task: FetchTask) -> FetchOutcome:
        fetcher = self._parts.fetcher
        if fetcher.robots.allowed(task.url):
            delay_s = self._frontier.delay_s(task.host)
            task = task if self._unchanged is None else self._unchanged.asked(task)
            leads_on = partial(self._frontier.leads_on, via=task)
            return await fetcher.fetch(task, delay_s, leads_on)
        return Skipped(task, Skip.ROBOTS, "disallowed by robots.txt", self._wall())

    # ----------------------------------------------------------------------------------------------
    # Reading and judging

    async def _read(self, fetched: Fetched) -> bool:
        """Read what was fetched and end it; return whether it was judged as a page."""
        task, admitted = fetched.task, self._engine.admit(fetched)
        self._offers.open(task, fetched.wire_bytes)
        if self._follow_only.wants(fetched):
            outcome = await self._follow_only.read(admitted)
        elif self._unchanged is not None and (same := await self._unchanged.look(admitted)):
            outcome = same
        elif (known := self._engine.known(admitted)) is not None:
            links = await self._copies.read(admitted.request, admitted.key, task.url)
            if isinstance(links, PageLinks):
                follow, copied = admitted.follows(links), is_copy_here(known)
                await self._offers.early(task, links.links, follow=follow, copied=copied)
            outcome = self._engine.conclude_known(admitted, known, links)
        else:
            async with self._sites.reading(admitted.request) as (page, visit):
                if isinstance(page, Document):
                    for name, raised in page.trouble:
                        self._errors.tell_of_extractor(name, fetched.final_url, raised)
                    if not admitted.moved_to(page):
                        follow, leads_to = admitted.follows(page), admitted.links(page)
                        await self._offers.early(task, leads_to, follow=follow)
                # From here to the store nothing waits: judge, frontier and store agree.
                outcome = self._engine.conclude(admitted, page, visit)
                self.end(task, outcome)
                return outcome.is_page
        self.end(task, outcome)
        return outcome.is_page

    # ----------------------------------------------------------------------------------------------
    # Offering what was found

    def _redirect(self, redirected: Redirected) -> FetchOutcome | None:
        """End a redirect; return what came of its target, if that was asked at once and is new."""
        answer, then = self._offers.target(redirected), redirected.then
        self.end(redirected.task, engine.redirect_end(redirected, answer))
        if then is None or not isinstance(answer, NewUrl):
            return None
        self._open.add(answer.url_id)
        return replace(then, task=replace(then.task, url_id=answer.url_id))
