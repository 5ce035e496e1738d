"""Looks: what the trap rule takes for one text."""

from __future__ import annotations

from crawler.dedup.signing import LOOKED_AT, look


def test_pages_that_differ_in_digits_only_look_alike() -> None:
    """Days of an empty calendar are one look, texts with other words are not."""
    assert look("Day 3 of 2031:\n nothing") == look("Day 14 of 1999: nothing")
    assert look("Day 3: a party") != look("Day 3: nothing")


def test_the_look_of_a_long_text() -> None:
    """Of a long text the beginning is looked at, and its digest tells whether the rest differs."""
    text = "day 1 " * (LOOKED_AT // 6 + 1)
    assert look(text, b"one") == look(text, b"one")
    assert look(text, b"one") != look(text, b"other")
    assert look(text[:LOOKED_AT], b"one") == look(text[:LOOKED_AT].replace("1", "2"), b"other")
