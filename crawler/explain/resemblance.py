"""What two signatures say of each other: fingerprints, sketches, shingles, features."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from crawler import config
from crawler.dedup.hamming import hamming
from crawler.dedup.index.block_index import matched_blocks
from crawler.dedup.signing import shingles, sketch
from crawler.dedup.signing.folding import load_folder
from crawler.dedup.signing.segmenter import load_segmenter
from crawler.dedup.signing.simhash import WEIGHT_UNIT, simhash, weight
from crawler.dedup.signing.sketch import make_sketch
from crawler.dedup.signing.text_parts import TextParts, take_apart


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Two SimHash fingerprints."""

    first: int
    second: int

    @property
    def distance(self) -> int:
        """Hamming distance, 0..64."""
        return hamming(self.first, self.second)

    @property
    def matched_blocks(self) -> tuple[int, ...]:
        """Equal 16-bit blocks, 0 the lowest."""
        return matched_blocks(self.first, self.second)


@dataclass(frozen=True, slots=True)
class Feature:
    """A word and its weight (1 + ln n) in either text; 0 where it does not occur."""

    word: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Resemblance:
    """Two texts compared by what is made of them; fields have the names they have in JSON."""

    similarity: float
    """Exact Jaccard similarity of the shingle sets; 0 for texts of different kinds."""
    sketch_estimate: float
    """The same, estimated from the 132-byte sketches; 0 for texts of different kinds."""
    shingle_kinds: tuple[str, str]
    """`word3` or `char4`."""
    shingles: tuple[int, int]
    shared_shingles: int
    tokens: tuple[int, int]
    shared_features: tuple[Feature, ...]
    """Features of both, the heaviest first."""
    differing_features: tuple[Feature, ...]
    """Features whose weight is not the same, the greatest difference first."""


def fingerprint_of(text: str, settings: config.Dedup) -> int:
    """Return a text's fingerprint by our own method."""
    return simhash(_parts(text, settings).counts)


def compare(text: str, other: str, settings: config.Dedup) -> tuple[Fingerprints, Resemblance]:
    """Return what the judge's tools make of two texts; fingerprints are our own method's."""
    key = shingles.new_key()
    first, second = (_parts(t, settings, key) for t in (text, other))
    sets = [shingles.marked(of.hashes, of.marks[0]) for of in (first, second)]
    same_kind = first.kind == second.kind
    shared, differing = _features(first.counts, second.counts)
    resemblance = Resemblance(
        similarity=shingles.jaccard(*map(shingles.cap, sets)) if same_kind else 0.0,
        sketch_estimate=_estimate(first, second) if same_kind else 0.0,
        shingle_kinds=(first.kind, second.kind),
        shingles=(len(first.hashes), len(second.hashes)),
        shared_shingles=len(set(sets[0].tolist()) & set(sets[1].tolist())),
        tokens=(first.counts.total(), second.counts.total()),
        shared_features=shared,
        differing_features=differing,
    )
    return Fingerprints(simhash(first.counts), simhash(second.counts)), resemblance


def _parts(text: str, settings: config.Dedup, *keys: bytes) -> TextParts:
    segment, fold = load_segmenter(), load_folder(settings)
    return take_apart(fold(text) if fold else text, segment, keys)


def _estimate(first: TextParts, second: TextParts) -> float:
    if not len(first.hashes) or not len(second.hashes):
        return 0.0
    words, _ = sketch.unpack(make_sketch(first.hashes))
    rows, _ = sketch.unpack_many([make_sketch(second.hashes)])
    return float(sketch.estimate(words, rows)[0])


def _features(
    first: Counter[str], second: Counter[str]
) -> tuple[tuple[Feature, ...], tuple[Feature, ...]]:
    features = [
        Feature(word, _weight(first[word]), _weight(second[word]))
        for word in first.keys() | second.keys()
    ]
    shared = [f for f in features if f.a and f.b]
    differing = [f for f in features if f.a != f.b]
    shared.sort(key=lambda f: (-min(f.a, f.b), f.word))
    differing.sort(key=lambda f: (-abs(f.a - f.b), f.word))
    return tuple(shared), tuple(differing)


def _weight(count: int) -> float:
    return weight(count) / WEIGHT_UNIT if count else 0.0
