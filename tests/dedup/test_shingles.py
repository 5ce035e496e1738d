"""Shingles: their hashes keep Jaccard similarity, are stable, and fit the text's script."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crawler.config import Dedup
from crawler.dedup import Signer, signing
from crawler.dedup.kernels.plain import count_words, residues, siphash, words_and_characters
from crawler.models import Shingles

pytestmark = pytest.mark.usefixtures("either_way")

UNSPACED = "文字页面\U00020000"
"""The characters of TEXT that belong to scripts written without spaces."""

TEXT = st.text(alphabet="ab cde.,文字页面 Ｃ_9\U00020000", max_size=60)


def hashes(text: str, kind: str) -> signing.Hashes:
    """Hash a text's shingles."""
    return signing.shingle_hashes(signing.cut_by_script(text), kind)[0]


def plain(text: str, kind: str) -> set[str]:
    """Return the shingles themselves, as the definition reads."""
    runs = re.findall(r"\w+", text.lower())
    if kind == signing.WORD3:
        runs = re.findall(f"[{UNSPACED}]|[^\\W{UNSPACED}]+", " ".join(runs))
        return {" ".join(runs[i : i + 3]) for i in range(len(runs) - 2)}
    joined = "".join(runs)
    return {joined[i : i + 4] for i in range(len(joined) - 3)}


@given(TEXT, TEXT, st.sampled_from([signing.WORD3, signing.CHAR4]))
def test_similarity_of_hashes_is_that_of_shingles(text: str, other: str, kind: str) -> None:
    """Jaccard of the hashed sets equals Jaccard of the sets of strings."""
    one, two = plain(text, kind), plain(other, kind)
    expected = len(one & two) / len(one | two) if one | two else 0.0
    assert signing.jaccard(hashes(text, kind), hashes(other, kind)) == pytest.approx(expected)


@given(TEXT, st.sampled_from([signing.WORD3, signing.CHAR4]))
def test_hashes_are_sorted_and_unique(text: str, kind: str) -> None:
    """What is stored is strictly ascending, one hash a shingle."""
    found = hashes(text, kind)
    assert found.dtype == np.uint32
    assert (found[1:] > found[:-1]).all()
    assert len(found) == len(plain(text, kind))


def test_order_of_units_matters() -> None:
    """A shingle of the same words or characters in another order is another shingle."""
    assert hashes("a b c", signing.WORD3)[0] != hashes("c b a", signing.WORD3)[0]
    assert hashes("一二三四", signing.CHAR4)[0] != hashes("二一三四", signing.CHAR4)[0]


def test_hashes_never_change() -> None:
    """Stored shingles stay comparable: these are written down."""
    assert hashes("one two three four", signing.WORD3).tolist() == [2437710949, 2991565905]
    assert hashes("一二三四五", signing.CHAR4).tolist() == [831107210, 1388712011]
    assert hashes("一\U00020000二三四", signing.CHAR4).tolist() == [2564091098, 2802650801]


@given(TEXT, TEXT)
def test_long_characters_leave_their_neighbours_alone(text: str, other: str) -> None:
    """A shingle has one hash, whether or not its text holds characters beyond 16 bits."""
    assume(len(plain(text, signing.CHAR4)) > 0)
    beside = hashes(f"{text} \U00020000 {other}", signing.CHAR4)
    assert set(hashes(text, signing.CHAR4).tolist()) <= set(beside.tolist())


@given(st.text(alphabet="aB Z_9.é-\x1c\n", max_size=40))
def test_the_short_way_for_ascii_finds_the_same_runs(text: str) -> None:
    """Plain texts are cut without the table that others are cut by."""
    assert signing.cut_by_script(text).text.split() == re.findall(r"\w+", text.lower())


@given(
    st.text(max_size=40) | st.text(alphabet="aÉ_9 中㐀のภា\U00020000\u0301，ǅ\ud800", max_size=40)
)
def test_the_table_finds_what_the_expressions_find(text: str) -> None:
    """Any text is cut into the runs that the regular expressions match in it."""
    cut, runs = signing.cut_by_script(text), re.findall(r"\w+", text.lower())
    assert cut.text.split() == runs
    han, other, words = (
        re.findall(run, " ".join(runs))
        for run in (signing.HAN_RUN, signing.UNSEGMENTED_RUN, signing.SPACED_RUN)
    )
    assert cut.han.split() == han
    pairs = [run[n : n + 2] for run in other for n in range(max(1, len(run) - 1))]
    counts = count_words(cut.text, signing.class_table(), (), frozenset())
    assert counts == Counter([*words, *pairs])
    single = "|".join(run.rstrip("+") for run in (signing.HAN_RUN, signing.UNSEGMENTED_RUN))
    either = re.findall(f"{single}|{signing.SPACED_RUN}", " ".join(runs))
    assert words_and_characters(cut.text, signing.class_table()) == either
    unspaced = len("".join(cut.text.split())) * cut.unspaced_share
    assert unspaced == pytest.approx(len("".join(han + other)))


