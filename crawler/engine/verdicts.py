"""A page that was read is judged.

What its response said, the verdict, and the batch with which it ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeGuard

from crawler import engine
from crawler.config import Job
from crawler.dedup import likeness, payload_digest
from crawler.dedup.kinds import Alike
from crawler.engine.lines import Original
from crawler.engine.ports import PageJudge, PagePool, PageStore, StoredPages
from crawler.extract import PageLinks, refresh_target, robots_directives
from crawler.fetch.robots_cache import BoundedCache
from crawler.frontier.scope import HostOverrides
from crawler.models import (
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
from crawler.urls import Canonicaliser, host_key
from crawler.workers.messages import AnalysisFailed, AnalysisRequest

# ---------------------------------------------------------------- copied links
# Where copies lead that have another copy's address but for the query: read once for all of them.
#
# Such copies are what parameters without effect make (session ids, sort orders), by thousands.
# Links
# are resolved against an address without its query, so they lead where those of the first one lead.


HELD_BYTES = 8_000_000
"""Of links, the latest ones: some 80 pages of a thousand links, or ten thousand of ten."""

_LINK_BYTES = 60
"""That a string takes beside its characters."""


class _Read(NamedTuple):
    """What is read of a copy depends on these, and for links to itself on its query."""

    address: str
    payload: PayloadKey


class CopiedLinks:
    """Reads the links of copies: in a process, or from memory where an equal one was read before.

    The answer is that of the process, but for links to the copy that was read first: a page's links
    are told without itself, and that one has been fetched.
    """

    def __init__(self, pool: PagePool, limit: int = HELD_BYTES) -> None:
        self._pool = pool
        self._held: BoundedCache[_Read, PageLinks] = BoundedCache(limit, _size)

    async def read(
        self, request: AnalysisRequest, payload: PayloadKey, url: str
    ) -> PageLinks | AnalysisFailed:
        """Return where a page leads whose `payload` is known; `url` is its canonical URL.

        One that was served under another spelling of it is read by itself, since links to itself
        are told by the spelling.
        """
        if request.url != url:
            return await self._pool.links(request)
        key = _Read(url.partition("?")[0], payload)
        if (held := self._held.get(key)) is not None:
            if url not in held.links:
                return held
            return replace(held, links=tuple(link for link in held.links if link != url))
        page = await self._pool.links(request)
        if isinstance(page, PageLinks):
            self._held.put(key, page)
        return page


def _size(page: PageLinks) -> int:
    return sum(len(link) + _LINK_BYTES for link in page.links) + _LINK_BYTES


# ---------------------------------------------------------------- responses
# What a response says beside its body: what the page is known by, robots directives, Refresh.


REFRESH_TOKENS = 16
"""A page that refreshes (meta element, header) and has fewer tokens only says where it moved."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one response says."""

    key: PayloadKey
    noindex: bool
    nofollow: bool
    leads_to: str | None
    """Where the Refresh header leads, if that is to another page."""

    def moved_to(self, task: FetchTask, page: Document) -> str | None:
        """Return where a page leads by itself, if it says too little to be a page."""
        target = self.leads_to or page.refresh
        short = page.signature.tokens < REFRESH_TOKENS
        return target if short and target != task.url else None


class ResponseReader:
    """Reads the headers of what was fetched."""

    def __init__(self, job: Job) -> None:
        self._agent_of = HostOverrides(job).agent
        self._hash = job.dedup.payload_hash
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))

    def __call__(self, fetched: Fetched) -> Said:
        """Return what the response says."""
        agent = self._agent_of(host_key(fetched.final_url))
        robots = robots_directives(fetched.headers.get("x-robots-tag"), agent)
        declared = fetched.media_type + (f";{fetched.charset}" if fetched.charset else "")
        key = PayloadKey(payload_digest(fetched.body, self._hash), declared)
        return Said(key, robots.noindex, robots.nofollow, self._refresh(fetched))

    def request(self, fetched: Fetched) -> AnalysisRequest:
        """Return the page as it is to be read."""
        url, agent = fetched.final_url, self._agent_of(host_key(fetched.final_url))
        return AnalysisRequest(url, fetched.body, fetched.media_type, fetched.charset, agent=agent)

    def _refresh(self, fetched: Fetched) -> str | None:
        written = refresh_target(fetched.headers.get("refresh", ""))
        target = self._canonicalise(written, fetched.final_url) if written else None
        return None if target in (fetched.task.url, fetched.final_url) else target


# ---------------------------------------------------------------- verdicts
# A page that was read is judged: the verdict, and the batch with which it ends.


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
    ) -> engine.Offered:
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
        batch = engine.page_end(fetched, None, key, verdict, offered, alike, original=original)
        self._judge.observe(fetched.task.url, verdict)
        return replace(batch, editions=self._judge.take_editions())

    def judged(self, fetched: Fetched, key: PayloadKey, page: Document, *, follow: bool) -> Batch:
        """Judge a page and return its end."""
        batch = self._judged(fetched, key, page, follow)
        return replace(batch, editions=self._judge.take_editions())

    def _judged(self, fetched: Fetched, key: PayloadKey, page: Document, follow: bool) -> Batch:
        task = fetched.task
        shown = engine.shown(task.url, page)
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
        return engine.page_end(fetched, page, key, verdict, *how, original=original)

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
        return engine.page_end(fetched, page, key, verdict, *how)

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
