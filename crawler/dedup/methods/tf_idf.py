"""SimHash with TF-IDF weights: rare words decide more bits than common ones.

The weight of a word is (1 + ln tf) * idf (Salton, Buckley 1988). Inverse document frequencies of
Chinese words come from jieba's own table, some 270,000 words with ln(N / n), and its median for
words not in it. Other words take theirs from the job's lexicon, where one was fitted; else they too
weigh the median, as jieba has it, which leaves 1 + ln tf for a text without Chinese.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup.methods.document_frequencies import DocumentFrequencies, load
from crawler.dedup.signing import scripts
from crawler.dedup.signing.simhash import weight, weighted_simhash
from crawler.dedup.signing.text_parts import TextParts


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
        return weighted_simhash(parts.counts, self.weights(parts.counts))


def jieba_idf() -> dict[str, float]:
    """Return the table that jieba ships: Chinese words and their ln(N / n); 0.2 s, some 40 MB."""
    table = files("jieba").joinpath("analyse", "idf.txt").read_text(encoding="utf-8")
    pairs = (line.rsplit(" ", 1) for line in table.splitlines())
    return {word: float(idf) for word, idf in pairs}


def tf_idf_fingerprinter(settings: config.Dedup) -> TfIdf:
    """Return the job's weights; ConfigError if its lexicon cannot be used."""
    return TfIdf(jieba_idf(), load(settings.lexicon) if settings.lexicon else None)
