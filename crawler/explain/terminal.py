"""An explanation for a terminal. Nothing that came from the web can style it or move its cursor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.explain import numbers, wording
from crawler.explain.difference import Change, Piece
from crawler.explain.explanation import Explanation
from crawler.explain.looking import Differences
from crawler.explain.passages import Passage
from crawler.explain.subjects import Subject
from crawler.explain.surroundings import Surroundings
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
        _print_differences(console, explanation.comparison.differences)
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


def _print_differences(console: Console, differences: Differences) -> None:
    console.print()
    head = Text.assemble((f"Differences: {wording.summary(differences)}", "bold"))
    if differences.passages:
        for change, name in ((Change.REMOVED, "A"), (Change.ADDED, "B")):
            head.append("   ")
            head.append(_marked(Piece(change, f"only in {name}"), not console.is_terminal))
    console.print(head, soft_wrap=True)
    _print_lines(console, *wording.difference_notes(differences))
    print_passages(console, differences.passages)


def print_passages(console: Console, passages: Sequence[Passage]) -> None:
    """Print passages under their places, each line of them indented."""
    marks = not console.is_terminal
    for place, some in groupby(passages, key=wording.where):
        console.print(Text(f"   {place}", style="bold"), soft_wrap=True)
        for passage in some:
            for line in _passage(passage, marks).split("\n"):
                console.print(Text.assemble("      ", line), soft_wrap=True)


def _passage(passage: Passage, marks: bool) -> Text:
    """Return a passage in colours, or with wdiff's `marks` where there are none."""
    shown = Text()
    for piece, note in wording.noted(passage):
        shown.append(_marked(piece, marks))
        shown.append(note, "dim")
    return shown


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


def _marked(piece: Piece, marks: bool) -> Text:
    """Return a piece as what became of it is shown: by style, or by marks."""
    before, after = _MARKS.get(piece.change, ("", "")) if marks else ("", "")
    return Text(f"{before}{wording.shown_piece(piece)}{after}", _STYLES.get(piece.change, ""))
