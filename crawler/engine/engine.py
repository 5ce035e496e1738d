"""The engine: what becomes of a page, decided once, without I/O or waiting.

Two questions, the same for a crawl and for archives::

    admit(fetched)                  -> Admitted: bytes that are stored already, or a page to be read
    await conclude(admitted, page)  -> PageOutcome: one record for store, frontier, who reports

Whoever feeds it reads pages in between (`SiteReader`). A verdict is all that is ever awaited: from
then on, when the judge knows the page, to the hand-over to the store is one synchronous stretch.
Of a document that came with no response there is nothing to admit: corpora and the library ask for
what `judge` makes of it.
"""

from __future__ import annotations

import pickle
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import Any, Protocol

import zstandard

from crawler.config import Job
from crawler.console import Say
from crawler.dedup import likeness, payload_digest
from crawler.dedup.kinds import Alike, kind
from crawler.dedup.pictures import Pictures
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
from crawler.engine.ports import PageJudge, PagePool
from crawler.extract.directives import refresh_target, robots_directives
from crawler.extract.templates import Figures, Learner, Plan
from crawler.frontier.scope import HostOverrides
from crawler.models import (
    EXACT_PAYLOAD,
    TEMPLATE,
    Document,
    ExactDuplicate,
    Failed,
    Failure,
    Fetched,
    FetchTask,
    Learned,
    NearDuplicate,
    NewUrl,
    PageLinks,
    PageOutcome,
    PayloadKey,
    Picture,
    ReadPage,
    Redirected,
    SentUrl,
    Shown,
    Skip,
    Skipped,
    StoredRef,
    Totals,
)
from crawler.storage.catalog import LayeredCatalog
from crawler.urls import Canonicaliser, host_key
from crawler.workers.messages import ANALYSIS_VERSION, AnalysisFailed, AnalysisRequest

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

    def target(self, redirected: Redirected, *, follow: bool) -> NewUrl | SentUrl | str:
        """Offer where a page refreshes to; return the answer as its line has it."""


