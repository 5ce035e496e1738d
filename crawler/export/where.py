"""Which rows are asked for: tests such as `language=zh,en`, all of which a row must pass."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from crawler.errors import ConfigError
from crawler.export.columns import Row

Test = Callable[[Row], bool]

_TAKEN: dict[str, Callable[[Row], Any]] = {
    "language": lambda row: row["language"],
    "language_score": lambda row: row["language_score"],
    "host": lambda row: row["source"],
    "date": lambda row: row["date"],
    "verdict": lambda row: row["verdict"],
    "similarity": lambda row: row["similarity"],
    "chars": lambda row: None if row["text"] is None else len(row["text"]),
}
_NUMBERS = ("language_score", "similarity", "chars")
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FORM = re.compile(r"(\w+)\s*(!=|<=|>=|=|<|>)(.*)", re.DOTALL)
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d+)?)?)?Z?)?)?)?", re.ASCII)


def parse(texts: Iterable[str]) -> Callable[[Row], bool]:
    """Return whether a row passes all tests. Raises ConfigError for one that means nothing.

    What is not known of a row passes `!=` and nothing else. `=` and `!=` take several values with
    commas between, a host may have `*` in it, and a date stands for all that begins with it.
    """
    tests = [_parse(text) for text in texts]
    return lambda row: all(test(row) for test in tests)


def _parse(text: str) -> Test:
    match = _FORM.fullmatch(text.strip())
    if match is None or match[1] not in _TAKEN:
        raise ConfigError(
            f"--where {text}: write FIELD, one of = != < <= > >=, and a value, as in chars>=200; "
            f"fields: {', '.join(_TAKEN)}"
        )
    field, sign, told = match.groups()
    values = [_value(field, one.strip(), text) for one in told.split(",")]
    if sign in _ORDERS:
        return _ordered(field, sign, values, text)
    take, same = _TAKEN[field], _sameness(field)

    def passes(row: Row) -> bool:
        found = take(row)
        is_one = found is not None and any(same(found, value) for value in values)
        return is_one == (sign == "=")

    return passes


def _ordered(field: str, sign: str, values: Sequence[Any], text: str) -> Test:
    if field not in (*_NUMBERS, "date") or len(values) != 1:
        raise ConfigError(
            f"--where {text}: {sign} takes one value, of {', '.join(_NUMBERS)} or date"
        )
    take, holds, limit = _TAKEN[field], _ORDERS[sign], values[0]

    def passes(row: Row) -> bool:
        found = take(row)
        if found is None:
            return False
        # ISO 8601 in UTC sorts as text; a day ends after all of its moments.
        shown = found[: len(limit)] if field == "date" else found
        return holds(shown, limit)

    return passes


def _sameness(field: str) -> Callable[[Any, Any], bool]:
    match field:
        case "host":
            return lambda found, value: fnmatchcase(found.lower(), _literal(value.lower()))
        case "date":
            return lambda found, value: found.startswith(value)
        case _:
            return lambda found, value: found == value


def _literal(pattern: str) -> str:
    """Return a pattern in which only `*` stands for others: `[::1]` is a host."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def _value(field: str, text: str, test: str) -> Any:
    if field in _NUMBERS:
        try:
            return float(text)
        except ValueError:
            raise ConfigError(f"--where {test}: {field} is a number, not {text!r}") from None
    if field == "date" and not _DATE.fullmatch(text):
        raise ConfigError(f"--where {test}: write a date as 2026-01-31, or only its beginning")
    if not text:
        raise ConfigError(f"--where {test}: no value after the sign")
    return text.removesuffix("Z") if field == "date" else text
