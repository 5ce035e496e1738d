"""One frozen record per stage of a page's life, and the few enumerations they carry.

::

    NewUrl -> FetchTask -> FetchOutcome -> Document -> Verdict -> Batch

Records hold data and no behaviour; whoever makes one owns every field. Times named `*_at` are Unix
seconds; durations end in `_s`, sizes in `_bytes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# --------------------------------------------------------------------------------------------------
# URLs and tasks


class UrlState(IntEnum):
    """Where a seen URL stands; every URL is in exactly one state (the accounting identity)."""

    PENDING = 0
    STORED = 1
    DUPLICATE = 2
    REDIRECT = 3
    FAILED = 4
    SKIPPED = 5


class Priority(IntEnum):
    """What is taken first from a host's queue, before depth."""

    ORDINARY = 0
    DEFERRED = 1
    """Links found on a duplicate: they may lead to new pages, but rarely do."""


@dataclass(frozen=True, slots=True)
class FetchTask:
    """One URL to fetch. `url` is canonical; `host` its host key (`crawler.urls.host_key`)."""

    url_id: int
    url: str
    host: str
    depth: int
    priority: Priority = Priority.ORDINARY
    hops: int = 0
    """Redirects that led here, counted from the last link or seed."""
    referrer: str | None = None
    attempt: int = 0
    """Attempts already made; not kept across a resume."""
    seed: bool = False
    """A seed, or where a seed's own redirects led: its redirect widens the scope."""


# --------------------------------------------------------------------------------------------------
# Fetching


class Failure(StrEnum):
    """Why a URL has no page. `crawler.fetch.failures` says what is retried and how often."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT_CONNECT = "timeout-connect"
    TIMEOUT_HEADERS = "timeout-headers"
    TIMEOUT_BODY = "timeout-body"
    DISCONNECTED = "disconnected"
    PROTOCOL = "protocol-error"
    TRUNCATED = "truncated-body"
    CONTENT_ENCODING = "content-encoding"
    HTTP_CLIENT_ERROR = "http-4xx"
    HTTP_SERVER_ERROR = "http-5xx"
    HTTP_RATE_LIMITED = "http-429"
    HTTP_UNEXPECTED = "http-unexpected-status"
    REDIRECT_LOOP = "redirect-loop"
    REDIRECT_INVALID = "redirect-invalid"
    BLOCKED_ADDRESS = "blocked-address"
    HOST_UNREACHABLE = "host-unreachable"
    """The host was given up on after repeated failures; the URL itself was not tried."""
    ANALYSIS_TIMEOUT = "analysis-timeout"
    ANALYSIS_CRASH = "analysis-crash"
    ANALYSIS_ERROR = "analysis-error"


class Skip(StrEnum):
    """Why a seen URL was left out on purpose."""

    ROBOTS = "robots"
    ROBOTS_UNREACHABLE = "robots-unreachable"
    NOINDEX = "noindex"
    CONTENT_TYPE = "content-type"
    TOO_LARGE = "too-large"
    NO_CONTENT = "no-content"
    OUT_OF_SCOPE = "out-of-scope"
    """Seen under an earlier scope; the job now excludes it."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A complete body of an acceptable type."""

    task: FetchTask
    final_url: str
    """Differs from `task.url` only where a redirect was followed in place (cookie, slash)."""
    status: int
    media_type: str
    """Lower-case essence of Content-Type, e.g. `text/html`."""
    charset: str | None
    """The charset the server declared, as sent, lower-case; None where it declared none."""
    headers: Mapping[str, str]
    """Lower-case names, only those in `crawler.fetch.headers.KEPT_HEADERS`."""
    body: bytes
    """Content-Encoding already removed."""
    wire_bytes: int
    """Body bytes as they travelled, before decompression."""
    fetched_at: float
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Redirected:
    """A redirect to another page; `target` is absolute and still to be offered to the frontier."""

    task: FetchTask
    status: int
    target: str
    fetched_at: float


@dataclass(frozen=True, slots=True)
class Skipped:
    """Left out on purpose."""

    task: FetchTask
    reason: Skip
    detail: str
    fetched_at: float


@dataclass(frozen=True, slots=True)
class Failed:
    """No page, and why. `retry_after_s` is what the server asked for, if it did."""

    task: FetchTask
    failure: Failure
    detail: str
    fetched_at: float
    status: int | None = None
    retry_after_s: float | None = None


FetchOutcome = Fetched | Redirected | Skipped | Failed


# --------------------------------------------------------------------------------------------------
# Analysis


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
    """Fixed-size summary of `shingles` (`crawler.dedup.sketch`)."""


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
    """Layout fingerprint (`crawler.dedup.layout`); None for plain text, which has none."""


# --------------------------------------------------------------------------------------------------
# Judging

EXACT_PAYLOAD = "exact-payload"
EXACT_TEXT = "exact-text"
NEAR = "near"
"""What duplicates are called in lines, details and reports: `ExactDuplicate.kind`, and near ones,
dropped (state DUPLICATE) or tagged (state STORED)."""


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


# --------------------------------------------------------------------------------------------------
# Storing


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
    """All that one page's end means, committed in one transaction or not at all."""

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
