"""Each way a URL can end as the one `Batch` that the store commits; pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from crawler.dedup import represents
from crawler.dedup.copies import address_key
from crawler.dedup.kinds import Alike
from crawler.dedup.signing import parse_digest
from crawler.engine import lines
from crawler.engine.lines import Judged, Original, Record, is_duplicate, judged_page, verdict_name
from crawler.models import (
    RESTORED_SIBLING,
    SIBLING,
    Batch,
    Document,
    Dropped,
    Failed,
    Fetched,
    Likeness,
    NearDuplicate,
    New,
    NewUrl,
    PayloadKey,
    Redirected,
    Shown,
    Sibling,
    Signature,
    Skipped,
    StoredDocument,
    Unjudged,
    UrlState,
    Verdict,
)
from crawler.observe.summary import DROPPED, EVIDENCE, JUDGED_ON, KIND, READ_BY, REASON

# ---------------------------------------------------------------- counted
# What the line of a page has added to the running totals, for who takes it back.


_LIKE = {KIND: "kind", EVIDENCE: "evidence"}
_READ = {JUDGED_ON: "judged_on", READ_BY: "read_by", REASON: "reason"}


def counted(record: Mapping[str, Any], *, likeness_alone: bool = False) -> dict[str, float]:
    """Return how a page was judged, as `page_end` counted it; only what it is like, if asked for.

    `record` is its line in pages.jsonl, or in duplicates.jsonl where it has no other.
    """
    return _counted(record, _LIKE if likeness_alone else _LIKE | _READ)


def recounted(record: Mapping[str, Any], duplicate: Mapping[str, Any]) -> dict[str, float]:
    """Return what to add to the totals where a page that was dropped gets the line `record`.

    What was counted as it was dropped is told by its line in duplicates.jsonl, `duplicate`; by
    `record` it is taken back. The two say otherwise how a copy to the byte was read, if it was.
    """
    sums = Counter(_counted(record, _READ))
    sums.subtract(_counted(duplicate, _READ))
    return {name: number for name, number in sums.items() if number}


def _counted(record: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, float]:
    found = ((prefix, record.get(field)) for prefix, field in named.items())
    return {f"{prefix}{value}": 1.0 for prefix, value in found if value}


# ---------------------------------------------------------------- batches
# Each kind of end as the one `Batch` that the store commits; pure functions.


QUEUED = "queued"
"""What a redirect's line says of a target that the frontier accepted."""
NOFOLLOW = "nofollow"
"""The same of a target that the page asks not to follow."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What the frontier said of a page's links."""

    new_urls: tuple[NewUrl, ...] = ()
    refused: Counter[str] = field(default_factory=Counter)
    """Refusal -> links."""
    spent: Mapping[str, float] = field(default_factory=dict)
    """What the links cost the page's domain, as running totals."""

    def counts(self) -> dict[str, float]:
        """Return the refusals and what was spent as running totals."""
        refused = {DROPPED + reason: number for reason, number in self.refused.items()}
        return {**refused, **self.spent}


NOTHING_OFFERED = Offered()


def page_end(
    fetched: Fetched,
    document: Document | None,
    key: PayloadKey,
    verdict: Verdict,
    offered: Offered,
    likeness: Likeness | None = None,
    document_id: int | None = None,
    like: bytes | None = None,
    original: Original | None = None,
) -> Batch:
    """Return the end of a page that was judged; without an id it is left out as a duplicate.

    `document` is None where it was not even analysed. A near duplicate that is stored (tag mode)
    has a line in both files. One that is dropped is kept as a difference where `like`, the
    appearance of what it equals or is like, is given; empty bytes where that is not known.
    `original` is what the verdict names where that is stored elsewhere.
    """
    task, judged = fetched.task, judged_page(fetched, key, verdict, likeness, original)
    records, stored, dropped = {}, None, None
    if document is not None and document_id is not None:
        records["pages"] = lines.page_line(document_id, fetched, document, judged)
        place = task.url_id, task.url
        stored = stored_document(document_id, *place, document, judged, address_key(task.url))
    elif document is not None and like is not None:
        dropped = Dropped(lines.page_fields(fetched, document, judged), like, document.appearance)
    if is_duplicate(judged, stored=stored is not None):
        records["duplicates"] = lines.duplicate_line(fetched, document, judged)
    ended = task.url_id, records, document, judged, offered, stored, fetched.elapsed_s
    return replace(judged_end(*ended, dropped=dropped), captures=fetched.captures)


def shown(url: str, document: Document) -> Shown:
    """Return what of a page tells whether it is a copy."""
    canonical = document.canonical_url
    return Shown(
        url, document.appearance, document.layout, address_key(canonical) if canonical else None
    )


