"""One page, top to bottom: fetch, read, judge, offer what it leads to, store."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from crawler import urls
from crawler.config import Job
from crawler.console import safe
from crawler.dedup.pictures import Pictures
from crawler.dedup.signing import format_digest
from crawler.engine import outcomes
from crawler.engine.engine import Admitted, Engine, Learners, SiteReader, unpacked
from crawler.engine.outcomes import is_copy_here, validators
from crawler.engine.ports import PageFetcher, PageFrontier, PageJudge, PagePool, PageStore
from crawler.errors import CrawlerError
from crawler.fetch import RequestSlots
from crawler.fetch.client import lists_pages
from crawler.fetch.robots_cache import BoundedCache
from crawler.frontier import Filtered, Nearer, Refusal, Subtree, UrlBudget
from crawler.models import (
    Document,
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    FetchTask,
    Listing,
    NewUrl,
    PageLinks,
    PageOutcome,
    PayloadKey,
    Priority,
    Redirected,
    SentUrl,
    Skip,
    Skipped,
    Totals,
)
from crawler.models.enums import FollowDuplicates, SitemapUse
from crawler.observe.internal_errors import InternalErrors
from crawler.observe.summary import Tally
from crawler.sources.web.recrawl import Change, Kind, Visits
from crawler.sources.web.rendering import Rendering
from crawler.storage.catalog import LayeredCatalog
from crawler.urls import host_key
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import Planned, as_it_is

# ---------------------------------------------------------------- reading
# A page on its way from its fetch to the processes that read it: it holds no place meanwhile.


class ReadingRoom:
    """A pool whose pages give their place to others until they were read, while there is room.

    So a site whose pages take long to read does not keep others from being fetched. The frontier
    counts the pages in the room, and holds back the domains that fill it. A page for which there is
    no room keeps its place: a crawl whose processes cannot keep up fetches no faster than they
    read.
    """

    def __init__(self, pool: PagePool, slots: RequestSlots, frontier: PageFrontier) -> None:
        self._pool = pool
        self._slots = slots
        self._frontier = frontier

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """Read a page, by what `planned` makes of the request when its turn has come."""
        with self.aside(host_key(request.url), len(request.body)):
            return await self._pool.analyse(request, planned)

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """Read the links of a page whose payload is known."""
        with self.aside(host_key(request.url), len(request.body)):
            return await self._pool.links(request)

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """Read what a sitemap or feed lists."""
        with self.aside(host_key(request.url), len(request.body)):
            return await self._pool.listing(request)

    @contextmanager
    def aside(self, host: str, size: int) -> Iterator[None]:
        """Have a page of so many bytes wait here, and leave its place to others meanwhile."""
        room = self._frontier.unread(host, size)
        try:
            with self._slots.left(host) if room else nullcontext():
                yield
        finally:
            self._frontier.was_read(host, size)


# ---------------------------------------------------------------- life
# One coroutine carries one page. There are no queues between the steps; how many pages are under
# way is how many of these coroutines run. Everything from the verdict to the hand-over to the store
# is one synchronous stretch, so the judge's indexes, the frontier and the store never disagree.


log = logging.getLogger(__name__)

_DETAIL_LENGTH = 300
"""An exception may quote a page."""

_WHY = {
    Kind.UNCHANGED: "the same bytes as before",
    Kind.MARKUP: "the same visible text as before, in other bytes",
    Kind.SURROUNDINGS: "the same text as before, among other things",
    Kind.STAMPS: "the same text as before, but for stamps and counters",
}

FRUITFUL = b"1"
"""The look of a page wanted for its links alone that led to one that may be stored
(`NoveltyCounter.of`)."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a crawl that carry a page."""

    frontier: PageFrontier
    fetcher: PageFetcher
    pool: PagePool
    judge: PageJudge
    store: PageStore
    pages: LayeredCatalog
    learners: Learners
    tally: Tally
    pictures: Pictures | None = None
    """What stored pages look like, where the job compares by eye."""
    rendering: Rendering | None = None
    """What has pages rendered, where the job asks for that."""


