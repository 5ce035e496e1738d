"""What a page is beside all the others: its verdict, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crawler.models.pages import StoredRef

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


@dataclass(frozen=True, slots=True)
class New:
    """No stored page is like it. Also every page when the near stage is switched off."""

    reason: str | None = None
    """Why pages that are like it are not told, if they are not: the text is short."""
    represents: bool = True
    """Whether later pages may be near duplicates of it, by their texts."""


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
    """One page names the other as the same page (rel=canonical, hreflang), and nothing in title or
    text contradicts that."""
    SAME_ADDRESS = "same-address"
    """The other is an edition of it (version, language, mirror), by what this site's pages have
    proven of their addresses (`crawler.urls.editions`), and names and numbers agree."""
    SAME_TEXT = "same-text"
    """On one site, the stored page shows all that the page shows; or it is the same page in another
    dress, for printing or for phones."""
    REPRINT = "reprint"
    """The same text on another site: neither names nor numbers stand for others."""
    OTHER_TITLE = "other-title"
    OTHER_TEXT = "other-text"
    """Something in the text is only on one of the two."""
    OTHER_SURROUNDINGS = "other-surroundings"
    """Something else that the page shows or holds is not on the stored one: beside the text, in
    header or footer, hidden, a picture, a video."""
    OTHER_NAME = "other-name"
    """What titles or hosts name is called so throughout the text; or another word is, on another
    site."""
    OTHER_NUMBERS = "other-numbers"
    """Numbers stand for others: of an edition, or on another site."""
    OTHER_CANONICAL = "other-canonical"
    OTHER_LIST = "other-list"
    """These two stand in lines of older versions only."""
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
