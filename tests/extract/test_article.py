"""The box of a page's article, and what in it is not the article's text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.lines import Line, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import combined_lines, within_article
from crawler.extract.rendering import plain

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
        Line("I saw it too, as did my brother", 0, f"{BOX}>div.comments>p"),
        Line("By Jane Doe, 4 May", 0, f"{BOX}>p.byline"),
        Line("Read more: Harbour master resigns", 20, f"{BOX}>p"),
        Line("Sign up for our newsletter", 13, f"{BOX}>ul>li"),
        Line("Tags: harbours", 0, f"{BOX}>p"),
        Line("Photo: Jane Doe", 0, f"{BOX}>p"),
        Line("责任编辑：王小明", 0, f"{BOX}>p"),
    ],
)
def test_what_stands_beside_the_text_goes(line: Line) -> None:
    """Comments, bylines, credits and links that lead elsewhere are not the text."""
    assert left([*ARTICLE[:2], line, *ARTICLE[2:]]) == ARTICLE


@pytest.mark.parametrize(
    "line",
    [
        Line("Lights by year", 0, f"{BOX}>table>caption"),
        Line(f"Read more than once, it is still odd: {PROSE * 3}", 0, f"{BOX}>p"),
        Line("We read more than others do", 0, f"{BOX}>p"),
        Line("Sign up for a free account on the console.", 0, f"{BOX}>p"),
        Line("Get the latest release and unpack it there.", 16, f"{BOX}>p"),
        Line("Listen to port 8080", 0, f"{BOX}>ul>li"),
        Line("Subscribe to the topic", 0, f"{BOX}>pre"),
        Line("Sign up for a free account", 23, f"{BOX}>ol>li"),
        Line("Follow me home", 12, f"{BOX}>ol.steps>li>p"),
        Line("Tags: names of releases", 0, f"{BOX}>table>tr>td"),
        Line("Subscribers get each message", 25, f"{BOX}>p"),
        Line("Photos by the master hang in the hall.", 0, f"{BOX}>p"),
        Line("Posted in 1890, the letter came back", 0, f"{BOX}>p"),
        Line("The lighthouse at night", 0, f"{BOX}>figure>figcaption"),
        Line("The lighthouse by day", 0, f"{BOX}>div.image-caption"),
        Line("The lighthouse in fog", 0, f"{BOX}>div.wp-caption>p"),
        Line("The lighthouse, as its author knew it", 0, f"{BOX}>div.author-widget>p"),
    ],
)
def test_what_belongs_to_the_text_stays(line: Line) -> None:
    """Captions, steps of lists, and sentences that only sound alike are text."""
    assert left([*ARTICLE, line]) == [*ARTICLE, line]


@pytest.mark.parametrize(
    "name", ["elementor-widget-container", "text-widget", "text-comments", "byline-text"]
)
def test_names_are_not_believed_about_the_text_itself(name: str) -> None:
    """Prose that stands in a box named as beside it stays, and what stands outside still goes."""
    lines = [line._replace(path=f"{BOX}>div.{name}>p") for line in ARTICLE]
    assert left([*lines, COMMENT]) == lines


def test_what_leads_elsewhere_is_not_most_of_the_text() -> None:
    """Of a page of photographs, credits are the text."""
    photos = [
        Line(f"Photo: {number} the harbour and its lighthouse, seen from the tower of the town hall"
             " when the sun goes down behind the hills", 0, f"{BOX}>p") for number in range(8)
    ]  # fmt: skip
    assert left([*photos, COMMENT]) == photos


def test_where_no_prose_is_kept_all_that_is_kept_stays() -> None:
    """A short line outside of the article stays if nothing of the article does."""
    found = [True] * len(ARTICLE) + [False]
    kept = [not flag for flag in found]
    assert within_article([*ARTICLE, Line("Lamps", 0, "body>p")], found, kept) == kept


@pytest.mark.parametrize(
    "box", ["div.entry-content", "div.article-author-content", "div.post-meta"]
)
def test_an_article_has_its_title_and_all_its_parts(box: str) -> None:
    """What stands in the article around a box that is named as its content is of it as well."""
    prose = "".join(f"<p>{line.text}</p>" for line in ARTICLE)
    tag, _, name = box.partition(".")
    page = (
        f"<div class=page><article class=post><h1>Harbour wall</h1><p>Eleven centimetres.</p>"
        f"<{tag} class={name}>{prose}</{tag}><h2>Questions</h2><div class=faq>Who pays?</div>"
        "</article><p>Other towns</p></div>"
    )
    lines = visible_lines(parse(page, "text/html"))
    assert [line.text for line in lines if line not in left(lines)] == ["Other towns"]


def test_what_stands_around_several_articles_is_none() -> None:
    """A box that stands on a page more than once does not end the article in it."""
    lines = [line._replace(path=f"body>div.blog>{line.path}") for line in ARTICLE]
    teaser, between = Line("Lamps", 0, "body>div.blog>p"), Line("Home", 4, "body>p")
    assert left([teaser, between, *lines]) == lines


def test_an_article_of_widgets_has_a_text() -> None:
    """The text of a page that is made of widgets is written as it was found."""
    paragraphs = "".join(
        f"<div class=elementor-widget-container><p>{line.text}</p></div>" for line in ARTICLE
    )
    page = f"<article class=post><h1>Harbour wall</h1>{paragraphs}</article>"
    lines = visible_lines(parse(page, "text/html"))
    kept = combined_lines(lines, [True] * len(lines), trusted=True)
    assert plain(lines, kept).split("\n") == ["Harbour wall", *(line.text for line in ARTICLE)]


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
    (
        f"{BOX}>p",
        BOX,
        "body>article",
        "body>article>div.comments",
        "body>div.post>ul>li",
        "body",
        "",
    )
)
LINES = st.builds(Line, st.sampled_from((PROSE * 4, "Tags: sea", "x")), st.just(0), PATHS)


@given(st.lists(st.tuples(LINES, st.booleans(), st.booleans())))
def test_only_kept_lines_are_left_and_some_are(page: list[tuple[Line, bool, bool]]) -> None:
    """Nothing is added, and of what is kept something is left: most of its prose."""
    lines = [line for line, _, _ in page]
    found, kept = [is_found for _, is_found, _ in page], [is_kept for _, _, is_kept in page]
    flags = within_article(lines, found, kept)
    assert len(flags) == len(lines)
    assert all(was for flag, was in zip(flags, kept, strict=True) if flag)
    assert any(flags) == any(kept)
    prose = [
        flag
        for (line, is_found, is_kept), flag in zip(page, flags, strict=True)
        if is_found and is_kept and line.text == PROSE * 4
    ]
    assert sum(prose) >= 0.7 * len(prose)