class Engine:
    """Admits what was fetched and concludes on what was read."""

    def __init__(
        self,
        job: Job,
        judge: PageJudge,
        pages: LayeredCatalog,
        links: Links,
        judged: Callable[[float], None] | None = None,
        named: Callable[[StoredRef], Record | None] | None = None,
        pictures: Pictures | None = None,
    ) -> None:
        """`judged` hears how many seconds each verdict on a page that was read took.

        `pictures` are what stored pages look like, where pages are compared by eye.

        `named` gives what lines say of a stored page, where that is not its id and URL.
        """
        self._agent_of = HostOverrides(job).agent
        self._hash = job.dedup.payload_hash
        tracking = frozenset(job.urls.tracking_parameters)
        self._canonicalise = Canonicaliser(tracking, routes=job.renders)
        self._most_redirects = job.limits.redirects
        self._keeps_dropped = job.dedup.keep_dropped
        self._judge = judge
        self._pages = pages
        self._links = links
        self._named = named or self._elsewhere
        self._judged_in = judged
        self._pictures = pictures
        self._least_near = job.dedup.min_near_tokens

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
            AnalysisRequest(
                url,
                fetched.body,
                fetched.media_type,
                fetched.charset,
                agent=agent,
                routes=fetched.rendered is not None,
            ),
        )

    def known(self, admitted: Admitted) -> ExactDuplicate | None:
        """Return the verdict on a page whose bytes are stored by now: only its links are read.

        It stays the same: a stored page is never removed.
        """
        if admitted.noindex or admitted.leads_to:
            return None
        return self._judge.known_payload(admitted.key)

    async def conclude(
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
            outcome = await self._judged(admitted, page, follow)
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
            original=self._named(verdict.of),
        )
        follow, copied = admitted.follows(page), is_copy_here(verdict)
        self._links.links(outcome, task, page.links, follow=follow, copied=copied)
        page_end(outcome, fetched, None)
        self._judge.observe(task.url, verdict)
        outcome.editions = self._judge.take_editions()
        return outcome

    async def judge(
        self,
        url_id: int,
        key: PayloadKey,
        page: Document,
        seen: Shown,
        costs: Totals,
        read: ReadPage | None = None,
        picture: Picture | None = None,
    ) -> tuple[PageOutcome, int | None]:
        """Judge a page or document, and return its end, whose lines are still to be made, and id.

        That id is None where it is dropped. `read` is what is kept of it while it waits, `picture`
        what it looks like. Nothing may be awaited before what is returned has gone to the store.
        """
        begun_at = time.perf_counter()
        verdict, page_id = await self._judge.decide(key, page.signature, seen, read)
        if self._judged_in is not None:
            self._judged_in(time.perf_counter() - begun_at)
        alike, original = None, None
        if isinstance(verdict, Alike):
            if page_id is None or isinstance(verdict, NearDuplicate):
                alike = likeness(verdict, page, self._pages)
                if picture is not None and self._pictures is not None:
                    # Where both have one, layouts are compared by pictures.
                    looks = self._pictures.are_alike(verdict.of.id, picture)
                    if looks is not None:
                        same = kind(alike.content_similarity, float(looks))
                        alike = replace(alike, kind=same)
            original = self._named(verdict.of)
        outcome = judged(
            url_id,
            verdict,
            key,
            costs,
            page,
            is_stored=page_id is not None,
            likeness=alike,
            original=original,
        )
        outcome.editions = self._judge.take_editions()
        return outcome, page_id

    async def _judged(self, admitted: Admitted, page: Document, follow: bool) -> PageOutcome:
        """Judge a page, offer its links as its verdict asks for, and return its end."""
        fetched, task, like = admitted.fetched, admitted.fetched.task, None
        seen, spent = shown(task.url, page), costs(fetched, page)
        read = ReadPage(task.url_id, partial(packed, admitted, page))
        outcome, page_id = await self.judge(
            task.url_id, admitted.key, page, seen, spent, read, fetched.picture
        )
        if fetched.picture is not None and self._pictures is not None:
            outcome.picture = fetched.picture
            outcome.visual = self._looks(fetched.picture, self._pictures, page)
            if page_id is not None:
                self._pictures.add(page_id, fetched.picture.average, fetched.picture.difference)
        verdict = outcome.end
        # A sibling that is stored is no copy.
        copied = outcome.likeness is not None and outcome.duplicate_of is not None
        if isinstance(verdict, ExactDuplicate) and verdict.kind == EXACT_PAYLOAD:
            # It was stored while this page was read.
            self._judge.observe(task.url, verdict)
            outcome.editions += self._judge.take_editions()
        elif page_id is None and self._keeps_dropped and isinstance(verdict, Alike):
            # An earlier directory may be gone when the page is asked for: it is kept whole.
            like = (self._pages.appearance(verdict.of.id) or b"") if copied else b""
        self._links.links(outcome, task, page.links, follow=follow, copied=copied)
        page_end(outcome, fetched, page, page_id, like)
        return outcome

    def _looks(self, picture: Picture, pictures: Pictures, page: Document) -> Record:
        """Return what lines say of a page's picture, and of the stored page most like it."""
        told: Record = {
            "average": f"{picture.average:016x}",
            "difference": f"{picture.difference:016x}",
        }
        if (like := pictures.like(picture)) is not None:
            told["like"] = {
                "id": like.id,
                "url": self._pages.ref(like.id).url,
                "average_distance": like.average,
                "difference_distance": like.difference,
            }
            if page.signature.tokens < self._least_near:
                told["evidence"] = "same-picture" if like.is_same else "like-picture"
        return told

    def _elsewhere(self, of: StoredRef) -> Record | None:
        """Return what a line says of a page that is stored elsewhere; None for one that is not."""
        found = self._pages.elsewhere(of.id)
        if found is None:
            return None
        pages, page_id = found
        return {"id": page_id, "url": of.url, "against": pages.name, **pages.about(page_id)}


