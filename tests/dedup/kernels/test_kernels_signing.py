"""The kernels that take texts apart and hash them answer as the Python beside them does."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import mmh3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler import config
from crawler.dedup import Signer, kernels, signing
from crawler.dedup.kernels.plain import KEY_SIZE, stop_table
from crawler.dedup.signing import Words, text_digest

pytestmark = pytest.mark.skipif(
    "C" not in kernels.AVAILABLE, reason="no C: it was not compiled at installation"
)

T = TypeVar("T")

TABLE, STOPS = bytes(66_560), bytes(8_192)
"""A table of no classes and one of no stop words."""

unhurried = settings(deadline=None)  # the first to ask waits for the tables

PIECES = st.sampled_from(
    [
        *"aZé_9 .中国人民の、ภ\u0301\ud800\U00020000\U0001f600Ａ⒈İΣﷺ\x00\n\u2003\xa0",
        *"the crawler crawls 人民代表大会 我们 カタカナ ภาษาไทย ＡＢＣ １２３ straße".split(),
        "Donaudampfschifffahrtsgesellschaft ",
    ]
)
TEXT = st.lists(PIECES, max_size=60).map("".join)
ANY_TEXT = TEXT | st.text(st.characters(exclude_categories=[]), max_size=40)
WORD = TEXT | st.text(min_size=1, max_size=50)
KEY = st.just(b"") | st.binary(min_size=KEY_SIZE, max_size=KEY_SIZE)
HASHES = st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 2**20), max_size=400).map(
    lambda found: np.array(sorted(found), np.uint32)
)


def both(function: Callable[[], T]) -> tuple[T, T]:
    """Return what a function returns with the kernels in C and with those in numpy."""
    compiled = function()
    with kernels.using("numpy"):
        return compiled, function()


def cut_into(*words: str) -> Words:
    """Return words that a segmenter found, and no others."""
    return Words(signing.cut_by_script(""), words)


def test_no_text_is_signed_differently() -> None:
    """Every field of a signature is the same with the kernels and without, whatever the text."""
    signer = Signer(config.Dedup())

    @unhurried
    @given(ANY_TEXT, ANY_TEXT)
    def check(judged: str, visible: str) -> None:
        one, two = both(lambda: signer(judged, visible))
        for field in type(one).__dataclass_fields__:
            assert np.array_equal(getattr(one, field), getattr(two, field)), field
        assert one.shingles.dtype == two.shingles.dtype

    check()


@unhurried
@given(ANY_TEXT)
def test_texts_are_cut_the_same(text: str) -> None:
    """Either way finds the same runs of every script."""
    one, two = both(lambda: signing.cut_by_script(text))
    assert one == two


def test_every_character_has_its_class() -> None:
    """The paged table gives every character the class that the flat one does."""
    text = "".join(map(chr, range(0x110000)))
    text = text.translate({ord(upper): None for upper in text if upper.lower() != upper})
    one, two = both(lambda: signing.cut_by_script(text))
    assert one == two


def test_every_white_space_is_folded() -> None:
    """The kernel knows all the white space that `str.split` knows, and nothing else."""
    text = "x".join(map(chr, range(0x110000)))
    one, two = both(lambda: text_digest(text))
    assert one == two


@unhurried
@given(ANY_TEXT)
def test_white_space_goes_and_all_else_stays(text: str) -> None:
    """What is digested is the text's own characters, one space where there was any."""
    folded = " ".join(text.split()).encode("utf-8", "surrogatepass")
    assert kernels.fold_spaces(text) == folded


@pytest.mark.parametrize("length", range(1, 70))
def test_words_are_hashed_by_murmur_hash(length: int) -> None:
    """A lone word's fingerprint is the first half of its MurmurHash3, whatever its length."""
    for word in ("q" * length, "é国\U00020000"[: length % 4] + "z" * length):
        digest = mmh3.hash_bytes(word, 0x51A5_0001)
        expected = int.from_bytes(digest[:8], "little"), 1
        assert both(partial(signing.word_simhash, cut_into(word))) == (expected, expected)


