"""What the judge calls the second document if it has stored the first, why, and by every method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from crawler import config
from crawler.config import LEXICON_METHODS, Method, NearMode
from crawler.dedup import Judge, MemoryCatalog, Signer, represents
from crawler.dedup.hamming import hamming
from crawler.dedup.methods import minhash, shared_keys
from crawler.dedup.methods.i_match import RANDOM_LEXICONS
from crawler.dedup.signing.shingles import jaccard
from crawler.errors import ConfigError
from crawler.explain.evidence import Evidence
from crawler.explain.subjects import Subject
from crawler.records import (
    ExactDuplicate,
    NearDuplicate,
    New,
    Signature,
    StoredDocument,
    Unjudged,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """One method's answer."""

    method: str
    measure: str
    """What it measures, in words with its number; or why it could not be asked."""
    value: float | None
    """That number."""
    duplicates: bool | None
    """Whether it takes the two for duplicates; None where it could not be asked."""


def judge_pair(
    first: Subject, second: Subject, settings: config.Dedup
) -> tuple[Verdict, tuple[Signature, Signature]]:
    """Return the verdict on the second of two subjects by a judge that knows the first.

    And the signatures of their texts; what else was visible is not kept. Raises ConfigError where
    the method needs something that is missing.
    """
    assert first.text is not None
    assert second.text is not None
    sign, catalog = Signer(settings), MemoryCatalog()
    stored, asked = sign(first.text, first.text), sign(second.text, second.text)
    judge = Judge(settings, catalog, expected_documents=16)
    verdict = judge.judge(first.payload, stored, 1)
    catalog.add(StoredDocument(1, 1, first.name, first.payload, stored, represents(verdict)))
    return judge.judge(second.payload, asked, 2), (stored, asked)


def opinion(method: Method, first: Subject, second: Subject, settings: config.Dedup) -> Opinion:
    """Ask a method, by its own defaults for verification."""
    if method in LEXICON_METHODS and settings.lexicon is None:
        return Opinion(method.value, "needs a lexicon (dedup.lexicon)", None, None)
    chosen = config.Dedup.model_validate(settings.model_dump() | {"method": method, "verify": None})
    try:
        verdict, signatures = judge_pair(first, second, chosen)
        measure, value = _MEASURES[method](*signatures)
    except ConfigError as missing:
        return Opinion(method.value, str(missing), None, None)
    duplicates = isinstance(verdict, ExactDuplicate | NearDuplicate)
    return Opinion(method.value, measure, value, duplicates)


def rule(verdict: Verdict, evidence: Evidence, settings: config.Dedup) -> str:
    """Return in words which rule decides."""
    match verdict:
        case ExactDuplicate():
            return "the bytes are the same" if "payload" in verdict.kind else "the text is the same"
        case Unjudged():
            return (
                f"too little text to judge: {min(evidence.tokens)} words without stop words, "
                f"dedup.min_tokens is {settings.min_tokens}; only pages with the same bytes are "
                "duplicates"
            )
        case NearDuplicate(similarity=None):
            return f"method {settings.method.value} takes them for duplicates; nothing was verified"
        case NearDuplicate():
            return (
                f"similarity {verdict.similarity:.4f} reaches dedup.threshold "
                f"{settings.threshold:g} (method {settings.method.value})"
            )
        case New(reason=str()):
            return (
                f"too short for near duplicates to be looked for: {min(evidence.tokens)} words "
                f"without stop words, dedup.min_near_tokens is {settings.min_near_tokens}"
            )
    return _why_new(evidence, settings)


def _why_new(evidence: Evidence, settings: config.Dedup) -> str:
    if settings.near is NearMode.KEEP:
        return "near duplicates are not looked for (dedup.near: keep)"
    if evidence.shingle_kinds[0] != evidence.shingle_kinds[1]:
        return f"texts of different kinds ({' and '.join(evidence.shingle_kinds)}) are not compared"
    if evidence.similarity < settings.threshold:
        return (
            f"similarity {evidence.similarity:.4f} is below dedup.threshold {settings.threshold:g}"
        )
    if min(evidence.tokens) < settings.min_near_tokens:
        return (
            "the first is too short to have near duplicates (dedup.min_near_tokens is "
            f"{settings.min_near_tokens})"
        )
    return (
        f"similar ({evidence.similarity:.4f}), but method {settings.method.value} did not propose "
        "this pair, so the duplicate is missed"
    )


Measure = Callable[[Signature, Signature], tuple[str, float]]
"""Returns what a method measures of two texts, in words and as a number."""


def _distance(first: Signature, second: Signature) -> tuple[str, float]:
    distance = hamming(first.fingerprint, second.fingerprint)
    return f"distance {distance} of 64", distance


def _similarity(first: Signature, second: Signature) -> tuple[str, float]:
    similarity = 0.0
    if first.shingle_kind == second.shingle_kind:
        similarity = jaccard(first.shingles, second.shingles)
    return f"similarity {similarity:.4f}", similarity


def _minhash(first: Signature, second: Signature) -> tuple[str, float]:
    rows = minhash.unpack_many([first.sketch, second.sketch])
    estimated = float(minhash.estimate(rows[0], rows[1:])[0])
    return f"estimated similarity {estimated:.4f}", estimated


def _equal_keys(keys: int, name: str) -> Measure:
    """Count equal keys as `KeyTable` does: 0 shows nothing and equals nothing."""

    def measure(first: Signature, second: Signature) -> tuple[str, float]:
        rows = shared_keys.unpack_keys([first.sketch, second.sketch], keys)
        equal = int(((rows[0] == rows[1]) & (rows[0] != 0)).sum())
        return f"{equal} of {keys} {name} equal", equal

    return measure


_MEASURES: dict[Method, Measure] = {
    Method.VERIFIED: _similarity,
    Method.SIMHASH: _distance,
    Method.SIMHASH_IDF: _distance,
    Method.SIMHASH_NGRAMS: _distance,
    Method.MINHASH: _minhash,
    Method.SUPER_SHINGLES: _equal_keys(minhash.GROUPS, "super-shingles"),
    Method.I_MATCH: _equal_keys(1, "hash"),
    Method.I_MATCH_RANDOM: _equal_keys(1 + RANDOM_LEXICONS, "hashes"),
    Method.EXACT: _similarity,
}
