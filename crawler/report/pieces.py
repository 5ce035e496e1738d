"""Pieces of HTML that all sections of the page are made of; what is text in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from crawler.printing import safe
from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING

VERDICTS = {
    "new": "new",
    SIBLING: "siblings, stored",
    NEAR: "near copies",
    EXACT_TEXT: "the same text",
    EXACT_PAYLOAD: "the same bytes",
    "unjudged": "too little text",
}
"""In the order of bars, with their names in legends."""

Cells = Sequence[str | int]
"""A row of a table; text is HTML already."""


def table(heads: Sequence[str], rows: Iterable[Cells], name: str = "") -> str:
    """Return a table of cells that are HTML already; `>` before a heading puts it to the right."""
    classes = [' class="n"' if head.startswith(">") else "" for head in heads]
    top = "".join(
        f'<th scope="col"{of}>{escape(head.removeprefix(">"))}</th>'
        for head, of in zip(heads, classes, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{of}>{f'{cell:,}' if isinstance(cell, int) else cell}</td>"
            for cell, of in zip(row, classes, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    named = f' id="{name}"' if name else ""
    return (
        f'<div class="scroll"><table{named}><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def numbers(heads: Sequence[str], rows: Iterable[Cells]) -> str:
    """Return a chart's numbers as a table that is folded away."""
    right = [heads[0], *(f">{head}" for head in heads[1:])]
    return f"<details><summary>In numbers</summary>{table(right, rows)}</details>"


def legend(names: Iterable[str]) -> str:
    """Return what the colours of some verdicts mean."""
    parts = (f'<span><i class="v-{name}"></i>{VERDICTS[name]}</span>' for name in names)
    return f'<div class="legend">{"".join(parts)}</div>'


def find_box(table: str, told: str) -> str:
    """Return a field whose words filter the rows of a table."""
    return (
        f'<div class="find"><input type="search" data-filters="{table}" placeholder="{told}" '
        f'aria-label="{told}"></div>'
    )


def tile(number: str, name: str) -> str:
    """Return a number that is told large."""
    return f'<div class="tile"><b>{number}</b>{name}</div>'


def share(part: int, of: int) -> str:
    """Return a share as a percentage; empty of nothing."""
    return f"{part / of:.0%}" if of else ""


def in_seconds(seconds: float | None) -> str:
    """Return seconds to the hundredth; empty where they are not known."""
    return "" if seconds is None else f"{seconds:,.2f} s"


def span(seconds: float) -> str:
    """Return a stretch of time in the unit that people would say it in."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def size(number: float) -> str:
    """Return a number of bytes likewise."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number:,.0f} B"


def shown(text: str) -> str:
    """Return a text from the web as a page may show it."""
    return escape(safe(text))
