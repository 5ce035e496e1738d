"""In what two pages differ is shown whole, with its place, whatever the judge leaves out."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.explaining import data, explain, side

from crawler.config import Dedup
from crawler.dedup.copies import Appearance
from crawler.views.explain import evidence, shown
from crawler.views.explain.differences import (
    Change,
    Differences,
    LeftOut,
    Looks,
    Place,
    differences,
    looks,
)

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

LINES = [f"Paragraph {n} speaks of matter {n * 7} and of place {n * 3}." for n in range(30)]
PAGE = (
    "<title>A walk - Site</title><script type='application/ld+json'>"
    '{"@type":"Product","offers":{"price":"29.00"}}</script>'
    "<body><header><p>Print edition</p></header><article><h1>A walk</h1>"
    f"{''.join(f'<p>{line}</p>' for line in LINES)}"
    "<p>The next tour is on 2024-05-03.</p><p>Updated 3 May 2024</p><p>1,024 views</p>"
    "<img src=cat.jpg alt='An animal'><iframe src=https://v.example/e/abc></iframe></article>"
    "<div hidden><p>The answer is five</p></div>"
)
STAMP = "; left out by the judge: a stamp or a counter"
CHANGES = {
    "a bare date": ("on 2024-05-03", "on 2024-06-09", "text", "[-2024-05-03-]{+2024-06-09+}"),
    "a stamp": (
        "Updated 3 May",
        "Updated 9 May",
        f"text{STAMP}",
        "[-Updated 3 May 2024-]{+Updated 9 May 2024+}",
    ),
    "a counter": ("1,024 views", "1,025 views", "text", "[-1,024-]{+1,025+} views"),
    "the title": ("A walk - Site", "B walk - Site", "title", "[-A-]{+B+} walk - Site"),
    "a picture": ("cat.jpg", "dog.jpg", "picture", "[-cat-]{+dog+}.jpg"),
    "its alternative": ("An animal", "An ox", "picture", "An [-animal-]{+ox+}"),
    "an embed": ("e/abc", "e/xyz", "embed", "[-abc-]{+xyz+}"),
    "a hidden answer": ("is five", "is six", "hidden text", "The answer is [-five-]{+six+}"),
    "a header": ("Print edition", "Web edition", "header or footer", "[-Print-]{+Web+} edition"),
    "a price": ("29.00", "39.00", "data", "price: [-29.00-]{+39.00+}"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_alone_differs_is_shown(
    change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Terminal, page and JSON show it with its place, and never say that nothing differs."""
    old, new, place, shown = CHANGES[change]
    pair = tmp_path / "a.html", tmp_path / "b.html"
    for path, source in zip(pair, (PAGE, PAGE.replace(old, new)), strict=True):
        path.write_text(source, encoding="utf-8")
    _, out, _ = explain(capsys, *pair)
    told = out[out.index("Differences:") : out.index("\nSimilarity")]
    assert f"   {place}\n" in told
    assert re.findall(r"\[-[^]]*-\]|\{\+[^}]*\+\}", told)[2:] == re.findall(
        r"\[-[^]]*-\]|\{\+[^}]*\+\}", shown
    )
    assert shown in told
    assert "Differences: none" not in out
    comparison = data(capsys, *pair, "--html", tmp_path / "page.html")["comparison"]
    page = unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert f"<h3>{place}</h3>" in page
    assert re.sub(r"\[-(.*?)-\]\{\+(.*?)\+\}", r"<del>\1</del><ins>\2</ins>", shown) in page
    assert "Differences: none" not in page
    [passage] = comparison["differences"]
    assert passage["place"] == place.removesuffix(STAMP)
    assert passage["left_out"] == (["a stamp or a counter"] if place.endswith(STAMP) else [])
    changed = [p["text"] for p in passage["pieces"] if p["change"] in ("removed", "added")]
    assert changed == re.findall(r"[-+]([^-+].*?)[-+][]}]", shown)
    assert not comparison["nothing_differs"]


def test_equal_pages_show_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where all that is visible, hidden and embedded is the same, `none` is said."""
    pair = tmp_path / "a.html", tmp_path / "b.html"
    for path, source in zip(pair, (PAGE, PAGE.replace("<p>", "<p id=x>")), strict=True):
        path.write_text(source, encoding="utf-8")
    _, out, _ = explain(capsys, *pair)
    assert "Differences: none\n" in out
    comparison = data(capsys, *pair)["comparison"]
    assert (comparison["differences"], comparison["nothing_differs"]) == ([], True)


def test_other_markup_is_told_where_nothing_else_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A class tells two pages apart; where words differ it may be that of another template."""
    pair = tmp_path / "a.html", tmp_path / "b.html"
    for words, told in (("tour", "tags and scripts"), ("trip", "text")):
        marked = PAGE.replace("<p>", "<p class=sold-out>").replace("tour", words)
        for path, source in zip(pair, (PAGE, marked), strict=True):
            path.write_text(source, encoding="utf-8")
        comparison = data(capsys, *pair)["comparison"]
        assert {one["place"] for one in comparison["differences"]} == {told}


