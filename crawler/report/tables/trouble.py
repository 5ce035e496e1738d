"""What was cut, put aside, refused or failed, and the ways out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from crawler.frontier import PASSING, PASSING_SKIPS
from crawler.printing import program, safe
from crawler.report.tables.table import table

MOST_DOMAINS = 20
"""Domains with links that were not queued: the report is to be read, the summary has them all."""


def traps(cuts: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a row a cut subtree: what it brought, what is held back and why."""
    title = f"Cut as endless (to fetch the rest: {program()} resume DIR --release SUBTREE|all)"
    numbers = ("fetched", "new", "duplicates", "found", "pending")
    rows = [
        (Text(safe(cut["subtree"])), *(cut[name] for name in numbers), why_cut(cut)) for cut in cuts
    ]
    return table(title, ["subtree", *(f">{name}" for name in numbers), "why"], rows)


def over_budget(domains: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a row for each domain on whose pages long links were not queued."""
    title = "Links not queued, long and too many (to have more: frontier.long_url_bytes)"
    if len(domains) > MOST_DOMAINS:
        title += f"; the {MOST_DOMAINS} largest of {len(domains):,}"
    rows = [(Text(safe(row["domain"])), row["links"]) for row in domains[:MOST_DOMAINS]]
    return table(title, ["on pages of", ">links"], rows)


def why_cut(cut: Mapping[str, Any]) -> str:
    """Return by what a subtree was taken for endless."""
    why = (
        f"of the last {cut['streak']:,} pages {cut['streak_new']:,} were new, and each page linked "
        f"to {cut['growth']:.1f} further URLs there"
    )
    return why + (f"; {cut['repeating']:,} paths repeat themselves" if cut["repeating"] else "")


def aside(places: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a row a host or origin that is put aside: why, and when it failed last."""
    rows = [
        (
            Text(safe(place["place"])),
            place["pending"],
            place["tried_at"][:-5] + "Z",
            Text(safe(place["why"])),
        )
        for place in places
    ]
    title = "Put aside (resume tries them again)"
    return table(title, ["host", ">pending", "failed last", "why"], rows)


def to_retry(summary: Mapping[str, Any]) -> str:
    """Return how URLs are asked for again whose failure may pass by itself; empty if none are."""
    found = []
    for section, passing, flags in (
        ("failures", PASSING, ""),
        ("skipped", PASSING_SKIPS, "".join(f" --class {reason}" for reason in PASSING_SKIPS)),
    ):
        if number := sum(summary[section].get(name, 0) for name in passing):
            names = ", ".join(sorted(name for name in passing if summary[section].get(name)))
            found.append(
                f"May succeed later: {names}, {number:,} in all. To have them asked for again: "
                f"{program()} retry DIR{flags}"
            )
    return "\n".join(found)
