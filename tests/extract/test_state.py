"""The JSON in a page's scripts."""

from __future__ import annotations

import json
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
    ],
)
def test_a_value_is_found_whatever_holds_it(name: str, script: str) -> None:
    """As a whole script, assigned, or parsed of a string; named by element, variable or type."""
    found = state(f"<title>T</title><div id=root></div>{script}")
    assert found is not None
    assert found["scripts"] == {name: VALUE}
    assert found["head"] == {"title": "T"}
    assert found["address"]["parts"] == ["a", "b"]


def test_values_of_one_name_are_numbered_and_each_is_found_once() -> None:
    """What looks like an assignment within a value is none."""
    inner = json.dumps({"code": f"x = {TEXT}", "more": "and what makes it long enough to be data"})
    found = state(f"<script>a = {TEXT}\na = {inner}</script>")
    assert found is not None
    assert list(found["scripts"]) == ["a 0", "a 1"]
    assert found["scripts"]["a 1"]["code"].endswith(TEXT)


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
