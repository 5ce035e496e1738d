"""Agreement: what is left over on each of two pages, in whatever order, however cut into lines."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies import Appearance, agreement
from crawler.dedup.copies.agreement import Agreement, Line, Page
from crawler.models import DRAWN_LINE, FRAME_LINE

WORDS = st.sampled_from("one two Two three, 3 10 2024-05-01 mg €5 views 灯 塔。 Stop.".split())
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), max_size=5).map(tuple)
NAMES = st.none() | st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
APART = LINES.map(lambda lines: tuple(f"{FRAME_LINE}{line}" for line in lines))
PAGES = st.builds(
    lambda title, heading, text, beside, links, apart: Appearance(
        *(title, heading, None, (), text, beside, links, (), ""), apart
    ),
    *(NAMES, NAMES, LINES, LINES, LINES),
    APART,
)


def is_visible(line: Line) -> bool:
    """Whether a line is none of those apart."""
    return line.is_visible


def compared(one: Appearance, other: Appearance) -> Agreement:
    """Return two pages compared."""
    return Agreement(Page(one), Page(other))


def left(one: Appearance, other: Appearance) -> list[str]:
    """Return the words that only the first of two pages shows."""
    return [found.words for found in compared(one, other).left]


def of_text(*lines: str) -> Appearance:
    """Return a page of some lines of text."""
    return Appearance(text=lines)


@given(PAGES)
def test_a_page_against_itself_leaves_nothing(page: Appearance) -> None:
    """Whatever it shows, it shows all of it."""
    found = compared(page, page)
    assert found.left == found.left_of_other == ()
    assert found.shown_alike(is_visible) == 1.0


@given(PAGES, PAGES)
def test_two_pages_are_compared_alike_from_either_side(one: Appearance, other: Appearance) -> None:
    """What is left of one is the same whichever is asked first, and so is how much is not."""
    found, turned = compared(one, other), compared(other, one)
    assert (found.left, found.left_of_other) == (turned.left_of_other, turned.left)
    assert 0 <= found.shown_alike(is_visible) == turned.shown_alike(is_visible) <= 1


@given(PAGES, PAGES)
def test_what_is_left_over_is_nowhere_on_the_other_page(one: Appearance, other: Appearance) -> None:
    """As a line of it; and on a page that shows all lines of both, nothing more is left over.

    But for values that are told by what stands beside them: there they have other neighbours.
    """
    lines = Page(other).lines
    for found in compared(one, other).left:
        assert found.sentence not in lines or found.context
    both = replace(
        one,
        text=one.text + other.text,
        beside=one.beside + other.beside,
        links=one.links + other.links,
        apart=(*(one.apart or ()), *(other.apart or ())),
    )
    more = {found.words for found in compared(one, both).left if not found.context}
    assert more <= {*left(one, other)}


@given(PAGES, PAGES)
def test_a_word_or_number_of_its_own_is_never_lost(one: Appearance, other: Appearance) -> None:
    """Where any word of a page, but for its title, is nowhere on the other one, some is left."""
    own, its = (
        {word for words in Page(page).shown for word in words.split()}
        for page in (replace(one, title=None), other)
    )
    assert left(one, other) or own <= its


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=6),
    st.sets(st.integers(1, 50)),
    st.sampled_from([" ", ". ", "; "]),
)
def test_cut_into_lines_in_another_way_it_is_the_same_page(
    lengths: list[int], cuts: set[int], joint: str
) -> None:
    """At the ends of sentences or words: each line may be several lines that follow each other."""
    whole, cut = list[str](), list[str]()
    words = iter(range(100))
    for length in lengths:
        parts = list[str]()
        for number in islice(words, length):
            name = "lamp" + chr(0x3B1 + number)
            if not parts or number in cuts:
                parts.append(name)
            else:
                parts[-1] += f" {name}"
        whole.append(joint.join(parts))
        cut += parts
    one, other = of_text(*whole), of_text(*cut)
    assert left(one, other) == left(other, one) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("The lamp is lit. It is seen from afar.",),
            ("The lamp is lit.", "It is seen from afar."),
        ),
        (("灯塔亮了。船看见了。",), ("灯塔亮了。", "船看见了。")),
        (("The lamp is lit by night",), ("The lamp", "is lit", "by night")),
        (("Weight of the lamp: 10 mg",), ("Weight of the lamp:", "10 mg")),
        (("Monday the lamp", "Tuesday the bell"), ("Tuesday the bell", "Monday the lamp")),
        (("The Lamp – lit!",), ("the lamp, lit",)),
    ],
)
def test_the_same_words_in_other_lines_leave_nothing(
    one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    """Cut or ordered in another way, or set with other signs, lines are the same."""
    assert left(of_text(*one), of_text(*other)) == []
    assert left(of_text(*other), of_text(*one)) == []


@pytest.mark.parametrize(
    ("one", "other", "only"),
    [
        (("Reds", "3", "Blues", "1"), ("Reds", "1", "Blues", "3"), ["3", "1"]),
        (("Reds 3", "Blues 1"), ("Reds 1", "Blues 3"), ["reds 3", "blues 1"]),
        (("红队", "3", "蓝队", "1"), ("红队", "1", "蓝队", "3"), ["3", "1"]),
        (("Dose:", "10 mg"), ("Dose:", "100 mg"), ["10 mg"]),
        (("Price", "$29"), ("Price", "€29"), ["$ 29"]),
        (("The lamp is lit",), ("The lamp is lit by night",), ["the lamp is lit"]),
        (("is lit by night",), ("The lamp is lit by night",), ["is lit by night"]),
        (("lamp",), ("lamps",), ["lamp"]),
        (("The lamp is lit. Lot 7.",), ("The lamp is lit.",), ["lot 7"]),
        (("Issued 3 May 2024: lot 7",), ("Issued 4 May 2024: lot 8",), ["lot 7"]),
        (("3 May 2024",), ("4 May 2024",), ["2024 05 03"]),
        (("Taste ●●○",), ("Taste ●○○",), ["taste ● ● ○"]),
        (("A gift 🎂",), ("A gift 🚲",), ["a gift 🎂"]),
    ],
)
def test_what_only_one_page_shows_is_left_over(
    one: tuple[str, ...], other: tuple[str, ...], only: list[str]
) -> None:
    """Goals exchanged, a part of a longer sentence, a number, a sign: told in sentences."""
    assert left(of_text(*one), of_text(*other)) == only


def test_a_line_of_signs_is_left_over() -> None:
    """Four stars are not three; what only parts or decorates says nothing."""
    four, three = (
        Appearance(text=("The lamp",), signs=(stars, "* * *", "—"), order="Tsss")
        for stars in ("★★★★☆", "★★★☆☆")
    )
    assert left(four, three) == ["★ ★ ★ ★ ☆"]
    assert left(four, four) == []


def test_stamps_and_counters_are_not_left_over() -> None:
    """Nor is what shows no word at all."""
    one = of_text("The lamp is lit.", "Updated 3 May 2024", "1,024 views", "* * *")
    assert left(one, of_text("The lamp is lit. 7 views")) == []


@pytest.mark.parametrize("part", ["beside", "links", "title", "heading"])
def test_a_line_may_stand_in_another_part(part: str) -> None:
    """Extraction may take a line for text on one page and for its surroundings on the other."""
    line = "The second line"
    other = replace(
        of_text("first"),
        **{part: line if part in ("title", "heading") else (line,)},  # type: ignore[arg-type]
    )
    assert left(of_text("first", line), other) == []


@pytest.mark.parametrize(
    ("one", "other", "replaces"),
    [
        ("a b | red one | c d", "a b | blue one | c d", True),
        ("a b | red one | c d", "a b | c d", False),
        ("a b | c d | red one", "blue one | a b | c d", False),
        ("red one", "blue one", True),
        ("a b | red one", "a b", False),
    ],
)
def test_what_stands_in_the_place_of_something_is_told(
    one: str, other: str, replaces: bool
) -> None:
    """A form that is filled in with another value, and not what stands between the same lines."""
    first, second = (of_text(*page.split(" | ")) for page in (one, other))
    (found,) = compared(first, second).left
    assert found.words == "red one"
    assert found.replaces is replaces


def test_what_is_not_aligned_counts_as_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a bound all that is left over does, but for what both begin and end with alike."""
    one = of_text("a b", "red one", "c d", "e f", "g h")
    other = of_text("a b", "c d", "blue one", "e f", "g h")
    assert [found.replaces for found in compared(one, other).left] == [False]
    monkeypatch.setattr(agreement, "MOST_ALIGNED", 3)
    assert [found.replaces for found in compared(one, other).left] == [True]


