"""Pages that differ in what a reader opens only: tabs, answers, and windows over the page."""

from __future__ import annotations

import pytest
from support.documents import text

from benchmarks.families.__main__ import judged
from benchmarks.families.kit import Family, Page
from crawler.config import Job

PROSE = "".join(f"<p>{text(number, 40)}.</p>" for number in range(12))
LINKS = "".join(f"<li><a href=/{n}>Part {n} of the boat</a>" for n in range(40))
ANSWERS = "".join(f"<h3>{n}?</h3><div hidden>Of {n} we say this.</div>" for n in range(60))
TABS = (
    "<div role=tabpanel><pre>go get boat</pre></div><div role=tabpanel hidden><pre>{}</pre></div>"
)
FORM = "<form hidden><input type=hidden name=t value={0}><p>Your name</form><dialog id={0}>Cookies!"


def dropped(hidden: str, *values: str) -> list[bool]:
    """Return which pages with these values in what they hide are dropped, all of one name."""
    family = Family("boats", "", "en", "work", lambda: iter(()), "boats")
    html = f"<title>Boats</title><main><h1>Boats</h1>{PROSE}{hidden}</main>"
    pages = [Page(f"/{value[:6]}", html.replace("{0}", value), "") for value in values]
    verdicts = judged([(family, f"http://boats.test{of.path}", of) for of in pages], Job())
    return [of is not None for of in verdicts.values()]


@pytest.mark.parametrize(
    ("hidden", "values"),
    [
        ("<h3>Your tasks</h3><div hidden><p>{0} boats</div>", ("You build", "You paint")),
        ("<h3>Place</h3><div aria-hidden=true>Kiel, {0} euros", ("2,400", "2,650")),
        (f"<i aria-hidden=true></i>{ANSWERS}<h3>Varnish?</h3><div hidden>No. {{0}}", ("7", "9")),
        ("<i aria-hidden=true></i>" * 60 + "<h3>Varnish?</h3><div hidden>No. {0}", ("7", "9")),
        (f"<div role=tabpanel hidden><p>In {{0}} weeks</p><ul>{LINKS}", ("3", "8")),
        ("<div role=tabpanel hidden><table><tr><td>Length<td>{0} cm</table>", ("301", "411")),
        (TABS.replace("{}", "pip install {0}"), ("boat", "ship")),
        (TABS.replace("{}", "sail(1 {0} 1)"), ("+", "-")),
    ],
)
def test_pages_that_differ_behind_a_tab_are_two_pages(hidden: str, values: tuple[str, str]) -> None:
    """A job's details, a product's data, one of many answers, a command: none is lost."""
    assert dropped(hidden, *values) == [False, False]


@pytest.mark.parametrize(
    "hidden",
    [
        FORM,
        f"<div hidden><ul>{LINKS}</ul></div>{FORM}",
        f"<button aria-controls=m-{{0}}>Menu</button><ul role=menu id=m-{{0}} hidden>{LINKS}</ul>",
        f"{ANSWERS}{FORM}",
    ],
)
def test_what_a_visit_makes_of_hidden_forms_and_menus_tells_no_pages_apart(hidden: str) -> None:
    """Tokens, and names of elements: these are copies."""
    assert dropped(hidden, "f3a96c10b2d847e5", "0b77e1c29a3d45f8") == [False, True]
