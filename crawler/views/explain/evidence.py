"""The whole evidence on two subjects.

Signatures compared, every method asked, the decision and the rule that made it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from pathlib import PurePath
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import numpy as np

from crawler import config
from crawler.config import LEXICON_METHODS, Method, NearMode, SiblingMode
from crawler.dedup import Judge, MemoryCatalog, Signer, kernels, represents, signing
from crawler.dedup.columns import hamming
from crawler.dedup.copies import address_key, pack
from crawler.dedup.index import matched_blocks
from crawler.dedup.kinds import kind
from crawler.dedup.methods import rivals
from crawler.dedup.methods.rivals import RANDOM_LEXICONS
from crawler.dedup.signing import (
    WEIGHT_UNIT,
    TextParts,
    layout_similarity,
    load_folder,
    load_segmenter,
    new_key,
    shingle_similarity,
    simhash,
    take_apart,
    weight,
)
from crawler.engine.lines import verdict_name
from crawler.errors import ConfigError
from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    Evidence,
    ExactDuplicate,
    NearDuplicate,
    New,
    Shingles,
    Shown,
    Sibling,
    Signature,
    StoredDocument,
    Unjudged,
    Verdict,
)
from crawler.views.explain.differences import (
    MAX_CHARACTERS,
    Differences,
    Differing,
    Looks,
    Piece,
    Surroundings,
    difference,
    differences,
    differing,
    looks,
    surroundings,
)
from crawler.views.explain.subjects import Line, Subject


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
    key = signing.new_key()
    first, second = (_parts(t, settings, key) for t in (text, other))
    sets = [signing.marked(of.hashes, of.marks[0]) for of in (first, second)]
    capped = [of[: signing.MAX_SHINGLES] for of in sets]
    same_kind = first.kind == second.kind
    shared, differing = _features(first.counts, second.counts)
    resemblance = Resemblance(
        similarity=signing.jaccard(*capped) if same_kind else 0.0,
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
    words, _ = signing.unpack(kernels.make_sketch(first.hashes))
    rows, _ = signing.unpack_many([kernels.make_sketch(second.hashes)])
    return float(signing.estimate(words, rows)[0])


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


_SOMEWHERE = "a-file"
"""Folder that a file is taken to lie in on the host of the page it is compared with."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One method's answer."""

    method: str
    measure: str
    """What it measures, in words with its number; or why it could not be asked."""
    value: float | None
    """That number."""
    duplicates: bool | None
    """Whether it takes the texts for duplicates; None where it could not be asked."""


class Basis(StrEnum):
    """What the verdict on a pair was drawn from."""

    ALL = "all"
    """Addresses, titles and all visible lines."""
    WITHOUT_SURROUNDINGS = "without-surroundings"
    """What stands beside the text of one of them was not kept."""
    TEXTS_ALONE = "texts-alone"
    """Too little is known of one of them to ask for evidence."""
    NO_EVIDENCE = "no-evidence"
    """The job takes whatever is alike for near duplicates (`dedup.siblings: ignore`)."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The second of two subjects, judged by a judge that knows the first."""

    verdict: Verdict
    stored: bool
    """Whether a crawl would store it."""
    signatures: tuple[Signature, Signature]


def judge_pair(
    first: Subject, second: Subject, settings: config.Dedup, *, by_texts_alone: bool = False
) -> Judged:
    """Judge two subjects, by their texts and by what of them is evidence of a copy or sibling.

    Raises ConfigError where the method needs something that is missing.
    """
    known = not by_texts_alone and basis(first, second, settings) is not Basis.TEXTS_ALONE
    signatures = _signed(first, second, settings)
    catalog = MemoryCatalog()
    judge = Judge(settings, catalog, expected_documents=16)
    shown = [_shown(subject, other) for subject, other in ((first, second), (second, first))]
    stored = StoredDocument(
        *(1, 1, shown[0].url, first.payload, signatures[0]),
        representative=represents(judge.judge(first.payload, signatures[0], 1)),
        layout=first.layout,
        address=address_key(shown[0].url) if first.is_of_the_web else None,
        appearance=shown[0].appearance,
    )
    catalog.add(stored)
    verdict = judge.judge(second.payload, signatures[1], 2, shown[1] if known else None)
    return Judged(verdict, judge.keeps(verdict), signatures)


def basis(first: Subject, second: Subject, settings: config.Dedup) -> Basis:
    """Return what a verdict on the two is drawn from."""
    if settings.siblings is SiblingMode.IGNORE:
        return Basis.NO_EVIDENCE
    if first.appearance is None or second.appearance is None:
        return Basis.TEXTS_ALONE
    return Basis.ALL if first.is_whole and second.is_whole else Basis.WITHOUT_SURROUNDINGS


