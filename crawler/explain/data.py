"""An explanation as plain data, for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from crawler.ends.judged import format_fingerprint
from crawler.explain import wording
from crawler.explain.decision import Decision
from crawler.explain.difference import Piece
from crawler.explain.explanation import Comparison, Explanation
from crawler.explain.looking import Differences
from crawler.explain.subjects import Subject
from crawler.explain.surroundings import Surroundings


def as_data(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON-ready data; parts are null where a text or line is missing."""
    first, second, comparison = explanation.first, explanation.second, explanation.comparison
    fingerprints, layouts = explanation.fingerprints, explanation.layouts
    return {
        "sentence": wording.verdict_sentence(explanation),
        "notes": wording.notes(explanation),
        "decision": explanation.decision and _decision(explanation.decision),
        "a": _subject(first, explanation.surroundings[0]),
        "b": _subject(second, explanation.surroundings[1]),
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


def _subject(subject: Subject, around: Surroundings | None) -> dict[str, Any]:
    return {
        "name": subject.name,
        "title": subject.title,
        "judged_text": subject.choice,
        "text": subject.text,
        "surroundings": around
        and {
            "text_lines": around.text_lines,
            "all_lines": around.all_lines,
            "lines": around.lines,
            "links": around.links,
            "only_a_part": around.is_much,
        },
        "line": subject.line and dict(subject.line.record),
    }


def _decision(decision: Decision) -> dict[str, Any]:
    """Return a decision; without evidence `reason` has the rule in words."""
    return {
        "verdict": decision.verdict,
        "stored": decision.stored,
        "on": decision.on,
        "evidence": decision.evidence and decision.evidence.value,
        "reason": decision.reason or None,
        "recorded": decision.recorded,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    resemblance, decision = asdict(comparison.resemblance), comparison.decision
    for feature in (*resemblance["shared_features"], *resemblance["differing_features"]):
        feature |= {"a": round(feature["a"], 3), "b": round(feature["b"], 3)}
    return {
        "verdict": decision.verdict,
        "stored": decision.stored,
        "evidence": decision.evidence and decision.evidence.value,
        "rule": wording.rule_sentence(decision),
        "judged_by": comparison.basis.value,
        "kind": comparison.kind,
        **resemblance,
        "methods": [asdict(opinion) for opinion in comparison.opinions],
        **_differences(comparison.differences),
        "difference": [_piece(piece) for piece in comparison.difference],
        "difference_cut": comparison.cut,
        "same_lines": comparison.differences.same_text,
        "difference_beside": comparison.beside
        and {"a": comparison.beside.first, "b": comparison.beside.second},
    }


def _differences(differences: Differences) -> dict[str, Any]:
    unknown = ([place.value for place in side] for side in differences.unknown)
    return {
        "differences": [
            {
                "place": passage.place.value,
                "left_out": list(passage.left_out),
                "pieces": [
                    _piece(piece) | {"left_out": piece.left_out} for piece in passage.pieces
                ],
            }
            for passage in differences.passages
        ],
        "not_compared": dict(zip("ab", unknown, strict=True)),
        "nothing_differs": differences.is_none,
    }


def _piece(piece: Piece) -> dict[str, Any]:
    return {"change": piece.change.value, "text": piece.text}
