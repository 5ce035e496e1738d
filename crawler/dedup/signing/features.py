"""What a fingerprint is made of: the words of a text, each with a weight.

Words are taken by script (`crawler.dedup.signing.scripts`): Han runs from the segmenter, lower-case
runs where words are written apart, pairs of neighbouring characters in kana, Thai, Lao, Khmer and
Myanmar. Full-width and other compatibility forms are folded (NFKC), so `ＡＢＣ` and `abc` are one
word; digests do not fold them.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np
import numpy.typing as npt

from crawler.dedup.signing import scripts, stop_words
from crawler.dedup.signing.scripts import Cut
from crawler.dedup.signing.segmenter import Segmenter

WEIGHT_UNIT = 1024
"""Weights are whole numbers of 1/1024: sums are exact, so no machine rounds a bit the other way."""

_NO_FEATURES = stop_words.ENGLISH | stop_words.CHINESE | {"\n"}


def count_features(cut: Cut, segment: Segmenter) -> Counter[str]:
    """Return every word of a text with its number of occurrences, but no stop words."""
    if not unicodedata.is_normalized("NFKC", cut.text):
        cut = scripts.cut(unicodedata.normalize("NFKC", cut.text))  # cut anew: `⒈` gives `1.`
    words = [*cut.words, *_bigrams(cut.unsegmented)]
    if cut.han:  # one call for all, with the new-lines that keep them apart
        words += segment("\n".join(cut.han))
    counts = Counter(words)
    for word in _NO_FEATURES.intersection(counts):
        counts.pop(word)  # `del` of a Counter is Python code, at four times the cost
    return counts


def weight(count: int) -> int:
    """Return 1 + ln(count), the damped term frequency, in units of 1 / WEIGHT_UNIT."""
    return round(WEIGHT_UNIT * (1 + math.log(count)))


_LISTED = 4096
"""No word of a usual text occurs as often: one that does costs a logarithm for each of them."""
_WEIGHTS = np.array([0, *map(weight, range(1, _LISTED))], np.float64)


def weights(counts: Collection[int]) -> npt.NDArray[np.float64]:
    """Return the weight of each of some counts, all at least 1."""
    try:
        return _WEIGHTS.take(np.fromiter(counts, np.intp, len(counts)))
    except IndexError:  # a word so frequent that it is not listed
        return np.fromiter(map(weight, counts), np.float64, len(counts))


def _bigrams(runs: list[str]) -> Iterator[str]:
    for run in runs:
        if len(run) == 1:
            yield run
        for start in range(len(run) - 1):
            yield run[start : start + 2]
