"""Pages: what one says, what it is beside all the others, and what the store keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from crawler.records.fetching import Capture, NewUrl, UrlState

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

EXACT_PAYLOAD = "exact-payload"
EXACT_TEXT = "exact-text"
NEAR = "near"
"""What duplicates are called in lines, details and reports: `ExactDuplicate.kind`, and near ones,
dropped (state DUPLICATE) or tagged (state STORED)."""
SIBLING = "sibling"
"""What siblings are called there, stored or dropped."""
RESTORED_SIBLING = "restored-sibling"
"""The detail of a sibling that was dropped and is stored now: unlike other stored siblings it has a
line in duplicates.jsonl, too."""


class JudgedOn(StrEnum):
    """Which of a page's visible lines the verdict speaks of."""

    TEMPLATE = "template"
    """Those that its site's template holds for text."""
    MAIN = "main"
    """Those that an extractor took for the main text."""
    VISIBLE = "visible"
    """All outside nav, header and footer: extraction covered too little of them."""


TEXT_LINE, BESIDE_LINE, LINK_LINE, SIGN_LINE = "tbls"
"""What a visible line of a page is: text, what stands beside it, a link, or without a word. Where a
page's lines are told in their order, one letter a line, capitals stand for the judged ones."""

TEMPLATE = "template"
PLAIN = "plain"
"""What read a page's text, beside the engines of `crawler.choices.Engine`: its site's template, or
nothing, as plain text is its own text. `Document.read_by`."""


@dataclass(frozen=True, slots=True)
class Signature:
    """All that the judge needs to know of a text; a pure function of (text, settings, version)."""

    text_digest: bytes
    """32 bytes over the text that is kept, NFC and white space folded."""
    visible_digest: bytes
    """32 bytes over the visible text outside nav, header and footer, folded alike: what makes two
    pages exact copies, however they were read."""
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
    marks: tuple[npt.NDArray[np.uint8], ...] = ()
    """The mark of each of `shingles`, shape (n,), by every key that the text was signed with: first
    that of the store it may be kept in."""


@dataclass(frozen=True, slots=True)
class Shingles:
    """What is kept of a stored text's shingles (`crawler.dedup.signing.shingles`)."""

    hashes: npt.NDArray[np.uint32]
    """Sorted unique hashes, shape (n,)."""
    marks: npt.NDArray[np.uint8] | None = None
    """The mark of each; None for a text stored by a program that did not mark them."""
    key: int = 0
    """Which of the keys that texts are signed with these marks are made by."""
    sketch: bytes | None = None
    """The sketch of a text of which nothing else is kept; then there are no hashes."""

    @classmethod
    def of(cls, text: Signature) -> Shingles:
        """Return what is kept of a text."""
        return cls(text.shingles, text.marks[0] if text.marks else None)


@dataclass(frozen=True, slots=True)
class Document:
    """What one page says; made from bytes in the process pool, no parse tree in it."""

    title: str | None
    text: str
    """The text that is kept, as plain text. Judged are its `judged_on`, which may be more."""
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
    """CPU seconds by stage: decode, parse, extract, fingerprint, appearance."""
    layout: bytes | None = None
    """Layout fingerprint (`crawler.dedup.signing.layout`); None for plain text, which has none."""
    appearance: bytes | None = None
    """What its reader sees, packed (`crawler.dedup.copies`), from which its judged text can be had
    again; None of plain text, which is that text, where siblings are not asked for."""
    read_by: str = PLAIN
    """What found the text that is kept: TEMPLATE, PLAIN or an engine."""
    template: int | None = None
    """Version of the site's template, where that read it."""
    markdown: str | None = None
    """The text that is kept, as Markdown, where the job asks for it."""
    lesson: bytes | None = None
    """What it teaches of its site's template, packed (`crawler.templates`); None if it was not
    asked to."""
    look: bytes = b""
    """8 bytes that texts share which differ in digits and white space only, for the trap rule
    (`crawler.dedup.signing.looks`)."""
    doubted: bool = False
    """Whether its site's template left of it the text of another page that shows other things, or
    far less than of its like: it was read without, and is judged on all that is visible."""


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
class Shown:
    """Where a page stands and what its reader sees: evidence for or against a copy."""

    url: str
    appearance: bytes | None = None
    """See `Document.appearance`."""
    layout: bytes | None = None
    canonical_address: int | None = None
    """Key of the address of the page it names as canonical."""


