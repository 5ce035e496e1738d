"""Pages a second and CPU a page of all programs, as bars; drawn where matplotlib is installed.

    python -m benchmarks.crawlers.plot docs/performance.md docs/img/crawlers.svg

draws what a table in a document says, so that the picture and the table are of one measurement.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.crawlers.measuring import Run
from benchmarks.crawlers.programs import LIMIT, OURS
from benchmarks.crawlers.table import Turn

_DETERMINISTIC = {"svg.hashsalt": "crawlers", "svg.fonttype": "none"}
RATE, CPU = "pages/s, start included", "CPU ms a page"
_PANELS: Mapping[str, Callable[[Run], float]] = {
    RATE: lambda run: run.rate,
    CPU: lambda run: run.cpu_ms,
}
_ROW = re.compile(r"^\| ([^|]+) \| (\d+) \((\d+) to (\d+)\) \|[^|]*\| ([\d.]+) \|", re.MULTILINE)
"""Of a table: program, median, fewest and most pages/s, their ratio, CPU ms a page."""


class Bar(NamedTuple):
    """What was measured of a program."""

    middle: float
    dots: Sequence[float] = ()


Site = Mapping[str, Mapping[str, Bar]]
"""Panel -> program -> its bar."""


def measured(turns: Sequence[Turn]) -> Site:
    """Return medians as bars, all turns as dots."""
    return {
        panel: {
            name: Bar(median(figures), figures)
            for name in turns[0]
            for figures in [[of(turn[name]) for turn in turns]]
        }
        for panel, of in _PANELS.items()
    }


def told(document: str) -> Site:
    """Return the bars of a document's table: medians, with the fewest and most where it has them.

    ValueError where it has no such table.
    """
    rows = _ROW.findall(document)
    if not rows:
        raise ValueError("no table of programs with their pages a second and CPU is there")
    rates = {name: Bar(float(rate), tuple(map(float, ends))) for name, rate, *ends, _ in rows}
    return {RATE: rates, CPU: {name: Bar(float(cpu)) for name, *_, cpu in rows}}


def plot(sites: Mapping[str, Site], path: Path) -> None:
    """Draw a row a site."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{path} is not drawn: matplotlib is not installed (pip install matplotlib)")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context(_DETERMINISTIC):
        figure = Figure(figsize=(9, 0.6 + 2.4 * len(sites)), layout="constrained")
        panels = figure.subplots(len(sites), len(_PANELS), squeeze=False, sharey=True)
        for row, (site, bars) in zip(panels, sites.items(), strict=True):
            for axes, (label, by_program) in zip(row, bars.items(), strict=True):
                _draw(axes, by_program)
                axes.set(xlabel=label, title=site)
        figure.savefig(path, metadata={"Date": None})


def _draw(axes: Any, by_program: Mapping[str, Bar]) -> None:
    for place, (name, bar) in enumerate(by_program.items()):
        axes.barh(place, bar.middle, color=_colour(name))
        axes.plot(bar.dots, [place] * len(bar.dots), ".", color="black", markersize=4)
    axes.set_yticks(range(len(by_program)), list(by_program))
    axes.set_ylim(len(by_program) - 0.5, -0.5)
    axes.grid(alpha=0.3, axis="x")


def _colour(name: str) -> str:
    if name.startswith(OURS):
        return "#2166ac"
    return "#bbbbbb" if name.startswith(LIMIT) else "#e08214"


def main() -> None:
    """Draw a document's table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("document", type=Path)
    parser.add_argument("svg", type=Path)
    parser.add_argument("--site", default="postgresql-15", help="which the table is of")
    args = parser.parse_args()
    plot({args.site: told(args.document.read_text())}, args.svg)


if __name__ == "__main__":
    main()
