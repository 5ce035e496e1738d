"""The lines in which two pages differ, in whatever order they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from crawler.dedup.copies.appearance import Appearance
from crawler.dedup.copies.volatile import lasting


@dataclass(frozen=True, slots=True)
class Side:
    """The lines that only one of two pages has, without dates and counters, and how long it is."""

    text: Sequence[str]
    """Of its judged text."""
    beside: Sequence[str]
    links: Sequence[str]
    length: int
    """Characters of its judged text."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two pages compared line by line."""

    first: Side
    second: Side

    @property
    def same_text(self) -> bool:
        """Whether every lasting line of either judged text stands on the other page too."""
        return not self.first.text and not self.second.text

    @property
    def text_changed(self) -> float:
        """Share of the judged text that only one of the two has, 0..1, of the larger one."""
        return max(_share(characters(side.text), side.length) for side in self.sides)

    @property
    def beside_changed(self) -> float:
        """What only one of the two has beside its text, as a multiple of its text, of the larger.

        In characters; may be any number from 0.
        """
        return max(
            _share(characters((*side.beside, *side.links)), side.length) for side in self.sides
        )

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both."""
        return self.first, self.second


def agreement(page: Appearance, other: Appearance) -> Agreement:
    """Compare two pages; linear in their lines."""
    first, second = _parts(page), _parts(other)
    for change in (str, lasting):  # what is the same as it stands needs no closer look
        first, second = _without(first, second, change), _without(second, first, change)
    sizes = characters(page.text), characters(other.text)
    return Agreement(Side(*first, sizes[0]), Side(*second, sizes[1]))


def characters(lines: Iterable[str]) -> int:
    """Return how long lines are together."""
    return sum(map(len, lines))


_Parts = tuple[Sequence[str], Sequence[str], Sequence[str]]


def _parts(page: Appearance) -> _Parts:
    return page.text, page.beside, page.links


def _without(parts: _Parts, other: _Parts, change: Callable[[str], str]) -> _Parts:
    """Return the lines of each part, changed, that are in none of the other page's."""
    left = Counter(change(line) for part in other for line in part)
    text, beside, links = (_only(map(change, part), left) for part in parts)
    return text, beside, links


def _only(lines: Iterable[str], left: Counter[str]) -> list[str]:
    """Return the lines not in `left`, taking those that are out of it; empty ones never count."""
    only = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        elif line:
            only.append(line)
    return only


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float(part > 0)
