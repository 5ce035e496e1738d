"""An explanation for a terminal. Nothing that came from the web can style it or move its cursor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.explain import wording
from crawler.explain.difference import Change, Piece, passages
from crawler.explain.evidence import Feature, Fingerprints
from crawler.explain.explanation import Comparison, Explanation, Layouts
from crawler.explain.subjects import Subject
from crawler.printing import safe

_STYLES = {Change.REMOVED: "red strike", Change.ADDED: "green", Change.ELIDED: "dim"}
_MARKS = {Change.REMOVED: ("[-", "-]"), Change.ADDED: ("{+", "+}")}
"""wdiff's marks: what is read where there is no colour."""


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Print everything, top to bottom."""
    for name, subject in (("A", explanation.first), ("B", explanation.second)):
        console.print(_subject(name, subject), soft_wrap=True)
    console.print()
    _print_titled(console, "Verdict", _pairs(wording.verdict_rows(explanation)))
    if explanation.fingerprints is not None:
        for line in _fingerprints(explanation.fingerprints):
            console.print(line, soft_wrap=True)
    if explanation.layouts is not None:
        for line in _layouts(explanation.layouts):
            console.print(line, soft_wrap=True)
    if explanation.comparison is not None:
        _print_comparison(console, explanation.comparison)


def _print_comparison(console: Console, comparison: Comparison) -> None:
    console.print()
    evidence = comparison.evidence
    _print_titled(console, "Similarity", _pairs(wording.evidence_rows(evidence)))
    _print_titled(console, "Every method", _methods(comparison))
    for title, features in (
        ("Heaviest features of both", evidence.shared),
        ("Features that differ most", evidence.differing),
    ):
        _print_titled(console, wording.features_title(title, features), _features(features))
    console.print(Text("Differences: only in A, only in B", style="bold"))
    if comparison.cut:
        console.print(Text("(of the beginnings: the texts are too long to compare whole)"))
    console.print(_difference(comparison.difference, marks=not console.is_terminal), soft_wrap=True)


def _subject(name: str, subject: Subject) -> Text:
    size = f", {len(subject.text):,} characters" if subject.text is not None else ""
    return Text.assemble((name, "bold"), f"  {safe(subject.name)}\n   {safe(subject.choice)}{size}")


def _fingerprints(fingerprints: Fingerprints) -> Iterator[Text]:
    yield Text("Fingerprints", style="bold")
    yield Text(f"   {wording.fingerprint_sentence(fingerprints)}")
    for name, fingerprint in (("A", fingerprints.first), ("B", fingerprints.second)):
        yield Text(f"   {name} {fingerprint:016x}  {wording.bits(fingerprint)}")
    yield Text(f"   {'':18}  {wording.differing_bits(fingerprints)}", style="red")


def _layouts(layouts: Layouts) -> Iterator[Text]:
    yield Text("Layout", style="bold")
    yield Text(f"   {wording.layout_sentence(layouts)}")
    for name, layout in (("A", layouts.first), ("B", layouts.second)):
        yield Text(f"   {name} {layout.hex()}")


def _methods(comparison: Comparison) -> Table:
    table = _table(["method", "says", "duplicates"])
    for opinion in comparison.opinions:
        answer = {True: "yes", False: "no", None: "·"}[opinion.duplicates]
        table.add_row(opinion.method, safe(opinion.measure), answer)
    return table


def _features(features: tuple[Feature, ...]) -> Table:
    table = _table(["word", "A", "B"])
    for row in wording.feature_rows(features):
        table.add_row(*map(Text, row))
    return table


def _difference(pieces: Sequence[Piece], marks: bool) -> Text:
    if all(piece.change is Change.EQUAL for piece in pieces):
        return Text("none")
    text = Text()
    for piece in passages(pieces):
        if piece.change is Change.ELIDED:
            text.append(f"\n   … {len(piece.text):,} characters the same …\n", "dim")
            continue
        before, after = _MARKS.get(piece.change, ("", "")) if marks else ("", "")
        shown = wording.visible(piece.text)
        text.append(f"{before}{shown}{after}", _STYLES.get(piece.change))
    return text


def _pairs(rows: Iterable[tuple[str, str]]) -> Table:
    table = _table(["", ""], header=False)
    for name, sentence in rows:
        table.add_row(name, Text(safe(sentence)))
    return table


def _print_titled(console: Console, title: str, table: Table) -> None:
    console.print(Text(title, style="bold"))  # a table's own title wraps at the table's width
    console.print(table)


def _table(columns: Sequence[str], header: bool = True) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_header=header)
    for name in columns:
        table.add_column(name, overflow="fold")
    return table
