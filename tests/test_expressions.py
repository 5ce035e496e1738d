"""Every regular expression of the package takes time linear in its text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest
from support.backtracking import Matcher
from support.expressions import Expression, HardText, cost, expressions, hard_texts
from support.sampling import sample

FEW, SHORT, LONG = 24, 100, 400
"""Characters: where quadratic growth is looked for and is, and where the hardest texts are chosen;
where few expressions grow so; where none may, whatever repeats of a bounded number do."""
MOST_GROWTH = 8.0
"""Of the steps, for a text four times as long: 4 where they are linear, 16 where quadratic."""
EACH = 30
"""Of so many hard texts one is found as Python finds it; of each in `make test-hard`."""
HARDEST = 2
"""Texts of each expression that are compared: those that took most steps when they were short."""
OF_ALL = ("findall", "finditer", "split", "sub", "subn")
"""Methods that find every match, and take the same steps for it."""
UNITS, WAYS = 4, 4
"""What is repeated is chosen first, then in which of so many ways it begins and ends."""

FOR_SHORT_TEXTS = {
    "crawler.dedup.copies.volatile._COUNTER": "lines of at most 100 characters (_SHORT)",
    "crawler.dedup.copies.volatile._STAMP": "lines of at most 100 characters (_SHORT)",
}
"""Expressions that see short texts only, and what bounds these."""

QUADRATIC = {
    "user info": (r"((?:https?:[/\\]*|[/\\]{2}))[^/\\?#\s'\"<>]*@", "sub"),
    "self-closed": (r"<(?!(?:area|base)\b)([A-Za-z][\w:.-]*)([^<>]*)/>", "sub"),
    "separator": (r"\s+[-–—|·•»«/_]+\s+|[|·•»«｜]|\s*[_—–]{1,2}\s*|:+\s", "split"),
    "session": (r"(?:sid=[0-9a-z]{32}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)", "sub"),
    "sentence": (r"[^\n.!?;]*(?:\n+|[.!?;]+(?=\s|\Z)\s*|[.!?;]|\Z)", "findall"),
}
"""Expressions that this package had once."""

EXPRESSIONS = expressions()


@pytest.fixture(autouse=True)
def _deep() -> Iterator[None]:
    """Let a matcher go as deep as a text of LONG times four characters may lead it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def test_all_expressions_are_found() -> None:
    """Expressions of modules and those in dicts are looked at, with the methods in use."""
    found = {expression.name: expression.methods for expression in EXPRESSIONS}
    assert found["crawler.urls._IRREGULAR"] == {"search"}
    assert any(name.startswith("crawler.extract.charset.") for name in found)
    assert len(found) > 60
    assert FOR_SHORT_TEXTS.keys() <= found.keys()


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=[e.name for e in EXPRESSIONS])
def test_steps_are_those_of_a_matcher_that_finds_the_same(expression: Expression) -> None:
    """What is counted is a match as Python has it: the same spans in each of many hard texts."""
    texts = list(hard_texts(expression.pattern))
    for text in sample(texts, 1 + len(texts) // EACH):
        found = [match.span() for match in expression.pattern.finditer(text.of(FEW))]
        assert Matcher(expression.pattern, text.of(FEW)).run("finditer") == found


@pytest.mark.parametrize(("pattern", "method"), QUADRATIC.values(), ids=QUADRATIC.keys())
def test_a_quadratic_expression_is_noticed(pattern: str, method: str) -> None:
    """What is looked for here is found where it is."""
    expression = Expression("once", re.compile(pattern), ())
    (text,) = _hardest(expression, method, list(hard_texts(expression.pattern)), 1)
    assert _growth(expression, method, text, FEW) > MOST_GROWTH


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=[e.name for e in EXPRESSIONS])
def test_an_expression_is_linear(expression: Expression) -> None:
    """The hardest texts of its own characters take, four times as long, four times the steps."""
    if expression.name in FOR_SHORT_TEXTS:
        return
    texts = list(hard_texts(expression.pattern))
    for method in {"finditer" if used in OF_ALL else used for used in expression.methods}:
        units = _hardest(expression, method, texts[::WAYS], UNITS)
        repeated = {text.unit for text in units}
        tried = [text for text in texts if text.unit in repeated]
        for text in _hardest(expression, method, tried, HARDEST):
            growth = [_growth(expression, method, text, SHORT)]
            if growth[0] > MOST_GROWTH:
                growth.append(_growth(expression, method, text, LONG))
            assert growth[-1] <= MOST_GROWTH, (method, text)


def _hardest(
    expression: Expression, method: str, texts: list[HardText], number: int
) -> list[HardText]:
    """Return the texts that take a method most steps while they are short."""
    return sorted(texts, key=lambda text: cost(expression, method, text.of(FEW)))[-number:]


def _growth(expression: Expression, method: str, text: HardText, short: int) -> float:
    """Return how many times the steps a method takes for a text four times as long."""
    return cost(expression, method, text.of(4 * short)) / cost(expression, method, text.of(short))
