"""An explanation for a terminal. Nothing that came from the web can style it or move its cursor."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.explain import numbers, wording
from crawler.explain.difference import Change, Piece, passages
from crawler.explain.explanation import Comparison, Explanation
from crawler.explain.subjects import Subject
from crawler.explain.surroundings import Differing, Surroundings
from crawler.printing import safe

_STYLES = {Change.REMOVED: "red strike", Change.ADDED: "green", Change.ELIDED: "dim"}
_MARKS = {Change.REMOVED: ("[-", "-]"), Change.ADDED: ("{+", "+}")}
"""wdiff's marks: what is read where there is no colour."""


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Print everything, what matters most first: verdict, pages, differences, numbers."""
    console.print(Text(safe(wording.verdict_sentence(explanation)), style="bold"), soft_wrap=True)
    _print_lines(console, *wording.notes(explanation))
    console.print()
    sides = explanation.first, explanation.second
    for name, subject, around in zip("AB", sides, explanation.surroundings, strict=True):
        _print_subject(console, name, subject, around)
    if explanation.comparison is not None:
        _print_difference(console, explanation.comparison)
    _print_numbers(console, explanation)


def _print_subject(
    console: Console, name: str, subject: Subject, around: Surroundings | None
) -> None:
    console.print(Text.assemble((name, "bold"), f"  {safe(subject.name)}"), soft_wrap=True)
    if subject.title:
        _print_lines(console, subject.title)
    size = f", {len(subject.text):,} characters" if subject.text is not None else ""
    _print_lines(console, f"{subject.choice}{size}")
    if told := wording.surroundings_sentence(around):
        _print_lines(console, told)


def _print_difference(console: Console, comparison: Comparison) -> None:
    marks = not console.is_terminal
    console.print()
    console.print(Text("Differences: only in A, only in B", style="bold"))
    _print_lines(console, *wording.difference_notes(comparison))
    console.print(difference_text(passages(comparison.difference), marks), soft_wrap=True)
    if comparison.beside is not None:
        _print_beside(console, comparison.beside, marks)


def _print_beside(console: Console, beside: Differing, marks: bool) -> None:
    if not beside.first and not beside.second:
        return
    console.print()
    console.print(Text("Lines beside the texts: only in A, only in B", style="bold"))
    sides = beside.first, beside.second
    shown = wording.shares(*sides)
    for change, some, lines in zip((Change.REMOVED, Change.ADDED), shown, sides, strict=True):
        for line in some:
            console.print(Text.assemble("   ", _marked(change, line, marks)), soft_wrap=True)
        if rest := wording.others(some, lines):
            _print_lines(console, rest)


def _print_numbers(console: Console, explanation: Explanation) -> None:
    console.print()
    if explanation.recorded:
        _print_table(console, numbers.recorded_table(explanation))
    comparison = explanation.comparison
    tables = numbers.comparison_tables(comparison) if comparison else ()
    for table in tables[:1]:
        _print_table(console, table)
    if (fingerprints := explanation.fingerprints) is not None:
        console.print(Text("Fingerprints", style="bold"))
        lines = ["".join(parts) for parts in numbers.fingerprint_lines(fingerprints)]
        _print_lines(console, numbers.fingerprint_sentence(fingerprints), *lines)
        marks = Text(f"   {'':18}  {numbers.differing_bits(fingerprints)}".rstrip(), style="red")
        console.print(marks, soft_wrap=True)
    if (layouts := explanation.layouts) is not None:
        console.print(Text("Layout", style="bold"))
        _print_lines(console, numbers.layout_sentence(layouts), *numbers.layout_lines(layouts))
    if tables:
        console.print()
    for table in tables[1:]:
        _print_table(console, table)


def _print_lines(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(Text(f"   {safe(line)}"), soft_wrap=True)


def _print_table(console: Console, table: numbers.Table) -> None:
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
            text.append("\n" if text else "")
            text.append(f"   … {len(piece.text):,} characters the same …\n", "dim")
        else:
            text.append(_marked(piece.change, piece.text, marks))
    text.rstrip()
    return text


def _marked(change: Change, text: str, marks: bool) -> Text:
    """Return a text as what became of it is shown: by style, or by marks."""
    before, after = _MARKS.get(change, ("", "")) if marks else ("", "")
    return Text(f"{before}{wording.visible(text)}{after}", _STYLES.get(change, ""))
