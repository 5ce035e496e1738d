"""A run over a corpus: documents read in processes, judged here in their order, stored.

::

    files -> batches -> [processes: parse, sign] -> judge -> one Batch a document -> store

A few batches are under way at once; answers are taken in the order of the input, so the verdicts
do not depend on the number of processes. A run that was stopped or killed goes on where its store
ends: as many documents as have an end there are passed over.

A document's batch brings its own URL, so the URL table grows with what is judged and never holds a
document that is still to come. A line is where the document lies, with the user's own ids, and what
a crawl's line says of a judged page (`crawler.engine.lines`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Protocol

import orjson

from crawler import engine
from crawler.config import Job, SiblingMode
from crawler.console import Say
from crawler.dedup import Judge, likeness
from crawler.dedup.kinds import Alike
from crawler.engine import Offered, lines
from crawler.engine.lines import (
    Judged,
    Original,
    Record,
    duplicate_verdict,
    is_duplicate,
    page_verdict,
)
from crawler.errors import InputError, StoreMismatch
from crawler.models import (
    NEAR,
    Batch,
    Failure,
    NewUrl,
    Priority,
    Shown,
    Sibling,
    StoredRef,
    UrlState,
    Verdict,
)
from crawler.observe.parts import parts_in_use
from crawler.observe.progress import Pace
from crawler.observe.summary import Tally
from crawler.sources.documents import Bad, Fields, RawDocument, batches, real_trouble
from crawler.sources.inputs import (
    DocumentId,
    InputFile,
    Sources,
    document_url,
    fingerprint_of,
    id_in,
    line_in,
    recorded_source,
    total_bytes,
)
from crawler.sources.reader import CorpusReader, Reading
from crawler.storage.catalog import LayeredCatalog
from crawler.storage.directory import INPUTS
from crawler.storage.reference_index import open_layers, resolved
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, confirm_accounts
from crawler.workers.messages import AnalysisFailed
from crawler.workers.pool import WorkerPool

PREFIX = "dedup_"
"""What the names of columns begin with that stand beside the user's own."""

