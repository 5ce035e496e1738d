"""What every method says of two texts: its own number, and whether it takes them for duplicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from crawler import config
from crawler.config import LEXICON_METHODS, Method
from crawler.dedup import Signer
from crawler.dedup.hamming import hamming
from crawler.dedup.methods import minhash, shared_keys
from crawler.dedup.methods.i_match import RANDOM_LEXICONS
from crawler.dedup.signing.shingles import jaccard
from crawler.errors import ConfigError
from crawler.explain.subjects import Subject
from crawler.explain.verdict import judge_pair, sign
from crawler.records import ExactDuplicate, NearDuplicate, Signature


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


def opinions(first: Subject, second: Subject, settings: config.Dedup) -> list[Opinion]:
    """Ask every method, each by its own defaults for verification."""
    return [_opinion(method, first, second, settings) for method in Method]


def _opinion(method: Method, first: Subject, second: Subject, settings: config.Dedup) -> Opinion:
    if method in LEXICON_METHODS and settings.lexicon is None:
        return Opinion(method.value, "needs a lexicon (dedup.lexicon)", None, None)
    chosen = config.Dedup.model_validate(settings.model_dump() | {"method": method, "verify": None})
    try:
        signer = Signer(chosen)
        signatures = sign(first, signer), sign(second, signer)
        measure, value = _MEASURES[method](*signatures)
        verdict = judge_pair(first, second, chosen)
    except ConfigError as missing:
        return Opinion(method.value, str(missing), None, None)
    duplicates = isinstance(verdict, ExactDuplicate | NearDuplicate)
    return Opinion(method.value, measure, value, duplicates)


Measure = Callable[[Signature, Signature], tuple[str, float]]


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
