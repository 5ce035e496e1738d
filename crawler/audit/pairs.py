"""Each page of a sample beside the stored page that it is said to be like, with their texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawler.analysis import AnalysisSettings
from crawler.audit.lines import find_lines
from crawler.audit.sample import Drawn, Sample
from crawler.batch.reader import read_again
from crawler.config import Job
from crawler.dedup.copies import Appearance, judged_text, unpack
from crawler.errors import CrawlerError, InputError
from crawler.printing import Say
from crawler.storage import Meta, SqliteCatalog, StoreView, page_ids, reading_stored_values

_Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two pages."""

    url: str
    title: str | None = None
    text: str | None = None
    """The judged text: with what its appearance has beside it, all that a reader sees. The stored
    text is not asked, lest what a template left out of it be missed by the marker too. None where
    there is none to be had."""
    missing: str = ""
    """Why there is no text."""
    appearance: Appearance | None = None
    """What its reader sees; None where that was not kept."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A page of the sample, and the stored page that it is like."""

    drawn: Drawn
    page: Side
    stored: Side
    evidence: str | None
    """A code of `crawler.records.Evidence`; None where none was asked for."""
    similarity: float | None
    """Of the two texts, 0..1; None where it is not known."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What the line files say of a sample."""

    lines: Mapping[str, _Line]
    """URL -> line of a page of the sample."""
    stored: Mapping[str, _Line]
    """URL -> line of a stored page that one of the sample is like."""
    troubles: Mapping[str, str] = field(default_factory=dict)
    """URL of such a page -> why its line cannot be had."""


def read_pairs(view: StoreView, sample: Sample, say: Say) -> list[Pair]:
    """Return the pairs of a sample, in its order; lines of each kind are read once at most.

    A pair whose texts cannot be had is there too, and says why. Raises StoreError where the
    directory is damaged.
    """
    catalog = SqliteCatalog(view.database)
    with reading_stored_values(view.directory):
        ids = {drawn.like_id for drawn in sample.drawn if drawn.like_id is not None}
        like = {id_: catalog.ref(id_).url for id_ in ids}
    found = _find(view, sample.drawn, set(like.values()), say)
    own_ids = page_ids(view, [drawn.url_id for drawn in sample.drawn if drawn.stored])
    shown = _Shown(view, catalog)
    pairs = []
    for drawn in sample.drawn:
        line = found.lines.get(drawn.url, {})
        url = like.get(drawn.like_id or 0) or _reference(line).get("url", "")
        why = found.troubles.get(url, "its line is not in pages.jsonl")
        stored = _side(url, found.stored.get(url), why, shown.of(drawn.like_id))
        if drawn.stored:
            own = shown.of(own_ids.get(drawn.url_id))
            page = _side(drawn.url, line, "its line is not in pages.jsonl", own)
        else:
            page = _dropped(view, drawn, line)
        pairs.append(Pair(drawn, page, stored, line.get("evidence"), _similarity(line)))
    return pairs


class _Shown:
    """What readers see of stored pages, as far as it was kept."""

    def __init__(self, view: StoreView, catalog: SqliteCatalog) -> None:
        self._view, self._catalog = view, catalog

    def of(self, document_id: int | None) -> Appearance | None:
        if document_id is None or not self._view.keeps_appearances:
            return None
        packed = self._catalog.appearance(document_id)
        with reading_stored_values(self._view.directory):
            return None if packed is None else unpack(packed)


def _find(view: StoreView, drawn: Sequence[Drawn], like: set[str], say: Say) -> _Found:
    """Return the lines of a sample, and of what it is like in this and in earlier directories."""
    files = view.files()
    dropped = {one.url for one in drawn if not one.stored}
    stored = {one.url for one in drawn if one.stored}
    lines = find_lines(view.directory, files["duplicates"], dropped, say)
    pages = find_lines(view.directory, files["pages"], stored | like, say)
    lines |= {url: line for url, line in pages.items() if url in stored}
    elsewhere = defaultdict[str, set[str]](set)
    for reference in map(_reference, lines.values()):
        if "against" in reference:
            elsewhere[reference["against"]].add(reference["url"])
    troubles: dict[str, str] = {}
    for directory, urls in elsewhere.items():
        try:
            with StoreView.read(Path(directory)) as earlier:
                files = earlier.files()
                pages |= find_lines(earlier.directory, files["pages"], urls, say)
        except CrawlerError as error:
            troubles |= dict.fromkeys(urls, str(error))
    return _Found(lines, pages, troubles)


def _reference(line: _Line) -> _Line:
    """Return what a line says of the page that its own is like."""
    reference: _Line = line.get("duplicate_of") or line.get("sibling_of") or {}
    return reference


def _similarity(line: _Line) -> float | None:
    known = line.get("similarity")
    similarity: float | None = line.get("content_similarity") if known is None else known
    return similarity


def _side(url: str, line: _Line | None, missing: str, seen: Appearance | None) -> Side:
    """Return a stored page."""
    if not line:
        return Side(url, missing=missing)
    return Side(url, _title(line), judged_text(seen, line["text"]), appearance=seen)


def _title(line: _Line) -> str | None:
    """Return a page's title; a document of a corpus may have one among its fields."""
    title = line.get("title") or (line.get("fields") or {}).get("title")
    return title if isinstance(title, str) else None


def _dropped(view: StoreView, drawn: Drawn, line: _Line) -> Side:
    kept = view.dropped(drawn.url_id)
    if kept is not None:
        text = judged_text(kept.appearance, kept.line["text"])
        return Side(drawn.url, kept.line.get("title"), text, appearance=kept.appearance)
    if "source" in line:
        return _read_again(view, drawn.url, line)
    if not line:
        return Side(drawn.url, missing="its line is not in duplicates.jsonl")
    return Side(drawn.url, missing=_why_not_kept(view))


def _read_again(view: StoreView, url: str, line: _Line) -> Side:
    """Return a document of a corpus, which still lies where it was read."""
    try:
        settings = AnalysisSettings.of(Job.model_validate(view.meta(Meta.JOB)))
        reading = read_again(line, view.meta(Meta.IDENTITY), settings)
    except InputError as why:
        return Side(url, missing=f"it cannot be read again: {why}")
    title = reading.document.title or _title({"fields": reading.fields})
    packed = reading.document.appearance
    seen = unpack(packed) if packed else None
    return Side(url, title, judged_text(seen, reading.document.text), appearance=seen)


def _why_not_kept(view: StoreView) -> str:
    settings = (view.meta(Meta.JOB) or {}).get("dedup", {})
    if settings.get("keep_dropped") is False:
        return "it was not kept: dedup.keep_dropped is false"
    if "keep_dropped" in settings and view.keeps_appearances:
        return (
            "it was not kept: the page is larger than 4 MB, or was judged by an earlier version "
            "of this program, which kept none of pages with the same text"
        )
    return "it was not kept: the crawl was made by an earlier version of this program"
