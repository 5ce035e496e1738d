"""What other programs import: a judge alone (`Judge`), and a crawl page by page (`Crawl`)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import orjson

from crawler import models
from crawler.config import Job, check_seeds, load_job, parse_job
from crawler.console import Say
from crawler.crawl.crawl import Crawl as Engine
from crawler.crawl.rescope import bring_back
from crawler.engine.identity import identity
from crawler.engine.lines import verdict_name
from crawler.engine.ports import PageStore
from crawler.errors import InputError, StoreMismatch
from crawler.fetch import Access
from crawler.models import Batch, ExactDuplicate, NearDuplicate, New, NewUrl, Sibling, Unjudged
from crawler.observe.parts import parts_in_use
from crawler.plugins import Sink, UrlFilter, made
from crawler.plugins import check as check_plugins
from crawler.sources.corpus import (
    FREE,
    CorpusJob,
    CorpusJudge,
    Known,
    Place,
    believing,
    corpus_identity,
)
from crawler.sources.documents import MAX_DOCUMENT_BYTES, Fields, RawDocument
from crawler.sources.inputs import DocumentId, InputFile, id_in
from crawler.sources.reader import CorpusReader, Reading
from crawler.storage.directory import INPUTS
from crawler.storage.reference_index import open_layers
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


def told(verdict: models.Verdict, keep: bool, known: Known) -> Verdict:
    """Return a verdict for the user; `known` names the page that it rests on."""
    kind = verdict_name(verdict)
    if isinstance(verdict, New | Unjudged):
        return Verdict(kind, keep, reason=verdict.reason)
    original = known.original(verdict.of).reference
    of, against = original["id"], original.get("against")
    url = None if "source" in original else original["url"]
    match verdict:
        case ExactDuplicate():
            return Verdict(kind, keep, of, against, url, similarity=1.0)
        case NearDuplicate() | Sibling():
            evidence = verdict.evidence.value if verdict.evidence else None
            found = verdict.similarity, verdict.distance, evidence
            return Verdict(kind, keep, of, against, url, *found)


_Answer = TypeVar("_Answer")


class LoopThread:
    """A running loop; everything that is called runs in its one thread, in turns.

    The store needs a loop, and who calls a judge may have one that is running, as in a notebook, or
    none. Whoever calls waits for the answer.
    """

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon: a program that forgets to close its judge still ends, as if it was killed.
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def call(self, coroutine: Coroutine[Any, Any, _Answer]) -> _Answer:
        """Run a coroutine there; return what it returns, or raise what it raises."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def close(self) -> None:
        """End loop and thread; nothing may be under way."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


GIVEN = "documents given to a judge"
"""What stands in place of input files: no run of `dedup` over files takes the directory up."""


def open_directory(path: Path, settings: Mapping[str, Any]) -> tuple[Job, Store, Mapping[str, Any]]:
    """Return the job of a judge, its store, and the identity of that.

    Without `settings` a directory that has begun keeps its own. Raises ConfigError for settings
    that do not exist, StoreMismatch where the directory holds anything else than a judge with these
    settings, StoreInUse and StoreError as `Store.open` does.
    """
    goes_on = path.exists() and begun(path)
    held = _begun_with(path) if goes_on else {}
    job = _judge_job(path, {**held, **settings})
    if goes_on:
        _refuse_changes(path, _judge_job(path, held), job)
    corpus = CorpusJob(job, (), against=job.dedup.against)
    wanted = {**corpus_identity(corpus, identity(job)), INPUTS: GIVEN}
    made = Store.open if goes_on else Store.create
    return job, made(path, wanted, rotate_bytes=job.storage.rotate_bytes), wanted


def _judge_job(path: Path, dedup: Mapping[str, Any]) -> Job:
    return believing(parse_job({"output": path, "dedup": dict(dedup)}, "Judge.open"))


def _begun_with(path: Path) -> Mapping[str, Any]:
    """Return the settings of a judge's directory, as a job has them."""
    with StoreView.read(path) as view:
        stored = view.meta(Meta.IDENTITY, {})
    if stored.get(INPUTS) != GIVEN:
        raise StoreMismatch(
            f"{path} holds a crawl or the results of `dedup`: give Judge.open a directory of its "
            f'own, and this one as against=["{path}"]'
        )
    return {**stored["dedup"], "against": stored["against"]}


def _refuse_changes(path: Path, then: Job, now: Job) -> None:
    """Raise StoreMismatch where verdicts would not be those of the judge that was begun."""
    held, wanted = (job.dedup.model_dump(mode="json", exclude=FREE) for job in (then, now))
    differing = [
        f"{key}: {held[key]!r}, now {wanted[key]!r}" for key in held if held[key] != wanted[key]
    ]
    if differing:
        raise StoreMismatch(
            f"{path} was begun with other settings:\n  "
            + "\n  ".join(differing)
            + "\nLeave them out to go on as it was begun, or choose another directory"
        )


