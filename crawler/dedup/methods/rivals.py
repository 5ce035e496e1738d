"""The field's classic methods, to be compared with the default one.

Exact Jaccard similarity, SimHash, I-Match, MinHash. All but the first only propose: they number the
texts they are given and answer with rows, best first. The first of these is believed, or they are
verified: a job says which (`dedup.verify`).
"""

from __future__ import annotations

import hashlib
import heapq
import math
import re
import statistics
import sys
from abc import abstractmethod
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import mmh3
import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.console import program
from crawler.dedup import signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column, FingerprintRows, Sized, distances, sorted_unique
from crawler.dedup.index import BUCKETS, KEY_BITS, BucketTable
from crawler.dedup.kernels.plain import sum_hashes, words_and_characters
from crawler.dedup.methods.matching import (
    MAX_VERIFIED,
    Match,
    Matcher,
    Rows,
    Text,
    fingerprint_index,
)
from crawler.dedup.signing import SEED, Hashes, TextParts, weight
from crawler.errors import ConfigError
from crawler.models import Signature

Floats = npt.NDArray[np.float64]
_Number = TypeVar("_Number", np.uint32, np.uint64)

# Exact Jaccard similarity to every stored text: the reference that no method can better.
#
# An inverted index over shingles with the two filters of set-similarity joins (Chaudhuri, Ganti,
# Kaushik, ICDE 2006; Bayardo, Ma, Srikant, WWW 2007). In one order of all shingles, two sets with J
# >= t share one of the first n - ceil(t n) + 1 of each (prefix), and their sizes differ by no more
# than a factor of t. The order here is that of the hashes: random, so that a prefix is a fifth of a
# text at t = .8 and no list of postings depends on what words are common.

_ROUNDING = 1e-9
_TOKEN_BYTES = sys.getsizeof(1 << 31) + sys.getsizeof(array("I"))


