"""The life of one page, top to bottom: fetch, read, judge, store.

One coroutine carries one page. There are no queues between the steps; how many pages are under way
is how many of these coroutines run. Everything from the verdict to the hand-over to the store is
one synchronous stretch, so the judge's indexes, the frontier and the store never disagree.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from crawler import ends
from crawler.analysis import AnalysisFailed, AnalysisRequest
from crawler.config import FollowDuplicates, Job
from crawler.crawl.internal import InternalErrors
from crawler.crawl.parts import Parts
from crawler.dedup import likeness, payload_digest
from crawler.dedup.kinds import Alike
from crawler.ends import NOTHING_OFFERED, Offered
from crawler.errors import CrawlerError
from crawler.extract import PageLinks, refresh_target, robots_directives
from crawler.frontier import Refusal, Subtree
from crawler.printing import safe
from crawler.records import (
    Batch,
    Document,
    ExactDuplicate,
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    FetchTask,
    NearDuplicate,
    NewUrl,
    PayloadKey,
    Priority,
    Redirected,
    Skip,
    Skipped,
    Verdict,
)
from crawler.urls import Canonicaliser

log = logging.getLogger(__name__)

_DETAIL_LENGTH = 300
"""An exception may quote a page."""

LINKS_A_SLICE = 500
"""Offered at once: some 20 ms."""

REFRESH_TOKENS = 16
"""A page that refreshes (meta element, header) and has fewer tokens only says where it moved."""


@dataclass(slots=True)
class Early:
    """Links of a page that were offered before its end."""

    links: int = 0
    """How many, from the first."""
    refused: Counter[str] = field(default_factory=Counter)


class PageLife:
    """Carries pages from a task to a committed batch. `clock` is monotonic, `wall` Unix time.

    `on_cut` hears of every subtree that the trap rule cuts, `on_widened` of every host that became
    part of the scope although the redirect of a seed to it was refused, `errors` of our own ones.
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
    ) -> None:
        self._job = job
        self._parts = parts
        self._frontier = parts.frontier
        self._judge = parts.judge
        self._clock = clock
        self._wall = wall
        self._on_cut = on_cut
        self._on_widened = on_widened
        self._errors = errors or InternalErrors(lambda line: None)
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))
        self._next_document_id = parts.store.next_document_id
        self._open: set[int] = set()
        """URLs under way that have no end yet."""
        self._early: dict[int, Early] = {}
        """By the id of a page that is not at its end."""
        self._unsaved: list[NewUrl] = []
        """What the frontier took and the store has not, within one synchronous stretch."""

    async def run(self, task: FetchTask) -> None:
        """Carry one page to its end, or leave it to the frontier for another attempt.

        Raises CrawlerError where the crawl cannot go on, and MemoryError, which is no page's fault:
        the URL stays pending. What else goes wrong here with one page ends that page.
        """
        judged, way = False, [task]
        self._open.add(task.url_id)
        try:
            judged = await self._carry(way)
        except CrawlerError:
            raise
        except MemoryError:
            self._keep_offers()
            raise
        except Exception as error:
            self._break_off(way[-1], error)
        finally:
            self._open.discard(way[-1].url_id)
            self._early.pop(way[-1].url_id, None)
            if not judged:
                self._frontier.refund_page()
        await self._parts.store.room()

    def _break_off(self, task: FetchTask, error: Exception) -> None:
        """End a URL with which the crawler itself went wrong; all others go on."""
        self._keep_offers()
        self._errors.tell(task.url, error)
        if task.url_id in self._open:
            detail = safe(f"{type(error).__name__}: {error}")[:_DETAIL_LENGTH]
            failed = Failed(task, Failure.INTERNAL_ERROR, detail, self._wall())
            self.end(task, ends.fail_end(failed))

    def _keep_offers(self) -> None:
        """Store the URLs that the frontier took from a page which did not come to its end."""
        if self._unsaved:
            self._parts.store.submit_urls(self._unsaved)
            self._unsaved = []

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
            case Fetched() as fetched:
                judged = await self._read(fetched)
            case Skipped() as skipped:
                self.end(skipped.task, ends.skip_end(skipped))
            case Failed() as failed:
                self.end(failed.task, ends.fail_end(failed))
            case None:
                log.debug("%s is asked for again later, or ended", way[-1].url)
        return judged

    def end(self, task: FetchTask, batch: Batch, text: str | None = None) -> None:
        """Hand a page's end to the store; only then may the frontier forget the task.

        `text` is the judged text of a stored page, for the trap rule.
        """
        self._parts.store.submit(batch)
        self._open.discard(task.url_id)
        self._unsaved = []
        self._parts.tally.add(batch)
        cut = self._frontier.settle(task, batch, text)
        log.debug("%s ended: %s %s", task.url, batch.state.name.lower(), batch.detail)
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
            return await fetcher.fetch(task, delay_s, self._frontier.leads_on)
        return Skipped(task, Skip.ROBOTS, "disallowed by robots.txt", self._wall())

    # ----------------------------------------------------------------------------------------------
    # Reading and judging

    async def _read(self, fetched: Fetched) -> bool:
        """Analyse what was fetched and end it; return whether it was judged as a page."""
        header = robots_directives(fetched.headers.get("x-robots-tag"), self._job.user_agent.name)
        key = self._payload_key(fetched)
        leads_to = self._refresh_header(fetched)
        known = not (header.noindex or leads_to) and self._judge.known_payload(key)
        request = AnalysisRequest(
            fetched.final_url, fetched.body, fetched.media_type, fetched.charset
        )
        page = await (self._parts.pool.links if known else self._parts.pool.analyse)(request)
        if isinstance(page, AnalysisFailed):
            failed = Failed(fetched.task, page.failure, page.detail, fetched.fetched_at)
            self.end(fetched.task, ends.fail_end(failed))
            return False
        follow = not (header.nofollow or page.nofollow)
        if isinstance(page, PageLinks):
            await self._offer_early(fetched.task, page.links if follow else (), copied=True)
            self._copy(fetched, key, page, follow)
            return True
        if leads_to is not None and leads_to not in page.links:
            page = replace(page, links=(*page.links, leads_to))
        if target := self._refreshes_to(fetched, page, leads_to):
            self._refresh(fetched, page, target, follow)
            return False
        if header.noindex or page.noindex:
            self._noindex(fetched, page, follow)
            return False
        if not fetched.body:
            skipped = Skipped(fetched.task, Skip.NO_CONTENT, "empty body", fetched.fetched_at)
            self.end(fetched.task, ends.skip_end(skipped))
            return False
        await self._offer_early(fetched.task, page.links if follow else (), copied=False)
        self._judge_page(fetched, key, page, follow)
        return True

    def _payload_key(self, fetched: Fetched) -> PayloadKey:
        declared = fetched.media_type + (f";{fetched.charset}" if fetched.charset else "")
        digest = payload_digest(fetched.body, self._job.dedup.payload_hash)
        return PayloadKey(digest, declared)

    def _refresh_header(self, fetched: Fetched) -> str | None:
        """Return where the Refresh header leads, if that is to another page."""
        written = refresh_target(fetched.headers.get("refresh", ""))
        target = self._canonicalise(written, fetched.final_url) if written else None
        return None if target in (fetched.task.url, fetched.final_url) else target

    def _refreshes_to(self, fetched: Fetched, page: Document, header: str | None) -> str | None:
        """Return where a page leads by itself, if it says too little to be a page."""
        target = header or page.refresh
        short = page.signature.tokens < REFRESH_TOKENS
        return target if short and target != fetched.task.url else None

    def _refresh(self, fetched: Fetched, page: Document, target: str, follow: bool) -> None:
        """End a page that refreshes like a redirect, but for its links, which lead on as well."""
        task, limit = fetched.task, self._job.limits.redirects
        others = [link for link in page.links if link != target]
        redirected = Redirected(task, fetched.status, target, fetched.fetched_at)
        if task.hops + 1 > limit:
            detail = f"more than {limit} redirects"
            status, at = fetched.status, fetched.fetched_at
            failed = Failed(task, Failure.REDIRECT_LOOP, detail, at, status)
            self.end(task, ends.fail_end(failed, self._offer(task, others, follow=follow)))
            return
        answer = self._offer_target(redirected) if follow else ends.NOFOLLOW
        offered = self._offer(task, others, follow=follow)
        self.end(task, ends.redirect_end(redirected, answer, offered))

    def _noindex(self, fetched: Fetched, page: Document, follow: bool) -> None:
        task = fetched.task
        skipped = Skipped(task, Skip.NOINDEX, "the page asks not to be indexed", fetched.fetched_at)
        offered = self._offer(task, page.links, follow=follow)
        self.end(task, ends.skip_end(skipped, offered, ends.costs(fetched, page)))

    def _copy(self, fetched: Fetched, key: PayloadKey, page: PageLinks, follow: bool) -> None:
        verdict = self._judge.known_payload(key)
        assert verdict is not None  # a stored page is never removed
        alike = likeness(verdict, None, self._parts.store.catalog)
        offered = self._offer_from_duplicate(fetched.task, page.links, follow)
        self.end(fetched.task, ends.page_end(fetched, None, key, verdict, offered, alike))

    def _judge_page(self, fetched: Fetched, key: PayloadKey, page: Document, follow: bool) -> None:
        task = fetched.task
        shown = ends.shown(task.url, page)
        verdict = self._judge.judge(key, page.signature, self._next_document_id, shown)
        if self._is_dropped(verdict):
            self._drop(fetched, key, page, verdict, follow)
            return
        # Whatever goes wrong from here on: the judge knows a page by this number.
        page_id = self._next_document_id
        self._next_document_id += 1
        alike = None
        if isinstance(verdict, NearDuplicate):
            alike = likeness(verdict, page, self._parts.store.catalog)
            offered = self._offer_from_duplicate(task, page.links, follow)
        else:
            offered = self._offer(task, page.links, follow=follow)
        batch = ends.page_end(fetched, page, key, verdict, offered, alike, page_id)
        self.end(task, batch, page.text)

    def _is_dropped(self, verdict: Verdict) -> TypeGuard[Alike]:
        return not self._judge.keeps(verdict)

    def _drop(
        self, fetched: Fetched, key: PayloadKey, page: Document, verdict: Alike, follow: bool
    ) -> None:
        catalog, like = self._parts.store.catalog, None
        alike = likeness(verdict, page, catalog)
        offered = self._offer_from_duplicate(fetched.task, page.links, follow)
        if self._job.dedup.keep_dropped and not isinstance(verdict, ExactDuplicate):
            like = catalog.appearance(verdict.of.id) or b""
        batch = ends.page_end(fetched, page, key, verdict, offered, alike, like=like)
        self.end(fetched.task, batch)

    # ----------------------------------------------------------------------------------------------
    # Offering what was found

    def _redirect(self, redirected: Redirected) -> FetchOutcome | None:
        """End a redirect; return what came of its target, if that was asked at once and is new."""
        answer, then = self._offer_target(redirected), redirected.then
        self.end(redirected.task, ends.redirect_end(redirected, answer))
        if then is None or not isinstance(answer, NewUrl):
            return None
        self._open.add(answer.url_id)
        return replace(then, task=replace(then.task, url_id=answer.url_id))

    def _offer_target(self, redirected: Redirected) -> NewUrl | Refusal:
        task = redirected.task
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
        self._offer_again()
        if task.seed and answer is Refusal.OUT_OF_SCOPE:
            self._on_widened()
        return answer

    def _offer_from_duplicate(self, task: FetchTask, links: Iterable[str], follow: bool) -> Offered:
        mode = self._job.dedup.follow_duplicates
        deferred = mode is FollowDuplicates.DEFER
        follow = follow and mode is not FollowDuplicates.IGNORE
        priority = Priority.DEFERRED if deferred else Priority.ORDINARY
        return self._offer(task, links, priority, follow=follow)

    def _take(self, url: str, **how: Any) -> NewUrl | Refusal:
        answer = self._frontier.offer(url, **how)
        if isinstance(answer, NewUrl):
            self._unsaved.append(answer)
        return answer

    def _offer(
        self,
        task: FetchTask,
        links: Iterable[str],
        priority: Priority = Priority.ORDINARY,
        *,
        follow: bool,
    ) -> Offered:
        if not follow:
            return NOTHING_OFFERED
        links = tuple(links)
        early = self._early.pop(task.url_id, Early())
        answers = self._answers(task, links[early.links :], priority)
        self._frontier.led_to(task, links, priority, step=1)
        self._offer_again()
        return Offered(_accepted(answers), early.refused + _refused(answers))

    def _answers(
        self, task: FetchTask, links: Iterable[str], priority: Priority
    ) -> list[NewUrl | Refusal]:
        depth = self._frontier.depth_of(task) + 1
        return [self._take(link, depth=depth, priority=priority, via=task) for link in links]

    async def _offer_early(self, task: FetchTask, links: Sequence[str], copied: bool) -> None:
        """Offer the links of a page that has very many in slices, all but the last before its end.

        Where the crawl is killed in between, the page is pending still and is asked for again. What
        it is found to be comes too late for these links: they count as those of a page that is new,
        unless its bytes were `copied`.
        """
        mode = self._job.dedup.follow_duplicates
        if copied and mode is FollowDuplicates.IGNORE:
            return
        deferred = copied and mode is FollowDuplicates.DEFER
        priority = Priority.DEFERRED if deferred else Priority.ORDINARY
        early = self._early.setdefault(task.url_id, Early()) if len(links) > LINKS_A_SLICE else None
        while early is not None and len(links) - early.links > LINKS_A_SLICE:
            some = links[early.links : early.links + LINKS_A_SLICE]
            answers = self._answers(task, some, priority)
            self._parts.store.submit_urls(_accepted(answers))
            self._unsaved = []
            early.links += len(some)
            early.refused += _refused(answers)
            await asyncio.sleep(0)

    def _offer_again(self) -> None:
        """Offer the links of what was found by a shorter path just now, and so on from there."""
        while found := self._frontier.nearer():
            unsaved = len(self._unsaved)
            answers = [
                self._take(
                    link,
                    depth=page.task.depth + page.step,
                    priority=page.priority,
                    hops=0 if page.step else page.task.hops + 1,
                    via=page.task,
                    seed=page.task.seed and not page.step,
                )
                for page in found
                for link in page.links
            ]
            self._parts.store.submit_urls([new for new in answers if isinstance(new, NewUrl)])
            del self._unsaved[unsaved:]
        if lowered := self._frontier.take_lowered():
            self._parts.store.submit_depths(lowered)


def _accepted(answers: Iterable[NewUrl | Refusal]) -> tuple[NewUrl, ...]:
    return tuple(answer for answer in answers if isinstance(answer, NewUrl))


def _refused(answers: Iterable[NewUrl | Refusal]) -> Counter[str]:
    return Counter(answer.value for answer in answers if not isinstance(answer, NewUrl))