@unhurried
@given(ANY_TEXT, st.lists(st.tuples(WORD, st.integers(1, 40)), max_size=40))
def test_words_are_counted_the_same(text: str, found: list[tuple[str, int]]) -> None:
    """Words of a text and of a segmenter, long ones and repeated ones, give one fingerprint."""
    cut = signing.cut_by_script(text)
    segmented = [word for word, times in found for _ in range(times) if word.isprintable()]
    one, two = both(lambda: signing.word_simhash(Words(cut, segmented)))
    assert one == two


def test_stop_words_count_wherever_they_stand_for_nothing() -> None:
    """No stop word is a feature, neither in the text nor among the segmenter's words."""
    stops = sorted(signing.ENGLISH | signing.CHINESE)
    text = signing.cut_by_script(" ".join(stops) + " crawler")
    assert signing.word_simhash(Words(text, ["\n", *stops, "网页"])) == signing.word_simhash(
        cut_into("crawler", "网页")
    )


@given(st.sets(st.text("abcé国", min_size=1, max_size=5), max_size=200), ANY_TEXT)
@unhurried
def test_any_words_can_be_stop_words(stops: set[str], text: str) -> None:
    """Those in the table count for nothing, all others do."""
    weights = np.full(2, 1024, np.uint32)
    words = sorted(
        {*stops, *"a b ab 国 abc abcé abcabcabcabcabc abcabcabcabcabca".split()} | {text}
    )
    words = [word.encode(errors="ignore").decode() for word in words]  # no lone surrogates
    table = stop_table(stops)
    found, other = both(lambda: kernels.fingerprint_words("", TABLE, words, table, weights, 1))
    assert found is not None
    assert found == other
    assert found[1] == len({*words} - stops - {"\n"})


@pytest.mark.parametrize("stops", [["x" * 16], [f"w{n}" for n in range(385)]])
def test_a_table_of_stop_words_has_its_limits(stops: list[str]) -> None:
    """Long words and many are refused rather than lost."""
    with pytest.raises(ValueError, match="too long or too many"):
        stop_table(stops)


@pytest.mark.parametrize("times", [4094, 4095, 4096, 5000])
def test_words_more_frequent_than_listed_have_their_weight(times: int) -> None:
    """At the end of the list of weights the way changes and the fingerprint does not."""
    words = cut_into(*["often"] * times, *["seldom"] * 20, *(f"w{n}" for n in range(30)))
    one, two = both(lambda: signing.word_simhash(words))
    assert one == two
    assert one[1] == times + 50


