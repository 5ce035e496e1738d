"""Each way a URL can end: the one record that the store commits, with its lines. Pure functions.

`judged`, `fail_end`, `skip_end`, `redirect_end` and `restored_end` make the record of an end. Then
come the lines, which say all that was made on the way; those of corpora are put together from the
parts that need no fetch. docs/output.md tells their fields, `schema` fixes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from crawler.dedup import represents
from crawler.dedup.copies import address_key
from crawler.dedup.kinds import Alike
from crawler.dedup.signing import format_digest, parse_digest
from crawler.engine.schema import corpus_schema, schema
from crawler.models import (
    RESTORED_SIBLING,
    SIBLING,
    Document,
    Dropped,
    ExactDuplicate,
    Failed,
    Failure,
    Fetched,
    Likeness,
    NearDuplicate,
    New,
    NewUrl,
    PageOutcome,
    PayloadKey,
    Redirected,
    SentUrl,
    Shown,
    Sibling,
    Signature,
    Skipped,
    StoredDocument,
    Totals,
    Unjudged,
    UrlState,
    Verdict,
)
from crawler.observe.summary import format_time
from crawler.workers.messages import AnalysisFailed

# ---------------------------------------------------------------- ends


QUEUED = "queued"
"""What a redirect's line says of a target that the frontier accepted."""
NOFOLLOW = "nofollow"
"""The same of a target that the page asks not to follow."""

Record = dict[str, Any]


def judged(
    url_id: int,
    verdict: Verdict,
    payload: PayloadKey,
    costs: Totals,
    document: Document | None,
    *,
    is_stored: bool,
    likeness: Likeness | None = None,
    original: Mapping[str, Any] | None = None,
) -> PageOutcome:
    """Return what became of a page or document that was judged; its lines are still to be made.

    `document` is None where the payload decided, before anything was extracted. `original` is what
    lines say of the page that the verdict names, where its id and URL do not tell it.
    """
    outcome = PageOutcome(
        url_id,
        UrlState.STORED if is_stored else UrlState.DUPLICATE,
        end=verdict,
        likeness=likeness,
        payload=payload,
        totals=costs,
    )
    if document is not None:
        costs.judged_on, costs.read_by = _one(document.judged_on), _one(document.read_by)
    if likeness is not None:
        costs.duplicate_kind = _one(likeness.kind)
    if isinstance(verdict, Alike):
        outcome.original = original or {"id": verdict.of.id, "url": verdict.of.url}
        outcome.duplicate_of = verdict.of.id if is_copy_here(verdict) else None
    if isinstance(verdict, New | Unjudged):
        costs.reason = _one(verdict.reason)
    elif isinstance(verdict, NearDuplicate | Sibling):
        costs.evidence = _one(verdict.evidence)
    if not is_stored:
        costs.sums["duplicate_bytes"] = costs.sums["body_bytes"]
    return outcome


def is_copy_here(verdict: Alike) -> bool:
    """Whether a page is like one that this crawl has stored.

    The links of that were followed, so those of the copy can wait. Those of an earlier crawl's page
    were not: what is new there is found behind pages that are not.
    """
    return verdict.of.id > 0


def page_end(
    outcome: PageOutcome,
    fetched: Fetched,
    document: Document | None,
    document_id: int | None = None,
    like: bytes | None = None,
) -> None:
    """Give a page that was judged its lines, and what is kept of it.

    `document_id` is given where it is stored; a near duplicate that is (tag mode) has a line in
    both files. One that is dropped is kept as a difference where `like`, the appearance of what it
    equals or is like, is given; empty bytes where that is not known.
    """
    task, records = fetched.task, {}
    if document is not None and document_id is not None:
        fields = page_fields(fetched, document, outcome)
        records["pages"] = as_line("pages", {"id": document_id, **fields})
        outcome.look = document.look
        outcome.line_hashes = document.line_hashes
        outcome.document = stored_document(
            document_id, task.url, document, outcome, address_key(task.url)
        )
    elif document is not None and like is not None:
        line = page_fields(fetched, document, outcome)
        outcome.dropped = Dropped(line, like, document.appearance)
    if is_duplicate(outcome):
        record = {
            "url": task.url,
            "final_url": fetched.final_url,
            "host": task.host,
            "fetched_at": format_time(fetched.fetched_at),
            **_of_response(fetched, outcome),
            **duplicate_verdict(document, outcome),
        }
        records["duplicates"] = as_line("duplicates", record)
    outcome.lines, outcome.captures = tuple(records.items()), fetched.captures


