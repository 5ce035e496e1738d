"""What the store is given of a page's end, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crawler.models.fetching import Capture, NewUrl, UrlState
from crawler.models.pages import PayloadKey, Signature


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
    address: int | None = None
    """Key of its address (`crawler.urls.editions.address_key`)."""
    appearance: bytes | None = None
    """See `Document.appearance`."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A page that was dropped, as it would have been stored, so that it can be had again."""

    line: Mapping[str, Any]
    """Its line for `pages.jsonl`, but for the id."""
    like: bytes
    """The appearance of what it equals or is like, packed: it is kept as a difference from that."""
    appearance: bytes | None = None
    """See `Document.appearance`."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the judge's in-memory indexes need of a stored page when they are rebuilt."""

    id: int
    payload: PayloadKey
    visible_digest: bytes
    fingerprint: int
    tokens: int
    shingle_kind: str
    sketch: bytes
    representative: bool


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of one host's template, as it is kept (`crawler.extract.templates`)."""

    host: str
    """Host key of its pages' final URLs."""
    state: bytes
    """Its learner, packed."""
    version: int | None = None
    """Of the template that reads its pages now; None while there is none."""
    template: bytes | None = None
    """That template, packed."""
    revoked: int = 0
    """How many of its templates were revoked."""


class EditionCount(NamedTuple):
    """What pages of a site say of two addresses that differ in one place, as it is kept.

    See `crawler.urls.editions`.
    """

    slot: str
    """Where the addresses differ."""
    one: str
    other: str
    """What stands there in either of them."""
    agree: int
    """Pairs of pages that show the same."""
    against: int
    """Pairs of pages that contradict that."""


class ArchivedPayload(NamedTuple):
    """The record of an archive that holds a payload: what a revisit of it refers to."""

    url: str
    """Its WARC-Target-URI."""
    date: str | None = None
    """Its WARC-Date; None where no archive is known to hold it."""
    digest: str | None = None
    """Its WARC-Payload-Digest."""


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
    dropped: Dropped | None = None
    """What is kept of a page that is not stored; None where nothing is."""
    learned: Learned | None = None
    """What is known of its host's template, where the page has changed that."""
    editions: tuple[EditionCount, ...] = ()
    """What the page has changed of what its site's addresses mean."""
    new_urls: tuple[NewUrl, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)
    """Increments of the crawl's running totals, e.g. `wire_bytes`."""
    captures: tuple[Capture, ...] = ()
    """What an archive keeps of it: its exchanges, the last of which is the URL's own."""
    unchanged: ArchivedPayload | None = None
    """Of a page that was visited again and found as it was: what the archive of an earlier
    directory has of it."""
    earlier: int | None = None
    """What the judge calls the page that it equals or is like, where that is stored elsewhere; not
    kept."""
