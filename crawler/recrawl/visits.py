"""What the life of a page asks of a recrawl: what it was, and how its visit is written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

from crawler.observe.summary import REVISITS, format_time
from crawler.records import ArchivedPayload, Batch, FetchTask, NewUrl, UrlState
from crawler.recrawl.comparison import Change, Kind
from crawler.recrawl.pages import GONE, REDIRECTED, THERE, KnownPage, told_at
from crawler.recrawl.plan import Plan
from crawler.recrawl.sources import Last, Sources

_NO_LONGER = (404, 410)
"""Not Found and Gone (RFC 9110 15.5.5, 15.5.11)."""

_STANDING = {Kind.GONE: GONE, Kind.REDIRECTED: REDIRECTED}
_CHANGED = frozenset({Kind.TEXT, Kind.DUPLICATE, Kind.BACK})
_UNTOLD = frozenset({Kind.EXCLUDED, Kind.FAILED})
"""Visits that tell nothing of how often a page changes: it stays due."""
_TEXTS = ("text_digest", "visible_digest")
_IDENTITY = (*_TEXTS, "payload_digest", "etag", "last_modified")
"""What a page is known by at its next visit."""

Offer = Callable[[str, int], NewUrl | None]
"""(URL, depth) -> it as it was accepted, or None."""


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

        Links can be read of a whole page only.
        """
        if self.reads_links:
            return task
        last = self.last(task)
        return task if last is None else replace(task, validators=last.validators)

    def last(self, task: FetchTask) -> Last | None:
        """Return what the page of a task was, None where no earlier directory has it."""
        page = self._known.get(task.url)
        return None if page is None else self._sources.last(page)

    def found(self, task: FetchTask, change: Change) -> None:
        """Keep what was found of a page until its end."""
        self._found[task.url_id] = change

    def noted(self, task: FetchTask, batch: Batch, offer: Offer) -> Batch:
        """Return the end of a URL with what its visit found in its lines.

        The copies of a page that is gone are offered.
        """
        page, change = self._known.get(task.url), self._found.pop(task.url_id, None)
        if page is None or not batch.lines:
            return batch
        if batch.state is UrlState.FAILED:  # a change that could not be read to its end is none yet
            change = None
        line = batch.lines[0][1]
        kind = change.kind if change else _kind(task, batch, dict(line))
        record = self._record(page, kind, told_at(dict(line)))
        record |= self._kept(page, batch, change)
        copies = self._sources.copies(page) if kind is Kind.GONE else []
        if copies:
            record["copies"] = copies
        if batch.state is UrlState.REDIRECT:
            record["target"] = line["target"]
        offered = [new for url in copies if (new := offer(url, page.depth)) is not None]
        return replace(
            batch,
            unchanged=self._archived(task, page, kind) if batch.captures else None,
            lines=((batch.lines[0][0], {**line, "revisit": record}), *batch.lines[1:]),
            new_urls=(*batch.new_urls, *offered),
            counts={**batch.counts, REVISITS + record["kind"]: 1.0},
        )

    def _kept(self, page: KnownPage, batch: Batch, change: Change | None) -> dict[str, Any]:
        """Return what the next visit is to know of a page; a stored one has it in its line."""
        found = {k: v for k, v in asdict(change).items() if v is not None} if change else {}
        found.pop("kind", None)
        if batch.state is UrlState.STORED:
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


def _kind(task: FetchTask, batch: Batch, line: dict[str, Any]) -> Kind:
    """Return what the end of a page tells that was not read."""
    match batch.state:
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