def shown(url: str, document: Document) -> Shown:
    """Return what of a page tells whether it is a copy."""
    canonical = document.canonical_url
    return Shown(
        url, document.appearance, document.layout, address_key(canonical) if canonical else None
    )


def stored_document(
    document_id: int, url: str, document: Document, outcome: PageOutcome, address: int | None
) -> StoredDocument:
    """Return the row of a page or document that is stored.

    `address` is its key (`crawler.dedup.copies.address_key`). Nothing is called a copy of a copy,
    so of a near duplicate (tag mode) it is not kept.
    """
    verdict, payload = outcome.end, outcome.payload
    assert payload is not None
    assert not isinstance(verdict, str)
    return StoredDocument(
        document_id,
        outcome.url_id,
        url,
        payload,
        document.signature,
        representative=represents(verdict),
        layout=document.layout,
        address=None if isinstance(verdict, NearDuplicate) else address,
        appearance=document.appearance,
    )


def restored_end(
    document_id: int,
    url_id: int,
    fields: Mapping[str, Any],
    duplicate: Mapping[str, Any],
    made: Signature,
    layout: bytes | None,
    appearance: bytes | None,
    at: float,
) -> PageOutcome:
    """Return the end of a page that was dropped and is stored after all.

    `fields` are those of its line but for the id, `duplicate` its line in duplicates.jsonl, `made`
    the signature of its judged text, `layout` its layout fingerprint if that can still be compared,
    `appearance` what its reader saw, packed.
    It represents nothing and is found at no address: whatever is like it is like what it was
    dropped for. Exact copies of it are found by the digests of its line, which are the recorded
    ones. Raises LookupError, TypeError and ValueError for a line that is none of ours.
    """
    of, verdict = duplicate["duplicate_of"], duplicate["verdict"]
    signature = replace(
        made,
        text_digest=parse_digest(duplicate["text_digest"]),
        visible_digest=parse_digest(duplicate["visible_digest"]),
    )
    payload = PayloadKey(parse_digest(duplicate["payload_digest"]), duplicate["declared"])
    totals = Totals({"duplicate_bytes": -duplicate["body_bytes"]})
    for name in _READ:  # its two lines say otherwise how a copy to the byte was read, if it was
        told = ((fields.get(name), 1.0), (duplicate.get(name), -1.0))
        if told[0][0] != told[1][0]:
            setattr(totals, name, {value: number for value, number in told if value})
    line = as_line("pages", {"id": document_id, **fields, "restored_at": format_time(at)})
    return PageOutcome(
        url_id,
        UrlState.STORED,
        (("pages", line),),
        RESTORED_SIBLING if verdict == SIBLING else verdict,
        duplicate_of=None if "against" in of else of["id"],
        document=StoredDocument(
            document_id,
            url_id,
            fields["url"],
            payload,
            signature,
            representative=False,
            layout=layout,
            appearance=appearance,
        ),
        totals=totals,
    )


