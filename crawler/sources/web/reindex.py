"""Re-indexing: every stored page is signed anew from its judged text, under other settings.

::

    appearances, pages.jsonl -> batches of texts -> [processes: sign] -> one transaction

What was decided stays decided: no line of any file is changed, duplicates that were dropped stay
dropped, and two stored pages that the new settings would call near duplicates both stay. Digests
are of bytes and texts and not of settings, so they stay too.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from itertools import islice
from typing import Any

from crawler.config import Job
from crawler.console import Say, progress
from crawler.dedup import Signer
from crawler.dedup.copies import Appearance, address_key, judged_text, lines_of, pack, unpack
from crawler.dedup.judge import can_represent
from crawler.models import NEAR, Signature
from crawler.observe.progress import NowAndThen
from crawler.storage.database import reading_stored_values
from crawler.storage.reindexing import Reindexing, Resigned
from crawler.storage.tables import Meta
from crawler.workers.messages import AnalysisFailed, AnalysisSettings
from crawler.workers.pool import WorkerPool

log = logging.getLogger(__name__)

BATCH_PAGES = 64


class TextSigner:
    """Signs batches of judged texts; a `WorkerPool` runs it."""

    def __init__(self, settings: AnalysisSettings) -> None:
        self._sign = Signer(settings.dedup, settings.keys)

    def warm(self) -> None:
        """Load dictionaries before the first text."""
        self._sign.warm()

    def analyse(self, texts: Sequence[str]) -> list[Signature]:
        """Return the signature of each text; the digests of its page's other texts it has not."""
        return [self._sign(text) for text in texts]


class Reindex:
    """One run over the stored pages. Make it, `run` it once, `stop` it if need be."""

    def __init__(self, job: Job, pages: Reindexing, *, say: Say = lambda line: None) -> None:
        self._job = job
        self._pages = pages
        self._say = say
        self._say_now_and_then = NowAndThen(say, job.progress_s)
        self._stopped = False
        self._task: asyncio.Task[None] | None = None
        self.signed = 0
        self.failed: list[int] = []
        """Pages that could not be signed: by them no near duplicate is found any more."""

    async def run(self) -> None:
        """Sign all pages and commit; unless stopped before, then nothing has changed.

        Raises StoreError where the store cannot go on.
        """
        self._task = asyncio.current_task()
        texts = iter(self._pages.texts())
        source = iter(lambda: list(islice(texts, BATCH_PAGES)), [])
        never = asyncio.Event()  # what is read is the crawl's own, and never silent
        of = f"of {self._pages.pages:,} pages signed"
        async with (
            WorkerPool(self._job, TextSigner, (self._pages.view.key,)) as pool,
            aclosing(
                pool.read_ahead(source, lambda pages: list(map(self._judged_text, pages)), never)
            ) as read,
        ):
            async for pages, answers in read:
                if self._stopped:
                    return
                signed = [self._resigned(*pair) for pair in zip(pages, answers, strict=True)]
                self._pages.replace(signed)
                self.failed += [page.id for page in signed if page.signature is None]
                self.signed += sum(page.signature is not None for page in signed)
                self._say_now_and_then(progress(f"{self.signed:,} {of}"))
        if self._stopped:
            return
        self._say(progress(f"{self.signed:,} {of}; committing ..."))
        done = {"at": time.time(), "pages": self.signed, "failed": self.failed}
        earlier = self._pages.view.meta(Meta.REINDEXED, [])
        job = self._job.model_dump(mode="json")
        self._pages.commit({Meta.JOB: job, Meta.REINDEXED: [*earlier, done]})
        log.info("signed %d pages anew, %d failed", self.signed, len(self.failed))

    def stop(self) -> None:
        """Leave everything as it was."""
        self._stopped = True

    def cancel(self) -> None:
        """Do not even wait for the batches under way."""
        self.stop()
        if self._task is not None:
            self._task.cancel()

    def _judged_text(self, page: Mapping[str, Any]) -> str:
        """Return the text that a page was judged by. Raises StoreError where that is damaged."""
        view = self._pages.view
        with reading_stored_values(view.directory):
            packed = view.appearance(page["id"])
            return judged_text(unpack(packed) if packed else None, page["text"])

    def _resigned(self, page: Mapping[str, Any], answer: Signature | AnalysisFailed) -> Resigned:
        if isinstance(answer, AnalysisFailed):
            return Resigned(page["id"], None, representative=False)
        if page["verdict"] == NEAR or page.get("restored_at") is not None:
            return Resigned(page["id"], answer, representative=False)
        leads = can_represent(answer, self._job.dedup, has_evidence=True)
        # A document of a file is at no address: its URL is the place of that.
        address = None if "source" in page else address_key(page["url"])
        # What its line tells of its appearance: not what was beside its text.
        text = lines_of(page["text"])
        looks = Appearance(page.get("title"), canonical_url=page.get("canonical_url"), text=text)
        return Resigned(page["id"], answer, leads, address, pack(looks))