class ExactMatcher(Matcher):
    """The most similar representative, then the oldest, at or above the threshold; none is missed.

    Costs memory and time in proportion to the texts' lengths: a reference for sets of thousands of
    texts, not an index for a crawl.
    """

    def __init__(self, settings: config.Dedup, catalog: Catalog, expected_documents: int) -> None:
        super().__init__(catalog, FingerprintRows(expected_documents))
        self._threshold = settings.threshold
        self._postings: dict[tuple[str, int], array[int]] = {}
        self._posted = 0
        self._sizes = Column(np.int64, expected_documents)

    @property
    def nbytes(self) -> int:
        """See Matcher."""
        lists = len(self._postings) * _TOKEN_BYTES + self._posted * array("I").itemsize
        return super().nbytes + lists + sys.getsizeof(self._postings)

    def insert_many(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        """See Matcher; of texts that are read back, reads the shingles from the catalogue."""
        for document_id, text in zip(ids, texts, strict=True):
            if isinstance(text, Signature):
                hashes = text.shingles
            else:
                hashes = self._catalog.shingles(document_id).hashes
            row, prefix = len(self._sizes), self._prefix(hashes)
            for token in prefix:
                self._postings.setdefault((text.shingle_kind, token), array("I")).append(row)
            self._posted += len(prefix)
            self._representatives.insert(document_id, text.fingerprint)
            self._sizes.append(len(hashes))

    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """See Matcher."""
        rows = self._candidates(text).tolist()
        compared = ((-self._similarity(text, row), row) for row in rows)
        alike = (pair for pair in compared if pair[0] and -pair[0] >= self._threshold)
        found = heapq.nsmallest(most, alike)
        return [self._match(text, row, -less) for less, row in found]

    def _candidates(self, text: Signature) -> Rows:
        """Return the rows that share a prefix shingle and are of a possible size."""
        keys = ((text.shingle_kind, token) for token in self._prefix(text.shingles))
        lists = [
            np.frombuffer(self._postings[key], np.uint32) for key in keys if key in self._postings
        ]
        rows = np.unique(np.concatenate([np.empty(0, np.uint32), *lists]))
        sizes, size = self._sizes.take(rows), len(text.shingles)
        ratios = np.minimum(sizes, size) / np.maximum(sizes, size)
        return np.asarray(rows[ratios >= self._threshold - _ROUNDING])

    def _prefix(self, hashes: signing.Hashes) -> list[int]:
        needed = math.ceil(self._threshold * len(hashes) - _ROUNDING)
        prefix: list[int] = hashes[: len(hashes) - needed + 1].tolist()
        return prefix


# Methods that propose, and the hash tables of keys by which most of them do.

_KINDS = (signing.WORD3, signing.CHAR4)


class ProposedMatcher(Matcher):
    """A method's proposals: of the text's own shingle kind, one is the match.

    Where the method is believed it is the first, and similarity is the method's estimate, or None
    where it makes none. With `dedup.verify` it is, of the first MAX_VERIFIED, the one with the
    highest exact similarity, then the oldest, if that reaches the threshold.
    """

    def __init__(
        self,
        settings: config.Dedup,
        catalog: Catalog,
        expected_documents: int,
        representatives: FingerprintRows | None = None,
    ) -> None:
        own = FingerprintRows(expected_documents) if representatives is None else representatives
        super().__init__(catalog, own)
        self._threshold = settings.threshold if settings.verify else None
        self._kinds = Column(np.uint8, expected_documents)

    @abstractmethod
    def propose(self, text: Signature) -> tuple[Rows, Floats | None]:
        """Return the rows that the method takes for near duplicates of a text.

        The best first, then the oldest; with their estimated Jaccard similarities, where the method
        estimates them.
        """

    def insert_many(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        """See Matcher."""
        fingerprints = np.array([text.fingerprint for text in texts], np.uint64)
        self._representatives.insert_many(np.array(ids, np.int64), fingerprints)
        self._kinds.extend(np.array([_KINDS.index(t.shingle_kind) for t in texts], np.uint8))

    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """See Matcher."""
        proposed, known = self.propose(text)
        of_kind = (self._kinds.take(proposed) == _KINDS.index(text.shingle_kind)).nonzero()[0]
        rows = proposed[of_kind].tolist()
        found: list[tuple[int, float | None]]
        if self._threshold is None:
            estimates = [None] * len(rows) if known is None else known[of_kind].tolist()
            found = list(zip(rows, estimates, strict=True))
        else:
            verified = ((self._similarity(text, n), -n) for n in rows[:MAX_VERIFIED])
            alike = sorted((pair for pair in verified if pair[0] >= self._threshold), reverse=True)
            found = [(-older, similarity) for similarity, older in alike]
        return [self._match(text, *pair) for pair in found[:most]]


Keys = npt.NDArray[np.uint64]

_BUCKET_SHIFT = np.uint64(64 - KEY_BITS)


class KeyTable(Sized):
    """64-bit keys by row (0 for the first insert), `tables` of them a row.

    Two rows agree in a table if their keys there are equal; a key of 0 says that the row has
    nothing to show there, and agrees with nothing.

    Nothing that agrees is missed, and nothing else is returned: buckets only propose, the keys
    themselves are compared.
    """

    def __init__(self, tables: int, expected_rows: int) -> None:
        self._first_bucket = np.arange(tables, dtype=np.int64) * BUCKETS
        self._buckets = BucketTable(tables, expected_rows)
        self._keys = Column(np.uint64, expected_rows, (tables,))

    def insert_many(self, keys: Keys) -> None:
        """Add many rows, keys of shape (n, tables)."""
        first = len(self._keys)
        rows = np.arange(first, first + len(keys), dtype=np.uint32)
        shown = keys != 0
        self._buckets.insert_many(
            self._buckets_of(keys)[shown], np.broadcast_to(rows[:, None], keys.shape)[shown]
        )
        self._keys.extend(keys)

    def find(self, keys: Keys, agreeing: int = 1) -> tuple[Rows, npt.NDArray[np.int64]]:
        """Return the rows that agree in `agreeing` tables or more, ascending, and in how many."""
        shown = keys != 0
        rows = sorted_unique(self._buckets.find(self._buckets_of(keys)[shown]))
        counts = ((self._keys.take(rows) == keys) & shown).sum(axis=1)
        chosen = counts >= agreeing
        return rows[chosen], counts[chosen]

    def _buckets_of(self, keys: Keys) -> npt.NDArray[np.int64]:
        return (keys >> _BUCKET_SHIFT).astype(np.int64) | self._first_bucket


class SharedKeys(ProposedMatcher):
    """Proposes the texts whose keys agree in enough tables, those that agree in most first.

    A text's sketch is its keys (super-shingles, I-Match).
    """

    def __init__(
        self,
        tables: int,
        agreeing: int,
        settings: config.Dedup,
        catalog: Catalog,
        expected_documents: int,
    ) -> None:
        super().__init__(settings, catalog, expected_documents)
        self._tables, self._agreeing = tables, agreeing
        self._table = KeyTable(tables, expected_documents)

    def insert_many(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        """See Matcher."""
        super().insert_many(ids, texts)
        self._table.insert_many(self._keys([text.sketch for text in texts]))

    def propose(self, text: Signature) -> tuple[Rows, Floats | None]:
        """See ProposedMatcher."""
        rows, counts = self._table.find(self._keys([text.sketch])[0], self._agreeing)
        return rows[np.argsort(-counts, kind="stable")], None

    def _keys(self, sketches: Sequence[bytes]) -> Keys:
        return unpack(sketches, np.uint64, self._tables)


def pack(numbers: npt.NDArray[Any]) -> bytes:
    """Return a text's keys or minima as bytes, little-endian: its sketch."""
    return numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()


def unpack(sketches: Sequence[bytes], kind: type[_Number], each: int) -> npt.NDArray[_Number]:
    """Return what was packed of many texts, shape (n, each)."""
    rows = np.frombuffer(b"".join(sketches), np.dtype(kind).newbyteorder("<"))
    return rows.astype(kind, copy=False).reshape(-1, each)


# In how many documents of a sample each word occurs: what inverse document frequencies come from.
#
# A small text file, made once of a sample of the language to be crawled and named by a job
# (`dedup.lexicon`): a first line with the number of documents, then one word a line with the number
# of documents it occurs in, the most frequent first. Words of a single document are left out: they
# are most of all words, and typing errors among them.

MIN_DOCUMENTS = 2
"""Words of fewer documents are not kept."""

_HEADER = "# document frequencies, documents:"
_MADE_BY = f"make one with `{program()} lexicon FILE... --output lexicon.tsv`"


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """How many documents were read, and how many of them each word occurs in."""

    documents: int
    counts: Mapping[str, int]

    def idf(self, word: str) -> float:
        """Return ln((N + 1) / (n + 1)) + 1, 1 for a word of every document.

        Smoothed, so that a word never met has a weight and one met everywhere keeps one.
        """
        return math.log((self.documents + 1) / (self.counts.get(word, 0) + 1)) + 1

    def normalised_idf(self, word: str) -> float:
        """Return ln(N / n) / ln N: 0 for a word of every document, 1 for one of a single one."""
        known = self.counts.get(word, 1)
        return math.log(self.documents / known) / math.log(max(2, self.documents))


def fit(documents: Iterable[Iterable[str]]) -> DocumentFrequencies:
    """Count the words of a sample of documents, each given as its words (repeated or not)."""
    counts: Counter[str] = Counter()
    number = 0
    for words in documents:
        number += 1
        counts.update(set(words))
    kept = ((word, count) for word, count in counts.items() if count >= MIN_DOCUMENTS)
    return DocumentFrequencies(number, dict(sorted(kept, key=lambda pair: (-pair[1], pair[0]))))


def save(frequencies: DocumentFrequencies, path: Path) -> None:
    """Write a lexicon file; ConfigError if it cannot be written."""
    lines = [f"{_HEADER} {frequencies.documents}"]
    lines.extend(f"{word}\t{count}" for word, count in frequencies.counts.items())
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"{path}: cannot write the lexicon: {error.strerror}") from None


def load(path: Path) -> DocumentFrequencies:
    """Read a lexicon file; ConfigError, naming line and way out, if it cannot be used."""
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"dedup.lexicon: cannot read {path}: {getattr(error, 'strerror', error)}; {_MADE_BY}"
        ) from None
    head, _, number = first.rpartition(" ")
    if head != _HEADER or not number.isdecimal() or int(number) < 1:
        raise ConfigError(
            f"{path}:1: no lexicon: it does not begin with {_HEADER!r} and a number; {_MADE_BY}"
        )
    return DocumentFrequencies(int(number), dict(_entries(lines, path, int(number))))


def _entries(lines: Iterable[str], path: Path, documents: int) -> Iterable[tuple[str, int]]:
    for number, line in enumerate(lines, 2):
        word, _, count = line.partition("\t")
        if not word or not count.isdecimal() or not 1 <= int(count) <= documents:
            raise ConfigError(f"{path}:{number}: {line!r} is no word, tab and number of documents")
        yield word, int(count)


# SimHash believed: texts whose fingerprints are near, with three ways to weigh their features.
#
# `simhash` takes the fingerprint that every text has (words, damped frequencies). `simhash-idf`
# lets rare words decide more bits: a word weighs (1 + ln tf) * idf (Salton, Buckley 1988). Inverse
# document frequencies of Chinese words come from jieba's own table, some 270,000 words with ln(N /
# n), and its median for words not in it. Other words take theirs from the job's lexicon, where one
# was fitted; else they too weigh the median, as jieba has it, which leaves 1 + ln tf for a text
# without Chinese. `simhash-ngrams` has features that know the order of words: every run of three
# words, or of four characters in texts written without spaces. A moved paragraph still costs
# nothing but the n-grams at its edges, while a changed word costs n features and not one: distances
# grow faster than with words.

NGRAM_WORDS = 3
NGRAM_CHARACTERS = 4


class NearFingerprints(ProposedMatcher):
    """Proposes every fingerprint within `dedup.distance`, the nearest first."""

    def __init__(self, settings: config.Dedup, catalog: Catalog, expected_documents: int) -> None:
        self._index = fingerprint_index(settings, expected_documents)
        super().__init__(settings, catalog, expected_documents, self._index)

    def propose(self, text: Signature) -> tuple[Rows, Floats | None]:
        """See ProposedMatcher."""
        rows = self._index.rows(text.fingerprint)
        apart = distances(self._index.fingerprints[rows], text.fingerprint)
        return rows[np.argsort(apart, kind="stable")], None


class TfIdf:
    """Weighs words; whole numbers, in units of 1 / 1024."""

    def __init__(self, han: Mapping[str, float], fitted: DocumentFrequencies | None) -> None:
        self._han = han
        self._fitted = fitted

    @cached_property
    def _unknown(self) -> float:
        """The weight of Chinese words that the table does not have."""
        return statistics.median(self._han.values())

    def weights(self, counts: Mapping[str, int]) -> npt.NDArray[np.float64]:
        """Return the weight of every word of a text, in the order of `counts`."""
        products = [weight(count) * self.idf(word) for word, count in counts.items()]
        return np.rint(np.array(products, np.float64))

    def idf(self, word: str) -> float:
        """Return a word's inverse document frequency, in natural logarithms."""
        if word in self._han:
            return self._han[word]
        if self._fitted is None or re.match(signing.HAN_RUN, word):
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


def tf_idf_fingerprinter(settings: config.Dedup) -> Callable[[TextParts], int]:
    """Return what makes weighted fingerprints; ConfigError if the lexicon cannot be used."""
    fitted = load(settings.lexicon) if settings.lexicon else None
    return TfIdf(jieba_idf(), fitted).fingerprint


def ngram_counts(parts: TextParts) -> Counter[str]:
    """Return every n-gram of a text with its number of occurrences; none in a text that is shorter.

    Of words, or where the text's shingles are of characters, of characters.
    """
    if parts.kind == signing.CHAR4:
        return _windows(list(parts.cut.text.replace(" ", "")), NGRAM_CHARACTERS)
    return _windows(words_and_characters(parts.cut.text, signing.class_table()), NGRAM_WORDS)


def _windows(units: list[str], width: int) -> Counter[str]:
    shifted = (units[offset:] for offset in range(width))
    return Counter(map("\0".join, zip(*shifted, strict=False)))


# I-Match: one hash of the words that matter; two texts with the same hash are duplicates.
#
# Chowdhury, Frieder, Grossman and McCabe (ACM TOIS 2002): of a text's distinct words those are kept
# whose inverse document frequency lies in a middle band of a collection's (the lexicon), and the
# sorted rest is hashed with SHA-1. Frequent words say nothing, rare ones are typing errors, names
# and dates that change between versions. One hash a text, no comparison; but one lexicon word more
# or less makes another hash.
#
# Kolcz, Chowdhury and Alspector (KDD 2004) answer that brittleness with several lexicons, each the
# first one without a random part of its words: two texts are duplicates if they agree in any of the
# hashes. With d lexicon words differing, one lexicon that keeps a share p of words hides the
# difference with probability q = (1 - p)^d, some of K with 1 - (1 - q)^K.

RANDOM_LEXICONS = 10
"""Lexicons beside the first, as in the paper's experiments."""

LOWEST_IDF = 0.3
HIGHEST_IDF = 0.6
"""Which words a lexicon keeps: normalised inverse document frequencies, inclusive."""

KEPT_SHARE = 2 / 3
"""Share of the words that a random lexicon keeps."""

_SEED = 0x51A5_0100
_KEY_BYTES = 8


class Lexicons:
    """The words of middling frequency and random parts of them: one bit set (`members`) a word.

    Bit 0 stands for the whole lexicon. Deterministic: whether a random one keeps a word depends on
    the word and the lexicon's number only.
    """

    def __init__(self, frequencies: DocumentFrequencies, random_lexicons: int = 0) -> None:
        words = (
            word
            for word in frequencies.counts
            if LOWEST_IDF <= frequencies.normalised_idf(word) <= HIGHEST_IDF
        )
        self.members = {word: _membership(word, random_lexicons) for word in words}
        self._number = 1 + random_lexicons

    def keys(self, parts: TextParts) -> Keys:
        """Return one 64-bit key a lexicon, 0 where the text has none of its words."""
        words = sorted(parts.counts.keys() & self.members.keys())
        members = [self.members[word] for word in words]
        keys = [
            _hash([word for word, bits in zip(words, members, strict=True) if bits >> lexicon & 1])
            for lexicon in range(self._number)
        ]
        return np.array(keys, np.uint64)


def lexicon_sketcher(random_lexicons: int, settings: config.Dedup) -> Callable[[TextParts], bytes]:
    """Return what makes sketches: the keys of the job's lexicon and of random parts of it.

    Raises ConfigError where there is no lexicon, or no word of middling frequency in it.
    """
    assert settings.lexicon is not None, "the configuration asks for one"
    lexicons = Lexicons(load(settings.lexicon), random_lexicons)
    if not lexicons.members:
        raise ConfigError(
            f"dedup.lexicon: {settings.lexicon} has no word of middling frequency; "
            "fit it on more documents"
        )
    return lambda parts: pack(lexicons.keys(parts))


def _membership(word: str, random_lexicons: int) -> int:
    bits = 1
    for lexicon in range(1, 1 + random_lexicons):
        kept = mmh3.hash(word, _SEED + lexicon, signed=False) < int(KEPT_SHARE * 2**32)
        bits |= kept << lexicon
    return bits


def _hash(words: list[str]) -> int:
    """Return the first 64 bits of SHA-1 over sorted words, 0 for none."""
    if not words:
        return 0
    digest = hashlib.sha1("\0".join(words).encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return int.from_bytes(digest.digest()[:_KEY_BYTES], "little") or 1


# MinHash and what is built on its minima: bands of them (LSH), and super-shingles.
#
# **MinHash** (Broder 1997): under a random permutation of all shingles the smallest of one text and
# the smallest of another are the same with probability J. With k permutations, the share of equal
# minima estimates J with a standard error of sqrt(J (1 - J) / k): .035 at J = .8 and k = 128.
# Instead of permutations stand the functions h(x) = (a x + b mod 2^64) >> 32 with a odd: strongly
# universal for 32-bit x if a and b are random 64-bit numbers (Dietzfelbinger, STACS 1996). On sets
# with a pattern such functions favour some members; shingle hashes have none.
#
# **Bands**: k minima are cut into b bands of r; two texts are candidates of each other if they
# agree in every minimum of some band (Indyk, Motwani, STOC 1998). With Jaccard similarity s that
# happens with probability 1 - (1 - s^r)^b, an S-curve whose step lies near (1/b)^(1/r).
#
# **Super-shingles** (Broder, CPM 2000, as used by Fetterly, Manasse and Najork, 2003): 84 minima
# are cut into 6 groups of 14, each hashed to one number, and two texts are duplicates if they agree
# in 2 of the 6; nothing is estimated. With q = J^14 that happens with probability 1 - (1 - q)^6 - 6
# q (1 - q)^5:
#
#     J       .7     .8     .85    .9     .95    .98
#     found   .001   .026   .12    .42    .88    .996
#
# That is a filter for near identity: it is hardly ever wrong and finds few of the pairs near .8.

PERMUTATIONS = 128
"""The field's default."""

NO_SHINGLES = np.uint32(0xFFFF_FFFF)
"""Every value of an empty set; larger than any other."""

VERIFIED_BANDING_WEIGHT = 0.95
"""Weight of false negatives in the choice of bands where candidates are verified: there a false
candidate costs a look-up, and no verdict."""

GROUPS = 6
GROUP_SIZE = 14
AGREEING_GROUPS = 2
"""How the minima of super-shingles are grouped, and how many groups must agree."""

_MINHASH_SEED = 0x51A5_0003
_BAND_SEED = 0x51A5_0004
_CHUNK = 2048
_HALF = np.uint64(32)
_STEPS = 2_000

Values = npt.NDArray[np.uint32]


class MinHasher:
    """k hash functions, the same on every machine."""

    def __init__(self, permutations: int = PERMUTATIONS) -> None:
        raw = np.random.PCG64(_MINHASH_SEED).random_raw(2 * permutations)
        self._factors = raw[:permutations, None] | np.uint64(1)
        self._terms = raw[permutations:, None]

    def __call__(self, hashes: Hashes) -> Values:
        """Return the k minima of a set of shingle hashes, shape (k,)."""
        smallest = np.full(len(self._factors), NO_SHINGLES, np.uint32)
        for start in range(0, len(hashes), _CHUNK):
            chunk = hashes[start : start + _CHUNK].astype(np.uint64)
            images = (self._factors * chunk + self._terms) >> _HALF
            np.minimum(smallest, images.min(axis=1).astype(np.uint32), out=smallest)
        return smallest


def estimate(values: Values, rows: Values) -> Floats:
    """Return the estimated Jaccard similarity of one text to many, shapes (k,) and (n, k)."""
    return np.asarray((rows == values).mean(axis=1))


@dataclass(frozen=True, slots=True)
class Banding:
    """`bands` bands of `rows` values each, and the areas of error they were chosen by."""

    bands: int
    rows: int
    false_positive_area: float
    """Integral of the probability to be found, from 0 to the threshold."""
    false_negative_area: float
    """Integral of the probability to be missed, from the threshold to 1."""

    def __str__(self) -> str:
        return (
            f"b = {self.bands} bands of r = {self.rows} values, step near "
            f"{(1 / self.bands) ** (1 / self.rows):.2f}; areas of error: "
            f"{self.false_positive_area:.4f} false positives, "
            f"{self.false_negative_area:.4f} false negatives"
        )


def found(similarities: Floats, bands: int, rows: int) -> Floats:
    """Return the probabilities that two texts of these similarities share a band."""
    return np.asarray(1 - (1 - similarities**rows) ** bands)


def banding_for(settings: config.Dedup) -> Banding:
    """Return the bands of `minhash` for a threshold, more of them where matches are verified."""
    weight = VERIFIED_BANDING_WEIGHT if settings.verify else 0.5
    return choose_banding(settings.threshold, PERMUTATIONS, weight)


@cache
def choose_banding(threshold: float, values: int, false_negative_weight: float = 0.5) -> Banding:
    """Return the banding of at most `values` values with the smallest weighted areas of error.

    The usual choice (Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", section 3.4): every
    b and r with b * r <= values is tried. At .8 and 128 values equal weights give 9 bands of 13.
    """
    tried = (
        _banding(threshold, bands, rows)
        for bands in range(1, values + 1)
        for rows in range(1, values // bands + 1)
    )
    return min(
        tried,
        key=lambda b: (
            (1 - false_negative_weight) * b.false_positive_area
            + false_negative_weight * b.false_negative_area
        ),
    )


def _banding(threshold: float, bands: int, rows: int) -> Banding:
    """Integrate by the midpoint rule."""
    similarities = (np.arange(_STEPS) + 0.5) / _STEPS
    odds = found(similarities, bands, rows)
    below = similarities < threshold
    return Banding(
        bands,
        rows,
        false_positive_area=float(odds[below].sum() / _STEPS),
        false_negative_area=float((1 - odds[~below]).sum() / _STEPS),
    )


def band_keys(values: Values, bands: int, rows: int) -> Keys:
    """Return one 64-bit key a band, shape (bands,); values beyond the last band are not used.

    A text without shingles is like no other: its keys are 0.
    """
    if values[0] == NO_SHINGLES:
        return np.zeros(bands, np.uint64)
    parts = values[: bands * rows].reshape(bands, rows)
    keys = [mmh3.hash64(p.tobytes(), _BAND_SEED + n, signed=False)[0] for n, p in enumerate(parts)]
    return np.array(keys, np.uint64)


class SharedBands(SharedKeys):
    """Proposes the texts that share a band, the highest estimated similarity first.

    A text's sketch is its minima.
    """

    def __init__(self, settings: config.Dedup, catalog: Catalog, expected_documents: int) -> None:
        self._banding = banding_for(settings)
        super().__init__(self._banding.bands, 1, settings, catalog, expected_documents)
        self._values = Column(np.uint32, expected_documents, (PERMUTATIONS,))

    def insert_many(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        """See Matcher."""
        super().insert_many(ids, texts)
        self._values.extend(unpack([text.sketch for text in texts], np.uint32, PERMUTATIONS))

    def propose(self, text: Signature) -> tuple[Rows, Floats | None]:
        """See ProposedMatcher."""
        rows, _ = self._table.find(self._keys([text.sketch])[0])
        values = unpack([text.sketch], np.uint32, PERMUTATIONS)[0]
        estimates = estimate(values, self._values.take(rows))
        order = np.argsort(-estimates, kind="stable")
        return rows[order], estimates[order]

    def _keys(self, sketches: Sequence[bytes]) -> Keys:
        bands, rows = self._banding.bands, self._banding.rows
        texts = unpack(sketches, np.uint32, PERMUTATIONS)
        return np.stack([band_keys(values, bands, rows) for values in texts])


def super_shingler() -> Callable[[Hashes], Keys]:
    """Return what makes a text's super-shingles, one a group; all 0 where there is no shingle."""
    minima = MinHasher(GROUPS * GROUP_SIZE)
    return lambda hashes: band_keys(minima(hashes), GROUPS, GROUP_SIZE)
