"""The tables a command prints, as wide as the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType

from crawler.observe.report import comparison, print_report, report
from crawler.printing import drop_output

PIPED_COLUMNS = 150

Row = tuple[str, int, int, int]
"""Kind, expected, found, wrong."""


def print_end(
    directory: Path, summary: Mapping[str, Any], truth: Iterable[Row] | None = None
) -> None:
    """Print how a run ended, beside the truth where that is known, and where its output lies."""
    parts = report(summary, [], [])
    if truth is not None:
        parts.append(comparison(truth))
    print_tables(parts)
    print(f"Output: {directory}/ (tables: python -m crawler report {directory})")


def print_tables(parts: Sequence[RenderableType]) -> None:
    """Print tables on standard output."""
    print_report(console(), parts)


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        """Print no more where the reader has gone; rich would end the program by exit code 1."""
        drop_output()


def console() -> Console:
    """Return a terminal as it is; what is piped is as wide as the tables need."""
    width = None if sys.stdout.isatty() else PIPED_COLUMNS
    return _Terminal(markup=False, highlight=False, width=width)
