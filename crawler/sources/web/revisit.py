"""Pages of earlier directories visited again.

Offered, compared, and not stored twice where they are the same.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crawler.config import Job
from crawler.console import Say, command
from crawler.engine.ports import PageFrontier
from crawler.frontier import PASSING, PASSING_SKIPS, SeenSet
from crawler.models import (
    ArchivedPayload,
    FetchTask,
    NewUrl,
    PageOutcome,
    UrlState,
)
from crawler.observe.progress import in_slices
from crawler.observe.summary import format_time
from crawler.sources.web.recrawl import (
    GONE,
    REDIRECTED,
    THERE,
    Change,
    Kind,
    KnownPage,
    Last,
    Plan,
    Sources,
    known_pages,
    told_at,
)
from crawler.sources.web.rescope import lacks_links
from crawler.storage.database import reading_stored_values
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import Known

# ---------------------------------------------------------------- visits
# What the life of a page asks of a recrawl: what it was, and how its visit is written down.


_NO_LONGER = (404, 410)
"""Not Found and Gone (RFC 9110 15.5.5, 15.5.11)."""

_STANDING = {Kind.GONE: GONE, Kind.REDIRECTED: REDIRECTED}
_CHANGED = frozenset({Kind.TEXT, Kind.DUPLICATE, Kind.BACK})
_UNTOLD = frozenset({Kind.EXCLUDED, Kind.FAILED, Kind.MISREAD})
"""Visits that tell nothing of how often a page changes: it stays due."""
_TEXTS = ("text_digest", "visible_digest")
_IDENTITY = (*_TEXTS, "payload_digest", "etag", "last_modified")
"""What a page is known by at its next visit."""


class Visits:
    """The pages that are visited again; the owner of what is found until it is handed over."""

    def __init__(
        self,
        plan: Plan,
        sources: Sources,
        known: dict[str, KnownPage],
        *,
        reads_links: bool = False,
    ) -> None:
        """`reads_links` of pages that have not changed: what they link to may be wanted now."""
        self.reads_links = reads_links
        self._plan = plan
        self._sources = sources
        self._known = known
        self._found: dict[int, Change] = {}
        """By URL id: what was found of pages that are not at their end."""

    def asked(self, task: FetchTask) -> FetchTask:
        """Return a task that asks for its page if it has changed, where that is known.

        Links can be read of a whole page only, and so can what is to be read again.
        """
        if self.reads_links:
            return task
        last = self.last(task)
        if last is None or last.is_misread:
            return task
        return replace(task, validators=last.validators)

    def last(self, task: FetchTask) -> Last | None:
        """Return what the page of a task was, None where no earlier directory has it."""
        page = self._known.get(task.url)
        return None if page is None else self._sources.last(page)

    def found(self, task: FetchTask, change: Change) -> None:
        """Keep what was found of a page until its end."""
        self._found[task.url_id] = change

    def note(self, task: FetchTask, outcome: PageOutcome, frontier: PageFrontier) -> None:
        """Have the line of a URL's end say what its visit found.

        The copies of a page that is gone are offered.
        """
        page, change = self._known.get(task.url), self._found.pop(task.url_id, None)
        if page is None or not outcome.lines:
            return
        if outcome.state is UrlState.FAILED:  # a change not read to its end is none yet
            change = None
        (file, line), *others = outcome.lines
        kind = change.kind if change else _kind(task, outcome, dict(line))
        record = self._record(page, kind, told_at(dict(line)))
        record |= self._kept(page, outcome, change)
        copies = self._sources.copies(page) if kind is Kind.GONE else []
        if copies:
            record["copies"] = copies
        if outcome.state is UrlState.REDIRECT:
            record["target"] = line["target"]
        offered = [frontier.offer(url, depth=page.depth) for url in copies]
        outcome.unchanged = self._archived(task, page, kind) if outcome.captures else None
        outcome.lines = ((file, {**line, "revisit": record}), *others)
        outcome.new_urls += tuple(new for new in offered if isinstance(new, NewUrl))
        outcome.totals.revisit = {record["kind"]: 1.0}

    def _kept(self, page: KnownPage, outcome: PageOutcome, change: Change | None) -> dict[str, Any]:
        """Return what the next visit is to know of a page; a stored one has it in its line."""
        found = {k: v for k, v in asdict(change).items() if v is not None} if change else {}
        found.pop("kind", None)
        if outcome.state is UrlState.STORED:
            return {name: value for name, value in found.items() if name not in _IDENTITY}
        if change is not None and change.kind is not Kind.UNCHANGED:
            return found
        note = self._sources.last(page).note
        carried = _TEXTS if change is not None else _IDENTITY
        return {name: note[name] for name in carried if name in note} | found

    def _archived(self, task: FetchTask, page: KnownPage, kind: Kind) -> ArchivedPayload | None:
        """Return what has the bytes of a page that still has them; None where nothing is known."""
        if kind not in (Kind.NOT_MODIFIED, Kind.UNCHANGED):
            return None
        known = self._sources.last(page).archived
        if kind is Kind.NOT_MODIFIED:  # its bytes are not here: all that is known serves
            return known or ArchivedPayload(task.url)
        return known if known is not None and known.date is not None else None

    def _record(self, page: KnownPage, kind: Kind, at: float) -> dict[str, Any]:
        standing, history, seen_at = page.standing, page.history, page.visited_at
        if kind not in _UNTOLD:
            standing = _STANDING.get(kind, THERE)
            moved = standing != page.standing
            if moved and standing == THERE:
                kind = Kind.BACK
            changed = moved or kind in _CHANGED
            history, seen_at = history.visited(at - seen_at, changed=changed), at
        return {
            "kind": kind.value,
            "visited_at": format_time(seen_at),
            "of": {"directory": self._plan.of[page.source], "id": page.id},
            "standing": standing,
            **{name: round(value, 3) for name, value in history._asdict().items()},
        }


def _kind(task: FetchTask, outcome: PageOutcome, line: dict[str, Any]) -> Kind:
    """Return what the end of a page tells that was not read."""
    match outcome.state:
        case UrlState.STORED | UrlState.DUPLICATE:
            return Kind.DUPLICATE
        case UrlState.REDIRECT:
            return Kind.GONE if _leads_home(task.url, line["target"]) else Kind.REDIRECTED
        case UrlState.SKIPPED if line["reason"] == "unchanged":
            return Kind.NOT_MODIFIED
        case UrlState.SKIPPED:
            return Kind.EXCLUDED
    return Kind.GONE if line.get("status") in _NO_LONGER else Kind.FAILED


def _leads_home(url: str, target: str) -> bool:
    """Whether a redirect leads to the home page of a host, and not from one: a soft 404."""
    to, of = urlsplit(target), urlsplit(url)
    return to.path in ("", "/") and not to.query and of.path not in ("", "/")


# ---------------------------------------------------------------- revisited
# A crawl that visits the pages of earlier directories: prepared, and offered to the frontier.
#
# All of it is done again, with the same outcome, by every run: the lines that it is made from are
# never changed, and what the frontier or the store has already is not taken twice. So a kill at any
# moment costs nothing but the time.


LINES_A_SLICE, URLS_A_SLICE, TEMPLATES_A_SLICE = 200, 2_000, 200
"""Of work that is proportional to all of them: some 10 to 20 ms."""


_PENDING = "pending"
_WITHOUT_ANSWER = (UrlState.PENDING, UrlState.FAILED)


class Revisited:
    """The pages of earlier directories, in one run of a recrawl."""

    def __init__(self, job: Job, store: Store, plan: Plan, sources: Sources, report: Say) -> None:
        self._job = job
        self._store = store
        self._plan = plan
        self._sources = sources
        self._known: dict[str, KnownPage] = {}
        self._seen = SeenSet()
        """All URLs that earlier directories know, read or not."""
        self._report = report
        self._asked_again: Counter[str] = Counter()
        self._left: Counter[str] = Counter()
        """URLs without a page by how they ended, those that are asked for and all others."""
        self._left_in: dict[UrlState, Path] = {}
        """The newest directory that has some of the others, by their state."""

    @classmethod
    async def opened(
        cls, job: Job, store: Store, stack: AsyncExitStack, report: Say
    ) -> Revisited | None:
        """Open what a store's recrawl goes back to, until `stack` ends; None in other crawls."""
        with reading_stored_values(store.directory):
            kept = store.meta(Meta.RECRAWL)
            plan = None if kept is None else Plan.kept(kept)
        if plan is None:
            return None
        directories = [store.directory / path for path in plan.of]
        sources = stack.enter_context(Sources.opened(directories))
        return cls(job, store, plan, sources, report)

    async def visits(self, frontier: PageFrontier, stop: asyncio.Event) -> Visits:
        """Read what is known of all pages, or a part of it once a `stop` is asked for."""
        async for _ in in_slices(known_pages(self._sources.views, self._known), LINES_A_SLICE):
            if stop.is_set():
                break
        async for some in in_slices(self._sources.urls(), URLS_A_SLICE):
            for directory, url in some:
                if self._seen.add(url.url) and url.url not in self._known:
                    self._note(url, directory)
            if stop.is_set():
                break
        seeds, kept = self._sources.scope()
        frontier.widen(seeds, kept)
        frontier.leave((lambda url: True) if self._plan.known_only else self._seen.__contains__)
        await self._inherit()
        reads_links = lacks_links(self._sources.views[-1], self._job)
        return Visits(self._plan, self._sources, self._known, reads_links=reads_links)

    async def offer(self, frontier: PageFrontier) -> None:
        """Offer the pages that are to be visited; those of an earlier run are known by then."""
        async for some in in_slices(self._known.items(), URLS_A_SLICE):
            offered = [
                frontier.offer(url, depth=page.depth)
                for url, page in some
                if self._plan.wants(page, self._job)
            ]
            self._store.submit_urls([new for new in offered if isinstance(new, NewUrl)])
            await self._store.room()
        await self._offer_unread(frontier)
        self._tell()

    def _note(self, url: Known, directory: Path) -> None:
        """Count a URL that was never stored by how the newest directory that knows it left it."""
        if self._is_wanted(url):
            self._asked_again[_ending(url)] += 1
        elif url.state in _WITHOUT_ANSWER or _may_pass(url):
            self._left[_ending(url)] += 1
            self._left_in.setdefault(url.state, directory.resolve())

    def _is_wanted(self, url: Known) -> bool:
        """Whether a URL that was never stored is asked for: there is no answer about it yet."""
        if self._plan.known_only:
            return False
        return _may_pass(url) or (self._plan.pending and url.state is UrlState.PENDING)

    async def _offer_unread(self, frontier: PageFrontier) -> None:
        """Offer URLs without a page, those that are wanted."""
        if not self._asked_again:
            return
        newer = SeenSet()
        async for some in in_slices(self._sources.urls(), URLS_A_SLICE):
            offered = [
                frontier.offer(url.url, depth=url.depth, seed=url.seed)
                for _, url in some
                if newer.add(url.url) and url.url not in self._known and self._is_wanted(url)
            ]
            self._store.submit_urls([new for new in offered if isinstance(new, NewUrl)])
            await self._store.room()

    def _tell(self) -> None:
        """Say what becomes of URLs that no earlier directory has a page of."""
        if self._asked_again:
            told = _told(self._asked_again)
            self._report(f"Asking for URLs that earlier directories have no answer about: {told}")
        ways = []
        if directory := self._left_in.pop(UrlState.PENDING, None):
            here = "" if self._plan.known_only else ", or give --pending"
            ways.append(f"what is pending: {command('resume', directory)}{here}")
        ways += [
            f"what failed: {command('retry', directory)} --class CLASS, then resume it"
            for directory in dict.fromkeys(self._left_in.values())
        ]
        if ways:
            told = f"Not asking for URLs that were left before: {_told(self._left)}"
            self._report(f"{told}. To ask for {'; for '.join(ways)}")

    async def _inherit(self) -> None:
        """Go on with the templates that the newest directory has learned: once, by the first run.

        That it was done is committed after all of it; a run that was killed before does it again.
        """
        if self._plan.has_inherited:
            return
        async for some in in_slices(self._sources.learned(), TEMPLATES_A_SLICE):
            for known in some:
                self._store.keep_learned(known)
            await self._store.room()
        self._store.set_meta(Meta.RECRAWL, replace(self._plan, has_inherited=True).record())
        await self._store.flush()


def _may_pass(url: Known) -> bool:
    """Whether a URL has no page for a reason that may have passed, as `retry` takes it."""
    if url.state is UrlState.SKIPPED:
        return url.detail in PASSING_SKIPS
    return url.state is UrlState.FAILED and url.detail in PASSING


def _ending(url: Known) -> str:
    return url.detail or _PENDING


def _told(endings: Counter[str]) -> str:
    return ", ".join(f"{ending} {number:,}" for ending, number in endings.most_common())
