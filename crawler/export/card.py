"""What the directory says of itself: a dataset card, as the Hugging Face Hub and `datasets` read.

Without it `load_dataset` would take both folders for one split, and duplicates for pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.choices import ExportFormat
from crawler.export.formats import OPEN
from crawler.printing import safe


def card(
    format_: ExportFormat, rows: Mapping[str, int], columns: Sequence[str], where: Sequence[str]
) -> str:
    """Return README.md: which files are which, how many rows, which columns."""
    ending = OPEN[format_][0]
    configs = "".join(
        f"- config_name: {folder}\n  data_files: {folder}/*.{ending}\n"
        + ("  default: true\n" if folder == "unique" else "")
        for folder in rows
    )
    counts = "\n".join(f"- `{folder}/`: {number:,} documents" for folder, number in rows.items())
    chosen = (
        f"\nOnly what passes: {', '.join(f'`{safe(test)}`' for test in where)}\n" if where else ""
    )
    told = ", ".join(f"`{name}`" for name in columns)
    if format_ is ExportFormat.TEXT:
        told = "none: texts, with a form feed (U+000C) on a line of its own between two"
    return f"---\nconfigs:\n{configs}---\n\n{counts}\n{chosen}\nColumns: {told}\n"