SOURCE = "judge"
"""What documents come by, as reports name it."""
URL = "judge:"
"""What the URL of a document begins with. Its place among all and its id follow as the fragment, as
those of a line do in a file: by its place no two documents are at one address."""
_FILE = InputFile(None, SOURCE, "the judge", SOURCE, None, 0)


class _OnlySource:
    def find(self, url: str) -> str:
        """Return what every document of a judge came by."""
        return SOURCE


class Session:
    """The judge in one directory; made by `open`, committed and released by `close`."""

    def __init__(self, job: Job, store: Store, known: Known, stack: AsyncExitStack) -> None:
        self.ids = {id_ for url in store.seen_urls() if (id_ := id_in(url)) is not None}
        """Of all documents seen, in this run or an earlier one."""
        self._store = store
        self._known = known
        self._stack = stack
        self._judge = CorpusJudge(job, store, known)
        settings = AnalysisSettings.of(job, known.pages.keys)
        self._reader = CorpusReader(Fields(id="id"), settings)
        self._ended = store.next_url_id - 1

    @classmethod
    async def open(cls, directory: Path, settings: Mapping[str, Any]) -> Self:
        """Open the judge in `directory`, or begin one; raises as `open_directory` does."""
        job, opened, identity = open_directory(directory, settings)
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(opened)
            store.begin_run(job.model_dump(mode="json"), parts_in_use())
            earlier = stack.enter_context(ExitStack())
            pages = open_layers(job.dedup.against, store, identity, earlier)
            return cls(job, store, Known(pages, _OnlySource()), stack.pop_all())

    async def see(self, document: Mapping[str, Any]) -> Verdict:
        """Judge a document of `id`, `text` and, where known, `title` and `url`."""
        reading, place = self._read(document)
        verdict, batch = self._judge.end(place, reading)
        self._store.submit(batch)
        self._ended += 1
        self.ids.add(reading.id)
        await self._store.room()
        return told(verdict, batch.document is not None, self._known)

    async def commit(self) -> None:
        """Wait until all that was seen is durable."""
        self._store.mark_run(stopped=True)
        await self._store.flush()

    async def close(self) -> None:
        """Commit, and let the directory go; its summary is written."""
        async with self._stack:
            self._store.mark_run(stopped=False)
        write_summary(self._store.directory)

    def _read(self, document: Mapping[str, Any]) -> tuple[Reading, Place]:
        id_ = document["id"]
        try:
            body = orjson.dumps(document)
        except TypeError as error:
            raise InputError(f"document {id_!r}: {error}") from None
        if len(body) > MAX_DOCUMENT_BYTES:
            raise InputError(f"document {id_!r}: longer than {MAX_DOCUMENT_BYTES:,} bytes")
        number = self._ended + 1
        raw = RawDocument(_FILE, URL, number, body)
        [reading] = self._reader.analyse([raw])
        if not isinstance(reading, Reading):
            raise InputError(f"document {id_!r}: {reading.detail}")
        if reading.id in self.ids:
            raise InputError(
                f"document {id_!r} was seen before: ask `id in judge` first, or give each version "
                "of a document an id of its own"
            )
        return reading, Place(number, raw)


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

    def __init__(self, session: Session, thread: LoopThread) -> None:
        self._session = session
        self._thread = thread
        self._calling = threading.Lock()
        self._open = True
        self._process = os.getpid()

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
        thread = LoopThread("judge")
        try:
            session = thread.call(Session.open(Path(directory), settings))
        except BaseException:
            thread.close()
            raise
        return cls(session, thread)

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
        return self._call(lambda: self._session.see(given))

    def commit(self) -> None:
        """Wait until all that was seen is durable; raises StoreError where it cannot be."""
        self._call(self._session.commit)

    def close(self) -> None:
        """Commit, write `summary.json` and let the directory go; raises as `commit` does."""
        if self._is_elsewhere():
            return
        with self._calling:
            if not self._open:
                return
            self._open = False
            try:
                self._thread.call(self._session.close())
            finally:
                self._thread.close()

    def __contains__(self, id: DocumentId) -> bool:
        """Whether a document with this id was seen, in this run or an earlier one."""
        return id in self._session.ids

    def __len__(self) -> int:
        """How many documents were seen, copies included."""
        return len(self._session.ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _call(self, make: Callable[[], Coroutine[Any, Any, _Answer]]) -> _Answer:
        if self._is_elsewhere():
            raise InputError(
                "this judge was opened by another process, which alone can ask it: send the "
                "documents there, or open a directory of its own for each process"
            )
        with self._calling:
            if not self._open:
                raise InputError("this judge is closed: open its directory again")
            return self._thread.call(make())

    def _is_elsewhere(self) -> bool:
        """Whether this is a process forked from the judge's: its thread and its locks stayed there.

        To wait for either would be for ever.
        """
        return os.getpid() != self._process


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


class Delivery:
    """Pages in the order of their ends, until somebody takes them.

    Whoever submits waits in `finished` until the program has asked for the page after: so as many
    wait as are fetched at once, and no crawl ends while the program may still add to it.
    """

    def __init__(self) -> None:
        self._pages: deque[Page] = deque()
        self._came = asyncio.Event()
        self._moved = asyncio.Event()
        self._submitted = self._taken = self._done = 0
        self._over = False

    def submit(self, page: Page) -> None:
        """Add a page; in vain where nobody takes any more."""
        if not self._over:
            self._submitted += 1
            self._pages.append(page)
            self._came.set()

    async def finished(self) -> None:
        """Wait until the program is done with all pages that are here now."""
        until = self._submitted
        while self._done < until and not self._over:
            self._moved.clear()
            await self._moved.wait()

    async def take(self) -> Page | None:
        """Be done with the page that was taken last; return the next one, None after the last."""
        self._done = self._taken
        self._moved.set()
        while not self._pages and not self._over:
            self._came.clear()
            await self._came.wait()
        if not self._pages:
            return None
        self._taken += 1
        return self._pages.popleft()

    def end(self) -> None:
        """Nothing more will come."""
        self._over = True
        self._came.set()

    def drop(self) -> None:
        """Nobody will take any more: hold nobody up."""
        self._pages.clear()
        self.end()
        self._moved.set()


class DeliveringStore:
    """What the ends of pages are handed to: the store first, then whoever takes pages."""

    def __init__(self, store: PageStore, delivery: Delivery) -> None:
        self._store = store
        self._delivery = delivery

    @property
    def next_document_id(self) -> int:
        """See PageStore."""
        return self._store.next_document_id

    def submit(self, batch: Batch) -> None:
        """See PageStore."""
        self._store.submit(batch)
        if (page := _page(batch)) is not None:
            self._delivery.submit(page)

    def submit_urls(self, new_urls: Sequence[NewUrl]) -> None:
        """See PageStore."""
        self._store.submit_urls(new_urls)

    def submit_depths(self, depths: Mapping[int, int]) -> None:
        """See PageStore."""
        self._store.submit_depths(depths)

    async def room(self) -> None:
        """See PageStore; waits for the program, too."""
        await self._delivery.finished()
        await self._store.room()


def _page(batch: Batch) -> Page | None:
    """Return what the end of a URL says of a page; None where none was judged."""
    lines = dict(batch.lines)
    line = lines.get("pages") or lines.get("duplicates")
    if line is None:
        return None
    kept = "pages" in lines
    title, text = (line["title"], line["text"]) if kept else (None, None)
    return Page(line["url"], line["verdict"], kept, title, text, line)


@dataclass(frozen=True, slots=True)
class _Entered:
    """What there is from entry to exit."""

    engine: Engine
    delivery: Delivery
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
        self._job = _crawl_job(job, Path(output))
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
        opened = Store.open if goes_on else Store.create
        store = opened(directory, identity(self._job), rotate_bytes=self._job.storage.rotate_bytes)
        delivery = Delivery()
        engine = Engine(
            self._job,
            store,
            report=self._say,
            through=lambda pages: DeliveringStore(pages, delivery),
            plugins=self._plugins,
        )
        running = asyncio.create_task(self._run(engine, delivery))
        self._entered = _Entered(engine, delivery, running)
        began = asyncio.create_task(engine.began.wait())
        try:
            await asyncio.wait({began, running}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # nobody will call __aexit__
            await self._break_off()
            raise
        finally:
            began.cancel()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        self._now.delivery.drop()
        try:
            await asyncio.shield(self._now.running)
        except asyncio.CancelledError:
            await self._break_off()
            raise

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Page:
        """Wait for the next page; raises what ended the crawl, if that was an error."""
        page = await self._now.delivery.take()
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
        answer = self._now.engine.add(url)
        if answer is None:
            raise InputError(f"{url!r} is no URL that can be crawled")
        return isinstance(answer, NewUrl)

    def stop(self) -> None:
        """Begin no new page; those in progress still come."""
        self._now.engine.stop()

    @property
    def _now(self) -> _Entered:
        if self._entered is None:
            raise RuntimeError(
                "a Crawl begins as its block is entered: async with Crawl(...) as crawl"
            )
        return self._entered

    async def _break_off(self) -> None:
        """Drop the pages in progress, and let the directory go."""
        self._now.engine.cancel()
        self._now.delivery.drop()
        await asyncio.wait({self._now.running})

    async def _run(self, engine: Engine, delivery: Delivery) -> None:
        try:
            await engine.run()
        finally:
            delivery.end()
            write_summary(self._job.output)


def _crawl_job(job: Mapping[str, Any] | str | os.PathLike[str], output: Path) -> Job:
    given = {"output": str(output)}
    if isinstance(job, Mapping):
        made = parse_job({**job, **given}, "Crawl")
    else:
        made = load_job(Path(job), given)
    check_seeds(made.seeds, "Crawl")
    return made
