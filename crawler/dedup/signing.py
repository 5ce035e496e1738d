"""What a signature is made of: digests, words of a text by script, fingerprint, shingles, sketch.

And what is told of a page beside it: its look, and the fingerprint of its layout.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.util
import logging
import math
import re
import secrets
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar

import mmh3
import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup import kernels
from crawler.dedup.kernels.plain import (
    BINS,
    BITS,
    BLOCKS,
    HAN,
    KEY_SIZE,
    OTHER,
    PAGE,
    SPACED,
    UNSEGMENTED,
    WORDS,
    Words64,
    count_words,
    differing,
    stop_table,
    sum_hashes,
)
from crawler.errors import NotInstalled
from crawler.models import Shingles, Signature
from crawler.models.enums import PayloadHash
from crawler.normal_forms import normalised

# Digests of bodies and of folded text both decide whether a page is dropped, so both must be
# collision resistant; the fast hashes below never are asked to tell documents apart.

_NAMES_BY_SIZE = {20: "sha1", 32: "sha256"}


def payload_digest(body: bytes, algorithm: PayloadHash = PayloadHash.SHA256) -> bytes:
    """Return the digest of a body after Content-Encoding was removed: 20 or 32 bytes."""
    return hashlib.new(algorithm.value, body, usedforsecurity=False).digest()


def format_digest(digest: bytes) -> str:
    """Return a digest as WARC-Payload-Digest writes it, e.g. `sha1:3I42H3S6NNFQ...`.

    WARC 1.1 (section 5.8) says `algorithm ":" value` and leaves the encoding open; its own example
    and the field's tools write SHA-1 in base32. SHA-256 is written in base32 too, as warcio and
    Heritrix do, without the `=` padding that the `token` grammar of a value does not allow.

    Raises ValueError for a digest of neither size.
    """
    name = _NAMES_BY_SIZE.get(len(digest))
    if name is None:
        raise ValueError(f"a payload digest has 20 or 32 bytes, not {len(digest)}")
    return f"{name}:{base64.b32encode(digest).decode('ascii').rstrip('=')}"


def parse_digest(text: str) -> bytes:
    """Undo `format_digest`. Raises ValueError for what it never returns."""
    name, _, value = text.partition(":")
    digest = base64.b32decode(value + "=" * (-len(value) % 8))
    if _NAMES_BY_SIZE.get(len(digest)) != name:
        raise ValueError(f"no digest: {text}")
    return digest


def text_digest(text: str) -> bytes:
    """Return 32 bytes that two texts share if they differ in nothing but NFC and white space.

    Nothing else is folded: case, width or punctuation folding made different pages equal.
    """
    return hashlib.sha256(kernels.fold_spaces(normalised("NFC", text))).digest()


# Which characters belong to scripts written without spaces, and how a text is cut by script.
#
# Word boundaries are spaces in most scripts, a dictionary's business in Chinese, and neither in
# Japanese kana, Thai, Lao, Khmer and Myanmar. So a text is cut by script before anything else.
#
# Regular expressions say which characters belong where. They are asked about every character once,
# by who signs texts first; a text is then cut by the table of their answers, at a third of what the
# expressions cost in Python and at a fraction of that in C.

_SEGMENTED = "\u4e00-\u9fd5"
"""The Han characters jieba's dictionary speaks of (its own range); it leaves others uncut."""

_UNSEGMENTED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana, 々〇
    "\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # rarer Han
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eae\u0eb0-\u0ebd\u0ec0-\u0ece"  # Thai, Lao
    "\u1780-\u17d3\u1000-\u103f\u1050-\u109d"  # Khmer, Myanmar
)

HAN_RUN, UNSEGMENTED_RUN = f"[{_SEGMENTED}]+", f"[{_UNSEGMENTED}]+"
SPACED_RUN = rf"[^\W{_SEGMENTED}{_UNSEGMENTED}]+"
"""Where words are written apart; a run ends where another script begins (`stdio.h头文件`)."""


