"""Appearances: what is packed is unpacked, within limits, and nothing else is."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies import Appearance, judged_text, lines_of, pack, unpack
from crawler.dedup.copies.appearance import CUT, MAX_CHARACTERS

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1)
LINES = st.lists(TEXT, max_size=6).map(tuple)


@given(
    st.builds(
        Appearance,
        *(st.none() | TEXT,) * 3, *(LINES,) * 5, st.just(""), LINES, st.none() | TEXT,
    )
)  # fmt: skip
def test_what_is_packed_is_unpacked(page: Appearance) -> None:
    """Every part comes back as it was, in its order."""
    assert unpack(pack(page)) == page


def test_the_texts_of_a_page_that_was_cut_are_not_known() -> None:
    """What is left of it is no text; until then both are, line by line in the page's order."""
    line = "x" * 1000
    for lines, is_known in ((200, True), (201, False)):
        order = "lT" + "L" * (lines - 1)
        page = Appearance(text=("first",), links=(line,) * lines, order=order)
        found = unpack(pack(page))
        assert (found.order == CUT) is not is_known
        assert found.judged_text == ("\n".join(("first", *found.links[1:])) if is_known else None)
        assert judged_text(found, "kept") == (found.judged_text or "kept")


def test_the_judged_text_of_a_page_without_appearance_is_the_kept_one() -> None:
    """So it is where an order is not known; a page of which nothing is judged has an empty one."""
    assert judged_text(None, "kept") == "kept"
    assert judged_text(Appearance(text=("own",)), "kept") == "kept"
    assert judged_text(Appearance(beside=("own",), order="b"), "kept") == ""


@pytest.mark.parametrize("order", ["T", "TTT", "Tb", "Tx", "T-"])
def test_an_order_of_other_lines_is_refused(order: str) -> None:
    """Each letter stands for one line of its part."""
    packed = pack(Appearance(text=("one", "two"), order=order))
    with pytest.raises(ValueError, match="order"):
        unpack(packed)


@pytest.mark.parametrize("part", ["text", "beside", "links"])
def test_a_part_keeps_its_first_lines_within_the_limit(part: str) -> None:
    """A part of exactly the limit is kept, one line more is left out, other parts are not."""
    line = "x" * 1000
    full = (line,) * (MAX_CHARACTERS // 1000)
    page = Appearance("Title", text=("own text",))
    for lines in (full, (*full, "more"), (*full, "more", "y" * 10)):
        longer = replace(page, **{part: lines})  # type: ignore[arg-type]
        found = unpack(pack(longer))
        assert getattr(found, part) == full
        assert found.title == "Title"


def test_one_long_line_is_left_out() -> None:
    """Nothing is cut inside a line: half a line would differ from the whole."""
    assert unpack(pack(Appearance(text=("a", "x" * MAX_CHARACTERS, "b")))).text == ("a",)


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(data: bytes) -> None:
    """Bytes that are no packed appearance, packed by zlib or not, raise ValueError."""
    for packed in (data, zlib.compress(data)):
        with pytest.raises(ValueError, match="not a packed appearance"):
            unpack(packed)


@pytest.mark.parametrize(
    "json",
    [b"3", b"[]", b"null", b"{}", b'[1,2,3,"","",""]', b'["t",null,[],"a","b"]'],
)
def test_other_json_is_refused(json: bytes) -> None:
    """So is JSON of another shape, and a packed appearance that was cut."""
    with pytest.raises(ValueError, match="not a packed appearance"):
        unpack(zlib.compress(json))
    with pytest.raises(ValueError, match="not a packed appearance"):
        unpack(pack(Appearance("Title", text=("line",)))[:-5])


def test_lines_of_a_plain_text_are_not_empty() -> None:
    """Blank lines are none, whatever ends a line."""
    assert lines_of("one\r\n\r\n \t\ntwo\u2028three\n") == ("one", "two", "three")