def judged_end(
    url_id: int,
    records: Mapping[str, Record],
    document: Document | None,
    judged: Judged,
    offered: Offered,
    stored: StoredDocument | None = None,
    fetch_s: float = 0.0,
    dropped: Dropped | None = None,
) -> Batch:
    """Return the end of a page or document that was judged; one that is not `stored` is dropped.

    `records` maps line files to its line in each, `fetch_s` is how long its fetch took, `dropped`
    is what is kept of it where it is dropped.
    """
    saved = {} if stored else {"duplicate_bytes": judged.body_bytes}
    return Batch(
        url_id,
        UrlState.STORED if stored else UrlState.DUPLICATE,
        tuple(records.items()),
        detail=verdict_name(judged.verdict),
        duplicate_of=judged.original.id if judged.original else None,
        earlier=_earlier(judged),
        document=stored,
        dropped=dropped,
        new_urls=offered.new_urls,
        counts=_spent(document, judged.body_bytes, judged.wire_bytes, fetch_s)
        | saved
        | _how_judged(document, judged)
        | offered.counts(),
    )


def stored_document(
    document_id: int,
    url_id: int,
    url: str,
    document: Document,
    judged: Judged,
    address: int | None,
) -> StoredDocument:
    """Return the row of a page or document that is stored.

    `address` is its key (`crawler.dedup.copies.address_key`). Nothing is called a copy of a copy,
    so of a near duplicate (tag mode) it is not kept.
    """
    is_copy = isinstance(judged.verdict, NearDuplicate)
    return StoredDocument(
        document_id,
        url_id,
        url,
        judged.payload,
        document.signature,
        representative=represents(judged.verdict),
        layout=document.layout,
        address=None if is_copy else address,
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
) -> Batch:
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
    return Batch(
        url_id,
        UrlState.STORED,
        (("pages", lines.restored_line(document_id, fields, at)),),
        detail=RESTORED_SIBLING if verdict == SIBLING else verdict,
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
        counts={"duplicate_bytes": -duplicate["body_bytes"], **recounted(fields, duplicate)},
    )


def redirect_end(
    redirected: Redirected, answer: NewUrl | str, links: Offered = NOTHING_OFFERED
) -> Batch:
    """Return the end of a URL that leads elsewhere; `answer` is the frontier's on the target.

    `links` are those of the page itself, where a page refreshes to another one.
    """
    new_urls, offered = ((answer,), QUEUED) if isinstance(answer, NewUrl) else ((), answer)
    return Batch(
        redirected.task.url_id,
        UrlState.REDIRECT,
        (("redirects", lines.redirect_line(redirected, offered)),),
        detail=str(redirected.status),
        new_urls=(*new_urls, *links.new_urls),
        counts=links.counts(),
        captures=redirected.captures,
    )


def skip_end(
    skipped: Skipped, offered: Offered = NOTHING_OFFERED, spent: Mapping[str, float] | None = None
) -> Batch:
    """Return the end of a URL that is left out on purpose; `spent` is what that took."""
    return Batch(
        skipped.task.url_id,
        UrlState.SKIPPED,
        (("skipped", lines.skipped_line(skipped)),),
        detail=skipped.reason.value,
        new_urls=offered.new_urls,
        counts={**(spent or {}), **offered.counts()},
        captures=skipped.captures,
    )


def fail_end(failed: Failed, offered: Offered = NOTHING_OFFERED) -> Batch:
    """Return the end of a URL that has no page; `offered` is what led on from it all the same."""
    return Batch(
        failed.task.url_id,
        UrlState.FAILED,
        (("failures", lines.failure_line(failed)),),
        detail=failed.failure.value,
        new_urls=offered.new_urls,
        counts=offered.counts(),
        captures=failed.captures,
    )


def costs(fetched: Fetched, document: Document | None = None) -> dict[str, float]:
    """Return what fetching and reading a page cost, as running totals."""
    return _spent(document, len(fetched.body), fetched.wire_bytes, fetched.elapsed_s)


def _spent(
    document: Document | None, body_bytes: int, wire_bytes: int, fetch_s: float
) -> dict[str, float]:
    spent: dict[str, float] = {
        "wire_bytes": wire_bytes,
        "body_bytes": body_bytes,
        "fetch_s": fetch_s,
    }
    if document is not None:
        spent["analysed"] = 1
        spent |= {f"{stage}_s": seconds for stage, seconds in document.stage_s.items()}
    return spent


def _earlier(judged: Judged) -> int | None:
    """Return the judge's number of a page that is stored elsewhere."""
    verdict, original = judged.verdict, judged.original
    if original is None or original.id is not None or not isinstance(verdict, Alike):
        return None
    return verdict.of.id


def _how_judged(document: Document | None, judged: Judged) -> dict[str, float]:
    """Return how a page was judged, as running totals."""
    verdict, likeness = judged.verdict, judged.likeness
    named = {
        JUDGED_ON: document and document.judged_on,
        READ_BY: document and document.read_by,
        REASON: verdict.reason if isinstance(verdict, New | Unjudged) else None,
        KIND: likeness and likeness.kind,
        EVIDENCE: verdict.evidence if isinstance(verdict, NearDuplicate | Sibling) else None,
    }
    return {prefix + name: 1.0 for prefix, name in named.items() if name}
