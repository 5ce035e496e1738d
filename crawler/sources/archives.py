"""A run over archives: records read in processes, judged here in their order, stored."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice

from crawler import engine
from crawler.config import Job, Plugins
from crawler.console import Say
from crawler.dedup import Judge
from crawler.engine import NOTHING_OFFERED, Offered
from crawler.engine.engine import Admitted, Engine
from crawler.engine.lines import Record as Line
from crawler.engine.templates import Learners, SiteReader, Visit
from crawler.extract import PageLinks
from crawler.models import (
    Batch,
    Document,
    Failed,
    Fetched,
    FetchTask,
    NewUrl,
    Priority,
    Redirected,
    Skipped,
)
from crawler.observe.internal_errors import InternalErrors
from crawler.observe.parts import parts_in_use
from crawler.observe.progress import Pace
from crawler.observe.summary import Tally
from crawler.plugins import made
from crawler.sources.records import (
    ArchiveFile,
    Damage,
    ExchangeReader,
    Item,
    Originals,
    Other,
    Outcome,
    Passed,
    Record,
    is_revisit,
    read,
)
from crawler.storage.reference_index import open_layers
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import confirm_accounts
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import AnalysisPool, reading_apart

# ---------------------------------------------------------------- ends
# The end of each record: as a crawl ends a page, and where in which archive it lies.


NOT_ASKED = "not-asked"
"""What a redirect's line says of its target: nothing is fetched, it is here if it is archived."""


class NoLinks:
    """Links of archived pages lead nowhere: what is read is what is there."""

    def links(
        self, task: FetchTask, links: Iterable[str], *, follow: bool, copied: bool = False
    ) -> Offered:
        """See `crawler.engine.engine.Links`."""
        return NOTHING_OFFERED

    def target(self, redirected: Redirected, *, follow: bool) -> str:
        """See `crawler.engine.engine.Links`."""
        return NOT_ASKED


def without_page(outcome: Redirected | Skipped | Failed) -> Batch:
    """Return the end of a record that holds no page."""
    match outcome:
        case Redirected():
            return engine.redirect_end(outcome, NOT_ASKED)
        case Skipped():
            return engine.skip_end(outcome)
        case Failed():
            return engine.fail_end(outcome)


def placed(batch: Batch, task: FetchTask, record: Record) -> Batch:
    """Return an end with its own row of the URL table, and its place in each of its lines."""
    name = record.file.path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    place: Line = {"warc_filename": name, "warc_offset": record.offset}
    row = NewUrl(task.url_id, task.url, task.host, 0, Priority.ORDINARY, 0, None, seed=True)
    dropped = batch.dropped
    if dropped is not None:
        dropped = replace(dropped, line={**dropped.line, **place})
    lines = tuple((file, {**line, **place}) for file, line in batch.lines)
    return replace(batch, lines=lines, dropped=dropped, new_urls=(row,))


# ---------------------------------------------------------------- run
# One run over archives: records read in processes, judged here in their order, stored.
#
# A page is planned (which template reads it, whether its bytes are known) when all pages but the
# latest few before it have come to their ends, and these end in their order. So verdicts and texts
# depend on the archives and settings alone, and not on processes or their speed. A run that was
# stopped or killed goes on where its store ends: as many records as have an end are passed over.


log = logging.getLogger(__name__)

WINDOW = 64
"""Pages under way at once, whatever the number of processes: more would read a site longer without
what it taught, fewer would leave processes of a large machine idle."""
WINDOW_BYTES = 64_000_000
"""Of their bodies together; a single page may be larger."""

CHUNK = 16
"""Records that are taken from a file at once, in a thread."""

EXPECTED_PAGES = 100_000
"""What filters and indexes make room for at first; they grow beyond."""

