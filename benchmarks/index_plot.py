"""The cost of one query over corpus size, drawn with matplotlib where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Point = tuple[str, int, int, str, float]
"""(crowd, size, distance, index, queries a second)."""

_STYLES = {"uniform": "o-", "skewed": "x--"}
_OURS = "block index"
_COLOURS = {
    _OURS: "black",
    "block index, numpy": "#8c6bb1",
    "faiss MultiHash": "#e6550d",
    "faiss Flat": "#e7298a",
    "simhash": "#7f7f7f",
    "numpy brute force": "#a6761d",
}
"""Sorted tables, of which there are more or fewer, share a scale of their own instead."""

_DETERMINISTIC = {"svg.hashsalt": "index-cost", "svg.fonttype": "none"}


def plot(points: list[Point], path: Path) -> None:
    """Draw one panel a distance: microseconds a query, solid for uniform, dashed for skewed."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{path} is not drawn: matplotlib is not installed (pip install matplotlib)")
        return
    points = [(*point[:3], point[3].split(" (")[0], point[4]) for point in points]
    distances = sorted({point[2] for point in points})
    colours = _colours([point[3] for point in points])
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context(_DETERMINISTIC):
        figure = Figure(figsize=(4 * len(distances), 4.2), layout="constrained")
        for number, distance in enumerate(distances, 1):
            axes = figure.add_subplot(1, len(distances), number)
            axes.set(xscale="log", yscale="log", title=f"distance {distance}")
            axes.set_xlabel("fingerprints")
            axes.grid(alpha=0.3)
            _lines(axes, [point for point in points if point[2] == distance], colours)
        figure.axes[0].set_ylabel("µs a query")
        _legend(figure, colours)
        figure.savefig(path, metadata={"Date": None})


def _colours(names: list[str]) -> dict[str, Any]:
    """Return each index's colour, in the order of the legend: ours, tables by number, peers."""
    from matplotlib import colormaps

    tables = sorted({name for name in names if name.endswith("tables")}, key=_number)
    scale = colormaps["viridis"]
    shades = {name: scale(0.12 + 0.8 * n / len(tables)) for n, name in enumerate(tables)}
    peers = {name: _COLOURS.get(name, "grey") for name in names if name not in shades}
    return {_OURS: _COLOURS[_OURS]} | shades | peers


def _number(name: str) -> int:
    return int(name.split()[0])


def _lines(axes: Any, points: list[Point], colours: dict[str, Any]) -> None:
    for name, colour in colours.items():
        for crowd, style in _STYLES.items():
            line = [
                (size, 1e6 / rate)
                for kind, size, _, index, rate in points
                if (kind, index) == (crowd, name)
            ]
            if line:
                axes.plot(*zip(*line, strict=True), style, color=colour, linewidth=_width(name))


def _width(name: str) -> float:
    return 2.5 if name == _OURS else 1.3


def _legend(figure: Any, colours: dict[str, Any]) -> None:
    from matplotlib.lines import Line2D

    crowds = [
        Line2D([], [], color="dimgrey", marker=style[0], linestyle=style[1:], label=crowd)
        for crowd, style in _STYLES.items()
    ]
    indexes = [
        Line2D([], [], color=colour, linewidth=_width(name), label=name)
        for name, colour in colours.items()
    ]
    figure.legend(handles=crowds + indexes, loc="outside lower center", ncols=5, fontsize=8)
