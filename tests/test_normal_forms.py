"""Normal forms: the standard's for every text of a language, and linear for all others."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from itertools import groupby
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup import signing
from crawler.dedup.signing import find_words, text_digest
from crawler.extract.readings import main_text
from crawler.normal_forms import MAX_NON_STARTERS, normalised, stream_safe

Form = Literal["NFC", "NFKC"]
FORMS: tuple[Form, ...] = ("NFC", "NFKC")
MARKS = "\u0301\u0327" * 500
"""Two classes, in the order that is not the canonical one."""

ARTICLE = "<!doctype html><title>t</title><body><article>" + "<p>{} and words.</p>" * 9


def longest_run(text: str) -> int:
    """Return how many non-starters stand in a row at most, after compatibility decomposition."""
    decomposed = unicodedata.normalize("NFKD", text)
    runs = groupby(decomposed, key=lambda char: unicodedata.combining(char) > 0)
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text", ["", "plain", "café 中文", "e\u0301 ไม่ที่ป้า", "ｱﾞｶﾞ ＡＢＣ ㎏ ﷺ", "x" + "\u0301\u0327" * 15]
)
def test_a_text_with_short_runs_is_normalised_as_always(form: Form, text: str) -> None:
    """Whatever people write has the standard's normal form."""
    assert normalised(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@given(
    text=st.text(
        st.sampled_from("ae\u0301\u0327\u0344\u1ec7\uff9e\u3099\uff76 -\u0f73"), max_size=200
    )
)
def test_no_run_of_marks_stays_long(form: Form, text: str) -> None:
    """A run has MAX_NON_STARTERS marks and what one decomposes to, and no other is changed."""
    safe = stream_safe(text)
    assert safe.replace("\u034f", "") == text
    assert longest_run(safe) <= 2 * MAX_NON_STARTERS + 3  # each may be two (U+0344, U+0F73)
    assert normalised(form, text) == unicodedata.normalize(form, safe)


def test_marks_are_no_letters_to_expressions() -> None:
    """The search for long runs finds every non-starter there is."""
    marks = [char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.combining(char)]
    assert not [char for char in marks if char.isalnum() or char == "_"]


@pytest.mark.parametrize(
    "read",
    [
        lambda text: main_text(ARTICLE.replace("{}", text)),
        lambda text: main_text(ARTICLE.replace("{}", f"x{'&#769;<!---->&#807;' * 500}")),
        lambda text: find_words(signing.cut_by_script(text), lambda han: ()).cut.text,
    ],
    ids=["main text", "main text of entities", "words"],
)
def test_texts_are_made_safe_before_they_are_normalised(read: Callable[[str], str]) -> None:
    """Of a thousand marks in a row no step sees more than thirty at once."""
    text = read(f"x{MARKS}")
    assert text
    assert longest_run(text) <= MAX_NON_STARTERS


def test_digests_are_of_safe_texts() -> None:
    """A digest is of what a stream-safe text has for its normal form."""
    assert text_digest(f"x{MARKS}") == text_digest(stream_safe(f"x{MARKS}"))
