"""What a crawl cost, and what judging inline saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import RenderableType

from crawler.observe.summary import STAGES
from crawler.report.tables.table import inline, megabytes, table


def costs(summary: Mapping[str, Any]) -> RenderableType:
    """Return what the crawl cost and what judging inline saved."""
    totals, saved = summary["totals"], summary["saved"]
    analysed = totals.get("analysed", 0)
    rows = [
        ("time", f"{summary['elapsed_s']:,.1f} s in {summary['runs']} run(s)"),
        ("transferred", f"{megabytes(totals.get('wire_bytes', 0))} of bodies"),
        ("decompressed", megabytes(totals.get("body_bytes", 0))),
        ("not stored", f"{megabytes(saved['bytes'])} of duplicates"),
        (
            "not analysed",
            f"{saved['analysis_s']:,.2f} s of CPU, for pages with the same bytes as a stored page",
        ),
    ]
    if analysed:
        stages = (
            f"{s.removesuffix('_s')} {1000 * totals.get(s, 0) / analysed:.1f}" for s in STAGES
        )
        rows.append(("analysis", f"{', '.join(stages)} ms of CPU a page"))
    if summary["dropped_links"]:
        rows.append(("links not queued", inline(summary["dropped_links"])))
    return table("Costs and savings", ["", ""], rows)


def comparison(rows: Iterable[tuple[str, int, int, int]]) -> RenderableType:
    """Return duplicates found and known to be there: rows of (kind, expected, found, wrong)."""
    made = table("Compared with the truth", ["kind", ">expected", ">found", ">wrong"])
    for kind, expected, found, wrong in rows:
        style = "red" if wrong or found != expected else ""
        made.add_row(kind, f"{expected:,}", f"{found:,}", f"{wrong:,}", style=style)
    return made
