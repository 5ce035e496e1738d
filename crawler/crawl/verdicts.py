"""A page that was read is judged: the verdict, and the batch with which it ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol, TypeGuard

from crawler import ends
from crawler.config import Job
from crawler.crawl.parts import PageJudge, PageStore, StoredPages
from crawler.dedup import likeness
from crawler.dedup.kinds import Alike
from crawler.ends.judged import Original
from crawler.extract import PageLinks
from crawler.records import (
    EXACT_PAYLOAD,
    Batch,
    Document,
    ExactDuplicate,
    Fetched,
    FetchTask,
    NearDuplicate,
    PayloadKey,
    Verdict,
)


class JudgingParts(Protocol):
    """The parts that a verdict is made with."""

    @property
    def judge(self) -> PageJudge:
        """All that is known of stored pages."""

    @property
    def store(self) -> PageStore:
        """Where ends go."""

    @property
    def pages(self) -> StoredPages:
        """Stored pages, of this run and of earlier ones."""


class Links(Protocol):
    """What becomes of the links of a page that is at its end."""

    def links(
        self, task: FetchTask, links: Iterable[str], *, follow: bool, copied: bool = False
    ) -> ends.Offered:
        """Offer the links of a page."""


class Verdicts:
    """Judges pages, and offers the links of each as its verdict asks for.

    Numbers those that are stored. What it returns is to be handed to the store in the same
    synchronous stretch: the judge knows the page already.
    """

    def __init__(self, job: Job, parts: JudgingParts, offers: Links) -> None:
        self._keeps_dropped = job.dedup.keep_dropped
        self._judge = parts.judge
        self._pages = parts.pages
        self._offers = offers
        self._next_document_id = parts.store.next_document_id

    def known(self, key: PayloadKey) -> ExactDuplicate | None:
        """Return the verdict on a page whose payload is stored already.

        It stays the same: a stored page is never removed.
        """
        return self._judge.known_payload(key)

    def copied(
        self,
        fetched: Fetched,
        key: PayloadKey,
        verdict: ExactDuplicate,
        page: PageLinks,
        *,
        follow: bool,
    ) -> Batch:
        """Return the end of a page whose payload is known."""
        alike, copied = likeness(verdict, None, self._pages), is_copy_here(verdict)
        offered = self._offers.links(fetched.task, page.links, follow=follow, copied=copied)
        original = self._elsewhere(verdict)
        batch = ends.page_end(fetched, None, key, verdict, offered, alike, original=original)
        self._judge.observe(fetched.task.url, verdict)
        return replace(batch, editions=self._judge.take_editions())

    def judged(self, fetched: Fetched, key: PayloadKey, page: Document, *, follow: bool) -> Batch:
        """Judge a page and return its end."""
        batch = self._judged(fetched, key, page, follow)
        return replace(batch, editions=self._judge.take_editions())

    def _judged(self, fetched: Fetched, key: PayloadKey, page: Document, follow: bool) -> Batch:
        task = fetched.task
        shown = ends.shown(task.url, page)
        verdict = self._judge.judge(key, page.signature, self._next_document_id, shown)
        if is_same_payload(verdict):  # stored while this page was read
            self._judge.observe(task.url, verdict)
        if self._is_dropped(verdict):
            return self._dropped(fetched, key, page, verdict, follow)
        # Whatever goes wrong from here on: the judge knows a page by this number.
        page_id = self._next_document_id
        self._next_document_id += 1
        alike = None
        if isinstance(verdict, NearDuplicate):
            alike = likeness(verdict, page, self._pages)
        copied = isinstance(verdict, NearDuplicate) and is_copy_here(verdict)
        offered = self._offers.links(task, page.links, follow=follow, copied=copied)
        original = self._elsewhere(verdict) if isinstance(verdict, Alike) else None
        how = offered, alike, page_id
        return ends.page_end(fetched, page, key, verdict, *how, original=original)

    def _is_dropped(self, verdict: Verdict) -> TypeGuard[Alike]:
        return not self._judge.keeps(verdict)

    def _dropped(
        self, fetched: Fetched, key: PayloadKey, page: Document, verdict: Alike, follow: bool
    ) -> Batch:
        pages, like, copied = self._pages, None, is_copy_here(verdict)
        alike = likeness(verdict, page, pages)
        offered = self._offers.links(fetched.task, page.links, follow=follow, copied=copied)
        if self._keeps_dropped and not is_same_payload(verdict):
            # An earlier directory may be gone when the page is asked for: it is kept whole.
            like = (pages.appearance(verdict.of.id) or b"") if copied else b""
        original = self._elsewhere(verdict)
        how = offered, alike, None, like, original
        return ends.page_end(fetched, page, key, verdict, *how)

    def _elsewhere(self, verdict: Alike) -> Original | None:
        """Return what a line says of the page that a verdict names, if that is stored elsewhere."""
        found = self._pages.elsewhere(verdict.of.id)
        if found is None:
            return None
        pages, page_id = found
        told = {"id": page_id, "url": verdict.of.url, "against": pages.name}
        return Original({**told, **pages.about(page_id)}, None)


def is_same_payload(verdict: Verdict) -> TypeGuard[ExactDuplicate]:
    """Whether a page has the bytes of a stored one: then that is all that there is of it."""
    return isinstance(verdict, ExactDuplicate) and verdict.kind == EXACT_PAYLOAD


def is_copy_here(verdict: Alike) -> bool:
    """Whether a page is like one that this crawl has stored.

    The links of that were followed, so those of the copy can wait. Those of an earlier crawl's page
    were not: what is new there is found behind pages that are not.
    """
    return verdict.of.id > 0