def test_how_much_is_shown_alike_is_a_share_of_both() -> None:
    """In characters of what counts: ten that both show, ten and twenty that they do not."""
    both = "y" * 10
    one, other = of_text(both, "x" * 10), of_text(both, "z" * 20)
    assert compared(one, other).shown_alike(is_visible) == 10 / 40
    framed = replace(one, apart=(f"{FRAME_LINE}{'z' * 20}",))
    assert compared(framed, one).shown_alike(is_visible) == 1.0
    assert compared(framed, one).shown_alike(lambda line: not line.is_visible) == 0.0


@pytest.mark.parametrize(
    ("one", "its", "differs"),
    [
        ("5 mW", "5 MW", True),
        ("Route 6a", "Route 6A", True),
        ("Then bxc3 wins", "Then Bxc3 wins", True),
        ("Latest news", "LATEST NEWS", False),
        ("About us", "About Us", False),
        ("A lamp", "A ship", False),
    ],
)
def test_letter_case_is_a_fact_where_no_style_makes_it(one: str, its: str, differs: bool) -> None:
    """Style makes capitals of whole lines with words in them, or of first letters of words."""
    pair = compared(Appearance(text=(one, "Lamp")), Appearance(text=(its, "Lamp")))
    assert pair.has_other_case is differs


