"""The methods by name: a crawl, the `dedup` command and the benchmarks choose here.

In an analysis process a method makes a fingerprint and a sketch of a text; in the judge's process
its matcher finds near duplicates by them. To add a method:

1. Write a module here: what makes its sketch, if the ordinary fingerprint is not all it needs
   (`settings -> (TextParts -> bytes)`), and either a proposer (`matching.Proposer`), which
   `_proposed` makes a matcher of, or a matcher of its own (`matching.Matcher`).
2. Give it a name in `crawler.models.enums.Method`, and where it verifies or needs a lexicon, in
   the sets there.
3. Give it a line in METHODS below, one in `views/explain/evidence.py` (its measure), and one in
   docs/accuracy.md.

The tests of methods then try it with all others: a longer copy is found, and found after a restart.
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
from crawler.dedup import signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.methods import rivals
from crawler.dedup.methods.matching import Matcher, ProposedMatcher, ProposerMaker
from crawler.dedup.methods.rivals import (
    RANDOM_LEXICONS,
    ExactMatcher,
    NearFingerprints,
    SharedBands,
    lexicon_sketcher,
    minhash_sketcher,
    ngram_fingerprinter,
    shared_lexicon_hashes,
    shared_super_shingles,
    super_shingle_sketcher,
    tf_idf_fingerprinter,
)
from crawler.dedup.methods.verified import VerifiedMatcher, binned_sketcher
from crawler.dedup.signing import Fingerprinter, Sketcher

VERSION = 1
"""What methods of different versions keep of a text must not be compared."""

MatcherMaker = Callable[[config.Dedup, Catalog, int], Matcher]
"""(settings, catalogue, expected documents) -> an empty matcher."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to recognise near duplicates."""

    matcher: MatcherMaker
    sketcher: Callable[[config.Dedup], Sketcher] = lambda settings: lambda parts: b""
    """Loads what makes sketches; ConfigError if something is missing."""
    fingerprinter: Callable[[config.Dedup], Fingerprinter] = lambda settings: (
        lambda parts: parts.fingerprint
    )
    """Loads what makes fingerprints; ConfigError if something is missing."""


def _proposed(proposer: ProposerMaker) -> MatcherMaker:
    return partial(ProposedMatcher, proposer)


def _i_match(random_lexicons: int) -> Method:
    return Method(
        _proposed(partial(shared_lexicon_hashes, random_lexicons)),
        partial(lexicon_sketcher, random_lexicons),
    )


METHODS: Mapping[config.Method, Method] = {
    config.Method.VERIFIED: Method(VerifiedMatcher, binned_sketcher),
    config.Method.SIMHASH: Method(_proposed(NearFingerprints)),
    config.Method.SIMHASH_IDF: Method(
        _proposed(NearFingerprints), fingerprinter=tf_idf_fingerprinter
    ),
    config.Method.SIMHASH_NGRAMS: Method(
        _proposed(NearFingerprints), fingerprinter=ngram_fingerprinter
    ),
    config.Method.MINHASH: Method(_proposed(SharedBands), minhash_sketcher),
    config.Method.SUPER_SHINGLES: Method(_proposed(shared_super_shingles), super_shingle_sketcher),
    config.Method.I_MATCH: _i_match(0),
    config.Method.I_MATCH_RANDOM: _i_match(RANDOM_LEXICONS),
    config.Method.EXACT: Method(ExactMatcher),
}


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
    signing.check_folding(settings)
    lexicon = settings.lexicon
    if lexicon is not None:
        rivals.load(lexicon)
    return {
        "method": f"{settings.method.value} {VERSION}",
        "lexicon": hashlib.sha256(lexicon.read_bytes()).hexdigest() if lexicon else None,
        "fold_chinese": f"opencc {version('opencc')}" if settings.fold_chinese else None,
    }
