"""The whole explanation of two subjects, computed once; and the same as plain data, for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from crawler import config
from crawler.config import Method
from crawler.dedup.kinds import kind
from crawler.dedup.signing.layout import layout_similarity
from crawler.ends.lines import format_fingerprint, verdict_name
from crawler.explain.difference import MAX_CHARACTERS, Piece, difference
from crawler.explain.evidence import Evidence, Fingerprints, compare, fingerprint_of
from crawler.explain.finding import Line
from crawler.explain.judging import Opinion, judge_pair, opinion, rule
from crawler.explain.subjects import Subject
from crawler.records import ExactDuplicate, NearDuplicate, Verdict

_MEASURED = ("distance", "similarity", "kind", "content_similarity", "layout_similarity")
"""What the line of a duplicate may have, depending on its verdict."""


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
    """On the second, if only the first were stored."""
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
    recorded: tuple[Mapping[str, Any], ...]
    """What a crawl decided on either, from its line in duplicates.jsonl; see `_recorded`."""
    comparison: Comparison | None


def explain(first: Subject, second: Subject, settings: config.Dedup) -> Explanation:
    """Compare two subjects by the settings of a job."""
    recorded = tuple(
        _recorded(subject, subject.line, other)
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
    verdict, _ = judge_pair(first, second, settings)
    return fingerprints, Comparison(
        evidence=evidence,
        opinions=tuple(opinion(method, first, second, settings) for method in Method),
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


def _recorded(subject: Subject, line: Line, other: Subject) -> dict[str, Any]:
    """Return a duplicate's verdict, with null for what its line has not."""
    original = line.record["duplicate_of"]["url"]
    return {
        "url": subject.name,
        "verdict": line.record["verdict"],
        "of": original,
        "concerns_both": original == other.name,
        **{key: line.record.get(key) for key in _MEASURED},
    }


def _fingerprint(subject: Subject, settings: config.Dedup) -> int | None:
    """Return a side's fingerprint: that of its text, or what its line says."""
    if subject.text is not None:
        return fingerprint_of(subject.text, settings)
    recorded = subject.line.record.get("fingerprint") if subject.line else None
    return None if recorded is None else int(recorded, 16)


def as_data(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON-ready data; parts are null where a text or line is missing."""
    first, second, comparison = explanation.first, explanation.second, explanation.comparison
    fingerprints, layouts = explanation.fingerprints, explanation.layouts
    return {
        "a": _subject(first),
        "b": _subject(second),
        "settings": explanation.settings.model_dump(mode="json"),
        "fingerprints": fingerprints
        and {
            "a": format_fingerprint(fingerprints.first),
            "b": format_fingerprint(fingerprints.second),
            "distance": fingerprints.distance,
            "matched_blocks": fingerprints.matched_blocks,
        },
        "layouts": {
            "a": None if first.layout is None else first.layout.hex(),
            "b": None if second.layout is None else second.layout.hex(),
            "similarity": layouts and layouts.similarity,
        },
        "recorded": list(explanation.recorded),
        "comparison": comparison and _comparison(comparison),
    }


def _subject(subject: Subject) -> dict[str, Any]:
    return {
        "name": subject.name,
        "judged_text": subject.choice,
        "text": subject.text,
        "line": subject.line and dict(subject.line.record),
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