def redirect_end(redirected: Redirected, answer: NewUrl | SentUrl | str) -> PageOutcome:
    """Return the end of a URL that leads elsewhere; `answer` is the frontier's on the target."""
    record = {
        "url": redirected.task.url,
        "fetched_at": format_time(redirected.fetched_at),
        "status": redirected.status,
        "target": redirected.target,
        "hops": redirected.task.hops + 1,
        "offered": answer if isinstance(answer, str) else QUEUED,
        "seed": redirected.task.seed,
    }
    return PageOutcome(
        redirected.task.url_id,
        UrlState.REDIRECT,
        (("redirects", as_line("redirects", record)),),
        str(redirected.status),
        new_urls=(answer,) if isinstance(answer, NewUrl) else (),
        sent=(answer,) if isinstance(answer, SentUrl) else (),
        captures=redirected.captures,
    )


def skip_end(skipped: Skipped, costs: Totals | None = None) -> PageOutcome:
    """Return the end of a URL that is left out on purpose; `costs` is what that took."""
    record = {
        "url": skipped.task.url,
        "fetched_at": format_time(skipped.fetched_at),
        "reason": skipped.reason.value,
        "detail": skipped.detail,
        "host": skipped.task.host,
        "depth": skipped.task.depth,
        "referrer": skipped.task.referrer,
    }
    return PageOutcome(
        skipped.task.url_id,
        UrlState.SKIPPED,
        (("skipped", as_line("skipped", record)),),
        skipped.reason,
        totals=costs or Totals(),
        captures=skipped.captures,
    )


def fail_end(failed: Failed, living_copy: str | None = None) -> PageOutcome:
    """Return the end of a URL that has no page; its page may be known at another URL."""
    tried = failed.failure is not Failure.HOST_UNREACHABLE
    record = {
        "url": failed.task.url,
        "fetched_at": format_time(failed.fetched_at),
        "failure": failed.failure.value,
        "detail": failed.detail,
        "status": failed.status,
        "attempts": failed.task.attempt + tried,
        "living_copy": living_copy,
        "host": failed.task.host,
        "depth": failed.task.depth,
        "referrer": failed.task.referrer,
    }
    return PageOutcome(
        failed.task.url_id,
        UrlState.FAILED,
        (("failures", as_line("failures", record)),),
        failed.failure,
        captures=failed.captures,
    )


def unread_end(fetched: Fetched, why: AnalysisFailed) -> PageOutcome:
    """Return the end of a URL whose page could not be read."""
    at, captures = fetched.fetched_at, fetched.captures
    return fail_end(Failed(fetched.task, why.failure, why.detail, at, captures=captures))


def costs(fetched: Fetched, document: Document | None = None) -> Totals:
    """Return what fetching and reading a page cost."""
    return spent(len(fetched.body), fetched.wire_bytes, fetched.elapsed_s, document)


def spent(
    body_bytes: int, wire_bytes: int, fetch_s: float, document: Document | None = None
) -> Totals:
    """Return what a page or document cost that has so many bytes."""
    sums: dict[str, float] = {
        "wire_bytes": wire_bytes,
        "body_bytes": body_bytes,
        "fetch_s": fetch_s,
    }
    if document is not None:
        sums["analysed"] = 1
        for stage, seconds in document.stage_s.items():
            sums[f"{stage}_s"] = seconds
    return Totals(sums)


_READ = ("judged_on", "read_by", "reason")
"""Fields of lines that are counted under their own names: how a page was read."""


def counted(record: Mapping[str, Any], *, likeness_alone: bool = False) -> Totals:
    """Return how a page was judged, as it was counted then, for who takes it back.

    Or only what it is like. `record` is its line in pages.jsonl, or in duplicates.jsonl where it
    has no other.
    """
    found = Totals(duplicate_kind=_one(record.get("kind")), evidence=_one(record.get("evidence")))
    if not likeness_alone:
        for name in _READ:
            setattr(found, name, _one(record.get(name)))
    return found


def _one(name: str | None) -> dict[str, float]:
    return {name: 1.0} if name else {}


# ---------------------------------------------------------------- lines
# What a line says of a verdict, and of the text that it rests on; no fetch is needed for it.


