"""Small SVGs: precision and recall over Hamming distance and over threshold, costs over size."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from benchmarks.contestants import decide
from benchmarks.scoring import Score, TruthSet, score
from crawler import config
from crawler.dedup import Signer
from crawler.models import Signature

DISTANCES = range(12)
THRESHOLDS = [round(0.5 + 0.05 * n, 2) for n in range(10)]

_COLOURS = {"precision": "#b2182b", "recall": "#2166ac"}
_DETERMINISTIC = {"svg.hashsalt": "accuracy", "svg.fonttype": "none"}

Signed = tuple[TruthSet, list[Signature]]


def draw(sets: Sequence[TruthSet], directory: Path, images: Path) -> list[Path]:
    """Draw both pictures into a directory, copy them to `images`, and return all paths.

    Draws nothing, and returns no path, where matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        return []
    directory.mkdir(parents=True, exist_ok=True)
    images.mkdir(parents=True, exist_ok=True)
    signed = [_sign(truth) for truth in sets]
    drawn = [
        _draw(directory / "accuracy-distance.svg", _over_distance, signed, "Hamming distance"),
        _draw(directory / "accuracy-threshold.svg", _over_threshold, signed, "threshold"),
    ]
    return [*drawn, *(Path(shutil.copy(path, images / path.name)) for path in drawn)]


def _sign(truth: TruthSet) -> Signed:
    signer = Signer(config.Dedup())
    return truth, [signer(text, text) for text in truth.texts]


def _over_distance(signed: Signed) -> tuple[Sequence[float], list[Score]]:
    """SimHash alone, at the sets' own threshold."""
    truth, signatures = signed
    settings = [
        config.Dedup(method=config.Method.SIMHASH, distance=distance) for distance in DISTANCES
    ]
    return DISTANCES, [score(decide(signatures, s), truth.pairs, s.threshold) for s in settings]


def _over_threshold(signed: Signed) -> tuple[Sequence[float], list[Score]]:
    """The default method, each threshold against the truth at that threshold."""
    truth, signatures = signed
    settings = [config.Dedup(threshold=threshold) for threshold in THRESHOLDS]
    return THRESHOLDS, [score(decide(signatures, s), truth.pairs, s.threshold) for s in settings]


def _draw(
    path: Path,
    measure: Callable[[Signed], tuple[Sequence[float], list[Score]]],
    signed: Sequence[Signed],
    label: str,
) -> Path:
    """Draw thin lines for the sets and thick ones for all of them pooled."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("svg")
    with matplotlib.rc_context(_DETERMINISTIC):
        figure, axes = importlib.import_module("matplotlib.pyplot").subplots(figsize=(6, 3.5))
        measured = [measure(one) for one in signed]
        for places, scores in measured:
            _lines(axes, places, scores, width=0.6, labelled=False)
        pooled = [reduce(add, column) for column in zip(*(s for _, s in measured), strict=True)]
        _lines(axes, measured[0][0], pooled, width=2.2, labelled=True)
        axes.set(xlabel=label, ylim=(0, 1.02))
        axes.grid(alpha=0.3)
        axes.legend(loc="lower center")
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
        importlib.import_module("matplotlib.pyplot").close(figure)
    return path


def draw_lines(
    path: Path,
    places: Sequence[float],
    series: Mapping[str, Sequence[float]],
    xlabel: str,
    ylabel: str,
) -> None:
    """Draw one line a series over places on a logarithmic axis; nothing without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("svg")
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(_DETERMINISTIC):
        figure, axes = importlib.import_module("matplotlib.pyplot").subplots(figsize=(6, 3.5))
        for name, values in series.items():
            axes.plot(places, values, marker="o", markersize=3, linewidth=1.2, label=name)
        axes.set(xscale="log", xlabel=xlabel, ylabel=ylabel, ylim=(0, None))
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
        importlib.import_module("matplotlib.pyplot").close(figure)


def _lines(
    axes: Any, places: Sequence[float], scores: Sequence[Score], width: float, labelled: bool
) -> None:
    for name, colour in _COLOURS.items():
        axes.plot(
            places,
            [getattr(scored, name) for scored in scores],
            color=colour,
            linewidth=width,
            label=f"{name}, all sets" if labelled else None,
        )
