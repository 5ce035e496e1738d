"""Every regular expression of the package takes time linear in its text."""

from __future__ import annotations

import re

import pytest
from support.expressions import Expression, HardText, cost_s, expressions, hard_texts

TRIED, SHORT, LONG = 200, 500, 2_000
"""Characters. A quadratic search takes 3 ms and more for the longest text, a linear one .1."""
WORTH_COMPARING_S = 0.001
"""CPU of the longest text below which growth is not looked at: it would be noise."""
MOST_GROWTH = 9.0
"""Of the time, for a text four times as long: 4 where it is linear, 16 where it is quadratic."""
HARDEST = 3
"""Texts of each expression that are compared, those that took longest when they were short."""
TURNS = 4
"""In which what seems steep is measured, one after the other."""

FOR_SHORT_TEXTS = {
    "crawler.dedup.copies.volatile._COUNTER": "lines of at most 100 characters (_SHORT)",
    "crawler.dedup.copies.volatile._STAMP": "lines of at most 100 characters (_SHORT)",
}
"""Expressions that see short texts only, and what bounds these."""

QUADRATIC = {
    "user info": (r"((?:https?:[/\\]*|[/\\]{2}))[^/\\?#\s'\"<>]*@", "sub"),
    "self-closed": (r"<(?!(?:area|base)\b)([A-Za-z][\w:.-]*)([^<>]*)/>", "sub"),
    "separator": (r"\s+[-–—|·•»«/_]+\s+|[|·•»«｜]|\s*[_—–]{1,2}\s*|:+\s", "split"),
    "sentence": (r"[^\n.!?;]*(?:\n+|[.!?;]+(?=\s|\Z)\s*|[.!?;]|\Z)", "findall"),
}
"""Expressions that this package had once."""

EXPRESSIONS = expressions()


def test_all_expressions_are_found() -> None:
    """Expressions of modules and those in dicts are looked at, with the methods in use."""
    found = {expression.name: expression.methods for expression in EXPRESSIONS}
    assert found["crawler.urls._IRREGULAR"] == {"search"}
    assert any(name.startswith("crawler.extract.characters.detect.") for name in found)
    assert len(found) > 60
    assert FOR_SHORT_TEXTS.keys() <= found.keys()


@pytest.mark.parametrize(("pattern", "method"), QUADRATIC.values(), ids=QUADRATIC.keys())
def test_a_quadratic_expression_is_noticed(pattern: str, method: str) -> None:
    """What is looked for here is found where it is."""
    expression = Expression("once", re.compile(pattern), frozenset((method,)))
    assert max(_growths(expression).values()) > MOST_GROWTH


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=[e.name for e in EXPRESSIONS])
def test_an_expression_is_linear(expression: Expression) -> None:
    """The hardest texts of its own characters cost, four times as long, four times as much."""
    if expression.name not in FOR_SHORT_TEXTS:
        steep = {what: by for what, by in _growths(expression).items() if by > MOST_GROWTH}
        assert steep == {}


def _growths(expression: Expression) -> dict[tuple[str, HardText], float]:
    """Return, by method and text, how the time grows with the hardest texts."""
    texts = list(hard_texts(expression.pattern))
    return {
        (method, text): _growth(expression, method, text)
        for method in expression.methods
        for text in _hardest(expression, method, texts)
    }


def _hardest(expression: Expression, method: str, texts: list[HardText]) -> list[HardText]:
    costs = [cost_s(expression, method, text.of(TRIED)) for text in texts]
    order = sorted(range(len(texts)), key=costs.__getitem__)
    return [texts[n] for n in order[-HARDEST:]]


def _growth(expression: Expression, method: str, text: HardText) -> float:
    """Return how many times as long a method takes for a text four times as long.

    What seems steep is measured anew: others on the machine can slow down one measurement, but what
    is quadratic is so each time.
    """
    growth = 0.0
    for _ in range(TURNS):
        short, long = (
            min(cost_s(expression, method, text.of(length)) for _ in range(2))
            for length in (SHORT, LONG)
        )
        growth = long / max(short, 1e-9) if long > WORTH_COMPARING_S else 0.0
        if growth <= MOST_GROWTH:
            break
    return growth
