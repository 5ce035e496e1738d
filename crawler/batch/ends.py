"""The end of each document as the one `Batch` that the store commits; pure functions.

A document's batch brings its own URL, so the URL table grows with what is judged and never holds a
document that is still to come. A line is where the document lies, with the user's own ids, and what
a crawl's line says of a judged page (`crawler.ends.lines`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from crawler import ends
from crawler.batch.inputs import recorded_source
from crawler.batch.names import document_url, id_in, line_in
from crawler.batch.raw import Bad, RawDocument
from crawler.batch.reader import Reading
from crawler.dedup import likeness
from crawler.dedup.kinds import Alike
from crawler.earlier.layers import LayeredCatalog
from crawler.ends import Offered, lines
from crawler.ends.judged import (
    Judged,
    Original,
    Record,
    duplicate_verdict,
    is_duplicate,
    page_verdict,
)
from crawler.records import (
    Batch,
    Failure,
    NewUrl,
    Priority,
    Sibling,
    StoredRef,
    UrlState,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in the run and in its file."""

    number: int
    """From 1, over all documents of the run: its id in the URL table."""
    raw: RawDocument

    def brings(self, url: str) -> Offered:
        """Return the row of the URL table that this document's end brings: its own."""
        row = NewUrl(self.number, url, self.source, 0, Priority.ORDINARY, 0, None, seed=True)
        return Offered((row,))

    @property
    def source(self) -> str:
        """The argument the document came by, fit for records."""
        return recorded_source(self.raw.file)

    @property
    def fields(self) -> Record:
        """Where it lies, for its line."""
        return {"source": self.source, "line": self.raw.line}

    @property
    def url(self) -> str:
        """What a document is called whose id could not be read."""
        raw = self.raw
        return document_url(raw.file_url, raw.line, None if raw.line else raw.file.id)


class Origins(Protocol):
    """What documents of this run came by."""

    def find(self, url: str) -> str:
        """Return the argument, or whatever else brought it, of the document with this URL."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a verdict may name: kept documents, of this run and of earlier ones."""

    pages: LayeredCatalog
    sources: Origins

    def original(self, of: StoredRef) -> Original:
        """Return what a line says of a kept document, and its id if it is this run's."""
        elsewhere = self.pages.elsewhere(of.id)
        earlier, stored_id = elsewhere or (None, of.id)
        id_ = id_in(of.url)
        if id_ is None:  # a page of a crawl
            reference: Record = {"id": stored_id, "url": of.url}
        else:
            source = earlier.source_of(stored_id) if earlier else self.sources.find(of.url)
            reference = {"id": id_, "url": of.url, "source": source, "line": line_in(of.url)}
        if earlier is None:
            return Original(reference, stored_id)
        more = {"against": earlier.name, **earlier.about(stored_id)}
        return Original({**reference, **more}, None)


def judged_end(
    place: Place, reading: Reading, verdict: Verdict, document_id: int | None, known: Known
) -> Batch:
    """Return the end of a document that was judged; without an id it is left out as a duplicate.

    A near duplicate that is kept (tag mode) has a line in both files.
    """
    is_stored = document_id is not None
    document, judged = reading.document, _judged(place, reading, verdict, known, is_stored)
    head: Record = {"id": reading.id, "url": reading.url, **place.fields}
    records, stored = {}, None
    if document_id is not None:
        page = {
            **head,
            "canonical_url": document.canonical_url,
            **lines.content(document, reading.media_type),
            **page_verdict(document, judged),
            **({"fields": reading.fields} if reading.fields else {}),
        }
        records["pages"] = lines.whole("pages", page, of_corpus=True)
        name = place.number, reading.url
        stored = ends.stored_document(document_id, *name, document, judged, address=None)
    if is_duplicate(judged, stored=stored is not None):
        duplicate = {**head, **duplicate_verdict(document, judged)}
        records["duplicates"] = lines.whole("duplicates", duplicate, of_corpus=True)
    offered = place.brings(reading.url)
    return ends.judged_end(place.number, records, document, judged, offered, stored)


def bad_end(place: Place, bad: Bad) -> Batch:
    """Return the end of a document that could not be read and is skipped."""
    line = {"url": place.url, **place.fields, "reason": bad.reason.value, "detail": bad.detail}
    return _without_page(place, UrlState.SKIPPED, "skipped", bad.reason.value, line)


def failed_end(place: Place, failure: Failure, detail: str) -> Batch:
    """Return the end of a document that hung or ended the process that read it."""
    line = {"url": place.url, **place.fields, "failure": failure.value, "detail": detail}
    return _without_page(place, UrlState.FAILED, "failures", failure.value, line)


def _without_page(place: Place, state: UrlState, file: str, detail: str, line: Record) -> Batch:
    new_urls = place.brings(place.url).new_urls
    return Batch(place.number, state, ((file, line),), detail=detail, new_urls=new_urls)


def _judged(
    place: Place, reading: Reading, verdict: Verdict, known: Known, is_stored: bool
) -> Judged:
    raw = place.raw
    text = raw.body if raw.file.media_type else reading.document.text.encode()
    sizes = len(text), len(raw.body)
    if not isinstance(verdict, Alike):
        return Judged(verdict, reading.payload, *sizes)
    alike = None
    if not (is_stored and isinstance(verdict, Sibling)):
        alike = likeness(verdict, reading.document, known.pages)
    return Judged(verdict, reading.payload, *sizes, known.original(verdict.of), alike)
