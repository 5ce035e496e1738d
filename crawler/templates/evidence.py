"""What the lessons of one host add up to, and the template that follows from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.templates.blocks import Zone, key_of
from crawler.templates.lesson import Lesson, Weights, longer
from crawler.templates.template import STRAY, Known, Standing, Template, upwards

MAX_LINES = 2_500
"""Lines counted of a host, those of the smallest keys (bottom-k sampling: Cohen and Kaplan, PODC
2007), so that which ones are left does not depend on the order. The first 20 pages of nine sites
have 500 to 2,800."""

MAX_ZONES = 800
"""Zones of a host, chosen likewise. The first 20 pages of nine sites have 20 to 140, and 50 pages
from all parts of the Python manual 314. With so many, a host whose zones are all as deep as can be
takes 50 to 90 ms for a template, with 1,500 of 64 elements 200."""

MAX_SEEN = 500
"""Pages of a host that are told apart by their text; later ones are taken to differ."""

_KEPT = 2
"""Pages with a zone that is kept from which it is known."""
_UNJUDGED = 2
"""Pages with a zone on none of which an extractor was trusted, from which it is known."""
_UNDECIDED = 12
"""Pages with a zone from which it is known although it was left out on too few judged ones. With 2
the first pages of five templates on one host were served whole: 4-gram F1 .77, and .94 so."""

_JUDGED = 6
"""Judged pages with a zone from which it can be shown to be no text: F1 of the served pages of nine
sites is .985 with 2, .986 with 4, .988 with 6."""
_LINKS_DROPPED, _LINKS_JUDGED = 0.02, 8
"""The same for links within the main text, and from how many judged pages: menus within it."""
_OUT_BELOW = 0.9
"""Share of the words below a path that are surroundings where what is new there is, too."""
_PERHAPS = 0.05
"""Share of the words below a path that may be surroundings where what is new there is text. Of 14
templates on one host .65 of the pages are served with .02 (F1 .91), .79 with .05 (.90), .85 with .1
(.89)."""

_ALWAYS, _ALWAYS_PAGES = 0.9, 8
"""Share of a zone's pages on which a line is surroundings wherever it stands, and of how many."""
_OFTEN, _OFTEN_PAGES = 0.75, 3
"""The same in a zone that the extractor leaves out: F1 .9884, with .5 it is .9880."""


@dataclass
class Evidence:
    """The sum of the lessons of one host; the order in which they came does not matter."""

    zones: dict[Zone, Weights] = field(default_factory=dict)
    lines: Counter[tuple[int, Zone]] = field(default_factory=Counter)
    """Line -> pages of different texts that have it."""
    seen: set[int] = field(default_factory=set)
    pages: int = 0
    judged: int = 0
    least: int = 1000
    """Thousandths of a page that the extractor kept where it kept least."""
    examples: dict[Zone, str] = field(default_factory=dict)
    """A line of each zone, cut."""

    def add(self, lesson: Lesson) -> None:
        """Learn from one more page; of pages with one text the first one counts."""
        self.pages += 1
        self.judged += lesson.is_judged
        if lesson.identity in self.seen:
            return
        if len(self.seen) < MAX_SEEN:
            self.seen.add(lesson.identity)
        if lesson.is_judged:
            self.least = min(self.least, lesson.share)
        for zone, weights in lesson.zones.items():
            self.zones[zone] = self.zones.get(zone, Weights()).plus(weights)
        for zone, example in lesson.examples.items():
            self.examples[zone] = longer(self.examples.get(zone, ""), example)
        self._bound_zones()
        self.lines.update(line for line in lesson.lines if line[1] in self.zones)
        if len(self.lines) > MAX_LINES:
            left = sorted(self.lines)[:MAX_LINES]
            self.lines = Counter({line: self.lines[line] for line in left})

    def _bound_zones(self) -> None:
        if len(self.zones) <= MAX_ZONES:
            return
        left = sorted(self.zones, key=lambda zone: (key_of(zone.path), zone))[:MAX_ZONES]
        self.zones = {zone: self.zones[zone] for zone in left}
        self.lines = Counter({line: n for line, n in self.lines.items() if line[1] in self.zones})
        self.examples = {zone: self.examples[zone] for zone in left if zone in self.examples}

    def forget_single(self) -> None:
        """Forget the lines of one page alone: most of what is held, and no repetition."""
        self.lines = Counter({line: count for line, count in self.lines.items() if count >= 2})

    def template(self) -> Template:
        """Return what was learned so far."""
        standings = {
            zone: standing
            for zone, weights in self.zones.items()
            if (standing := _standing(zone, weights)) is not None
        }
        lines: dict[Zone, set[int]] = defaultdict(set)
        for (key, zone), count in self.lines.items():
            if zone in standings and _is_surroundings(
                zone, standings[zone], self.zones[zone], count
            ):
                lines[zone].add(key)
        known = {
            zone: Known(
                standing,
                self.zones[zone].most if standing is Standing.OUT else 0,
                frozenset(lines.get(zone, ())),
            )
            for zone, standing in standings.items()
        }
        return Template(known, _around(standings, self.zones), self.least if self.judged else 0)


