"""Parts of a page: each visible line is text, beside the text, or a link."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.extract import page_parts, parse, text_of, visible_lines
from crawler.extract.visible import Line

PROSE = [
    "The harbour master spoke about the new lighthouse at some length.",
    "Its lamp is seen from forty kilometres away in clear weather.",
]
PAGE = f"""<body><p><a href=/>All the news of the day</a></p><p>{PROSE[0]}</p><p>{PROSE[1]}</p>
    <p>Twelve people have read this, and <a href=/x>one</a> of them wrote.</p>
    <ul><li><a href=/a>Another article of this site</a><li><a href=/b>***</a></ul></body>"""
READ = "Twelve people have read this, and one of them wrote."
LINKS = ("All the news of the day", "Another article of this site")


def test_lines_outside_the_main_text_are_beside_it_or_links() -> None:
    """A sentence with a link in it is none; a line without a word in it is nowhere."""
    parts = page_parts("\n".join(PROSE), visible_lines(parse(PAGE, "text/html")))
    assert parts.text == tuple(PROSE)
    assert parts.beside == (READ,)
    assert parts.links == LINKS


def test_where_all_that_is_visible_was_judged_nothing_is_beside_it() -> None:
    """Then lines are text or links."""
    parts = page_parts(None, visible_lines(parse(PAGE, "text/html")))
    assert parts.text == (*PROSE, READ)
    assert (parts.beside, parts.links) == ((), LINKS)


def test_lines_of_a_main_text_are_found_however_they_are_cut() -> None:
    """Extraction joins and splits lines, and writes marks of its own."""
    joined = " ".join(PROSE)
    lines = visible_lines(parse(PAGE, "text/html"))
    assert page_parts(joined, lines).text == (joined,)
    assert page_parts(joined, lines).beside == (READ,)
    assert page_parts(f"- {PROSE[0]}\n***\n{PROSE[1]}", lines).text == (f"- {PROSE[0]}", PROSE[1])
    assert page_parts(f"{joined}\n{LINKS[1]}", lines).links == LINKS[:1]


WORDS = st.sampled_from([*PROSE, READ, *LINKS, "one", "***", "号外"])


@given(
    st.lists(st.tuples(WORDS, st.booleans()), max_size=8),
    st.none() | st.lists(WORDS).map("\n".join),
)
def test_each_line_is_in_one_part(shown: list[tuple[str, bool]], main: str | None) -> None:
    """A line of words is either found in the judged text or in one of the other parts."""
    lines = [Line(text, len(text) if is_link else 0) for text, is_link in shown]
    text, beside, links = page_parts(main, lines)
    assert not set(beside) & set(links)
    if main is None:
        assert (set(text) & set(links), beside) == (set(), ())
        assert {*text, *links} == {line.text for line in lines if line.text != "***"}
    else:
        assert text == tuple(line for line in main.split("\n") if line and line != "***")
        assert {*beside, *links} <= {line.text for line in lines} - set(text)
    assert text_of(lines).count("***") or "***" not in {*text, *beside, *links}
