"""The tables of a crawl, as wide as the terminal: by themselves, and at the end of every run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from crawler.commands.showing import print_json, write_page
from crawler.crawl.summary import read_summary
from crawler.errors import ConfigError
from crawler.printing import command, drop_output, safe, say
from crawler.report.figures import Figures
from crawler.report.gathering import gather
from crawler.report.page import as_page
from crawler.report.tables import can_be_audited, comparison, print_report
from crawler.report.tables import report as report_parts
from crawler.storage import StoreView, largest_clusters, largest_families, largest_hosts

PIPED_COLUMNS = 150
MOST_ON_A_PAGE = 200
"""Clusters with their texts: 20 kB each."""
SLOW_URLS = 2_000_000
"""URLs from which a report takes more than a few seconds."""


def report(directory: Path, top: int, html: Path | None, as_json: bool) -> int:
    """Print the tables of a crawl, or write its page, or print all figures."""
    if top < 1:
        raise ConfigError(f"--top {top}: give a positive number")
    if html is not None and top > MOST_ON_A_PAGE:
        raise ConfigError(f"--top {top}: a page shows at most {MOST_ON_A_PAGE} clusters")
    with StoreView.read(directory) as view:
        if html is not None or as_json:
            _write_figures(gather(view, top, say), html, as_json)
            return 0
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


def _write_figures(figures: Figures, html: Path | None, as_json: bool) -> None:
    if html is not None:
        write_page(html, as_page(figures))
    if as_json:
        print_json(figures.as_json())


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
