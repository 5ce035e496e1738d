"""What other programs import: a judge alone (`Judge`), and a crawl page by page (`Crawl`)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import orjson

from crawler.config import Job, check_seeds, load_job, parse_job
from crawler.console import Say
from crawler.crawl.crawl import Crawl as CrawlRun
from crawler.crawl.rescope import bring_back
from crawler.engine.identity import identity
from crawler.errors import InputError, StoreMismatch
from crawler.fetch import Access
from crawler.models import NearDuplicate, New, NewUrl, PageOutcome, Sibling, Unjudged
from crawler.observe.parts import parts_in_use
from crawler.plugins import Sink, UrlFilter, made
from crawler.plugins import check as check_plugins
from crawler.sources.corpus import (
    FREE,
    CorpusJob,
    believing,
    corpus_identity,
    document_end,
    named,
)
from crawler.sources.documents import MAX_DOCUMENT_BYTES, Fields, RawDocument
from crawler.sources.inputs import DocumentId, InputFile, id_in
from crawler.sources.reader import CorpusReader, Reading
from crawler.sources.run import judging
from crawler.storage.directory import INPUTS
from crawler.storage.store import Store
from crawler.storage.summary import write_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, begun
from crawler.workers.messages import AnalysisSettings


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a document is beside all that were seen before it."""

    kind: str
    """`new`, `unjudged` (too little text to compare), `exact-payload` (the same text to the byte),
    `exact-text` (the same words), `near` (a copy, nearly the same) or `sibling` (another page of
    one template)."""
    keep: bool
    """Whether it is kept, and later documents are compared with it."""
    of: DocumentId | None = None
    """The id of the kept document that it is a copy or a sibling of. Of a page of a crawl that is
    judged against: its number there, as in that crawl's `pages.jsonl`."""
    against: str | None = None
    """The directory or index that `of` is in; None: this one."""
    url: str | None = None
    """Of a page of a crawl: its URL."""
    similarity: float | None = None
    """Exact Jaccard similarity of the two sets of shingles, 0..1: 1.0 of exact duplicates; None
    where nothing was alike, or the method does not verify."""
    distance: int | None = None
    """Hamming distance of the two fingerprints, 0..64, of what is near or a sibling."""
    evidence: str | None = None
    """What made it a copy or a sibling (`crawler.models.Evidence`)."""
    reason: str | None = None
    """Why siblings were not told (`short`), or nothing was compared: `too-short` or `no-text`."""


_Answer = TypeVar("_Answer")


GIVEN = "documents given to a judge"
"""What stands in place of input files: no run of `dedup` over files takes the directory up."""


SOURCE = "judge"
"""What documents come by, as reports name it."""
URL = "judge:"
"""What the URL of a document begins with. Its place among all and its id follow as the fragment, as
those of a line do in a file: by its place no two documents are at one address."""
_FILE = InputFile(None, SOURCE, "the judge", SOURCE, None, 0)