_HEADERS_BYTES = 1_000_000
"""What a record may have beyond its body."""


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A record on its way to its end."""

    record: Record
    task: FetchTask
    outcome: Outcome
    admitted: Admitted | None = None
    request: AnalysisRequest | None = None
    visit: Visit | None = None
    answer: asyncio.Task[Document | AnalysisFailed] | None = None

    @property
    def size(self) -> int:
        return len(self.outcome.body) if isinstance(self.outcome, Fetched) else 0


class ReadRun:
    """One run over archives. Make it, `run` it once, `stop` it if need be.

    `window` is WINDOW but in tests: with 1 each page is planned when the one before it has ended,
    as in a crawl that asks for one page at a time.
    """

    def __init__(
        self,
        job: Job,
        files: tuple[ArchiveFile, ...],
        store: Store,
        *,
        say: Say = lambda line: None,
        window: int = WINDOW,
    ) -> None:
        self._job = job
        self._files = files
        self._store = store
        self._say = say
        self._errors = InternalErrors(say)
        self._window = window
        self._max_bytes = job.fetch.max_wire_bytes + _HEADERS_BYTES
        self._originals = Originals()
        self._exchange = ExchangeReader(job)
        self._learners = Learners(store, report=say)
        self._ended = store.next_url_id - 1
        self._number = 0
        self._under_way: deque[_UnderWay] = deque()
        self._bytes = 0
        self._read_bytes = 0
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.tally = Tally(store.counts.by_state)
        self.passed = Passed(say)
        """Records that hold no page; from the first file on."""

    async def run(self) -> None:
        """Read all records; the store is closed when this returns.

        Raises InputError for a file that cannot be opened, and StoreError where the store cannot go
        on.
        """
        self._task = asyncio.current_task()
        job = self._job
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._store)
            store.begin_run(job.model_dump(mode="json"), parts_in_use(self._plugins()))
            store.mark_run(stopped=True)
            earlier, judged_by = stack.enter_context(ExitStack()), store.meta(Meta.IDENTITY)
            pages = open_layers(job.dedup.against, store, judged_by, earlier)
            expected = max(EXPECTED_PAGES, 2 * (pages.earlier_documents + self._ended))
            judge = Judge(job.dedup, pages, expected)
            judge.restore(chain(pages.earlier_rows(), store.index_rows()))
            judge.restore_editions(store.editions())
            self._engine = Engine(job, judge, pages, store.next_document_id, NoLinks())
            self._pool = await stack.enter_async_context(AnalysisPool(job, keys=pages.keys))
            self._sites = SiteReader(job, self._pool, self._learners)
            total = sum(file.size_bytes for file in self._files)
            self._pace = Pace(self.tally, total, job.progress_s, self._say)
            stopped = True
            try:
                await self._read_all()
                stopped = self._stop.is_set()
            finally:
                await self._drop()
                store.mark_run(stopped=stopped)
            for known in self._learners.unsaved():
                store.keep_learned(known)
            await store.flush()
            confirm_accounts(store.directory, store.accounting().problems)
        self._say(self._pace.line())

    def _plugins(self) -> Mapping[str, Sequence[str]]:
        """Return what takes part of the job's plugins: no link is queued here, no sink is fed."""
        return made(Plugins(extractors=self._job.plugins.extractors)).told

    def stop(self) -> None:
        """Begin no further record; those under way come to their ends."""
        self._stop.set()

    def cancel(self) -> None:
        """Drop the records under way; the same command reads them."""
        self.stop()
        if self._task is not None:
            self._task.cancel()

    async def _read_all(self) -> None:
        before = 0
        for file in self._files:
            items = read(file, self._max_bytes)
            while chunk := await reading_apart(partial(_next, items), self._stop):
                for item in chunk:
                    self._read_bytes = before + item.offset
                    await self._take(item)
                if self._stop.is_set():
                    break
            if self._stop.is_set():
                break
            before += file.size_bytes
        while self._under_way:
            await self._end_next()

    async def _take(self, item: Item) -> None:
        match item:
            case Damage():
                self.passed.damaged(item)
            case Other():
                self.passed[item.type] += 1
            case Record():
                task = self._exchange.task(item, self._number + 1)
                if task is None:
                    self.passed["not of the web"] += 1
                    return
                if self._originals.lacks(item):
                    self.passed.lost(item)
                    return
                self._number += 1
                self._originals.add(item)
                if self._number > self._ended:
                    await self._begin(await self._whole(item), task)

    async def _whole(self, record: Record) -> Record:
        if not is_revisit(record):
            return record
        whole = partial(self._originals.whole, record, self._max_bytes)
        return await reading_apart(whole, asyncio.Event()) or record

    async def _begin(self, record: Record, task: FetchTask) -> None:
        outcome = self._exchange(record, task)
        record = replace(record, body=b"")
        size = len(outcome.body) if isinstance(outcome, Fetched) else 0
        # By these ends alone, in their order, it is decided what is known of the page.
        while self._under_way and (
            len(self._under_way) >= self._window or self._bytes + size > WINDOW_BYTES
        ):
            await self._end_next()
        if isinstance(outcome, Fetched):
            begun = self._planned(record, task, outcome)
        else:
            begun = _UnderWay(record, task, outcome)
        self._under_way.append(begun)
        self._bytes += begun.size

    def _planned(self, record: Record, task: FetchTask, fetched: Fetched) -> _UnderWay:
        admitted = self._engine.admit(fetched)
        if self._engine.known(admitted) is not None:
            return _UnderWay(record, task, fetched, admitted)
        request, visit = admitted.request, None
        if self._job.extract.learn:
            visit = self._sites.visit(request)
            request = visit.planned(request)
        answer = asyncio.create_task(self._pool.analyse(request))
        return _UnderWay(record, task, fetched, admitted, request, visit, answer)

    async def _end_next(self) -> None:
        """Give the oldest record under way its end."""
        # It stays there until then: what is dropped is found there.
        one = self._under_way[0]
        page = await self._page(one)
        self._under_way.popleft()
        self._bytes -= one.size
        batch = self._batch(one, page)
        self._store.submit(batch)
        self.tally.add(batch)
        self._store.mark_run(stopped=True)
        self._pace.add(1, one.size, self._read_bytes)
        await self._store.room()

    async def _page(self, one: _UnderWay) -> Document | AnalysisFailed | None:
        """Return what a page says; None where there is none, or its bytes are known by now.

        What is known as it ends is known however far a run has come before it was killed; what was
        known as it was planned is not.
        """
        if one.answer is None:
            return None
        page = await one.answer
        if isinstance(page, Document):
            for name, raised in page.trouble:
                self._errors.tell_of_extractor(name, one.task.url, raised)
        assert one.admitted is not None
        if self._engine.known(one.admitted) is not None:
            return None
        if one.visit is None or not self._sites.doubts(one.visit, page):
            return page
        assert one.request is not None
        return await self._pool.analyse(one.visit.doubted(one.request))

    def _batch(self, one: _UnderWay, page: Document | AnalysisFailed | None) -> Batch:
        if not isinstance(one.outcome, Fetched):
            return placed(without_page(one.outcome), one.task, one.record)
        assert one.admitted is not None
        if page is not None:
            learn = partial(one.visit.hear, page) if one.visit is not None else None
            outcome = self._engine.conclude(one.admitted, page, learn)
        else:
            known = self._engine.known(one.admitted)
            assert known is not None
            outcome = self._engine.conclude_known(one.admitted, known, PageLinks((), nofollow=True))
        if one.visit is not None:
            one.visit.drop()
        return placed(outcome.batch, one.task, one.record)

    async def _drop(self) -> None:
        """Drop what is under way, where the run does not come to its end."""
        answers = [one.answer for one in self._under_way if one.answer is not None]
        for answer in answers:
            answer.cancel()
        await asyncio.gather(*answers, return_exceptions=True)
        for one in self._under_way:
            if one.visit is not None:
                one.visit.drop()


def _next(items: Iterator[Item]) -> list[Item]:
    return list(islice(items, CHUNK))
