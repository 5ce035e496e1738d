"""The whole explanation of two subjects: all that is known, computed once, shown in three ways."""

from __future__ import annotations

from dataclasses import dataclass

from crawler import config
from crawler.explain.difference import MAX_CHARACTERS, Piece, difference
from crawler.explain.evidence import Evidence, Fingerprints, compare
from crawler.explain.methods import Opinion, opinions
from crawler.explain.subjects import Subject
from crawler.explain.verdict import judge_pair, rule
from crawler.storage.lines import verdict_name


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a crawl decided on one of the two, from its line in duplicates.jsonl."""

    url: str
    verdict: str
    of: str
    concerns_both: bool
    """Whether it is the other of the two that it was taken for a copy of."""
    distance: int | None
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What can be said where both have a text."""

    evidence: Evidence
    opinions: tuple[Opinion, ...]
    verdict: str
    """What the second is called had the first been stored."""
    rule: str
    difference: tuple[Piece, ...]
    cut: bool
    """Whether a text was too long for the whole of it to be compared piece by piece."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Two subjects, and how they compare; parts are None where a text or line is missing."""

    first: Subject
    second: Subject
    settings: config.Dedup
    fingerprints: Fingerprints | None
    recorded: tuple[Recorded, ...]
    comparison: Comparison | None


def explain(first: Subject, second: Subject, settings: config.Dedup) -> Explanation:
    """Compare two subjects by the settings of a job."""
    recorded = tuple(
        _recorded(subject, other)
        for subject, other in ((first, second), (second, first))
        if subject.line is not None and "duplicate_of" in subject.line.record
    )
    if first.text is None or second.text is None:
        fingerprints = _recorded_fingerprints(first, second)
        return Explanation(first, second, settings, fingerprints, recorded, None)
    fingerprints, evidence = compare(first.text, second.text, settings)
    verdict = judge_pair(first, second, settings)
    comparison = Comparison(
        evidence=evidence,
        opinions=tuple(opinions(first, second, settings)),
        verdict=verdict_name(verdict),
        rule=rule(verdict, evidence, settings),
        difference=tuple(difference(first.text, second.text)),
        cut=max(len(first.text), len(second.text)) > MAX_CHARACTERS,
    )
    return Explanation(first, second, settings, fingerprints, recorded, comparison)


def _recorded(subject: Subject, other: Subject) -> Recorded:
    assert subject.line is not None
    record = subject.line.record
    return Recorded(
        url=subject.name,
        verdict=record["verdict"],
        of=record["duplicate_of"]["url"],
        concerns_both=record["duplicate_of"]["url"] == other.name,
        distance=record.get("distance"),
        similarity=record.get("similarity"),
    )


def _recorded_fingerprints(first: Subject, second: Subject) -> Fingerprints | None:
    """Return the fingerprints from both lines, where both have one."""
    found = [
        subject.line.record.get("fingerprint")
        for subject in (first, second)
        if subject.line is not None
    ]
    if len(found) < 2 or None in found:
        return None
    return Fingerprints(*(int(str(fingerprint), 16) for fingerprint in found))
