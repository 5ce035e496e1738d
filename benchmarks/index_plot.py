"""The cost of one query over corpus size, drawn with matplotlib where it is installed."""

from __future__ import annotations

from pathlib import Path

Point = tuple[str, int, int, str, float]
"""(crowd, size, distance, index, queries a second)."""


def plot(points: list[Point], path: Path) -> None:
    """Draw one panel a distance: microseconds a query, solid for uniform, dashed for skewed."""
    try:
        from matplotlib import colormaps
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{path} is not drawn: matplotlib is not installed (pip install matplotlib)")
        return
    labelled: set[str] = set()
    distances = sorted({point[2] for point in points})
    names = list(dict.fromkeys(point[3].split(" (")[0] for point in points))
    colours = colormaps["tab20"]  # the default cycle repeats after ten indexes
    figure = Figure(figsize=(4 * len(distances), 3.6), layout="constrained")
    for number, distance in enumerate(distances, 1):
        axes = figure.add_subplot(1, len(distances), number)
        axes.set(xscale="log", yscale="log", title=f"distance {distance}", xlabel="fingerprints")
        axes.grid(alpha=0.3)
        for colour, name in enumerate(names):
            for crowd, style in (("uniform", "o-"), ("skewed", "x--")):
                line = [
                    (size, 1e6 / rate)
                    for kind, size, at, index, rate in points
                    if (kind, at, index.split(" (")[0]) == (crowd, distance, name)
                ]
                if line:
                    label = None if name in labelled else name
                    labelled.add(name)
                    axes.plot(*zip(*line, strict=True), style, color=colours(colour), label=label)
    figure.axes[0].set_ylabel("µs a query")
    figure.legend(loc="outside lower center", ncols=4, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
