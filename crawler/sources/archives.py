"""A run over archives: records read in processes, judged here in their order, stored.

Each record ends as a fetch of its URL would have ended, and its lines say where it lies. A page is
planned (which template reads it, whether its bytes are known) when all pages but the latest few
before it have come to their ends, and these end in their order. So verdicts and texts depend on the
archives and settings alone, and not on processes or their speed.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from crawler import warc
from crawler.config import Job, Plugins
from crawler.console import Say, safe
from crawler.engine import outcomes
from crawler.engine.engine import Admitted, Learners, SiteReader, Visit
from crawler.models import (
    Document,
    Failed,
    Fetched,
    FetchTask,
    Learned,
    PageLinks,
    PageOutcome,
    Redirected,
    Skipped,
)
from crawler.observe.internal_errors import InternalErrors
from crawler.plugins import made
from crawler.sources.records import (
    ArchiveFile,
    Damage,
    ExchangeReader,
    Item,
    Originals,
    Other,
    Outcome,
    Record,
    read,
)
from crawler.sources.run import NOT_ASKED, SourceRun, own_row
from crawler.storage.store import Store
from crawler.workers.messages import AnalysisFailed
from crawler.workers.pool import AnalysisPool, reading_apart

WINDOW = 64
"""Pages under way at once, whatever the number of processes: more would read a site longer without
what it taught, fewer would leave processes of a large machine idle."""
WINDOW_BYTES = 64_000_000
"""Of their bodies together; a single page may be larger."""

CHUNK = 16
"""Records that are taken from a file at once, in a thread."""

_HEADERS_BYTES = 1_000_000
"""What a record may have beyond its body."""

MOST_TOLD = 20
"""Lines of each kind that tell of what is lost."""


@dataclass(slots=True)
class _UnderWay:
    """A record on its way to its end."""

    record: Record
    task: FetchTask
    outcome: Outcome
    admitted: Admitted | None = None
    """Of a page, with how it is read, if it is: not where its bytes were known."""
    visit: Visit | None = None
    answer: asyncio.Task[Document | AnalysisFailed] | None = None

    @property
    def size(self) -> int:
        return len(self.outcome.body) if isinstance(self.outcome, Fetched) else 0


class ReadRun(SourceRun):
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
        learned: Iterable[Learned] = (),
        say: Say = lambda line: None,
        window: int = WINDOW,
    ) -> None:
        """`learned` is what its store goes on with of the hosts, if it has no page yet."""
        super().__init__(job, store, job.dedup.against, sum(file.size_bytes for file in files), say)
        self._files = files
        self._errors = InternalErrors(say)
        self._window = window
        self._learned = learned
        self._max_bytes = job.fetch.max_wire_bytes + _HEADERS_BYTES
        self._originals = Originals()
        self._exchange = ExchangeReader(job)
        self._learners = Learners(store, report=say)
        self._number = 0
        self._under_way: deque[_UnderWay] = deque()
        self._bytes = 0
        self._read_bytes = 0
        # No link is queued here, no sink is fed.
        self.plugins = made(Plugins(extractors=job.plugins.extractors)).told
        self.passed: Counter[str] = Counter()
        """Records that hold no page, by type or what is wrong with them; from the first file on."""

    def _readers(self, keys: tuple[bytes, ...]) -> AnalysisPool:
        return AnalysisPool(self._job, keys=keys)

    async def _read_all(self, pool: AnalysisPool) -> None:
        self._pool, self._sites = pool, SiteReader(self._job, pool, self._learners)
        before = 0
        if not self._ended:
            for known in self._learned:
                self._store.keep_learned(known)
                await self._store.room()
        try:
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
        finally:  # what is under way is dropped where the run does not come to its end
            answers = [one.answer for one in self._under_way if one.answer is not None]
            for answer in answers:
                answer.cancel()
            await asyncio.gather(*answers, return_exceptions=True)
            for one in self._under_way:
                if one.visit is not None:
                    one.visit.drop()
        for known in self._learners.unsaved():
            self._store.keep_learned(known)

    async def _take(self, item: Item) -> None:
        """Pass a record over, or have its page begun once it has a place in the window."""
        match item:
            case Damage():
                self._pass(item, "damaged", f"damaged: {item.detail}; reading on behind it")
                return
            case Other():
                self.passed[item.type] += 1
                return
        task = self._exchange.task(item, self._number + 1)
        if task is None:
            self.passed["not of the web"] += 1
            return
        if self._originals.lacks(item):
            why = f"{item.url}: no record before has the body of this revisit"
            self._pass(item, "revisit without its original", why)
            return
        self._number += 1
        self._originals.add(item)
        if self._number <= self._ended:
            return
        if item.is_revisit:
            whole = partial(self._originals.whole, item, self._max_bytes)
            item = await reading_apart(whole, asyncio.Event()) or item
        one = _UnderWay(replace(item, body=b""), task, self._exchange(item, task))
        # By these ends alone, in their order, it is decided what is known of the page.
        while self._under_way and (
            len(self._under_way) >= self._window or self._bytes + one.size > WINDOW_BYTES
        ):
            await self._end_next()
        if isinstance(one.outcome, Fetched):
            one.admitted = admitted = self._engine.admit(one.outcome)
            if self._engine.known(admitted) is None:
                request = admitted.request
                if self._job.extract.learn:
                    one.visit = self._sites.visit(request)
                    request = one.visit.planned(request)
                one.answer = asyncio.create_task(self._pool.analyse(request))
        self._under_way.append(one)
        self._bytes += one.size

    def _pass(self, item: Damage | Record, what: str, why: str) -> None:
        """Count what is lost, and tell where it stands."""
        self.passed[what] += 1
        if self.passed[what] <= MOST_TOLD:
            self._say(safe(f"{item.file.path}, offset {item.offset}: {why}"))

    async def _end_next(self) -> None:
        """Give the oldest record under way its end, and say in its lines where it lies."""
        one = self._under_way[0]  # it stays there until then: what is dropped is found there
        match one.outcome:
            case Redirected():
                outcome = outcomes.redirect_end(one.outcome, NOT_ASKED)
            case Skipped():
                outcome = outcomes.skip_end(one.outcome)
            case Failed():
                outcome = outcomes.fail_end(one.outcome)
            case Fetched():
                outcome = await self._concluded(one)
        self._under_way.popleft()
        self._bytes -= one.size
        record, task = one.record, one.task
        name = record.file.path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        outcome.place(warc.place(name, record.offset, record.id))
        outcome.new_urls = own_row(task.url_id, task.url, task.host)
        self._submit(outcome)
        await self._went(1, one.size, self._read_bytes)

    async def _concluded(self, one: _UnderWay) -> PageOutcome:
        """Wait until a page was read, if it is, and return what becomes of it."""
        admitted, page = one.admitted, await one.answer if one.answer else None
        assert admitted is not None
        if isinstance(page, Document):
            for name, raised in page.trouble:
                self._errors.tell_of_extractor(name, one.task.url, raised)
        # What is known as it ends is known however far a run has come before it was killed; what
        # was known as it was planned is not.
        known = self._engine.known(admitted)
        if known is not None:
            outcome = self._engine.conclude_known(admitted, known, PageLinks((), nofollow=True))
        else:
            assert page is not None
            if one.visit is not None and self._sites.doubts(one.visit, page):
                page = await self._pool.analyse(one.visit.doubted(admitted.request))
            outcome = await self._engine.conclude(admitted, page, one.visit)
        if one.visit is not None:
            one.visit.drop()
        return outcome


def _next(items: Iterator[Item]) -> list[Item]:
    return list(islice(items, CHUNK))
