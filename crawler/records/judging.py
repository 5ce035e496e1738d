"""What one page is beside all the others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

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
