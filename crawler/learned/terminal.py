"""What was learned, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.learned import wording
from crawler.learned.opening import HostLearned, HostTemplate
from crawler.learned.zones import Fate
from crawler.printing import safe

MOST_ZONES = 40
"""Zones listed in a terminal; the page and JSON have all."""

_STYLES = {
    Fate.LEFT_OUT: "red",
    Fate.REPEATED: "yellow",
    Fate.UNSURE: "yellow",
    Fate.KEPT: "green",
    Fate.UNKNOWN: "dim",
}


LEAST_HOST = 15
"""Columns of a host's name, however narrow the terminal is."""


def print_hosts(console: Console, hosts: Sequence[HostLearned]) -> None:
    """Print a row for each host."""
    table = Table(box=None, pad_edge=False)
    table.add_column("host", overflow="fold", min_width=LEAST_HOST)
    for name in ("version", "taught", "served", "audits", "agreement", "revoked", "bytes"):
        table.add_column(name, justify="right")
    for host in hosts:
        figures = host.figures
        agreement = f"{figures.agreement:.0%}" if figures.audits else ""
        version = str(figures.versions) if host.template_bytes else "learning"
        counts = (figures.taught, figures.served, figures.audits)
        table.add_row(
            Text(safe(host.host)),
            version,
            *(f"{count:,}" for count in counts),
            agreement,
            f"{figures.revoked:,}",
            f"{host.template_bytes:,}",
        )
    console.print(table)


def print_host(console: Console, shown: HostTemplate) -> None:
    """Print what was learned of one host: its zones, with an example of each."""
    console.print(Text(safe(shown.about.host), "bold"))
    console.print(wording.sentence(shown.about))
    console.print(wording.state(shown))
    if not shown.zones:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("lines are", no_wrap=True)
    table.add_column("of the text", justify="right")
    table.add_column("on pages", justify="right")
    table.add_column("zone", overflow="fold", ratio=3)
    table.add_column("such as", overflow="ellipsis", no_wrap=True, ratio=2)
    for zone in shown.zones[:MOST_ZONES]:
        links = " (links)" if zone.linked else ""
        table.add_row(
            Text(zone.fate.value, _STYLES[zone.fate]),
            f"{zone.share:.1%}",
            f"{zone.pages:,}",
            Text(safe(zone.path) + links),
            Text(safe(zone.example)),
        )
    console.print(table)
    if len(shown.zones) > MOST_ZONES:
        console.print(f"... and {len(shown.zones) - MOST_ZONES:,} smaller ones")
