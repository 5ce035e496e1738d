"""What is known of the data of pages: of what was not seen, a filling says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from crawler.extract.spellings import AS_TEXT, Json, spelled

MOST_KINDS = 8
"""Different values of a path, some of them repeated, up to which they are kinds of something: of
another value nothing is known."""
MOST_DEPTH = 120
"""Of a tree, or of a state."""
MOST_SCALARS = 20_000
"""In a state."""


class Unexplained(Exception):
    """No filling explains the pages."""


class Guard:
    """What the states of pages had for which a filling was right: another one is not filled.

    By path, with a star for the places of lists: of which sorts its values were, of how many items
    its lists at most, which keys objects always had, and its values where these name kinds of
    something: all the same, or some of them repeated. Those that the filling shows may be others.
    What one page had is not known: what it shows may have had other reasons.
    """

    def __init__(self, known: dict[str, Json] | None = None) -> None:
        self.known: dict[str, Json] = known if known is not None else {}

    def copy(self) -> Guard:
        """Return one that knows the same."""
        return Guard(deepcopy(self.known))

    def widen(self, state: Json) -> None:
        """Take in the state of a page for which the filling was right, or that it is made of."""
        for path, values in _by_path(state).items():
            one = self.known.setdefault(
                path, {"sorts": {}, "longest": 0, "keys": None, "values": {}, "count": 0}
            )
            for sort in set(map(_sort, values)):
                one["sorts"][sort] = one["sorts"].get(sort, 0) + 1
            one["longest"] = max(one["longest"], *(_length(value) for value in values))
            for value in values:
                if isinstance(value, dict):
                    keys = set(value) if one["keys"] is None else set(one["keys"]) & set(value)
                    one["keys"] = sorted(keys)
            texts = [text for value in values if (text := spelled(value, AS_TEXT)) is not None]
            one["count"] += len(texts)
            for text in set(texts) if one["values"] is not None else ():
                one["values"][text] = one["values"].get(text, 0) + 1
            if one["values"] and len(one["values"]) > MOST_KINDS:
                one["values"] = None

    def is_like(self, state: Json) -> bool:
        """Whether most of what a state has, or what others had, is what both have."""
        paths = _by_path(state).keys()
        return 2 * len(paths & self.known.keys()) > len(paths | self.known.keys())

    def admits(self, state: Json, shown: frozenset[str]) -> bool:
        """Whether all of a state is known; `shown` are paths that the filling shows."""
        try:
            found = _by_path(state)
        except Unexplained:
            return False
        return all(
            (one := self.known.get(path)) is not None and self._knows(one, values, path in shown)
            for path, values in found.items()
        )

    @staticmethod
    def _knows(one: Mapping[str, Json], values: Sequence[Json], is_shown: bool) -> bool:
        kinds = one["values"]
        # As many as there were pages and items: each had its own.
        if is_shown or kinds is None or 1 < len(kinds) == one["count"]:
            kinds = None
        return all(
            one["sorts"].get(_sort(value), 0) > 1
            and _length(value) <= one["longest"]
            and (not isinstance(value, dict) or set(one["keys"] or ()) <= value.keys())
            and (
                kinds is None or (text := spelled(value, AS_TEXT)) is None or kinds.get(text, 0) > 1
            )
            for value in values
        )


def inner_values(value: Json) -> Iterable[tuple[Any, Json]]:
    """Return the values right within one, each by its key or number.

    An object's only key is a number as well where it is no word: of each page its own.
    """
    if isinstance(value, dict):
        is_own = len(value) == 1 and not next(iter(value)).isidentifier()
        return enumerate(value.values()) if is_own else value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _by_path(state: Json) -> dict[str, list[Json]]:
    """Return all values of a state, by path. Raises Unexplained where it is too large or deep."""
    found: dict[str, list[Json]] = {}
    level, count = [("", state)], 0
    for _ in range(MOST_DEPTH):
        inner: list[tuple[str, Json]] = []
        for path, value in level:
            found.setdefault(path, []).append(value)
            for key, one in inner_values(value):
                inner.append((f"{path}\n{'*' if isinstance(key, int) else key}", one))
        level, count = inner, count + len(inner)
        if not level:
            return found
        if count > MOST_SCALARS:
            break
    raise Unexplained


def _sort(value: Json) -> str:
    """Return of which sort a value is: what scripts tell apart by looking whether it is there."""
    name = "number" if type(value) in (int, float) else type(value).__name__
    return name if value else f"no {name}"


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0
