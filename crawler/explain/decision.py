"""The decision on two subjects and the one rule that made it: recorded by a crawl, or made now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any
from urllib.parse import urlsplit

from crawler import config
from crawler.config import NearMode
from crawler.ends.judged import verdict_name
from crawler.explain.judging import Judged
from crawler.explain.resemblance import Resemblance
from crawler.explain.subjects import Subject
from crawler.records import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    Evidence,
    ExactDuplicate,
    NearDuplicate,
    New,
    Sibling,
    Unjudged,
)

ORIGINAL_KEYS = ("duplicate_of", "sibling_of")
"""Where the line of a page names the stored page that it is like."""

_EXACT = {EXACT_PAYLOAD: "the bytes are the same", EXACT_TEXT: "the text is the same"}
_CODES = frozenset(Evidence)


class Places(Enum):
    """What the URLs of two pages have in common."""

    ONE_HOST = auto()
    ONE_PATH = auto()
    """On two hosts."""
    UNLIKE = auto()
    UNKNOWN = auto()
    """One of them is a file."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on one of two subjects, and the one rule that made it."""

    verdict: str
    """As lines call it: `near`, `sibling`, ..."""
    stored: bool
    on: str
    """The side it is on, `a` or `b`; the other one is what it is like."""
    evidence: Evidence | None
    reason: str
    """The rule in words, where no evidence made the verdict; empty where some did."""
    recorded: bool
    """Whether a crawl has decided so; else it would, now."""
    places: Places
    """What the URLs of the two have in common."""

    def is_like(self, other: Decision) -> bool:
        """Whether the other says the same, whoever made it."""
        same = self.verdict == other.verdict and self.stored == other.stored
        return same and self.evidence == other.evidence


def decided_now(
    subjects: tuple[Subject, Subject],
    judged: Judged,
    resemblance: Resemblance,
    settings: config.Dedup,
) -> Decision:
    """Return the decision on the second of two subjects if only the first were stored."""
    verdict = judged.verdict
    evidence = verdict.evidence if isinstance(verdict, NearDuplicate | Sibling) else None
    reason = "" if evidence else _reason(judged, resemblance, settings)
    return Decision(
        verdict_name(verdict),
        judged.stored,
        "b",
        evidence,
        reason,
        recorded=False,
        places=_places(*subjects),
    )


def recorded_decision(first: Subject, second: Subject) -> Decision | None:
    """Return what a crawl decided on one of two subjects because of the other, if it did."""
    for side, subject, other in (("b", second, first), ("a", first, second)):
        if subject.line is None or original_of(subject.line.record) != other.name:
            continue
        record = subject.line.record
        evidence, reason = _evidence(record)
        return Decision(
            record["verdict"],
            subject.line.is_stored,
            side,
            evidence,
            reason,
            recorded=True,
            places=_places(first, second),
        )
    return None


def original_of(record: Mapping[str, Any]) -> str | None:
    """Return the URL of the stored page that a line says its page is like."""
    found = (record[key]["url"] for key in ORIGINAL_KEYS if record.get(key))
    return next(found, None)


def _places(first: Subject, second: Subject) -> Places:
    if not (first.is_of_the_web and second.is_of_the_web):
        return Places.UNKNOWN
    one, other = urlsplit(first.url), urlsplit(second.url)
    if one.netloc == other.netloc:
        return Places.ONE_HOST
    return Places.ONE_PATH if one[2:4] == other[2:4] else Places.UNLIKE


def _evidence(record: Mapping[str, Any]) -> tuple[Evidence | None, str]:
    """Return the evidence that a line names, or else the rule in words."""
    named = record.get("evidence")
    if named in _CODES:
        return Evidence(named), ""
    if record["verdict"] in _EXACT:
        return None, _EXACT[record["verdict"]]
    if named is not None:  # of another version of this program
        return None, str(named)
    similarity = record.get("similarity")
    alike = "" if similarity is None else f": similarity {similarity:.4f}"
    return None, f"the texts are alike{alike}; no evidence of a copy was asked for"


def _reason(judged: Judged, resemblance: Resemblance, settings: config.Dedup) -> str:
    """Return in words which rule decides where there is no evidence."""
    tokens = min(resemblance.tokens)
    match judged.verdict:
        case ExactDuplicate(kind=kind):
            return _EXACT[kind]
        case Unjudged():
            return (
                f"too little text to judge: {tokens} words without stop words, "
                f"dedup.min_tokens is {settings.min_tokens}; only pages with the same bytes are "
                "duplicates"
            )
        case NearDuplicate(similarity=None):
            return f"method {settings.method.value} takes them for duplicates; nothing was verified"
        case NearDuplicate(similarity=float() as similarity):
            return (
                f"similarity {similarity:.4f} reaches dedup.threshold "
                f"{settings.threshold:g} (method {settings.method.value})"
            )
        case New(reason=str()):
            return (
                f"no copy, and too short to be told as a sibling: {tokens} words "
                f"without stop words, dedup.min_near_tokens is {settings.min_near_tokens}"
            )
    return _why_new(resemblance, settings)


def _why_new(resemblance: Resemblance, settings: config.Dedup) -> str:
    if settings.near is NearMode.KEEP:
        return "near duplicates are not looked for (dedup.near: keep)"
    if resemblance.shingle_kinds[0] != resemblance.shingle_kinds[1]:
        return (
            f"texts of different kinds ({' and '.join(resemblance.shingle_kinds)}) are not compared"
        )
    if resemblance.similarity < settings.threshold:
        reached = f"similarity {resemblance.similarity:.4f}"
        return f"{reached} is below dedup.threshold {settings.threshold:g}"
    if min(resemblance.tokens) < settings.min_near_tokens:
        return (
            "the first is too short for resemblance to say something (dedup.min_near_tokens is "
            f"{settings.min_near_tokens})"
        )
    return (
        f"similar ({resemblance.similarity:.4f}), but method {settings.method.value} did not "
        "propose this pair, so the duplicate is missed"
    )
