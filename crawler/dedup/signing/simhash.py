"""SimHash: a 64-bit fingerprint whose Hamming distance grows with the angle between texts.

Charikar (STOC 2002): with one random hyperplane a bit, two texts at angle t differ in a share
t / pi of the bits. As in Manku, Jain and Das Sarma (WWW 2007) the hyperplanes are the bits of a
hash of each feature: bit i is 1 iff the weights of features with bit i set outweigh the others.

Features are the words of a text, taken by script (`crawler.dedup.signing.scripts`): Han runs from
the segmenter, lower-case runs where words are written apart, pairs of neighbouring characters in
kana, Thai, Lao, Khmer and Myanmar. Full-width and other compatibility forms are folded (NFKC), so
`ＡＢＣ` and `abc` are one word; digests do not fold them.

Words that say nothing about what a text is about count for nothing: closed-class words of English
and Chinese. Both lists were written for this project from the grammar of the two languages
(articles, pronouns, auxiliaries, prepositions, conjunctions; particles, pronouns, measure and
function words) and are part of a fingerprint's definition: a change to them is a change of
`VERSION`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.kernels.plain_words import count_words, stop_table, sum_hashes
from crawler.dedup.signing import scripts
from crawler.dedup.signing.scripts import Cut
from crawler.dedup.signing.segmenter import Segmenter
from crawler.normal_forms import normalised

BITS = 64
VERSION = 1
"""Fingerprints of different versions must not be compared."""

WEIGHT_UNIT = 1024
"""Weights are whole numbers of 1/1024: sums are exact, so no machine rounds a bit the other way."""

SEED = 0x51A5_0001

ENGLISH = frozenset(
    """
    a an the this that these those i me my mine we us our ours you your yours he him his she her
    hers it its they them their theirs who whom whose which what where when why how and or but
    nor so yet if then else than because while although though unless until since as of at by
    for with about against between into through during before after above below to from up down
    in out on off over under again once here there all any both each few more most other some
    such no not only own same too very s t am is are was were be been being have has had having
    do does did doing will would shall should can could may might must also however within
    without upon per via
    """.split()
)

CHINESE = frozenset(
    """
    的 了 在 是 我 有 和 就 不 人 都 一 一个 上 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那
    他 她 它 我们 你们 他们 她们 它们 这个 那个 这些 那些 这里 那里 什么 怎么 如何 哪 哪里 谁 与
    及 以及 或 或者 而 而且 并 并且 但 但是 因为 所以 如果 则 虽然 然而 于 对 对于 关于 从 自 由
    被 把 将 向 往 以 为 为了 之 其 其中 该 此 等 等等 中 内 外 下 里 后 前 时 年 月 日 个 们 地
    得 过 吗 吧 呢 啊 可以 可 能 能够 应 应当 应该 需 需要 还 又 再 更 最 已 已经 曾 正 正在 只
    只有 仅 每 各 某 另 另外 其他 通过 按 按照 根据 进行 使 使用 让 给 比 同 跟 像 如 例如 即
    即使 无 非 未 没 所 者
    """.split()
)

_STOP_WORDS = ENGLISH | CHINESE
_NO_FEATURES = _STOP_WORDS | {"\n"}


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
        return count_words(self.cut.text, scripts.class_table(), self.segmented, _NO_FEATURES)


def find_words(cut: Cut, segment: Segmenter) -> Words:
    """Return the words of a text, stop words among them."""
    folded = normalised("NFKC", cut.text)
    if folded != cut.text:
        cut = scripts.cut(folded)  # `⒈` gives `1.`
    return Words(cut, segment(cut.han) if cut.han else ())  # one call for all runs


def weight(count: int) -> int:
    """Return 1 + ln(count), the damped term frequency, in units of 1 / WEIGHT_UNIT."""
    return round(WEIGHT_UNIT * (1 + math.log(count)))


_LISTED = np.array([0, *map(weight, range(1, 4096))], np.float64)
"""Weights by number of occurrences. No word of a usual text occurs more often: the weights of a
text that has one are worked out anew."""
_LISTED_BYTES = _LISTED.astype(np.uint32).tobytes()


def word_simhash(words: Words) -> tuple[int, int]:
    """Return the `simhash` of a text's words without the stop words, and how many words those are.

    Where the kernel counts them, no objects of words are made.
    """
    text, segmented = words.cut.text, words.segmented
    table = scripts.class_table()
    counted = kernels.fingerprint_words(text, table, segmented, _stop_table(), _LISTED_BYTES, SEED)
    return (simhash(words.counts), words.counts.total()) if counted is None else counted


def simhash(counts: Mapping[str, int]) -> int:
    """Return the unsigned 64-bit fingerprint of a text's features; 0 for no features.

    The same on every machine: seeded MurmurHash3 and whole-number weights. A sum of exactly 0
    gives a 0 bit.
    """
    return sum_hashes(counts, weights(counts.values()), SEED)


def weights(counts: Collection[int]) -> npt.NDArray[np.float64]:
    """Return the weight of each of some counts, all at least 1."""
    try:
        return _LISTED.take(np.fromiter(counts, np.intp, len(counts)))
    except IndexError:  # a word so frequent that it is not listed
        return np.fromiter(map(weight, counts), np.float64, len(counts))


@cache
def _stop_table() -> bytes:
    return stop_table(_STOP_WORDS)
