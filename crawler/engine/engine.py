"""The engine: what becomes of a page that was fetched, decided once, without I/O or waiting.

Two questions, the same for a crawl and for archives::

    admit(fetched)            -> Admitted: bytes that are stored already, or a page to be read
    conclude(admitted, page)  -> PageOutcome: one record for the store, the frontier, who reports

Whoever feeds it reads pages in between (`SiteReader`), and hands the outcome to the store in the
same synchronous stretch: the judge knows the page from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol, TypeGuard

from crawler.config import Job
from crawler.dedup import likeness, payload_digest
from crawler.dedup.kinds import Alike
from crawler.engine.outcomes import (
    Record,
    costs,
    fail_end,
    is_copy_here,
    judged,
    page_end,
    redirect_end,
    shown,
    skip_end,
    unread_end,
)
from crawler.engine.ports import PageJudge, StoredPages
from crawler.engine.templates import Visit
from crawler.extract import PageLinks, refresh_target, robots_directives
from crawler.frontier import Filtered, Refusal
from crawler.frontier.scope import HostOverrides
from crawler.models import (
    EXACT_PAYLOAD,
    Document,
    ExactDuplicate,
    Failed,
    Failure,
    Fetched,
    FetchTask,
    NearDuplicate,
    NewUrl,
    PageOutcome,
    PayloadKey,
    Redirected,
    Skip,
    Skipped,
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


class Links(Protocol):
    """What becomes of where a page leads that is at its end."""

    def links(
        self,
        outcome: PageOutcome,
        task: FetchTask,
        links: Iterable[str],
        *,
        follow: bool,
        copied: bool = False,
    ) -> None:
        """Offer the links of a page, and note in its outcome what came of that."""

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
        self, admitted: Admitted, page: Document | AnalysisFailed, visit: Visit | None = None
    ) -> PageOutcome:
        """Return what becomes of a page that was read; its links are offered as that asks for.

        Its site learns by the `visit` that read it, if it is judged: last, so that nothing keeps a
        page from the store by which the next one may be read.
        """
        fetched, at = admitted.fetched, admitted.fetched.fetched_at
        task, captures = fetched.task, fetched.captures
        if isinstance(page, AnalysisFailed):
            return unread_end(fetched, page)
        follow, links = admitted.follows(page), admitted.links(page)
        if target := admitted.moved_to(page):
            links = tuple(link for link in links if link != target)
            if task.hops + 1 > self._most_redirects:
                why = f"more than {self._most_redirects} redirects"
                loop = Failure.REDIRECT_LOOP
                outcome = fail_end(Failed(task, loop, why, at, fetched.status, captures=captures))
            else:
                redirected = Redirected(task, fetched.status, target, at, captures=captures)
                answer = self._links.target(redirected, follow=follow)
                outcome = redirect_end(redirected, answer)
        elif admitted.noindex or page.noindex:
            left_out = Skipped(task, Skip.NOINDEX, "the page asks not to be indexed", at)
            outcome = skip_end(left_out, costs(fetched, page))
        elif not fetched.body:
            return skip_end(Skipped(task, Skip.NO_CONTENT, "empty body", at))
        elif page.foreign is not None:
            left_out = Skipped(task, Skip.LANGUAGE, page.foreign, at)
            outcome = skip_end(left_out, costs(fetched, page))
            outcome.look = page.look
        else:
            if links is not page.links or page.nofollow is follow:
                page = replace(page, links=links, nofollow=not follow)
            outcome = self._judged(admitted, page, follow)
            outcome.editions = self._judge.take_editions()
            if visit is not None:
                visit.hear(page, outcome)
            return outcome
        self._links.links(outcome, task, links, follow=follow)
        return outcome

    def conclude_known(
        self, admitted: Admitted, verdict: ExactDuplicate, page: PageLinks | AnalysisFailed
    ) -> PageOutcome:
        """Return what becomes of a page whose bytes are `known`, of which only links were read."""
        fetched, task = admitted.fetched, admitted.fetched.task
        if isinstance(page, AnalysisFailed):
            return unread_end(fetched, page)
        outcome = judged(
            task.url_id,
            verdict,
            admitted.key,
            costs(fetched),
            None,
            is_stored=False,
            likeness=likeness(verdict, None, self._pages),
            original=self._elsewhere(verdict),
        )
        follow, copied = admitted.follows(page), is_copy_here(verdict)
        self._links.links(outcome, task, page.links, follow=follow, copied=copied)
        page_end(outcome, fetched, None)
        self._judge.observe(task.url, verdict)
        outcome.editions = self._judge.take_editions()
        return outcome

    def _judged(self, admitted: Admitted, page: Document, follow: bool) -> PageOutcome:
        """Judge a page, offer its links as its verdict asks for, and return its end."""
        fetched, task = admitted.fetched, admitted.fetched.task
        seen = shown(task.url, page)
        verdict = self._judge.judge(admitted.key, page.signature, self._next_document_id, seen)
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
        outcome = judged(
            task.url_id,
            verdict,
            admitted.key,
            costs(fetched, page),
            page,
            is_stored=not dropped,
            likeness=alike,
            original=original,
        )
        self._links.links(outcome, task, page.links, follow=follow, copied=copied)
        page_end(outcome, fetched, page, page_id, like)
        return outcome

    def _elsewhere(self, verdict: Alike) -> Record | None:
        """Return what a line says of the page that a verdict names, if that is stored elsewhere."""
        found = self._pages.elsewhere(verdict.of.id)
        if found is None:
            return None
        pages, page_id = found
        told = {"id": page_id, "url": verdict.of.url, "against": pages.name}
        return {**told, **pages.about(page_id)}


def is_same_payload(verdict: Verdict) -> TypeGuard[ExactDuplicate]:
    """Whether a page has the bytes of a stored one: then that is all that there is of it."""
    return isinstance(verdict, ExactDuplicate) and verdict.kind == EXACT_PAYLOAD