class Judge:
    """Tells of each document whether it is a copy of one seen before; made by `open`.

    What is kept lies in a directory like that of `dedup`: kept documents in `pages.jsonl`, copies
    with their evidence in `duplicates.jsonl`; `report`, `explain`, `export` and `--against` take
    it. The verdicts depend on the order of documents and on nothing else. After a kill everything
    up to some document is there, and `id in judge` tells which are.

    May be called from several threads: one document is judged at a time. Memory: some 200 bytes a
    kept document, and some 100 more for the id of each one seen.

    It belongs to the process that opened it: one that is forked from that (by `multiprocessing`, or
    `map(..., num_proc=4)` of datasets) can ask nothing of it, and closes nothing.
    """

    def __init__(self) -> None:
        # The store needs a loop, and who calls may have one that is running, as in a notebook, or
        # none: all runs in the one thread of this one, in turns.
        self._loop = asyncio.new_event_loop()
        # A daemon: a program that forgets to close its judge still ends, as if it was killed.
        self._thread = threading.Thread(target=self._loop.run_forever, name="judge", daemon=True)
        self._thread.start()
        self._calling = threading.Lock()
        self._open = True
        self._process = os.getpid()
        self._ids: set[DocumentId] = set()
        """Of all documents seen, in this run or an earlier one."""

    @classmethod
    def open(cls, directory: str | os.PathLike[str], **settings: Any) -> Self:
        """Open the judge in a directory, or begin one.

        `settings` are the keys of `dedup` in a job (docs/configuration.md): `threshold=0.8`,
        `method="verified"`, `against=["last-month"]` and so on. As for corpora, whatever is alike
        is a copy, unless `siblings="tag"` asks for titles and URLs to be compared. A directory that
        has begun keeps its settings: leave them out, or give the same.

        Raises ConfigError for settings that do not exist; StoreMismatch where the directory holds
        something else or has other settings; StoreInUse where another process has it; StoreError
        where it cannot be read or written. All are `crawler.errors.CrawlerError`, with the way out.
        """
        path, held = Path(directory), dict[str, Any]()
        goes_on = path.exists() and begun(path)
        if goes_on:
            with StoreView.read(path) as view:
                stored = view.meta(Meta.IDENTITY, {})
            if stored.get(INPUTS) != GIVEN:
                raise StoreMismatch(
                    f"{path} holds a crawl or the results of `dedup`: give Judge.open a directory "
                    f'of its own, and this one as against=["{path}"]'
                )
            held = {**stored["dedup"], "against": stored["against"]}
        job = _job(path, {**held, **settings})
        if goes_on:
            before = _job(path, held)
            then, now = (one.dedup.model_dump(mode="json", exclude=FREE) for one in (before, job))
            differing = [f"{k}: {then[k]!r}, now {now[k]!r}" for k in then if then[k] != now[k]]
            if differing:
                raise StoreMismatch(
                    f"{path} was begun with other settings:\n  "
                    + "\n  ".join(differing)
                    + "\nLeave them out to go on as it was begun, or choose another directory"
                )
        judge = cls()
        try:
            judge._run(judge._begin(job, Store.open if goes_on else Store.create))
        except BaseException:
            judge._end_thread()
            raise
        return judge

    async def _begin(self, job: Job, opened: Callable[..., Store]) -> None:
        against = job.dedup.against
        wanted = corpus_identity(CorpusJob(job, (), against=against), identity(job))
        wanted[INPUTS] = GIVEN
        async with AsyncExitStack() as stack:
            store = opened(job.output, wanted, rotate_bytes=job.storage.rotate_bytes)
            self._store = await stack.enter_async_context(store)
            store.begin_run(job.model_dump(mode="json"), parts_in_use())
            by_url = partial(named, lambda url: SOURCE)
            self._engine, pages = stack.enter_context(judging(job, store, against, by_url))
            self._reader = CorpusReader(Fields(id="id"), AnalysisSettings.of(job, pages.keys))
            self._ended = store.next_url_id - 1
            self._ids.update(id_ for url in store.seen_urls() if (id_ := id_in(url)) is not None)
            self._opened = stack.pop_all()

    def see(
        self, id: DocumentId, text: str, *, title: str | None = None, url: str | None = None
    ) -> Verdict:
        """Judge a document and remember it, in one step.

        It is durable within a second, or after `commit`. `title` and `url` are compared where the
        settings ask for siblings. Raises InputError for an id that was seen before, and for what is
        no text; StoreError where the directory cannot be written any more.
        """
        telling = {"title": title, "url": url}
        given = {"id": id, "text": text} | {k: v for k, v in telling.items() if v is not None}
        return self._call(self._see, given)

    async def _see(self, document: Mapping[str, Any]) -> Verdict:
        given = document["id"]
        try:
            body = orjson.dumps(document)
        except TypeError as error:
            raise InputError(f"document {given!r}: {error}") from None
        if len(body) > MAX_DOCUMENT_BYTES:
            raise InputError(f"document {given!r}: longer than {MAX_DOCUMENT_BYTES:,} bytes")
        raw = RawDocument(_FILE, URL, self._ended + 1, body)
        [reading] = self._reader.analyse([raw])
        if not isinstance(reading, Reading):
            raise InputError(f"document {given!r}: {reading.detail}")
        if reading.id in self._ids:
            raise InputError(
                f"document {given!r} was seen before: ask `id in judge` first, or give each "
                "version of a document an id of its own"
            )
        outcome = await document_end(self._engine, self._ended + 1, raw, reading)
        self._store.submit(outcome)
        self._ended += 1
        self._ids.add(reading.id)
        await self._store.room()
        found, of = outcome.end, outcome.original
        told = Verdict(outcome.detail, outcome.document is not None)
        if isinstance(found, New | Unjudged):
            return replace(told, reason=found.reason)
        assert of is not None  # every other verdict rests on a kept document
        url = None if "source" in of else of["url"]
        told = replace(told, of=of["id"], against=of.get("against"), url=url, similarity=1.0)
        if isinstance(found, NearDuplicate | Sibling):
            return replace(
                told,
                similarity=found.similarity,
                distance=found.distance,
                evidence=found.evidence.value if found.evidence else None,
            )
        return told

    def commit(self) -> None:
        """Wait until all that was seen is durable; raises StoreError where it cannot be."""
        self._call(self._commit)

    async def _commit(self) -> None:
        self._store.mark_run(stopped=True)
        await self._store.flush()

    def close(self) -> None:
        """Commit, write `summary.json` and let the directory go; raises as `commit` does."""
        if self._is_elsewhere():
            return
        with self._calling:
            if not self._open:
                return
            self._open = False
            try:
                self._run(self._close())
            finally:
                self._end_thread()

    async def _close(self) -> None:
        async with self._opened:
            self._store.mark_run(stopped=False)
        write_summary(self._store.directory)

    def __contains__(self, id: DocumentId) -> bool:
        """Whether a document with this id was seen, in this run or an earlier one."""
        return id in self._ids

    def __len__(self) -> int:
        """How many documents were seen, copies included."""
        return len(self._ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, ask: Callable[..., Coroutine[Any, Any, _Answer]], *given: Any) -> _Answer:
        if self._is_elsewhere():
            raise InputError(
                "this judge was opened by another process, which alone can ask it: send the "
                "documents there, or open a directory of its own for each process"
            )
        with self._calling:
            if not self._open:
                raise InputError("this judge is closed: open its directory again")
            return self._run(ask(*given))

    def _run(self, coroutine: Coroutine[Any, Any, _Answer]) -> _Answer:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _end_thread(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _is_elsewhere(self) -> bool:
        """Whether this is a process forked from the judge's: its thread and its locks stayed there.

        To wait for either would be for ever.
        """
        return os.getpid() != self._process


def _job(path: Path, dedup: Mapping[str, Any]) -> Job:
    return believing(parse_job({"output": path, "dedup": dict(dedup)}, "Judge.open"))


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was judged."""

    url: str
    verdict: str
    """`new`, `unjudged`, `sibling`, `exact-payload`, `exact-text` or `near`."""
    kept: bool
    """Whether it is stored: its line is one of `pages.jsonl`, else of `duplicates.jsonl`."""
    title: str | None
    text: str | None
    """What is worth keeping of it; None of a page that is not kept."""
    line: Mapping[str, Any]
    """All that is known of it, as its line says it (docs/output.md)."""


class DeliveringStore(Store):
    """A store that hands over the pages that were judged, too, in the order of their ends.

    Whoever submits waits in `room` until the program has asked for the page after: so as many wait
    as are fetched at once, and no crawl ends while the program may still add to it.
    """

    def __init__(self, *opened: Any) -> None:
        super().__init__(*opened)
        self._pages: asyncio.Queue[tuple[Page | None, asyncio.Event]] = asyncio.Queue()
        """Each with what is set once the program is done with it; None after the last one."""
        self._over = False
        self._taken = self._submitted = asyncio.Event()
        """Those of the pages that were taken and submitted last."""
        self._submitted.set()

    def submit(self, outcome: PageOutcome) -> None:
        """See Store."""
        super().submit(outcome)
        lines = dict(outcome.lines)
        line = lines.get("pages") or lines.get("duplicates")
        if line is None or self._over:
            return
        kept = "pages" in lines
        title, text = (line["title"], line["text"]) if kept else (None, None)
        self._submitted = asyncio.Event()
        page = Page(line["url"], line["verdict"], kept, title, text, line)
        self._pages.put_nowait((page, self._submitted))

    async def room(self) -> None:
        """See Store; waits until the program is done with all pages that are here now, too."""
        await self._submitted.wait()
        await super().room()

    async def take(self) -> Page | None:
        """Be done with the page that was taken last; return the next one, None after the last."""
        self._taken.set()
        page, self._taken = await self._pages.get()
        if page is None:
            self.end()
        return page

    def end(self) -> None:
        """Nothing more will come."""
        self._over = True
        self._pages.put_nowait((None, asyncio.Event()))

    def drop(self) -> None:
        """Nobody will take any more: hold nobody up."""
        self._taken.set()
        while not self._pages.empty():
            self._pages.get_nowait()[1].set()
        self.end()


@dataclass(frozen=True, slots=True)
class _Entered:
    """What there is from entry to exit."""

    run: CrawlRun
    store: DeliveringStore
    running: asyncio.Task[None]


class Crawl:
    """A crawl of a job into a directory, from entry to exit; the pages that it judges, in order.

    ::

        async with Crawl({"seeds": ["https://site.example/"]}, "out") as crawl:
            async for page in crawl:
                ...

    The iteration ends with the crawl. Leaving the block early stops the crawl as Ctrl-C does: pages
    in progress are finished within the job's `grace_s`, and the same call goes on with it later. A
    page is handed over once, before or after it is durable; what was judged and not taken is in
    `pages.jsonl` all the same, which is where to look after a kill.

    No signal is caught and nothing is printed or logged by itself. Several crawls may run on one
    loop, each in a directory of its own.
    """

    def __init__(
        self,
        job: Mapping[str, Any] | str | os.PathLike[str],
        output: str | os.PathLike[str],
        *,
        say: Say = lambda line: None,
        filters: Mapping[str, UrlFilter] | None = None,
        sinks: Mapping[str, Sink] | None = None,
    ) -> None:
        """Take a job: its keys (docs/configuration.md), or the path of a YAML file of them.

        As many pages as the job fetches at once (`fetch.workers`) wait to be taken before the crawl
        waits. `say` hears the lines that the command prints. `filters` and `sinks` are
        objects, by name, that take part beside the plugins of the job (docs/plugins.md); a sink is
        known again by its name where the crawl goes on. Raises ConfigError for a job, or a plugin,
        that cannot be used as it stands.
        """
        given = {"output": str(output)}
        if isinstance(job, Mapping):
            self._job = parse_job({**job, **given}, "Crawl")
        else:
            self._job = load_job(Path(job), given)
        check_seeds(self._job.seeds, "Crawl")
        check_plugins(self._job.plugins)
        self._plugins = made(self._job.plugins, filters, sinks)
        self._say = say
        self._entered: _Entered | None = None

    async def __aenter__(self) -> Self:
        """Begin the crawl, or go on with the one in the directory.

        Raises StoreMismatch where something else is there, or settings differ that must not;
        StoreInUse where another process has it; StoreError where it cannot be read or written;
        ConfigError where a login or certificate that the job names cannot be used.
        """
        Access(self._job)
        directory = self._job.output
        goes_on = begun(directory)
        if goes_on:
            bring_back(directory, self._job, self._say)
        opened = DeliveringStore.open if goes_on else DeliveringStore.create
        store = opened(directory, identity(self._job), rotate_bytes=self._job.storage.rotate_bytes)
        run = CrawlRun(self._job, store, report=self._say, plugins=self._plugins)
        running = asyncio.create_task(self._run(run, store))
        self._entered = _Entered(run, store, running)
        began = asyncio.create_task(run.began.wait())
        try:
            await asyncio.wait({began, running}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # nobody will call __aexit__
            await self._break_off()
            raise
        finally:
            began.cancel()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()
        self._now.store.drop()
        try:
            await asyncio.shield(self._now.running)
        except asyncio.CancelledError:
            await self._break_off()
            raise

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Page:
        """Wait for the next page; raises what ended the crawl, if that was an error."""
        page = await self._now.store.take()
        if page is None:
            await self._now.running
            raise StopAsyncIteration
        return page

    def add(self, url: str) -> bool:
        """Queue one more seed; return whether it is new and the job's scope admits it.

        Raises InputError for what is no URL, and where the crawl has ended: that is when nothing
        more is queued and the page after the last one was asked for.
        """
        if self._now.running.done():
            raise InputError(f"{url}: the crawl has ended: run it again to add more to it")
        answer = self._now.run.add(url)
        if answer is None:
            raise InputError(f"{url!r} is no URL that can be crawled")
        return isinstance(answer, NewUrl)

    def stop(self) -> None:
        """Begin no new page; those in progress still come."""
        self._now.run.stop()

    @property
    def _now(self) -> _Entered:
        if self._entered is None:
            raise RuntimeError(
                "a Crawl begins as its block is entered: async with Crawl(...) as crawl"
            )
        return self._entered

    async def _break_off(self) -> None:
        """Drop the pages in progress, and let the directory go."""
        self._now.run.cancel()
        self._now.store.drop()
        await asyncio.wait({self._now.running})

    async def _run(self, run: CrawlRun, store: DeliveringStore) -> None:
        try:
            await run.run()
        finally:
            store.end()
            write_summary(self._job.output)
