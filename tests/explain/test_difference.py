"""The difference of two texts: it holds both, leaves out agreement only, and takes bounded time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.explain.difference import Change, Piece, difference, passages

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


@given(TEXTS, TEXTS)
def test_passages_leave_out_agreement_only(first: str, second: str) -> None:
    """What is elided is part of both texts, and no change is lost."""
    pieces = difference(first, second)
    shown = passages(pieces, context=3)
    assert "".join(piece.text for piece in shown) == "".join(piece.text for piece in pieces)
    changed = [Change.REMOVED, Change.ADDED]
    assert [p for p in shown if p.change in changed] == [p for p in pieces if p.change in changed]


def test_long_texts_are_compared_in_reasonable_time() -> None:
    """Texts that differ in everything are not aligned word by word."""
    first, second = ("x " * 40_000).replace("x", "甲"), ("y " * 40_000).replace("y", "乙")
    assert [piece.change for piece in difference(first, second)] == [Change.REMOVED, Change.ADDED]
    assert difference("", "") == []
    assert difference("", "a") == [Piece(Change.ADDED, "a")]
