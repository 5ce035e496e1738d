"""Parts of a page: each visible line is text, beside the text, or a link."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies import Appearance, pack, unpack
from crawler.extract.lines import Line, text_of, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import page_parts
from crawler.extract.text import shown_text, word_characters

PROSE = [
    "The harbour master spoke about the new lighthouse at some length.",
    "Its lamp is seen from forty kilometres away in clear weather.",
]
PAGE = f"""<body><p><a href=/>All the news of the day</a></p><p>{PROSE[0]}</p><p>{PROSE[1]}</p>
    <p>Twelve people have read this, and <a href=/x>one</a> of them wrote.</p>
    <ul><li><a href=/a>Another article of this site</a><li><a href=/b>***</a></ul></body>"""
READ = "Twelve people have read this, and one of them wrote."
LINKS = ("All the news of the day", "Another article of this site")


def test_lines_outside_the_judged_text_are_beside_it_or_links() -> None:
    """A sentence with a link in it is none; a line without a word in it is neither."""
    lines = visible_lines(parse(PAGE, "text/html"))
    parts = page_parts(lines, [line.text in PROSE for line in lines])
    assert parts.text == tuple(PROSE)
    assert parts.beside == (READ,)
    assert (parts.links, parts.signs) == (LINKS, ("***",))
    assert parts.order == "lTTbls"


def test_where_all_that_is_visible_was_judged_nothing_is_beside_it() -> None:
    """Then lines are text or links."""
    lines = visible_lines(parse(PAGE, "text/html"))
    parts = page_parts(lines, [True] * len(lines))
    assert parts.text == (*PROSE, READ)
    assert (parts.beside, parts.links) == ((), LINKS)


def test_links_in_a_judged_text_that_is_a_part_of_the_page_are_text() -> None:
    """Where navigation was left out, what is left of links is content."""
    lines = visible_lines(parse(PAGE, "text/html"))
    parts = page_parts(lines, [line.text in (*PROSE, LINKS[1]) for line in lines])
    assert parts.text == (*PROSE, LINKS[1])
    assert (parts.beside, parts.links) == ((READ,), LINKS[:1])


WORDS = st.sampled_from([*PROSE, READ, *LINKS, "one", "***", "号外"])


@given(st.lists(st.tuples(WORDS, st.booleans(), st.booleans()), max_size=8))
def test_each_line_is_in_one_part(shown: list[tuple[str, bool, bool]]) -> None:
    """Every line is in one part, as often as it stands on the page; without a word, with signs."""
    lines = [Line(text, len(word_characters(text)) if is_link else 0) for text, is_link, _ in shown]
    parts = page_parts(lines, [judged for _, _, judged in shown])
    assert Counter(chain(*parts[:4])) == Counter(line.text for line in lines)
    assert set(parts.signs) <= {"***"}
    assert "***" not in (*parts.text, *parts.beside)
    assert [letter.isupper() for letter in parts.order] == [judged for _, _, judged in shown]
    assert parts.beside == () or not all(judged for _, _, judged in shown)


@given(st.lists(st.tuples(WORDS, st.booleans(), st.booleans()), max_size=8))
def test_judged_and_visible_text_can_be_had_again(shown: list[tuple[str, bool, bool]]) -> None:
    """From what is kept of a page, packed, in the order of the page and without a line less."""
    lines = [Line(text, len(word_characters(text)) if is_link else 0) for text, is_link, _ in shown]
    flags = [judged for _, _, judged in shown]
    parts = page_parts(lines, flags)
    text, beside, links, signs, order = parts
    seen = Appearance("Title", text=text, beside=beside, links=links, signs=signs, order=order)
    page = unpack(pack(seen))
    judged = (line for line, is_judged in zip(lines, flags, strict=True) if is_judged)
    assert (page.judged_text or "") == text_of(judged)
    assert (page.visible_text or "") == text_of(lines)


def test_a_heading_that_stands_among_the_lines_is_shown_once() -> None:
    """One in a header, which is not among them, comes before them; a part of a line is no line."""
    assert shown_text("First\nHeading\nLast", "Heading") == "First\nHeading\nLast"
    assert shown_text("First Heading\nLast", "Heading") == "Heading\nFirst Heading\nLast"
    assert shown_text("Last", None) == "Last"
