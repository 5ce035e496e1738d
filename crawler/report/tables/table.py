"""What all tables share: their look, numbers and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text


def megabytes(size: float) -> str:
    """Return a number of bytes as people read it."""
    return f"{size / 1e6:,.1f} MB"


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str | int | Text]] = ()
) -> Table:
    """Return a table; `>` before a column's name puts it to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for name in columns:
        justify: Any = "right" if name.startswith(">") else "left"
        made.add_column(name.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        made.add_row(*(f"{cell:,}" if isinstance(cell, int) else cell for cell in row))
    return made


def inline(counts: Mapping[str, int]) -> str:
    """Return counts in one line, without those that are nothing."""
    return ", ".join(f"{name} {number:,}" for name, number in counts.items() if number)
