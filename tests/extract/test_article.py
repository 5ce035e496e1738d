"""The box of a page's article, and what in it is not the article's text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract import combined_lines, parse, visible_lines
from crawler.extract.lines.visible import Line
from crawler.extract.readings.article import within_article

PROSE = "The committee met on Tuesday to hear the harbour master speak about the new lighthouse. "
BOX = "body>div.page>div.entry-content"
ARTICLE = [Line(f"{number} {PROSE * 3}".strip(), 0, f"{BOX}>p") for number in range(4)]
COMMENT = Line(f"I saw it: {PROSE * 3}".strip(), 0, "body>div.page>div>p")


def left(lines: list[Line]) -> list[Line]:
    """Return what is left of lines, all of them found and kept."""
    all_ = [True] * len(lines)
    flags = within_article(lines, all_, all_)
    return [line for line, flag in zip(lines, flags, strict=True) if flag]


def test_an_article_ends_with_its_box() -> None:
    """Comments of readers and stray lines of menus around a named box with most prose go."""
    menu = Line("Lighthouses", 11, "body>ul>li")
    assert left([menu, *ARTICLE, COMMENT]) == ARTICLE


@pytest.mark.parametrize(
    "lines",
    [
        [*ARTICLE[:1], COMMENT],
        [*ARTICLE[:2], COMMENT, *ARTICLE[2:]],
        [*ARTICLE, *[COMMENT] * 4],
        [line._replace(path="body>div.page>div.wide>p") for line in ARTICLE] + [COMMENT],
        [line._replace(path="body>div.thread>div.post>p") for line in ARTICLE] + [COMMENT],
        [line._replace(path="body>div.question>div.post>p") for line in ARTICLE] + [COMMENT],
    ],
    ids=["short", "two of the box", "most elsewhere", "no name", "thread", "question"],
)
def test_other_pages_stay_as_they_are(lines: list[Line]) -> None:
    """Nothing goes where no box is surely the one article of the page."""
    assert left(lines) == lines


def test_a_part_of_an_article_is_not_the_article() -> None:
    """Where a list has most of the text, all of the box around it that has a name is kept."""
    first = Line("These are the lighthouses:", 0, f"{BOX}>p")
    items = [line._replace(path=f"{BOX}>div>ul>li") for line in ARTICLE]
    assert left([COMMENT, first, *items]) == [first, *items]


@pytest.mark.parametrize(
    "line",
    [
        Line("The lighthouse at night", 0, f"{BOX}>figure>figcaption"),
        Line("Jane Doe writes about harbours", 0, f"{BOX}>div.author>p"),
        Line("Read more: Harbour master resigns", 20, f"{BOX}>p"),
        Line("Don’t miss our newsletter", 0, f"{BOX}>p"),
        Line("责任编辑：王小明", 0, f"{BOX}>p"),
    ],
)
def test_what_stands_beside_the_text_goes(line: Line) -> None:
    """Captions of pictures, authors and lines that lead elsewhere are not the text."""
    assert left([*ARTICLE[:2], line, *ARTICLE[2:]]) == ARTICLE


@pytest.mark.parametrize(
    "line",
    [
        Line("Lights by year", 0, f"{BOX}>table>caption"),
        Line(f"Read more than once, it is still odd: {PROSE * 3}", 0, f"{BOX}>p"),
        Line("We read more than others do", 0, f"{BOX}>p"),
    ],
)
def test_what_belongs_to_the_text_stays(line: Line) -> None:
    """Captions of tables and sentences that only sound alike are text."""
    assert left([*ARTICLE, line]) == [*ARTICLE, line]


@pytest.mark.parametrize("part", ["<h2>Related: work</h2><p>It is.", "<pre>tags: [sea]</pre>"])
def test_headings_and_code_stay(part: str) -> None:
    """Neither is taken for a line that leads elsewhere."""
    words = "".join(f"<p>{line.text}" for line in ARTICLE)
    lines = visible_lines(parse(f"<article>{words}{part}", "text/html"))
    assert left(lines) == lines


def test_the_kept_text_of_an_article_that_is_not_trusted() -> None:
    """The choice of lines asks for the article's box where all that is visible was kept."""
    lines = [*ARTICLE, *[COMMENT] * 9]
    found = [True] * len(ARTICLE) + [False] * 9
    assert combined_lines(lines, found, trusted=False) == found


PATHS = st.sampled_from(
    (f"{BOX}>p", BOX, "body>article", "body>article>div.caption", "body>div.post>ul>li", "body", "")
)
LINES = st.builds(Line, st.sampled_from((PROSE * 4, "Tags: sea", "x")), st.just(0), PATHS)


@given(st.lists(st.tuples(LINES, st.booleans(), st.booleans())))
def test_only_kept_lines_are_left_and_some_are(page: list[tuple[Line, bool, bool]]) -> None:
    """Nothing is added, and of what is kept something is left."""
    lines = [line for line, _, _ in page]
    found, kept = [is_found for _, is_found, _ in page], [is_kept for _, _, is_kept in page]
    flags = within_article(lines, found, kept)
    assert len(flags) == len(lines)
    assert all(was for flag, was in zip(flags, kept, strict=True) if flag)
    assert any(flags) == any(kept)
