"""What a line says of a verdict, and of the text that it rests on; no fetch is needed for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler.dedup.signing.digests import format_digest
from crawler.records import (
    NEAR,
    SIBLING,
    Document,
    ExactDuplicate,
    Fetched,
    Likeness,
    NearDuplicate,
    New,
    PayloadKey,
    Sibling,
    Unjudged,
    Verdict,
)

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Original:
    """The stored page that a duplicate equals or resembles."""

    reference: Mapping[str, Any]
    """What `duplicate_of` says of it; its `id` names the cluster, too."""
    id: int | None
    """Its number in this store; None where it is stored elsewhere."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found of a page or document besides its text, wherever it came from."""

    verdict: Verdict
    payload: PayloadKey
    body_bytes: int
    wire_bytes: int
    original: Original | None = None
    """Of a duplicate; of a sibling, the page that it is like."""
    likeness: Likeness | None = None
    """Of a duplicate that was compared with its original, and of a sibling that is dropped."""


def judged_page(
    fetched: Fetched,
    payload: PayloadKey,
    verdict: Verdict,
    likeness: Likeness | None = None,
    original: Original | None = None,
) -> Judged:
    """Return what was found of a fetched page; `original` is given where that is elsewhere."""
    if original is None and isinstance(verdict, ExactDuplicate | NearDuplicate | Sibling):
        original = Original({"id": verdict.of.id, "url": verdict.of.url}, verdict.of.id)
    return Judged(verdict, payload, len(fetched.body), fetched.wire_bytes, original, likeness)


def page_verdict(document: Document, judged: Judged) -> Record:
    """Return how a page was judged, and on what evidence, for `pages.jsonl`.

    Of a dropped page too, which has a line there once it is restored.
    """
    signature = document.signature
    return {
        "payload_digest": format_digest(judged.payload.digest),
        "text_digest": format_digest(signature.text_digest),
        "fingerprint": format_fingerprint(signature.fingerprint),
        "layout": layout(document),
        "judged_on": document.judged_on.value,
        "counts": {
            "body_bytes": judged.body_bytes,
            "wire_bytes": judged.wire_bytes,
            "text_chars": len(document.text),
            "tokens": signature.tokens,
            "links": len(document.links),
        },
        "verdict": verdict_name(judged.verdict),
        **_page_reason(judged),
        **_likeness(None if isinstance(judged.verdict, Sibling) else judged.likeness),
    }


def duplicate_verdict(document: Document | None, judged: Judged) -> Record:
    """Return how a duplicate was judged, and on what evidence, for `duplicates.jsonl`.

    `document` is None where the payload decided, before anything was extracted.
    """
    verdict = judged.verdict
    assert judged.original is not None
    record = {
        "verdict": verdict_name(verdict),
        "duplicate_of": judged.original.reference,
        **_likeness(judged.likeness),
        "payload_digest": format_digest(judged.payload.digest),
        "declared": judged.payload.declared,
        "body_bytes": judged.body_bytes,
        **_compared_text(document),
    }
    if isinstance(verdict, NearDuplicate | Sibling):
        record["fingerprint"] = format_fingerprint(verdict.fingerprint)
        record |= _evidence(verdict, judged.original)
    return record


def is_duplicate(judged: Judged, stored: bool) -> bool:
    """Whether a page has a line in `duplicates.jsonl`: each duplicate, and a sibling if dropped."""
    return judged.original is not None and not (stored and isinstance(judged.verdict, Sibling))


def verdict_name(verdict: Verdict) -> str:
    """Return what a verdict is called in files and reports."""
    match verdict:
        case New():
            return "new"
        case Unjudged():
            return "unjudged"
        case ExactDuplicate():
            return verdict.kind
        case NearDuplicate():
            return NEAR
        case Sibling():
            return SIBLING


def format_fingerprint(fingerprint: int) -> str:
    """Return an unsigned 64-bit number as 16 hexadecimal digits; JSON numbers lose bits."""
    return f"{fingerprint:016x}"


def _page_reason(judged: Judged) -> Record:
    verdict = judged.verdict
    if isinstance(verdict, Unjudged | New) and verdict.reason:
        return {"reason": verdict.reason}
    if isinstance(verdict, ExactDuplicate) and judged.original:  # of one that may be restored
        return {"duplicate_of": judged.original.reference}
    if isinstance(verdict, NearDuplicate | Sibling) and judged.original:
        name = "sibling_of" if isinstance(verdict, Sibling) else "duplicate_of"
        return {name: judged.original.reference, **_evidence(verdict, judged.original)}
    return {}


def _evidence(verdict: NearDuplicate | Sibling, original: Original) -> Record:
    record: Record = {} if verdict.evidence is None else {"evidence": verdict.evidence.value}
    record |= {
        "distance": verdict.distance,
        "similarity": verdict.similarity,
        "of_fingerprint": format_fingerprint(verdict.of_fingerprint),
        "matched_blocks": list(verdict.matched_blocks),
    }
    if isinstance(verdict, NearDuplicate):
        record["cluster"] = original.reference["id"]
    return record


def _compared_text(document: Document | None) -> Record:
    if document is None:
        return {}
    return {
        **reader(document),
        "judged_on": document.judged_on.value,
        "text_digest": format_digest(document.signature.text_digest),
        "visible_digest": format_digest(document.signature.visible_digest),
        "tokens": document.signature.tokens,
        "layout": layout(document),
    }


def reader(document: Document) -> Record:
    """Return what read a page: with its body that gives the same text again."""
    record: Record = {"read_by": document.read_by}
    if document.template is not None:
        record["template"] = document.template
    if document.doubted:
        record["doubted"] = True
    return record


def _likeness(likeness: Likeness | None) -> Record:
    if likeness is None:
        return {}
    return {
        "kind": likeness.kind.value,
        "content_similarity": likeness.content_similarity,
        "layout_similarity": likeness.layout_similarity,
    }


def layout(document: Document) -> str | None:
    """Return the fingerprint of a page's skeleton as lines have it."""
    return None if document.layout is None else document.layout.hex()
