"""What a judge and a crawl answer with: a verdict, a page that is kept, or one that is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from crawler.models import Evidence, VerdictKind

if TYPE_CHECKING:
    from crawler.sources.inputs import DocumentId


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a document is beside all that were seen before it."""

    kind: VerdictKind
    """A sibling only where the settings ask for them."""
    keep: bool
    """Whether it is kept, and later documents are compared with it."""
    of: DocumentId | None = None
    """The id of the kept document that it is a copy or a sibling of. Of a page of a crawl that is
    judged against: its number there, as in that crawl's `pages.jsonl`."""
    against: str | None = None
    """The directory or index that `of` is in; None: this one."""
    url: str | None = None
    """Of a page of a crawl: its URL."""
    similarity: float | None = None
    """Exact Jaccard similarity of the two sets of shingles, 0..1: 1.0 of exact duplicates; None
    where nothing was alike, or the method does not verify."""
    distance: int | None = None
    """Hamming distance of the two fingerprints, 0..64, of what is near or a sibling."""
    evidence: Evidence | None = None
    """What made it a copy or a sibling, where the settings ask for siblings."""
    reason: str | None = None
    """Why siblings were not told (`short`), or nothing was compared: `too-short` or `no-text`."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page that was judged and stored: its line is one of `pages.jsonl`."""

    url: str
    verdict: VerdictKind
    """Of what is `near` or a copy only where the job stores such pages too, or sibling."""
    title: str | None
    text: str
    """What is worth keeping of it; may be empty."""
    line: Mapping[str, Any]
    """All that is known of it, as its line says it (docs/output.md)."""
    kept: Literal[True] = True


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A page that was judged and not stored: its line is one of `duplicates.jsonl`."""

    url: str
    verdict: VerdictKind
    of: str
    """The URL of the stored page that it is a copy of; or like, where the job drops siblings."""
    similarity: float
    """Of the two texts, 0..1."""
    evidence: Evidence | None
    """What made it a copy, or a sibling; None of exact copies."""
    line: Mapping[str, Any]
    """All that is known of it, as its line says it (docs/output.md)."""
    kept: Literal[False] = False


@dataclass(frozen=True, slots=True)
class Missed:
    """A URL that brought no page: its line is one of `failures.jsonl` or `skipped.jsonl`.

    Or a seed that is left `pending`, as its host does not answer: the next run asks again.
    """

    url: str
    reason: str
    """The class of the failure, such as `dns`, why it was skipped, or `pending`."""
    detail: str
    """The same in words, with what was met."""
    is_failure: bool
    """False of what was left out on purpose."""
    line: Mapping[str, Any]
    """All that is known of it, as its line says it (docs/output.md); empty where it has none."""
