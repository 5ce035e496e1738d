"""All regular expressions of the package, how each is used, and texts that are hard for it."""

from __future__ import annotations

import ast
import importlib
import itertools
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import crawler
from support.backtracking import Matcher

METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")
_NAMED: Any = re._parser  # type: ignore[attr-defined]
_CLASSES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " \n", "CATEGORY_WORD": "a1"}
MOST_WORDS = 14
"""Literals and characters of one expression that are tried, alone and in pairs."""


@dataclass(frozen=True)
class Expression:
    """A compiled expression at module level, and the modules that hold it, each by what name."""

    name: str
    pattern: re.Pattern[Any]
    holders: tuple[tuple[Path, str], ...]

    @property
    def methods(self) -> frozenset[str]:
        """The methods of it that the package calls; modules are parsed when that is asked for."""
        return frozenset().union(
            *(_methods(path).get(plain) or ("search",) for path, plain in self.holders)
        )


@dataclass(frozen=True)
class HardText:
    """What a text repeats, after what, and before what."""

    beginning: str
    unit: str
    end: str
    in_bytes: bool

    def of(self, length: int) -> str | bytes:
        """Return the text, about so many characters long."""
        text = self.beginning + self.unit * (length // len(self.unit)) + self.end
        return text.encode("latin-1", "replace") if self.in_bytes else text


def expressions() -> list[Expression]:
    """Return every expression that a module of the package holds, also within a dict."""
    found: dict[int, Expression] = {}
    for module in pkgutil.walk_packages(crawler.__path__, "crawler."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        if not loaded.__file__ or not loaded.__file__.endswith(".py"):
            continue
        for name, value in _patterns(loaded):
            holder = Path(loaded.__file__), name.partition("[")[0].rpartition(".")[2]
            known = found.get(id(value))
            holders = (*known.holders, holder) if known else (holder,)
            found[id(value)] = Expression(known.name if known else name, value, holders)
    return list(found.values())


def _patterns(holder: Any) -> Iterator[tuple[str, re.Pattern[Any]]]:
    owners = [holder, *(v for v in vars(holder).values() if isinstance(v, type))]
    for owner in owners:
        if owner is not holder and owner.__module__ != holder.__name__:
            continue
        for name, value in vars(owner).items():
            place = f"{holder.__name__}.{name}"
            if isinstance(value, re.Pattern):
                yield place, value
            elif isinstance(value, dict):
                pairs = ((f"{place}[{key!r}]", v) for key, v in value.items())
                yield from ((key, v) for key, v in pairs if isinstance(v, re.Pattern))


@cache
def _methods(path: Path) -> dict[str, frozenset[str]]:
    used: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            used.setdefault(name, set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in used.items()}


def hard_texts(pattern: re.Pattern[Any]) -> Iterator[HardText]:
    """Yield texts that make a backtracking matcher work hardest.

    Each begins as a match may begin, repeats one or two of the expression's own literals or
    characters, and ends in what ends no match.
    """
    words = list(dict.fromkeys((*_literals(_tree(pattern)), "a", " ", "1")))[:MOST_WORDS]
    units = ["".join(unit) for size in (1, 2) for unit in itertools.product(words, repeat=size)]
    for unit in dict.fromkeys(units):
        for beginning, end in itertools.product((words[0], ""), ("\0", "")):
            yield HardText(beginning, unit, end, isinstance(pattern.pattern, bytes))


def _tree(pattern: re.Pattern[Any]) -> Any:
    return _NAMED.parse(pattern.pattern, pattern.flags & ~re.DEBUG)


def _literals(tree: Any) -> Iterator[str]:
    """Yield runs of literals, and characters of each class."""
    run = ""
    for operation, argument in tree:
        if str(operation) == "LITERAL":
            run += chr(argument)
            continue
        if run:
            yield run
            run = ""
        yield from _within(str(operation), argument)
    if run:
        yield run


def _within(operation: str, argument: Any) -> Iterator[str]:
    match operation:
        case "IN":
            yield from _members(argument)
        case "BRANCH":
            for branch in argument[1]:
                yield from _literals(branch)
        case "SUBPATTERN":
            yield from _literals(argument[3])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            yield from _literals(argument[2])
        case "ASSERT" | "ASSERT_NOT":
            yield from _literals(argument[1])
        case "ATOMIC_GROUP":
            yield from _literals(argument)


def _members(members: Any) -> Iterator[str]:
    if str(members[0][0]) == "NEGATE":
        refused = re.compile("[" + "".join(_source(m) for m in members[1:]) + "]")
        yield from [c for c in "ax1 :/.,;=" if not refused.match(c)][:2]
        return
    for kind, what in members[:4]:
        match str(kind):
            case "LITERAL":
                yield chr(what)
            case "RANGE":
                yield chr(what[0])
            case "CATEGORY":
                yield from _CLASSES.get(str(what), "a")


def _source(member: Any) -> str:
    kind, what = member
    match str(kind):
        case "LITERAL":
            return re.escape(chr(what))
        case "RANGE":
            return f"{re.escape(chr(what[0]))}-{re.escape(chr(what[1]))}"
    letters = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}
    name = str(what).removeprefix("CATEGORY_")
    return "\\" + (letters[name[4:]].upper() if name.startswith("NOT_") else letters[name])


def cost(expression: Expression, method: str, text: Any) -> int:
    """Return the steps that a method takes for a text."""
    matcher = Matcher(expression.pattern, text)
    matcher.run(method)
    return matcher.steps
