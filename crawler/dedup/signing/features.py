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
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from crawler.dedup.signing import scripts, stop_words
from crawler.dedup.signing.scripts import Cut
from crawler.dedup.signing.segmenter import Segmenter

WEIGHT_UNIT = 1024
"""Weights are whole numbers of 1/1024: sums are exact, so no machine rounds a bit the other way."""

_NO_FEATURES = stop_words.ENGLISH | stop_words.CHINESE | {"\n"}


@dataclass(frozen=True)
class Words:
    """The words of a text, not counted yet."""

    cut: Cut
    """The text, its compatibility forms folded."""
    segmented: Sequence[str]
    """The words of its Han runs, and the new-lines that kept those apart."""

    @cached_property
    def counts(self) -> Counter[str]:
        """Every word with its number of occurrences, but no stop words."""
        counts = Counter([*self.cut.words, *_bigrams(self.cut.unsegmented), *self.segmented])
        for word in _NO_FEATURES.intersection(counts):
            counts.pop(word)  # `del` of a Counter is Python code, at four times the cost
        return counts


def find_words(cut: Cut, segment: Segmenter) -> Words:
    """Return the words of a text, stop words among them."""
    folded = unicodedata.normalize("NFKC", cut.text)
    if folded != cut.text:
        cut = scripts.cut(folded)  # `⒈` gives `1.`
    return Words(cut, segment(cut.han) if cut.han else ())  # one call for all runs


def weight(count: int) -> int:
    """Return 1 + ln(count), the damped term frequency, in units of 1 / WEIGHT_UNIT."""
    return round(WEIGHT_UNIT * (1 + math.log(count)))


LISTED_WEIGHTS = np.array([0, *map(weight, range(1, 4096))], np.float64)
"""By number of occurrences. No word of a usual text occurs more often: weights of a text that has
one are worked out anew."""


def weights(counts: Collection[int]) -> npt.NDArray[np.float64]:
    """Return the weight of each of some counts, all at least 1."""
    try:
        return LISTED_WEIGHTS.take(np.fromiter(counts, np.intp, len(counts)))
    except IndexError:  # a word so frequent that it is not listed
        return np.fromiter(map(weight, counts), np.float64, len(counts))


def _bigrams(runs: list[str]) -> Iterator[str]:
    for run in runs:
        if len(run) == 1:
            yield run
        for start in range(len(run) - 1):
            yield run[start : start + 2]
