"""The ways to recognise near duplicates, which a job chooses by name (`dedup.method`).

In an analysis process a method makes a fingerprint and a sketch of a text (`Signer`); in the
judge's process its matcher finds, by those, the representative that a text joins::

    matching  what every method offers the judge; `verified`, the default: fingerprints and sketches
              propose, shingles decide
    rivals    the classics: exact similarity, SimHash believed (TF-IDF, n-grams), MinHash with bands
              and super-shingles, I-Match with one lexicon or several

docs/accuracy.md measures them against each other. To add a method:

1. Write a matcher (`matching.Matcher`), or one that only proposes (`rivals.ProposedMatcher`), and
   what makes its sketch, if the ordinary fingerprint is not all it needs
   (`settings -> (TextParts -> bytes)`).
2. Give it a name in `crawler.models.enums.Method`, and where it verifies or needs a lexicon, in
   the sets there.
3. Give it a line in METHODS below, one in `views/explain/evidence.py` (its measure), and one in
   docs/accuracy.md.

The tests of methods then try it with all others: a longer copy is found, and found after a restart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

from crawler import config
from crawler.config import NearMode
from crawler.dedup import kernels, signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.methods import rivals
from crawler.dedup.methods.matching import Matcher, VerifiedMatcher
from crawler.dedup.methods.rivals import RANDOM_LEXICONS, NearFingerprints, SharedKeys
from crawler.dedup.signing import (
    MAX_SHINGLES,
    Folder,
    Hashes,
    Segmenter,
    TextParts,
    text_digest,
)
from crawler.models import Signature

VERSION = 1
"""What methods of different versions keep of a text must not be compared."""

Fingerprinter = Callable[[TextParts], int]
"""Makes a text's unsigned 64-bit fingerprint."""
Sketcher = Callable[[TextParts], bytes]
"""Makes what a method keeps of a text in memory: `Signature.sketch`."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to recognise near duplicates."""

    matcher: Callable[[config.Dedup, Catalog, int], Matcher]
    """(settings, catalogue, expected documents) -> an empty matcher."""
    sketcher: Callable[[config.Dedup], Sketcher] = lambda settings: lambda parts: b""
    """Loads what makes sketches; ConfigError if something is missing."""
    fingerprinter: Callable[[config.Dedup], Fingerprinter] = lambda settings: (
        lambda parts: parts.fingerprint
    )
    """Loads what makes fingerprints; ConfigError if something is missing."""


def _packed(make: Callable[[Hashes], rivals.Keys | rivals.Values]) -> Sketcher:
    return lambda parts: rivals.pack(make(parts.hashes))


def _i_match(random_lexicons: int) -> Method:
    """Texts that agree in the hash of any lexicon."""
    return Method(
        partial(SharedKeys, 1 + random_lexicons, 1),
        partial(rivals.lexicon_sketcher, random_lexicons),
    )


METHODS: Mapping[config.Method, Method] = {
    config.Method.VERIFIED: Method(
        VerifiedMatcher, lambda settings: lambda parts: kernels.make_sketch(parts.hashes)
    ),
    config.Method.SIMHASH: Method(NearFingerprints),
    config.Method.SIMHASH_IDF: Method(NearFingerprints, fingerprinter=rivals.tf_idf_fingerprinter),
    config.Method.SIMHASH_NGRAMS: Method(
        NearFingerprints,
        fingerprinter=lambda settings: lambda parts: signing.simhash(rivals.ngram_counts(parts)),
    ),
    config.Method.MINHASH: Method(rivals.SharedBands, lambda settings: _packed(rivals.MinHasher())),
    config.Method.SUPER_SHINGLES: Method(
        partial(SharedKeys, rivals.GROUPS, rivals.AGREEING_GROUPS),
        lambda settings: _packed(rivals.super_shingler()),
    ),
    config.Method.I_MATCH: _i_match(0),
    config.Method.I_MATCH_RANDOM: _i_match(RANDOM_LEXICONS),
    config.Method.EXACT: Method(rivals.ExactMatcher),
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


class Signer:
    """From text to `Signature`: all that the judge needs to know, made in the analysis process.

    A pure function of the text once its tools are loaded. Picklable as long as it has not signed or
    been warmed: a dictionary does not travel between processes. Not thread-safe while it warms.

    `keys` are those of the stores whose texts these are compared with, their own first: each marks
    the shingles (`crawler.dedup.signing`).
    """

    def __init__(self, settings: config.Dedup, keys: Sequence[bytes] = ()) -> None:
        self._settings = settings
        self._keys = tuple(keys)

    def warm(self) -> None:
        """Load the dictionary and tables now (up to a second) rather than on the first text.

        Raises ConfigError where the settings name a lexicon or package that is not there.
        """
        segment, *_ = self._tools
        signing.take_apart("预热", segment)

    def __call__(
        self, judged_text: str, visible_text: str | None = None, kept_text: str | None = None
    ) -> Signature:
        """Return the signature of a page's judged text, with the digests of the other two.

        Those not given are the judged text, as in a corpus.
        """
        segment, fold, fingerprint, sketch = self._tools
        text = fold(judged_text) if fold else judged_text
        parts = signing.take_apart(text, segment, self._keys)
        digests = {judged_text: text_digest(judged_text)}
        for other in (kept_text, visible_text):
            if other is not None and other not in digests:
                digests[other] = text_digest(other)
        return Signature(
            text_digest=digests[judged_text if kept_text is None else kept_text],
            visible_digest=digests[judged_text if visible_text is None else visible_text],
            fingerprint=fingerprint(parts),
            tokens=parts.tokens,
            shingle_kind=parts.kind,
            shingles=parts.hashes[:MAX_SHINGLES],
            marks=tuple(marks[:MAX_SHINGLES] for marks in parts.marks),
            sketch=sketch(parts),
        )

    @cached_property
    def _tools(self) -> tuple[Segmenter, Folder | None, Fingerprinter, Sketcher]:
        """What is loaded once a process."""
        method, settings = METHODS[self._settings.method], self._settings
        return (
            signing.load_segmenter(),
            signing.load_folder(settings),
            method.fingerprinter(settings),
            method.sketcher(settings),
        )
