"""What pages were judged on, and what they were found to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from crawler.printing import safe
from crawler.records import NEAR, SIBLING, TEMPLATE
from crawler.report.tables.table import table
from crawler.report.wording import EVIDENCE, JUDGED_ON, KINDS, TOO_LITTLE

MOST_EDITIONS = 20
"""Places in addresses told of: `summary.json` has more."""
MOST_REVOKED = 5
"""Hosts named whose templates were given up: `summary.json` names more."""


def judged(summary: Mapping[str, Any]) -> RenderableType:
    """Return what pages were judged by, and how many had too little text to be judged fully."""
    pages = summary["stored"] + sum(summary["duplicates"].values())
    read = sum(summary["judged_on"].values())
    made = table("Text on which pages were judged", ["", ">pages", ">share", ""])
    counts = summary["judged_on"] | {"bytes": pages - read}
    for section, told in ((counts, JUDGED_ON), (summary["stored_by_reason"], TOO_LITTLE)):
        for name, (label, meaning) in told.items():
            if number := section.get(name, 0):
                made.add_row(label, f"{number:,}", f"{number / pages:.1%}", meaning)
        made.add_section()
    return made


def reading(summary: Mapping[str, Any]) -> str:
    """Return how many pages were read by what was learned of their sites, and what was given up."""
    read, templates = summary["read_by"], summary["templates"]
    share = read.get(TEMPLATE, 0) / sum(read.values())
    told = f"{share:.0%} of the pages that were read were read by learned templates"
    if templates["audits"]:
        told += f"; {templates['audits']:,} of them were read by the extractor too, as audits"
    told += "."
    if hosts := [safe(row["host"]) for row in templates["revoked_of"]]:
        named = ", ".join(hosts[:MOST_REVOKED])
        if len(hosts) > MOST_REVOKED:
            named += " and others"
        number = templates["revoked"]
        one = ("template was", "it, and is") if number == 1 else ("templates were", "them, and are")
        told += (
            f" {number:,} {one[0]} given up because audits disagreed with {one[1]} learned anew: "
            f"{named}."
        )
    return told


def kinds(counts: Mapping[str, int]) -> RenderableType:
    """Return a row a kind of duplicate, tagged ones included: how content and layout compare."""
    of = sum(counts.values())
    rows = [
        (content, layout, counts[kind], f"{counts[kind] / of:.0%}")
        for kind, content, layout in KINDS
        if counts.get(kind)
    ]
    return table("Kinds of duplicate", ["content", "layout", ">duplicates", ">share"], rows)


def evidence(counts: Mapping[str, int]) -> RenderableType:
    """Return a row for each evidence that occurred: what it made of so many pages, and why."""
    rows = [
        (NEAR if code.is_copy else SIBLING, code.value, counts[code], meaning)
        for code, meaning in EVIDENCE.items()
        if counts.get(code)
    ]
    title = "Copies and siblings, by evidence"
    return table(title, ["verdict", "evidence", ">pages", ""], rows)


def editions(places: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a row for each place in addresses where pages have proven that editions differ."""
    title = "Editions: what addresses mean, as their pages have proven"
    if len(places) > MOST_EDITIONS:
        title += f"; the {MOST_EDITIONS} first of {len(places):,}"
    rows = [
        (
            Text(safe(place["where"])),
            Text(safe(_told(place["editions"]))),
            *(place[name] for name in ("agree", "against", "stored")),
        )
        for place in places[:MOST_EDITIONS]
    ]
    return table(title, ["where", "editions", ">agree", ">against", ">stored"], rows)


def _told(values: Sequence[str]) -> str:
    """Return what stands in a place of addresses; of parameters any value is as good."""
    return ", ".join(value or "(nothing)" for value in values) if any(values) else "any value"


def largest_clusters(clusters: Sequence[tuple[int, str, int]]) -> RenderableType:
    """Return a row a cluster: its stored page and the number of its duplicates."""
    rows = [(size, str(document_id), Text(safe(url))) for document_id, url, size in clusters]
    return table("Largest clusters", [">duplicates", ">page", "stored as"], rows)


def largest_families(families: Sequence[tuple[int, str, int]]) -> RenderableType:
    """Return a row a family: a stored page and the number of pages judged its siblings."""
    rows = [(size, str(document_id), Text(safe(url))) for document_id, url, size in families]
    return table("Largest families of siblings", [">siblings", ">page", "all like"], rows)
