"""The kept text of single pages: an extractor's lines, put right by structure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.lines import Line, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import combined_lines, without_surroundings
from crawler.extract.text import word_characters

PROSE = "The committee met on Tuesday to hear the harbour master speak about the new lighthouse. "


def prose(number: int, times: int = 3) -> Line:
    """Return a paragraph."""
    return Line(f"{number} {PROSE * times}".strip(), 0, "body>main>p")


def link(text: str, path: str = "body>div>ul>li") -> Line:
    """Return a line that is a link."""
    return Line(text, len(word_characters(text)), path)


def kept(lines: list[Line], found: list[int], *, trusted: bool) -> list[int]:
    """Return the numbers of the kept lines."""
    flags = combined_lines(lines, [n in found for n in range(len(lines))], trusted=trusted)
    return [number for number, flag in enumerate(flags) if flag]


def test_an_article_is_what_the_extractor_found() -> None:
    """Teasers before, after and within a trusted main text stay out."""
    teaser = Line("More about harbours and their masters on our other pages", 0, "body>div>p")
    lines = [link("Home"), prose(1), teaser, prose(2), link("Next")]
    assert kept(lines, [1, 3], trusted=True) == [1, 3]


def test_a_hole_in_a_box_is_filled() -> None:
    """A short line between two of its box is content, such as a formula that was left out."""
    lines = [prose(1), Line("a = b + c", 0, "body>main>p"), prose(2)]
    assert kept(lines, [0, 2], trusted=True) == [0, 1, 2]


def test_links_and_other_boxes_are_no_holes() -> None:
    """A link, or a line of another box, stays out of a main text."""
    lines = [prose(1), link("Read more", "body>main>p"), prose(2), Line("x", 0, "body>i"), prose(3)]
    assert kept(lines, [0, 2, 4], trusted=True) == [0, 2, 4]


def test_a_page_of_items_is_kept_whole() -> None:
    """Where much is missing within the main text, its items are what the page is about."""
    items = [line for n in range(9) for line in (link(f"Lamp number {n} " * 4), prose(n, 1))]
    lines = [link("Home"), *items, link("Imprint")]
    found = [number for number in range(1, 19) if number % 2 == 0]
    assert kept(lines, found, trusted=True) == list(range(2, 19))


def test_without_a_trusted_text_menus_alone_are_left_out() -> None:
    """Runs of links go, single links and all else stay."""
    menu = [link(f"Menu {n}") for n in range(3)]
    lines = [*menu, prose(1), link("Source"), prose(2)]
    assert kept(lines, [], trusted=False) == [3, 4, 5]


def test_a_list_of_links_is_content() -> None:
    """A page that says little but links, such as a table of contents, keeps them."""
    lines = [Line("Contents", 0, "body>h1"), *(link(f"Chapter {n}") for n in range(30))]
    assert kept(lines, [], trusted=False) == list(range(31))


def test_most_of_a_page_bounds_its_content() -> None:
    """A main text that is most of a page says where it ends, even if it is not trusted."""
    lines = [
        prose(1),
        Line("Comment " * 9, 0, "body>div>p"),
        prose(2),
        Line(PROSE * 2, 0, "body>ol>li"),
    ]
    assert kept(lines, [0, 2], trusted=False) == [0, 1, 2]
    assert kept([*lines, prose(3, 1)], [0, 2], trusted=False) == [0, 1, 2, 4]


def test_surroundings_go_by_name() -> None:
    """Boxes named as surroundings, and asides, are left out; words within words say nothing."""
    paths = ("body>aside>p", "body>div.site-footer>p", "body>div.related>p", "body>div.footnote>p")
    lines = [prose(1), *(Line("Something else to see", 0, path) for path in paths)]
    assert kept(lines, [], trusted=False) == [0, 4]


def test_names_that_are_most_of_a_page_mean_something_else() -> None:
    """A page whose text stands in a box named as a menu keeps it: dishes have menus, too."""
    lines = [Line(PROSE, 0, "body>div.menu>p")] * 3
    assert kept(lines, [], trusted=False) == [0, 1, 2]


PATHS = st.sampled_from(["body", "body>p", "body>aside>p", "body>div.menu>ul>li", "body>div>p"])
LINES = st.lists(
    st.builds(Line, st.text("ab 。x", min_size=1, max_size=30), st.integers(0, 40), PATHS),
    max_size=20,
)


@given(LINES, st.data(), st.booleans())
def test_something_is_kept_of_what_says_something(
    lines: list[Line], data: st.DataObject, trusted: bool
) -> None:
    """There is a flag for each line, and no page with words is kept without any."""
    flags = st.lists(st.booleans(), min_size=len(lines), max_size=len(lines))
    kept = combined_lines(lines, data.draw(flags), trusted=trusted)
    assert len(kept) == len(lines)
    words = [word_characters(line.text) for line in lines]
    assert any(w and k for w, k in zip(words, kept, strict=True)) == any(words)


def surroundings(html: str, *, surely: bool = False) -> list[str]:
    """Return the lines of a page that go by the names around them."""
    lines = visible_lines(parse(html, "text/html"))
    left = without_surroundings(lines, [True] * len(lines), surely=surely)
    return [line.text for line, flag in zip(lines, left, strict=True) if not flag]


def test_boxes_of_surroundings_are_found_in_a_page() -> None:
    """Names are read from the markup of a page."""
    html = f"<main><p>{PROSE * 3}</main><div class='sidebar-left x'><p>Ads</div><aside>b</aside>"
    assert surroundings(html) == ["Ads", "b"]


def test_a_sidebar_between_paragraphs_is_text() -> None:
    """DocBook's boxes stand right beside the text; a column of a page stands beside its box."""
    box = "<div class=sidebar><p>Why so</div>"
    assert surroundings(f"<div><p>{PROSE * 3}{box}<p>{PROSE * 3}</div>") == []
    assert surroundings(f"<div><div><p>{PROSE * 6}</div>{box}</div>") == ["Why so"]