@dataclass(frozen=True)
class Cut:
    """A text cut by script."""

    text: str
    """All of it in lower case, with a space for every character that is no letter, digit or `_`.

    Combining marks are none (Python's word characters leave them out), which cuts Thai and Khmer
    words into more pieces than they have; the same pieces on every page.
    """
    han: str
    """Han runs, in order, a new-line between two."""
    unspaced_share: float
    """Share (0..1) of letters, digits and `_` that are of scripts written without spaces."""


def cut_by_script(text: str) -> Cut:
    """Return a text cut by script: all that is compared of it."""
    kept, han, unspaced, characters = kernels.cut_by_script(text.lower(), class_table())
    return Cut(kept, han, unspaced / characters if unspaced else 0.0)


@cache
def class_table() -> bytes:
    """Return the class of every character as the kernels read it (`kernels.plain`); 40 ms.

    Most blocks are all of one class, so fewer than 256 different pages say all.
    """
    classes = np.full(BLOCKS * PAGE, OTHER, np.uint8)
    characters = re.sub(r"\W", " ", "".join(map(chr, range(len(classes)))))
    for number, run in ((SPACED, SPACED_RUN), (UNSEGMENTED, UNSEGMENTED_RUN), (HAN, HAN_RUN)):
        for match in re.finditer(run, characters):
            classes[match.start() : match.end()] = number
    pages, numbers = np.unique(classes.reshape(-1, PAGE), axis=0, return_inverse=True)
    filled = np.zeros((PAGE, PAGE), np.uint8)
    filled[: len(pages)] = pages
    return numbers.astype(np.uint8).tobytes() + filled.tobytes()


# Folding on request: traditional Chinese to simplified, full-width forms to ordinary ones.
#
# Off by default. Characters are replaced one phrase at a time by OpenCC (configuration `t2s`),
# which knows which of several simplified characters a phrase asks for; NFKC folds full-width
# letters, digits and punctuation. Features fold those always; shingles do so only here, because by
# the definition of similarity that verdicts are measured by,
# `２０２４` and `2024` are different words.

Folder = Callable[[str], str]

PACKAGE = "opencc"


def load_folder(settings: config.Dedup) -> Folder | None:
    """Return what is done to a text before it is compared, or None for nothing.

    Raises NotInstalled where folding is asked for and OpenCC is not installed.
    """
    if not settings.fold_chinese:
        return None
    check_folding(settings)
    convert: Folder = importlib.import_module(PACKAGE).OpenCC("t2s").convert
    return lambda text: convert(normalised("NFKC", text))


def check_folding(settings: config.Dedup) -> None:
    """Raise NotInstalled where folding is asked for and OpenCC is not installed."""
    if settings.fold_chinese and importlib.util.find_spec(PACKAGE) is None:
        raise NotInstalled("dedup.fold_chinese", "OpenCC", "chinese", "leave it out")


# Chinese words: jieba's tokens of Han runs, by rjieba (the same in Rust) where it is installed.
#
# Loading a dictionary takes up to a second and some 100 MB; it leaves nothing behind: no log lines,
# no cache file.

Segmenter = Callable[[str], Sequence[str]]
"""Cuts a text into words. Only Han runs may be given, apart by new-lines: on mixed runs such as
`stdio.h` the two implementations differ, on Han runs they do not."""


def tokenizer() -> str:
    """Return by whose words texts are signed: jieba's, whichever of the two cuts them."""
    try:
        return f"jieba {version('jieba')}"
    except PackageNotFoundError:
        return "jieba 0.42.1"  # the last one; rjieba has its dictionary


def load_segmenter() -> Segmenter:
    """Return rjieba's segmenter if that is installed, else jieba's.

    It is loaded by the first text that it cuts, and raises NotInstalled there where neither is
    installed: who has no Chinese text needs none.
    """

    @cache
    def loaded() -> Segmenter:
        if importlib.util.find_spec("rjieba"):
            rjieba: Segmenter = importlib.import_module("rjieba").cut
            return rjieba
        if importlib.util.find_spec("jieba"):
            return load_jieba()
        raise NotInstalled("judging Chinese texts", "rjieba", "fast")

    return lambda han: loaded()(han)