@dataclass(frozen=True, slots=True)
class AddressedPage:
    """A stored page as it is found by its address."""

    id: int
    fingerprint: int
    shingle_kind: str


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


class Evidence(StrEnum):
    """What tells whether a page that is like a stored one is its copy, or a sibling.

    The rules are those of `crawler.dedup.copies.rules`; docs/siblings.md has their reasons.
    """

    CANONICAL = "canonical"
    """One page names the other as the same page (rel=canonical, hreflang)."""
    SAME_ADDRESS = "same-address"
    """The same path on another host, in another language or in another edition."""
    SAME_TEXT = "same-text"
    """The same title and text on one host, and little else beside it."""
    REPRINT = "reprint"
    """The same text on another host: neither names nor numbers stand for others."""
    OTHER_TITLE = "other-title"
    OTHER_CANONICAL = "other-canonical"
    """Each names another page as the one that it is a copy of, or itself."""
    OTHER_LIST = "other-list"
    """A list, and a part of what it lists: `/2014/` and `/2014/07/`."""
    OTHER_TEXT = "other-text"
    """Under one title, words in the text differ."""
    OTHER_NAME = "other-name"
    """On another host, what titles or hosts name is called so throughout the text."""
    OTHER_NUMBERS = "other-numbers"
    OTHER_SURROUNDINGS = "other-surroundings"
    """The same text with other lists, tables or comments around it."""
    UNKNOWN = "unknown"
    """Too little is kept of the stored page to tell."""

    @property
    def is_copy(self) -> bool:
        """Whether this is evidence of a copy; any other is of a sibling."""
        return self in _OF_COPIES


_OF_COPIES = frozenset(
    {Evidence.CANONICAL, Evidence.SAME_ADDRESS, Evidence.SAME_TEXT, Evidence.REPRINT}
)


@dataclass(frozen=True, slots=True)
class _Alike:
    """A page that is like a representative; `similarity` is None in unverified (textbook) mode."""

    of: StoredRef
    """The representative. Of a near duplicate, its id names the cluster."""
    distance: int
    """Hamming distance of the two fingerprints, 0..64."""
    similarity: float | None
    """Exact Jaccard of the two shingle sets, 0..1."""
    fingerprint: int
    of_fingerprint: int
    matched_blocks: tuple[int, ...]
    """Which of the four 16-bit blocks are equal (0 = lowest); may be none beyond distance 3."""
    evidence: Evidence | None = None
    """What made it a copy or a sibling; None where siblings are not asked for."""


@dataclass(frozen=True, slots=True)
class NearDuplicate(_Alike):
    """A copy of a representative, nearly the same; it joins the cluster of that."""


@dataclass(frozen=True, slots=True)
class Sibling(_Alike):
    """Another page of the template of a representative, and a representative itself."""


Verdict = New | Unjudged | ExactDuplicate | NearDuplicate | Sibling


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
    address: int | None = None
    """Key of its address (`crawler.dedup.copies.address_key`)."""
    appearance: bytes | None = None
    """See `Document.appearance`."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A near duplicate as it would have been stored, so that it can be had again."""

    line: Mapping[str, Any]
    """Its line for `pages.jsonl`, but for the id."""
    like: bytes
    """The appearance of its representative, packed: what it is kept as a difference from."""
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
    """What is known of one host's template, as it is kept (`crawler.templates`)."""

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
    """A near duplicate that is not stored, where it is kept."""
    learned: Learned | None = None
    """What is known of its host's template, where the page has changed that."""
    new_urls: tuple[NewUrl, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)
    """Increments of the crawl's running totals, e.g. `wire_bytes`."""
    captures: tuple[Capture, ...] = ()
    """What an archive keeps of it: its exchanges, the last of which is the URL's own."""
    earlier: int | None = None
    """What the judge calls the page that it equals or is like, where that is stored elsewhere; not
    kept."""
