"""What the trap rule takes for one text, and the lines by which a crawl tells what is news."""

from __future__ import annotations

import numpy as np

from crawler.dedup.signing import LOOKED_AT, line_hashes, look
from crawler.urls.editions import own_words


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


def hashes(text: str, beside: str = "", url: str = "https://a.test/w") -> set[int]:
    """Return the hashes of a page's lines."""
    return set(np.frombuffer(line_hashes(text, f"{text}\n{beside}", own_words(url)), "<u4"))


def test_numbers_tell_lines_of_a_text_apart_and_not_those_beside_it() -> None:
    """A price in the text is news, a counter in the footer is none; white space never is."""
    assert hashes("It costs 12 euros, tax included") != hashes("It costs 13 euros, tax included")
    beside = "Changed on 3 May, seen 1,200 times"
    assert hashes("A text that stays", beside) == hashes(
        "A  text that stays", "Changed on 9 May, seen 1,377 times"
    )
    assert len(hashes("A text that stays", beside)) == 2


def test_a_page_says_nothing_new_by_what_it_was_asked_with() -> None:
    """Values of the query are taken out of the lines, the rest of which is compared."""
    one = hashes("No results for needles here", url="https://a.test/find?q=needles")
    assert one == hashes("No results for haystack here", url="https://a.test/find?q=haystack")
    assert one != hashes("Many results for needles here", url="https://a.test/find?q=needles")


def test_labels_are_no_news() -> None:
    """A line of fewer than 16 bytes is left out; six Chinese characters are more."""
    assert not hashes("Next page")
    assert hashes("北京大学出版社")
