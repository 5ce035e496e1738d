"""The whole explanation of two subjects: all that is known, computed once, shown in three ways."""

from __future__ import annotations

from dataclasses import dataclass

from crawler import config
from crawler.dedup.kinds import kind
from crawler.dedup.signing.layout import layout_similarity
from crawler.ends.lines import verdict_name
from crawler.explain.difference import MAX_CHARACTERS, Piece, difference
from crawler.explain.evidence import Evidence, Fingerprints, compare, fingerprint_of
from crawler.explain.methods import Opinion, opinions
from crawler.explain.subjects import Subject
from crawler.explain.verdict import judge_pair, rule
from crawler.records import ExactDuplicate, NearDuplicate, Verdict


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
    kind: str | None
    content_similarity: float | None
    layout_similarity: float | None


@dataclass(frozen=True, slots=True)
class Layouts:
    """Two layout fingerprints."""

    first: bytes
    second: bytes

    @property
    def similarity(self) -> float:
        """Estimated weighted Jaccard similarity of the tag paths, 0..1."""
        return layout_similarity(self.first, self.second)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What can be said where both have a text."""

    evidence: Evidence
    opinions: tuple[Opinion, ...]
    verdict: str
    """What the second is called had the first been stored."""
    rule: str
    kind: str | None
    """The kind of duplicate, where the verdict takes the second for one."""
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
    layouts: Layouts | None
    """None where one of the two has none (plain text), or where it is not known."""
    recorded: tuple[Recorded, ...]
    comparison: Comparison | None


def explain(first: Subject, second: Subject, settings: config.Dedup) -> Explanation:
    """Compare two subjects by the settings of a job."""
    recorded = tuple(
        _recorded(subject, other)
        for subject, other in ((first, second), (second, first))
        if subject.line is not None and "duplicate_of" in subject.line.record
    )
    layouts = None
    if first.layout is not None and second.layout is not None:
        layouts = Layouts(first.layout, second.layout)
    if first.text is None or second.text is None:
        one, other = _fingerprint(first, settings), _fingerprint(second, settings)
        known = Fingerprints(one, other) if one is not None and other is not None else None
        return Explanation(first, second, settings, known, layouts, recorded, None)
    fingerprints, evidence = compare(first.text, second.text, settings)
    verdict = judge_pair(first, second, settings)
    comparison = Comparison(
        evidence=evidence,
        opinions=tuple(opinions(first, second, settings)),
        verdict=verdict_name(verdict),
        rule=rule(verdict, evidence, settings),
        kind=_kind(verdict, evidence, layouts),
        difference=tuple(difference(first.text, second.text)),
        cut=max(len(first.text), len(second.text)) > MAX_CHARACTERS,
    )
    return Explanation(first, second, settings, fingerprints, layouts, recorded, comparison)


def _kind(verdict: Verdict, evidence: Evidence, layouts: Layouts | None) -> str | None:
    if not isinstance(verdict, ExactDuplicate | NearDuplicate):
        return None
    content = 1.0 if isinstance(verdict, ExactDuplicate) else evidence.similarity
    return kind(content, layouts.similarity if layouts else None).value


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
        kind=record.get("kind"),
        content_similarity=record.get("content_similarity"),
        layout_similarity=record.get("layout_similarity"),
    )


def _fingerprint(subject: Subject, settings: config.Dedup) -> int | None:
    """Return a side's fingerprint: that of its text, or what its line says."""
    if subject.text is not None:
        return fingerprint_of(subject.text, settings)
    recorded = subject.line.record.get("fingerprint") if subject.line else None
    return None if recorded is None else int(recorded, 16)
