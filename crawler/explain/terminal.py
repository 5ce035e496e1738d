"""An explanation for a terminal. Nothing that came from the web can style it or move its cursor."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.explain import wording
from crawler.explain.difference import Change, Piece, passages
from crawler.explain.explanation import Comparison, Explanation
from crawler.printing import safe

_STYLES = {Change.REMOVED: "red strike", Change.ADDED: "green", Change.ELIDED: "dim"}
_MARKS = {Change.REMOVED: ("[-", "-]"), Change.ADDED: ("{+", "+}")}
"""wdiff's marks: what is read where there is no colour."""


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Print everything, top to bottom."""
    for name, subject in (("A", explanation.first), ("B", explanation.second)):
        size = f", {len(subject.text):,} characters" if subject.text is not None else ""
        told = f"  {safe(subject.name)}\n   {safe(subject.choice)}{size}"
        console.print(Text.assemble((name, "bold"), told), soft_wrap=True)
    console.print()
    _print_table(console, wording.verdict_table(explanation))
    if (fingerprints := explanation.fingerprints) is not None:
        lines = ["".join(parts) for parts in wording.fingerprint_lines(fingerprints)]
        _print_lines(console, "Fingerprints", wording.fingerprint_sentence(fingerprints), *lines)
        marks = Text(f"   {'':18}  {wording.differing_bits(fingerprints)}", style="red")
        console.print(marks, soft_wrap=True)
    if (layouts := explanation.layouts) is not None:
        lines = wording.layout_lines(layouts)
        _print_lines(console, "Layout", wording.layout_sentence(layouts), *lines)
    if explanation.comparison is not None:
        console.print()
        _print_comparison(console, explanation.comparison)


def _print_lines(console: Console, title: str, *lines: str) -> None:
    console.print(Text(title, style="bold"))
    for line in lines:
        console.print(Text(f"   {line}"), soft_wrap=True)


def _print_comparison(console: Console, comparison: Comparison) -> None:
    for table in wording.comparison_tables(comparison):
        _print_table(console, table)
    console.print(Text("Differences: only in A, only in B", style="bold"))
    if comparison.cut:
        console.print(Text("(only of the beginnings: the texts are too long to compare whole)"))
    shown = difference_text(passages(comparison.difference), marks=not console.is_terminal)
    console.print(shown, soft_wrap=True)


def _print_table(console: Console, table: wording.Table) -> None:
    console.print(Text(table.title, style="bold"))  # a table's own title wraps at its width
    shown = Table(box=box.SIMPLE_HEAD, show_header=bool(table.columns))
    for name in table.columns or ("", ""):
        shown.add_column(name, overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(safe(cell)) for cell in row))
    console.print(shown)


def difference_text(pieces: Sequence[Piece], marks: bool) -> Text:
    """Return passages in colours, or with wdiff's `marks` where there are none."""
    if not any(piece.change in _MARKS for piece in pieces):
        return Text("none")
    text = Text()
    for piece in pieces:
        if piece.change is Change.ELIDED:
            text.append(f"\n   … {len(piece.text):,} characters the same …\n", "dim")
            continue
        before, after = _MARKS.get(piece.change, ("", "")) if marks else ("", "")
        shown = wording.visible(piece.text)
        text.append(f"{before}{shown}{after}", _STYLES.get(piece.change))
    return text
