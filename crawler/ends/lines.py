"""One record for each line of the output files, built from what the stages made; pure functions.

The fields are told in docs/output.md and fixed by the JSON Schemas beside this module.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from crawler.dedup.signing.digests import format_digest
from crawler.records import (
    NEAR,
    Document,
    ExactDuplicate,
    Failed,
    Failure,
    Fetched,
    FetchTask,
    Likeness,
    NearDuplicate,
    New,
    PayloadKey,
    Redirected,
    Skipped,
    StoredRef,
    Unjudged,
    Verdict,
)

Record = dict[str, Any]


def page_line(
    document_id: int,
    fetched: Fetched,
    document: Document,
    verdict: Verdict,
    payload: PayloadKey,
    likeness: Likeness | None = None,
) -> Record:
    """Return the line of a stored page for `pages.jsonl`; `likeness` is that of a duplicate."""
    task, signature = fetched.task, document.signature
    return {
        "id": document_id,
        "url": task.url,
        "final_url": fetched.final_url,
        "canonical_url": document.canonical_url,
        "host": task.host,
        "fetched_at": format_time(fetched.fetched_at),
        "status": fetched.status,
        "content_type": fetched.media_type,
        "charset": document.charset,
        "title": document.title,
        "text": document.text,
        "depth": task.depth,
        "referrer": task.referrer,
        "payload_digest": format_digest(payload.digest),
        "text_digest": format_digest(signature.text_digest),
        "fingerprint": format_fingerprint(signature.fingerprint),
        "layout": _layout(document),
        "judged_on": document.judged_on.value,
        "counts": _counts(fetched, document),
        "verdict": verdict_name(verdict),
        **_page_reason(verdict),
        **_likeness(likeness),
    }


def duplicate_line(
    fetched: Fetched,
    document: Document | None,
    verdict: ExactDuplicate | NearDuplicate,
    payload: PayloadKey,
    likeness: Likeness | None = None,
) -> Record:
    """Return the line of a duplicate for `duplicates.jsonl`.

    `document` is None where the payload decided, before anything was extracted, `likeness` where
    pages were not compared for it.
    """
    return {
        "url": fetched.task.url,
        "final_url": fetched.final_url,
        "host": fetched.task.host,
        "fetched_at": format_time(fetched.fetched_at),
        "verdict": verdict_name(verdict),
        "duplicate_of": _ref(verdict.of),
        **_likeness(likeness),
        "payload_digest": format_digest(payload.digest),
        "declared": payload.declared,
        "body_bytes": len(fetched.body),
        **_compared_text(document),
        **_duplicate_reason(verdict),
    }


def redirect_line(redirected: Redirected, offered: str) -> Record:
    """Return the line of a redirect for `redirects.jsonl`.

    `offered` is what the frontier said of the target: `queued`, or why it was not.
    """
    return {
        "url": redirected.task.url,
        "fetched_at": format_time(redirected.fetched_at),
        "status": redirected.status,
        "target": redirected.target,
        "hops": redirected.task.hops + 1,
        "offered": offered,
        "seed": redirected.task.seed,
    }


def failure_line(failed: Failed) -> Record:
    """Return the line of a URL without a page for `failures.jsonl`."""
    tried = failed.failure is not Failure.HOST_UNREACHABLE
    return {
        "url": failed.task.url,
        "fetched_at": format_time(failed.fetched_at),
        "failure": failed.failure.value,
        "detail": failed.detail,
        "status": failed.status,
        "attempts": failed.task.attempt + tried,
        **_place(failed.task),
    }


def skipped_line(skipped: Skipped) -> Record:
    """Return the line of a URL left out on purpose for `skipped.jsonl`."""
    return {
        "url": skipped.task.url,
        "fetched_at": format_time(skipped.fetched_at),
        "reason": skipped.reason.value,
        "detail": skipped.detail,
        **_place(skipped.task),
    }


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


def format_time(at: float) -> str:
    """Return Unix seconds as ISO 8601 in UTC with milliseconds: `2024-05-01T12:00:00.000Z`."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def format_fingerprint(fingerprint: int) -> str:
    """Return an unsigned 64-bit number as 16 hexadecimal digits; JSON numbers lose bits."""
    return f"{fingerprint:016x}"


def _counts(fetched: Fetched, document: Document) -> Record:
    return {
        "body_bytes": len(fetched.body),
        "wire_bytes": fetched.wire_bytes,
        "text_chars": len(document.text),
        "tokens": document.signature.tokens,
        "links": len(document.links),
    }


def _page_reason(verdict: Verdict) -> Record:
    if isinstance(verdict, Unjudged | New) and verdict.reason:
        return {"reason": verdict.reason}
    if isinstance(verdict, NearDuplicate):
        return {"duplicate_of": _ref(verdict.of), **_near_reason(verdict)}
    return {}


def _duplicate_reason(verdict: ExactDuplicate | NearDuplicate) -> Record:
    if isinstance(verdict, ExactDuplicate):
        return {}
    return {"fingerprint": format_fingerprint(verdict.fingerprint), **_near_reason(verdict)}


def _near_reason(verdict: NearDuplicate) -> Record:
    return {
        "distance": verdict.distance,
        "similarity": verdict.similarity,
        "of_fingerprint": format_fingerprint(verdict.of_fingerprint),
        "matched_blocks": list(verdict.matched_blocks),
        "cluster": verdict.cluster,
    }


def _compared_text(document: Document | None) -> Record:
    if document is None:
        return {}
    return {
        "judged_on": document.judged_on.value,
        "text_digest": format_digest(document.signature.text_digest),
        "visible_digest": format_digest(document.signature.visible_digest),
        "tokens": document.signature.tokens,
        "layout": _layout(document),
    }


def _likeness(likeness: Likeness | None) -> Record:
    if likeness is None:
        return {}
    return {
        "kind": likeness.kind.value,
        "content_similarity": likeness.content_similarity,
        "layout_similarity": likeness.layout_similarity,
    }


def _layout(document: Document) -> str | None:
    return None if document.layout is None else document.layout.hex()


def _place(task: FetchTask) -> Record:
    return {"host": task.host, "depth": task.depth, "referrer": task.referrer}


def _ref(ref: StoredRef) -> Record:
    return {"id": ref.id, "url": ref.url}
