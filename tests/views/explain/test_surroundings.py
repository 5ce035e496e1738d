"""What stands beside two texts: told where it is much, and compared line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.explaining import data, explain, side

from crawler.views.explain.differences import differing, surroundings
from crawler.views.explain.shown import surroundings_sentence

LINES = [f"Paragraph {n} speaks of matter {n * 7} and of place {n * 3}." for n in range(10)]
ARTICLE = "".join(f"<p>{line} So the keeper of the light wrote.</p>" for line in LINES * 2)
pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def listing(name: str) -> str:
    """Return a page with an article and a long list of notices that are no part of it."""
    notices = "".join(f"<li>Notice {name}{n}, which is short</li>" for n in range(33))
    links = "".join(f"<li><a href=/{n}>A link to notice {n}</a></li>" for n in range(9))
    return (
        f"<title>Both</title><body><article><h1>A heading</h1>{ARTICLE}</article>"
        f"<aside class=sidebar><ul>{notices}</ul></aside><aside><ul>{links}</ul></aside>"
    )


def test_a_text_that_is_only_a_part_is_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """How many lines extraction took, what stands beside, and in which lines that differs."""
    pair = tmp_path / "a.html", tmp_path / "b.html"
    for path, name in zip(pair, "xy", strict=True):
        path.write_text(listing(name), encoding="utf-8")
    found = data(capsys, *pair)
    assert found["decision"]["evidence"] == "other-surroundings"
    around = found["a"]["surroundings"]
    assert around["only_a_part"]
    assert (len(around["lines"]), len(around["links"])) == (33, 9)
    assert around["all_lines"] == around["text_lines"] + 42
    assert len(found["comparison"]["difference_beside"]["b"]) == 33
    _, out, _ = explain(capsys, *pair)
    assert (
        f"extraction took {around['text_lines']} of {around['all_lines']} lines; beside it: 33 "
        "lines of text (“Notice x0, which is short”, “Notice x1, which is short”, “Notice x2, "
        "which is short”, …) and 9 lines of links"
    ) in " ".join(out.split())
    assert "   beside the text\n" in out
    assert all(f"Notice [-x{n}-]{{+y{n}+}}, which is short" in out for n in range(33))
    explain(capsys, *pair, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Notice <del>x32</del><ins>y32</ins>" in page
    assert f"extraction took {around['text_lines']} of" in page


def test_little_beside_a_text_is_not_worth_a_sentence() -> None:
    """A menu beside a long text is on every page."""
    of = surroundings(side("http://a.example/", LINES, beside=["Menu"], links=["Home"]))
    assert of is not None
    assert (of["all_lines"], of["only_a_part"]) == (12, False)
    assert surroundings_sentence(of) is None


def test_a_link_in_visible_text_is_not_beside_it() -> None:
    """Where all that is visible is judged, lines of links are in the text."""
    page = side("http://a.example/", [*LINES, "Home"], links=["Home"])
    of = surroundings(page)
    assert of is not None
    assert of["links"] == ()


def test_lines_beside_are_told_as_they_stand() -> None:
    """A date is a difference, another order is none, and what stands there twice is told once."""
    first = ["Views: 12", "2024-05-01", "Red", "Blue", "Blue"]
    second = ["Blue", "Views: 13", "2025-05-01", "GREEN Tea!"]
    pair = [side(f"http://a.example/{n}", LINES, beside=b) for n, b in enumerate((first, second))]
    assert differing(*pair) == {
        "a": ["Views: 12", "2024-05-01", "Red", "Blue"],
        "b": ["Views: 13", "2025-05-01", "GREEN Tea!"],
    }


def test_what_is_not_known_is_not_compared() -> None:
    """Plain texts have nothing beside them; without an appearance nothing is said."""
    known = side("http://a.example/", LINES)
    unknown = replace(side("http://a.example/b", LINES), is_whole=False)
    assert surroundings(unknown) is None
    assert differing(known, unknown) is None
