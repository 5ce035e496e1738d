"""Where every URL ended: of the whole crawl, and host by host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
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
    "duplicates": "dupli-\ncates",
}
"""Headings of narrow columns, where they are not the name itself."""

_COLUMNS = {
    UrlState.STORED: "stored",
    UrlState.DUPLICATE: "duplicates",
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failed",
    UrlState.SKIPPED: "skipped",
    UrlState.PENDING: "pending",
}

_LEAST_HOST = 15
"""Columns of a host's name, in the narrowest terminal."""
_ENOUGH = 1000
"""Columns within which every table is as narrow as it can be, and no narrower."""
_LEAST = ("stored", "duplicates")
"""What is told of a host in the narrowest terminal."""


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
    """Return a row a host: how its URLs ended. Where room is short it says less, of each host."""
    return _ByHost(hosts, of)


class _ByHost:
    """The table with as many columns as there is room for; that of the host is always there."""

    def __init__(self, hosts: Sequence[tuple[str, Outcomes]], of: int) -> None:
        self._hosts = hosts
        self._of = of
        self._longest = max((len(safe(host)) for host, _ in hosts), default=0)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        nothing = "." if options.ascii_only else "·"
        for names in self._choices():
            made = self._table(names, nothing)
            wide = Measurement.get(console, options.update(width=_ENOUGH), made).minimum
            if wide - max(0, self._longest - _LEAST_HOST) <= options.max_width:
                yield made
                return
        yield self._table(_LEAST, nothing)

    def _choices(self) -> Iterator[Sequence[str]]:
        """Yield which columns there may be, the most first."""
        verdicts = [kind for kind in VERDICTS if kind != SIBLING or _drops_siblings(self._hosts)]
        yield ["stored", *verdicts, "redirects", "failed", "skipped", "pending"]
        yield ["stored", "duplicates", "failed", "skipped", "pending"]
        yield ["stored", "duplicates", "failed", "pending"]

    def _table(self, names: Sequence[str], nothing: str) -> Table:
        title = "Verdicts by host"
        if len(self._hosts) < self._of:
            title += f" (the {len(self._hosts)} largest of {self._of})"
        made = table(title, ["host", *(f">{_HEADINGS.get(name, name)}" for name in names)])
        made.padding = (0, 0)  # so that 80 columns hold it and 15 characters of a host
        made.columns[0].min_width = min(self._longest, _LEAST_HOST)
        for column in made.columns[1:]:
            column.no_wrap = True
        for host, outcomes in self._hosts:
            counts = _counts(outcomes)
            numbers = (f"{n:,}" if (n := counts[name]) else nothing for name in names)
            made.add_row(Text(safe(host)), *numbers)
        return made


def _drops_siblings(hosts: Sequence[tuple[str, Outcomes]]) -> bool:
    """Whether siblings were dropped, as few jobs ask for; stored ones count as stored."""
    return any((UrlState.DUPLICATE, SIBLING) in outcomes for _, outcomes in hosts)


def _counts(outcomes: Outcomes) -> Counter[str]:
    """Return the URLs of a host by column."""
    ended: Counter[str] = Counter()
    for (state, detail), number in outcomes.items():
        ended[_COLUMNS[state]] += number
        if state is UrlState.DUPLICATE:
            ended[detail] += number
    return ended