def _standing(zone: Zone, weights: Weights) -> Standing | None:
    """Return what evidence says of a zone, None where there is too little."""
    if not weights.judged:
        return Standing.SEEN if weights.pages >= _UNJUDGED else None
    if not weights.is_left_out:
        return Standing.SEEN if weights.pages >= _KEPT else None
    if weights.judged < _JUDGED:
        least = _UNDECIDED if weights.is_outside else _KEPT
        return Standing.UNSURE if weights.pages >= least else None
    if weights.most_kept >= STRAY:
        return Standing.DOUBTFUL
    is_outside = weights.is_outside and not zone.is_heading
    is_menu = zone.linked and weights.judged >= _LINKS_JUDGED
    if is_outside or (is_menu and weights.kept <= _LINKS_DROPPED * weights.told):
        return Standing.OUT
    return Standing.DOUBTFUL


def _is_surroundings(zone: Zone, standing: Standing, weights: Weights, count: int) -> bool:
    """Whether a line that stands on `count` pages is dropped wherever its zone has it."""
    if zone.is_heading and not weights.is_outside:
        return False  # "Synopsis" on each page belongs to what stands below it
    if standing is Standing.DOUBTFUL:
        least = 2 if zone.linked else max(_OFTEN_PAGES, _OFTEN * weights.pages)
        return count >= least
    always = weights.pages >= _ALWAYS_PAGES and count >= _ALWAYS * weights.pages
    return standing is not Standing.OUT and always


def _around(
    standings: Mapping[Zone, Standing], weights: Mapping[Zone, Weights]
) -> dict[str, Standing | None]:
    """Return path -> standing of unknown zones below it; None where that cannot be told.

    Below a path with text and with what may be surroundings anything may be either, and below the
    body alone stand the pages of other templates.
    """
    total: Counter[str] = Counter()
    out: Counter[str] = Counter()
    perhaps: Counter[str] = Counter()
    for zone, weight in weights.items():
        standing = standings.get(zone)
        for path in upwards(zone.path):
            total[path] += weight.all
            out[path] += weight.all * (standing is Standing.OUT)
            perhaps[path] += weight.all * (standing is None and weight.is_outside)
    agreed: dict[str, Standing | None] = {}
    for zone in standings:
        for path in upwards(zone.path):
            if path in agreed:  # and so is all around it
                break
            if out[path] >= _OUT_BELOW * total[path]:
                agreed[path] = Standing.OUT
            elif out[path] + perhaps[path] <= _PERHAPS * total[path] and ">" in path:
                agreed[path] = Standing.SEEN
            else:
                agreed[path] = None
    return agreed