@pytest.mark.parametrize(
    ("one", "its", "differs"),
    [
        ("Thornby 2–1 Wick Athletic", "Wick Athletic 2–1 Thornby", True),
        ("Thornby 2–1 Wick", "Thornby 1–2 Wick", True),
        ("左起：陈校长、吴书记、冯老师", "左起：吴书记、陈校长、冯老师", True),
        ("Thornby 2–1 Wick", "thornby, 2-1, wick", False),
        ("Thornby 2–1 Wick", "Thornby 3–1 Wick", False),
        ("Posted by Ann on 3 May 2024", "3 May 2024, posted by Ann", False),
    ],
)
def test_the_order_of_words_is_a_fact(one: str, its: str, differs: bool) -> None:
    """But for that of a date and a byline, which are each publisher's."""
    pair = compared(Appearance(text=(one, "Lamp")), Appearance(text=(its, "Lamp")))
    assert pair.has_other_order is differs


def test_a_tick_in_another_column_is_a_fact() -> None:
    """Whatever is drawn else, of which a template makes its own."""

    def drawn(*signs: str) -> Appearance:
        return Appearance(text=("Lamp", "✓"), apart=tuple(f"{DRAWN_LINE}{one}" for one in signs))

    row = drawn("✓ 1 3 4", "Lamp star yellow")
    assert compared(row, drawn("✓ 1 2 4", "Lamp star yellow")).has_other_cells
    for other in (row, drawn(), drawn("✓ 1 3 4", "Lamp sprite"), drawn("stars 1 2 4")):
        assert not compared(row, other).has_other_cells


def test_a_value_fills_a_place_between_two_lines_of_both_pages() -> None:
    """One of as many lines, or numbers; what is first or last stands in the surroundings."""

    def fills(ours: tuple[str, ...], theirs: tuple[str, ...]) -> list[str]:
        pair = compared(Appearance(text=ours), Appearance(text=theirs))
        return [one.sentence for one in pair.left if one.fills]

    assert fills(("Side", "left", "Used"), ("Side", "right", "Used")) == ["left"]
    assert fills(("left", "Used"), ("right", "Used")) == []
    assert fills(("Side", "left", "Used"), ("Side", "right", "rear", "Used")) == []
    assert fills(("Draw", "5", "8", "End"), ("Draw", "7", "End")) == ["5", "8"]