# What is unpickled comes from the crawl's own directory, which somebody may have been handed: only
# these are made of it.
_PACKED = "crawler.models.", "crawler.engine.engine", "crawler.workers.messages", "numpy"
_BUILTINS = {"frozenset", "set", "mappingproxy"}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(_PACKED) or (module == "builtins" and name in _BUILTINS):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a page")


_COMPRESSOR = zstandard.ZstdCompressor(1)
"""Begun anew for each page it takes half as long again."""


def packed(admitted: Admitted, page: Document) -> bytes:
    """Return a page that waits for its verdict, so that a later run can `conclude` on it.

    Of its body only the length is left, by which it is counted: it has been read.
    """
    fetched = replace(admitted.fetched, body=bytes(len(admitted.fetched.body)))
    request = replace(admitted.request, body=b"")
    kept = replace(admitted, fetched=fetched, request=request)
    whole = pickle.dumps((ANALYSIS_VERSION, kept, page), pickle.HIGHEST_PROTOCOL)
    return _COMPRESSOR.compress(whole)


def unpacked(data: bytes) -> tuple[Admitted, Document]:
    """Undo `packed`. Raises ValueError for what is none, or of another version of this program."""
    try:
        whole = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        version, admitted, page = _Unpickler(BytesIO(whole)).load()
    except Exception as error:
        raise ValueError(f"a page that waits for its verdict is damaged: {error}") from error
    if version != ANALYSIS_VERSION:
        raise ValueError("a page that waits for its verdict was read by another version")
    return admitted, page


# ---------------------------------------------------------------- twins
# Pages whose templates left the same text of them, while they show different things.


MOST_PAGES = 256
"""Of one host: pages of one template that show other things come close together, as lists, forms
and error pages of one site do."""

MOST_HOSTS = 1_000
"""The least recently used one is forgotten: with MOST_PAGES each, some 40 MB in all."""

_DIGEST_BYTES = 8
"""Of each digest: by chance two of them are alike once in 2^64 pairs of pages."""


class Twins:
    """The latest pages of each host that its template read: what was kept, and what they show.

    A template that drops what differs would make copies of them all; so the second one of such
    pages is doubted. Memory only: a page that nobody remembers is judged as its template reads it.
    """

    def __init__(self, pages: int = MOST_PAGES, hosts: int = MOST_HOSTS) -> None:
        self._most_pages = pages
        self._most_hosts = hosts
        self._hosts: OrderedDict[str, OrderedDict[bytes, bytes]] = OrderedDict()
        """Host key -> digest of the kept text -> of the visible one, of the first such page."""

    def doubts(self, host: str, text_digest: bytes, visible_digest: bytes) -> bool:
        """Whether a page has another page's kept text and not its visible one; remember it."""
        pages = self._hosts.setdefault(host, OrderedDict())
        self._hosts.move_to_end(host)
        if len(self._hosts) > self._most_hosts:
            self._hosts.popitem(last=False)
        kept, visible = text_digest[:_DIGEST_BYTES], visible_digest[:_DIGEST_BYTES]
        known = pages.setdefault(kept, visible)
        pages.move_to_end(kept)
        if len(pages) > self._most_pages:
            pages.popitem(last=False)
        return known != visible


# ---------------------------------------------------------------- learners
# What is known of the templates of all hosts: their one owner, in the crawl's own process.
#
# `crawler.extract.templates.Learner` decides for one host; here is which of them are in memory. The
# processes that read pages get a copy of a host's template with each page and keep nothing of their
# own.


MOST_BYTES = 4_000_000
"""Of their states and templates as they are packed, 1 to 3 kB for each of those hosts; unpacked it
is 25 to 40 times as much. So hosts that make theirs as large as they can hold 160 MB at most, and
fewer learners are in memory."""


class KeptLearners(Protocol):
    """The store: what is known of hosts that are not in memory, and by earlier runs."""

    def learned(self, host: str) -> Learned | None:
        """Return what was kept last of a host's template."""

    def latest_version(self, host: str) -> int:
        """Return the number of the latest template of a host that is kept; 0 if there is none."""

    def keep_learned(self, known: Learned) -> None:
        """Keep what is known of a host's template, where that comes with no page's end."""


