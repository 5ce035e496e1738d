"""Pages: what one says, what it is beside all the others, and what the store keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from crawler.records.fetching import NewUrl, UrlState

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

EXACT_PAYLOAD = "exact-payload"
EXACT_TEXT = "exact-text"
NEAR = "near"
"""What duplicates are called in lines, details and reports: `ExactDuplicate.kind`, and near ones,
dropped (state DUPLICATE) or tagged (state STORED)."""


class JudgedOn(StrEnum):
    """Which text the verdict speaks of."""

    MAIN = "main"
    """trafilatura's main text."""
    VISIBLE = "visible"
    """All visible text outside nav, header and footer: extraction covered too little of it."""


@dataclass(frozen=True, slots=True)
class Signature:
    """All that the judge needs to know of a text; a pure function of (text, settings, version)."""

    text_digest: bytes
    """32 bytes over the judged text, NFC and white space folded."""
    visible_digest: bytes
    """32 bytes over the visible text outside nav, header and footer, folded alike."""
    fingerprint: int
    """64-bit SimHash, unsigned."""
    tokens: int
    """Number of features counted with repetition; the measure of 'too short to judge'."""
    shingle_kind: str
    """`word3` or `char4`; texts of different kinds are never compared."""
    shingles: npt.NDArray[np.uint32]
    """Sorted unique shingle hashes, shape (n,)."""
    sketch: bytes
    """Fixed-size summary of `shingles` (`crawler.dedup.signing.sketch`)."""


@dataclass(frozen=True, slots=True)
class Document:
    """What one page says; made from bytes in the process pool, no parse tree in it."""

    title: str | None
    text: str
    """The judged text."""
    judged_on: JudgedOn
    charset: str
    """WHATWG name of the encoding that was used."""
    links: tuple[str, ...]
    """Canonical http(s) URLs in page order, unique; frames, meta refresh, rel=canonical too."""
    canonical_url: str | None
    """rel=canonical, canonicalised: a hint, never an identity."""
    refresh: str | None
    """Canonical target of a meta refresh, also in `links`."""
    noindex: bool
    nofollow: bool
    signature: Signature
    stage_s: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds by stage: decode, parse, extract, fingerprint."""
    layout: bytes | None = None
    """Layout fingerprint (`crawler.dedup.signing.layout`); None for plain text, which has none."""


@dataclass(frozen=True, slots=True)
class PayloadKey:
    """Bytes and how the server told us to read them: equal keys mean equal documents."""

    digest: bytes
    """SHA-256 (32 bytes) or SHA-1 (20 bytes) of the body."""
    declared: str
    """`media/type` or `media/type;charset`: under another charset bytes are another text."""


@dataclass(frozen=True, slots=True)
class StoredRef:
    """A page in `pages.jsonl`."""

    id: int
    url: str


@dataclass(frozen=True, slots=True)
class New:
    """No stored page is like it. Also every page when the near stage is switched off."""

    reason: str | None = None
    """Why near duplicates were not looked for, if they were not: the text is short."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Too little text to compare; stored, found again by its payload only."""

    reason: str


@dataclass(frozen=True, slots=True)
class ExactDuplicate:
    """`kind` is `exact-payload` (same bytes) or `exact-text` (same text, enough of it)."""

    kind: str
    of: StoredRef


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """A near duplicate of a representative; `similarity` is None in unverified (textbook) mode."""

    of: StoredRef
    distance: int
    """Hamming distance of the two fingerprints, 0..64."""
    similarity: float | None
    """Exact Jaccard of the two shingle sets, 0..1."""
    fingerprint: int
    of_fingerprint: int
    matched_blocks: tuple[int, ...]
    """Which of the four 16-bit blocks are equal (0 = lowest); may be none beyond distance 3."""
    cluster: int
    """Cluster id: the id of its representative."""


Verdict = New | Unjudged | ExactDuplicate | NearDuplicate


class DuplicateKind(StrEnum):
    """In what a duplicate equals its original: content and layout compared separately.

    The last two are said where one of the pages has no layout.
    """

    SAME_CONTENT_SAME_LAYOUT = "same-content-same-layout"
    SAME_CONTENT_OTHER_LAYOUT = "same-content-other-layout"
    PARTIAL_CONTENT_SAME_LAYOUT = "partial-content-same-layout"
    PARTIAL_CONTENT_OTHER_LAYOUT = "partial-content-other-layout"
    SAME_CONTENT = "same-content"
    PARTIAL_CONTENT = "partial-content"


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike a duplicate and its original are."""

    kind: DuplicateKind
    content_similarity: float
    """1 for exact duplicates, else the Jaccard similarity of the shingle sets; 0..1."""
    layout_similarity: float | None
    """Estimated Jaccard similarity of the tag paths, 0..1; None where a page has no layout."""


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
