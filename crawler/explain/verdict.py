"""What the judge would say of the second document had the first been stored, and by which rule."""

from __future__ import annotations

from crawler import config
from crawler.config import NearMode
from crawler.dedup import Judge, MemoryCatalog, Signer, represents
from crawler.explain.evidence import Evidence
from crawler.explain.subjects import Subject
from crawler.records import (
    ExactDuplicate,
    NearDuplicate,
    New,
    Signature,
    StoredDocument,
    Unjudged,
    Verdict,
)


def sign(subject: Subject, signer: Signer) -> Signature:
    """Return the signature of a subject that has a text; the visible text is not kept."""
    assert subject.text is not None
    return signer(subject.text, subject.text)


def judge_pair(first: Subject, second: Subject, settings: config.Dedup) -> Verdict:
    """Return the verdict on the second of two subjects with texts, by a judge that knows the first.

    Raises ConfigError where the method needs something that is missing.
    """
    signer, catalog = Signer(settings), MemoryCatalog()
    judge = Judge(settings, catalog, expected_documents=16)
    signature = sign(first, signer)
    verdict = judge.judge(first.payload, signature, 1)
    catalog.add(
        StoredDocument(1, 1, first.name, first.payload, signature, represents(verdict)),
    )
    return judge.judge(second.payload, sign(second, signer), 2)


def rule(verdict: Verdict, evidence: Evidence, settings: config.Dedup) -> str:
    """Return in words which rule decides."""
    match verdict:
        case ExactDuplicate():
            return "the bytes are the same" if "payload" in verdict.kind else "the text is the same"
        case Unjudged():
            return (
                f"too little text to judge: {min(evidence.tokens)} words count, "
                f"dedup.min_tokens is {settings.min_tokens}; found again by its bytes only"
            )
        case NearDuplicate():
            return _why_near(verdict, settings)
        case New(reason=str()):
            return (
                f"too short for near duplicates to be looked for: {min(evidence.tokens)} words "
                f"count, dedup.min_near_tokens is {settings.min_near_tokens}"
            )
    return _why_new(evidence, settings)


def _why_near(verdict: NearDuplicate, settings: config.Dedup) -> str:
    if verdict.similarity is None:
        return f"method {settings.method.value} takes them for duplicates; nothing was verified"
    return (
        f"similarity {verdict.similarity:.4f} reaches dedup.threshold {settings.threshold:g} "
        f"(method {settings.method.value})"
    )


def _why_new(evidence: Evidence, settings: config.Dedup) -> str:
    if settings.near is NearMode.KEEP:
        return "near duplicates are not looked for (dedup.near: keep)"
    if evidence.kinds[0] != evidence.kinds[1]:
        return f"texts of different kinds ({' and '.join(evidence.kinds)}) are not compared"
    if evidence.similarity < settings.threshold:
        return (
            f"similarity {evidence.similarity:.4f} is below dedup.threshold {settings.threshold:g}"
        )
    if min(evidence.tokens) < settings.min_near_tokens:
        return (
            "the first is too short to have near duplicates (dedup.min_near_tokens is "
            f"{settings.min_near_tokens})"
        )
    return (
        f"similar ({evidence.similarity:.4f}), but method {settings.method.value} did not propose "
        "one for the other: a miss"
    )
