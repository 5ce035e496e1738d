"""Chinese as it is written: full-width forms, punctuation, English in it, two scripts."""

from __future__ import annotations

import importlib.util

import pytest

from crawler import config
from crawler.dedup import Signer, signing
from crawler.dedup.signing import check_folding
from crawler.errors import ConfigError
from crawler.models import Signature

SIMPLIFIED = "国务院总理主持召开常务会议，研究推动软件产业发展的措施，听取关于网络信息安全的汇报。"
TRADITIONAL = "國務院總理主持召開常務會議，研究推動軟件產業發展的措施，聽取關於網絡信息安全的匯報。"

needs_opencc = pytest.mark.skipif(
    importlib.util.find_spec("opencc") is None, reason="opencc is not installed"
)


def sign(text: str, **settings: object) -> Signature:
    """Return a text's signature."""
    return Signer(config.Dedup.model_validate(settings))(text, text)


def same_shingles(one: Signature, two: Signature) -> bool:
    """Whether two signatures hold one set of shingles of one kind."""
    return one.shingle_kind == two.shingle_kind and signing.jaccard(one.shingles, two.shingles) == 1


def test_punctuation_and_its_width_do_not_matter() -> None:
    """Full-width punctuation, half-width punctuation and none at all are the same text."""
    half = SIMPLIFIED.replace("，", ", ").replace("。", ".")
    none = SIMPLIFIED.replace("，", "").replace("。", "")
    assert same_shingles(sign(SIMPLIFIED), sign(half))
    assert same_shingles(sign(SIMPLIFIED), sign(none))


def test_full_width_letters_are_one_feature_and_two_shingles() -> None:
    """Features fold full-width forms; shingles, which define the truth, only if told to."""
    full, half = "会议于２０２４年在ＩＢＭ举行并通过决议", "会议于2024年在IBM举行并通过决议"
    assert sign(full).fingerprint == sign(half).fingerprint
    assert not same_shingles(sign(full), sign(half))


@needs_opencc
def test_folding_makes_full_width_letters_one_shingle() -> None:
    """With `fold_chinese` full-width letters and digits are ordinary ones everywhere."""
    full, half = "会议于２０２４年在ＩＢＭ举行并通过决议", "会议于2024年在IBM举行并通过决议"
    assert same_shingles(sign(full, fold_chinese=True), sign(half, fold_chinese=True))


def test_traditional_text_is_another_text_by_default() -> None:
    """Without folding a conversion shares few shingles with its original."""
    one, two = sign(SIMPLIFIED), sign(TRADITIONAL)
    assert signing.jaccard(one.shingles, two.shingles) < 0.2
    assert one.fingerprint != two.fingerprint


@needs_opencc
@pytest.mark.parametrize("method", ["verified", "minhash", "super-shingles"])
def test_folding_makes_two_characters_one(method: str) -> None:
    """With `fold_chinese` a conversion has its original's shingles, fingerprint and sketch."""
    one = sign(SIMPLIFIED, fold_chinese=True, method=method)
    two = sign(TRADITIONAL, fold_chinese=True, method=method)
    assert same_shingles(one, two)
    assert (one.fingerprint, one.sketch) == (two.fingerprint, two.sketch)


@needs_opencc
def test_folding_leaves_exact_digests_alone() -> None:
    """What is dropped as an exact copy never depends on folding."""
    folded, plain = sign(TRADITIONAL, fold_chinese=True), sign(TRADITIONAL)
    assert folded.text_digest == plain.text_digest
    assert folded.text_digest != sign(SIMPLIFIED, fold_chinese=True).text_digest


@needs_opencc
def test_folding_chooses_characters_by_phrase() -> None:
    """One traditional character may stand for several simplified ones, and the other way round."""
    fold = signing.load_folder(config.Dedup(fold_chinese=True))
    assert fold is not None
    assert fold("頭髮發展 乾坤 乾燥 plain English") == "头发发展 乾坤 干燥 plain English"


def test_mixed_text_is_cut_by_script() -> None:
    """English in Chinese text is words of their own, wherever the spaces are."""
    close, apart = "使用Python编写爬虫stdio.h头文件", "使用 Python 编写 爬虫 stdio.h 头文件"
    assert sign(close).fingerprint == sign(apart).fingerprint
    assert same_shingles(sign(close), sign(apart))


def test_case_does_not_matter_in_mixed_text() -> None:
    """Latin letters in Chinese text are compared lower-case, full-width ones as features."""
    assert same_shingles(sign("使用PYTHON编写程序"), sign("使用python编写程序"))
    assert sign("使用ＰＹＴＨＯＮ编写程序").fingerprint == sign("使用python编写程序").fingerprint


def test_folding_without_its_package_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where OpenCC is missing the error says what to install, before anything is crawled."""
    monkeypatch.setattr(signing, "PACKAGE", "no_such_package")
    check_folding(config.Dedup())
    with pytest.raises(ConfigError, match=r"pip install .*\[chinese\]"):
        check_folding(config.Dedup(fold_chinese=True))
