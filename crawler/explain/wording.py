"""What the terminal and the page both show: the same tables and sentences, made once.

Nothing is escaped here: what shows a text makes it harmless for where it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from crawler.dedup.kinds import SAME_LAYOUT
from crawler.explain.evidence import Evidence, Feature, Fingerprints
from crawler.explain.explanation import Comparison, Explanation, Layouts
from crawler.printing import safe

BITS = 64
BLOCK_BITS = 16
FEATURES_SHOWN = 12
_RECORDED = {
    "distance": "distance {}",
    "similarity": "similarity {:.4f}",
    "kind": "kind {}",
    "content_similarity": "content {:.4f}",
    "layout_similarity": "layout {:.4f}",
}
_ON_THE_WEB = (
    "--fetch fetches the page again; or give a saved page instead of its URL; or crawl with "
    "dedup.near: tag, which keeps near duplicates"
)
_IN_A_FILE = "restore the file that was judged, or give the document as a separate file"
_ANSWERS = {True: "yes", False: "no", None: "·"}


class Table(NamedTuple):
    """A table as texts; one of (name, sentence) has no names of columns."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def verdict_table(explanation: Explanation) -> Table:
    """Return what would be decided now, and what the crawl decided."""
    return Table("Verdict", (), list(_verdict_rows(explanation)))


def _verdict_rows(explanation: Explanation) -> Iterator[tuple[str, str]]:
    comparison = explanation.comparison
    if comparison is not None:
        yield "verdict", f"{comparison.verdict}: {comparison.rule}"
        yield "", "for B, if only A were stored, with the current settings"
        if comparison.kind is not None:
            yield "kind", comparison.kind
    else:
        yield "verdict", "not judged again: the text of at least one of the two is missing"
        fetched = explanation.first.can_be_fetched or explanation.second.can_be_fetched
        yield "to compare", _ON_THE_WEB if fetched else _IN_A_FILE
    for recorded in explanation.recorded:
        yield "recorded", _recorded_sentence(recorded)


def _recorded_sentence(recorded: Mapping[str, Any]) -> str:
    """Return what the crawl decided then."""
    numbers = ((form, recorded[name]) for name, form in _RECORDED.items())
    told = ", ".join(form.format(value) for form, value in numbers if value is not None)
    of = "the other" if recorded["concerns_both"] else recorded["of"]
    decided = f"{recorded['url']}: {recorded['verdict']} duplicate of {of}"
    return f"{decided} ({told})" if told else decided


def comparison_tables(comparison: Comparison) -> tuple[Table, Table, Table, Table]:
    """Return similarity, every method's answer, features of both, and features that differ."""
    evidence = comparison.evidence
    answers = [(o.method, o.measure, _ANSWERS[o.duplicates]) for o in comparison.opinions]
    return (
        Table("Similarity", (), list(_similarity_rows(evidence))),
        Table("Every method", ("method", "says", "duplicates"), answers),
        _features("Heaviest features of both", evidence.shared_features),
        _features("Features that differ most", evidence.differing_features),
    )


def _similarity_rows(evidence: Evidence) -> Iterator[tuple[str, str]]:
    first, second = evidence.shingles
    either = first + second - evidence.shared_shingles
    common = f"{evidence.shared_shingles:,} of {either:,} shingles in common"
    yield "exact similarity", f"{evidence.similarity:.4f}: {common}"
    yield "estimate by sketch", f"{evidence.sketch_estimate:.4f}"
    kinds = " and ".join(dict.fromkeys(evidence.shingle_kinds))
    yield "shingles", f"{first:,} and {second:,} ({kinds})"
    yield "words", f"{evidence.tokens[0]:,} and {evidence.tokens[1]:,}, stop words not counted"


def _features(title: str, features: Sequence[Feature]) -> Table:
    shown = features[:FEATURES_SHOWN]
    rows = [(f.word, _weight(f.a), _weight(f.b)) for f in shown]
    return Table(f"{title} ({len(shown)} of {len(features):,})", ("word", "A", "B"), rows)


def _weight(weight: float) -> str:
    return f"{weight:.2f}" if weight else "·"


def layout_sentence(layouts: Layouts) -> str:
    """Return how alike the skeletons of the two pages are."""
    meaning = "the same layout" if layouts.similarity >= SAME_LAYOUT else "another layout"
    return (
        f"similarity {layouts.similarity:.4f}, estimated: {meaning} (the same from {SAME_LAYOUT:g})"
    )


def layout_lines(layouts: Layouts) -> list[str]:
    """Return both layout fingerprints."""
    return [f"A {layouts.first.hex()}", f"B {layouts.second.hex()}"]


def fingerprint_sentence(fingerprints: Fingerprints) -> str:
    """Return distance and equal blocks."""
    equal = ", ".join(map(str, fingerprints.matched_blocks)) or "none"
    return (
        f"distance {fingerprints.distance} of {BITS}; equal 16-bit blocks: {equal} (0 the lowest)"
    )


def fingerprint_lines(fingerprints: Fingerprints) -> list[tuple[str, str]]:
    """Return (fingerprint, its bits) of A and B: the highest bit first, block by block."""
    sides = ("A", fingerprints.first), ("B", fingerprints.second)
    return [(f"{name} {number:016x}  ", _in_blocks(f"{number:0{BITS}b}")) for name, number in sides]


def differing_bits(fingerprints: Fingerprints) -> str:
    """Return a line that marks where the bits differ."""
    different = f"{fingerprints.first ^ fingerprints.second:0{BITS}b}"
    return _in_blocks(different.replace("0", " ").replace("1", "^"))


def _in_blocks(bits: str) -> str:
    return " ".join(bits[at : at + BLOCK_BITS] for at in range(0, BITS, BLOCK_BITS))


def visible(text: str) -> str:
    """Return a text with its control characters shown as escapes, line ends kept."""
    return "\n".join(map(safe, text.split("\n")))
