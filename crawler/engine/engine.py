"""The engine: what becomes of a page that was fetched, decided once, without I/O or waiting.

Two questions, the same for a crawl and for archives::

    admit(fetched)            -> Admitted: bytes that are stored already, or a page to be read
    conclude(admitted, page)  -> PageOutcome: the end for the store, and what the frontier may learn

Whoever feeds it reads pages in between (`SiteReader`), and hands the outcome to the store in the
same synchronous stretch: the judge knows the page from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol, TypeGuard

from crawler.config import Job
from crawler.dedup import likeness, payload_digest
from crawler.dedup.kinds import Alike
from crawler.engine.lines import Original
from crawler.engine.outcomes import (
    Offered,
    costs,
    fail_end,
    page_end,
    redirect_end,
    shown,
    skip_end,
)
from crawler.engine.ports import PageJudge, StoredPages
from crawler.engine.templates import Heard
from crawler.extract import PageLinks, refresh_target, robots_directives
from crawler.frontier import Filtered, Refusal
from crawler.frontier.scope import HostOverrides
from crawler.models import (
    EXACT_PAYLOAD,
    Batch,
    Document,
    ExactDuplicate,
    Failed,
    Failure,
    Fetched,
    FetchTask,
    NearDuplicate,
    NewUrl,
    PayloadKey,
    Redirected,
    Skip,
    Skipped,
    UrlState,
    Verdict,
)
from crawler.urls import Canonicaliser, host_key
from crawler.workers.messages import AnalysisFailed, AnalysisRequest

REFRESH_TOKENS = 16
"""A page that refreshes (meta element, header) and has fewer tokens only says where it moved."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A response that holds a page, and what it says beside its body."""

    fetched: Fetched
    key: PayloadKey
    """What its bytes are known by."""
    noindex: bool
    nofollow: bool
    """What the X-Robots-Tag header asks for."""
    leads_to: str | None
    """Where the Refresh header leads, if that is to another page."""
    request: AnalysisRequest
    """The page as it is to be read."""

    def follows(self, page: Document | PageLinks) -> bool:
        """Whether neither the response nor the page asks not to follow its links."""
        return not (self.nofollow or page.nofollow)

    def links(self, page: Document | PageLinks) -> tuple[str, ...]:
        """Return where it leads, by its header too."""
        there = self.leads_to is None or self.leads_to in page.links
        return page.links if there else (*page.links, self.leads_to or "")

    def moved_to(self, page: Document) -> str | None:
        """Return where a page leads by itself, if it says too little to be a page."""
        target = self.leads_to or page.refresh
        short = page.signature.tokens < REFRESH_TOKENS
        return target if short and target != self.fetched.task.url else None


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """What became of a page: one value for the store, the frontier and who reports."""

    batch: Batch
    look: bytes = b""
    """That of a page that is stored, for the trap rule."""
    judged: bool = False
    """Whether it has a verdict; it was a redirect, a failure or left out otherwise."""


class Links(Protocol):
    """What becomes of where a page leads that is at its end."""

    def links(
        self, task: FetchTask, links: Iterable[str], *, follow: bool, copied: bool = False
    ) -> Offered:
        """Offer the links of a page."""

    def target(self, redirected: Redirected, *, follow: bool) -> NewUrl | Refusal | Filtered | str:
        """Offer where a page refreshes to; return the answer as its line has it."""


