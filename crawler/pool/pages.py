"""The pool that reads the pages of a crawl, by turns between their domains."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from crawler.analysis import Analyser, AnalysisFailed, AnalysisRequest, AnalysisSettings
from crawler.analysis.messages import Asks, Question
from crawler.config import Job
from crawler.extract import Listing, PageLinks
from crawler.pool.slots import Told
from crawler.pool.turns import Ended, Turn, Turns
from crawler.pool.workers import Processes
from crawler.records import Document, Failure
from crawler.urls import host_key, registrable_domain

Planned = Callable[[AnalysisRequest], AnalysisRequest]


def as_it_is(request: AnalysisRequest) -> AnalysisRequest:
    """Return the request: nothing is planned."""
    return request


class AnalysisPool(Processes):
    """Reads pages, whole or by their links; what `make` builds can do both.

    Who is read when, and within which time, is for `Turns` to say.
    """

    spare = 1
    """A process waits for its next page while the crawl's own is at another one: with one a core,
    two cores were idle for a fifth of the time."""

    def __init__(
        self,
        job: Job,
        make: Callable[[AnalysisSettings], Any] | None = None,
        keys: tuple[bytes, ...] = (),
    ) -> None:
        """Read pages as the job says, with its extractors, unless `make` is given."""
        extractors = job.plugins.extractors
        reader = partial(Analyser, extractors=extractors) if extractors else Analyser
        super().__init__(job, make or reader, keys)
        self._turns = Turns(len(self._slots), self._timeout_s)
        self._calls: dict[Turn, asyncio.Future[None]] = {}

    @property
    def waiting(self) -> int:
        """Pages in line."""
        return len(self._calls)

    @property
    def busy(self) -> int:
        """Pages that are being read."""
        return len(self._slots) - self._free.qsize()

    @property
    def processes(self) -> int:
        """Processes, busy or not."""
        return len(self._slots)

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """Return what the page says, or why it could not be read; waits for its turn.

        What is asked then is what `planned` makes of the request at that moment. It is called again
        where the page has to be asked for again.
        """
        question = Question(request, Asks.PAGE)
        answer: Document | AnalysisFailed = await self._read(question, planned)
        return answer

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """Return where the page leads, or why it could not be read; waits for its turn."""
        answer: PageLinks | AnalysisFailed = await self._read(Question(request, Asks.LINKS))
        return answer

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """Return what a sitemap or feed lists, None where it is none; waits for its turn."""
        question = Question(request, Asks.LISTING)
        answer: Listing | AnalysisFailed | None = await self._read(question)
        return answer

    async def _read(self, question: Question, planned: Planned = as_it_is) -> Any:
        turn = self._turns.join(registrable_domain(host_key(question.request.url)))
        call: asyncio.Future[None] | None = self._expect(turn)
        while call is not None:
            await self._called(turn, call)
            told, call = await self._take(turn, question, planned)
        return told.answer

    def _expect(self, turn: Turn) -> asyncio.Future[None]:
        """Return what is done once it is the turn of a page in line."""
        call = self._calls[turn] = asyncio.get_running_loop().create_future()
        self._call()
        return call

    async def _called(self, turn: Turn, call: asyncio.Future[None]) -> None:
        """Wait until it is a page's turn: then there is a free process for it."""
        try:
            await call
        except asyncio.CancelledError:
            if self._calls.pop(turn, None) is None:
                self._turns.end(turn, 0.0, Ended.DROPPED)
            else:
                self._turns.leave(turn)
            self._call()
            raise

    def _call(self) -> None:
        """Call all whose turn it is."""
        while (turn := self._turns.next()) is not None:
            call = self._calls.pop(turn)
            if not call.done():
                call.set_result(None)

    async def _take(
        self, turn: Turn, question: Question, planned: Planned
    ) -> tuple[Told, asyncio.Future[None] | None]:
        """Ask a process; return what came of it, and where the page is in line again, its call.

        A lost process is replaced before anybody else's turn: that is part of what its page cost.
        """
        loop = asyncio.get_running_loop()
        slot, begun, how = self._free.get_nowait(), loop.time(), Ended.DROPPED
        keeps = (lambda: self._turns.keeps(turn)) if turn.borrowed else None
        try:
            asked = replace(question, request=planned(question.request))
            told = await slot.ask(asked, turn.limit_s, keeps)
            await slot.ready()
            how = told.how
        finally:
            self._free.put_nowait(slot)
            again = self._turns.end(turn, loop.time() - begun, how)
            call = self._expect(turn) if again else None
            self._call()
        return self._explained(turn, told), call

    def _explained(self, turn: Turn, told: Told) -> Told:
        """Tell why a page had less time than the job gives."""
        answer = told.answer
        if not isinstance(answer, AnalysisFailed) or answer.failure is not Failure.ANALYSIS_TIMEOUT:
            return told
        if turn.limit_s >= self._timeout_s:
            return told
        why = f", not {self._timeout_s:g}: earlier pages of {turn.domain} took too long, or crashed"
        return replace(told, answer=replace(answer, detail=answer.detail + why))
