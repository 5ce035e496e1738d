"""Pages that markup makes costly are brought within bounds, and say what they said."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborNode

from crawler.extract.bounds import MAX_ATTRIBUTES, MAX_DEPTH, MAX_FORMATTING, bounded
from crawler.extract.lines import text_of, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import is_too_wide, main_text

WORDS = "These words stand in the body of the page."
PARAGRAPH = f"<p>{WORDS}</p>"
MANY = 3_000
"""Tags: enough that a page is looked at, few enough that the tests that fail do so soon."""

DEEP = {
    "nested": "<div>" * MANY,
    "nested and closed": "<div>" * MANY + "x" + "</div>" * MANY,
    "lists": "<ul><li>" * MANY,
    "unknown": "".join(f"<x-{number}>" for number in range(MANY)),
    "upper case": "<DIV>" * MANY,
    "closed before": "</div>" * MANY + "<div>" * MANY,
    "closed by others": "<div></x>" * MANY,
    "closed in comments": "<div><!-- </div> -->" * MANY,
    "closed in scripts": "<div><script>'</div>'</script>" * MANY,
    "self-closed": "<div/>" * MANY,
    "self-closed beside a drawing": "<svg></svg>" + "<x/>" * MANY,
    "self-closed after a drawing": "<svg><p>" + "<x/>" * MANY,
    "formatting": "<b>" * MANY,
    "closed beyond a cell": "<div><table><td></div></table>" * MANY,
    "closed beyond a button": "<span><button></span></button>" * MANY,
    "closed beyond a paragraph": "<span><p></span></p>" * MANY,
    "closed in attributes": "<div title='</div>'>" * MANY,
    "closed in other comments": "<div><? </div>" * MANY,
    "closed in a script in a script": "<div><script><!--<script></script></div></script>-->" * MANY,
    "closed in titles of another case": "<div><Title></div></Title>" * MANY,
    "closed by another letter": "<div\u00a0></div>" * MANY,
    "opened in a title of a drawing": "<svg><title>" + "<x>" * MANY + "</title></svg>",
    "opened in a style of a list": "<select><xmp></select>" + "<div>" * MANY + "</xmp>",
    "opened after an attribute without name": '<p =">' + "<div>" * MANY + '<p ">',
    "items in items": "<li><dd>" * MANY,
    "empty in drawings": "<svg>" + "<link>" * MANY,
    "frames": "<frameset>" * MANY,
}


def page(content: str) -> str:
    """Return an HTML page."""
    return f"<!doctype html><html><head><title>t</title></head><body>{content}</body></html>"


def elements(html: str) -> tuple[int, int]:
    """Return how many elements a page is parsed to, and how deep they are."""
    deepest = number = 0
    level = [node for node in [parse(html, "text/html").root] if node is not None]
    while level:
        deepest, number = deepest + 1, number + len(level)
        level = [child for node in level for child in _children(node)]
    return number, deepest


def _children(node: LexborNode) -> list[LexborNode]:
    return list(node.iter())


def first(html: str, name: str) -> LexborNode:
    """Return a page's first element of a name."""
    return parse(html, "text/html").css(name)[0]


def shown(html: str) -> str:
    """Return what a reader of a page sees."""
    return text_of(visible_lines(parse(html, "text/html")))


@pytest.mark.parametrize("content", DEEP.values(), ids=DEEP)
def test_no_element_is_deeper_than_the_bound(content: str) -> None:
    """Deeper elements stand beside each other, and the text at the end is still read."""
    html = bounded(page(content + PARAGRAPH), xml=False)
    number, deepest = elements(html)
    assert deepest <= 2 * MAX_DEPTH + 8  # not counted: what an element may hold once, such as `li`
    assert number <= 3 * MANY + 10  # with what a table has by itself
    assert WORDS in shown(html)


_NAMES = """
    a b body button caption col dd desc div dl font foreignobject form frameset h1 html img input li
    link math mi noscript object option p path script section select span style svg table tbody td
    template textarea title tr ul x-y xmp
""".split()
TAGS = st.builds(str.format, st.sampled_from(["<{}>", "</{}>"]), st.sampled_from(_NAMES))
OTHERS = st.sampled_from(
    ["<!-- </div> -->", "<![CDATA[>", "]]>", "<? ", "<path/>", "<p a='></p>'>"]
)
SOUP = st.lists(TAGS | TAGS | TAGS | OTHERS, min_size=2, max_size=8).map("".join)


@given(SOUP, SOUP)
def test_no_markup_is_deeper_than_the_bound(before: str, repeated: str) -> None:
    """Whatever tags follow each other, a parser makes no tree of it that is much deeper."""
    html = before + repeated * (2 * MAX_DEPTH)
    assert elements(bounded(html, xml=False))[1] <= 1.5 * MAX_DEPTH + 16


BLOCKS = st.sampled_from("b div em li p section span td table ul".split())
_WORDED = st.builds("<{0} id=i>one {0}<a href='/{0}'>x</a>".format, BLOCKS)
_ENDED = st.builds("</{0}>after {0} ".format, BLOCKS)


@given(st.lists(_WORDED | _ENDED, min_size=3, max_size=12).map("".join))
def test_text_and_links_of_any_markup_are_kept(repeated: str) -> None:
    """Pages that are written anew say all words in their order, and lead where they led."""
    # Tables move what stands between their rows, here as in a browser.
    html = f"<body>{repeated}" + "<div>" * 2 * MAX_DEPTH
    bounds, own = (parse(written, "text/html") for written in (bounded(html, xml=False), html))
    said = [Counter((tree.body or tree.css("*")[0]).text().split()) for tree in (bounds, own)]
    led = [Counter(a.attributes["href"] for a in tree.css("a[href]")) for tree in (bounds, own)]
    assert said[0] == said[1]
    assert set(led[0]) == set(led[1])


