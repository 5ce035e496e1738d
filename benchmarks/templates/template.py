"""A site's template: which zones of its pages are surroundings, learned from some of them.

Unknown zones are kept, never dropped: only what was proven to be surroundings, by an extractor
that left it out and by repetition from page to page, is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto

from benchmarks.templates.lesson import Block, Lesson, Weights, Zone

MAX_LINES = 2_500
"""Keys of lines counted of a host while it is learned."""

ENOUGH_JUDGED = 8
"""Pages with a trusted main text after which a template is made."""

ENOUGH_PAGES = 20
"""Pages after which it is made in any case: some sites an extractor never understands."""

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


@dataclass
class Evidence:
    """The sum of the lessons of one host; the order in which they came does not matter."""

    zones: dict[Zone, Weights] = field(default_factory=dict)
    lines: Counter[int] = field(default_factory=Counter)
    seen: set[int] = field(default_factory=set)
    pages: int = 0
    judged: int = 0
    most_lost: int = 0

    def add(self, lesson: Lesson) -> None:
        """Learn from one more page; repetition counts once for each distinct text."""
        self.pages += 1
        self.judged += lesson.is_judged
        self.most_lost = max(self.most_lost, lesson.lost)
        for zone, weights in lesson.zones.items():
            self.zones[zone] = self.zones.get(zone, Weights()).plus(weights)
        if lesson.identity not in self.seen:
            self.seen.add(lesson.identity)
            self.lines.update(lesson.lines)

    @property
    def is_enough(self) -> bool:
        """Whether a template can be made."""
        return self.judged >= ENOUGH_JUDGED or self.pages >= ENOUGH_PAGES

    def template(self) -> Template:
        """Return what was learned so far."""
        standings = {
            zone: standing
            for zone, weights in self.zones.items()
            if (standing := _standing(zone, weights)) is not None
        }
        repeated = {key: count for key, count in self.lines.items() if count >= 2}
        return Template(
            standings, _ancestors(standings, self.zones), repeated, self.pages, self.most_lost
        )


def _standing(zone: Zone, weights: Weights) -> Standing | None:
    """Return what evidence says of a zone, None where there is too little."""
    if weights.judged >= 4 and weights.kept <= 0.1 * weights.told:
        if weights.outside >= 0.9 * weights.told and not zone.is_heading:
            return Standing.OUT
        if zone.linked and weights.judged >= 8 and weights.kept <= 0.02 * weights.told:
            return Standing.OUT
        return Standing.DOUBTFUL
    return Standing.SEEN if weights.pages >= 2 else None


def _ancestors(
    standings: Mapping[Zone, Standing], weights: Mapping[Zone, Weights]
) -> dict[str, Standing | None]:
    """Return path -> standing of unknown zones below it; None where the known ones disagree."""
    total: Counter[str] = Counter()
    out: Counter[str] = Counter()
    for zone, standing in standings.items():
        for path in _upwards(zone.path):
            total[path] += weights[zone].all
            out[path] += weights[zone].all * (standing is Standing.OUT)
    agreed: dict[str, Standing | None] = {}
    for path, weight in total.items():
        if out[path] >= 0.9 * weight:
            agreed[path] = Standing.OUT
        elif out[path] <= 0.1 * weight:
            agreed[path] = Standing.SEEN
        else:
            agreed[path] = None
    return agreed


def _upwards(path: str) -> Iterator[str]:
    """Yield a path and all around it, innermost first."""
    while path:
        yield path
        path = path.rpartition(">")[0]


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
    return next((above for above in _upwards(path) if above in known), "")
