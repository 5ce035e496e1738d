"""SimHash believed: texts whose fingerprints are near, with three ways to weigh their features.

`simhash` takes the fingerprint that every text has (words, damped frequencies). `simhash-idf` lets
rare words decide more bits: a word weighs (1 + ln tf) * idf (Salton, Buckley 1988). Inverse
document frequencies of Chinese words come from jieba's own table, some 270,000 words with
ln(N / n), and its median for words not in it. Other words take theirs from the job's lexicon, where
one was fitted; else they too weigh the median, as jieba has it, which leaves 1 + ln tf for a text
without Chinese. `simhash-ngrams` has features that know the order of words: every run of three
words, or of four characters in texts written without spaces. A moved paragraph still costs nothing
but the n-grams at its edges, while a changed word costs n features and not one: distances grow
faster than with words.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.config import IndexDesign
from crawler.dedup.index.block_index import BlockIndex
from crawler.dedup.kernels.plain_words import sum_hashes
from crawler.dedup.methods.document_frequencies import DocumentFrequencies, load
from crawler.dedup.methods.matching import Proposals, Text
from crawler.dedup.signing import scripts, shingles
from crawler.dedup.signing.simhash import SEED, simhash, weight
from crawler.dedup.signing.text_parts import Fingerprinter, TextParts
from crawler.dedup.tables import GrowingTables
from crawler.records import Signature

NGRAM_WORDS = 3
NGRAM_CHARACTERS = 4


class NearFingerprints:
    """A proposer of every fingerprint within `dedup.distance`, the nearest first."""

    def __init__(self, settings: config.Dedup, expected_texts: int) -> None:
        self._index = fingerprint_index(settings, expected_texts)

    @property
    def nbytes(self) -> int:
        """See Proposer."""
        return self._index.nbytes

    def insert(self, texts: Sequence[Text]) -> None:
        """See Proposer."""
        fingerprints = np.array([text.fingerprint for text in texts], np.uint64)
        self._index.insert_many(np.arange(len(texts), dtype=np.int64), fingerprints)

    def propose(self, text: Signature) -> Proposals:
        """See Proposer."""
        rows = self._index.rows(text.fingerprint)
        distances = np.bitwise_count(self._index.fingerprints[rows] ^ np.uint64(text.fingerprint))
        return Proposals(rows[np.argsort(distances, kind="stable")])


def fingerprint_index(settings: config.Dedup, expected: int) -> BlockIndex | GrowingTables:
    """Return an empty index of the job's design, exact to its distance: both find the same."""
    if settings.index is IndexDesign.TABLES:
        return GrowingTables(settings.distance, expected, settings.index_memory_bytes)
    return BlockIndex(settings.distance, expected)


class TfIdf:
    """Weighs words; whole numbers, in units of 1 / 1024."""

    def __init__(self, han: Mapping[str, float], fitted: DocumentFrequencies | None) -> None:
        self._han = han
        self._unknown = statistics.median(han.values())
        self._fitted = fitted

    def weights(self, counts: Mapping[str, int]) -> npt.NDArray[np.float64]:
        """Return the weight of every word of a text, in the order of `counts`."""
        products = [weight(count) * self.idf(word) for word, count in counts.items()]
        return np.rint(np.array(products, np.float64))

    def idf(self, word: str) -> float:
        """Return a word's inverse document frequency, in natural logarithms."""
        if word in self._han:
            return self._han[word]
        if self._fitted is None or scripts.HAN_RUN.match(word):
            return self._unknown
        return self._fitted.idf(word)

    def fingerprint(self, parts: TextParts) -> int:
        """Return a text's 64-bit fingerprint."""
        return sum_hashes(parts.counts, self.weights(parts.counts), SEED)


@cache
def jieba_idf() -> Mapping[str, float]:
    """Return the table that jieba ships: Chinese words and their ln(N / n).

    It takes .2 s and some 40 MB, once a process.
    """
    table = files("jieba").joinpath("analyse", "idf.txt").read_text(encoding="utf-8")
    pairs = (line.rsplit(" ", 1) for line in table.splitlines())
    return MappingProxyType({word: float(idf) for word, idf in pairs})


def tf_idf_fingerprinter(settings: config.Dedup) -> Fingerprinter:
    """Return what makes weighted fingerprints; ConfigError if the lexicon cannot be used."""
    fitted = load(settings.lexicon) if settings.lexicon else None
    return TfIdf(jieba_idf(), fitted).fingerprint


def ngram_counts(parts: TextParts) -> Counter[str]:
    """Return every n-gram of a text with its number of occurrences; none in a text that is shorter.

    Of words, or where the text's shingles are of characters, of characters.
    """
    if parts.kind == shingles.CHAR4:
        return _windows(list(parts.cut.characters()), NGRAM_CHARACTERS)
    return _windows(parts.cut.words_and_characters(), NGRAM_WORDS)


def ngram_fingerprinter(settings: config.Dedup) -> Fingerprinter:
    """Return what makes fingerprints of n-grams, each weighed 1 + ln(occurrences)."""
    return lambda parts: simhash(ngram_counts(parts))


def _windows(units: list[str], width: int) -> Counter[str]:
    shifted = (units[offset:] for offset in range(width))
    return Counter(map("\0".join, zip(*shifted, strict=False)))
