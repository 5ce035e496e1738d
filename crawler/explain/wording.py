"""What the terminal and the page both say: the same sentences and rows, made once."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.dedup.kinds import SAME_LAYOUT
from crawler.explain.evidence import Evidence, Feature, Fingerprints
from crawler.explain.explanation import Explanation, Layouts, Recorded
from crawler.printing import safe

BITS = 64
BLOCK_BITS = 16
FEATURES_SHOWN = 12


def verdict_rows(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """Yield (label, sentence): what would be decided and what was."""
    comparison = explanation.comparison
    if comparison is not None:
        yield "verdict", f"{comparison.verdict}: {comparison.rule}"
        yield "", "on the second, had the first been stored, by the settings in force"
        if comparison.kind is not None:
            yield "kind", comparison.kind
    else:
        yield "verdict", "not judged again: there is not a text of both"
        yield "way out", _way_to_texts(explanation)
    for recorded in explanation.recorded:
        yield "recorded", recorded_sentence(recorded)


def _way_to_texts(explanation: Explanation) -> str:
    """Return how the texts could be compared after all."""
    if explanation.first.can_be_fetched or explanation.second.can_be_fetched:
        return (
            "--fetch fetches it again; a saved page can be given in place of its URL; a crawl "
            "with dedup.near: tag keeps near duplicates"
        )
    return "put the file back as it was when it was judged, or give the document as a file"


def recorded_sentence(recorded: Recorded) -> str:
    """Return what the crawl decided then."""
    of = "the other" if recorded.concerns_both else safe(recorded.of)
    numbers = [
        _number("distance {}", recorded.distance),
        _number("similarity {:.4f}", recorded.similarity),
        _number("kind {}", recorded.kind),
        _number("content {:.4f}", recorded.content_similarity),
        _number("layout {:.4f}", recorded.layout_similarity),
    ]
    told = ", ".join(filter(None, numbers))
    return f"{safe(recorded.url)}: {recorded.verdict} duplicate of {of}" + (
        f" ({told})" if told else ""
    )


def _number(form: str, value: float | str | None) -> str:
    return "" if value is None else form.format(value)


def layout_sentence(layouts: Layouts) -> str:
    """Return how alike the skeletons of the two pages are."""
    meaning = "the same layout" if layouts.similarity >= SAME_LAYOUT else "another layout"
    return (
        f"similarity {layouts.similarity:.4f}, estimated: {meaning} (the same from {SAME_LAYOUT:g})"
    )


def fingerprint_sentence(fingerprints: Fingerprints) -> str:
    """Return distance and equal blocks."""
    equal = ", ".join(map(str, fingerprints.matched_blocks)) or "none"
    return (
        f"distance {fingerprints.distance} of {BITS}; equal 16-bit blocks: {equal} (0 the lowest)"
    )


def bits(fingerprint: int) -> str:
    """Return a fingerprint's bits, the highest first, block by block."""
    return _in_blocks(f"{fingerprint:0{BITS}b}")


def differing_bits(fingerprints: Fingerprints) -> str:
    """Return a line that marks where the bits differ."""
    different = f"{fingerprints.first ^ fingerprints.second:0{BITS}b}"
    return _in_blocks(different.replace("0", " ").replace("1", "^"))


def evidence_rows(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield (name, number in words) of what was measured."""
    first, second = evidence.shingle_counts
    either = first + second - evidence.shared_shingles
    common = f"{evidence.shared_shingles:,} of {either:,} shingles in common"
    yield "exact similarity", f"{evidence.similarity:.4f}: {common}"
    yield "estimate by sketch", f"{evidence.estimate:.4f}"
    yield "shingles", f"{first:,} and {second:,} ({' and '.join(dict.fromkeys(evidence.kinds))})"
    yield "words", f"{evidence.tokens[0]:,} and {evidence.tokens[1]:,}, stop words not counted"


def feature_rows(features: tuple[Feature, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield (word, weight in the first, weight in the second) of the first few."""
    for feature in features[:FEATURES_SHOWN]:
        yield safe(feature.word), _weight(feature.first), _weight(feature.second)


def features_title(title: str, features: tuple[Feature, ...]) -> str:
    """Return a title that says how many of the features are shown."""
    return f"{title} ({min(len(features), FEATURES_SHOWN)} of {len(features):,})"


def visible(text: str) -> str:
    """Return a text with its control characters shown as escapes, line ends kept."""
    return "\n".join(map(safe, text.split("\n")))


def _weight(weight: float) -> str:
    return f"{weight:.2f}" if weight else "·"


def _in_blocks(bits_: str) -> str:
    return " ".join(bits_[at : at + BLOCK_BITS] for at in range(0, BITS, BLOCK_BITS))