def is_placed_beside(first: Subject, second: Subject) -> bool:
    """Whether one is a file and the other a page: the file is taken for a page of that host."""
    return first.is_of_the_web != second.is_of_the_web


def opinion(method: Method, first: Subject, second: Subject, settings: config.Dedup) -> Opinion:
    """Ask a method, by its own defaults for verification, whether the texts are alike."""
    if method in LEXICON_METHODS and settings.lexicon is None:
        return Opinion(method.value, "needs a lexicon (dedup.lexicon)", None, None)
    chosen = config.Dedup.model_validate(settings.model_dump() | {"method": method, "verify": None})
    try:
        judged = judge_pair(first, second, chosen, by_texts_alone=True)
        measure, value = _MEASURES[method](*judged.signatures)
    except ConfigError as missing:
        return Opinion(method.value, str(missing), None, None)
    duplicates = isinstance(judged.verdict, ExactDuplicate | NearDuplicate)
    return Opinion(method.value, measure, value, duplicates)


def _signed(first: Subject, second: Subject, settings: config.Dedup) -> tuple[Signature, Signature]:
    """Sign both texts; what else is visible on the pages counts where it is known of both."""
    assert first.text is not None
    assert second.text is not None
    sign = Signer(settings, (new_key(),))
    one, other = sign(first.text, first.text), sign(second.text, second.text)
    if first.visible_digest is None or second.visible_digest is None:
        return one, other
    return (
        replace(one, visible_digest=first.visible_digest.encode()),
        replace(other, visible_digest=second.visible_digest.encode()),
    )


def _shown(subject: Subject, other: Subject) -> Shown:
    page = subject.appearance
    url = subject.url
    if is_placed_beside(subject, other) and other.is_of_the_web:
        url = urljoin(other.url, f"/{_SOMEWHERE}/{quote(PurePath(subject.name).name)}")
    canonical = page.canonical_url if page else None
    return Shown(
        url,
        pack(page) if page else None,
        subject.layout,
        address_key(canonical) if canonical else None,
    )


Measure = Callable[[Signature, Signature], tuple[str, float]]
"""Returns what a method measures of two texts, in words and as a number."""


def _distance(first: Signature, second: Signature) -> tuple[str, float]:
    distance = hamming(first.fingerprint, second.fingerprint)
    return f"distance {distance} of 64", distance


def _similarity(first: Signature, second: Signature) -> tuple[str, float]:
    found = 0.0
    if first.shingle_kind == second.shingle_kind:
        found = shingle_similarity(second, Shingles.of(first))
    return f"similarity {found:.4f}", found


def _minhash(first: Signature, second: Signature) -> tuple[str, float]:
    rows = rivals.unpack([first.sketch, second.sketch], np.uint32, rivals.PERMUTATIONS)
    estimated = float(rivals.estimate(rows[0], rows[1:])[0])
    return f"estimated similarity {estimated:.4f}", estimated


def _equal_keys(keys: int, name: str) -> Measure:
    """Count equal keys as `KeyTable` does: 0 shows nothing and equals nothing."""

    def measure(first: Signature, second: Signature) -> tuple[str, float]:
        rows = rivals.unpack([first.sketch, second.sketch], np.uint64, keys)
        equal = int(((rows[0] == rows[1]) & (rows[0] != 0)).sum())
        return f"{equal} of {keys} {name} equal", equal

    return measure


_MEASURES: dict[Method, Measure] = {
    Method.VERIFIED: _similarity,
    Method.SIMHASH: _distance,
    Method.SIMHASH_IDF: _distance,
    Method.SIMHASH_NGRAMS: _distance,
    Method.MINHASH: _minhash,
    Method.SUPER_SHINGLES: _equal_keys(rivals.GROUPS, "super-shingles"),
    Method.I_MATCH: _equal_keys(1, "hash"),
    Method.I_MATCH_RANDOM: _equal_keys(1 + RANDOM_LEXICONS, "hashes"),
    Method.EXACT: _similarity,
}


ORIGINAL_KEYS = ("duplicate_of", "sibling_of")
"""Where the line of a page names the stored page that it is like."""

_EXACT = {EXACT_PAYLOAD: "the bytes are the same", EXACT_TEXT: "the text is the same"}
_CODES = frozenset(Evidence)


class Places(Enum):
    """What the URLs of two pages have in common."""

    ONE_HOST = auto()
    ONE_PATH = auto()
    """On two hosts."""
    UNLIKE = auto()
    UNKNOWN = auto()
    """One of them is a file."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on one of two subjects, and the one rule that made it."""

    verdict: str
    """As lines call it: `near`, `sibling`, ..."""
    stored: bool
    on: str
    """The side it is on, `a` or `b`; the other one is what it is like."""
    evidence: Evidence | None
    reason: str
    """The rule in words, where no evidence made the verdict; empty where some did."""
    recorded: bool
    """Whether a crawl has decided so; else it would, now."""
    places: Places
    """What the URLs of the two have in common."""

    def is_like(self, other: Decision) -> bool:
        """Whether the other says the same, whoever made it."""
        same = self.verdict == other.verdict and self.stored == other.stored
        return same and self.evidence == other.evidence


