"""The tables of a crawl, as wide as the terminal: by themselves, and at the end of every run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from crawler.crawl.summary import read_summary
from crawler.errors import ConfigError
from crawler.printing import command, drop_output, safe, say
from crawler.report.tables import can_be_audited, comparison, print_report
from crawler.report.tables import report as report_parts
from crawler.storage import StoreView, largest_clusters, largest_families, largest_hosts

PIPED_COLUMNS = 150
SLOW_URLS = 2_000_000
"""URLs from which a report takes more than a few seconds."""


def report(directory: Path, top: int) -> int:
    """Print the tables of a crawl."""
    if top < 1:
        raise ConfigError(f"--top {top}: give a positive number")
    with StoreView.read(directory) as view:
        if (urls := view.next_url_id - 1) >= SLOW_URLS:
            say(f"Counting {urls:,} URLs ...")
        clusters = [(ref.id, ref.url, size) for ref, size in largest_clusters(view, top)]
        families = [(ref.id, ref.url, size) for ref, size in largest_families(view, top)]
        summary = read_summary(view)
        parts = report_parts(summary, largest_hosts(view, top), clusters, families)
        print_report(console(), parts)
    if can_be_audited(summary):
        print(f"To check by eye: {command('audit', directory)}")
    return 0


def print_end(
    directory: Path,
    summary: Mapping[str, Any],
    found: Iterable[tuple[str, int, int, int]] | None = None,
) -> None:
    """Print how a run ended and where its output lies.

    `found` are rows of (kind, expected, found, wrong) where the duplicates are known beforehand.
    """
    parts = report_parts(summary, [], [])
    if found is not None:
        parts.append(comparison(found))
    print_report(console(), parts)
    print(f"Output: {safe(str(directory))}/ (tables: {command('report', directory)})")


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        """Print no more where the reader has gone; rich would end the program by exit code 1."""
        drop_output()


def console() -> Console:
    """Return a terminal as it is; what is piped is as wide as the tables need."""
    width = None if sys.stdout.isatty() else PIPED_COLUMNS
    return _Terminal(markup=False, highlight=False, width=width)