class PagePipeline:
    """Carries pages from a task to a committed batch. `clock` is monotonic, `wall` Unix time.

    `on_cut` hears of every subtree that the trap rule cuts, `on_widened` of every host that became
    part of the scope although the redirect of a seed to it was refused, `errors` of our own ones.
    `visits` are the pages of earlier directories, where those are visited again; `judged` hears how
    many seconds each verdict took.
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
        judged: Callable[[float], None] | None = None,
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
        self._sitemaps = Sitemaps(job, parts, self._offers)
        self._engine = Engine(
            job, parts.judge, parts.pages, self._offers, judged, pictures=parts.pictures
        )
        self._visits = visits
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
            judged = True  # it counts, or a limit of pages would never be reached
            self._break_off(way[-1], error)
        finally:
            self._open.discard(way[-1].url_id)
            self._offers.forget(way[-1])
            if not judged:
                self._frontier.refund_page()
        await self._parts.store.room()

    def arrived(self, sent: Sequence[SentUrl]) -> None:
        """Take in URLs that another partition has sent."""
        self._offers.arrived(sent)

    async def catch_up(self) -> None:
        """Offer again what URLs that have come from elsewhere are a shorter path to."""
        self._offers.offer_again()
        await self._offers.catch_up()

    async def conclude(self, data: bytes) -> None:
        """Come to the end of a page that an earlier run has read, and asked for the verdict on.

        Raises ValueError where it cannot be read.
        """
        admitted, page = unpacked(data)
        task = admitted.fetched.task
        self._frontier.adopt(task)
        self._open.add(task.url_id)
        self._offers.open(task, admitted.fetched.wire_bytes)
        try:
            self.end(task, await self._engine.conclude(admitted, page))
        finally:
            self._open.discard(task.url_id)
            self._offers.forget(task)

    def _break_off(self, task: FetchTask, error: Exception) -> None:
        """End a URL with which the crawler itself went wrong; all others go on."""
        self._offers.keep()
        self._errors.tell(task.url, error)
        if task.url_id in self._open:
            detail = safe(f"{type(error).__name__}: {error}")[:_DETAIL_LENGTH]
            failed = Failed(task, Failure.INTERNAL_ERROR, detail, self._wall())
            self.end(task, outcomes.fail_end(failed))

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
            case Fetched() as fetched if lists_pages(fetched.task, fetched.media_type):
                self.end(fetched.task, await self._sitemaps.read(fetched))
            case Fetched() as fetched:
                self._sitemaps.find(fetched.task)
                judged = await self._read(fetched)
            case Skipped() as skipped:
                self.end(skipped.task, outcomes.skip_end(skipped))
            case Failed() as failed:
                page = None
                if failed.failure is Failure.HTTP_CLIENT_ERROR:
                    page = self._frontier.living_copy(failed.task)
                copy = None if page is None else self._parts.pages.ref(page).url
                self.end(failed.task, outcomes.fail_end(failed, copy))
            case None:
                log.debug("%s is asked for again later, or ended", way[-1].url)
        return judged

    def end(self, task: FetchTask, outcome: PageOutcome) -> None:
        """Hand a page's end to the store; only then may the frontier forget the task."""
        if self._visits is not None:
            self._visits.note(task, outcome, self._frontier)
        if outcome.is_page and (mirrored := self._frontier.mirror(task)) is not None:
            outcome.place({"mirror": mirrored._asdict()})
        if (rendering := self._parts.rendering) is not None:
            outcome.totals.rendering = rendering.take_changes()
        cut = self._frontier.spend(task, outcome)
        self._parts.store.submit(outcome)
        predicted = self._frontier.take_predicted(self._clock())
        self._parts.store.submit_predicted(predicted)
        self._open.discard(task.url_id)
        self._offers.handed_over()
        self._parts.tally.add(outcome)
        self._frontier.settle(task, outcome)
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s ended: %s %s", task.url, outcome.state.name.lower(), outcome.detail)
        if cut is not None:
            self._on_cut(cut)

    # ----------------------------------------------------------------------------------------------
    # Fetching

    async def _fetch(self, task: FetchTask) -> FetchOutcome | None:
        """Return how the task's request ended; None where the task is not at its end."""
        outcome: FetchOutcome | None = None
        fetcher, begun_at = self._parts.fetcher, self._clock()
        try:
            if fetcher.robots.allowed(task.url):
                delay_s = self._frontier.delay_s(task.host)
                asked = task if self._visits is None else self._visits.asked(task)
                leads_on = partial(self._frontier.leads_on, via=asked)
                outcome = await fetcher.fetch(asked, delay_s, leads_on)
                if self._parts.rendering is not None and not self._frontier.follows_only(task.url):
                    outcome = await self._parts.rendering.of(outcome)
            else:
                why = "disallowed by robots.txt"
                outcome = Skipped(task, Skip.ROBOTS, why, self._wall())
        finally:  # also where the run is cancelled: the host gets its slots back
            outcome = self._frontier.ended(task, outcome, begun_at, self._clock())
        return outcome

    # ----------------------------------------------------------------------------------------------
    # Reading and judging

    async def _read(self, fetched: Fetched) -> bool:
        """Read what was fetched and end it; return whether it was judged as a page."""
        task, admitted = fetched.task, self._engine.admit(fetched)
        self._offers.open(task, fetched.wire_bytes)
        if self._frontier.follows_only(task.url):
            outcome = await self._followed(admitted)
        elif self._visits is not None and (same := await self._same(admitted, self._visits)):
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
                # From its verdict to the store nothing waits: judge, frontier and store agree.
                outcome = await self._engine.conclude(admitted, page, visit)
                self.end(task, outcome)
                return outcome.is_page
        self.end(task, outcome)
        return outcome.is_page

    async def _followed(self, admitted: Admitted) -> PageOutcome:
        """Return the end of a page that the job wants for its links alone: a list, a home page.

        It is not judged, so no page is a copy of one.
        """
        fetched, task = admitted.fetched, admitted.fetched.task
        page = await self._copies.read(admitted.request, admitted.key, task.url)
        if isinstance(page, AnalysisFailed):
            return outcomes.unread_end(fetched, page)
        follow, links = admitted.follows(page), admitted.links(page)
        await self._offers.early(task, links, follow=follow)
        skipped = Skipped(task, Skip.FOLLOW_ONLY, "followed for its links", fetched.fetched_at)
        outcome = outcomes.skip_end(skipped, outcomes.costs(fetched))
        self._offers.links(outcome, task, links, follow=follow)
        if any(not self._frontier.follows_only(new.url) for new in outcome.new_urls):
            outcome.look = FRUITFUL
        return outcome

    async def _same(self, admitted: Admitted, visits: Visits) -> PageOutcome | None:
        """Return the end of a page of an earlier directory that says what it said; else None.

        It is read as it was read last, by the same version of its site's template or by none: then
        the same body gives the same text, and what differs has changed. One that proves changed is
        read once more, as its site is read now.
        """
        fetched, task = admitted.fetched, admitted.fetched.task
        last = visits.last(task)
        if last is None or admitted.noindex or admitted.leads_to:
            return None
        known_by = {
            "payload_digest": format_digest(admitted.key.digest),
            **validators(fetched.headers),
        }
        page: Document | PageLinks | AnalysisFailed | None = None
        if last.is_misread:
            visits.found(task, Change(Kind.MISREAD, **known_by))
            return None
        if last.has_bytes(admitted.key.digest):
            change = Change(Kind.UNCHANGED, **known_by)
            if visits.reads_links:  # where they may be wanted now
                page = await self._parts.pool.links(admitted.request)
        else:
            request = replace(admitted.request, template=last.template)
            page = await self._parts.pool.analyse(request)
            if not isinstance(page, Document) or page.noindex or page.refresh:
                return None
            change = replace(last.compared(page), **known_by)
            if change.kind is Kind.TEXT:
                visits.found(task, change)
                return None
        why, at = _WHY[change.kind], fetched.fetched_at
        outcome = outcomes.skip_end(Skipped(task, Skip.UNCHANGED, why, at, fetched.captures))
        if isinstance(page, Document | PageLinks):
            follow = admitted.follows(page)
            await self._offers.early(task, page.links, follow=follow)
            self._offers.links(outcome, task, page.links, follow=follow)
        visits.found(task, change)
        return outcome

    # ----------------------------------------------------------------------------------------------
    # Offering what was found

    def _redirect(self, redirected: Redirected) -> FetchOutcome | None:
        """End a redirect; return what came of its target, if that was asked at once and is new."""
        answer, then = self._offers.target(redirected), redirected.then
        self.end(redirected.task, outcomes.redirect_end(redirected, answer))
        if then is None or not isinstance(answer, NewUrl):
            return None
        self._open.add(answer.url_id)
        return replace(then, task=replace(then.task, url_id=answer.url_id))


