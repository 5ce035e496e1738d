"""What the lessons of one host add up to, and the template that follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.templates.lesson import Lesson, Weights, Zone
from crawler.templates.template import Standing, Template, upwards

MAX_LINES = 2_500
"""Keys of lines counted of a host while it is learned."""


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
        for path in upwards(zone.path):
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