def page(
    *lines: str, title: str = "T", heading: str | None = None, apart: tuple[str, ...] = ()
) -> Looks:
    """Return a page of lines."""
    shown = Appearance(title, heading, text=lines, apart=apart)
    return looks(title, "\n".join(lines), shown)


def changed(found: Differences) -> list[tuple[str, str, LeftOut | None]]:
    """Return the changes that are shown, in order."""
    return [
        (piece.change.value, piece.text, piece.left_out)
        for passage in found.passages
        for piece in passage.pieces
        if piece.change in (Change.REMOVED, Change.ADDED)
    ]


WORDS = st.sampled_from(
    ["5", "Updated 3 May 2024", "one two three. ", "字。", "a", "7 views", " b"]
)
PAGES = st.lists(st.lists(WORDS, min_size=1, max_size=4).map("".join), max_size=8)


@given(PAGES, PAGES)
def test_nothing_is_hidden(ours: list[str], theirs: list[str]) -> None:
    """No difference is shown only where the lines are the same, whatever the judge leaves out."""
    ours, theirs = ([line for line in of if not line.isspace()] for of in (ours, theirs))
    found = differences(page(*ours), page(*theirs))
    assert found.is_none is (ours == theirs)
    assert bool(changed(found)) is (ours != theirs)


def test_a_fact_beside_a_stamp_is_no_stamp() -> None:
    """On one line with a stamp, what the judge compares and what he leaves out are told apart."""
    found = differences(page("Price 5 EUR · 10 views"), page("Price 6 EUR · 11 views"))
    assert changed(found) == [
        ("removed", "5", None),
        ("added", "6", None),
        ("removed", "10 views", LeftOut.STAMP),
        ("added", "11 views", LeftOut.STAMP),
    ]
    [passage] = found.passages
    assert passage.left_out == ()
    notes = [text for text, mark in shown.spans(passage) if mark == "note"]
    assert notes == [" (left out by the judge: a stamp or a counter)"]


def test_another_order_is_shown_and_said_to_be_left_out() -> None:
    """A sentence that stands elsewhere is order alone; a number in a cell is not."""
    found = differences(page(*LINES), page(*LINES[10:], *LINES[:10]))
    assert {why for _, _, why in changed(found)} == {LeftOut.ORDER}
    assert found.same_text
    goals = differences(page("Ajax", "3", "Porto", "1"), page("Ajax", "1", "Porto", "3"))
    assert {why for _, _, why in changed(goals)} == {None}


def test_line_breaks_are_shown_as_signs() -> None:
    """A text that is cut into lines in another way is not the same, and that is visible."""
    [passage] = differences(page("One is said. Two is."), page("One is said.", "Two is.")).passages
    assert passage.left_out == (LeftOut.SPACE,)
    assert "⏎" in [shown.shown_piece(piece) for piece in passage.pieces]


def test_a_heading_counts_where_it_is_no_line() -> None:
    """In a header it is not among the lines, and then it is compared by itself."""
    found = differences(page("x", heading="One"), page("x", heading="Two"))
    assert [passage.place for passage in found.passages] == [Place.HEADING]
    assert differences(page("x", heading="x"), page("x")).is_none


def test_replaced_facts_come_first_on_a_long_page() -> None:
    """Before whole lines that only one has; after all of them comes what is left out."""
    ours = [f"{line} Only here" if n % 2 else line for n, line in enumerate(LINES)]
    both = "A long line that is on both of them and keeps what is above and below it well apart."
    ours, theirs = [*ours, both, "Dose 5 mg"], [*LINES, both, "Dose 6 mg"]
    first, *_, last = differences(page("9 views", *ours), page("8 views", *theirs)).passages
    assert [piece.text for piece in first.pieces if piece.change is Change.REMOVED] == ["5"]
    assert last.left_out == (LeftOut.STAMP,)


def test_what_is_not_known_is_not_said_to_be_the_same() -> None:
    """Where surroundings are not known, pictures and headers are not, of others more."""
    bare = replace(page(*LINES), apart=None)
    found = differences(bare, page(*LINES, apart=("pcat.jpg",)))
    assert (found.passages, found.is_none) == ((), False)
    assert shown.summary(found) == "none in what was compared"
    assert shown.difference_notes(found) == [
        "Not known of A, so not compared: header or footer, hidden text, form or drawing, picture, "
        "embed, data, drawn, indentation, signs, powers."
    ]
    partly = replace(side("http://a.example/", LINES), is_whole=False)
    whole = side("http://a.example/b", LINES, beside=["Menu"])
    told = evidence.explain(partly, whole, Dedup()).differences
    assert told is not None
    assert {Place.HEADING, Place.BESIDE, Place.PICTURE} <= set(told.unknown[0])
    assert not told.passages


def test_the_end_of_a_very_long_page_is_compared_as_a_whole() -> None:
    """Beyond what is compared piece by piece it is said whether the rest is the same."""
    lines = [f"{n} {'x' * 990}" for n in range(600)]
    same = differences(page(*lines), page(*lines))
    other = differences(page(*lines), page(*lines[:-1], "another end"))
    assert (same.is_none, other.is_none) == (True, False)
    assert "the rest is the same on both" in shown.difference_notes(same)[0]
    assert "the rest is not the same" in shown.difference_notes(other)[0]
