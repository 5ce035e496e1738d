"""Re-indexing: every stored page is signed anew from its stored text, under other settings.

::

    pages.jsonl -> batches of texts -> [processes: sign] -> one transaction of the state file

What was decided stays decided: no line of any file is changed, duplicates that were dropped stay
dropped, and two stored pages that the new settings would call near duplicates both stay. Digests
are of bytes and texts and not of settings, so they stay too.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from crawler.analysis import AnalysisFailed, AnalysisSettings
from crawler.analysis.messages import Question
from crawler.config import Dedup, Job
from crawler.dedup import Signer
from crawler.pool import WorkerPool
from crawler.records import NEAR, Signature
from crawler.storage import Meta, PageText, Reindexing, Resigned

BATCH_PAGES = 64
AHEAD_PER_PROCESS = 2


class TextSigner:
    """Signs batches of judged texts; a `WorkerPool` runs it."""

    def __init__(self, settings: AnalysisSettings) -> None:
        self._sign = Signer(settings.dedup)

    def warm(self) -> None:
        """Load dictionaries before the first text."""
        self._sign.warm()

    def analyse(self, texts: Sequence[str]) -> list[Signature]:
        """Return the signature of each text; that of its visible text is not its own."""
        return [self._sign(text, text) for text in texts]


class Reindex:
    """One run over the stored pages. Make it, `run` it once, `stop` it if need be."""

    def __init__(
        self,
        job: Job,
        pages: Reindexing,
        *,
        say: Callable[[str], None] = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job = job
        self._pages = pages
        self._say = say
        self._clock = clock
        self._said_at = clock()
        self._stopped = False
        self._signing: asyncio.Task[None] | None = None
        self.signed = 0
        self.failed: list[int] = []
        """Pages that could not be signed: by them no near duplicate is found any more."""

    async def run(self) -> None:
        """Sign all pages and commit; unless stopped before, then nothing has changed.

        Raises StoreError where the store cannot go on.
        """
        analysis = self._job.analysis
        async with WorkerPool(
            AnalysisSettings.of(self._job),
            analysis.processes,
            analysis.timeout_s,
            analysis.memory_bytes,
            make=TextSigner,
        ) as pool:
            self._signing = asyncio.create_task(self._sign_all(pool))
            await asyncio.wait({self._signing})
        if not self._signing.cancelled():
            self._signing.result()
        if not self._stopped:
            self._say(f"{self.signed:,} of {self._pages.pages:,} pages signed; committing ...")
            self._pages.commit(self._meta())

    def stop(self) -> None:
        """Leave everything as it was."""
        self._stopped = True

    def cancel(self) -> None:
        """Do not even wait for the batches under way."""
        self.stop()
        if self._signing is not None:
            self._signing.cancel()

    def _meta(self) -> dict[Meta, Any]:
        done = {"at": time.time(), "pages": self.signed, "failed": self.failed}
        earlier = self._pages.view.meta(Meta.REINDEXED, [])
        return {Meta.JOB: self._job.model_dump(mode="json"), Meta.REINDEXED: [*earlier, done]}

    async def _sign_all(self, pool: WorkerPool) -> None:
        source = _batches(self._pages.texts())
        under_way: deque[asyncio.Task[list[Resigned]]] = deque()
        try:
            while not self._stopped:
                room = AHEAD_PER_PROCESS * pool.processes - len(under_way)
                for batch in islice(source, room):
                    under_way.append(asyncio.create_task(self._sign(pool, batch)))
                if not under_way:
                    return
                self._replace(await under_way[0])
                under_way.popleft()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _sign(self, pool: WorkerPool, batch: Sequence[PageText]) -> list[Resigned]:
        """Sign a batch; where it hangs or ends its process, each of its pages alone."""
        answer = await pool.ask(Question([page.text for page in batch], links_only=False))
        if not isinstance(answer, AnalysisFailed):
            return [
                Resigned(page.id, made, _represents(page, made, self._job.dedup))
                for page, made in zip(batch, answer, strict=True)
            ]
        if len(batch) == 1:
            return [Resigned(batch[0].id, None, representative=False)]
        return [(await self._sign(pool, [page]))[0] for page in batch]

    def _replace(self, pages: list[Resigned]) -> None:
        self._pages.replace(pages)
        self.failed += [page.id for page in pages if page.signature is None]
        self.signed += sum(page.signature is not None for page in pages)
        if self._clock() - self._said_at >= self._job.progress_s:
            self._said_at = self._clock()
            self._say(f"{self.signed:,} of {self._pages.pages:,} pages signed")


def _represents(page: PageText, made: Signature, settings: Dedup) -> bool:
    """Whether near duplicates may join a page: the judge's rule for a page that is new."""
    enough = made.tokens >= max(settings.min_tokens, settings.min_near_tokens)
    return page.verdict != NEAR and enough and len(made.shingles) > 0


def _batches(pages: Iterable[PageText]) -> Iterator[list[PageText]]:
    iterator = iter(pages)
    while batch := list(islice(iterator, BATCH_PAGES)):
        yield batch