@dataclass(slots=True)
class _Known:
    learner: Learner
    bytes: int
    """Of its state and template, when they were packed last."""
    under_way: int = 0
    """Pages that are read by its plans."""
    is_stale: bool = False
    """Whether more is known than the store was told."""


class Learners:
    """The learners of all hosts, the latest used in memory. Its methods wait for nothing.

    What they return is to be handed to the store before anything is awaited: the next page of the
    host may be read by a version that this page made. `report` hears of hosts that are learned anew
    because what was kept of them is damaged.
    """

    def __init__(
        self,
        store: KeptLearners,
        hosts: int = MOST_HOSTS,
        packed_bytes: int = MOST_BYTES,
        report: Say = lambda line: None,
    ) -> None:
        self._store = store
        self._report = report
        self._most_hosts = hosts
        self._most_bytes = packed_bytes
        self._known: OrderedDict[str, _Known] = OrderedDict()
        """By host key, least recently used first."""
        self._bytes = 0

    def plan(self, host: str) -> Plan:
        """Return how the next page of a host is read. It is answered once: `hear` or `drop`."""
        known = self._take(host)
        known.under_way += 1
        self._make_room()
        return known.learner.plan()

    def hear(self, host: str, plan: Plan, page: Document, outcome: PageOutcome) -> None:
        """Learn from a page that was read by a plan, and came to its end as a page: with `outcome`.

        That is told what became of the host's template, and what of it is to be stored now.
        """
        known = self._take(host)
        known.under_way -= 1
        before = _summed(known.learner.figures)
        worth = known.learner.hear(plan, page.lesson, served=page.read_by == TEMPLATE)
        after = _summed(known.learner.figures)
        added = {name: number - before[name] for name, number in after.items()}
        outcome.totals.templates = {name: number for name, number in added.items() if number}
        outcome.learned = self._packed(host, known) if worth else None

    def drop(self, host: str, plan: Plan) -> None:
        """Forget a page that was read by a plan and came to nothing."""
        known = self._take(host)
        known.under_way -= 1
        before = known.learner.version
        known.learner.drop(plan)
        if known.learner.version != before:
            self._store.keep_learned(self._packed(host, known))

    def unsaved(self) -> Iterator[Learned]:
        """Yield what the store was not told; to be kept at once."""
        for host, known in self._known.items():
            if known.is_stale:
                yield self._packed(host, known)

    def _take(self, host: str) -> _Known:
        """Return what is known of a host, to be changed: it is the one used last.

        A learner that is damaged is no reason to stop: it begins anew. Its versions go on from the
        latest one that is kept, which pages may name.
        """
        if (known := self._known.get(host)) is None:
            if (kept := self._store.learned(host)) is not None:
                try:
                    known = _Known(Learner.restored(kept.state, kept.template), kept.size)
                except ValueError as error:
                    what = "its template is learned anew, what was kept of it"
                    self._report(f"{host}: {what}: {error}")
            known = known or _Known(Learner(self._store.latest_version(host)), 0)
            self._known[host] = known
            self._bytes += known.bytes
        self._known.move_to_end(host)
        known.is_stale = True
        return known

    def _make_room(self) -> None:
        """Hand the least recently used learners to the store; those with pages under way stay."""
        excess = len(self._known) - self._most_hosts
        if excess <= 0 and self._bytes <= self._most_bytes:
            return
        for host in [host for host, known in self._known.items() if not known.under_way]:
            if len(self._known) <= self._most_hosts and self._bytes <= self._most_bytes:
                return
            known = self._known[host]
            if known.is_stale:
                self._store.keep_learned(self._packed(host, known))
            self._bytes -= known.bytes
            del self._known[host]

    def _packed(self, host: str, known: _Known) -> Learned:
        """Return what is to be kept of a host."""
        learner = known.learner
        version = None if learner.template is None else learner.version
        learned = Learned(host, learner.state(), version, learner.template, learner.figures.revoked)
        self._bytes += learned.size - known.bytes
        known.bytes, known.is_stale = learned.size, False
        return learned


