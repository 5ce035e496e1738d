"""The directories that are visited again, opened for reading: what they keep of each page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from crawler.dedup.signing.digests import format_digest
from crawler.dedup.signing.shingles import jaccard
from crawler.records import ArchivedPayload, Document, Learned, UrlState, Validators
from crawler.recrawl.comparison import Change, Kind, characters
from crawler.recrawl.pages import KnownPage
from crawler.storage import (
    Known,
    Meta,
    SqliteCatalog,
    StoreView,
    all_learned,
    archived_payload,
    every_url,
    kept_still,
    template,
    templates,
)
from crawler.urls import host_key

MOST_COPIES = 3
"""Copies of a page that is gone which are named and visited: one that lives is enough."""


@dataclass(frozen=True, slots=True)
class Last:
    """What a page was when it was read last."""

    known: KnownPage
    view: StoreView
    line: Mapping[str, Any]
    """Its line in `pages.jsonl`."""
    visit: Mapping[str, Any]
    """The line of a later visit, if there was one."""
    visited_in: StoreView
    """Where that line is."""

    @property
    def note(self) -> Mapping[str, Any]:
        """What the later visit noted of it (`revisit`)."""
        return self.visit.get("revisit") or {}

    @property
    def validators(self) -> Validators:
        """What it was known by."""
        told = self.note if self._is_noted else self.line
        return Validators(told.get("etag"), told.get("last_modified"))

    @property
    def archived(self) -> ArchivedPayload | None:
        """Where the bytes are archived that it had; None where that is not known."""
        view, line = (self.visited_in, self.visit) if self._is_noted else (self.view, self.line)
        if (file := line.get("warc_filename")) is None:
            return None
        return archived_payload(view, file, line["warc_offset"])

    @property
    def template(self) -> bytes | None:
        """The template that read it, packed; None if none did."""
        version = self.line.get("template")
        if version is None:
            return None
        return template(self.view, host_key(self.line["final_url"]), version)

    def has_bytes(self, digest: bytes) -> bool:
        """Whether its body was the one with this digest."""
        return self._digest("payload_digest") == format_digest(digest)

    def compared(self, page: Document) -> Change:
        """Return what has changed, once the page is read as it was read then."""
        text = format_digest(page.signature.text_digest)
        visible = format_digest(page.signature.visible_digest)
        change = Change(Kind.TEXT, text_digest=text, visible_digest=visible)
        if visible == self._visible_digest:
            return replace(change, kind=Kind.MARKUP)
        if text == self._digest("text_digest"):
            return replace(change, kind=Kind.SURROUNDINGS)
        if self._digest("text_digest") != self.line["text_digest"]:
            return change  # the text that it had last was dropped
        added, removed = characters(self.line["text"], page.text)
        return replace(
            change,
            similarity=self._similarity(page),
            characters_added=added,
            characters_removed=removed,
        )

    @property
    def _is_noted(self) -> bool:
        """Whether it is the later visit that tells of its bytes."""
        return "payload_digest" in self.note

    def _digest(self, name: str) -> str:
        return str(self.note.get(name) or self.line[name])

    @property
    def _visible_digest(self) -> str | None:
        if noted := self.note.get("visible_digest"):
            return str(noted)
        found = self.view.visible_digest(self.known.id)
        return None if found is None else format_digest(found)

    def _similarity(self, page: Document) -> float | None:
        query = "SELECT shingle_kind FROM documents WHERE id = ?"
        kind = self.view.database.rows(query, (self.known.id,))
        if page.judged_on != self.line["judged_on"] or kind != [(page.signature.shingle_kind,)]:
            return None
        stored = SqliteCatalog(self.view.database).shingles(self.known.id)
        return round(jaccard(page.signature.shingles, stored.hashes), 4)


@dataclass(slots=True)
class Sources:
    """The directories, oldest first; use as a context."""

    views: Sequence[StoreView]
    _stack: ExitStack
    _copies: dict[int, dict[int, list[str]]] = field(default_factory=dict)
    """Directory -> page -> URLs of its copies, once they were asked for."""

    @classmethod
    def opened(cls, directories: Sequence[Path]) -> Self:
        """Open directories, to which nobody writes from then on.

        Raises StoreMismatch where one is not there, StoreInUse where somebody writes to it,
        StoreError.
        """
        with ExitStack() as stack:
            for path in directories:
                stack.enter_context(kept_still(path))
            views = [stack.enter_context(StoreView.read(path)) for path in directories]
            return cls(views, stack.pop_all())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def last(self, page: KnownPage) -> Last:
        """Return what a page was; StoreError where that cannot be read."""
        view, line = self.views[page.source], page.page.record()
        if page.note is None:
            return Last(page, view, line, {}, view)
        noted_in = next(one for one in self.views if one.directory == page.note.path.parent)
        return Last(page, view, line, page.note.record(), noted_in)

    def copies(self, page: KnownPage) -> list[str]:
        """Return URLs of at most MOST_COPIES pages that were dropped as copies of a page.

        The first question reads a directory's whole URL table, and keeps them for all its pages.
        """
        if (known := self._copies.get(page.source)) is None:
            known = self._copies[page.source] = {}
            query = "SELECT duplicate_of, url FROM urls WHERE state = ? ORDER BY id"
            found = self.views[page.source].database.stream(query, (UrlState.DUPLICATE.value,))
            for of, url in found:
                if len(urls := known.setdefault(of, [])) < MOST_COPIES:
                    urls.append(url)
        return known.get(page.id, [])

    def urls(self) -> Iterator[tuple[Path, Known]]:
        """Yield every URL of each directory and where it is known, the newest directory first."""
        for view in reversed(self.views):
            for url in every_url(view):
                yield view.directory, url

    def learned(self) -> Iterator[Learned]:
        """Yield what the newest directory knows of each host's template, every version of it."""
        view = self.views[-1]
        for known in all_learned(view):
            for _, version, packed in templates(view, known.host):
                yield Learned(known.host, known.state, version, packed, known.revoked)
            yield known

    def scope(self) -> tuple[list[str], list[str]]:
        """Return the seeds of the first directory, and what widened any one's scope."""
        seeds = [url for url, _, _ in self.views[0].seeds()]
        kept = {place for view in self.views for place in view.meta(Meta.SCOPE, [])}
        return seeds, sorted(kept)