def page_verdict(document: Document, outcome: PageOutcome) -> Record:
    """Return how a page was judged, and on what evidence, for `pages.jsonl`.

    Of a dropped page too, which has a line there once it is restored.
    """
    assert outcome.payload is not None
    signature, sums = document.signature, outcome.totals.sums
    verdict, original = outcome.end, outcome.original
    pages: Record = {}  # of a PDF; how many were read where these are fewer
    if document.pages is not None:
        pages["pages"] = document.pages
        if document.pages_read != document.pages:
            pages["pages_read"] = document.pages_read
    reason: Record = {}
    if isinstance(verdict, Unjudged | New) and verdict.reason:
        reason = {"reason": verdict.reason}
    elif isinstance(verdict, ExactDuplicate) and original:  # of one that may be restored
        reason = {"duplicate_of": original}
    elif isinstance(verdict, NearDuplicate | Sibling) and original:
        name = "sibling_of" if isinstance(verdict, Sibling) else "duplicate_of"
        reason = {name: original, **_evidence(verdict, original)}
    return {
        "payload_digest": format_digest(outcome.payload.digest),
        "text_digest": format_digest(signature.text_digest),
        "fingerprint": format_fingerprint(signature.fingerprint),
        "layout": layout(document),
        "judged_on": document.judged_on.value,
        "counts": {
            "body_bytes": sums["body_bytes"],
            "wire_bytes": sums["wire_bytes"],
            "text_chars": len(document.text),
            "tokens": signature.tokens,
            "links": len(document.links),
            **pages,
        },
        "verdict": outcome.detail,
        **reason,
        **_likeness(None if isinstance(verdict, Sibling) else outcome.likeness),
    }


def duplicate_verdict(document: Document | None, outcome: PageOutcome) -> Record:
    """Return how a duplicate was judged, and on what evidence, for `duplicates.jsonl`.

    `document` is None where the payload decided, before anything was extracted.
    """
    verdict, payload, original = outcome.end, outcome.payload, outcome.original
    assert payload is not None
    assert original is not None
    record = {
        "verdict": outcome.detail,
        "duplicate_of": original,
        **_likeness(outcome.likeness),
        "payload_digest": format_digest(payload.digest),
        "declared": payload.declared,
        "body_bytes": outcome.totals.sums["body_bytes"],
    }
    if document is not None:
        record |= {
            **reader(document),
            "judged_on": document.judged_on.value,
            "text_digest": format_digest(document.signature.text_digest),
            "visible_digest": format_digest(document.signature.visible_digest),
            "tokens": document.signature.tokens,
            "layout": layout(document),
        }
    if isinstance(verdict, NearDuplicate | Sibling):
        record["fingerprint"] = format_fingerprint(verdict.fingerprint)
        record |= _evidence(verdict, original)
    return record


def is_duplicate(outcome: PageOutcome) -> bool:
    """Whether a page has a line in `duplicates.jsonl`: each duplicate, and a sibling if dropped."""
    stored = outcome.state is UrlState.STORED
    return outcome.original is not None and not (stored and isinstance(outcome.end, Sibling))


def format_fingerprint(fingerprint: int) -> str:
    """Return an unsigned 64-bit number as 16 hexadecimal digits; JSON numbers lose bits."""
    return f"{fingerprint:016x}"


def _evidence(verdict: NearDuplicate | Sibling, original: Mapping[str, Any]) -> Record:
    record: Record = {} if verdict.evidence is None else {"evidence": verdict.evidence.value}
    record |= {
        "distance": verdict.distance,
        "similarity": verdict.similarity,
        "of_fingerprint": format_fingerprint(verdict.of_fingerprint),
        "matched_blocks": list(verdict.matched_blocks),
    }
    if isinstance(verdict, NearDuplicate):
        record["cluster"] = original["id"]
    return record


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


# Who reads lines takes an absent field for null, and null for absent: older versions wrote one or
# the other.


