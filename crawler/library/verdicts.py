"""What a judge answers: one verdict, in words that outlive this program's own classes."""

from __future__ import annotations

from dataclasses import dataclass

from crawler import records
from crawler.batch.ends import Known
from crawler.batch.names import DocumentId
from crawler.ends.judged import verdict_name
from crawler.records import ExactDuplicate, NearDuplicate, New, Sibling, Unjudged


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a document is beside all that were seen before it."""

    kind: str
    """`new`, `unjudged` (too little text to compare), `exact-payload` (the same text to the byte),
    `exact-text` (the same words), `near` (a copy, nearly the same) or `sibling` (another page of
    one template)."""
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
    evidence: str | None = None
    """What made it a copy or a sibling (`crawler.records.Evidence`)."""
    reason: str | None = None
    """Why siblings were not told (`short`), or nothing was compared: `too-short` or `no-text`."""


def told(verdict: records.Verdict, keep: bool, known: Known) -> Verdict:
    """Return a verdict for the user; `known` names the page that it rests on."""
    kind = verdict_name(verdict)
    if isinstance(verdict, New | Unjudged):
        return Verdict(kind, keep, reason=verdict.reason)
    original = known.original(verdict.of).reference
    of, against = original["id"], original.get("against")
    url = None if "source" in original else original["url"]
    match verdict:
        case ExactDuplicate():
            return Verdict(kind, keep, of, against, url, similarity=1.0)
        case NearDuplicate() | Sibling():
            evidence = verdict.evidence.value if verdict.evidence else None
            found = verdict.similarity, verdict.distance, evidence
            return Verdict(kind, keep, of, against, url, *found)
