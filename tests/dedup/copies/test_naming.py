"""Naming: titles, and the words that stand for others on two pages of one form."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies import Appearance, naming
from crawler.dedup.copies.agreement import Agreement, Page
from crawler.dedup.copies.naming import Replaced


def replaced(one: Sequence[str], other: Sequence[str]) -> dict[Replaced, int]:
    """Return which words of one page stand for which of another, and how often."""
    pages = (Page(Appearance(text=tuple(lines))) for lines in (one, other))
    found = Agreement(*pages)
    return dict(naming.replaced_words(found.left, found.left_of_other))


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("The lamp of Kiel is lit", "The lamp of New York is lit", ("kiel", "new york")),
        ("The lamp weighs 10 kg now", "The lamp weighs 20 kg now", ("10", "20")),
        ("红色的灯塔在这里", "蓝色的灯塔在这里", ("红", "蓝")),
        ("The lamp of Kiel is lit", "The lamp is lit", None),
        ("The lamp of Kiel is lit", "Nobody spoke of it any more", None),
        ("Table 11.3 of the lamps", "Table 11.3 of the lamps", None),
    ],
)
def test_words_stand_for_others_in_sentences_that_are_alike(
    one: str, other: str, words: Replaced | None
) -> None:
    """In their places; what is added, or stands in another sentence, stands for nothing."""
    assert replaced([one], [other]) == ({} if words is None else {words: 1})


def test_the_likest_sentence_is_the_one_with_the_same_numbers() -> None:
    """`Table 11.3` is `Tabelle 11.3`, and not `Tabelle 11.1`."""
    others = [f"Tabelle 11.{n} of lamps" for n in (1, 3, 5)]
    assert replaced(["Table 11.3 of lamps"], others) == {("table", "tabelle"): 1}


def test_long_sentences_are_not_aligned_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is aligned is bounded, in one sentence and in all; beyond, all that differs counts."""
    cells = 0

    class Counting(SequenceMatcher[str]):
        def __init__(self, junk: None, a: Sequence[str], b: Sequence[str], autojunk: bool) -> None:
            nonlocal cells
            cells += len(a) * len(b)
            super().__init__(junk, a, b, autojunk)

    monkeypatch.setattr(naming, "SequenceMatcher", Counting)
    for words, lines in ((4_000, 1), (150, 30)):
        first, second = (
            [f"{'n' * n} {'x ' * words}{name}{'x ' * words}" for n in range(lines)]
            for name in ("Anna ", "Berta ")
        )
        cells = 0
        assert replaced(first, second) == {("anna", "berta"): lines}
        assert cells <= naming.MOST_CELLS


@pytest.mark.parametrize(
    ("words", "number", "amount", "identifier"),
    [
        (("10", "20"), True, True, False),
        (("10 5", "20"), True, True, False),
        (("10 mg", "20 g"), True, False, False),
        (("10 mg", "10 g"), False, False, False),
        (("kiel", "rome"), False, False, False),
        (("10", "ten"), False, False, False),
        (("0431 12345", "0421 67890"), True, True, True),
        (("room 44121", "hall 44122"), True, False, True),
    ],
)
def test_numbers_that_stand_for_others_are_told_apart(
    words: Replaced, number: bool, amount: bool, identifier: bool
) -> None:
    """Amounts are nothing but numbers; those of a telephone or register are long."""
    assert naming.is_number(words) is number
    assert naming.is_amount(words) is amount
    assert naming.is_identifier(words) is identifier


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("The lamp - Harbour News", {"the lamp", "harbour news"}),
        ("The lamp | Kiel · Harbour News", {"the lamp", "kiel", "harbour news"}),
        ("灯塔_港口新闻", {"灯塔", "港口新闻"}),
        ("灯塔-港口新闻", {"灯塔", "港口新闻"}),
        ("Lamps: a history", {"lamps", "a history"}),
        ("std::lamp", {"std lamp"}),
        ("well-lit at 10:30", {"well lit at 10 30"}),
        ("", set()),
    ],
)
def test_the_parts_of_a_title(title: str, parts: set[str]) -> None:
    """Between signs with space around them; neither hyphens nor colons within words part it."""
    assert naming.title_parts(Appearance(title)) == parts


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Sail to Kiel", "Sail to Rome", True),
        ("Part 1 of it", "Part 2 of it", True),
        ("Sail to Kiel", "The committee met", False),
        ("Sail to Kiel", "Sail to Kiel today", False),
    ],
)
def test_headings_of_one_form_have_other_words_in_it(one: str, other: str, differ: bool) -> None:
    """Headings that have little in common say nothing: a text may be printed under another."""
    for pages in (
        (Appearance(one), Appearance(other)),
        (Appearance(heading=one), Appearance(heading=other)),
    ):
        assert naming.have_another_heading(*pages) is differ


SENTENCES = st.lists(
    st.lists(st.sampled_from("the lamp of kiel 10 20 灯 塔".split()), max_size=8).map(" ".join),
    max_size=8,
)


@given(SENTENCES, SENTENCES)
def test_what_stands_for_others_stands_on_the_two_pages(one: list[str], other: list[str]) -> None:
    """Replaced words are words of either page, never none."""
    for ours, theirs in replaced(one, other):
        assert ours
        assert theirs
        assert {*ours.split()} <= {
            *" ".join(one).replace("灯", " 灯 ").replace("塔", " 塔 ").split()
        }
        assert ours != theirs
