"""What is visible on two pages beside their judged texts: how much, and in which lines they differ.

Where extraction took only a part of a page, such as one article of a list, the reader must be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crawler.explain.subjects import Subject

ONLY_A_PART = 0.5
"""What stands beside a text is worth telling from this length on, as a multiple of the text."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is visible on a page beside its judged text, in document order."""

    text_lines: int
    """Lines that extraction took."""
    lines: tuple[str, ...]
    """Lines beside them that are no links."""
    links: tuple[str, ...]
    is_much: bool
    """Whether the judged text is only a part of what a reader sees."""

    @property
    def all_lines(self) -> int:
        """Lines of the whole page."""
        return self.text_lines + len(self.lines) + len(self.links)


@dataclass(frozen=True, slots=True)
class Differing:
    """Lines beside the texts that only one of two pages has, or has more often; as they stand."""

    first: tuple[str, ...]
    second: tuple[str, ...]


def surroundings(subject: Subject) -> Surroundings | None:
    """Return what stands beside a subject's text, None where that is not known."""
    page = subject.appearance
    if page is None or not subject.is_whole or subject.text is None:
        return None
    beside, links = (_outside(lines, subject.text) for lines in (page.beside, page.links))
    is_much = sum(map(len, (*beside, *links))) >= ONLY_A_PART * len(subject.text) > 0
    return Surroundings(len(page.text), beside, links, is_much)


def differing(first: Subject, second: Subject) -> Differing | None:
    """Compare what stands beside two texts, None where it is not known of one of them."""
    sides = surroundings(first), surroundings(second)
    if sides[0] is None or sides[1] is None or first.text is None or second.text is None:
        return None
    ours, theirs = ((*around.lines, *around.links) for around in sides if around)
    return Differing(
        tuple(_only(ours, (*theirs, *second.text.split("\n")))),
        tuple(_only(theirs, (*ours, *first.text.split("\n")))),
    )


def _only(lines: Iterable[str], others: Iterable[str]) -> Iterator[str]:
    """Yield the lines that the others do not hold as often."""
    left = Counter(others)
    for line in lines:
        left[line] -= 1
        if left[line] < 0:
            yield line


def _outside(lines: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the lines that are not in the judged text: in visible text, lines of links are."""
    inside = set(text.split("\n"))
    return tuple(line for line in lines if line not in inside)
