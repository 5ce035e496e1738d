"""What the methods keep of a text, against worked examples and against the papers' formulas."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import config
from crawler.dedup import signing
from crawler.dedup.columns import hamming
from crawler.dedup.methods import rivals
from crawler.dedup.methods.rivals import (
    DocumentFrequencies,
    Lexicons,
    TfIdf,
    jieba_idf,
    ngram_counts,
    tf_idf_fingerprinter,
)
from crawler.dedup.signing import (
    WEIGHT_UNIT,
    TextParts,
    load_segmenter,
    simhash,
    take_apart,
    weight,
)
from crawler.errors import ConfigError


def parts(text: str) -> TextParts:
    """Return a text taken apart."""
    return take_apart(text, load_segmenter())


def hash_sets(shared: int, alone: int, seed: int = 0) -> tuple[signing.Hashes, signing.Hashes]:
    """Return two sets of random hashes with J = shared / (shared + 2 alone)."""
    rng = np.random.default_rng([seed, shared])
    drawn = rng.choice(2**32, shared + 2 * alone, replace=False).astype(np.uint32)
    one, two = drawn[: shared + alone], np.concatenate([drawn[:shared], drawn[shared + alone :]])
    return np.sort(one), np.sort(two)


# --------------------------------------------------------------------------------------------------
# SimHash with other weights and features


def test_a_word_weighs_its_damped_frequency_times_its_idf() -> None:
    """The weights of a small text are those computed by hand."""
    fitted = DocumentFrequencies(9, {"common": 9, "rare": 1})
    weigh = TfIdf({"国": 4.0, "家": 6.0, "法": 5.0}, fitted)
    weights = weigh.weights({"common": 3, "rare": 1, "国": 2, "无此词": 1})
    expected = [
        weight(3) * 1.0,
        weight(1) * (math.log(10 / 2) + 1),
        weight(2) * 4.0,
        weight(1) * 5.0,  # the table's median, for a Chinese word it does not have
    ]
    assert weights.tolist() == [round(value) for value in expected]


def test_jiebas_table_is_read_whole() -> None:
    """The shipped table has jieba's words with its values, and its own median."""
    table = jieba_idf()
    assert table["劳动防护"] == pytest.approx(13.900677652)
    assert len(table) > 250_000
    assert table["我们"] < table["爬虫"]
    assert TfIdf(table, None).idf("没有这个词") == pytest.approx(11.9547675029)  # as jieba has it


def test_without_a_lexicon_an_english_text_has_its_plain_fingerprint() -> None:
    """A constant idf weighs nothing: 1 + ln tf is what is left."""
    english = parts("the quick brown fox jumps over the lazy dog, the fox is quick " * 3)
    fingerprint = tf_idf_fingerprinter(config.Dedup())(english)
    assert hamming(fingerprint, simhash(english.counts)) <= 1  # rounding may turn a tie


def test_a_rare_word_moves_a_weighted_fingerprint_further() -> None:
    """Exchanging common words costs fewer bits than exchanging as many rare ones."""
    topic = {f"topic{n}": 20 for n in range(40)}
    common, other = ({f"{kind}{n}": 900 for n in range(40)} for kind in ("common", "usual"))
    weigh = TfIdf({"字": 1.0}, DocumentFrequencies(1000, topic | common | other))
    base = parts(" ".join([*topic, *common]))
    without_common = parts(" ".join([*topic, *other]))
    without_topic = parts(" ".join([*common, *(f"else{n}" for n in range(40))]))
    fingerprint = weigh.fingerprint(base)
    moved = hamming(fingerprint, weigh.fingerprint(without_common))
    assert moved < hamming(simhash(base.counts), simhash(without_common.counts))
    assert moved < hamming(fingerprint, weigh.fingerprint(without_topic))


def test_ngrams_are_counted_by_script() -> None:
    """Words three at a time, Chinese characters four at a time, each with its number."""
    words = ngram_counts(parts("a b c a b c"))
    assert words == {"a\0b\0c": 2, "b\0c\0a": 1, "c\0a\0b": 1}
    assert ngram_counts(parts("中华人民，中华人民")) == Counter(
        ["中\0华\0人\0民"] * 2 + ["华\0人\0民\0中", "人\0民\0中\0华", "民\0中\0华\0人"]
    )
    assert not ngram_counts(parts("two words"))


