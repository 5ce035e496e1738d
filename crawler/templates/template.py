"""A site's template: which zones of its pages are surroundings, learned from some of them.

Unknown zones are kept, never dropped: only what was proven to be surroundings, by an extractor
that left it out and by repetition from page to page, is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto

from crawler.templates.lesson import Block, Zone

_STRANGE_SHARE = 0.05
"""Share of a page's word characters in unknown zones beyond which the template is not its own."""

_LOST_FACTOR, _LOST_CHARACTERS = 1.5, 100
"""A page may lose so many times what any teaching page lost, and so many word characters more."""


class Standing(StrEnum):
    """What was learned of a zone."""

    OUT = auto()
    """Surroundings, before or after the main text."""
    DOUBTFUL = auto()
    """The extractor leaves it out; dropped is what repeats itself there."""
    SEEN = auto()
    """Known, and not shown to be surroundings; dropped is what stands on nearly every page."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A page as its site's template reads it."""

    kept: Sequence[bool]
    """By block."""
    strange: float
    """Share of its word characters in zones that the template does not know."""
    lost: int
    """Word characters outside of links that were dropped and stand on no other known page."""
    may_lose: int

    @property
    def is_trusted(self) -> bool:
        """Whether the page is one of the template's, and loses no more than its like."""
        return self.strange <= _STRANGE_SHARE and self.lost <= self.may_lose


@dataclass(frozen=True, slots=True)
class Template:
    """What was learned of a host. Immutable and picklable; a pure function of the page."""

    standings: Mapping[Zone, Standing]
    around: Mapping[str, Standing | None]
    """Path -> standing of what is unknown below it; None where what is known there disagrees."""
    repeated: Mapping[int, int]
    """Key of a line -> teaching pages that have it, two or more."""
    pages: int
    """That taught."""
    most_lost: int

    def read(self, blocks: Sequence[Block]) -> Reading:
        """Return which blocks of a page are its text."""
        here = Counter(block.text for block in blocks)
        kept, strange, total, lost = [], 0, 0, 0
        for block in blocks:
            standing = self.standing(block.zone)
            weight = len(block.bare)
            total += weight
            strange += weight if standing is None else 0
            count = self.repeated.get(block.key, 0)
            drop = self._drops(standing, block, count, here[block.text])
            kept.append(not drop)
            if drop and count < 2:
                lost += block.unlinked
        may_lose = int(_LOST_FACTOR * self.most_lost) + _LOST_CHARACTERS
        return Reading(kept, strange / max(1, total), lost, may_lose)

    def standing(self, zone: Zone) -> Standing | None:
        """Return what is known of a zone, or of what lies around it; None if nothing is."""
        known = self.standings.get(zone)
        if known is not None:
            return known
        # The nearest path that was seen decides, also where zones below it disagree.
        return self.around.get(_nearest(zone.path, self.around))

    def _drops(self, standing: Standing | None, block: Block, count: int, here: int) -> bool:
        linked = block.zone.linked
        match standing:
            case Standing.OUT:
                return True
            case Standing.DOUBTFUL:
                often = count >= max(3, self.pages / 2)
                return often or (linked and (count >= 2 or here > 1))
            case Standing.SEEN:
                always = self.pages >= 8 and count >= 0.9 * self.pages
                return always and not block.zone.is_heading and (linked or len(block.bare) >= 12)
        return False


def _nearest(path: str, known: Iterable[str]) -> str:
    return next((above for above in upwards(path) if above in known), "")


def upwards(path: str) -> Iterator[str]:
    """Yield a path and all around it, innermost first."""
    while path:
        yield path
        path = path.rpartition(">")[0]
