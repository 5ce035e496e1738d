"""The report of a crawl as tables for a terminal, from its summary and the store's aggregates.

Everything that came from the web is escaped: it can neither style the terminal nor move its cursor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from crawler.observe.summary import Outcomes
from crawler.records import EXACT_TEXT, NEAR, SIBLING
from crawler.report.tables.costs import comparison, costs
from crawler.report.tables.ends import accounting, verdicts_by_host
from crawler.report.tables.judging import (
    editions,
    evidence,
    judged,
    kinds,
    largest_clusters,
    largest_families,
    reading,
)
from crawler.report.tables.table import table
from crawler.report.tables.trouble import aside, over_budget, to_retry, traps

__all__ = ["can_be_audited", "comparison", "print_report", "report"]


def report(
    summary: Mapping[str, Any],
    hosts: Sequence[tuple[str, Outcomes]],
    clusters: Sequence[tuple[int, str, int]],
    families: Sequence[tuple[int, str, int]] = (),
) -> list[RenderableType]:
    """Return the report's parts, top to bottom.

    `hosts` are (host, outcomes), `clusters` (page id, URL, number of its duplicates), `families`
    (page id, URL, number of its siblings), all largest first.
    """
    parts: list[RenderableType] = [accounting(summary)]
    if hosts:
        parts.append(verdicts_by_host(hosts, summary["hosts"]))
    if summary["judged_on"]:
        parts.append(judged(summary))
    if summary["read_by"]:
        parts.append(Text(reading(summary)))
    if summary["duplicate_kinds"]:
        parts.append(kinds(summary["duplicate_kinds"]))
    if summary["revisited"]:
        rows = sorted(summary["revisited"].items(), key=itemgetter(1), reverse=True)
        parts.append(table("Visited again", ["found", ">pages"], rows))
    if summary["evidence"]:
        parts.append(evidence(summary["evidence"]))
    if summary["editions"]:
        parts.append(editions(summary["editions"]))
    if clusters:
        parts.append(largest_clusters(clusters))
    if families:
        parts.append(largest_families(families))
    if summary["traps"]:
        parts.append(traps(summary["traps"]))
    if summary["aside"]:
        parts.append(aside(summary["aside"]))
    if summary["over_budget"]:
        parts.append(over_budget(summary["over_budget"]))
    for title, counts in (("Failures", summary["failures"]), ("Skipped", summary["skipped"])):
        if counts:
            rows = sorted(counts.items(), key=itemgetter(1), reverse=True)
            parts.append(table(title, ["class", ">URLs"], rows))
    if advice := to_retry(summary):
        parts.append(Text(advice))
    parts.append(costs(summary))
    return parts


def print_report(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print renderables with a blank line between them."""
    for part in parts:
        console.print(part)
        console.print()


def can_be_audited(summary: Mapping[str, Any]) -> bool:
    """Whether there are pages to check by eye: dropped but for the same bytes, or siblings."""
    dropped, stored = summary["duplicates"], summary["stored_by_verdict"]
    return any((*map(dropped.get, (NEAR, EXACT_TEXT, SIBLING)), stored.get(SIBLING)))
