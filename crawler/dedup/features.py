"""What a fingerprint is made of: the words of a text, each with a weight.

Words are taken by script (`crawler.dedup.scripts`): Han runs from the segmenter, lower-case runs
where words are written apart, pairs of neighbouring characters in kana, Thai, Lao, Khmer and
Myanmar. Full-width and other compatibility forms are folded (NFKC), so `ＡＢＣ` and `abc` are one
word; digests do not fold them.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from crawler.dedup import scripts, stop_words
from crawler.dedup.segmenter import Segmenter

WEIGHT_UNIT = 1024
"""Weights are whole numbers of 1/1024: sums are exact, so no machine rounds a bit the other way."""

_STOP_WORDS = stop_words.ENGLISH | stop_words.CHINESE


def count_features(runs: list[str], segment: Segmenter) -> Counter[str]:
    """Return every word with its number of occurrences, stop words left out.

    `runs` are a text's word runs (`crawler.dedup.scripts.word_runs`).
    """
    folded = _fold("\n".join(runs))
    counts = Counter(scripts.SPACED_RUN.findall(folded))
    if not folded.isascii():
        counts.update(_han_words(folded, segment))
        counts.update(_bigrams(folded))
        del counts["\n"]
    for word in _STOP_WORDS & counts.keys():
        del counts[word]
    return counts


def weight(count: int) -> int:
    """Return 1 + ln(count), the damped term frequency, in units of 1 / WEIGHT_UNIT."""
    return round(WEIGHT_UNIT * (1 + math.log(count)))


def _fold(text: str) -> str:
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", text).lower()


def _han_words(text: str, segment: Segmenter) -> Iterable[str]:
    """Return the words of all Han runs in one call, with the new-lines that kept them apart."""
    runs = scripts.HAN_RUN.findall(text)
    return segment("\n".join(runs)) if runs else ()


def _bigrams(text: str) -> Iterator[str]:
    for run in scripts.UNSEGMENTED_RUN.findall(text):
        if len(run) == 1:
            yield run
        for start in range(len(run) - 1):
            yield run[start : start + 2]
