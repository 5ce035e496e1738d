"""The methods by name: what each keeps of a text, and how it finds near duplicates by that.

A crawl, the `dedup` command and the accuracy benchmark all choose here (`dedup.method`). In the
analysis process a method makes a fingerprint and a sketch of a text; in the judge, from stored
sketches, its matcher. What their `similarity` means is told by `Method.similarity`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

from crawler import config
from crawler.config import NearMode
from crawler.dedup.catalog import Catalog
from crawler.dedup.matcher import Matcher, VerifiedMatcher
from crawler.dedup.methods import document_frequencies, i_match, minhash
from crawler.dedup.methods.exact import ExactMatcher
from crawler.dedup.methods.key_table import pack_keys
from crawler.dedup.methods.lsh import Banding, choose_banding
from crawler.dedup.methods.ngrams import ngram_fingerprint
from crawler.dedup.methods.proposed import ProposedMatcher
from crawler.dedup.methods.proposers import NearFingerprints, Proposer, SharedBands, SharedKeys
from crawler.dedup.methods.super_shingles import Grouping, SuperShingler
from crawler.dedup.methods.tf_idf import tf_idf_fingerprinter
from crawler.dedup.signing import folding
from crawler.dedup.signing.sketch import make_sketch
from crawler.dedup.signing.text_parts import Fingerprinter, Sketcher

VERSION = 1
"""What methods of different versions keep of a text must not be compared."""

EXACT = "exact"
"""`similarity` is the exact Jaccard similarity of the shingle sets."""
ESTIMATED = "estimated"
"""`similarity` is an estimate of it; exact where `dedup.verify` is on."""
NONE = "none"
"""`similarity` is None; exact where `dedup.verify` is on."""

VERIFIED_BANDING_WEIGHT = 0.95
"""Weight of false negatives in the choice of bands where candidates are verified: there a false
candidate costs a look-up, and no verdict."""

MatcherMaker = Callable[[config.Dedup, Catalog, int], Matcher]
ProposerMaker = Callable[[config.Dedup, int], Proposer]


@dataclass(frozen=True, slots=True)
class Method:
    """One way to recognise near duplicates."""

    fingerprinter: Callable[[config.Dedup], Fingerprinter]
    """Loads what makes fingerprints; ConfigError if something is missing."""
    sketcher: Callable[[config.Dedup], Sketcher]
    """Loads what makes sketches; ConfigError if something is missing."""
    matcher: MatcherMaker
    """Makes an empty matcher for settings, a catalogue and a number of expected documents."""
    similarity: str
    """What `similarity` means in a verdict: EXACT, ESTIMATED or NONE."""
    proposer: ProposerMaker | None = None
    """Makes an empty proposer, for clusters after the fact (`rivals.components`)."""


def make_matcher(
    settings: config.Dedup, catalog: Catalog, expected_documents: int
) -> Matcher | None:
    """Return an empty matcher of the job's method; None where the near stage is off."""
    if settings.near is NearMode.KEEP:
        return None
    return METHODS[settings.method].matcher(settings, catalog, expected_documents)


def identity(settings: config.Dedup) -> dict[str, Any]:
    """Return what of a method decides fingerprints and sketches: a resume must match in it.

    Raises ConfigError for a lexicon or a package that is missing, before anything is crawled.
    """
    folding.check_folding(settings)
    lexicon = settings.lexicon
    if lexicon is not None:
        document_frequencies.load(lexicon)
    return {
        "method": f"{settings.method.value} {VERSION}",
        "lexicon": hashlib.sha256(lexicon.read_bytes()).hexdigest() if lexicon else None,
        "fold_chinese": f"opencc {version('opencc')}" if settings.fold_chinese else None,
    }


def near_fingerprints(settings: config.Dedup, expected: int) -> Proposer:
    """Return the proposer of the SimHash methods."""
    return NearFingerprints(settings.distance, expected)


def shared_bands(settings: config.Dedup, expected: int) -> Proposer:
    """Return the proposer of `minhash`, its bands chosen for the threshold."""
    banding = banding_for(settings)
    return SharedBands(banding, minhash.PERMUTATIONS, expected)


