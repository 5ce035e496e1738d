"""The ends a page can come to, each as the one `Batch` that the store commits; pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.dedup import represents
from crawler.ends import lines
from crawler.observe import DROPPED, JUDGED_ON, KIND, REASON
from crawler.records import (
    Batch,
    Document,
    ExactDuplicate,
    Failed,
    Fetched,
    Likeness,
    NearDuplicate,
    New,
    NewUrl,
    PayloadKey,
    Redirected,
    Skipped,
    StoredDocument,
    Unjudged,
    UrlState,
    Verdict,
)

QUEUED = "queued"
"""What a redirect's line says of a target that the frontier accepted."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What the frontier said of a page's links."""

    new_urls: tuple[NewUrl, ...] = ()
    refused: Counter[str] = field(default_factory=Counter)
    """Refusal -> links."""

    def counts(self) -> dict[str, float]:
        """Return the refusals as running totals."""
        return {DROPPED + reason: number for reason, number in self.refused.items()}


NOTHING_OFFERED = Offered()


def stored_end(
    fetched: Fetched,
    document: Document,
    key: PayloadKey,
    verdict: Verdict,
    document_id: int,
    offered: Offered,
    likeness: Likeness | None = None,
) -> Batch:
    """Return the end of a page that is stored, also of a near duplicate in tag mode."""
    task = fetched.task
    records = [("pages", lines.page_line(document_id, fetched, document, verdict, key, likeness))]
    if isinstance(verdict, NearDuplicate):
        line = lines.duplicate_line(fetched, document, verdict, key, likeness)
        records.append(("duplicates", line))
    return Batch(
        task.url_id,
        UrlState.STORED,
        tuple(records),
        detail=lines.verdict_name(verdict),
        duplicate_of=verdict.of.id if isinstance(verdict, NearDuplicate) else None,
        document=StoredDocument(
            document_id,
            task.url_id,
            task.url,
            key,
            document.signature,
            representative=represents(verdict),
            layout=document.layout,
        ),
        new_urls=offered.new_urls,
        counts=costs(fetched, document) | _judged(document, verdict, likeness) | offered.counts(),
    )


def duplicate_end(
    fetched: Fetched,
    document: Document | None,
    key: PayloadKey,
    verdict: ExactDuplicate | NearDuplicate,
    offered: Offered,
    likeness: Likeness | None = None,
) -> Batch:
    """Return the end of a duplicate; `document` is None where it was not even analysed."""
    saved = {"duplicate_bytes": float(len(fetched.body))}
    return Batch(
        fetched.task.url_id,
        UrlState.DUPLICATE,
        (("duplicates", lines.duplicate_line(fetched, document, verdict, key, likeness)),),
        detail=lines.verdict_name(verdict),
        duplicate_of=verdict.of.id,
        new_urls=offered.new_urls,
        counts=costs(fetched, document)
        | saved
        | _judged(document, verdict, likeness)
        | offered.counts(),
    )


def redirect_end(redirected: Redirected, answer: NewUrl | str) -> Batch:
    """Return the end of a URL that leads elsewhere; `answer` is the frontier's on the target."""
    new_urls, offered = ((answer,), QUEUED) if isinstance(answer, NewUrl) else ((), answer)
    return Batch(
        redirected.task.url_id,
        UrlState.REDIRECT,
        (("redirects", lines.redirect_line(redirected, offered)),),
        detail=str(redirected.status),
        new_urls=new_urls,
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
    )


def fail_end(failed: Failed) -> Batch:
    """Return the end of a URL that has no page."""
    return Batch(
        failed.task.url_id,
        UrlState.FAILED,
        (("failures", lines.failure_line(failed)),),
        detail=failed.failure.value,
    )


def costs(fetched: Fetched, document: Document | None) -> dict[str, float]:
    """Return what a page cost, as running totals."""
    spent: dict[str, float] = {
        "wire_bytes": fetched.wire_bytes,
        "body_bytes": len(fetched.body),
        "fetch_s": fetched.elapsed_s,
    }
    if document is not None:
        spent["analysed"] = 1
        spent |= {f"{stage}_s": seconds for stage, seconds in document.stage_s.items()}
    return spent


def _judged(
    document: Document | None, verdict: Verdict, likeness: Likeness | None
) -> dict[str, float]:
    """Return how a page was judged, as running totals."""
    named = {
        JUDGED_ON: document and document.judged_on,
        REASON: verdict.reason if isinstance(verdict, New | Unjudged) else None,
        KIND: likeness and likeness.kind,
    }
    return {prefix + name: 1.0 for prefix, name in named.items() if name}
