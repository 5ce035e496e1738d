"""Where every URL ended: of the whole crawl, and host by host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from crawler.observe.summary import VERDICTS, Outcomes
from crawler.printing import safe
from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, SIBLING, UrlState
from crawler.report.tables.table import inline, table

_HEADINGS = {
    EXACT_PAYLOAD: "exact-\npayload",
    EXACT_TEXT: "exact-\ntext",
    SIBLING: "sib-\nlings",
    "redirects": "redi-\nrects",
}
"""Headings of narrow columns, where they are not the name itself."""


def accounting(summary: Mapping[str, Any]) -> RenderableType:
    """Return the accounting identity, and whether it holds."""
    rows = [
        ("stored", summary["stored"], inline(summary["stored_by_verdict"])),
        ("duplicates", sum(summary["duplicates"].values()), inline(summary["duplicates"])),
        ("redirects", summary["redirects"], ""),
        ("failures", sum(summary["failures"].values()), inline(summary["failures"])),
        ("skipped", sum(summary["skipped"].values()), inline(summary["skipped"])),
        ("pending", summary["pending"], ""),
    ]
    made = table("Where every URL ended", ["", ">URLs", ""], rows)
    made.add_section()
    verdict = Text("= the sum of the above, and the output files agree", style="green")
    if not summary["identity_holds"]:
        verdict = Text("does not add up: " + "; ".join(summary["problems"]), style="bold red")
    made.add_row("seen", f"{summary['seen']:,}", verdict)
    return made


def verdicts_by_host(hosts: Sequence[tuple[str, Outcomes]], of: int) -> RenderableType:
    """Return a row a host: how its URLs ended."""
    verdicts = [kind for kind in VERDICTS if kind != SIBLING or _drops_siblings(hosts)]
    kinds = ["stored", *verdicts, "redirects", "failed", "skipped"]
    title = "Verdicts by host"
    if len(hosts) < of:
        title += f" (the {len(hosts)} largest of {of})"
    names = [f">{_HEADINGS.get(kind, kind)}" for kind in kinds]
    made = table(title, ["host", *names, ">pending"])
    made.padding = (0, 0)  # so that 80 columns hold it and 15 characters of a host
    for column in made.columns[1:]:
        column.no_wrap = True
    for host, outcomes in hosts:
        columns = _host_columns(outcomes, verdicts)
        made.add_row(Text(safe(host)), *(f"{n:,}" if n else "·" for n in columns))
    return made


def _drops_siblings(hosts: Sequence[tuple[str, Outcomes]]) -> bool:
    """Whether siblings were dropped, as few jobs ask for; stored ones count as stored."""
    return any((UrlState.DUPLICATE, SIBLING) in outcomes for _, outcomes in hosts)


def _host_columns(outcomes: Outcomes, verdicts: Sequence[str]) -> list[int]:
    ended: Counter[UrlState | str] = Counter()
    for (state, detail), number in outcomes.items():
        ended[detail if state is UrlState.DUPLICATE else state] += number
    last = (UrlState.REDIRECT, UrlState.FAILED, UrlState.SKIPPED, UrlState.PENDING)
    columns: list[UrlState | str] = [UrlState.STORED, *verdicts, *last]
    return [ended[column] for column in columns]