_FILE_OF = {
    UrlState.STORED: "pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.SKIPPED: "skipped",
    UrlState.FAILED: "failures",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of one document."""

    kept: bool
    """Whether it is no copy of another one: kept by the judge, or not judged since reading it took
    too long."""
    verdict: str
    """As lines name it; `skipped` or `failed` of what was not judged."""
    id: DocumentId | None = None
    """The user's own; None of what was not judged."""
    duplicate_of: DocumentId | None = None
    """The id of the document that it is a copy of, or a sibling of."""
    original: str | None = None
    """The name of that, which no other document has (`url` in lines)."""
    similarity: float | None = None


def added(answer: Answer) -> dict[str, Any]:
    """Return the columns that tell an answer; ids as text, since both kinds may be in one."""
    of = answer.duplicate_of
    return {
        PREFIX + "verdict": answer.verdict,
        PREFIX + "duplicate_of": None if of is None else str(of),
        PREFIX + "original": answer.original,
        PREFIX + "similarity": answer.similarity,
    }


def answers_by_file(view: StoreView) -> Iterator[tuple[str, Iterator[Answer]]]:
    """Yield the `file:` URL of each file that was judged, with the answers on its documents.

    The answers of a file are to be taken before the next file is asked for.
    """
    ends = view.database.stream("SELECT url, state, detail FROM urls ORDER BY id")
    lines = {name: view.lines(name) for name in _FILE_OF.values()}

    def answers(found: Iterator[tuple[str, int, str]]) -> Iterator[Answer]:
        for _, state, detail in found:
            kind = _FILE_OF[UrlState(state)]
            line = next(lines[kind]).data
            if kind == "pages" and detail == NEAR:  # tagged: it has a line in both files
                next(lines["duplicates"])
            yield _answer(kind, orjson.loads(line))

    for file, found in groupby(ends, key=lambda end: end[0].partition("#")[0]):
        yield file, answers(found)


def _answer(kind: str, line: dict[str, Any]) -> Answer:
    if kind == "skipped":
        return Answer(False, "skipped")
    if kind == "failures":
        return Answer(True, "failed")
    of = line["duplicate_of"] or line.get("sibling_of") or {}
    verdict, similarity = line["verdict"], line["similarity"]
    if similarity is None and verdict.startswith("exact-"):
        similarity = 1.0
    return Answer(kind == "pages", verdict, line["id"], of.get("id"), of.get("url"), similarity)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in the run and in its file."""

    number: int
    """From 1, over all documents of the run: its id in the URL table."""
    raw: RawDocument

    def brings(self, url: str) -> Offered:
        """Return the row of the URL table that this document's end brings: its own."""
        row = NewUrl(self.number, url, self.source, 0, Priority.ORDINARY, 0, None, seed=True)
        return Offered((row,))

    @property
    def source(self) -> str:
        """The argument the document came by, fit for records."""
        return recorded_source(self.raw.file)

    @property
    def fields(self) -> Record:
        """Where it lies, for its line."""
        return {"source": self.source, "line": self.raw.line}

    @property
    def url(self) -> str:
        """What a document is called whose id could not be read."""
        raw = self.raw
        return document_url(raw.file_url, raw.line, None if raw.line else raw.file.id)


class Origins(Protocol):
    """What documents of this run came by."""

    def find(self, url: str) -> str:
        """Return the argument, or whatever else brought it, of the document with this URL."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a verdict may name: kept documents, of this run and of earlier ones."""

    pages: LayeredCatalog
    sources: Origins

    def original(self, of: StoredRef) -> Original:
        """Return what a line says of a kept document, and its id if it is this run's."""
        elsewhere = self.pages.elsewhere(of.id)
        earlier, stored_id = elsewhere or (None, of.id)
        id_ = id_in(of.url)
        if id_ is None:  # a page of a crawl
            reference: Record = {"id": stored_id, "url": of.url}
        else:
            source = earlier.source_of(stored_id) if earlier else self.sources.find(of.url)
            reference = {"id": id_, "url": of.url, "source": source, "line": line_in(of.url)}
        if earlier is None:
            return Original(reference, stored_id)
        more = {"against": earlier.name, **earlier.about(stored_id)}
        return Original({**reference, **more}, None)


def judged_end(
    place: Place, reading: Reading, verdict: Verdict, document_id: int | None, known: Known
) -> Batch:
    """Return the end of a document that was judged; without an id it is left out as a duplicate.

    A near duplicate that is kept (tag mode) has a line in both files.
    """
    is_stored = document_id is not None
    document, judged = reading.document, _judged(place, reading, verdict, known, is_stored)
    head: Record = {"id": reading.id, "url": reading.url, **place.fields}
    records, stored = {}, None
    if document_id is not None:
        page = {
            **head,
            "canonical_url": document.canonical_url,
            **lines.content(document, reading.media_type),
            **page_verdict(document, judged),
            **({"fields": reading.fields} if reading.fields else {}),
        }
        records["pages"] = lines.whole("pages", page, of_corpus=True)
        name = place.number, reading.url
        stored = engine.stored_document(document_id, *name, document, judged, address=None)
    if is_duplicate(judged, stored=stored is not None):
        duplicate = {**head, **duplicate_verdict(document, judged)}
        records["duplicates"] = lines.whole("duplicates", duplicate, of_corpus=True)
    offered = place.brings(reading.url)
    return engine.judged_end(place.number, records, document, judged, offered, stored)


def bad_end(place: Place, bad: Bad) -> Batch:
    """Return the end of a document that could not be read and is skipped."""
    line = {"url": place.url, **place.fields, "reason": bad.reason.value, "detail": bad.detail}
    return _without_page(place, UrlState.SKIPPED, "skipped", bad.reason.value, line)


def failed_end(place: Place, failure: Failure, detail: str) -> Batch:
    """Return the end of a document that hung or ended the process that read it."""
    line = {"url": place.url, **place.fields, "failure": failure.value, "detail": detail}
    return _without_page(place, UrlState.FAILED, "failures", failure.value, line)


def _without_page(place: Place, state: UrlState, file: str, detail: str, line: Record) -> Batch:
    new_urls = place.brings(place.url).new_urls
    return Batch(place.number, state, ((file, line),), detail=detail, new_urls=new_urls)


def _judged(
    place: Place, reading: Reading, verdict: Verdict, known: Known, is_stored: bool
) -> Judged:
    raw = place.raw
    text = raw.body if raw.file.media_type else reading.document.text.encode()
    sizes = len(text), len(raw.body)
    if not isinstance(verdict, Alike):
        return Judged(verdict, reading.payload, *sizes)
    alike = None
    if not (is_stored and isinstance(verdict, Sibling)):
        alike = likeness(verdict, reading.document, known.pages)
    return Judged(verdict, reading.payload, *sizes, known.original(verdict.of), alike)


EXPECTED_DOCUMENTS = 100_000
"""What filters and indexes make room for at first; they grow beyond."""


class CorpusJudge:
    """The judge of one run over documents, and the numbers of those it keeps.

    Takes up what `store` and the earlier pages of `known` hold. Each `end` must be submitted to the
    store before the next document is judged.
    """

    def __init__(self, job: Job, store: Store, known: Known) -> None:
        self._known = known
        self._next_document_id = store.next_document_id
        pages = known.pages
        stored = pages.earlier_documents + self._next_document_id
        self._judge = Judge(job.dedup, pages, max(EXPECTED_DOCUMENTS, 2 * stored))
        self._judge.restore(chain(pages.earlier_rows(), store.index_rows()))
        self._judge.restore_editions(store.editions())

    def end(self, place: Place, reading: Reading) -> tuple[Verdict, Batch]:
        """Return the verdict on a document, and what the store is to commit of it."""
        document, id_ = reading.document, self._next_document_id
        shown = Shown(reading.url, document.appearance, document.layout)
        verdict = self._judge.judge(reading.payload, document.signature, id_, shown)
        keeps = self._judge.keeps(verdict)
        self._next_document_id += keeps
        kept_as = id_ if keeps else None
        batch = judged_end(place, reading, verdict, kept_as, self._known)
        return verdict, replace(batch, editions=self._judge.take_editions())


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CorpusJob:
    """What to judge and how; `job` gives the settings of dedup and analysis."""

    job: Job
    files: tuple[InputFile, ...]
    fields: Fields = field(default_factory=Fields)
    against: tuple[Path, ...] = ()
    skip_bad: bool = False


class CorpusRun:
    """One run. Make it, `run` it once, `stop` it if need be; `identity` is that of its store."""

    def __init__(
        self,
        corpus: CorpusJob,
        store: Store,
        identity: Mapping[str, Any],
        *,
        say: Say = lambda line: None,
    ) -> None:
        self._corpus = corpus
        self._job = corpus.job
        self._store = store
        self._identity = identity
        self._say = say
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self.tally = Tally(store.counts.by_state)

    async def run(self) -> None:
        """Judge all documents; the store is closed when this returns.

        Raises InputError for a document that cannot be read, unless bad ones are to be skipped;
        what came before it is judged and kept. Raises StoreError where the store cannot go on.
        """
        self._task = asyncio.current_task()
        self._ended = self._store.next_url_id - 1
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._store)
            store.begin_run(self._job.model_dump(mode="json"), parts_in_use())
            store.mark_run(stopped=True)
            earlier, against = stack.enter_context(ExitStack()), self._corpus.against
            pages = open_layers(against, store, self._identity, earlier)
            known = Known(pages, Sources(self._corpus.files))
            self._judge = CorpusJudge(self._job, store, known)
            make = partial(CorpusReader, self._corpus.fields)
            pool = await stack.enter_async_context(WorkerPool(self._job, make, pages.keys))
            stopped = True
            try:
                await self._judge_all(pool)
                stopped = self._stop.is_set()
            finally:
                store.mark_run(stopped=stopped)
            await store.flush()
            confirm_accounts(store.directory, store.accounting().problems)

    def stop(self) -> None:
        """Judge nothing more; what was judged is kept, and the same command goes on."""
        self._stop.set()

    def cancel(self) -> None:
        """Do not even wait for the batch under way."""
        self.stop()
        if self._task is not None:
            self._task.cancel()

    async def _judge_all(self, pool: WorkerPool) -> None:
        total = total_bytes(self._corpus.files)
        pace = Pace(self.tally, total, self._job.progress_s, self._say)
        log.info("judging %d files, after %d documents", len(self._corpus.files), self._ended)
        source = batches(self._corpus.files, self._ended, self._corpus.fields)
        async with aclosing(
            pool.read_ahead(source, lambda batch: batch.documents, self._stop)
        ) as read:
            async for batch, answers in read:
                for raw, answer in zip(batch.documents, answers, strict=True):
                    self._end(raw, answer)
                self._store.mark_run(stopped=True)
                pace.add(len(answers), batch.body_bytes, batch.read_bytes)
                await self._store.room()
                if self._stop.is_set():
                    break
        log.info("ended after %d documents", self._ended)
        self._say(pace.line())

    def _end(self, raw: RawDocument, answer: Reading | Bad | AnalysisFailed) -> None:
        place = Place(self._ended + 1, raw)
        match answer:
            case Reading():
                self._submit(self._judge.end(place, answer)[1])
            case AnalysisFailed():
                self._submit(failed_end(place, answer.failure, answer.detail))
            case Bad():
                if not self._corpus.skip_bad:
                    raise InputError(
                        f"{raw.place}: {real_trouble(raw, answer).detail}\n"
                        f"  {self._ended:,} documents before it were judged, and "
                        f"{self._store.directory} is complete up to there. To skip and count such "
                        "documents, repeat the command with --skip-bad: it continues here. If you "
                        "correct the file instead, choose another --output"
                    )
                self._submit(bad_end(place, answer))

    def _submit(self, batch: Batch) -> None:
        self._store.submit(batch)
        self.tally.add(batch)
        self._ended += 1


