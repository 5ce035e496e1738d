"""What is handed to the store, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crawler.records.analysis import Signature
from crawler.records.fetching import Priority, UrlState
from crawler.records.judging import PayloadKey


@dataclass(frozen=True, slots=True)
class NewUrl:
    """A URL seen for the first time, on its way into the store."""

    url_id: int
    url: str
    host: str
    depth: int
    priority: Priority
    hops: int
    referrer_id: int | None
    seed: bool = False


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored page's row: what the indexes are rebuilt from."""

    id: int
    url_id: int
    url: str
    payload: PayloadKey
    signature: Signature
    representative: bool
    """True where near duplicates may join it."""
    layout: bytes | None = None
    """Layout fingerprint; None for plain text."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the judge's in-memory indexes need of a stored page when they are rebuilt."""

    id: int
    payload: PayloadKey
    text_digest: bytes
    visible_digest: bytes
    fingerprint: int
    tokens: int
    shingle_kind: str
    sketch: bytes
    representative: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """All that is written when a page ends: in one transaction, or not at all."""

    url_id: int
    state: UrlState
    lines: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """(file name without `.jsonl`, record) pairs; the record must be JSON-serialisable."""
    detail: str = ""
    """Verdict kind, failure class or skip reason: what the report groups by."""
    duplicate_of: int | None = None
    document: StoredDocument | None = None
    new_urls: tuple[NewUrl, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)
    """Increments of the crawl's running totals, e.g. `wire_bytes`."""
