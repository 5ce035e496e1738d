"""A site's template: which zones of its pages are surroundings, learned from some of them.

Unknown zones are kept, never dropped: only what was proven to be surroundings, by an extractor
that left it out and by repetition from page to page, is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import NamedTuple

from crawler.templates.lesson import Block, Zone, key_of

_STRANGE_SHARE = 0.05
"""Share of a page's word characters in unknown zones beyond which the template is not its own."""

_MORE_FACTOR, _MORE_CHARACTERS = 1.5, 50
"""A zone that is dropped may have so many times the word characters outside of links that it had
on any teaching page, and so many more."""

_LEAST_FACTOR = 0.5
"""Share of the least share of a page that any teacher kept, below which too little is kept."""


_SHORTEST = 12
"""Word characters of a line of text from which it is dropped for standing on all pages: shorter
ones are labels that belong to what stands beside them."""


class Standing(StrEnum):
    """What was learned of a zone."""

    OUT = auto()
    """Surroundings, before or after the main text."""
    DOUBTFUL = auto()
    """The extractor leaves it out; dropped is what repeats itself there."""
    SEEN = auto()
    """Known, and not shown to be surroundings; dropped is what stands on nearly every page."""


class Known(NamedTuple):
    """What was learned of one zone."""

    standing: Standing | None
    """None: nothing."""
    most: int = 0
    """Word characters outside of links that it had on any teaching page, if it is OUT."""
    lines: frozenset[int] = frozenset()
    """Keys of its lines that are dropped, if it is not."""


_UNKNOWN = Known(None)


@dataclass(frozen=True, slots=True)
class Reading:
    """A page as its site's template reads it."""

    kept: Sequence[bool]
    """By block."""
    strange: float
    """Share of its word characters in zones that the template does not know."""
    is_short: bool
    """Whether far more was dropped than of its like, in all or in one zone: text may be lost."""

    @property
    def is_trusted(self) -> bool:
        """Whether the page is one of the template's, and loses no more than its like."""
        return self.strange <= _STRANGE_SHARE and not self.is_short


@dataclass(frozen=True, slots=True)
class Template:
    """What was learned of a host. Immutable and picklable; a pure function of the page."""

    zones: Mapping[Zone, Known]
    around: Mapping[str, Standing | None]
    """Path -> standing of what is unknown below it; None where what is known there disagrees."""
    least: int
    """Thousandths of its page that any teaching page's main text was, at least."""

    def read(self, blocks: Sequence[Block]) -> Reading:
        """Return which blocks of a page are its text."""
        known = {zone: self.known(zone) for zone in {block.zone for block in blocks}}
        menus = any(zone.linked and of.standing is Standing.DOUBTFUL for zone, of in known.items())
        here = Counter([block.text for block in blocks]) if menus else Counter[str]()
        kept = []
        total = strange = left = 0
        gone: dict[Zone, int] = {}
        for zone, text, bare, linked, _ in blocks:
            standing, _, lines = known[zone]
            weight = len(bare)
            total += weight
            if standing is Standing.OUT:
                gone[zone] = gone.get(zone, 0) + max(0, weight - linked)
                kept.append(False)
                continue
            if standing is None:
                strange += weight
                keeps = True
            else:
                keeps = not (
                    (lines and key_of(text) in lines and _is_dropped(standing, zone, weight))
                    or (zone.linked and standing is Standing.DOUBTFUL and here[text] > 1)
                )
            left += weight * keeps
            kept.append(keeps)
        is_short = total > 0 and (
            not left
            or 1000 * left < _LEAST_FACTOR * self.least * total
            or any(
                count > _MORE_FACTOR * known[zone].most + _MORE_CHARACTERS
                for zone, count in gone.items()
            )
        )
        return Reading(kept, strange / max(1, total), is_short)

    def known(self, zone: Zone) -> Known:
        """Return what is known of a zone, or of what lies around it."""
        known = self.zones.get(zone)
        if known is not None:
            return known
        # The nearest path that was seen decides, also where zones below it disagree.
        nearest = next((path for path in upwards(zone.path) if path in self.around), "")
        standing = self.around.get(nearest)
        return Known(standing) if standing else _UNKNOWN


def _is_dropped(standing: Standing, zone: Zone, weight: int) -> bool:
    return standing is not Standing.SEEN or zone.linked or weight >= _SHORTEST


def upwards(path: str) -> Iterator[str]:
    """Yield a path and all around it, innermost first."""
    while path:
        yield path
        path = path.rpartition(">")[0]