def test_the_table_leaves_no_word_character_out() -> None:
    """Above the characters that the table knows there is none that could belong to a word."""
    assert not re.search(r"\w", "".join(map(chr, range(0x40000, 0x110000))))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("An English page with one name, 北京.", signing.WORD3),
        ("这是一个中文网页", signing.CHAR4),
        ("#include <stdio.h> int main() { return 0; } 程序的入口是主函数", signing.CHAR4),
        ("これは日本語です", signing.CHAR4),
        ("ภาษาไทย", signing.CHAR4),
        ("한국어 문장은 띄어 쓴다", signing.WORD3),
        ("", signing.WORD3),
    ],
)
def test_kind_follows_the_script(text: str, kind: str) -> None:
    """Texts are compared by characters where their script has no spaces, also beside code."""
    assert signing.shingle_kind(signing.cut_by_script(text)) == kind


def test_capped_sets_estimate_without_bias() -> None:
    """Giant sets, cut to their smallest hashes, keep their similarity within its error."""
    rng = np.random.default_rng(1)
    pool = np.unique(rng.integers(0, 2**32, 150_000, np.uint64).astype(np.uint32))
    chosen = rng.random(len(pool))
    one, two = pool[chosen < 0.9], pool[chosen > 0.1]
    capped, other = one[: signing.MAX_SHINGLES], two[: signing.MAX_SHINGLES]
    assert len(capped) == signing.MAX_SHINGLES
    assert signing.jaccard(capped, other) == pytest.approx(0.8, abs=0.008)
    small = two[:: len(two) // 60_000 + 1]
    exact = len(np.intersect1d(one, small)) / len(np.union1d(one, small))
    assert signing.jaccard(capped, small) == pytest.approx(exact, abs=0.008)


KEY = bytes(range(24))
NAMES = st.text(alphabet="abcdefgh文字\U00020000", min_size=1, max_size=30)


@pytest.mark.parametrize("length", [11, 24])
def test_marks_are_those_of_another_implementation(length: int) -> None:
    """SipHash-1-3 is what Python hashes bytes by, with a key of zeros if it is told to."""
    if sys.hash_info.algorithm != "siphash13":
        pytest.skip(f"this Python hashes by {sys.hash_info.algorithm}")
    messages = [bytes(range(n, n + length)) for n in range(40)]
    script = f"print([hash(message) for message in {messages}])"
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    told = subprocess.check_output([sys.executable, "-c", script], env=environment, text=True)
    padded = [message + bytes(8 - length % 8) for message in messages]
    words = np.array([np.frombuffer(message, "<u8") for message in padded])
    found = siphash(list(words.T), length, bytes(24)).astype(np.int64)
    assert found.tolist() == json.loads(told)


@given(st.lists(NAMES, min_size=3, max_size=12), st.sampled_from([signing.WORD3, signing.CHAR4]))
def test_equal_shingles_have_equal_marks_by_any_key(words: list[str], kind: str) -> None:
    """So no similarity depends on the key."""
    sets = []
    for key in (KEY, bytes(24), KEY[::-1]):
        for text in (" ".join(words), " ".join([*words, *words])):
            found, marks = signing.shingle_hashes(signing.cut_by_script(text), kind, key)
            sets.append((key, dict(zip(found.tolist(), marks.tolist(), strict=True))))
    for key, one in sets:
        for other_key, other in sets:
            shared = one.keys() & other.keys()
            assert key != other_key or all(one[hash_] == other[hash_] for hash_ in shared)


@given(st.sets(NAMES, min_size=2, max_size=30), st.binary(min_size=24, max_size=24))
def test_words_have_values_of_their_own(words: set[str], key: bytes) -> None:
    """Of whatever length and script: the polynomials differ, and so at nearly every point."""
    point = int.from_bytes(key[16:], "little") % (2**61 - 1)
    if point > 1000:  # of the smallest, 0 tells only what words end with
        assert len(set(residues(list(words), key).tolist())) == len(words)


def test_marks_are_independent_of_hashes_and_of_each_other() -> None:
    """Of shingles of other words, some 1 in 256 have one mark, whatever the key."""
    texts = [" ".join(f"{side}{n}" for n in range(20_000)) for side in "ab"]
    one, other = (
        signing.shingle_hashes(signing.cut_by_script(text), signing.WORD3, KEY)[1] for text in texts
    )
    shared = min(len(one), len(other))
    assert 40 < np.count_nonzero(one[:shared] == other[:shared]) < 130
    by_other_key = signing.shingle_hashes(
        signing.cut_by_script(texts[0]), signing.WORD3, KEY[::-1]
    )[1]
    assert 40 < np.count_nonzero(one == by_other_key) < 130
    assert np.bincount(one, minlength=256).min() > 30


def test_a_text_signed_without_the_key_is_compared_by_hashes() -> None:
    """As with pages of an index file: similarity is exact but for forgeries."""
    words = " ".join(f"w{n}" for n in range(300))
    sign, keyless = Signer(Dedup(), (KEY,)), Signer(Dedup())
    marked, unmarked = sign(words, words), keyless(words, words)
    for text in (marked, unmarked):
        for other in (marked, unmarked):
            assert signing.shingle_similarity(text, Shingles.of(other)) == 1.0
    stored = replace(Shingles.of(marked), key=1)
    assert signing.shingle_similarity(marked, stored) == 1.0
    two_keys = Signer(Dedup(), (bytes(24), KEY))(words, words)
    assert signing.shingle_similarity(two_keys, stored) == 1.0
    assert signing.shingle_similarity(two_keys, replace(stored, key=0)) < 0.05