def test_ngrams_know_order_and_words_do_not() -> None:
    """A text with its words in another order has the same words and other n-grams."""
    one, two = parts("alpha beta gamma delta"), parts("delta gamma beta alpha")
    assert simhash(one.counts) == simhash(two.counts)
    assert simhash(ngram_counts(one)) != simhash(ngram_counts(two))


# --------------------------------------------------------------------------------------------------
# MinHash, bands, super-shingles


def test_minhash_estimates_the_jaccard_similarity() -> None:
    """For six similarities the estimate lies within four standard errors."""
    hasher = rivals.MinHasher(512)
    for shared, alone in ((0, 500), (200, 400), (500, 250), (800, 100), (950, 25), (1000, 0)):
        one, two = hash_sets(shared, alone)
        true = shared / (shared + 2 * alone)
        estimated = rivals.estimate(hasher(one), hasher(two)[None])[0]
        assert abs(estimated - true) <= 4 * math.sqrt(true * (1 - true) / 512) + 1e-3


def test_a_minimum_is_equally_often_any_shingle() -> None:
    """Over 4,096 functions each of eight shingles is the smallest in an eighth of them."""
    hashes = np.sort(np.random.default_rng(1).integers(0, 2**32, 8).astype(np.uint32))
    whole = rivals.MinHasher(4096)(hashes)
    shares = [(rivals.MinHasher(4096)(hashes[n : n + 1]) == whole).mean() for n in range(8)]
    assert sum(shares) == pytest.approx(1, abs=0.01)
    assert max(abs(share - 1 / 8) for share in shares) < 0.03


@given(st.sets(st.integers(0, 2**32 - 1), max_size=5000), st.integers(0, 5000))
def test_minima_of_a_union_are_the_smaller_minima(hashes: set[int], cut: int) -> None:
    """MinHash of a union is the element-wise minimum of its parts', whatever the sizes."""
    hasher = rivals.MinHasher(16)
    whole = np.array(sorted(hashes), np.uint32)
    smaller = np.minimum(hasher(whole[:cut]), hasher(whole[cut:]))
    assert (hasher(whole) == smaller).all()


def test_values_survive_being_stored() -> None:
    """What is packed is unpacked, for many texts at once."""
    rows = [rivals.MinHasher(8)(hash_sets(n, 5)[0]) for n in (10, 20)]
    assert (rivals.unpack([rivals.pack(row) for row in rows], np.uint32, 8) == np.stack(rows)).all()


def test_bands_are_chosen_by_the_areas_of_error() -> None:
    """At .8 and 128 values the usual choice is 9 bands of 13; heavier misses ask for more bands."""
    equal = rivals.choose_banding(0.8, 128)
    assert (equal.bands, equal.rows) == (9, 13)
    careful = rivals.choose_banding(0.8, 128, false_negative_weight=0.95)
    assert careful.false_negative_area < equal.false_negative_area / 4
    assert careful.bands * careful.rows <= 128
    assert "b = 9 bands of r = 13" in str(equal)


def test_the_areas_are_integrals_of_the_curve() -> None:
    """The printed areas agree with integrals solved on paper: one band of one value."""
    only = rivals.choose_banding(0.5, 1)
    assert only.false_positive_area == pytest.approx(1 / 8, abs=1e-6)
    assert only.false_negative_area == pytest.approx(1 / 8, abs=1e-6)


def test_texts_share_a_band_as_often_as_the_curve_says() -> None:
    """Of 400 pairs at one similarity the expected share agrees in some band."""
    hasher, agreed = rivals.MinHasher(64), 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        drawn = rng.choice(2**32, 130, replace=False).astype(np.uint32)
        one, two = drawn[:115], np.concatenate([drawn[:100], drawn[115:]])
        keys = [rivals.band_keys(hasher(np.sort(h)), 16, 4) for h in (one, two)]
        agreed += bool((keys[0] == keys[1]).any())
    expected = rivals.found(np.array([100 / 130, 0.5]), 16, 4)
    assert agreed / 400 == pytest.approx(expected[0], abs=0.03)
    assert expected[1] == pytest.approx(1 - (1 - 1 / 16) ** 16)


@pytest.mark.parametrize(("shared", "alone"), [(800, 100), (900, 50), (950, 25), (980, 10)])
def test_super_shingles_are_found_as_the_paper_computes(shared: int, alone: int) -> None:
    """Over 300 pairs at J two of six groups of fourteen agree with the binomial odds."""
    make, found = rivals.super_shingler(), 0
    for seed in range(300):
        one, two = hash_sets(shared, alone, seed)
        found += int((make(one) == make(two)).sum()) >= 2
    q = (shared / (shared + 2 * alone)) ** 14
    odds = 1 - (1 - q) ** 6 - 6 * q * (1 - q) ** 5
    assert found / 300 == pytest.approx(odds, abs=4 * math.sqrt(odds * (1 - odds) / 300) + 1e-3)