FREE = {"index", "index_memory_bytes"}
"""Settings of `dedup` that no verdict depends on: a run goes on with others."""


def believing(job: Job) -> Job:
    """Return a job that takes whatever is alike for near duplicates, unless it says otherwise.

    A corpus of texts has neither addresses nor titles to tell siblings by, and who deduplicates one
    asks for resemblance.
    """
    if "siblings" in job.dedup.model_fields_set:
        return job
    dedup = job.dedup.model_copy(update={"siblings": SiblingMode.IGNORE})
    return job.model_copy(update={"dedup": dedup})


def corpus_identity(corpus: CorpusJob, judging: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be the same where a run goes on: how pages are judged, and which.

    `judging` is a crawl's identity (`crawl.identity`). In a crawl thresholds may change between
    runs; here the same command has to give the same verdicts, so they may not.
    """
    return {
        **judging,
        INPUTS: fingerprint_of(corpus.files),
        "text_field": corpus.fields.text,
        "id_field": corpus.fields.id,
        "against": resolved(corpus.against),
        "engine": corpus.job.extract.engine.value,
        "dedup": corpus.job.dedup.model_dump(mode="json", exclude=FREE | {"against"}),
    }


def open_store(corpus: CorpusJob, identity: Mapping[str, Any]) -> Store:
    """Return the store of a run, new or reopened.

    Raises StoreMismatch if the directory holds a crawl, or verdicts on other documents or with
    other settings; StoreInUse and StoreError as `Store.create` does.
    """
    directory, rotate_bytes = corpus.job.output, corpus.job.storage.rotate_bytes
    _refuse_overlap(corpus, directory)
    begun = _begun_as(directory)
    if begun is None:
        return Store.create(directory, identity, rotate_bytes=rotate_bytes)
    if any(file.path is None for file in corpus.files):
        raise InputError(
            f"{directory} already holds verdicts, and standard input cannot be read from its "
            "beginning again: choose another --output"
        )
    if INPUTS in begun:  # where it is a crawl, `Store.open` says so
        _refuse_changes(directory, begun, identity)
    return Store.open(directory, identity, rotate_bytes=rotate_bytes)


def _begun_as(directory: Path) -> Mapping[str, Any] | None:
    """Return the identity of the run that a directory holds, None where none has begun."""
    try:
        with StoreView.read(directory) as view:
            identity: Mapping[str, Any] = view.meta(Meta.IDENTITY, {})
            return identity if view.next_url_id > 1 else None
    except StoreMismatch:  # nothing of ours, or nothing yet: `Store.create` says what is wrong
        return None


def _refuse_changes(directory: Path, begun: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    then, wanted = _settings(begun), _settings(now)
    differing = [
        f"{key}: {then.get(key, 'nothing')}, now {wanted.get(key, 'nothing')}"
        for key in sorted(then.keys() | wanted.keys())
        if then.get(key) != wanted.get(key)
    ]
    if begun[INPUTS] != now[INPUTS]:
        differing.append("FILE...: the files are different, or their sizes or times have changed")
    if differing:
        raise StoreMismatch(
            f"{directory} holds a run with other inputs or settings:\n  "
            + "\n  ".join(differing)
            + "\nTo continue it, repeat its own command; otherwise choose another --output"
        )


def _settings(identity: Mapping[str, Any]) -> dict[str, str]:
    """Return each setting by its name as JSON; what a setting of `dedup` entails is left out."""
    dedup: Mapping[str, Any] = identity["dedup"]
    others = identity.keys() - dedup.keys() - {"dedup", INPUTS}
    named = {f"dedup.{key}": value for key, value in dedup.items()}
    named |= {key: identity[key] for key in others}
    return {key: orjson.dumps(value).decode() for key, value in named.items()}


def _refuse_overlap(corpus: CorpusJob, directory: Path) -> None:
    output = directory.resolve()
    for file in corpus.files:
        if file.path is not None and output in file.path.resolve().parents:
            raise InputError(
                f"{file.name} lies in the output directory {directory}: choose another --output"
            )
    if any(other.resolve() == output for other in corpus.against):
        raise InputError(
            f"{directory}: --against and --output are the same directory; choose another --output"
        )