def load_jieba() -> Segmenter:
    """Return jieba's segmenter, loaded from its dictionary.

    jieba would otherwise trust, or write, `jieba.cache` in the shared temporary directory, where
    any user of the machine may have put another dictionary; so that step is gone round.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources in jieba 0.42
        jieba = importlib.import_module("jieba")
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    segmenter: Segmenter = tokenizer.lcut
    return segmenter


# SimHash: a 64-bit fingerprint whose Hamming distance grows with the angle between texts.
#
# Charikar (STOC 2002): with one random hyperplane a bit, two texts at angle t differ in a share t /
# pi of the bits. As in Manku, Jain and Das Sarma (WWW 2007) the hyperplanes are the bits of a hash
# of each feature: bit i is 1 iff the weights of features with bit i set outweigh the others.
#
# Features are the words of a text, taken by script (`crawler.dedup.signing`): Han runs from the
# segmenter, lower-case runs where words are written apart, pairs of neighbouring characters in
# kana, Thai, Lao, Khmer and Myanmar. Full-width and other compatibility forms are folded (NFKC), so
# `ＡＢＣ` and `abc` are one word; digests do not fold them.
#
# Words that say nothing about what a text is about count for nothing: closed-class words of English
# and Chinese. Both lists were written for this project from the grammar of the two languages
# (articles, pronouns, auxiliaries, prepositions, conjunctions; particles, pronouns, measure and
# function words) and are part of a fingerprint's definition: a change to them is a change of
# `VERSION`.

FINGERPRINT_VERSION = 1
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
        return count_words(self.cut.text, class_table(), self.segmented, _NO_FEATURES)


def find_words(cut: Cut, segment: Segmenter) -> Words:
    """Return the words of a text, stop words among them."""
    folded = normalised("NFKC", cut.text)
    if folded != cut.text:
        cut = cut_by_script(folded)  # `⒈` gives `1.`
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
    table = class_table()
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


# Sketches: 132 bytes that estimate the similarity of two texts without their shingles.
#
# One Permutation Hashing (Li, Owen, Zhang, NIPS 2012): the range of shingle hashes is cut into 256
# bins, and two texts with Jaccard similarity J have the same smallest hash in a bin with
# probability J. A bin left empty borrows from another by a fixed random sequence of bins, which
# keeps that true for short texts (Shrivastava, ICML 2017, "Optimal Densification"). Of each
# smallest hash four bits are kept (b-bit minwise hashing, Li and König, WWW 2010): different hashes
# agree in them once in 16.
#
# A sketch also carries the number of shingles, since J <= min(n, m) / max(n, m).
#
# Layout: 16 words of 64 bits (little-endian, bin i in bits 4 * (i % 16) of word i // 16), then the
# number of shingles as a 32-bit integer.

SKETCH_VERSION = 1
"""Sketches of different versions must not be compared."""

_CHANCE = 2.0**-BITS
"""How often different hashes agree in the bits that are kept."""

_LAYOUT = np.dtype([("words", "<u8", (WORDS,)), ("shingles", "<u4")])


def unpack(sketch: bytes) -> tuple[Words64, int]:
    """Return a sketch's words (shape (16,)) and its number of shingles."""
    words = np.frombuffer(sketch, "<u8", WORDS)
    return words.astype(np.uint64, copy=False), int.from_bytes(sketch[WORDS * 8 :], "little")


def unpack_many(sketches: Sequence[bytes]) -> tuple[Words64, npt.NDArray[np.uint32]]:
    """Return the words (shape (n, 16)) and numbers of shingles of many sketches."""
    rows = np.frombuffer(b"".join(sketches), _LAYOUT)
    return rows["words"].astype(np.uint64), rows["shingles"].astype(np.uint32)


