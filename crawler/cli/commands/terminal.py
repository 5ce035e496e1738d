"""What is printed at the end of every run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crawler.console import Level, Message, command, safe, say
from crawler.models import SIBLING
from crawler.views.render import console
from crawler.views.report.tables import comparison, print_report
from crawler.views.report.tables import report as report_parts


def print_end(
    directory: Path,
    summary: Mapping[str, Any],
    found: Iterable[tuple[str, int, int, int]] | None = None,
) -> None:
    """Print how a run ended and where its output lies.

    `found` are rows of (kind, expected, found, wrong) where the duplicates are known beforehand.
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
    say(Message("What became of it", Level.RECORD, "summary", **counts))
    parts = report_parts(summary, [], [])
    if found is not None:
        parts.append(comparison(found))
    print_report(console(), parts)
    print(f"Output: {safe(str(directory))}/ (tables: {command('report', directory)})")
