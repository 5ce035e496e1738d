"""The whole explanation of two subjects, computed once; and the same as plain data, for JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from crawler import config
from crawler.dedup.kinds import kind
from crawler.dedup.signing.layout import layout_similarity
from crawler.ends.lines import format_fingerprint, verdict_name
from crawler.explain.difference import MAX_CHARACTERS, Piece, difference
from crawler.explain.evidence import Evidence, Fingerprints, compare, fingerprint_of
from crawler.explain.judging import Opinion, judge_pair, opinions, rule
from crawler.explain.subjects import Subject
from crawler.records import ExactDuplicate, NearDuplicate, Verdict


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a crawl decided on one of the two, from its line in duplicates.jsonl."""

    url: str
    verdict: str
    of: str
    concerns_both: bool
    """Whether the page it was taken for a copy of is the other of the two."""
    distance: int | None
    similarity: float | None
    kind: str | None
    content_similarity: float | None
    layout_similarity: float | None


_RECORDED = (
    "verdict", "distance", "similarity", "kind", "content_similarity", "layout_similarity"
)  # fmt: skip
"""What a line has under the names that `Recorded` has."""


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
    """What the second is called if the first was stored before it."""
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
    fingerprints, comparison = _compared(first, second, settings, layouts)
    return Explanation(first, second, settings, fingerprints, layouts, recorded, comparison)


def _compared(
    first: Subject, second: Subject, settings: config.Dedup, layouts: Layouts | None
) -> tuple[Fingerprints | None, Comparison | None]:
    """Return what two texts say; without one of them, fingerprints as far as they were recorded."""
    if first.text is None or second.text is None:
        one, other = _fingerprint(first, settings), _fingerprint(second, settings)
        if one is None or other is None:
            return None, None
        return Fingerprints(one, other), None
    fingerprints, evidence = compare(first.text, second.text, settings)
    verdict = judge_pair(first, second, settings)
    return fingerprints, Comparison(
        evidence=evidence,
        opinions=tuple(opinions(first, second, settings)),
        verdict=verdict_name(verdict),
        rule=rule(verdict, evidence, settings),
        kind=_kind(verdict, evidence, layouts),
        difference=tuple(difference(first.text, second.text)),
        cut=max(len(first.text), len(second.text)) > MAX_CHARACTERS,
    )


def _kind(verdict: Verdict, evidence: Evidence, layouts: Layouts | None) -> str | None:
    if not isinstance(verdict, ExactDuplicate | NearDuplicate):
        return None
    content = 1.0 if isinstance(verdict, ExactDuplicate) else evidence.similarity
    return kind(content, layouts.similarity if layouts else None).value


def _recorded(subject: Subject, other: Subject) -> Recorded:
    assert subject.line is not None
    record = subject.line.record
    same: dict[str, Any] = {key: record.get(key) for key in _RECORDED}
    return Recorded(
        url=subject.name,
        of=record["duplicate_of"]["url"],
        concerns_both=record["duplicate_of"]["url"] == other.name,
        **same,
    )


def _fingerprint(subject: Subject, settings: config.Dedup) -> int | None:
    """Return a side's fingerprint: that of its text, or what its line says."""
    if subject.text is not None:
        return fingerprint_of(subject.text, settings)
    recorded = subject.line.record.get("fingerprint") if subject.line else None
    return None if recorded is None else int(recorded, 16)


def as_data(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON-ready data; parts are null where a text or line is missing."""
    fingerprints, comparison = explanation.fingerprints, explanation.comparison
    return {
        "a": _subject(explanation.first),
        "b": _subject(explanation.second),
        "settings": explanation.settings.model_dump(mode="json"),
        "fingerprints": _fingerprints(fingerprints) if fingerprints else None,
        "layouts": _layouts(explanation),
        "recorded": [asdict(recorded) for recorded in explanation.recorded],
        "comparison": _comparison(comparison) if comparison else None,
    }


def _subject(subject: Subject) -> dict[str, Any]:
    return {
        "name": subject.name,
        "judged_text": subject.choice,
        "text": subject.text,
        "line": dict(subject.line.record) if subject.line else None,
    }


def _fingerprints(fingerprints: Fingerprints) -> dict[str, Any]:
    return {
        "a": format_fingerprint(fingerprints.first),
        "b": format_fingerprint(fingerprints.second),
        "distance": fingerprints.distance,
        "matched_blocks": fingerprints.matched_blocks,
    }


def _layouts(explanation: Explanation) -> dict[str, Any]:
    first, second, layouts = explanation.first, explanation.second, explanation.layouts
    return {
        "a": first.layout.hex() if first.layout is not None else None,
        "b": second.layout.hex() if second.layout is not None else None,
        "similarity": layouts.similarity if layouts else None,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    evidence = asdict(comparison.evidence)
    for feature in (*evidence["shared_features"], *evidence["differing_features"]):
        feature |= {"a": round(feature["a"], 3), "b": round(feature["b"], 3)}
    return {
        "verdict": comparison.verdict,
        "rule": comparison.rule,
        "kind": comparison.kind,
        **evidence,
        "methods": [asdict(opinion) for opinion in comparison.opinions],
        "difference": [asdict(piece) for piece in comparison.difference],
        "difference_cut": comparison.cut,
    }
