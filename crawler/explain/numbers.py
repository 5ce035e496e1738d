"""The numbers of an explanation as tables and lines, which the terminal and the page both show.

Nothing is escaped here: what shows a text makes it harmless for where it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from crawler.dedup.kinds import SAME_LAYOUT
from crawler.explain.explanation import Comparison, Explanation, Layouts
from crawler.explain.resemblance import Feature, Fingerprints
from crawler.explain.wording import VERDICTS

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
_ANSWERS = {True: "yes", False: "no", None: "·"}


class Table(NamedTuple):
    """A table as texts; one of (name, sentence) has no names of columns."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def recorded_table(explanation: Explanation) -> Table:
    """Return what the crawl recorded of either; no rows where it recorded nothing."""
    rows = [
        (recorded["on"].upper(), _recorded_sentence(recorded)) for recorded in explanation.recorded
    ]
    return Table("Recorded", (), rows)


def _recorded_sentence(recorded: Mapping[str, Any]) -> str:
    """Return what the crawl decided then."""
    numbers = ((form, recorded[name]) for name, form in _RECORDED.items())
    told = ", ".join(form.format(value) for form, value in numbers if value is not None)
    of = "the other" if recorded["concerns_both"] else recorded["of"]
    evidence = f" ({recorded['evidence']})" if recorded["evidence"] else ""
    became = "stored" if recorded["stored"] else "dropped"
    verdict = VERDICTS.get(recorded["verdict"], recorded["verdict"])
    decided = f"{verdict} of {of}{evidence}, {became}"
    return f"{decided}: {told}" if told else decided


def comparison_tables(comparison: Comparison) -> tuple[Table, Table, Table, Table]:
    """Return similarity, every method's answer, features of both, and features that differ."""
    resemblance = comparison.resemblance
    answers = [(o.method, o.measure, _ANSWERS[o.duplicates]) for o in comparison.opinions]
    return (
        Table("Similarity", (), list(_similarity_rows(comparison))),
        Table("Every method, by the texts alone", ("method", "says", "alike"), answers),
        _features("Heaviest features of both", resemblance.shared_features),
        _features("Features that differ most", resemblance.differing_features),
    )


def _similarity_rows(comparison: Comparison) -> Iterator[tuple[str, str]]:
    resemblance = comparison.resemblance
    first, second = resemblance.shingles
    either = first + second - resemblance.shared_shingles
    common = f"{resemblance.shared_shingles:,} of {either:,} shingles in common"
    yield "exact similarity", f"{resemblance.similarity:.4f}: {common}"
    yield "estimate by sketch", f"{resemblance.sketch_estimate:.4f}"
    kinds = " and ".join(dict.fromkeys(resemblance.shingle_kinds))
    yield "shingles", f"{first:,} and {second:,} ({kinds})"
    words, others = resemblance.tokens
    yield "words", f"{words:,} and {others:,}, stop words not counted"
    if comparison.kind is not None:
        yield "kind", comparison.kind


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
