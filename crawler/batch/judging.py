"""One document after another, judged against all before it and brought to its end."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from crawler.batch import ends
from crawler.batch.ends import Known, Place
from crawler.batch.reader import Reading
from crawler.config import Job
from crawler.dedup import Judge
from crawler.records import Batch, Shown, Verdict
from crawler.storage import Store

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
        batch = ends.judged_end(place, reading, verdict, kept_as, self._known)
        return verdict, replace(batch, editions=self._judge.take_editions())
