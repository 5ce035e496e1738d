"""The zones of a site's template: what becomes of each, how much of the site it is, an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from crawler.templates import Evidence, Standing, Template, Zone


class Fate(StrEnum):
    """What becomes of the lines of a zone; the values are what people read."""

    LEFT_OUT = "left out"
    REPEATED = "left out if repeated"
    UNSURE = "kept, not compared"
    KEPT = "kept"
    UNKNOWN = "unknown: kept"


_FATES: Mapping[Standing | None, Fate] = {
    Standing.OUT: Fate.LEFT_OUT,
    Standing.DOUBTFUL: Fate.REPEATED,
    Standing.UNSURE: Fate.UNSURE,
    Standing.SEEN: Fate.KEPT,
    None: Fate.UNKNOWN,
}
"""What stands on nearly every page is left out of zones that are kept as well."""


def fate_of(template: Template, zone: Zone) -> Fate:
    """Return what a template does with the lines of a zone."""
    return _FATES[template.known(zone).standing]


@dataclass(frozen=True, slots=True)
class ZoneTold:
    """One zone of a template."""

    path: str
    """Its block elements, as `body>div.main>p`."""
    linked: bool
    """Whether its lines are mostly links."""
    fate: Fate
    pages: int
    """Teaching pages that have it."""
    share: float
    """Of the word characters of all teaching pages, 0 to 1."""
    example: str
    """A line of it, cut; empty where none was kept."""


def zones_of(template: Template, evidence: Evidence) -> Sequence[ZoneTold]:
    """Return the zones that a template was learned from, those that hold most text first."""
    total = max(1, sum(weights.all for weights in evidence.zones.values()))
    told = [
        ZoneTold(
            zone.path,
            zone.linked,
            fate_of(template, zone),
            weights.pages,
            weights.all / total,
            evidence.examples.get(zone, ""),
        )
        for zone, weights in evidence.zones.items()
    ]
    return sorted(told, key=lambda zone: (-zone.share, zone.path, zone.linked))
