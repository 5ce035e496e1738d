"""The JSON in a page's scripts."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import pytest

from crawler.extract import parse
from crawler.extract.state import MOST_STATE, state_of

VALUE = {"post": {"title": "A title", "body": "<p>Some text of a page, long enough.</p>", "n": 1.5}}
TEXT = json.dumps(VALUE)


def state(html: str) -> dict[str, Any] | None:
    """Return what is found in a page at /a/b."""
    found = state_of(parse(html, "text/html"), "http://site.test/a/b?c#d")
    return None if found is None else json.loads(found)


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("data 0", f"<script id=data type=application/json>{TEXT}</script>"),
        ("application/json 0", f"<script type=application/json>\n{TEXT}\n</script>"),
        ("window.__STATE__ 0", f"<script>var a = 1; window.__STATE__ = {TEXT};run()</script>"),
        ("a.b 0", f"<script>\na.b=JSON.parse({json.dumps(TEXT)})</script>"),
        ("a.push 0", f"<script>a.push({TEXT})</script>"),
    ],
)
def test_a_value_is_found_whatever_holds_it(name: str, script: str) -> None:
    """As a whole script, assigned, or parsed of a string; named by element, variable or type."""
    found = state(f"<title>T</title><div id=root></div>{script}")
    assert found is not None
    assert found[name] == VALUE
    assert found["head"] == {"title": "T"}
    assert found["address"]["parts"] == ["a", "b"]


def test_values_of_one_name_are_numbered_and_each_is_found_once() -> None:
    """What looks like an assignment within a value is none."""
    inner = json.dumps({"code": f"x = {TEXT}", "more": "and what makes it long enough to be data"})
    found = state(f"<script>a = {TEXT}\na = {inner}</script>")
    assert found is not None
    assert list(found) == ["a 0", "a 1", "head", "address"]
    assert found["a 1"]["code"].endswith(TEXT)


def test_an_attribute_that_is_json_is_data_and_stays_what_it_is() -> None:
    """As Laravel's Inertia and Astro's islands hand over their data."""
    found = state(f"<script>run()</script><div id=app data-page='{escape(TEXT)}'></div>")
    assert found is not None
    assert found["div data-page 0"] == VALUE
    assert found["div data-page text 0"] == TEXT


@pytest.mark.parametrize(
    "table",
    [
        # devalue (Nuxt, SvelteKit)
        [
            ["Reactive", 1],
            *({"name": 2, "tags": 3, "none": -1, "day": 5}, "A", [4, 2], "b", ["Date", "2024"]),
        ],
        # turbo-stream (React Router)
        [
            {"_1": 2, "_3": 4, "_6": -5, "_7": 8},
            *("name", "A", "tags", [5, 2], "b", "none", "day", "2024"),
        ],
    ],
)
def test_a_table_is_what_it_stands_for(table: list[Any]) -> None:
    """Where objects and lists hold the places of values."""
    found = state(f"<script type=application/json>{json.dumps(table)}{' ' * 80}</script>")
    assert found is not None
    stands_for = {"name": "A", "tags": ["b", "A"], "none": None, "day": "2024"}
    assert found["application/json 0"] == stands_for


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], 3, 4, "a list of numbers that are no places in it, and of some length all in all"],
        [{"a": 1}, [2], "a list in which one value is named by none of the others", "as this is"],
        [{"a": 1}, {"a": 2}, {"a": 0}, "a table that holds itself, so that it would have no end"],
        [[1] * 90, [2] * 90, [3] * 90, [4] * 90, "a table that stands for too much"],
    ],
)
def test_what_is_no_table_is_told_as_it_is(value: list[Any]) -> None:
    """Lists of numbers, and tables without end."""
    found = state(f"<script type=application/json>{json.dumps(value)}</script>")
    assert found is not None
    assert found["application/json 0"] == value


@pytest.mark.parametrize(
    "script",
    [
        "<script src=/a.js></script>",
        "<script>a = {b: 1, c: 'what is no JSON but an expression of some length, as others are'}",
        "<script>config = {}</script>",
        f"<script type=application/json>{json.dumps(['x' * MOST_STATE])}</script>",
        f"<script type=application/json>{'[' * 100_000}</script>",
        f"<script type=application/json>{json.dumps({'a': 'b' * 80, 'c': float('nan')})}</script>",
    ],
)
def test_what_is_no_data_of_a_page_is_left(script: str) -> None:
    """Scripts, settings, and what is too large or deep, or no JSON."""
    assert state(f"<div id=root></div>{script}") is None
