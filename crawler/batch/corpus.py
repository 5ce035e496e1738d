"""One run over a corpus: documents read in processes, judged here in their order, stored.

::

    files -> batches -> [processes: parse, sign] -> judge -> one Batch a document -> store

A few batches are under way at once; answers are taken in the order of the input, so the verdicts
do not depend on the number of processes. A run that was stopped or killed goes on where its store
ends: as many documents as have an end there are passed over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack, ExitStack, aclosing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from crawler.analysis import AnalysisFailed
from crawler.batch import ends
from crawler.batch.documents import batches, real_trouble
from crawler.batch.ends import Place
from crawler.batch.fields import Fields
from crawler.batch.inputs import InputFile, Sources, total_bytes
from crawler.batch.judging import CorpusJudge
from crawler.batch.raw import Bad, RawDocument
from crawler.batch.reader import CorpusReader, Reading
from crawler.config import Job
from crawler.earlier.opening import open_layers
from crawler.errors import InputError
from crawler.observe.parts import parts_in_use
from crawler.observe.progress import Pace
from crawler.observe.summary import Tally
from crawler.pool import WorkerPool
from crawler.printing import Say
from crawler.records import Batch
from crawler.storage import Store, confirm_accounts

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
            known = ends.Known(pages, Sources(self._corpus.files))
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
                self._submit(ends.failed_end(place, answer.failure, answer.detail))
            case Bad():
                if not self._corpus.skip_bad:
                    raise InputError(
                        f"{raw.place}: {real_trouble(raw, answer).detail}\n"
                        f"  {self._ended:,} documents before it were judged, and "
                        f"{self._store.directory} is complete up to there. To skip and count such "
                        "documents, repeat the command with --skip-bad: it continues here. If you "
                        "correct the file instead, choose another --output"
                    )
                self._submit(ends.bad_end(place, answer))

    def _submit(self, batch: Batch) -> None:
        self._store.submit(batch)
        self.tally.add(batch)
        self._ended += 1