def decided_now(
    subjects: tuple[Subject, Subject],
    judged: Judged,
    resemblance: Resemblance,
    settings: config.Dedup,
) -> Decision:
    """Return the decision on the second of two subjects if only the first were stored."""
    verdict = judged.verdict
    evidence = verdict.evidence if isinstance(verdict, NearDuplicate | Sibling) else None
    reason = "" if evidence else _reason(judged, resemblance, settings)
    return Decision(
        verdict_name(verdict),
        judged.stored,
        "b",
        evidence,
        reason,
        recorded=False,
        places=_places(*subjects),
    )


def recorded_decision(first: Subject, second: Subject) -> Decision | None:
    """Return what a crawl decided on one of two subjects because of the other, if it did."""
    for side, subject, other in (("b", second, first), ("a", first, second)):
        if subject.line is None or original_of(subject.line.record) != other.name:
            continue
        record = subject.line.record
        evidence, reason = _evidence(record)
        return Decision(
            record["verdict"],
            subject.line.is_stored,
            side,
            evidence,
            reason,
            recorded=True,
            places=_places(first, second),
        )
    return None


def original_of(record: Mapping[str, Any]) -> str | None:
    """Return the URL of the stored page that a line says its page is like."""
    found = (record[key]["url"] for key in ORIGINAL_KEYS if record.get(key))
    return next(found, None)


def _places(first: Subject, second: Subject) -> Places:
    if not (first.is_of_the_web and second.is_of_the_web):
        return Places.UNKNOWN
    one, other = urlsplit(first.url), urlsplit(second.url)
    if one.netloc == other.netloc:
        return Places.ONE_HOST
    return Places.ONE_PATH if one[2:4] == other[2:4] else Places.UNLIKE


def _evidence(record: Mapping[str, Any]) -> tuple[Evidence | None, str]:
    """Return the evidence that a line names, or else the rule in words."""
    named = record.get("evidence")
    if named in _CODES:
        return Evidence(named), ""
    if record["verdict"] in _EXACT:
        return None, _EXACT[record["verdict"]]
    if named is not None:  # of another version of this program
        return None, str(named)
    similarity = record.get("similarity")
    alike = "" if similarity is None else f": similarity {similarity:.4f}"
    return None, f"the texts are alike{alike}; no evidence of a copy was asked for"


def _reason(judged: Judged, resemblance: Resemblance, settings: config.Dedup) -> str:
    """Return in words which rule decides where there is no evidence."""
    tokens = min(resemblance.tokens)
    match judged.verdict:
        case ExactDuplicate(kind=kind):
            return _EXACT[kind]
        case Unjudged():
            return (
                f"too little text to judge: {tokens} words without stop words, "
                f"dedup.min_tokens is {settings.min_tokens}; only pages with the same bytes are "
                "duplicates"
            )
        case NearDuplicate(similarity=None):
            return f"method {settings.method.value} takes them for duplicates; nothing was verified"
        case NearDuplicate(similarity=float() as similarity):
            return (
                f"similarity {similarity:.4f} reaches dedup.threshold "
                f"{settings.threshold:g} (method {settings.method.value})"
            )
        case New(reason=str()):
            return (
                f"no copy, and too short to be told as a sibling: {tokens} words "
                f"without stop words, dedup.min_near_tokens is {settings.min_near_tokens}"
            )
    return _why_new(resemblance, settings)


def _why_new(resemblance: Resemblance, settings: config.Dedup) -> str:
    if settings.near is NearMode.KEEP:
        return "near duplicates are not looked for (dedup.near: keep)"
    if resemblance.shingle_kinds[0] != resemblance.shingle_kinds[1]:
        return (
            f"texts of different kinds ({' and '.join(resemblance.shingle_kinds)}) are not compared"
        )
    if resemblance.similarity < settings.threshold:
        reached = f"similarity {resemblance.similarity:.4f}"
        return f"{reached} is below dedup.threshold {settings.threshold:g}"
    if min(resemblance.tokens) < settings.min_near_tokens:
        return (
            "the first is too short for resemblance to say something (dedup.min_near_tokens is "
            f"{settings.min_near_tokens})"
        )
    return (
        f"similar ({resemblance.similarity:.4f}), but method {settings.method.value} did not "
        "propose this pair, so the duplicate is missed"
    )


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
