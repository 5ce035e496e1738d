"""How a page is read by what its site taught: planned, read, read again where that is in doubt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from crawler.analysis import AnalysisFailed, AnalysisRequest
from crawler.config import Job
from crawler.crawl.learners import Heard, Learners
from crawler.crawl.parts import PagePool
from crawler.crawl.twins import Twins
from crawler.records import TEMPLATE, Document
from crawler.templates import Plan
from crawler.urls import host_key


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page that was read, or why it was not."""

    page: Document | AnalysisFailed
    learn: Callable[[], Heard]
    """Has its site's template learn from it: to be called once, as it ends as a page, in one
    stretch with its verdict."""


class SiteReader:
    """Reads pages by the templates of their sites; with `extract.learn: false` each by itself."""

    def __init__(self, job: Job, pool: PagePool, learners: Learners) -> None:
        self._learns = job.extract.learn
        self._least_tokens = job.dedup.min_tokens
        self._pool = pool
        self._twins = Twins()
        self._learners = learners

    @asynccontextmanager
    async def reading(self, request: AnalysisRequest) -> AsyncIterator[PageRead]:
        """Read a page as its site's template says; it teaches that if the context lets it `learn`.

        A page of which the template leaves the text of another one, though it shows other things,
        is read a second time, without the template, and judged on all that is visible.
        """
        if not self._learns:
            yield PageRead(await self._pool.analyse(request), _unheard)
            return
        visit = self.visit(request)
        try:
            page = await self._read(visit, request)
            yield PageRead(page, partial(visit.hear, page))
        finally:
            visit.drop()

    def visit(self, request: AnalysisRequest) -> Visit:
        """Return how a page is to be read, for a caller that keeps an order of its own."""
        return Visit(self._learners, host_key(request.url))

    def doubts(self, visit: Visit, page: Document | AnalysisFailed) -> bool:
        """Whether a page that was read as its site's template says is to be read again."""
        if isinstance(page, AnalysisFailed) or page.read_by != TEMPLATE:
            return False
        if page.signature.tokens < self._least_tokens:  # no page is a copy by so little text
            return False
        own = page.own_digest or page.signature.text_digest
        return self._twins.doubts(visit.host, replace(page.signature, text_digest=own))

    async def _read(self, visit: Visit, request: AnalysisRequest) -> Document | AnalysisFailed:
        page = await self._pool.analyse(request, visit.planned)
        if not self.doubts(visit, page):
            return page
        return await self._pool.analyse(request, visit.doubted)


class Visit:
    """How one page is read: planned when its turn comes, for until then its site may be learned."""

    def __init__(self, learners: Learners, host: str) -> None:
        self.host = host
        self._learners = learners
        self._plan: Plan | None = None
        self._is_open = False

    def planned(self, request: AnalysisRequest) -> AnalysisRequest:
        """Return the request as its site's template has it read."""
        if self._plan is None:
            self._plan, self._is_open = self._learners.plan(self.host), True
        return replace(request, template=self._plan.template, teaches=self._plan.teaches)

    def doubted(self, request: AnalysisRequest) -> AnalysisRequest:
        """Return the request for a second reading."""
        return replace(self.planned(request), teaches=True, doubted=True)

    def hear(self, page: Document | AnalysisFailed) -> Heard:
        """See `PageRead.learn`."""
        assert self._is_open
        assert self._plan is not None
        assert isinstance(page, Document)
        self._is_open = False
        return self._learners.hear(self.host, self._plan, page)

    def drop(self) -> None:
        """Learn nothing of the page, if it was planned and not heard."""
        if self._is_open and self._plan is not None:
            self._is_open = False
            self._learners.drop(self.host, self._plan)


def _unheard() -> Heard:
    return Heard(None, {})