def inherited(known: Learned) -> Learned:
    """Return what is known of a host for a directory that has read none of its pages yet.

    What is damaged is handed on: it is told of when the host is met.
    """
    try:
        state = Learner.restored(known.state, known.template).inherited()
    except ValueError:
        return known
    return replace(known, state=state, revoked=0)


def _summed(figures: Figures) -> dict[str, float]:
    """Return a host's figures as they are added up over hosts."""
    return {
        "made": float(figures.versions),
        "audits": float(figures.audits),
        "revoked": float(figures.revoked),
        "weighed": float(figures.weighed),
        "precision": (figures.precision or 0.0) * figures.weighed,
        "recall": (figures.recall or 0.0) * figures.weighed,
        "misread": float(figures.misread),
        "doubted": float(figures.is_doubted),
    }


# ---------------------------------------------------------------- sites
# How a page is read by what its site taught: planned, read, read again where that is in doubt.


class SiteReader:
    """Reads pages by the templates of their sites; with `extract.learn: false` each by itself."""

    def __init__(self, job: Job, pool: PagePool, learners: Learners) -> None:
        self._learns = job.extract.learn
        self._least_tokens = job.dedup.min_tokens
        self._pool = pool
        self._twins = Twins()
        self._learners = learners

    @asynccontextmanager
    async def reading(
        self, request: AnalysisRequest
    ) -> AsyncIterator[tuple[Document | AnalysisFailed, Visit | None]]:
        """Read a page as its site's template says; its visit has that `hear` of it, if one does.

        A page of which the template leaves the text of another one, though it shows other things,
        is read a second time, without the template, and judged on all that is visible.
        """
        if not self._learns:
            yield await self._pool.analyse(request), None
            return
        visit = self.visit(request)
        try:
            page = await self._pool.analyse(request, visit.planned)
            if self.doubts(visit, page):
                page = await self._pool.analyse(request, visit.doubted)
            yield page, visit
        finally:
            visit.drop()

    def visit(self, request: AnalysisRequest) -> Visit:
        """Return how a page is to be read, for a caller that keeps an order of its own."""
        return Visit(self._learners, host_key(request.url))

    def doubts(self, visit: Visit, page: Document | AnalysisFailed) -> bool:
        """Whether a page that was read as its site's template says is to be read again."""
        if isinstance(page, AnalysisFailed) or page.read_by != TEMPLATE:
            return False
        if page.signature.tokens < self._least_tokens:  # no page is a copy by so little text
            return False
        own = page.own_digest or page.signature.text_digest
        return self._twins.doubts(visit.host, own, page.signature.visible_digest)


class Visit:
    """How one page is read: planned when its turn comes, for until then its site may be learned."""

    def __init__(self, learners: Learners, host: str) -> None:
        self.host = host
        self._learners = learners
        self._plan: Plan | None = None
        """Since it was planned, until it is heard or dropped."""

    def planned(self, request: AnalysisRequest) -> AnalysisRequest:
        """Have a request say how its site's template has it read; return it."""
        if self._plan is None:
            self._plan = self._learners.plan(self.host)
        request.template, request.teaches = self._plan.template, self._plan.teaches
        return request

    def doubted(self, request: AnalysisRequest) -> AnalysisRequest:
        """Return the request for a second reading."""
        return replace(self.planned(request), teaches=True, doubted=True)

    def hear(self, page: Document, outcome: PageOutcome) -> None:
        """Have the site's template learn from the page: once, in one stretch with its verdict."""
        assert self._plan is not None
        plan, self._plan = self._plan, None
        self._learners.hear(self.host, plan, page, outcome)

    def drop(self) -> None:
        """Learn nothing of the page, if it was planned and not heard."""
        if self._plan is not None:
            plan, self._plan = self._plan, None
            self._learners.drop(self.host, plan)
