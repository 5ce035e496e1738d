"""One record for each line of the output files, built from what the stages made; pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from crawler.dedup.signing import format_digest
from crawler.engine.schema import corpus_schema, schema
from crawler.extract.page import known_by
from crawler.models import (
    NEAR,
    SIBLING,
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
    Sibling,
    Skipped,
    Unjudged,
    Verdict,
)
from crawler.observe.summary import format_time

# ---------------------------------------------------------------- judged
# What a line says of a verdict, and of the text that it rests on; no fetch is needed for it.


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


# ---------------------------------------------------------------- lines
# One record for each line of the output files, built from what the stages made; pure functions.
#
# `*_line` functions make a crawl's lines whole; what they say of verdicts is in `judged`, which
# needs no fetch, as `content`. docs/output.md tells the fields, `schema_files` fixes them.
#
# A line has every field of its schema, with null where a field does not apply (`whole`).


def whole(name: str, record: Record, *, of_corpus: bool = False) -> Record:
    """Return a line of `name`.jsonl with all fields of its schema, in that order; null for others.

    Readers that infer columns from lines then find every column, also where no line has a value.
    """
    return {**_blank(name, of_corpus), **record}


@cache
def _blank(name: str, of_corpus: bool) -> Record:
    fields = (corpus_schema if of_corpus else schema)(name)["properties"]
    return dict.fromkeys(fields)


def page_line(document_id: int, fetched: Fetched, document: Document, judged: Judged) -> Record:
    """Return the line of a stored page for `pages.jsonl`."""
    return whole("pages", {"id": document_id, **page_fields(fetched, document, judged)})


def page_fields(fetched: Fetched, document: Document, judged: Judged) -> Record:
    """Return what that line says besides the id, which only a stored page has."""
    task = fetched.task
    return {
        "url": task.url,
        "final_url": fetched.final_url,
        "canonical_url": document.canonical_url,
        "host": task.host,
        "fetched_at": format_time(fetched.fetched_at),
        "status": fetched.status,
        **content(document, fetched.media_type, fetched.fetched_at),
        **_extracted(document),
        **_leading(document, fetched),
        **_encoding(fetched),
        **validators(fetched.headers),
        **_way(task),
        **page_verdict(document, judged),
    }


def restored_line(document_id: int, fields: Mapping[str, Any], at: float) -> Record:
    """Return the line of a page that was dropped and is stored now, from its `page_fields`."""
    return whole("pages", {"id": document_id, **fields, "restored_at": format_time(at)})


_OF_VISIT = (
    *("url", "final_url", "host", "fetched_at", "unknown_encoding"),
    *("verdict", "duplicate_of", "kind", "content_similarity", "layout_similarity"),
    *("warc_filename", "warc_offset", "revisit"),
)
"""Fields of a duplicate's line that a stored page's has as well, and that tell of it alone."""
_OF_ORIGINAL = (
    *("reason", "evidence", "sibling_of", "distance", "similarity", "of_fingerprint"),
    *("matched_blocks", "cluster", "headers", "etag", "last_modified", "restored_at"),
)
"""Fields of a stored page's line that tell nothing of a copy of its bytes."""


def fields_of_copy(
    original: Record, duplicate: Mapping[str, Any], depth: int, referrer: str | None
) -> Record:
    """Return the `page_fields` of a page with the bytes of a stored one, of which nothing is kept.

    What it says is what the line of that one says, `original`: addresses on it, too, are as they
    were resolved there. The rest is in its line in duplicates.jsonl.
    """
    of_visit = {name: duplicate.get(name) for name in _OF_VISIT}
    fields = {**original, **dict.fromkeys(_OF_ORIGINAL), **of_visit}
    del fields["id"]
    return {**fields, "depth": depth, "referrer": referrer}


def duplicate_line(fetched: Fetched, document: Document | None, judged: Judged) -> Record:
    """Return the line of a duplicate for `duplicates.jsonl`; `document` as in its verdict."""
    record = {
        "url": fetched.task.url,
        "final_url": fetched.final_url,
        "host": fetched.task.host,
        "fetched_at": format_time(fetched.fetched_at),
        **_encoding(fetched),
        **duplicate_verdict(document, judged),
    }
    return whole("duplicates", record)


def content(document: Document, media_type: str, at: float | None = None) -> Record:
    """Return what a page says, for `pages.jsonl`; `at` is when it was fetched, Unix time."""
    marked = {} if document.markdown is None else {"markdown": document.markdown}
    return {
        "content_type": media_type,
        "charset": document.charset,
        "title": document.title,
        "text": document.text,
        **marked,
        **_metadata(document, at),
        **reader(document),
    }


def redirect_line(redirected: Redirected, offered: str) -> Record:
    """Return the line of a redirect for `redirects.jsonl`.

    `offered` is what the frontier said of the target: `queued`, or why it was not.
    """
    record = {
        "url": redirected.task.url,
        "fetched_at": format_time(redirected.fetched_at),
        "status": redirected.status,
        "target": redirected.target,
        "hops": redirected.task.hops + 1,
        "offered": offered,
        "seed": redirected.task.seed,
    }
    return whole("redirects", record)


def failure_line(failed: Failed) -> Record:
    """Return the line of a URL without a page for `failures.jsonl`."""
    tried = failed.failure is not Failure.HOST_UNREACHABLE
    record = {
        "url": failed.task.url,
        "fetched_at": format_time(failed.fetched_at),
        "failure": failed.failure.value,
        "detail": failed.detail,
        "status": failed.status,
        "attempts": failed.task.attempt + tried,
        "host": failed.task.host,
        **_way(failed.task),
    }
    return whole("failures", record)


def skipped_line(skipped: Skipped) -> Record:
    """Return the line of a URL left out on purpose for `skipped.jsonl`."""
    record = {
        "url": skipped.task.url,
        "fetched_at": format_time(skipped.fetched_at),
        "reason": skipped.reason.value,
        "detail": skipped.detail,
        "host": skipped.task.host,
        **_way(skipped.task),
    }
    return whole("skipped", record)


def _metadata(document: Document, at: float | None) -> Record:
    """Return what is known beside the text; no date that was yet to come when it was fetched."""
    record: Record = {}
    if document.language is not None:
        record |= {"language": document.language.code, "language_score": document.language.score}
    if document.metadata is not None:
        record |= asdict(document.metadata)
        if at is not None:
            record |= {name: known_by(record[name], at) for name in ("published", "modified")}
    return record


def _extracted(document: Document) -> Record:
    """Return what an extractor of the job's own gave, but for the text."""
    if document.extracted_by is None:
        return {}
    return {"extracted_by": document.extracted_by, "extracted": document.extracted}


def _leading(document: Document, fetched: Fetched) -> Record:
    """Return where a page leads and what its response says, where the job asks for it."""
    record: Record = {}
    if document.outlinks is not None:
        record |= {"outlinks": list(document.outlinks), "nofollow": document.nofollow}
    if fetched.asked_headers is not None:
        record["headers"] = dict(fetched.asked_headers)
    return record


def _encoding(fetched: Fetched) -> Record:
    if fetched.unknown_encoding is None:
        return {}
    return {"unknown_encoding": fetched.unknown_encoding}


def validators(headers: Mapping[str, str]) -> Record:
    """Return what a later visit asks with, of the kept headers of a response."""
    names = ("etag", "last-modified")
    return {name.replace("-", "_"): headers[name] for name in names if name in headers}


def _way(task: FetchTask) -> Record:
    return {"depth": task.depth, "referrer": task.referrer}
