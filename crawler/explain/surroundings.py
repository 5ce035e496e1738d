"""What is visible on two pages beside their judged texts: how much, and in which lines they differ.

Pages are compared by what extraction took out of them. Where that is only a part, such as one
article of a list, the reader must be told of the rest, as the judge's rules look at it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.dedup.copies.agreement import agreement, characters, sentences
from crawler.dedup.copies.volatile import lasting
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
    """Lines beside the texts that only one of two pages has, each once, in document order.

    Dates and counters are no difference, and neither is another order.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]


def surroundings(subject: Subject) -> Surroundings | None:
    """Return what stands beside a subject's text, None where that is not known."""
    page = subject.appearance
    if page is None or not subject.is_whole or subject.text is None:
        return None
    beside, links = (_outside(lines, subject.text) for lines in (page.beside, page.links))
    is_much = characters((*beside, *links)) >= ONLY_A_PART * len(subject.text) > 0
    return Surroundings(len(page.text), beside, links, is_much)


def differing(first: Subject, second: Subject) -> Differing | None:
    """Compare what stands beside two texts, None where it is not known of one of them."""
    one, other = surroundings(first), surroundings(second)
    if one is None or other is None or first.appearance is None or second.appearance is None:
        return None
    compared = agreement(first.appearance, second.appearance)
    return Differing(
        *(
            _as_shown({*side.beside, *side.links}, (*known.lines, *known.links))
            for side, known in zip(compared.sides, (one, other), strict=True)
        )
    )


def has_same_lines(first: Subject, second: Subject) -> bool:
    """Whether each line of either text is on the other page too, but for dates and counters."""
    if first.appearance is None or second.appearance is None:
        return False
    return agreement(first.appearance, second.appearance).same_text


def _outside(lines: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the lines that are not in the judged text: in visible text, lines of links are."""
    inside = set(text.split("\n"))
    return tuple(line for line in lines if line not in inside)


def _as_shown(changed: set[str], lines: Iterable[str]) -> tuple[str, ...]:
    """Return the lines that the agreement of two pages left over, as the page shows them."""
    return tuple(
        dict.fromkeys(
            line
            for line in lines
            if any(lasting(sentence) in changed for sentence in sentences(line))
        )
    )