def colliding_words() -> list[str]:
    """Return words of one slot: the kernel's hash of their characters, worked out for many."""
    letters = np.arange(ord("a"), ord("z") + 1, dtype=np.uint64)
    hashes = np.zeros(1, np.uint64)
    for _ in range(4):
        hashes = ((hashes[:, None] ^ letters) * np.uint64(0x9E3779B97F4A7C15)).ravel()
    hashes ^= hashes >> np.uint64(32)
    numbers = np.flatnonzero(hashes & np.uint64(0x7FF) == 1234)
    return ["".join(chr(97 + n // 26**place % 26) for place in (3, 2, 1, 0)) for n in numbers]


def test_words_made_to_collide_take_no_longer() -> None:
    """A page whose words share a slot is left to Python's dictionary, and counted the same."""
    words = [*colliding_words(), "crawler"]
    assert len(words) > 150
    stops, weights = stop_table(()), np.full(9, 1024, np.uint32)
    assert kernels.fingerprint_words("", TABLE, words[:99], stops, weights, 1) is not None
    assert kernels.fingerprint_words("", TABLE, words, stops, weights, 1) is None
    one, two = both(lambda: signing.word_simhash(cut_into(*words)))
    assert one == two


@unhurried
@given(ANY_TEXT, st.sampled_from([signing.WORD3, signing.CHAR4]), KEY)
def test_shingles_have_the_same_hashes_and_marks(text: str, kind: str, key: bytes) -> None:
    """Any text has the same shingles of either kind, sorted, each once, and the same marks."""
    cut = signing.cut_by_script(text)
    one, two = both(lambda: signing.shingle_hashes(cut, kind, key))
    (hashes, marks), (others, other_marks) = one, two
    assert (hashes.dtype, marks.dtype) == (others.dtype, other_marks.dtype)
    assert (hashes.tolist(), marks.tolist()) == (others.tolist(), other_marks.tolist())
    assert len(marks) == (len(hashes) if key else 0)


def test_giant_texts_have_the_same_signatures() -> None:
    """Texts with more words and shingles than are kept are signed the same, in both scripts."""
    rng = np.random.default_rng(1)
    signer = Signer(config.Dedup())
    english = " ".join(f"w{n}" for n in rng.integers(0, 60_000, 100_000))
    chinese = "".join(map(chr, rng.integers(0x4E00, 0x9F00, 80_000)))
    for text in (english, chinese):
        one, two = both(partial(signer, text, text))
        assert len(one.shingles) == signing.MAX_SHINGLES
        assert (one.fingerprint, one.tokens, one.sketch) == (
            two.fingerprint,
            two.tokens,
            two.sketch,
        )
        assert np.array_equal(one.shingles, two.shingles)


@unhurried
@given(HASHES)
def test_sketches_are_the_same(hashes: signing.Hashes) -> None:
    """A set of hashes has one sketch, however few bins it fills."""
    one, two = both(lambda: kernels.make_sketch(hashes))
    assert one == two


@pytest.mark.parametrize("size", [1, 2, 3, 300, 5_000, 200_000])
def test_sketches_of_many_sizes_are_the_same(size: int) -> None:
    """So have sets that fill one bin, some or all of them."""
    hashes = np.unique(np.random.default_rng(size).integers(0, 2**32, size, np.uint32))
    one, two = both(lambda: kernels.make_sketch(hashes))
    assert one == two


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("fold_spaces", (b"",), "must be a str"),
        ("fold_spaces", (), "takes 1 argument"),
        ("cut_by_script", ("a", TABLE[1:]), "66560 bytes"),
        ("cut_by_script", ("a", "b"), "66560 bytes"),
        ("cut_by_script", ("a",), "takes 2 arguments"),
        ("fingerprint_words", ("a", TABLE, [b"a"], STOPS, b"", 1), "must be a str"),
        ("fingerprint_words", ("a", TABLE, 5, STOPS, b"", 1), "must be a sequence"),
        ("fingerprint_words", ("a", TABLE, [], STOPS[1:], b"", 1), "8192 bytes"),
        ("fingerprint_words", ("a", TABLE, [], STOPS, "", 1), "bytes-like object"),
        ("fingerprint_words", ("a", TABLE, [], STOPS, b"", "1"), "integer is required"),
        ("fingerprint_words", (), "takes 6 arguments"),
        ("shingle_hashes", (5, TABLE, True, 1, b""), "must be a str"),
        ("shingle_hashes", ("a", TABLE, True, None, b""), "integer is required"),
        ("shingle_hashes", ("a", TABLE, True, 1, b"short"), "must be 24 bytes"),
        ("shingle_hashes", ("a", TABLE, True, 1, None), "must be 24 bytes"),
        ("shingle_hashes", (), "takes 5 arguments"),
        ("make_sketch", ("a",), "bytes-like object"),
        ("make_sketch", (), "takes 1 argument"),
    ],
)
def test_wrong_arguments_are_refused(name: str, arguments: tuple[Any, ...], message: str) -> None:
    """A kernel called with what it cannot read says so."""
    with pytest.raises(TypeError, match=re.escape(message)):
        getattr(kernels, name)(*arguments)


@unhurried
@given(ANY_TEXT, st.integers(0, 99))
def test_no_table_leads_outside(text: str, seed: int) -> None:
    """Classes that mean nothing give a result that means nothing, and no more."""
    table = np.random.default_rng(seed).bytes(len(TABLE))
    kept, han, unspaced, characters = kernels.cut_by_script(text, table)
    assert len(kept) == len(text) >= characters >= unspaced
    assert len(han) <= len(text)
    for key in (b"", bytes(KEY_SIZE)):
        kernels.shingle_hashes(text, table, True, 1, key)
        kernels.shingle_hashes(text, table, False, 1, key)
    kernels.fingerprint_words(text, table, [], b"\x05" * len(STOPS), b"", 1)
