"""What the judge calls the second document if it has stored the first, and by every method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from urllib.parse import quote, urljoin

from crawler import config
from crawler.config import LEXICON_METHODS, Method, SiblingMode
from crawler.dedup import Judge, MemoryCatalog, Signer, represents
from crawler.dedup.copies import address_key, pack
from crawler.dedup.hamming import hamming
from crawler.dedup.methods import minhash, shared_keys
from crawler.dedup.methods.i_match import RANDOM_LEXICONS
from crawler.dedup.signing.shingles import new_key, similarity
from crawler.errors import ConfigError
from crawler.explain.subjects import Subject
from crawler.records import (
    ExactDuplicate,
    NearDuplicate,
    Shingles,
    Shown,
    Signature,
    StoredDocument,
    Verdict,
)

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
        found = similarity(second, Shingles.of(first))
    return f"similarity {found:.4f}", found


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
