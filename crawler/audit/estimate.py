"""From marks to the whole crawl: how many pages were judged wrongly, and how sure that is.

The interval is Wilson's score interval (Wilson, JASA 22, 1927), which Brown, Cai and DasGupta
(Statistical Science 16, 2001) recommend for samples as small as these: unlike the textbook's
p ± z √(p(1-p)/n) it holds what it promises where hardly any is wrong. No finite population
correction is made: without it the interval is too wide if anything, and a crawl has many times more
pages than a sample. `marking.js` computes the same while a person marks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from crawler.audit.marks import Mark, Marked
from crawler.audit.sample import Stratum

Z = 1.959963984540054
"""The normal quantile of .975: for an interval of 95 %."""

WRONG = {
    Stratum.DROPPED: Mark.OTHER,
    Stratum.SAME_TEXT: Mark.OTHER,
    Stratum.SIBLINGS: Mark.COPY,
}
"""The mark that contradicts the verdict."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the marks of one stratum say."""

    stratum: Stratum
    population: int
    wrong: int
    decided: int
    """Pairs marked as copy or other page; what the share is of."""
    unsure: int
    unmarked: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the share that is wrong, 0..1."""
        return wilson(self.wrong, self.decided)

    @property
    def pages(self) -> tuple[int, int]:
        """The same in pages of the whole crawl, never beyond what the marks themselves say."""
        low, high = self.interval
        fewest = max(self.wrong, math.floor(low * self.population))
        most = min(self.population - (self.decided - self.wrong), math.ceil(high * self.population))
        return fewest, max(fewest, most)


def wilson(found: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a share, 0..1; (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    middle = (found + Z * Z / 2) / (of + Z * Z)
    half = Z / (of + Z * Z) * math.sqrt(found * (of - found) / of + Z * Z / 4)
    return (middle - half if found else 0.0), (middle + half if found < of else 1.0)


def estimates(marks: Iterable[Marked]) -> list[Estimate]:
    """Return an estimate of each stratum that has lines."""
    lines = list(marks)
    return [
        _estimate(stratum, of)
        for stratum in Stratum
        if (of := [line for line in lines if line.stratum is stratum])
    ]


def _estimate(stratum: Stratum, lines: list[Marked]) -> Estimate:
    counts = Counter(line.mark for line in lines)
    return Estimate(
        stratum,
        lines[0].population,
        wrong=counts[WRONG[stratum]],
        decided=counts[Mark.COPY] + counts[Mark.OTHER],
        unsure=counts[Mark.UNSURE],
        unmarked=counts[None],
    )
