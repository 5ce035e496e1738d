"""A site's template: which zones of its pages are surroundings, learned from some of them.

Unknown zones are kept, never dropped: only what was proven to be surroundings, by an extractor
that left it out and by repetition from page to page, is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import NamedTuple

from crawler.templates.blocks import Block, Zone, key_of
from crawler.templates.lesson import Lesson

_STRANGE_SHARE = 0.05
"""Share of a page's word characters in unknown zones beyond which the template is not its own."""

_MORE_FACTOR, _MORE_CHARACTERS = 1.5, 20
"""A zone that is dropped may have so many times the word characters outside of links that it had
on any teaching page, and so many more: with 50 more, 7 % of pages lose a tenth of their text unseen
if a quarter of it moves into a dropped zone, with 20 more 2 %, and as many are served."""

STRAY = 300
"""Word characters outside of links that an extractor keeps of a zone on one page from which the
zone has text on some pages, whatever its share."""

_LEAST_FACTOR = 0.5
"""Share of the least share of a page that any teacher kept, below which too little is kept."""


_SHORTEST = 12
"""Word characters of a line of text from which it is dropped for standing on all pages: shorter
ones are labels that belong to what stands beside them."""


_MET = 1024
"""Zones that a template remembers of pages that it read, .6 MB beside those of one page: a site's
pages have some hundred, and finding out what is around one takes longer than to read its lines."""


class Standing(StrEnum):
    """What was learned of a zone."""

    OUT = auto()
    """Surroundings, before or after the main text."""
    DOUBTFUL = auto()
    """The extractor leaves it out; dropped is what repeats itself there."""
    UNSURE = auto()
    """The extractor left it out on the few pages that have it; all is kept, and speaks for none."""
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
    sure: Sequence[bool]
    """By block: whether it is kept, and a heading or of a zone of which an extractor kept text."""
    strange: float
    """Share of its word characters in zones that the template does not know."""
    is_short: bool
    """Whether far more was dropped than of its like, in all or in one zone: text may be lost."""
    weight: int
    """Word characters of what is kept."""
    sure_weight: int
    """Word characters of what is sure."""

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
    _met: dict[Zone, tuple[Known, bool]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What is known of the zones of pages that were read, and whether they speak: at most _MET.

    A page with more zones than that is looked up without.
    """

    def read(self, blocks: Sequence[Block]) -> Reading:
        """Return which blocks of a page are its text."""
        known = self._known_of({block.zone for block in blocks})
        menus = any(
            zone.linked and of.standing is Standing.DOUBTFUL for zone, (of, _) in known.items()
        )
        here = Counter([block.text for block in blocks]) if menus else Counter[str]()
        kept, sure = [], []
        total = strange = left = left_sure = 0
        gone: dict[Zone, int] = {}
        for zone, text, bare, linked, _ in blocks:
            (standing, _, lines), speaks = known[zone]
            weight = len(bare)
            total += weight
            if standing is Standing.OUT:
                gone[zone] = gone.get(zone, 0) + max(0, weight - linked)
                kept.append(False)
                sure.append(False)
                continue
            if standing is None:
                strange += weight
                keeps = True
            else:
                keeps = not (
                    (lines and key_of(text) in lines and _is_dropped(standing, zone, weight))
                    or (zone.linked and standing is Standing.DOUBTFUL and here[text] > 1)
                )
            is_sure = keeps and speaks
            left += weight * keeps
            left_sure += weight * is_sure
            kept.append(keeps)
            sure.append(is_sure)
        is_short = total > 0 and (
            not left
            or 1000 * left < _LEAST_FACTOR * self.least * total
            or any(
                count > _MORE_FACTOR * known[zone][0].most + _MORE_CHARACTERS
                for zone, count in gone.items()
            )
        )
        return Reading(kept, sure, strange / max(1, total), is_short, left, left_sure)

    def _known_of(self, zones: set[Zone]) -> dict[Zone, tuple[Known, bool]]:
        """Return what is known of a page's zones, and whether each speaks."""
        met = self._met if len(zones) <= _MET else {}
        above: dict[str, Standing | None] = {}
        if len(met.keys() | zones) > _MET:
            met.clear()
        for zone in zones - met.keys():
            met[zone] = self.known(zone, above), self._speaks(zone)
        return {zone: met[zone] for zone in zones}

    def _speaks(self, zone: Zone) -> bool:
        """Whether its lines are sure: known for text, or headings, which say what a text is of."""
        own = self.zones.get(zone, _UNKNOWN)
        return own.standing is Standing.SEEN or zone.in_heading

    def known(self, zone: Zone, above: dict[str, Standing | None] | None = None) -> Known:
        """Return what is known of a zone, or of what lies around it.

        `above` remembers the latter from one zone to the next.
        """
        known = self.zones.get(zone)
        if known is not None:
            return known
        standing = self._around(zone.path, {} if above is None else above)
        return Known(standing) if standing else _UNKNOWN

    def _around(self, path: str, above: dict[str, Standing | None]) -> Standing | None:
        """Return what the nearest path that was seen says, also where zones below it disagree."""
        passed = []
        while path and path not in self.around and path not in above:
            passed.append(path)
            path = path.rpartition(">")[0]
        standing = self.around[path] if path in self.around else above.get(path)
        above.update(dict.fromkeys(passed, standing))
        return standing

    def is_contradicted(self, lesson: Lesson) -> bool:
        """Whether an extractor found text on one page in a zone that is dropped."""
        return any(
            weights.most_kept >= STRAY and self.zones.get(zone, _UNKNOWN).standing is Standing.OUT
            for zone, weights in lesson.zones.items()
        )


def _is_dropped(standing: Standing, zone: Zone, weight: int) -> bool:
    return standing is Standing.DOUBTFUL or zone.linked or weight >= _SHORTEST


def upwards(path: str) -> Iterator[str]:
    """Yield a path and all around it, innermost first."""
    while path:
        yield path
        path = path.rpartition(">")[0]
