"""An extractor's text found again in the visible lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.readings import aligned
from crawler.extract.text import word_characters

PROSE = "The committee met on Tuesday to hear the harbour master speak about the new lighthouse."
SECOND = "Nobody on the pier remembered a winter in which the lamps had burned for so many nights."


def kept(main: str, *lines: str) -> list[bool]:
    """Return the flags of lines that the text may hold; those it surely holds are among them."""
    surely, perhaps = aligned(main, [word_characters(line) for line in lines])
    assert all(may_be for sure, may_be in zip(surely, perhaps, strict=True) if sure)
    return list(perhaps)


def test_lines_of_the_text_are_found_and_others_are_not() -> None:
    """Menus and teasers around a text are told from its lines."""
    flags = kept(f"{PROSE}\n{SECOND}", "Home Products", PROSE, SECOND, "Ten more lighthouses today")
    assert flags == [False, True, True, False]


def test_a_line_may_be_split_or_joined() -> None:
    """Lines that the extractor writes as one, or one that it writes as two, are found."""
    first, second = PROSE.split(" to hear ")
    assert kept(f"{PROSE} {SECOND}", PROSE, SECOND) == [True, True]
    assert kept(f"{first}\nto hear\n{second}\n{SECOND}", PROSE, SECOND) == [True, True]


def test_what_stands_twice_is_found_where_the_order_has_it() -> None:
    """A heading that is also a menu entry is kept as heading alone."""
    flags = kept(f"{PROSE}\nThe lighthouse\n{SECOND}", "The lighthouse", PROSE, "The lighthouse")
    assert flags == [False, True, True]


def test_a_line_broken_by_formulas_is_found_between_others() -> None:
    """Of a line of short pieces no long gram is in the text; its place and small grams tell it."""
    visible = "设这个多项式的次数为 a1 并且有一个实数根 b2 则对应的方程组一定有 c3 个互不相同的解"
    text = "设这个多项式的次数为 a 并且有一个实数根 b 则对应的方程组一定有 c 个互不相同的解"
    assert kept(f"{PROSE}\n{text}\n{SECOND}", PROSE, visible, SECOND) == [True, True, True]
    assert kept(f"{PROSE}\n{SECOND}", PROSE, visible, SECOND) == [True, False, True]
    bare = [word_characters(line) for line in (PROSE, visible, SECOND)]
    assert aligned(f"{PROSE}\n{text}\n{SECOND}", bare).surely == [True, False, True]


@given(st.lists(st.text("ab c\n", max_size=40), max_size=30), st.text("ab c\n", max_size=300))
def test_any_text_has_a_flag_for_each_line(lines: list[str], main: str) -> None:
    """Whatever the texts are, there is one flag for each line, none for lines without words."""
    flags = kept(main, *lines)
    assert len(flags) == len(lines)
    assert not any(flag for flag, line in zip(flags, lines, strict=True) if not line.strip())


@given(st.lists(st.sampled_from([PROSE, SECOND, "Short line", "x=1"]), max_size=12))
def test_a_text_holds_its_own_lines(lines: list[str]) -> None:
    """Of a text that is the page itself every line from a gram on is found."""
    flags = kept("\n".join(lines), *lines)
    assert all(flag for flag, line in zip(flags, lines, strict=True) if len(line) > 16)
