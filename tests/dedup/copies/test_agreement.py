"""Agreement: the lines in which two pages differ, wherever they stand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies import Appearance
from crawler.dedup.copies.agreement import agreement

LINES = st.lists(
    st.sampled_from(["one", "two", "Two", "3 views", "10 mg", "2024-05-01", "one two"]), max_size=5
).map(tuple)
PAGES = st.builds(lambda *parts: Appearance(None, None, None, (), *parts), LINES, LINES, LINES)


@given(PAGES, PAGES)
def test_two_pages_are_compared_alike_from_either_side(one: Appearance, other: Appearance) -> None:
    """What one has and the other has not is the same whichever is asked first."""
    found, turned = agreement(one, other), agreement(other, one)
    assert found.sides == (turned.second, turned.first)
    assert found.same_text == turned.same_text
    assert found.text_changed == turned.text_changed
    assert found.beside_changed == turned.beside_changed


@given(PAGES)
def test_a_page_agrees_with_itself(page: Appearance) -> None:
    """In all its lines, whatever they are."""
    found = agreement(page, page)
    assert found.same_text
    assert (found.text_changed, found.beside_changed) == (0.0, 0.0)


@given(PAGES, PAGES, st.randoms())
def test_the_order_of_lines_does_not_matter(
    one: Appearance, other: Appearance, dice: object
) -> None:
    """A list in another order is the same list."""
    text, beside, links = (_shuffled(p, dice) for p in (other.text, other.beside, other.links))
    shuffled = Appearance(None, None, None, (), text, beside, links)
    for side, again in zip(
        agreement(one, other).sides, agreement(one, shuffled).sides, strict=True
    ):
        for part in ("text", "beside", "links"):
            assert sorted(getattr(side, part)) == sorted(getattr(again, part))


def _shuffled(lines: tuple[str, ...], dice: object) -> tuple[str, ...]:
    order = list(lines)
    dice.shuffle(order)  # type: ignore[attr-defined]
    return tuple(order)


@pytest.mark.parametrize("part", ["beside", "links"])
def test_a_line_in_another_part_counts_as_there(part: str) -> None:
    """Extraction may take a line for text on one page and for its surroundings on the other."""
    one = Appearance(text=("first", "second"))
    other = Appearance(text=("first",))
    other = replace(other, **{part: ("second",)})  # type: ignore[arg-type]
    assert agreement(one, other).same_text


def test_lines_are_counted() -> None:
    """A line that stands twice on one page and once on the other differs once."""
    found = agreement(Appearance(text=("row", "row")), Appearance(text=("row",)))
    assert list(found.first.text) == ["row"]
    assert list(found.second.text) == []
    assert not found.same_text


def test_what_changes_by_itself_is_no_difference() -> None:
    """Dates, counters and bylines; a dose is one, and so is a line that only looks alike."""
    one = Appearance(text=("10 mg", "By Ann", "1,234 views"), beside=("2024-05-01",))
    same = Appearance(text=("10 mg", "By Ben", "5 views"), beside=("2025-06-02", "3 days ago"))
    assert agreement(one, same).same_text
    assert agreement(one, same).beside_changed == 0.0
    assert not agreement(one, replace(same, text=("100 mg",))).same_text


def test_shares_are_of_the_judged_text() -> None:
    """Of the page that changed more; without a text whatever is beside it is all."""
    one, other = Appearance(text=("x" * 10,)), Appearance(text=("x" * 10, "y" * 10))
    assert agreement(one, other).text_changed == 0.5
    around = replace(one, beside=("z" * 4,), links=("w" * 1,))
    assert agreement(one, around).beside_changed == 0.5
    assert agreement(Appearance(), Appearance(beside=("z",))).beside_changed == 1.0


@given(PAGES, PAGES)
def test_how_much_is_shown_alike_is_a_share_and_symmetric(
    one: Appearance, other: Appearance
) -> None:
    """All of a page is on itself; in whatever order two are compared they share as much."""
    there, back = agreement(one, other), agreement(other, one)
    assert agreement(one, one).visible_alike == 1.0
    for links in (True, False):
        assert agreement(one, one).shown_alike(links=links) == 1.0
        assert 0 <= there.shown_alike(links=links) == back.shown_alike(links=links) <= 1
    assert 0 <= there.visible_alike == back.visible_alike <= 1


def test_a_judged_text_counts_as_shared_or_as_what_it_is() -> None:
    """Ten characters of text that differ, twenty beside it that do not."""
    one, other = (Appearance(text=(letter * 10,), beside=("z" * 20,)) for letter in "xy")
    found = agreement(one, other)
    assert (found.shown_alike(links=True), found.visible_alike) == (1.0, 0.5)