def as_line(name: str, record: Record, *, of_corpus: bool = False) -> Record:
    """Return a line of `name`.jsonl: the fields that apply, in the order of its schema.

    What is None is left out. Within `fields`, `extracted` and `headers`, which are of others, all
    stays.
    """
    fields = _fields(name, of_corpus)
    return {field: value for field in fields if (value := record.get(field)) is not None}


@cache
def _fields(name: str, of_corpus: bool) -> tuple[str, ...]:
    return tuple((corpus_schema if of_corpus else schema)(name)["properties"])


def page_fields(fetched: Fetched, document: Document, outcome: PageOutcome) -> Record:
    """Return what `pages.jsonl` says of a page but for the id, which only a stored one has."""
    task = fetched.task
    record = {
        "url": task.url,
        "final_url": fetched.final_url,
        "canonical_url": document.canonical_url,
        "host": task.host,
        "fetched_at": format_time(fetched.fetched_at),
        "status": fetched.status,
        **content(document, fetched.media_type, fetched.fetched_at),
    }
    if document.extracted_by is not None:
        record |= {"extracted_by": document.extracted_by, "extracted": document.extracted}
    if document.outlinks is not None:
        record |= {"outlinks": list(document.outlinks), "nofollow": document.nofollow}
    if fetched.asked_headers is not None:
        record["headers"] = dict(fetched.asked_headers)
    record |= _of_response(fetched, outcome)
    record |= {"depth": task.depth, "referrer": task.referrer}
    record |= page_verdict(document, outcome)
    return record


_OF_VISIT = (
    *(
        "url",
        "final_url",
        "host",
        "fetched_at",
        "unknown_encoding",
        "transport",
        "rendered",
        "visual",
    ),
    *("verdict", "duplicate_of", "kind", "content_similarity", "layout_similarity"),
    *("mirror", "warc_filename", "warc_offset", "warc_record_id", "revisit"),
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


def content(document: Document, media_type: str, at: float | None = None) -> Record:
    """Return what a page says, for `pages.jsonl`; `at` is when it was fetched, Unix time."""
    record: Record = {
        "content_type": media_type,
        "charset": document.charset,
        "title": document.title,
        "text": document.text,
    }
    if document.markdown is not None:
        record["markdown"] = document.markdown
    if document.language is not None:
        record |= {"language": document.language.code, "language_score": document.language.score}
    if document.metadata is not None:
        record |= asdict(document.metadata)
        if at is not None:  # no date that was yet to come when it was fetched
            record |= {name: known_by(record[name], at) for name in ("published", "modified")}
    return record | reader(document)


LARGEST_OFFSET = timedelta(hours=14)
"""No clock is further ahead of UTC: a time without offset may be that far after it."""


def known_by(written: str | None, at: float) -> str | None:
    """Return a date of `Metadata`, or None where it is after the Unix time `at`.

    Without an offset it may be of the clock furthest ahead.
    """
    if written is None:
        return None
    told = datetime.fromisoformat(written)
    limit = datetime.fromtimestamp(at, UTC)
    if told.tzinfo is None:
        told, limit = told.replace(tzinfo=UTC), limit + LARGEST_OFFSET
    return written if told <= limit else None


def _of_response(fetched: Fetched, outcome: PageOutcome) -> Record:
    """Return what lines say of how a page was sent, and made by a browser."""
    record: Record = {}
    if fetched.unknown_encoding is not None:
        record["unknown_encoding"] = fetched.unknown_encoding
    record |= validators(fetched.headers)
    if fetched.rendered is not None:
        told = {name: held for name, held in asdict(fetched.rendered).items() if held is not None}
        record |= {"transport": "browser", "rendered": told}
    if outcome.visual is not None:
        record["visual"] = outcome.visual
    return record


def validators(headers: Mapping[str, str]) -> Record:
    """Return what a later visit asks with, of the kept headers of a response."""
    names = ("etag", "last-modified")
    return {name.replace("-", "_"): headers[name] for name in names if name in headers}