# ---------------------------------------------------------------- offers
# What pages lead to, offered to the frontier: links, targets of redirects, and what they unlock.
#
# The frontier takes a URL at once; the store has it with the end of the page that led there, in one
# synchronous stretch. What goes wrong in between must not lose it: what is not handed over is kept.


LINKS_A_SLICE = 500
CHARACTERS_A_SLICE = 50_000
"""Offered at once, whichever is reached first: some 20 ms. Long links take longer."""


@dataclass(slots=True)
class _Page:
    """A page that is not at its end."""

    budget: UrlBudget | None = None
    """What it pays for its links with; None: they cost nothing."""
    early: int = 0
    """How many of its links, from the first, were offered."""
    refused: Counter[str] = field(default_factory=Counter)


class Offers:
    """Offers URLs; `mode` says what becomes of the links of duplicates.

    `on_widened` hears of every host that became part of the scope although the redirect of a seed
    to it was refused.
    """

    def __init__(
        self,
        frontier: PageFrontier,
        store: PageStore,
        mode: FollowDuplicates,
        on_widened: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_widened = on_widened
        self._frontier = frontier
        self._store = store
        self._mode = mode
        self._pages: dict[int, _Page] = {}
        """By the id of a page that is not at its end."""
        self._unsaved: list[NewUrl] = []
        self._unsent: list[SentUrl] = []
        """What the frontier took and the store has not, within one synchronous stretch."""
        self._costs = Totals()
        """What links cost domains, which no end has told the store."""
        self._over_budget = 0
        """Links that were offered again, and refused for their cost."""
        self._again = self._nearer()
        self._is_behind = False
        """Whether some of these may be left."""

    def open(self, task: FetchTask, sent_bytes: int) -> None:
        """A page is read, which was so many bytes as they travelled."""
        self._pages[task.url_id] = _Page(self._frontier.url_budget(task, sent_bytes))

    def links(
        self,
        outcome: PageOutcome,
        task: FetchTask,
        links: Iterable[str],
        *,
        follow: bool,
        copied: bool = False,
    ) -> None:
        """Offer the links of a page that comes to its end now; `copied`: of a duplicate."""
        if not follow or self._ignores(copied):
            return
        links, priority = tuple(links), self._priority(copied)
        page = self._pages.pop(task.url_id, _Page())
        accepted = self._offer(task, links[page.early :], priority, page)
        self._count(page.budget)
        self._frontier.led_to(task, links, priority, 1, page.budget)
        self.offer_again()
        if self._over_budget:
            page.refused[Refusal.OVER_BUDGET.value] += self._over_budget
        outcome.new_urls += tuple(accepted)
        outcome.sent = tuple(self._unsent)
        outcome.totals.dropped_link.update(page.refused)
        outcome.totals.drawn = self._costs.drawn
        outcome.totals.over_budget = self._costs.over_budget
        self._costs, self._over_budget = Totals(), 0

    async def early(
        self, task: FetchTask, links: Sequence[str], *, follow: bool, copied: bool = False
    ) -> None:
        """Offer the links of a page that has very many in slices, all but the last before its end.

        Where the crawl is killed in between, the page is pending still and is asked for again. What
        it is found to be comes too late for these links: they count as those of a page that is new,
        unless its bytes were `copied`.
        """
        if not follow or self._ignores(copied):
            return
        page, priority = self._pages.setdefault(task.url_id, _Page()), self._priority(copied)
        left = links[page.early :]
        if len(left) <= LINKS_A_SLICE and sum(map(len, left)) <= CHARACTERS_A_SLICE:
            return  # one slice, as of nearly all pages: it is told in a tenth of the time
        for some in list(_slices(left))[:-1]:
            self._offer(task, some, priority, page)
            self.keep()
            page.early += len(some)
            await asyncio.sleep(0)

    def target(self, redirected: Redirected, *, follow: bool = True) -> NewUrl | SentUrl | str:
        """Offer where a redirect or a page that refreshes leads, unless it asks not to `follow`."""
        task = redirected.task
        if not follow:
            return outcomes.NOFOLLOW
        answer = self._take(
            redirected.target,
            depth=self._frontier.depth_of(task),
            priority=task.priority,
            hops=task.hops + 1,
            via=task,
            seed=task.seed,
            asked=redirected.then is not None,
        )
        self._frontier.led_to(task, (redirected.target,), task.priority, step=0)
        self.offer_again()
        if widening := self._frontier.take_widening():
            self._store.submit_urls([], widening)
        if widening or (task.seed and answer is Refusal.OUT_OF_SCOPE):
            self._on_widened()  # last: whoever has kept it has told the others
        return answer

    def arrived(self, sent: Sequence[SentUrl]) -> None:
        """Offer what another partition has sent here, and store what is new."""
        answers = [self._frontier.arrived(url) for url in sent]
        self._store.submit_urls([new for new in answers if isinstance(new, NewUrl)])
        if any(url.seed for url in sent):
            self._on_widened()

    def sitemaps(self, task: FetchTask, found: Iterable[str]) -> int:
        """Offer sitemaps that a page's site has, or an index lists, as deep as that; keep them.

        Return how many are new. They may be more than are offered at once: 500 of one robots.txt,
        or as many of one index as a host may have in a run.
        """
        depth = self._frontier.depth_of(task)
        answers = [
            self._take(url, depth=depth, priority=Priority.SITEMAP, via=task) for url in found
        ]
        self.keep()
        return sum(isinstance(answer, NewUrl | SentUrl) for answer in answers)

    def keep(self) -> None:
        """Store what the frontier took from a page that is not at its end."""
        if self._unsaved or self._unsent:
            self._store.submit_urls(self._unsaved, self._unsent)
            self.handed_over()

    def handed_over(self) -> None:
        """What was taken was stored with the end of its page."""
        self._unsaved, self._unsent = [], []

    def forget(self, task: FetchTask) -> None:
        """A page is not read any more, whether it came to its end or not."""
        self._pages.pop(task.url_id, None)

    def _ignores(self, copied: bool) -> bool:
        return copied and self._mode is FollowDuplicates.IGNORE

    def _priority(self, copied: bool) -> Priority:
        deferred = copied and self._mode is FollowDuplicates.DEFER
        return Priority.DEFERRED if deferred else Priority.ORDINARY

    def _take(self, url: str, **how: Any) -> NewUrl | SentUrl | Refusal | Filtered:
        answer = self._frontier.offer(url, **how)
        if isinstance(answer, NewUrl):
            self._unsaved.append(answer)
        elif isinstance(answer, SentUrl):
            self._unsent.append(answer)
        return answer

    def _offer(
        self, task: FetchTask, links: Iterable[str], priority: Priority, page: _Page
    ) -> list[NewUrl]:
        """Offer links of a page; return what is accepted, and count what is not."""
        offer, budget = self._frontier.offer, page.budget
        depth = self._frontier.depth_of(task) + 1
        accepted: list[NewUrl] = []
        refused: list[str] = []
        for link in links:
            answer = offer(link, depth=depth, priority=priority, via=task, budget=budget)
            if isinstance(answer, NewUrl):
                accepted.append(answer)
                self._unsaved.append(answer)
            elif isinstance(answer, SentUrl):
                self._unsent.append(answer)
            else:
                refused.append(answer)
        page.refused.update(refused)
        return accepted

    async def catch_up(self) -> None:
        """Offer again what is left to be offered, in slices."""
        while self._is_behind:
            await asyncio.sleep(0)
            self.offer_again()

    def _count(self, budget: UrlBudget | None) -> None:
        """Count what links cost the domain of their page."""
        if budget is not None:
            domain, costs = budget.domain, self._costs
            drawn, refused = budget.take_counts()
            if drawn:
                costs.drawn[domain] = costs.drawn.get(domain, 0) + drawn
            if refused:
                costs.over_budget[domain] = costs.over_budget.get(domain, 0) + refused

    def offer_again(self) -> None:
        """Offer the links of what was found by a shorter path, and so on from there, a slice.

        One page can bring thousands of pages nearer, each with thousands of links: what is left is
        for `catch_up`.
        """
        room = LINKS_A_SLICE
        while room > 0 and (some := next(self._again, None)) is not None:
            page, links = some
            unsaved, unsent = len(self._unsaved), len(self._unsent)
            how = page.how
            answers = [self._take(link, **how) for link in links]
            self._over_budget += answers.count(Refusal.OVER_BUDGET)
            self._count(page.budget)
            self._store.submit_urls(self._unsaved[unsaved:], self._unsent[unsent:])
            del self._unsaved[unsaved:], self._unsent[unsent:]
            room -= max(1, len(links))
        self._is_behind = room <= 0
        if not self._is_behind:
            self._again = self._nearer()
        if lowered := self._frontier.take_lowered():
            self._store.submit_depths(lowered)

    def _nearer(self) -> Iterator[tuple[Nearer, Sequence[str]]]:
        """Yield pages that were found by a shorter path, each with its links slice by slice."""
        while (page := self._frontier.nearer()) is not None:
            for links in _slices(page.links):
                yield page, links


def _slices(links: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the links of a page, as many at once as may be offered at once."""
    begin, characters = 0, 0
    for end, link in enumerate(links):
        characters += len(link)
        if end - begin == LINKS_A_SLICE or characters > CHARACTERS_A_SLICE:
            yield links[begin:end]
            begin, characters = end, len(link)
    yield links[begin:]


# ---------------------------------------------------------------- copied links
# Where copies lead that have another copy's address but for the query: read once for all of them.
#
# Such copies are what parameters without effect make (session ids, sort orders), by thousands.
# Links are resolved against an address without its query, so they lead where those of the first one
# lead.


HELD_BYTES = 8_000_000
"""Of links, the latest ones: some 80 pages of a thousand links, or ten thousand of ten."""

_LINK_BYTES = 60
"""That a string takes beside its characters."""


class CopiedLinks:
    """Reads the links of copies: in a process, or from memory where an equal one was read before.

    The answer is that of the process, but for links to the copy that was read first: a page's links
    are told without itself, and that one has been fetched.
    """

    def __init__(self, pool: PagePool, limit: int = HELD_BYTES) -> None:
        self._pool = pool
        self._held: BoundedCache[tuple[str, PayloadKey], PageLinks] = BoundedCache(limit, _size)
        """What is read of a copy depends on address and payload, for links to itself on its query.
        """

    async def read(
        self, request: AnalysisRequest, payload: PayloadKey, url: str
    ) -> PageLinks | AnalysisFailed:
        """Return where a page leads whose `payload` is known; `url` is its canonical URL.

        One that was served under another spelling of it is read by itself, since links to itself
        are told by the spelling.
        """
        if request.url != url:
            return await self._pool.links(request)
        key = url.partition("?")[0], payload
        if (held := self._held.get(key)) is not None:
            if url not in held.links:
                return held
            return replace(held, links=tuple(link for link in held.links if link != url))
        page = await self._pool.links(request)
        if isinstance(page, PageLinks):
            self._held.put(key, page)
        return page


def _size(page: PageLinks) -> int:
    return sum(len(link) + _LINK_BYTES for link in page.links) + _LINK_BYTES


# ---------------------------------------------------------------- sitemaps
# Sitemaps and feeds: found when a site's first page comes, read, and offered like links.
#
# A sitemap is a URL of the frontier like any other, with a priority of its own: its host is asked
# for it first and as politely as ever, robots.txt holds for it, and where the crawl is killed it is
# asked for again. Of the pages that it lists nothing else is known than that somebody may want
# them.


GUESSED = "/sitemap.xml"


class Sitemaps:
    """Offers the sitemaps of sites and what these list, within the job's bounds."""

    def __init__(self, job: Job, parts: Parts, offers: Offers) -> None:
        self._most = job.sitemaps
        self._max_depth = job.limits.depth
        self._parts = parts
        self._offers = offers
        self._asked: set[str] = set()
        """Origins whose sitemaps were looked for."""
        self._files = Counter[str]()
        self._urls = Counter[str]()
        """What sitemaps brought in this run, by the host of the files."""

    def find(self, task: FetchTask) -> None:
        """Look for the sitemaps of a page's site, once in a run.

        They are as deep as that page, and what they list is a link deeper: a crawl that may follow
        no link from there reads none.
        """
        is_deepest = self._max_depth is not None and task.depth >= self._max_depth
        if self._most.use is SitemapUse.NONE or is_deepest:
            return
        if (origin := urls.origin(task.url)) in self._asked:
            return
        self._asked.add(origin)
        found = self._parts.fetcher.robots.sitemaps(origin)
        if not found and self._most.use is SitemapUse.GUESS:
            found = (origin + GUESSED,)
        self._offer_files(task, found)

    async def read(self, fetched: Fetched) -> PageOutcome:
        """Offer what a sitemap or feed lists, and return its end."""
        task, at, captures = fetched.task, fetched.fetched_at, fetched.captures
        body, kind = fetched.body, fetched.media_type
        request = AnalysisRequest(fetched.final_url, body, kind, fetched.charset)
        self._offers.open(task, fetched.wire_bytes)
        found = await self._parts.pool.listing(request)
        if isinstance(found, AnalysisFailed):
            return outcomes.unread_end(fetched, found)
        if found is None:
            no_list = f"{kind or 'of no type'}, no sitemap"
            return outcomes.skip_end(Skipped(task, Skip.CONTENT_TYPE, no_list, at, captures))
        if found.is_index:
            told = _said(found, self._offer_files(task, found.urls))
            return outcomes.skip_end(Skipped(task, Skip.SITEMAP, told, at, captures))
        links = found.urls[: max(0, self._most.urls - self._urls[task.host])]
        self._urls[task.host] += len(links)
        await self._offers.early(task, links, follow=True)
        told = _said(found, len(found.urls) - len(links))
        outcome = outcomes.skip_end(Skipped(task, Skip.SITEMAP, told, at, captures))
        self._offers.links(outcome, task, links, follow=True)
        return outcome

    def _offer_files(self, task: FetchTask, found: Sequence[str]) -> int:
        """Offer sitemaps; return how many the host's limit leaves out."""
        files = found[: max(0, self._most.files - self._files[task.host])]
        self._files[task.host] += self._offers.sitemaps(task, files)
        return len(found) - len(files)


def _said(found: Listing, left: int) -> str:
    """Return what a file is, for its line; so many of what it lists were left out."""
    things, key = ("sitemaps", "files") if found.is_index else ("URLs", "urls")
    told = f"{found.kind}: {len(found.urls) - left:,} {things}"
    return f"{told}, {left:,} more than sitemaps.{key} allows" if left else told
