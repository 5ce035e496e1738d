"""Hidden blocks that a line of a page opens, and when their text is kept."""

from __future__ import annotations

import pytest

from crawler.extract.lines import MOST_HIDDEN, Line, Openable, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import with_opened
from crawler.extract.rendering import plain


def read(html: str) -> tuple[list[Line], list[Openable]]:
    """Return the visible lines of a page and what they open."""
    openable: list[Openable] = []
    lines = visible_lines(parse(html, "text/html"), openable=openable)
    return lines, openable


def opened(html: str) -> list[tuple[str, list[str]]]:
    """Return what is opened: the line that does, and the lines behind it."""
    lines, openable = read(f"<p>Before</p><p>it</p>{html}<p>After<p>it")
    assert not {line.text for line in lines} & {"No", "One", "Two"}, "they are hidden"
    return [(lines[one.at - 1].text, [line.text for line in one.lines]) for one in openable]


ITEM = "<li><b>Why?</b> <div {}>No</div></li>"


@pytest.mark.parametrize(
    "html",
    [
        "<div role=tabpanel>Why?</div><div role=tabpanel hidden>No</div>",
        "<h3><button aria-controls=a>Why?</button></h3><div id=a hidden>No</div>",
        "<button>Why?</button><!-- x --> <div style='display:none'>No</div>",
        "<dl><dt>When?<dd>Never<dt>Why?<dd hidden>No</dl>",
        f"<ul>{ITEM.format('hidden')}<li>Else</ul>",
        f"<ul>{ITEM.format('aria-hidden=true')}<li>Else</ul>",
        "<div><div><p>Why?</div><div><div hidden>No</div></div></div>",
        "<div><h3>Why?</h3><svg></svg><div><div hidden>No</div></div></div>",
    ],
)
def test_a_line_opens_what_is_hidden_behind_it(html: str) -> None:
    """Panels of tabs, what follows a heading or control, and what hides behind one line alone."""
    assert opened(html) == [("Why?", ["No"])]


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden>No</div>",
        "<h3>Why?</h3> or <div hidden>No</div>",
        "<h3 hidden>Why?</h3><div hidden>No</div>",
        "<div><p>Why?<p>Who?<div hidden>No</div></div>",
        *(f"<ul>{ITEM.format(f'role={role} hidden')}</ul>" for role in ("dialog", "menu")),
        "<h3>Why?</h3><dialog>No</dialog>",
        "<nav><h3>Why?</h3><div hidden>No</div></nav>",
        "<h3>Why?</h3><div hidden><nav>No</nav></div>",
        "<a href=/><h3>Why?</h3><div hidden>No</div></a>",
        "<h3>Why?</h3><ol><li hidden>No<li>Yes</ol>",
        "<table><tr><td>Why?<tr hidden><td>No</table>",
        "<h3>Why?</h3><div hidden>Why?</div>",
        "<h3>Why?</h3><div hidden><p hidden>No</div>",
        "<h3>Why?</h3><span hidden>No</span>",
    ],
)
def test_other_hidden_blocks_stay_closed(html: str) -> None:
    """Without an opener, over the page, in menus, in what is numbered, and what is said already."""
    assert opened(html) == []


def test_a_page_of_one_line_opens_nothing() -> None:
    """The body is no item of it."""
    assert read("Soon!<div hidden>No</div>")[1] == []


def test_nothing_else_of_a_page_changes_for_what_is_hidden() -> None:
    """Lines that go on around a hidden block are one line."""
    lines, _ = read("<div>One <div role=tabpanel hidden>No</div>line</div><p>Two")
    assert plain(lines, [True] * len(lines)) == "One line\nTwo"


ANSWERS = "".join(f"<div><h3>{n}?</h3><p hidden>Answer {n}</div>" for n in range(3))


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        ([True, True, True, True], "A\n0?\nAnswer 0\n1?\nAnswer 1\n2?\nAnswer 2"),
        ([True, True, False, True], "A\n0?\nAnswer 0\n1?\nAnswer 1\n2?\nAnswer 2"),
        ([True, False, True, False], "A\n1?"),
        ([True, False, False, False], "A"),
    ],
)
def test_answers_are_kept_with_their_questions(kept: list[bool], text: str) -> None:
    """All of one kind, if most of the lines that open them are."""
    lines, openable = read(f"<p>A</p>{ANSWERS}")
    assert plain(*with_opened(lines, kept, openable)) == text


def test_panels_of_one_tab_list_stand_in_their_order() -> None:
    """All of them are behind the same line."""
    panels = "".join(f"<div role=tabpanel hidden><p>{n}</div>" for n in range(3))
    lines, openable = read(f"<p>A<div role=tabpanel><p>B</div>{panels}<p>C")
    flags = [True] * len(lines)
    assert plain(*with_opened(lines, flags, openable)) == "A\nB\n0\n1\n2\nC"
    assert plain(*with_opened(lines, flags, [])) == "A\nB\nC"


def test_as_many_are_read_as_a_page_may_have() -> None:
    """Those that stand first."""
    html = "<p>A" + "".join(f"<div role=tabpanel hidden>{n}</div>" for n in range(MOST_HIDDEN + 9))
    _, openable = read(f"{html}<p>{'B' * 9_000}")
    assert [one.lines[0].text for one in openable] == [str(n) for n in range(MOST_HIDDEN)]
