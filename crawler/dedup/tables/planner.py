"""Choosing a design: the fewest comparisons and searches that the memory allows.

The paper's own arithmetic (section 3.1.1): with 2^34 fingerprints and all but d of 64 bits free,
a table whose p leading bits must match shows a run of 2^(34-p) fingerprints; more tables make
longer prefixes and shorter runs, and cost more memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from crawler.dedup.tables.design import Split, TableDesign
from crawler.errors import ConfigError

MOST_TABLES = 64
_MOST_EXTRA_BLOCKS = 3

SEARCH_COST = 60
"""What one search in one table costs, counted in comparisons of one fingerprint: 300 ns for 5 ns,
measured on batches over 10^7 fingerprints. A search dominates short runs, so designs with more
tables pay only where runs are long."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A design and its arithmetic for a number of fingerprints."""

    design: TableDesign
    fingerprints: int
    distance: int

    @property
    def run_length(self) -> float:
        """Fingerprints compared in one table, expected of random bits."""
        return self.design.run_length(self.fingerprints)

    @property
    def compared(self) -> float:
        """Fingerprints compared a query, expected of random bits."""
        return self.design.tables * self.run_length

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.design.nbytes(self.fingerprints)

    @property
    def cost(self) -> float:
        """What a query costs, counted in comparisons."""
        return self.design.tables * (SEARCH_COST + self.run_length)

    def explain(self) -> str:
        """Return the arithmetic in lines a reader can check."""
        tables, prefix = self.design.tables, self.design.prefix_bits
        size = math.log2(max(1, self.fingerprints))
        return "\n".join(
            [
                f"{self.fingerprints:,} (2^{size:.1f}) fingerprints, distance <= {self.distance}",
                f"  blocks      choose {self.design}: {tables} tables",
                f"  must match  {prefix} bits or more",
                f"  run         2^({size:.1f} - {prefix}) or less,"
                f" {self.run_length:,.2f} on average, in each of {tables} tables",
                f"  compared    {self.compared:,.0f} fingerprints a query",
                f"  memory      {tables + 1} lists of 8 bytes and an id of 8:"
                f" {self.nbytes:,} bytes, {self.nbytes / max(1, self.fingerprints):.0f} each",
            ]
        )


@dataclass(frozen=True, slots=True)
class Planner:
    """Chooses among all designs of one split, and of two that choose 1 block each."""

    memory_limit_bytes: int | None = None

    def plan(self, fingerprints: int, distance: int) -> Plan:
        """Return the cheapest plan that fits; the smaller one of equally cheap ones.

        Raises ConfigError if none fits the memory, naming the least that would do.
        """
        plan = self.best(fingerprints, distance)
        if not self.fits(plan):
            raise ConfigError(
                f"memory limit of {self.memory_limit_bytes:,} bytes: tables of {fingerprints:,} "
                f"fingerprints at distance {distance} need at least {plan.nbytes:,}"
            )
        return plan

    def best(self, fingerprints: int, distance: int) -> Plan:
        """Return the same plan, or where none fits the one that takes the least memory."""
        plans = self.plans(fingerprints, distance)
        smallest = min(plans, key=lambda plan: plan.nbytes)
        fitting = [plan for plan in plans if self.fits(plan)] or [smallest]
        return min(fitting, key=lambda plan: (plan.cost, plan.nbytes))

    def fits(self, plan: Plan) -> bool:
        """Whether a plan takes no more memory than the limit, if there is one."""
        return self.memory_limit_bytes is None or plan.nbytes <= self.memory_limit_bytes

    def plans(self, fingerprints: int, distance: int) -> list[Plan]:
        """Return every plan considered, whatever its memory."""
        return [Plan(design, fingerprints, distance) for design in _designs(distance)]


def _designs(distance: int) -> Iterator[TableDesign]:
    """Yield the designs exact to a distance that have at most MOST_TABLES tables.

    The one with the fewest blocks, distance + 1, is always among them.
    """
    for chosen in range(1, _MOST_EXTRA_BLOCKS + 2):
        split = Split(distance + chosen, chosen)
        if chosen == 1 or split.choices <= MOST_TABLES:
            yield TableDesign((split,))
    once = Split(distance + 1, 1)
    if 1 < once.choices**2 <= MOST_TABLES:
        yield TableDesign((once, once))
