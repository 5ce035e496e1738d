"""The largest clusters and families, with the texts of their first pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, StoredRef, UrlState
from crawler.report.figures import Group, Member
from crawler.storage import AlikeUrl, StoreView, members

MOST_MEMBERS = 12
"""Pages shown of a group beside its stored page: a reader compares a few."""
MAX_TEXT = 12_000
"""Characters of a text that are shown: with 20 groups a page stays below 4 MB."""

_Line = Mapping[str, Any]


class Groups:
    """Groups that wait for lines of their pages; memory is that of the pages shown."""

    def __init__(self, view: StoreView, sized: Iterable[tuple[StoredRef, int]]) -> None:
        self._view = view
        self._sized = list(sized)
        self._alike = members(view, [ref.id for ref, _ in self._sized], MOST_MEMBERS)
        self._wanted: dict[str, _Line | None] = {ref.url: None for ref, _ in self._sized}
        self._wanted |= {one.url: None for found in self._alike.values() for one in found}

    def look(self, line: _Line) -> None:
        """Keep a line that one of the groups needs; the last one of a URL is the one that holds."""
        if line["url"] in self._wanted:
            text = line.get("text")
            self._wanted[line["url"]] = line if text is None else {**line, "text": text[:MAX_TEXT]}

    def result(self) -> list[Group]:
        """Return the groups, largest first, once all lines were looked at."""
        return [
            Group(ref.id, size, [self._first(ref), *map(self._member, self._alike[ref.id])])
            for ref, size in self._sized
        ]

    def _first(self, ref: StoredRef) -> Member:
        line = self._wanted[ref.url]
        if line is None:
            return Member(ref.url, "stored", missing="its line is not in pages.jsonl")
        return Member(ref.url, "stored", title=_title(line), text=line["text"])

    def _member(self, one: AlikeUrl) -> Member:
        line = self._wanted[one.url] or {}
        title, text, missing = self._text(one, line)
        return Member(
            one.url,
            one.detail,
            title,
            line.get("evidence"),
            similarity_of(line),
            line.get("distance"),
            text,
            missing,
        )

    def _text(self, one: AlikeUrl, line: _Line) -> tuple[str | None, str | None, str]:
        """Return title, text and why there is none."""
        if one.state is UrlState.STORED:
            text = line.get("text")
            return _title(line), text, "" if text is not None else "its line is not in pages.jsonl"
        kept = self._view.dropped(one.url_id)
        if kept is None and one.detail in (EXACT_PAYLOAD, EXACT_TEXT):
            original = next((ref.url for ref, _ in self._sized if ref.id == one.like_id), "")
            same = self._wanted.get(original) or {}
            return _title(same), same.get("text"), "" if same else "its original has no line"
        if kept is None:
            return None, None, "its text was not kept (dedup.keep_dropped, or a document of a file)"
        return kept.line.get("title"), kept.line["text"][:MAX_TEXT], ""


def similarity_of(line: _Line) -> float | None:
    """Return how like its stored page a page is, 0..1, where its line says it."""
    known = line.get("similarity")
    similarity: float | None = line.get("content_similarity") if known is None else known
    return similarity


def _title(line: _Line) -> str | None:
    title = line.get("title") or (line.get("fields") or {}).get("title")
    return title if isinstance(title, str) else None