def banding_for(settings: config.Dedup) -> Banding:
    """Return the bands of `minhash` for a threshold, more of them where matches are verified."""
    weight = VERIFIED_BANDING_WEIGHT if settings.verify else 0.5
    return choose_banding(settings.threshold, minhash.PERMUTATIONS, weight)


def shared_super_shingles(settings: config.Dedup, expected: int) -> Proposer:
    """Return the proposer of `super-shingles`; it knows no setting."""
    grouping = Grouping()
    return SharedKeys(grouping.groups, grouping.agreeing, expected)


def shared_lexicon_hashes(random_lexicons: int, settings: config.Dedup, expected: int) -> Proposer:
    """Return the proposer of the I-Match methods; it knows no setting."""
    return SharedKeys(1 + random_lexicons, 1, expected)


def _word_simhash(settings: config.Dedup) -> Fingerprinter:
    return lambda parts: parts.fingerprint


def _ngram_simhash(settings: config.Dedup) -> Fingerprinter:
    return ngram_fingerprint


def _tf_idf_simhash(settings: config.Dedup) -> Fingerprinter:
    return tf_idf_fingerprinter(settings).fingerprint


def _binned_sketch(settings: config.Dedup) -> Sketcher:
    return lambda parts: make_sketch(parts.hashes)


def _no_sketch(settings: config.Dedup) -> Sketcher:
    return lambda parts: b""


def _minhash_sketch(settings: config.Dedup) -> Sketcher:
    minima = minhash.MinHasher()
    return lambda parts: minhash.pack(minima(parts.hashes))


def _super_shingle_sketch(settings: config.Dedup) -> Sketcher:
    super_shingles = SuperShingler(Grouping())
    return lambda parts: pack_keys(super_shingles(parts.hashes))


def _i_match_sketch(random_lexicons: int, settings: config.Dedup) -> Sketcher:
    return i_match.load_lexicons(settings, random_lexicons).sketch


def _verified(settings: config.Dedup, catalog: Catalog, expected: int) -> Matcher:
    return VerifiedMatcher(settings.distance, settings.threshold, catalog, expected)


def _exact(settings: config.Dedup, catalog: Catalog, expected: int) -> Matcher:
    return ExactMatcher(settings.threshold, catalog, expected)


def _proposing(
    proposer: ProposerMaker,
    similarity: str = NONE,
    fingerprinter: Callable[[config.Dedup], Fingerprinter] = _word_simhash,
    sketcher: Callable[[config.Dedup], Sketcher] = _no_sketch,
) -> Method:
    """Return a method that is believed unless `dedup.verify` is on."""

    def matcher(settings: config.Dedup, catalog: Catalog, expected: int) -> Matcher:
        threshold = settings.threshold if settings.verify else None
        return ProposedMatcher(proposer(settings, expected), catalog, expected, threshold)

    return Method(fingerprinter, sketcher, matcher, similarity, proposer)


def _i_match(random_lexicons: int) -> Method:
    return _proposing(
        partial(shared_lexicon_hashes, random_lexicons),
        sketcher=partial(_i_match_sketch, random_lexicons),
    )


METHODS: Mapping[config.Method, Method] = {
    config.Method.VERIFIED: Method(_word_simhash, _binned_sketch, _verified, EXACT),
    config.Method.SIMHASH: _proposing(near_fingerprints),
    config.Method.SIMHASH_IDF: _proposing(near_fingerprints, fingerprinter=_tf_idf_simhash),
    config.Method.SIMHASH_NGRAMS: _proposing(near_fingerprints, fingerprinter=_ngram_simhash),
    config.Method.MINHASH: _proposing(shared_bands, ESTIMATED, sketcher=_minhash_sketch),
    config.Method.SUPER_SHINGLES: _proposing(shared_super_shingles, sketcher=_super_shingle_sketch),
    config.Method.I_MATCH: _i_match(0),
    config.Method.I_MATCH_RANDOM: _i_match(i_match.RANDOM_LEXICONS),
    config.Method.EXACT: Method(_word_simhash, _no_sketch, _exact, EXACT),
}
