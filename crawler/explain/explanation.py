"""The whole explanation of two subjects, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler import config
from crawler.config import Method
from crawler.dedup.kinds import kind
from crawler.dedup.signing.layout import layout_similarity
from crawler.explain.decision import Decision, decided_now, original_of, recorded_decision
from crawler.explain.difference import MAX_CHARACTERS, Piece, difference
from crawler.explain.finding import Line
from crawler.explain.judging import Basis, Opinion, basis, is_placed_beside, judge_pair, opinion
from crawler.explain.looking import Differences, Looks, differences, looks
from crawler.explain.resemblance import Fingerprints, Resemblance, compare, fingerprint_of
from crawler.explain.subjects import Subject
from crawler.explain.surroundings import Differing, Surroundings, differing, surroundings
from crawler.records import ExactDuplicate, New, Unjudged, Verdict

_MEASURED = ("distance", "similarity", "kind", "content_similarity", "layout_similarity")
"""What the line of a duplicate or sibling may have, depending on its verdict."""


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

    resemblance: Resemblance
    opinions: tuple[Opinion, ...]
    decision: Decision
    """On the second, if only the first were stored."""
    basis: Basis
    placed: bool
    """Whether the URL of one is not known, so that it was taken for a page of the other's host."""
    kind: str | None
    """In what the second equals the first, where the verdict takes them for alike."""
    differences: Differences
    """Of all that either shows."""
    difference: tuple[Piece, ...]
    """Of the judged texts alone."""
    cut: bool
    """Whether a text was too long for the whole of it to be compared piece by piece."""
    beside: Differing | None
    """What differs beside the texts; None where that is not known of both."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Two subjects, and how they compare; parts are None where a text or line is missing."""

    first: Subject
    second: Subject
    settings: config.Dedup
    recorded_decision: Decision | None
    """What a crawl decided on one of the two because of the other."""
    surroundings: tuple[Surroundings | None, Surroundings | None]
    """What stands beside either text."""
    fingerprints: Fingerprints | None
    layouts: Layouts | None
    """None where one of the two has none (plain text), or where it is not known."""
    recorded: tuple[Mapping[str, Any], ...]
    """What a crawl decided on either, from its line; see `_recorded`."""
    comparison: Comparison | None

    @property
    def decision(self) -> Decision | None:
        """The one to tell first: recorded, or made now; None where neither can be said."""
        made_now = self.comparison.decision if self.comparison else None
        return self.recorded_decision or made_now


def explain(first: Subject, second: Subject, settings: config.Dedup) -> Explanation:
    """Compare two subjects by the settings of a job."""
    layouts = None
    if first.layout is not None and second.layout is not None:
        layouts = Layouts(first.layout, second.layout)
    fingerprints, comparison = _compared(first, second, settings, layouts)
    return Explanation(
        first=first,
        second=second,
        settings=settings,
        recorded_decision=recorded_decision(first, second),
        surroundings=(surroundings(first), surroundings(second)),
        fingerprints=fingerprints,
        layouts=layouts,
        recorded=tuple(
            _recorded(side, subject, subject.line, original, other)
            for side, subject, other in (("a", first, second), ("b", second, first))
            if subject.line is not None and (original := original_of(subject.line.record))
        ),
        comparison=comparison,
    )


def _compared(
    first: Subject, second: Subject, settings: config.Dedup, layouts: Layouts | None
) -> tuple[Fingerprints | None, Comparison | None]:
    """Return what two texts say; without one of them, fingerprints as far as they were recorded."""
    if first.text is None or second.text is None:
        one, other = _fingerprint(first, settings), _fingerprint(second, settings)
        if one is None or other is None:
            return None, None
        return Fingerprints(one, other), None
    fingerprints, resemblance = compare(first.text, second.text, settings)
    judged = judge_pair(first, second, settings)
    return fingerprints, Comparison(
        resemblance=resemblance,
        opinions=tuple(opinion(method, first, second, settings) for method in Method),
        decision=decided_now((first, second), judged, resemblance, settings),
        basis=basis(first, second, settings),
        placed=is_placed_beside(first, second),
        kind=_kind(judged.verdict, resemblance, layouts),
        differences=differences(*map(_looks, (first, second))),
        difference=tuple(difference(first.text, second.text)),
        cut=max(len(first.text), len(second.text)) > MAX_CHARACTERS,
        beside=differing(first, second),
    )


def _looks(subject: Subject) -> Looks:
    page, text = subject.appearance, subject.text or ""
    return looks(subject.title, text, page, is_whole=subject.is_whole)


def _kind(verdict: Verdict, resemblance: Resemblance, layouts: Layouts | None) -> str | None:
    if isinstance(verdict, New | Unjudged):
        return None
    content = 1.0 if isinstance(verdict, ExactDuplicate) else resemblance.similarity
    return kind(content, layouts.similarity if layouts else None).value


def _recorded(
    side: str, subject: Subject, line: Line, original: str, other: Subject
) -> dict[str, Any]:
    """Return the verdict on a duplicate or sibling, with null for what its line has not."""
    return {
        "on": side,
        "url": subject.name,
        "verdict": line.record["verdict"],
        "stored": line.is_stored,
        "evidence": line.record.get("evidence"),
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
