"""A run over a corpus: documents read in processes, judged here in their order, stored.

::

    files -> batches -> [processes: parse, sign] -> engine -> one PageOutcome a document -> store

A few batches are under way at once; answers are taken in the order of the input, so the verdicts
do not depend on the number of processes.

A document's end brings its own URL, so the URL table grows with what is judged and never holds a
document that is still to come. A line is where the document lies, with the user's own ids, and what
a crawl's line says of a judged page (`crawler.engine.outcomes`).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from crawler.config import Job, SiblingMode
from crawler.console import Say
from crawler.engine.engine import Engine
from crawler.engine.outcomes import (
    Record,
    as_line,
    content,
    duplicate_verdict,
    is_duplicate,
    page_verdict,
    spent,
    stored_document,
)
from crawler.errors import InputError, StoreMismatch
from crawler.models import PageOutcome, Shown, StoredRef, UrlState
from crawler.sources.documents import (
    Bad,
    Fields,
    RawBatch,
    RawDocument,
    batches,
    real_trouble,
)
from crawler.sources.inputs import (
    InputFile,
    document_url,
    fingerprint_of,
    id_in,
    line_in,
    recorded_source,
    source_of,
    total_bytes,
)
from crawler.sources.reader import Answers, CorpusReader, Reading
from crawler.sources.run import SourceRun, own_row
from crawler.storage.catalog import LayeredCatalog
from crawler.storage.directory import INPUTS
from crawler.storage.reference_index import resolved
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.units import counted
from crawler.workers.messages import AnalysisFailed
from crawler.workers.pool import WorkerPool

log = logging.getLogger(__name__)


def named(source_of: Callable[[str], str], pages: LayeredCatalog, of: StoredRef) -> Record:
    """Return what a line says of a kept document, or a crawl's page; it has this run's `source`."""
    earlier, stored_id = pages.elsewhere(of.id) or (None, of.id)
    id_ = id_in(of.url)
    if id_ is None:  # a page of a crawl
        told: Record = {"id": stored_id, "url": of.url}
    else:
        source = earlier.source_of(stored_id) if earlier else source_of(of.url)
        told = {"id": id_, "url": of.url, "source": source}
        if (line := line_in(of.url)) is not None:
            told["line"] = line
    if earlier is None:
        return told
    return {**told, "against": earlier.name, **earlier.about(stored_id)}


async def document_end(
    engine: Engine, number: int, raw: RawDocument, reading: Reading
) -> PageOutcome:
    """Judge a document, and return its end with its lines.

    `number` is its place in the run, from 1: its id in the URL table. A near duplicate that is kept
    (tag mode) has a line in both files.
    """
    document, url = reading.document, reading.url
    costs = spent(reading.body_bytes, reading.raw_bytes, 0.0, document)
    shown = Shown(url, document.appearance, document.layout)
    outcome, kept_as = await engine.judge(number, reading.payload, document, shown, costs)
    place = {"id": reading.id, **_place(raw, url)}
    lines = []
    if kept_as is not None:
        page = {
            **place,
            "canonical_url": document.canonical_url,
            **content(document, reading.media_type),
            **page_verdict(document, outcome),
            **({"fields": reading.fields} if reading.fields else {}),
        }
        lines.append(("pages", as_line("pages", page, of_corpus=True)))
        outcome.document = stored_document(kept_as, url, document, outcome, address=None)
    if is_duplicate(outcome):
        duplicate = {**place, **duplicate_verdict(document, outcome)}
        lines.append(("duplicates", as_line("duplicates", duplicate, of_corpus=True)))
    outcome.lines = tuple(lines)
    outcome.new_urls = own_row(number, url, recorded_source(raw.file))
    return outcome


def unread_end(number: int, raw: RawDocument, why: Bad | AnalysisFailed) -> PageOutcome:
    """Return the end of a document that makes no sense, or hung or ended the process at it."""
    url = document_url(raw.file_url, raw.line, None if raw.line else raw.file.id)
    place, brought = _place(raw, url), own_row(number, url, recorded_source(raw.file))
    if isinstance(why, Bad):
        state, file, name, end = UrlState.SKIPPED, "skipped", "reason", why.reason.value
    else:
        state, file, name, end = UrlState.FAILED, "failures", "failure", why.failure.value
    line = as_line(file, {**place, name: end, "detail": why.detail}, of_corpus=True)
    return PageOutcome(number, state, ((file, line),), end, new_urls=brought)


def _place(raw: RawDocument, url: str) -> Record:
    """Return where a document lies, for its line."""
    return {"url": url, "source": recorded_source(raw.file), "line": raw.line}


@dataclass(frozen=True, slots=True)
class CorpusJob:
    """What to judge and how; `job` gives the settings of dedup and analysis."""

    job: Job
    files: tuple[InputFile, ...]
    fields: Fields = field(default_factory=Fields)
    against: tuple[Path, ...] = ()
    skip_bad: bool = False


class CorpusRun(SourceRun):
    """One run over a corpus; bad documents end it unless they are to be skipped."""

    def __init__(self, corpus: CorpusJob, store: Store, *, say: Say = lambda line: None) -> None:
        super().__init__(corpus.job, store, corpus.against, total_bytes(corpus.files), say)
        self._corpus = corpus
        self.named = partial(named, source_of(corpus.files))

    def _readers(self, keys: tuple[bytes, ...]) -> AbstractAsyncContextManager[Any]:
        return WorkerPool(self._job, partial(CorpusReader, self._corpus.fields), keys)

    def _read(self, pool: Any, number: int) -> AsyncGenerator[tuple[RawBatch, Answers], None]:
        """Yield all documents after the first `number`, each with what was read of it."""
        source = batches(self._corpus.files, number, self._corpus.fields)
        read: AsyncGenerator[tuple[RawBatch, Answers], None]
        read = pool.read_ahead(source, lambda batch: batch.documents, self._stop)
        return read

    async def _read_all(self, pool: Any) -> None:
        number = self._ended
        log.info("judging %d files, after %d documents", len(self._corpus.files), number)
        async with aclosing(self._read(pool, number)) as read:
            async for batch, answers in read:
                for raw, answer in zip(batch.documents, answers, strict=True):
                    if isinstance(answer, Bad) and not self._corpus.skip_bad:
                        before = counted(number, "document")
                        raise InputError(
                            f"{raw.place}: {real_trouble(raw, answer).detail}\n"
                            f"  What stands before it is judged, {before}, and "
                            f"{self._store.directory} is complete up to there. To skip and count "
                            "such documents, repeat the command with --skip-bad: it continues "
                            "here. If you correct the file instead, choose another --output"
                        )
                    number += 1
                    if isinstance(answer, Reading):
                        self._submit(await document_end(self._engine, number, raw, answer))
                    else:
                        self._submit(unread_end(number, raw, answer))
                await self._went(len(answers), batch.body_bytes, batch.read_bytes)
                if self._stop.is_set():
                    break
        log.info("ended after %d documents", number)


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
    begun: Mapping[str, Any] | None = None
    with suppress(StoreMismatch), StoreView.read(directory) as view:
        begun = view.meta(Meta.IDENTITY, {}) if view.next_url_id > 1 else None
    if begun is None:  # where something else is there, `Store.create` says so
        return Store.create(directory, identity, rotate_bytes=rotate_bytes)
    if any(file.path is None for file in corpus.files):
        raise InputError(
            f"{directory} already holds verdicts, and standard input cannot be read from its "
            "beginning again: choose another --output"
        )
    if INPUTS not in begun:  # a crawl: `Store.open` says so
        return Store.open(directory, identity, rotate_bytes=rotate_bytes)
    then, now = _settings(begun), _settings(identity)
    differing = [
        f"{key}: {then.get(key, 'nothing')}, now {now.get(key, 'nothing')}"
        for key in sorted(then.keys() | now.keys())
        if then.get(key) != now.get(key)
    ]
    if begun[INPUTS] != identity[INPUTS]:
        differing.append("FILE...: the files are different, or their sizes or times have changed")
    if differing:
        raise StoreMismatch(
            f"{directory} holds a run with other inputs or settings:\n  "
            + "\n  ".join(differing)
            + "\nTo continue it, repeat its own command; otherwise choose another --output"
        )
    return Store.open(directory, identity, rotate_bytes=rotate_bytes)


def _settings(identity: Mapping[str, Any]) -> dict[str, str]:
    """Return each setting by its name as JSON; what a setting of `dedup` entails is left out."""
    dedup: Mapping[str, Any] = identity["dedup"]
    others = identity.keys() - dedup.keys() - {"dedup", INPUTS}
    named = {f"dedup.{key}": value for key, value in dedup.items()}
    named |= {key: identity[key] for key in others}
    return {key: orjson.dumps(value).decode() for key, value in named.items()}