@pytest.mark.parametrize(
    "block", ["<b class=x{}><p>w", "<p><font size={}>", "<i id={}><div>w</div></i><u id={}><p>"]
)
def test_formatting_is_opened_anew_a_few_times(block: str) -> None:
    """Formatting that is never closed does not multiply with the blocks that come after it."""
    content = "".join(block.format(number, number) for number in range(1_000)) + "<p>w" * 1_000
    html = bounded(page(content + PARAGRAPH), xml=False)
    assert elements(html)[0] <= (MAX_FORMATTING + 4) * 4_000
    assert WORDS in shown(html)


def test_a_tag_keeps_some_attributes() -> None:
    """The first ones are kept, however they are written, and what follows the tag is read."""
    attributes = "".join(
        form.format(number)
        for number in range(2_000)
        for form in (" a{}=1", " b{}", " c{} = 'x y'", ' d{}="/"')
    )
    html = bounded(page(f"<p id=first{attributes} title='>'>{WORDS}</p>"), xml=False)
    paragraph = first(html, "p")
    assert len(paragraph.attributes) == MAX_ATTRIBUTES
    assert paragraph.attributes["id"] == "first"
    assert shown(html) == WORDS


@pytest.mark.parametrize("before", [0, 1, 2_047, 4_095, 4_096, 8_191])
def test_a_long_tag_is_found_wherever_it_stands(before: int) -> None:
    """Long tags are looked for in steps, and none falls between two, also at the end of a page."""
    tag = "<p" + "".join(f" a{number}" for number in range(2_000))
    for end in ("", ">", f">{WORDS}"):
        html = bounded("x" * before + tag + end, xml=False)
        assert html.count(" a") == MAX_ATTRIBUTES


def test_few_formatting_elements_are_within_bounds_in_any_order() -> None:
    """As many start tags as may be open at once are no reason to change a page."""
    html = page("</b>" * 100 + "<b>" * MAX_FORMATTING + PARAGRAPH)
    assert bounded(html, xml=False) is html
    assert bounded(html.replace(PARAGRAPH, "<b>"), xml=False) != html


@pytest.mark.parametrize("name", ["body", "html"])
def test_attributes_of_the_roots_are_gathered_from_few_tags(name: str) -> None:
    """Any further tag adds its attributes to the first one's, which is looked through for each."""
    tags = "".join(f"<{name} a{number}=1>" for number in range(2_000))
    html = bounded(page(tags + PARAGRAPH), xml=False)
    assert len(first(html, name).attributes) <= 40
    assert shown(html) == WORDS


def test_xml_elements_that_close_themselves_are_not_deep() -> None:
    """In XHTML `<div/>` is whole, so thousands in a row are no reason to change anything."""
    html = page("<div class='x'/>" * MANY + PARAGRAPH)
    assert bounded(html, xml=True).replace("></div>", "/>") == html


@pytest.mark.parametrize(
    "content",
    [
        "<div><p>x<ul><li>y<li>z</ul></div>" * MANY,
        "<p>x" * MANY,
        "<table>" + "<tr><td>x" * MANY + "</table>",
        "<svg>" + "<path d='M0'/>" * 300 + "</svg>",
        "<b>x</b> <i>y</i>" * MANY,
        "<script>" + "'<div><b>'" * MANY + "</script>",
        "<!-- " + "<div><b>" * MANY + " -->",
        "<p title='" + "<div><b>x</b></div>" * MANY + "'>x</p>",
        f"<p title='{'x ' * MANY}'>x</p>",
    ],
    ids=["blocks", "p", "rows", "drawing", "formatting", "script", "comment", "attribute", "title"],
)
def test_other_pages_stay_as_they_are(content: str) -> None:
    """Large pages whose elements are closed, by tags or by each other, are not touched."""
    html = page(content + PARAGRAPH)
    assert bounded(html, xml=False) is html


def test_links_below_the_bound_are_kept() -> None:
    """What is nested beyond the bound still leads where it led."""
    content = "".join(f"<div><a href='/{number}'>x</a>" for number in range(MANY))
    found = parse(bounded(page(content), xml=False), "text/html").css("a[href]")
    assert [link.attributes["href"] for link in found] == [f"/{number}" for number in range(MANY)]


@pytest.mark.parametrize(
    ("table", "too_wide"),
    [
        ("<td colspan=1000 rowspan=1000>x", True),
        ("<td colspan='1000'>x" * 101, True),
        ('<TD ROWSPAN = "65534">x' * 101, True),
        ("<td>x" * 5_001, True),
        ("<td><table>x<b>" * 500, True),
        ("<td><TABLE><!--</table>-->" * 500, True),
        (f"{'<td><table><tr>' * 20}<td>x{'</table>' * 20}" * 40, False),
        ("<td colspan=100 rowspan=999>x", False),
        ("<td>x<tr>" * 9_999, False),
        ("<td colspan=x rowspan=>x" * 999, False),
    ],
)
def test_tables_that_are_too_wide_have_no_main_text(table: str, too_wide: bool) -> None:
    """Where it would fill millions of places, or gather as many elements, it is not called."""
    html = page(f"<article>{PARAGRAPH * 9}<table><tr>{table}</table></article>")
    assert is_too_wide(html) == too_wide
    assert bool(main_text(html)) != too_wide
