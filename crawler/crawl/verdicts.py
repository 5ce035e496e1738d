"""A page that was read is judged: the verdict, and the batch with which it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeGuard

from crawler import ends
from crawler.config import Job
from crawler.crawl.parts import PageJudge, PageStore
from crawler.dedup import likeness
from crawler.dedup.kinds import Alike
from crawler.extract import PageLinks
from crawler.records import (
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
        self._catalog = parts.store.catalog
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
        alike = likeness(verdict, None, self._catalog)
        offered = self._offers.links(fetched.task, page.links, follow=follow, copied=True)
        return ends.page_end(fetched, None, key, verdict, offered, alike)

    def judged(self, fetched: Fetched, key: PayloadKey, page: Document, *, follow: bool) -> Batch:
        """Judge a page and return its end."""
        task = fetched.task
        shown = ends.shown(task.url, page)
        verdict = self._judge.judge(key, page.signature, self._next_document_id, shown)
        if self._is_dropped(verdict):
            return self._dropped(fetched, key, page, verdict, follow)
        # Whatever goes wrong from here on: the judge knows a page by this number.
        page_id = self._next_document_id
        self._next_document_id += 1
        alike = None
        if isinstance(verdict, NearDuplicate):
            alike = likeness(verdict, page, self._catalog)
        offered = self._offers.links(task, page.links, follow=follow, copied=alike is not None)
        return ends.page_end(fetched, page, key, verdict, offered, alike, page_id)

    def _is_dropped(self, verdict: Verdict) -> TypeGuard[Alike]:
        return not self._judge.keeps(verdict)

    def _dropped(
        self, fetched: Fetched, key: PayloadKey, page: Document, verdict: Alike, follow: bool
    ) -> Batch:
        catalog, like = self._catalog, None
        alike = likeness(verdict, page, catalog)
        offered = self._offers.links(fetched.task, page.links, follow=follow, copied=True)
        if self._keeps_dropped and not isinstance(verdict, ExactDuplicate):
            like = catalog.appearance(verdict.of.id) or b""
        return ends.page_end(fetched, page, key, verdict, offered, alike, like=like)