class Engine:
    """Admits what was fetched and concludes on what was read; numbers the pages that are stored."""

    def __init__(
        self, job: Job, judge: PageJudge, pages: StoredPages, next_document_id: int, links: Links
    ) -> None:
        self._agent_of = HostOverrides(job).agent
        self._hash = job.dedup.payload_hash
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))
        self._most_redirects = job.limits.redirects
        self._keeps_dropped = job.dedup.keep_dropped
        self._judge = judge
        self._pages = pages
        self._links = links
        self._next_document_id = next_document_id

    def admit(self, fetched: Fetched) -> Admitted:
        """Return what the response says, and how its page is to be read."""
        url = fetched.final_url
        agent = self._agent_of(host_key(url))
        robots = robots_directives(fetched.headers.get("x-robots-tag"), agent)
        declared = fetched.media_type + (f";{fetched.charset}" if fetched.charset else "")
        written = refresh_target(fetched.headers.get("refresh", ""))
        target = self._canonicalise(written, url) if written else None
        return Admitted(
            fetched,
            PayloadKey(payload_digest(fetched.body, self._hash), declared),
            robots.noindex,
            robots.nofollow,
            None if target in (fetched.task.url, url) else target,
            AnalysisRequest(url, fetched.body, fetched.media_type, fetched.charset, agent=agent),
        )

    def known(self, admitted: Admitted) -> ExactDuplicate | None:
        """Return the verdict on a page whose bytes are stored by now: only its links are read.

        It stays the same: a stored page is never removed.
        """
        if admitted.noindex or admitted.leads_to:
            return None
        return self._judge.known_payload(admitted.key)

    def conclude(
        self,
        admitted: Admitted,
        page: Document | AnalysisFailed,
        learn: Callable[[], Heard] | None = None,
    ) -> PageOutcome:
        """Return what becomes of a page that was read; its links are offered as that asks for.

        `learn` has its site learn from it, if it is judged: last, so that nothing keeps a page from
        the store by which the next one may be read.
        """
        fetched, at, captures = (
            admitted.fetched,
            admitted.fetched.fetched_at,
            admitted.fetched.captures,
        )
        task = fetched.task
        if isinstance(page, AnalysisFailed):
            failed = Failed(task, page.failure, page.detail, at, captures=captures)
            return PageOutcome(fail_end(failed))
        follow, links = admitted.follows(page), admitted.links(page)
        if target := admitted.moved_to(page):
            others = [link for link in links if link != target]
            redirected = Redirected(task, fetched.status, target, at, captures=captures)
            if task.hops + 1 > self._most_redirects:
                why = f"more than {self._most_redirects} redirects"
                loop = Failure.REDIRECT_LOOP
                failed = Failed(task, loop, why, at, fetched.status, captures=captures)
                offered = self._links.links(task, others, follow=follow)
                return PageOutcome(fail_end(failed, offered))
            answer = self._links.target(redirected, follow=follow)
            offered = self._links.links(task, others, follow=follow)
            return PageOutcome(redirect_end(redirected, answer, offered))
        if admitted.noindex or page.noindex:
            left_out = Skipped(task, Skip.NOINDEX, "the page asks not to be indexed", at)
        elif not fetched.body:
            left_out = Skipped(task, Skip.NO_CONTENT, "empty body", at)
            return PageOutcome(skip_end(left_out))
        elif page.foreign is not None:
            left_out = Skipped(task, Skip.LANGUAGE, page.foreign, at)
        else:
            page = replace(page, links=links, nofollow=not follow)
            batch = replace(
                self._judged(admitted, page, follow), editions=self._judge.take_editions()
            )
            look = page.look if batch.state is UrlState.STORED else b""
            return PageOutcome(learn().added_to(batch) if learn else batch, look, judged=True)
        offered = self._links.links(task, links, follow=follow)
        look = page.look if left_out.reason is Skip.LANGUAGE else b""
        return PageOutcome(skip_end(left_out, offered, costs(fetched, page)), look)

    def conclude_known(
        self, admitted: Admitted, verdict: ExactDuplicate, page: PageLinks | AnalysisFailed
    ) -> PageOutcome:
        """Return what becomes of a page whose bytes are `known`, of which only links were read."""
        fetched = admitted.fetched
        if isinstance(page, AnalysisFailed):
            at, captures = fetched.fetched_at, fetched.captures
            failed = Failed(fetched.task, page.failure, page.detail, at, captures=captures)
            return PageOutcome(fail_end(failed))
        alike = likeness(verdict, None, self._pages)
        follow, copied = admitted.follows(page), is_copy_here(verdict)
        offered = self._links.links(fetched.task, page.links, follow=follow, copied=copied)
        original = self._elsewhere(verdict)
        batch = page_end(fetched, None, admitted.key, verdict, offered, alike, original=original)
        self._judge.observe(fetched.task.url, verdict)
        return PageOutcome(replace(batch, editions=self._judge.take_editions()), judged=True)

    def _judged(self, admitted: Admitted, page: Document, follow: bool) -> Batch:
        """Judge a page, offer its links as its verdict asks for, and return its end."""
        fetched, key, task = admitted.fetched, admitted.key, admitted.fetched.task
        seen = shown(task.url, page)
        verdict = self._judge.judge(key, page.signature, self._next_document_id, seen)
        if is_same_payload(verdict):  # stored while this page was read
            self._judge.observe(task.url, verdict)
        dropped = not self._judge.keeps(verdict)
        page_id, alike, copied, like, original = None, None, False, None, None
        if not dropped:
            # Whatever goes wrong from here on: the judge knows a page by this number.
            page_id = self._next_document_id
            self._next_document_id += 1
        if isinstance(verdict, Alike):
            if dropped or isinstance(verdict, NearDuplicate):
                alike, copied = likeness(verdict, page, self._pages), is_copy_here(verdict)
            if dropped and self._keeps_dropped and not is_same_payload(verdict):
                # An earlier directory may be gone when the page is asked for: it is kept whole.
                like = (self._pages.appearance(verdict.of.id) or b"") if copied else b""
            original = self._elsewhere(verdict)
        offered = self._links.links(task, page.links, follow=follow, copied=copied)
        return page_end(fetched, page, key, verdict, offered, alike, page_id, like, original)

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