def test_notes_and_rows_are_text_whatever_their_names() -> None:
    """Asides of notes, and the names of a table's parts, say nothing of surroundings."""
    page = f"<main><p>{PROSE * 3}<aside class=footnote-list>[1] So</aside>"
    table = "<table><tr class=header><th>Flag<th>Purpose<tr><td>a<td>b</table>"
    assert surroundings(f"{page}{table}</main>") == []


def test_only_sure_names_count_against_what_was_kept() -> None:
    """What a template keeps goes by names that no part of a text has, not by those that it may."""
    boxes = "<div class=menu>Dishes</div><aside>Note</aside><div class=newsletter>Join us</div>"
    html = f"<main><p>{PROSE * 3}{boxes}</main>"
    assert surroundings(html) == ["Dishes", "Note", "Join us"]
    assert surroundings(html, surely=True) == ["Join us"]


REFERENCES = (
    "<h2>References</h2><ul><li><a href=a>One</a><li><a href=b>Two</a><li><a>Three</a></ul>"
)


@pytest.mark.parametrize("trusted", [True, False])
def test_lists_of_links_below_a_heading_of_the_text_are_text(trusted: bool) -> None:
    """References that an extractor leaves out are kept where their heading stands in the text."""
    html = f"<article><p>{PROSE * 5}</p>{REFERENCES}</article>"
    lines = visible_lines(parse(html, "text/html"))
    assert kept(lines, [0, 1], trusted=trusted) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("trusted", [True, False])
def test_lists_of_links_in_other_boxes_are_none(trusted: bool) -> None:
    """A list of links whose heading stands apart from the text, or was left out, stays out."""
    html = f"<article><p>{PROSE * 5}</p></article><div>{REFERENCES}</div>"
    lines = visible_lines(parse(html, "text/html"))
    assert set(kept(lines, [0], trusted=trusted)).isdisjoint({2, 3, 4})


def test_a_heading_that_is_left_out_takes_nothing_with_it() -> None:
    """Text below a heading that the extractor missed is kept as it was found."""
    html = f"<article><h1>Lights</h1><p>{PROSE * 3}</p><h2>Ships</h2><p>{PROSE * 6}</p></article>"
    lines = visible_lines(parse(html, "text/html"))
    assert kept(lines, [1, 2, 3], trusted=False) == [1, 2, 3]


def test_embedded_posts_are_text_and_teasers_are_none() -> None:
    """What a `social` embed quotes is part of an article; boxes of the latest news are not."""
    embed = "<div class=social-embed><blockquote><p>It is lit.</blockquote></div>"
    page = f"<main><p>{PROSE * 3}{embed}<div class=breaking-news>Other news</div></main>"
    assert surroundings(page) == ["Other news"]


def test_footnotes_are_text() -> None:
    """An extractor leaves out notes below a text as links; they and their heading are kept."""
    notes = "<h2>Notes</h2><div class=footnote><ol><li><a href=a>The harbour, 1911</a></ol></div>"
    lines = visible_lines(parse(f"<article><p>{PROSE * 5}</p>{notes}</article>", "text/html"))
    assert kept(lines, [0], trusted=True) == [0, 1, 2]


def test_listings_and_captions_within_the_text_are_text() -> None:
    """Code and captions between two lines of the text stay, also in a table with line numbers."""
    html = """<article><p>Look at this code:</p><table><tr><td><pre>1\n2</pre><td><pre>a = 1\nb = 2
    </pre></table><p>Which sets two names.</p><figure><img><figcaption>A name</figcaption></figure>
    <p>And so on.</p><figure><figcaption>Another</figcaption></figure></article>"""
    lines = visible_lines(parse(html, "text/html"))
    found = [line.text.endswith((":", ".")) for line in lines]
    kept = combined_lines(lines, found, trusted=True)
    assert [line.text for line, is_kept in zip(lines, kept, strict=True) if not is_kept] == [
        "Another"
    ]
