"""The difference of two texts: it holds both, and takes bounded time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.views.explain.differences import Change, Piece, difference

TEXTS = st.lists(st.sampled_from(["word ", "other. ", "字", "句。", "\n", "x"]), max_size=30).map(
    "".join
)


@given(TEXTS, TEXTS)
def test_a_difference_holds_both_texts(first: str, second: str) -> None:
    """Without what was added the first text is left, without what was removed the second."""
    pieces = difference(first, second)
    assert "".join(p.text for p in pieces if p.change is not Change.ADDED) == first
    assert "".join(p.text for p in pieces if p.change is not Change.REMOVED) == second
    if first == second:
        assert all(piece.change is Change.EQUAL for piece in pieces)


def test_long_texts_are_compared_in_reasonable_time() -> None:
    """Texts that differ in everything are not aligned word by word."""
    first, second = ("x " * 40_000).replace("x", "甲"), ("y " * 40_000).replace("y", "乙")
    assert [piece.change for piece in difference(first, second)] == [Change.REMOVED, Change.ADDED]
    assert difference("", "") == []
    assert difference("", "a") == [Piece(Change.ADDED, "a")]


def test_thousands_of_equal_lines_take_no_hours() -> None:
    """Pairs of what occurs often are not all looked at: some billions of them."""
    first = "a.\n" * 60_000
    assert [p.change for p in difference(first, f"{first}b.\n")] == [Change.EQUAL, Change.ADDED]
