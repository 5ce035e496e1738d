"""An explanation as plain data, for `--json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from crawler.ends.lines import format_fingerprint
from crawler.explain.evidence import Feature, Fingerprints
from crawler.explain.explanation import Comparison, Explanation
from crawler.explain.subjects import Subject


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
        "matched_blocks": list(fingerprints.matched_blocks),
    }


def _layouts(explanation: Explanation) -> dict[str, Any]:
    sides = {"a": explanation.first.layout, "b": explanation.second.layout}
    layouts = explanation.layouts
    return {
        **{side: layout.hex() if layout is not None else None for side, layout in sides.items()},
        "similarity": layouts.similarity if layouts else None,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    evidence = comparison.evidence
    return {
        "verdict": comparison.verdict,
        "rule": comparison.rule,
        "kind": comparison.kind,
        "similarity": evidence.similarity,
        "sketch_estimate": evidence.estimate,
        "shingle_kinds": list(evidence.kinds),
        "shingles": list(evidence.shingle_counts),
        "shared_shingles": evidence.shared_shingles,
        "tokens": list(evidence.tokens),
        "shared_features": list(map(_feature, evidence.shared)),
        "differing_features": list(map(_feature, evidence.differing)),
        "methods": [asdict(opinion) for opinion in comparison.opinions],
        "difference": [asdict(piece) for piece in comparison.difference],
        "difference_cut": comparison.cut,
    }


def _feature(feature: Feature) -> dict[str, Any]:
    return {"word": feature.word, "a": round(feature.first, 3), "b": round(feature.second, 3)}
