"""Features of a text: its words in either language, how they are cut, and what they weigh."""

import logging
import re
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from support.corpora import records
from support.sampling import sample

from crawler.dedup import signing
from crawler.dedup.signing import (
    WEIGHT_UNIT,
    Segmenter,
    find_words,
    load_jieba,
    load_segmenter,
    weight,
    weights,
)


@pytest.fixture(scope="module")
def jieba() -> Segmenter:
    """Return jieba's segmenter, whose dictionary takes most of a second to load."""
    return load_jieba()


def features(text: str) -> Counter[str]:
    """Count features with the segmenter in use."""
    return find_words(signing.cut_by_script(text), load_segmenter()).counts


def test_english_words_are_counted_without_case_and_stop_words() -> None:
    """Words are lower-case runs of letters and digits; closed-class words are left out."""
    assert features("The Cat and the cat's HAT_2") == {"cat": 2, "hat_2": 1}


def test_chinese_is_cut_by_dictionary() -> None:
    """Han runs become the dictionary's words; particles are left out."""
    assert features("中华人民共和国的人民代表大会") == {"中华人民共和国": 1, "人民代表大会": 1}


def test_mixed_runs_are_cut_by_script_first() -> None:
    """Latin and Han in one run are words of their own kind, and nothing is counted twice."""
    assert features("stdio.h头文件 C语言") == {"stdio": 1, "h": 1, "头文件": 1, "c": 1, "语言": 1}


def test_full_width_forms_are_folded() -> None:
    """Full-width letters and digits are the same words as their plain forms."""
    assert features("ＡＢＣ １２３ ｘ文件") == features("abc 123 x文件")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("カタカナ", ["カタ", "タカ", "カナ"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("ພາສາ", ["ພາ", "າສ", "ສາ"]),
        ("の", ["の"]),
    ],
)
def test_scripts_without_words_give_character_pairs(text: str, pairs: list[str]) -> None:
    """Kana, Thai and Lao are counted as pairs of neighbours, a lone character as itself."""
    assert features(text) == Counter(pairs)


def test_no_text_has_no_features() -> None:
    """Neither nothing nor punctuation counts."""
    assert not features("")
    assert not features("。，!? \n")


def test_folded_forms_are_cut_at_their_punctuation() -> None:
    """What folding turns into a digit and a full stop is the word that the digit is."""
    assert features("⒈ crawl ⒉ crawl") == {"1": 1, "2": 1, "crawl": 2}


def test_weights_are_damped_whole_numbers() -> None:
    """One occurrence weighs one unit, many weigh 1 + ln(count)."""
    assert weight(1) == WEIGHT_UNIT
    assert weight(10) == round(3.302585 * WEIGHT_UNIT)
    for counts in ([], [1, 10, 255], [4095, 4096, 10**7]):
        assert weights(counts).tolist() == [weight(count) for count in counts]


def test_jieba_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Loading jieba writes no cache, reads none and logs nothing, read-only directory or not."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "jieba.cache").write_bytes(b"not a dictionary")
    tmp_path.chmod(0o500)
    with caplog.at_level(logging.DEBUG):
        assert list(load_jieba()("人民代表大会开会")) == ["人民代表大会", "开会"]
    assert [path.name for path in tmp_path.iterdir()] == ["jieba.cache"]
    assert not caplog.records


def test_segmenter_falls_back_to_jieba(monkeypatch: pytest.MonkeyPatch, jieba: Segmenter) -> None:
    """Where rjieba is missing, jieba's own tokenizer is loaded."""
    missing = {"rjieba": None}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: missing.get(name, name))
    monkeypatch.setattr(signing, "load_jieba", lambda: jieba)
    assert load_segmenter()("新闻中心") == jieba("新闻中心")
    assert type(getattr(jieba, "__self__", None)).__module__ == "jieba"


@pytest.mark.corpora
def test_rjieba_cuts_han_runs_as_jieba_does(jieba: Segmenter) -> None:
    """On the Han runs of real pages both segmenters give the same tokens."""
    rjieba = pytest.importorskip("rjieba").cut
    for name in ("zh_news", "zh_wiki", "zh_laws"):
        for record in sample(list(islice(records(f"dedup/{name}"), 25)), 8):
            runs = "\n".join(re.findall(signing.HAN_RUN, record["text"]))
            assert list(rjieba(runs)) == list(jieba(runs))
