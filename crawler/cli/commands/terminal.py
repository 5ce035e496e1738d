"""How commands show what they found: tables in a terminal, JSON on stdout, a page in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console

from crawler.console import Level, Message, command, drop_output, escape_json, safe, say
from crawler.errors import InputError
from crawler.models import SIBLING
from crawler.views.report.tables import comparison, print_report
from crawler.views.report.tables import report as report_parts

# ---------------------------------------------------------------- terminal
# Tables in a terminal: where they are printed, and those at the end of every run.


PIPED_COLUMNS = 150


def print_end(
    directory: Path,
    summary: Mapping[str, Any],
    found: Iterable[tuple[str, int, int, int]] | None = None,
) -> None:
    """Print how a run ended and where its output lies.

    `found` are rows of (kind, expected, found, wrong) where the duplicates are known beforehand.
    """
    say(Message("What became of it", Level.RECORD, "summary", **_counts(directory, summary)))
    parts = report_parts(summary, [], [])
    if found is not None:
        parts.append(comparison(found))
    print_report(console(), parts)
    print(f"Output: {safe(str(directory))}/ (tables: {command('report', directory)})")


def _counts(directory: Path, summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts of a summary, as fields of a message."""
    stored = summary["stored_by_verdict"].get(SIBLING, 0)
    return {
        "output": str(directory),
        "seen": summary["seen"],
        "stored": summary["stored"],
        "duplicates": sum(summary["duplicates"].values()),
        "siblings": stored + summary["duplicates"].get(SIBLING, 0),
        "redirects": summary["redirects"],
        "failed": sum(summary["failures"].values()),
        "skipped": sum(summary["skipped"].values()),
        "pending": summary["pending"],
        "agrees": summary["identity_holds"],
    }


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        """Print no more where the reader has gone; rich would end the program by exit code 1."""
        drop_output()


def console() -> Console:
    """Return a terminal as it is; what is piped is as wide as the tables need."""
    width = None if sys.stdout.isatty() else PIPED_COLUMNS
    return _Terminal(markup=False, highlight=False, width=width)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print (name, text) one below the other; a text without a name goes on from the one before."""
    rows = list(facts)
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        print(f"{name:<{width}}  {text}")


# ---------------------------------------------------------------- showing
# What several commands do with what they found: JSON on stdout, or a page in a file.


def print_json(data: Any) -> None:
    """Print JSON-ready data, indented."""
    print(escape_json(orjson.dumps(data, option=orjson.OPT_INDENT_2)).decode())


def print_json_line(data: Any) -> None:
    """Print JSON-ready data in one line."""
    print(escape_json(orjson.dumps(data)).decode())


def write_page(file: Path, page: str) -> None:
    """Write an HTML page and say where it is. Raises InputError where it cannot be written."""
    try:
        file.write_text(page, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{file}: cannot write the page: {error.strerror}") from None
    say(f"Page: {file}")
