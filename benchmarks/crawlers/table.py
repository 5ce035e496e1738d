"""Runs of all programs on one site as a table: medians, and ratios of paired turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from benchmarks.crawlers.measuring import Run
from benchmarks.crawlers.programs import LIMIT, SCRAPY

Turn = Mapping[str, Run]
"""One run of each program, by its name, one soon after the other."""

BUSY = 0.1
"""Share of the machine that others may take before rates are called doubtful: a program of several
processes loses less to them than one of a single process."""

_HEADS = (
    "program",
    "pages",
    "pages/s",
    "of Scrapy",
    "of the limit",
    "CPU ms a page",
    "of Scrapy",
    "main process",
    "first request s",
    "pages/s from then",
    "MB",
)


def table(turns: Sequence[Turn]) -> str:
    """Return the table as Markdown; below it what else is to be known of these runs."""
    rows = [_HEADS, ("---",) * len(_HEADS), *(_row(turns, name) for name in turns[0])]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *_remarks(turns)])


def _row(turns: Sequence[Turn], name: str) -> tuple[str, ...]:
    runs = [turn[name] for turn in turns]
    rates = [run.rate for run in runs]
    return (
        name,
        f"{len(runs[0].found):,}",
        f"{median(rates):.1f} ({min(rates):.1f} to {max(rates):.1f})",
        _ratio(turns, name, SCRAPY, lambda run: run.rate),
        _ratio(turns, name, LIMIT, lambda run: run.rate),
        f"{median(run.cpu_ms for run in runs):.1f}",
        _ratio(turns, name, SCRAPY, lambda run: run.cpu_ms),
        f"{median(run.main_ms for run in runs):.2f}",
        f"{median(run.first_s for run in runs):.1f}",
        f"{median(run.rate_once_started for run in runs):.1f}",
        f"{median(run.peak_mb for run in runs):.0f}",
    )


def _ratio(turns: Sequence[Turn], name: str, base: str, of: Callable[[Run], float]) -> str:
    """Return the median of the turns' own ratios; a dash where the base did not run."""
    if base not in turns[0]:
        return "-"
    return f"{median(of(turn[name]) / of(turn[base]) for turn in turns):.2f}"


def _remarks(turns: Sequence[Turn]) -> Iterator[str]:
    runs = [run for turn in turns for run in turn.values()]
    crawled = [run for run in runs if run.program != LIMIT]
    if crawled:
        everything = frozenset().union(*(run.found for run in crawled))
        for name in dict.fromkeys(run.program for run in crawled):
            missing = everything - frozenset().union(
                *(run.found for run in crawled if run.program == name)
            )
            if missing:
                yield f"{name} did not find {len(missing)}: {', '.join(sorted(missing)[:6])}"
    served = [run.server_cpu_s / run.watched.wall_s for run in crawled]
    if served:
        yield f"The server took at most {max(served):.1%} of a core."
    others = [run.others for run in runs]
    yield f"Other work took {median(others):.0%} of the machine ({max(others):.0%} at most)."
    if median(others) > BUSY:
        yield "RATES ARE DOUBTFUL: the machine was not idle; CPU a page is less so."
