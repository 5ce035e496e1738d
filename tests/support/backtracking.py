r"""What a regular expression costs: the steps of a matcher that backtracks as Python's own does.

Time says the same only on a calm machine; steps are counted, and are the same everywhere. The
expression is read by Python's parser, and its classes of characters and places (`^`, `\b`) are
judged by Python's matcher, one by one: what is here is the way back and forth between them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

_PARSER: Any = re._parser  # type: ignore[attr-defined]
_COMPILER: Any = re._compiler  # type: ignore[attr-defined]
_CHARACTERS = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "RANGE", "CATEGORY")


class _Parsed:
    """An expression as Python reads it, and parts of it that can be matched alone."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self.tree = _PARSER.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        self._flags: dict[int, int] = {}
        self._note(self.tree, self.tree.state.flags)
        self._alone: dict[tuple[int, Any], re.Pattern[Any]] = {}

    def _note(self, what: Any, flags: int) -> None:
        """Note under which flags each part is: groups may have their own."""
        if isinstance(what, _PARSER.SubPattern):
            for part in what:
                self._flags[id(part)] = flags
                own = str(part[0]) == "SUBPATTERN"
                self._note(part[1], (flags | part[1][1]) & ~part[1][2] if own else flags)
        elif isinstance(what, tuple | list):
            for one in what:
                self._note(one, flags)

    def alone(self, part: Any, most: Any = None) -> re.Pattern[Any]:
        """Return what matches this part, or as many of it as there are."""
        key = id(part), most
        if key not in self._alone:
            tree = _PARSER.SubPattern(self.tree.state, [part])
            if most is not None:
                tree = _PARSER.SubPattern(tree.state, [(_PARSER.MAX_REPEAT, (0, most, tree))])
            self._alone[key] = _COMPILER.compile(tree, self._flags[id(part)])
        return self._alone[key]


_parsed = cache(_Parsed)


class Matcher:
    """Finds what a compiled expression finds in a text, and counts `steps`."""

    def __init__(self, pattern: re.Pattern[Any], text: str | bytes) -> None:
        self._parsed = _parsed(pattern)
        self._tree = self._parsed.tree
        self._text = text
        self._groups: dict[int, tuple[int, int]] = {}
        self.steps = 0

    def run(self, method: str) -> list[tuple[int, int]]:
        """Return the spans that a method of this name finds, in order."""
        length = len(self._text)
        if method == "match":
            return [(0, end) for end in self._first(0)]
        if method == "fullmatch":
            return [(0, end) for end in self._first(0, whole=True)]
        spans: list[tuple[int, int]] = []
        position, barred = 0, -1
        while position <= length and (span := self._search(position, barred)):
            spans.append(span)
            if method == "search":
                break
            position = span[1]
            barred = position if span[0] == span[1] else -1
        return spans

    def _search(self, position: int, barred: int) -> tuple[int, int] | None:
        """Return the first match from here on; an empty one at `barred` was found before."""
        for start in range(position, len(self._text) + 1):
            for end in self._ends(self._tree, 0, start):
                if end != barred:
                    return start, end
        return None

    def _first(self, start: int, *, whole: bool = False) -> Iterator[int]:
        for end in self._ends(self._tree, 0, start):
            if not whole or end == len(self._text):
                yield end
                return

    def _ends(self, parts: Sequence[Any], at: int, start: int) -> Iterator[int]:
        """Yield where the parts from `at` on may end, as they are preferred."""
        if at == len(parts):
            yield start
            return
        for end in self._of(parts[at], start):
            yield from self._ends(parts, at + 1, end)

    def _of(self, part: Any, start: int) -> Iterator[int]:
        self.steps += 1
        operation, argument = str(part[0]), part[1]
        if operation in _CHARACTERS:
            if self._parsed.alone(part).match(self._text, start):
                yield start + 1
        elif operation == "AT":
            if self._parsed.alone(part).match(self._text, start):
                yield start
        elif operation == "BRANCH":
            for branch in argument[1]:
                yield from self._ends(branch, 0, start)
        elif operation == "SUBPATTERN":
            yield from self._group(argument[0], argument[3], start)
        elif operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, parts = argument
            yield from self._repeats(operation, least, most, parts, start)
        elif operation == "ATOMIC_GROUP":
            yield from itertools.islice(self._ends(argument, 0, start), 1)
        elif operation in ("ASSERT", "ASSERT_NOT"):
            direction, parts = argument
            if self._holds(direction, parts, start) is (operation == "ASSERT"):
                yield start
        elif operation == "GROUPREF":
            begin, end = self._groups.get(argument, (0, -1))
            self.steps += end - begin
            if end >= 0 and self._text.startswith(self._text[begin:end], start):  # type: ignore[arg-type]
                yield start + end - begin
        else:
            raise NotImplementedError(operation)

    def _group(self, number: int | None, parts: Sequence[Any], start: int) -> Iterator[int]:
        if number is None:
            yield from self._ends(parts, 0, start)
            return
        before = self._groups.get(number)
        for end in self._ends(parts, 0, start):
            self._groups[number] = start, end
            yield end
        if before is None:
            self._groups.pop(number, None)
        else:
            self._groups[number] = before

    def _holds(self, direction: int, parts: Any, start: int) -> bool:
        if direction < 0:
            start -= parts.getwidth()[0]
        return start >= 0 and any(True for _ in self._ends(parts, 0, start))

    def _repeats(self, how: str, least: int, most: Any, parts: Any, start: int) -> Iterator[int]:
        if len(parts) == 1 and str(parts[0][0]) in _CHARACTERS:
            run = self._parsed.alone(parts[0], most).match(self._text, start)
            assert run
            ends: Iterable[int] = range(start + least, run.end() + 1)
            if how != "MIN_REPEAT":  # which looks at one more where it was not enough
                self.steps += run.end() - start
                ends = reversed(range(start + least, run.end() + 1))
        elif how == "MIN_REPEAT":
            ends = self._lazily(least, int(most), parts, 0, start)
        else:
            ends = self._greedily(least, int(most), parts, 0, start)
        for end in ends:
            self.steps += 1
            yield end
            if how == "POSSESSIVE_REPEAT":
                return

    def _greedily(self, least: int, most: int, parts: Any, had: int, at: int) -> Iterator[int]:
        if had < most:
            for end in self._ends(parts, 0, at):
                if end > at or had < least:
                    yield from self._greedily(least, most, parts, had + 1, end)
        if had >= least:
            yield at

    def _lazily(self, least: int, most: int, parts: Any, had: int, at: int) -> Iterator[int]:
        if had >= least:
            yield at
        if had < most:
            for end in self._ends(parts, 0, at):
                if end > at or had < least:
                    yield from self._lazily(least, most, parts, had + 1, end)