def test_a_text_without_shingles_has_no_super_shingle() -> None:
    """The keys are 0, which agrees with nothing."""
    assert not rivals.super_shingler()(np.empty(0, np.uint32)).any()


# --------------------------------------------------------------------------------------------------
# I-Match


SAMPLE = DocumentFrequencies(
    1000, {"the": 1000, "crawl": 60, "page": 70, "digest": 40, "frontier": 30, "typo": 2}
)


def test_a_lexicon_keeps_the_middle_of_the_idf_scale() -> None:
    """Normalised idf is 0 for a word of all documents and 1 for one of a single document."""
    assert SAMPLE.normalised_idf("the") == 0
    assert SAMPLE.normalised_idf("never met") == pytest.approx(1)
    lexicons = Lexicons(SAMPLE)
    assert set(lexicons.members) == {"crawl", "page", "digest", "frontier"}


def test_i_match_ignores_order_repetition_and_other_words() -> None:
    """Two texts with the same lexicon words have one hash; one word more makes another."""
    lexicons = Lexicons(SAMPLE)
    first = lexicons.keys(parts("the crawl of a page"))
    assert (lexicons.keys(parts("Page, page! Typo crawl")) == first).all()
    assert (lexicons.keys(parts("page crawl digest")) != first).all()
    assert not lexicons.keys(parts("the typo")).any()


def test_random_lexicons_hide_some_differences() -> None:
    """A text with one word more agrees in those lexicons that lack the word, and in no other."""
    words = {f"word{n}": 30 + n % 7 for n in range(60)}
    lexicons = Lexicons(DocumentFrequencies(1000, words), random_lexicons=20)
    text = " ".join(list(words)[:-1])
    last = lexicons.members["word59"]
    agree = lexicons.keys(parts(text)) == lexicons.keys(parts(text + " word59"))
    assert agree.tolist() == [not last >> n & 1 for n in range(21)]
    assert not agree[0]
    assert 2 <= agree.sum() <= 13


def test_a_random_lexicon_keeps_two_thirds() -> None:
    """Over many words each random lexicon keeps the share it was told to."""
    words = {f"word{n}": 30 for n in range(3000)}
    members = Lexicons(DocumentFrequencies(1000, words), 4).members.values()
    for lexicon in range(1, 5):
        share = sum(bits >> lexicon & 1 for bits in members) / 3000
        assert share == pytest.approx(2 / 3, abs=0.04)


def test_document_frequencies_count_documents_not_words() -> None:
    """A word counts once a document; words of one document only are left out."""
    fitted = rivals.fit([["a", "a", "b"], ["a", "c"], ["b"]])
    assert fitted == DocumentFrequencies(3, {"a": 2, "b": 2})


def test_a_lexicon_file_reads_back(tmp_path: Path) -> None:
    """Saving and loading keep every word, Chinese ones too."""
    path = tmp_path / "lexicon.tsv"
    frequencies = DocumentFrequencies(7, {"网页": 5, "crawl": 3})
    rivals.save(frequencies, path)
    assert rivals.load(path) == frequencies


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ["cannot read", "No such file", "python -m crawler lexicon"]),
        ("", [":1:", "no lexicon", "python -m crawler lexicon"]),
        ("word\t3\n", [":1:", "no lexicon"]),
        ("# document frequencies, documents: 5\ngood\t2\nbad\n", [":3:", "'bad'"]),
        ("# document frequencies, documents: 5\nmore\t6\n", [":2:", "'more\\t6'"]),
    ],
)
def test_a_bad_lexicon_is_named(tmp_path: Path, content: str | None, words: list[str]) -> None:
    """A file that is missing or no lexicon is one clear error with line and way out."""
    path = tmp_path / "lexicon.tsv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError) as raised:
        rivals.load(path)
    assert all(word in str(raised.value) for word in [*words, str(path)])


def test_weights_have_the_unit_of_features() -> None:
    """A word met once with idf 1 weighs one unit, as in the plain fingerprint."""
    weigh = TfIdf({"字": 3.0}, DocumentFrequencies(4, {"w": 4}))
    assert weigh.weights({"w": 1}).tolist() == [WEIGHT_UNIT]
