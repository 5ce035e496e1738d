"""The field's classic methods, to be compared with the default one.

Exact Jaccard similarity, SimHash, I-Match, MinHash.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import statistics
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

import mmh3
import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.config import IndexDesign
from crawler.console import program
from crawler.dedup import signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column, FingerprintRows
from crawler.dedup.index import BlockIndex
from crawler.dedup.kernels.plain import sum_hashes
from crawler.dedup.methods.matching import (
    Comparison,
    Keys,
    KeyTable,
    Match,
    Proposals,
    Rows,
    SharedKeys,
    Text,
    pack_keys,
)
from crawler.dedup.signing import SEED, Fingerprinter, Hashes, Sketcher, TextParts, simhash, weight
from crawler.dedup.tables import GrowingTables
from crawler.errors import ConfigError
from crawler.models import IndexRow, Signature

# Exact Jaccard similarity to every stored text: the reference that no method can better.
#
# An inverted index over shingles with the two filters of set-similarity joins (Chaudhuri, Ganti,
# Kaushik, ICDE 2006; Bayardo, Ma, Srikant, WWW 2007). In one order of all shingles, two sets with J
# >= t share one of the first n - ceil(t n) + 1 of each (prefix), and their sizes differ by no more
# than a factor of t. The order here is that of the hashes: random, so that a prefix is a fifth of a
# text at t = .8 and no list of postings depends on what words are common.

_ROUNDING = 1e-9
_TOKEN_BYTES = sys.getsizeof(1 << 31) + sys.getsizeof(array("I"))


class ExactMatcher:
    """The most similar representative, then the oldest, at or above the threshold; none is missed.

    Costs memory and time in proportion to the texts' lengths: a reference for sets of thousands of
    texts, not an index for a crawl.
    """

    def __init__(self, settings: config.Dedup, catalog: Catalog, expected_documents: int) -> None:
        self._threshold = settings.threshold
        self._catalog = catalog
        self._postings: dict[tuple[str, int], array[int]] = {}
        self._posted = 0
        self._representatives = FingerprintRows(
            Column(np.int64, expected_documents), expected_documents
        )
        self._sizes = Column(np.int64, expected_documents)
        self._comparison = Comparison(catalog, self._representatives)

    @property
    def nbytes(self) -> int:
        """See Matcher."""
        lists = len(self._postings) * _TOKEN_BYTES + self._posted * array("I").itemsize
        columns = self._representatives.nbytes + self._sizes.nbytes
        return columns + lists + sys.getsizeof(self._postings)

    def insert(self, document_id: int, text: Signature) -> None:
        """See Matcher."""
        self._insert(document_id, text, text.shingles)

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """See Matcher; reads every text's shingles from the catalogue."""
        for row in rows:
            self._insert(row.id, row, self._catalog.shingles(row.id).hashes)

    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """See Matcher."""
        rows = self._candidates(text).tolist()
        compared = ((-self._comparison.similarity(text, row), row) for row in rows)
        alike = (pair for pair in compared if pair[0] and -pair[0] >= self._threshold)
        found = heapq.nsmallest(most, alike)
        return [self._comparison.match(text, row, -less) for less, row in found]

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

    def _insert(self, document_id: int, text: Text, hashes: signing.Hashes) -> None:
        row, prefix = len(self._sizes), self._prefix(hashes)
        for token in prefix:
            self._postings.setdefault((text.shingle_kind, token), array("I")).append(row)
        self._posted += len(prefix)
        self._representatives.insert(document_id, text.fingerprint)
        self._sizes.append(len(hashes))


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
        if self._fitted is None or signing.HAN_RUN.match(word):
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
    if parts.kind == signing.CHAR4:
        return _windows(list(parts.cut.characters()), NGRAM_CHARACTERS)
    return _windows(parts.cut.words_and_characters(), NGRAM_WORDS)


def ngram_fingerprinter(settings: config.Dedup) -> Fingerprinter:
    """Return what makes fingerprints of n-grams, each weighed 1 + ln(occurrences)."""
    return lambda parts: simhash(ngram_counts(parts))


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


def lexicon_sketcher(random_lexicons: int, settings: config.Dedup) -> Sketcher:
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
    return lambda parts: pack_keys(lexicons.keys(parts))


def shared_lexicon_hashes(
    random_lexicons: int, settings: config.Dedup, expected: int
) -> SharedKeys:
    """Return the proposer of texts that agree in the hash of any lexicon."""
    return SharedKeys(1 + random_lexicons, 1, expected)


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
Floats = npt.NDArray[np.float64]


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


def pack(values: Values) -> bytes:
    """Return values as bytes, little-endian."""
    return values.astype("<u4").tobytes()


def unpack_many(packed: Sequence[bytes], permutations: int = PERMUTATIONS) -> Values:
    """Return many texts' values, shape (n, k)."""
    rows = np.frombuffer(b"".join(packed), "<u4").reshape(-1, permutations)
    return rows.astype(np.uint32, copy=False)


def estimate(values: Values, rows: Values) -> Floats:
    """Return the estimated Jaccard similarity of one text to many, shapes (k,) and (n, k)."""
    return np.asarray((rows == values).mean(axis=1))


def minhash_sketcher(settings: config.Dedup) -> Sketcher:
    """Return what makes sketches of `minhash`: the minima, packed."""
    minima = MinHasher()
    return lambda parts: pack(minima(parts.hashes))


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


class SharedBands:
    """A proposer of the texts that share a band, the highest estimated similarity first."""

    def __init__(self, settings: config.Dedup, expected_texts: int) -> None:
        self._banding = banding_for(settings)
        self._table = KeyTable(self._banding.bands, expected_texts)
        self._values = Column(np.uint32, expected_texts, (PERMUTATIONS,))

    @property
    def nbytes(self) -> int:
        """See Proposer."""
        return self._table.nbytes + self._values.nbytes

    def insert(self, texts: Sequence[Text]) -> None:
        """See Proposer."""
        values = unpack_many([text.sketch for text in texts])
        self._table.insert_many(np.stack([self._keys(row) for row in values]))
        self._values.extend(values)

    def propose(self, text: Signature) -> Proposals:
        """See Proposer."""
        values = unpack_many([text.sketch])[0]
        rows, _ = self._table.find(self._keys(values))
        estimates = estimate(values, self._values.take(rows))
        order = np.argsort(-estimates, kind="stable")
        return Proposals(rows[order], estimates[order])

    def _keys(self, values: Values) -> Keys:
        return band_keys(values, self._banding.bands, self._banding.rows)


def super_shingler() -> Callable[[Hashes], Keys]:
    """Return what makes a text's super-shingles, one a group; all 0 where there is no shingle."""
    minima = MinHasher(GROUPS * GROUP_SIZE)
    return lambda hashes: band_keys(minima(hashes), GROUPS, GROUP_SIZE)


def super_shingle_sketcher(settings: config.Dedup) -> Sketcher:
    """Return what makes sketches of `super-shingles`."""
    make = super_shingler()
    return lambda parts: pack_keys(make(parts.hashes))


def shared_super_shingles(settings: config.Dedup, expected_texts: int) -> SharedKeys:
    """Return the proposer of `super-shingles`."""
    return SharedKeys(GROUPS, AGREEING_GROUPS, expected_texts)
