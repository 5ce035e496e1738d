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
from typing import Any, NamedTuple

_PARSER: Any = re._parser  # type: ignore[attr-defined]
_COMPILER: Any = re._compiler  # type: ignore[attr-defined]
_CHARACTERS = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "RANGE", "CATEGORY")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


class _Part(NamedTuple):
    """A part of an expression, read once for all the times that it is come to."""

    operation: str
    argument: Any
    alone: Any = None
    """What matches it by itself, where it is a character, a place, or a run of characters."""
    width: int | None = None
    """What it takes where it is a character or a place."""


class _Parsed:
    """An expression as Python reads it, and parts of it that can be matched alone."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        tree = _PARSER.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        self._state = tree.state
        self.parts = self._read(tree, tree.state.flags)

    def _read(self, tree: Any, flags: int) -> list[_Part]:
        return [self._part(part, str(part[0]), part[1], flags) for part in tree]

    def _part(self, part: Any, operation: str, argument: Any, flags: int) -> _Part:
        """Read a part under these flags: groups may have their own."""
        alone = None
        if operation in _CHARACTERS or operation == "AT":
            return _Part(operation, argument, self._alone(part, flags), int(operation != "AT"))
        if operation == "BRANCH":
            argument = [self._read(branch, flags) for branch in argument[1]]
        elif operation == "SUBPATTERN":
            number, added, removed, inner = argument
            argument = number, self._read(inner, (flags | added) & ~removed)
        elif operation in _REPEATS:
            least, most, inner = argument
            argument = least, int(most), self._read(inner, flags)
            if len(inner) == 1 and str(inner[0][0]) in _CHARACTERS:
                alone = self._alone((_PARSER.MAX_REPEAT, (0, most, inner)), flags)
        elif operation in ("ASSERT", "ASSERT_NOT"):
            direction, inner = argument
            back = inner.getwidth()[0] if direction < 0 else 0
            argument = back, self._read(inner, flags)
        elif operation == "ATOMIC_GROUP":
            argument = self._read(argument, flags)
        return _Part(operation, argument, alone)

    def _alone(self, part: Any, flags: int) -> Any:
        return _COMPILER.compile(_PARSER.SubPattern(self._state, [part]), flags).match


_parsed = cache(_Parsed)


class Matcher:
    """Finds what a compiled expression finds in a text, and counts `steps`."""

    def __init__(self, pattern: re.Pattern[Any], text: str | bytes) -> None:
        self._parts = _parsed(pattern).parts
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
            for end in self._ends(self._parts, 0, start):
                if end != barred:
                    return start, end
        return None

    def _first(self, start: int, *, whole: bool = False) -> Iterator[int]:
        for end in self._ends(self._parts, 0, start):
            if not whole or end == len(self._text):
                yield end
                return

    def _ends(self, parts: Sequence[_Part], at: int, start: int) -> Iterable[int]:
        """Return where the parts from `at` on may end, as they are preferred."""
        for place in range(at, len(parts)):
            _, _, alone, width = parts[place]
            if width is None:
                if place + 1 == len(parts):
                    return self._of(parts[place], start)
                return self._in_turn(parts, place, start)
            self.steps += 1
            if not alone(self._text, start):
                return ()
            start += width
        return (start,)

    def _in_turn(self, parts: Sequence[_Part], at: int, start: int) -> Iterator[int]:
        for end in self._of(parts[at], start):
            yield from self._ends(parts, at + 1, end)

    def _of(self, part: _Part, start: int) -> Iterable[int]:
        self.steps += 1
        operation, argument, _, _ = part
        match operation:
            case "BRANCH":
                return self._branches(argument, start)
            case "SUBPATTERN":
                number, parts = argument
                if number is None:
                    return self._ends(parts, 0, start)
                return self._group(number, parts, start)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeats(part, start)
            case "ATOMIC_GROUP":
                return itertools.islice(self._ends(argument, 0, start), 1)
            case "ASSERT" | "ASSERT_NOT":
                back, parts = argument
                holds = start >= back and any(True for _ in self._ends(parts, 0, start - back))
                return (start,) if holds is (operation == "ASSERT") else ()
            case "GROUPREF":
                begin, end = self._groups.get(argument, (0, -1))
                self.steps += end - begin
                if end >= 0 and self._text.startswith(self._text[begin:end], start):  # type: ignore[arg-type]
                    return (start + end - begin,)
                return ()
        raise NotImplementedError(operation)

    def _branches(self, branches: Sequence[Sequence[_Part]], start: int) -> Iterator[int]:
        for branch in branches:
            yield from self._ends(branch, 0, start)

    def _group(self, number: int, parts: Sequence[_Part], start: int) -> Iterator[int]:
        before = self._groups.get(number)
        for end in self._ends(parts, 0, start):
            self._groups[number] = start, end
            yield end
        if before is None:
            self._groups.pop(number, None)
        else:
            self._groups[number] = before

    def _repeats(self, part: _Part, start: int) -> Iterator[int]:
        how, (least, most, parts), alone, _ = part
        if alone:
            end_of_run = alone(self._text, start).end()
            ends: Iterable[int] = range(start + least, end_of_run + 1)
            if how != "MIN_REPEAT":  # which looks at one more where it was not enough
                self.steps += end_of_run - start
                ends = reversed(range(start + least, end_of_run + 1))
        elif how == "MIN_REPEAT":
            ends = self._lazily(least, most, parts, 0, start)
        else:
            ends = self._greedily(least, most, parts, 0, start)
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
