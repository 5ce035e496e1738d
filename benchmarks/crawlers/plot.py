"""Pages a second and CPU a page of all programs, as bars; drawn where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.crawlers.measuring import Run
from benchmarks.crawlers.programs import LIMIT, OURS
from benchmarks.crawlers.table import Turn

_DETERMINISTIC = {"svg.hashsalt": "crawlers", "svg.fonttype": "none"}
_PANELS: Mapping[str, Callable[[Run], float]] = {
    "pages/s, start included": lambda run: run.rate,
    "CPU ms a page": lambda run: run.cpu_ms,
}


def plot(sites: Mapping[str, Sequence[Turn]], path: Path) -> None:
    """Draw a row a site: medians as bars, all turns as dots."""
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
        for row, (site, turns) in zip(panels, sites.items(), strict=True):
            for axes, (label, of) in zip(row, _PANELS.items(), strict=True):
                _bars(axes, turns, of)
                axes.set(xlabel=label, title=site)
        figure.savefig(path, metadata={"Date": None})


def _bars(axes: Any, turns: Sequence[Turn], of: Callable[[Run], float]) -> None:
    names = list(turns[0])
    for place, name in enumerate(names):
        figures = [of(turn[name]) for turn in turns]
        axes.barh(place, median(figures), color=_colour(name))
        axes.plot(figures, [place] * len(figures), ".", color="black", markersize=4)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(alpha=0.3, axis="x")


def _colour(name: str) -> str:
    if name.startswith(OURS):
        return "#2166ac"
    return "#bbbbbb" if name == LIMIT else "#e08214"