def sketch_similarity(differing: npt.NDArray[np.uint32], words: int) -> npt.NDArray[np.float64]:
    """Return the Jaccard similarities that go with numbers of differing bins, of `words` words."""
    agreeing = 1 - differing / (words * 64 // BITS)
    return np.asarray((agreeing - _CHANCE) / (1 - _CHANCE))


def estimate(words: Words64, rows: Words64) -> npt.NDArray[np.float64]:
    """Return the estimated Jaccard similarity of one sketch to many, shapes (w,) and (n, w).

    Any part of a sketch estimates too, with fewer bins.
    """
    return sketch_similarity(differing(words, rows), len(words))


def estimated(sketch: bytes, other: bytes) -> float:
    """Return the estimated Jaccard similarity (0..1) of two sketches, 1 for the same ones."""
    if sketch == other:
        return 1.0
    (words, number), (others, other_number) = unpack(sketch), unpack(other)
    most = min(number, other_number) / max(1, number, other_number)
    return min(most, max(0.0, float(estimate(words, others[np.newaxis])[0])))


def standard_error(similarity: float) -> float:
    """Return the standard error of an estimate at a true similarity, with every bin filled.

    256 independent bins agree with probability p = J + (1 - J) / 16. At J = 0.8 this is 0.026.
    Borrowed bins are not independent: for texts of fewer than some 300 shingles the error is
    larger, up to 0.03.
    """
    agreeing = similarity + (1 - similarity) * _CHANCE
    return math.sqrt(agreeing * (1 - agreeing) / BINS) / (1 - _CHANCE)


# Shingles: the runs of words or characters by which two texts are compared exactly.
#
# Broder (1997): the resemblance of two texts is the Jaccard similarity of their shingle sets. A
# text is lower-cased and reduced to its runs of word characters; its shingles are then
#
# - `word3`: every run of three words, where words are written apart; a character of a script
#   without spaces counts as a word, lest a foreign sentence weigh as little as one;
# - `char4`: every run of four characters after everything that is no word character was removed,
#   where they are not (Chinese, Japanese, Thai ...).
#
# Sets of 32-bit hashes stand for the sets of shingles. Two different shingles of texts with n and m
# of them share a hash with probability below n * m / 2^32, which moves the similarity of two texts
# of 10,000 shingles by about 2e-6.
#
# The hashes are the same for everybody, so who computes for some minutes finds words whose shingles
# have the hashes of somebody else's page. Therefore each hash has a mark: 8 bits of a function
# whose key only the store knows that keeps the text (`crawler.dedup.kernels.plain`). Shingles are
# the same if hash and mark are. Equal shingles always have equal marks, so no similarity depends on
# the key; each forged one is found out but for 1 in 256.

WORD3 = "word3"
CHAR4 = "char4"
SHINGLES_VERSION = 2
"""Shingle hashes of different versions must not be compared."""

MAX_SHINGLES = 65_536
"""A larger set is represented by its smallest hashes, a bottom-k sketch (Broder 1997)."""

_UNSPACED_SHARE = 0.1
"""From this share of Chinese, Japanese, Thai ... characters on, words do not carry the text. Pages
about programming hold so much code that Han is a seventh of their characters; English pages with a
few foreign names stay far below."""

_SHINGLE_SEED = 0x51A5_0002

_MARK_BITS = np.uint64(8)

Hashes = npt.NDArray[np.uint32]
Marks = npt.NDArray[np.uint8]
_Set = TypeVar("_Set", Hashes, npt.NDArray[np.uint64])


def new_key() -> bytes:
    """Return a key to mark shingles by, which nobody can guess."""
    return secrets.token_bytes(KEY_SIZE)


def shingle_kind(cut: Cut) -> str:
    """Return `char4` for texts written without spaces between words, else `word3`."""
    return CHAR4 if cut.unspaced_share >= _UNSPACED_SHARE else WORD3


def shingle_hashes(cut: Cut, kind: str, key: bytes = b"") -> tuple[Hashes, Marks]:
    """Return the sorted unique hashes of all shingles, uncapped, and the mark of each.

    Both are empty below one whole shingle; without a key there are no marks.
    """
    table = class_table()
    hashes, marks = kernels.shingle_hashes(cut.text, table, kind == CHAR4, _SHINGLE_SEED, key)
    return np.frombuffer(hashes, np.uint32), np.frombuffer(marks, np.uint8)


def shingle_similarity(text: Signature, stored: Shingles) -> float:
    """Return the Jaccard similarity (0..1) of a text and a stored one of the same kind.

    By hashes and marks; by hashes alone where there are no marks of the same key: the stored text
    is of a time before there were marks, or the text was signed without that key. An estimate
    where only a sketch is kept of it.
    """
    if stored.sketch is not None:
        return estimated(text.sketch, stored.sketch)
    if stored.marks is None or stored.key >= len(text.marks):
        return jaccard(text.shingles, stored.hashes)
    marks = text.marks[stored.key]
    return jaccard(marked(text.shingles, marks), marked(stored.hashes, stored.marks))


def jaccard(hashes: _Set, other: _Set) -> float:
    """Return the Jaccard similarity (0..1) of two sorted sets of hashes; 0 if both are empty.

    Exact for sets below the cap. Where one was capped both are cut at the last hash known of
    either; what is left is a uniform sample of the union, so the result is an unbiased estimate
    with a standard error below 0.002.
    """
    for capped in (hashes, other):
        if len(capped) == MAX_SHINGLES:
            hashes, other = _up_to(hashes, capped[-1]), _up_to(other, capped[-1])
    if not len(hashes) or not len(other):
        return 0.0
    merged = np.concatenate([hashes, other])
    merged.sort(kind="stable")  # merges the two sorted runs in linear time
    shared = int(np.count_nonzero(merged[1:] == merged[:-1]))
    return shared / (len(merged) - shared)


def marked(hashes: Hashes, marks: Marks) -> npt.NDArray[np.uint64]:
    """Return sorted hashes with their marks, as numbers that are equal where both are."""
    return hashes.astype(np.uint64) << _MARK_BITS | marks


def _up_to(hashes: _Set, limit: np.unsignedinteger) -> _Set:
    return hashes[: np.searchsorted(hashes, limit, side="right")]


@dataclass(frozen=True)
class TextParts:
    """One text: cut by script, its words, its shingles."""

    cut: Cut
    words: Words
    fingerprint: int
    """The SimHash of the words."""
    tokens: int
    """The number of words, stop words left out."""
    kind: str
    """`word3` or `char4`."""
    hashes: Hashes
    """Sorted unique shingle hashes, before any cap."""
    marks: tuple[Marks, ...]
    """Their marks by each key."""

    @property
    def counts(self) -> Counter[str]:
        """See `crawler.dedup.signing.Words`."""
        return self.words.counts


def take_apart(text: str, segment: Segmenter, keys: Sequence[bytes] = ()) -> TextParts:
    """Return the parts of a text, its shingles marked by each of the keys."""
    by_script = cut_by_script(text)
    kind = shingle_kind(by_script)
    words = find_words(by_script, segment)
    hashed = [shingle_hashes(by_script, kind, key) for key in keys or (b"",)]
    marks = tuple(marks for _, marks in hashed) if keys else ()
    return TextParts(by_script, words, *word_simhash(words), kind, hashed[0][0], marks)


# What a text looks like but for its digits and white space.
#
# The trap rule counts looks (`crawler.frontier.traps`). They tell no documents apart.

LOOKED_AT = 100_000
"""Characters of a text that are looked at: some 5 ms. A longer text is like no other that differs
at all, as its digest tells."""

_DIGITS = re.compile(r"\d+")


def look(text: str, digest: bytes = b"") -> bytes:
    """Return 8 bytes that are equal for texts that differ in digits and white space only.

    Longer ones than LOOKED_AT look alike only where their `digest` is equal, too.
    """
    words = " ".join(_DIGITS.sub("#", text[:LOOKED_AT]).split())
    looked_at = blake2b(words.encode(errors="surrogatepass"), digest_size=8)
    if len(text) > LOOKED_AT:
        looked_at.update(digest)
    return looked_at.digest()


LEAST_LINE_BYTES = 16
"""Of a line, in UTF-8, that may be news: shorter ones are labels."""
MOST_HASHED_LINES = 2_000


def line_hashes(text: str, visible: str, own: Sequence[str] = ()) -> bytes:
    """Return the 32-bit hashes of the lines of a page that may be news, little-endian.

    What stands beside its `text` among all that is `visible` is taken without its numbers: there
    they are counters and times of the site. Without `own` words, of its address, a line says what
    it would say on another page.
    Each hash once, in ascending order.
    """
    lines = dict.fromkeys(" ".join(line.split()) for line in text.splitlines())
    for line in visible.splitlines():
        if (line := " ".join(line.split())) not in lines:
            lines[_DIGITS.sub("0", line)] = None
    told: list[bytes] = []
    for line in lines:
        for word in own:
            if word in line:
                line = " ".join(line.replace(word, " ").split())
        encoded = line.encode(errors="surrogatepass")
        if len(encoded) >= LEAST_LINE_BYTES:
            told.append(encoded)
    hashed = [mmh3.hash(line, signed=False) for line in told[:MOST_HASHED_LINES]]
    return np.unique(np.array(hashed, "<u4")).tobytes()


# Layout fingerprints: 32 bytes that estimate how alike the skeletons of two pages are.
#
# 1-bit minwise hashing (Broder 1997; Li and König, WWW 2010) of the tag paths, a path of weight w
# counting as w elements of a set: under each of 256 hash functions two sets with Jaccard similarity
# J have the same smallest element with probability J, and of each smallest element one bit is kept,
# which others share half of the time. So two fingerprints differ in (1 - J) / 2 of their bits on
# average.

LAYOUT_BITS = 256
LAYOUT_VERSION = 1
"""Fingerprints of different versions must not be compared."""

_LAYOUT_SEED = 0x1A70_0001
_KEPT_BIT = np.uint64(32)
"""Of a smallest product the high bits are nearly all 0, the low ones hash badly."""

_MULTIPLIERS = np.frombuffer(
    b"".join(
        mmh3.hash_bytes(n.to_bytes(2, "little"), _LAYOUT_SEED) for n in range(LAYOUT_BITS // 2)
    ),
    "<u8",
) | np.uint64(1)
"""One odd multiplier a hash function: h(x) = m * x mod 2**64 (Dietzfelbinger et al., 1997)."""


_KNOWN = 2048
"""Paths whose hashes a process holds, 4 MB: pages of one site share nearly all of theirs, some
hundred, and hashing them is most of the work."""


def layout_fingerprint(paths: Mapping[str, int]) -> bytes | None:
    """Return the fingerprint of a page's tag paths, each with its weight; None for no paths.

    Deterministic: whole numbers and seeded MurmurHash3 only.
    """
    if not paths:
        return None
    smallest = np.minimum.reduce([_smallest(path, weight) for path, weight in paths.items()])
    packed: bytes = np.packbits((smallest >> _KEPT_BIT) & np.uint64(1) != 0).tobytes()
    return packed


@lru_cache(_KNOWN)
def _smallest(path: str, weight: int) -> npt.NDArray[np.uint64]:
    """Return the smallest hash of a path's copies under each function, shape (BITS,)."""
    digests = b"".join(mmh3.hash_bytes(path, _LAYOUT_SEED + copy) for copy in range(weight))
    elements = np.frombuffer(digests, "<u8")[::2]
    return np.asarray((elements[:, None] * _MULTIPLIERS).min(axis=0))


def layout_similarity(layout: bytes, other: bytes) -> float:
    """Return the estimated weighted Jaccard similarity of two pages' tag paths, 0..1.

    Exactly 1 for equal ones. The standard error is sqrt((1 - J**2) / 256): .054 at J = .5, .027 at
    J = .9.
    """
    different = int.from_bytes(layout, "big") ^ int.from_bytes(other, "big")
    return max(0.0, 1 - 2 * different.bit_count() / LAYOUT_BITS)
