"""In what the two pages of a pair differ, by the eyes of `explain`: nothing of the judge is asked.

Who marks a pair must see what the judge looked past: else no error of that kind is ever counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from crawler.audit.pairs import Pair, Side
from crawler.explain.difference import sentences
from crawler.explain.looking import Differences, Looks, differences, looks
from crawler.explain.passages import Passage

OPENING = 160
"""Characters of agreement shown at the beginning, so that it is seen what a page is about."""
MAX_SHOWN = 20_000
"""Characters of a difference that are shown of a pair; the rest is left out, and that is said."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two pages compared."""

    differences: Differences
    opening: str
    """How both texts begin, in whole sentences; empty where they begin differently."""
    shown: tuple[Passage, ...]
    """The passages that are shown, what matters most first."""

    @property
    def more(self) -> int:
        """How many passages are not shown."""
        return len(self.differences.passages) - len(self.shown)


def compare(pair: Pair) -> Compared | None:
    """Compare the pages of a pair; None where the text of one of them is missing."""
    if pair.page.text is None or pair.stored.text is None:
        return None
    found = differences(_looks(pair.page), _looks(pair.stored))
    both = zip(*(sentences(side.text or "") for side in (pair.page, pair.stored)), strict=False)
    same = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], both))
    return Compared(found, same[:OPENING].strip(), _first(found.passages))


def _looks(side: Side) -> Looks:
    seen = side.appearance
    return looks(side.title, side.text or "", seen, is_whole=seen is not None)


def _first(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """Return the passages that fit into what is shown, one at least."""
    left = MAX_SHOWN
    for number, passage in enumerate(passages):
        left -= sum(len(piece.text) for piece in passage.pieces)
        if left < 0:
            return passages[: max(number, 1)]
    return passages
