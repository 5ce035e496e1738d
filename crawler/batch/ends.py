"""The end of each document as the one `Batch` that the store commits; pure functions.

A document's batch brings its own URL, so the URL table grows with what is judged and never holds a
document that is still to come. Report lines are a crawl's lines without what only a fetch has, and
with the user's own ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crawler import ends
from crawler.batch.earlier import LayeredCatalog
from crawler.batch.inputs import recorded_source
from crawler.batch.names import document_url, id_in, line_in
from crawler.batch.raw import Bad, RawDocument
from crawler.batch.reader import Reading
from crawler.dedup import likeness
from crawler.ends.batches import Offered
from crawler.records import (
    Batch,
    ExactDuplicate,
    Failure,
    Fetched,
    FetchTask,
    Likeness,
    NearDuplicate,
    NewUrl,
    Priority,
    UrlState,
    Verdict,
)

Record = dict[str, Any]

OF_A_FETCH = ("final_url", "host", "fetched_at", "status", "depth", "referrer")
"""Fields of a crawl's line that no document has."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in the run and in its file."""

    number: int
    """From 1, over all documents of the run: its id in the URL table."""
    raw: RawDocument

    def new_url(self, url: str) -> NewUrl:
        """Return the row of the URL table that this document's end brings."""
        return NewUrl(self.number, url, self.source, 0, Priority.ORDINARY, 0, None, seed=True)

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


def stored_end(
    place: Place, reading: Reading, verdict: Verdict, document_id: int, pages: LayeredCatalog
) -> Batch:
    """Return the end of a document that is kept, also of a near duplicate in tag mode."""
    fetched, offered = _fetched(place, reading), Offered((place.new_url(reading.url),))
    alike = _likeness(verdict, reading, pages)
    batch = ends.stored_end(
        fetched, reading.document, reading.payload, verdict, document_id, offered, alike
    )
    return _told(batch, place, reading, verdict, pages)


def duplicate_end(
    place: Place,
    reading: Reading,
    verdict: ExactDuplicate | NearDuplicate,
    pages: LayeredCatalog,
) -> Batch:
    """Return the end of a document that is left out as a duplicate."""
    fetched, offered = _fetched(place, reading), Offered((place.new_url(reading.url),))
    alike = _likeness(verdict, reading, pages)
    batch = ends.duplicate_end(fetched, reading.document, reading.payload, verdict, offered, alike)
    return _told(batch, place, reading, verdict, pages)


def bad_end(place: Place, bad: Bad) -> Batch:
    """Return the end of a document that could not be read and is skipped."""
    line = {"url": place.url, **place.fields, "reason": bad.reason.value, "detail": bad.detail}
    return _without_page(place, UrlState.SKIPPED, "skipped", bad.reason.value, line)


def failed_end(place: Place, failure: Failure, detail: str) -> Batch:
    """Return the end of a document that hung or ended the process that read it."""
    line = {"url": place.url, **place.fields, "failure": failure.value, "detail": detail}
    return _without_page(place, UrlState.FAILED, "failures", failure.value, line)


def _without_page(place: Place, state: UrlState, file: str, detail: str, line: Record) -> Batch:
    new_urls = (place.new_url(place.url),)
    return Batch(place.number, state, ((file, line),), detail=detail, new_urls=new_urls)


def _fetched(place: Place, reading: Reading) -> Fetched:
    """Return a document as what a crawl would have fetched from its `file:` URL."""
    return Fetched(
        task=FetchTask(place.number, reading.url, place.source, 0),
        final_url=reading.url,
        status=200,
        media_type=reading.media_type,
        charset=None,
        headers={},
        body=place.raw.body if place.raw.file.media_type else reading.document.text.encode(),
        wire_bytes=len(place.raw.body),
        fetched_at=0.0,
        elapsed_s=0.0,
    )


def _likeness(verdict: Verdict, reading: Reading, pages: LayeredCatalog) -> Likeness | None:
    if isinstance(verdict, ExactDuplicate | NearDuplicate):
        return likeness(verdict, reading.document, pages)
    return None


def _told(
    batch: Batch, place: Place, reading: Reading, verdict: Verdict, pages: LayeredCatalog
) -> Batch:
    """Return a batch with lines that speak of documents, and with this store's own ids."""
    named = _original(verdict, pages)
    lines = tuple(
        (file, _line(record, place, reading, named, with_fields=file == "pages"))
        for file, record in batch.lines
    )
    return replace(batch, lines=lines, duplicate_of=named.own_id if named else None)


@dataclass(frozen=True, slots=True)
class _Original:
    """The kept document that a duplicate names."""

    own_id: int | None
    """Its id in this store; None where it lies in an earlier directory."""
    reference: Mapping[str, Any]
    """What `duplicate_of` says of it."""


def _original(verdict: Verdict, pages: LayeredCatalog) -> _Original | None:
    if not isinstance(verdict, ExactDuplicate | NearDuplicate):
        return None
    layer, stored_id = pages.find(verdict.of.id)
    url, own_id = verdict.of.url, stored_id if layer.directory is None else None
    id_ = id_in(url)
    if id_ is None:  # a page of a crawl
        reference: Record = {"id": stored_id, "url": url}
    else:
        place = {"source": pages.source(verdict.of), "line": line_in(url)}
        reference = {"id": id_, "url": url, **place}
    if layer.directory is not None:
        reference["against"] = str(layer.directory)
    return _Original(own_id, reference)


def _line(
    record: Mapping[str, Any],
    place: Place,
    reading: Reading,
    named: _Original | None,
    *,
    with_fields: bool,
) -> Record:
    line: Record = {"id": reading.id, "url": reading.url, **place.fields}
    line |= {key: value for key, value in record.items() if key not in (*line, *OF_A_FETCH)}
    if named is not None:
        line["duplicate_of"] = named.reference
        if "cluster" in line:
            line["cluster"] = named.reference["id"]
    if with_fields and reading.fields:
        line["fields"] = reading.fields
    return line
