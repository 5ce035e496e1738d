"""What is printed at the end of every run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crawler.console import Level, Message, command, least_told, safe, say
from crawler.models import SIBLING
from crawler.units import counted
from crawler.views.render import console
from crawler.views.report.tables import comparison, print_report
from crawler.views.report.tables import report as report_parts

NO_PAGES = 1
"""Exit code of a run that could not get one page."""


def is_quiet() -> bool:
    """Whether of a run nothing is to be told but one line."""
    return least_told() >= Level.END


def pending_urls(number: int) -> str:
    """Say how many URLs are left to be asked for."""
    return f"{counted(number, 'URL')} {'is' if number == 1 else 'are'} pending"


def print_end(
    directory: Path,
    summary: Mapping[str, Any],
    found: Iterable[tuple[str, int, int, int]] | None = None,
    *,
    of_corpus: bool = False,
) -> None:
    """Print how a run ended and where its output lies; one line of it where little is to be told.

    `found` are rows of (kind, expected, found, wrong) where the duplicates are known beforehand;
    `of_corpus` as in `report`.
    """
    siblings = summary["stored_by_verdict"].get(SIBLING, 0) + summary["duplicates"].get(SIBLING, 0)
    counts = {
        "output": str(directory),
        "seen": summary["seen"],
        "stored": summary["stored"],
        "duplicates": sum(summary["duplicates"].values()),
        "siblings": siblings,
        "redirects": summary["redirects"],
        "failed": sum(summary["failures"].values()),
        "skipped": sum(summary["skipped"].values()),
        "pending": summary["pending"],
        "agrees": summary["identity_holds"],
    }
    if is_quiet():
        names = ("stored", "duplicates", "redirects", "failed", "skipped", "pending")
        words = {"stored": "kept"} if of_corpus else {}
        ends = (f"{counts[name]:,} {words.get(name, name)}" for name in names if counts[name])
        said = f"{safe(str(directory))}/: {', '.join(ends) or 'nothing was found'}"
        say(Message(said, Level.END, "summary", **counts))
        return
    say(Message("What became of it", Level.RECORD, "summary", **counts))
    with_costs = least_told() <= Level.DETAIL
    parts = [*report_parts(summary, directory, [], [], with_costs=with_costs, of_corpus=of_corpus)]
    if found is not None:
        parts.append(comparison(found))
    print_report(console(), parts)
    print(f"Output: {safe(str(directory))}/ (tables: {command('report', directory)})")
