"""An explanation in words: on a terminal, as one HTML page, as data for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from crawler.console import safe
from crawler.dedup.kinds import SAME_LAYOUT
from crawler.engine.outcomes import format_fingerprint
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Evidence
from crawler.views.explain.differences import (
    MAX_CHARACTERS,
    Change,
    Differences,
    LeftOut,
    Passage,
    Piece,
    Place,
    Surroundings,
)
from crawler.views.explain.evidence import (
    Basis,
    Comparison,
    Decision,
    Explanation,
    Feature,
    Fingerprints,
    Layouts,
    Places,
)
from crawler.views.explain.subjects import Subject
from crawler.views.render import page, print_line, shown, table, visible

# The sentences of an explanation, which the terminal, the page and the JSON all have.
#
# Nothing is escaped here: what shows a text makes it harmless for where it is shown.

VERDICTS = {
    "new": "new",
    "unjudged": "not judged",
    EXACT_PAYLOAD: "exact duplicate",
    EXACT_TEXT: "exact duplicate",
    NEAR: "near duplicate",
    SIBLING: "sibling",
}
"""What verdicts are called, by their names in lines."""
EVIDENCE: Mapping[Evidence, str] = {
    Evidence.CANONICAL: "one names the other as the page that it is, or both name one "
    "(rel=canonical)",
    Evidence.SAME_ADDRESS: "the same address, but for the host, language or edition that it names",
    Evidence.SAME_TEXT: "the stored page shows all that it shows, stamps and what the site's pages "
    "have in common left out",
    Evidence.REPRINT: "nearly the same text on another host; no name or number in it was replaced",
    Evidence.OTHER_TITLE: "the titles differ",
    Evidence.OTHER_CANONICAL: "they name different pages as the pages that they are",
    Evidence.OTHER_LIST: "one is a list, and the other a part of what it lists",
    Evidence.OTHER_TEXT: "words or numbers in the text of one are not on the other",
    Evidence.OTHER_NAME: "all through the text, another name stands where one has its own",
    Evidence.OTHER_NUMBERS: "lines that are otherwise alike have different numbers in them",
    Evidence.OTHER_SURROUNDINGS: "the texts are the same, but not what else the pages show",
    Evidence.UNKNOWN: "too little was kept of the stored page to tell",
}
"""What each kind of evidence says of two pages that are alike."""


def evidence_in_words(code: str) -> str:
    """Return what evidence says; a code of a later version of this program stands for itself."""
    return EVIDENCE[Evidence(code)] if code in EVIDENCE else code


_ELSEWHERE = "the same path on another host"
_ON_ONE_HOST = "the same path, but for the language or edition that it names"
"""What Evidence.SAME_ADDRESS says of two addresses that are known."""
_BASES = {
    Basis.ALL: "",
    Basis.WITHOUT_SURROUNDINGS: "Judged without what stands beside the texts: of one of the two "
    "that was not kept.",
    Basis.TEXTS_ALONE: "Judged by the texts alone: title and lines of one of the two are not "
    "known, so no evidence of a copy could be asked for.",
    Basis.NO_EVIDENCE: "Judged by the texts alone: no evidence of a copy is asked for "
    "(dedup.siblings: ignore).",
}
_PLACED = (
    "From which URL the file was saved is not known: it is judged as another page of the same host."
)
_ON_THE_WEB = (
    "To compare the texts: --fetch fetches the page again; or give a saved page instead of its URL."
)
_IN_A_FILE = (
    "To compare the texts: restore the file that was judged, or give the document as a separate "
    "file."
)
_QUOTED_LINES = 3
_QUOTED_CHARACTERS = 60


def verdict_sentence(explanation: Explanation) -> str:
    """Return in one sentence what was decided, and by which rule."""
    decision = explanation.decision
    if decision is None:
        return "not judged: the text of at least one of the two is missing"
    return _sentence(decision)


def rule_sentence(decision: Decision) -> str:
    """Return in words the rule that made a decision."""
    if decision.evidence is None:
        return decision.reason
    if decision.evidence is Evidence.SAME_ADDRESS and decision.places is Places.ONE_HOST:
        return _ON_ONE_HOST
    if decision.evidence is Evidence.SAME_ADDRESS and decision.places is Places.ONE_PATH:
        return _ELSEWHERE
    return EVIDENCE[decision.evidence]


def notes(explanation: Explanation) -> Iterator[str]:
    """Yield what else must be said of the verdict: who decided it, of which side, on what."""
    recorded, comparison = explanation.recorded_decision, explanation.comparison
    if recorded is not None:
        yield f"The crawl recorded this of {recorded.on.upper()}."
    if comparison is None:
        fetched = explanation.first.can_be_fetched or explanation.second.can_be_fetched
        yield _ON_THE_WEB if fetched else _IN_A_FILE
        return
    if recorded is None:
        yield "So B would be judged by the current settings, if only A were stored."
        yield from _doubts(comparison)
    elif not comparison.decision.is_like(recorded):
        now = _sentence(comparison.decision)
        yield f"By the current settings, if only A were stored, B would be: {now}."
        yield from _doubts(comparison)


def surroundings_sentence(around: Surroundings | None) -> str | None:
    """Return what stands beside a text that is only a part of what is visible, None for others."""
    if around is None or not around.is_much:
        return None
    beside = []
    if around.lines:
        quoted = ", ".join(f"“{_cut(line)}”" for line in around.lines[:_QUOTED_LINES])
        more = ", …" if len(around.lines) > _QUOTED_LINES else ""
        beside.append(f"{_counted(len(around.lines), 'line')} of text ({quoted}{more})")
    if around.links:
        beside.append(f"{_counted(len(around.links), 'line')} of links")
    return (
        f"extraction took {around.text_lines:,} of {around.all_lines:,} lines; beside it: "
        f"{' and '.join(beside)}"
    )


def summary(differences: Differences) -> str:
    """Return in which places two pages differ, and how often; `none` only if they show the same."""
    counted = Counter(one.place.value for one in differences.passages if not one.left_out)
    left_out = sum(bool(one.left_out) for one in differences.passages)
    times = (place + (f" ({n:,})" if n > 1 else "") for place, n in counted.items())
    parts = [", ".join(times)]
    if left_out:
        parts.append(f"left out by the judge: {_counted(left_out, 'passage')}")
    if not differences.passages:
        parts = ["none" if differences.is_none else "none in what was compared"]
    return "; ".join(filter(None, parts))


def where(passage: Passage) -> str:
    """Return where a passage stands, and why the judge leaves it out if he does."""
    told = left_out(passage.left_out)
    return f"{passage.place}; {told}" if told else passage.place


def left_out(reasons: Sequence[LeftOut]) -> str:
    """Return that the judge leaves something out, and why; empty without a reason."""
    return f"left out by the judge: {', '.join(reasons)}" if reasons else ""


def noted(passage: Passage) -> Iterator[tuple[Piece, str]]:
    """Yield pieces, each with what is to be said after it: why some changes are left out.

    Where all are, that is said above the passage.
    """
    pieces = passage.pieces
    for piece, following in zip(pieces, (*pieces[1:], None), strict=True):
        is_last = following is None or following.left_out is not piece.left_out
        some = piece.left_out and is_last and not passage.left_out
        yield piece, f" ({left_out([piece.left_out])})" if piece.left_out and some else ""


def difference_notes(differences: Differences, names: tuple[str, str] = ("A", "B")) -> list[str]:
    """Return what must be known to read a difference: what was not compared, and of which page."""
    found = []
    for name, unknown, is_cut in zip(names, differences.unknown, differences.cut, strict=True):
        if unknown:
            some = ", ".join(place for place in Place if place in unknown)
            found.append(f"Not known of {name}, so not compared: {some}.")
        if is_cut:
            found.append(f"Of what stands beside the text of {name} only the beginning was kept.")
    if differences.is_long:
        rest = "is not the same" if differences.rest_differs else "is the same on both"
        found.append(f"Of the first {MAX_CHARACTERS:,} characters only; the rest {rest}.")
    return found


def shown_piece(piece: Piece) -> str:
    """Return a piece as it is shown: line ends that were changed are made visible."""
    text = "…" if piece.change is Change.ELIDED else piece.text
    return text.replace("\n", "⏎") if piece.left_out is LeftOut.SPACE else visible(text)


def _sentence(decision: Decision) -> str:
    became = "stored" if decision.stored else "dropped"
    code = decision.evidence.value if decision.evidence else None
    if decision.verdict in (EXACT_PAYLOAD, EXACT_TEXT):
        code = decision.verdict
    verdict = VERDICTS.get(decision.verdict, decision.verdict)
    return f"{verdict}, {became}: {rule_sentence(decision)}{f' ({code})' if code else ''}"


def _doubts(comparison: Comparison) -> Iterator[str]:
    """Say what the decision that is made now could not know."""
    if comparison.decision.verdict not in (NEAR, SIBLING):
        return
    if told := _BASES[comparison.basis]:
        yield told
    if comparison.placed and comparison.decision.evidence is not None:
        yield _PLACED


def _counted(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _cut(line: str) -> str:
    if len(line) <= _QUOTED_CHARACTERS:
        return line
    return f"{line[: _QUOTED_CHARACTERS - 1].rstrip()}…"


# The numbers of an explanation as tables and lines, which the terminal and the page both show.
#
# Nothing is escaped here: what shows a text makes it harmless for where it is shown.

BITS = 64
BLOCK_BITS = 16
FEATURES_SHOWN = 12
_RECORDED = {
    "distance": "distance {}",
    "similarity": "similarity {:.4f}",
    "kind": "kind {}",
    "content_similarity": "content {:.4f}",
    "layout_similarity": "layout {:.4f}",
}
_ANSWERS = {True: "yes", False: "no", None: "·"}


class FigureTable(NamedTuple):
    """A table as texts; one of (name, sentence) has no names of columns."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def recorded_table(explanation: Explanation) -> FigureTable:
    """Return what the crawl recorded of either; no rows where it recorded nothing."""
    rows = [
        (recorded["on"].upper(), _recorded_sentence(recorded)) for recorded in explanation.recorded
    ]
    return FigureTable("Recorded", (), rows)


def _recorded_sentence(recorded: Mapping[str, Any]) -> str:
    """Return what the crawl decided then."""
    numbers = ((form, recorded[name]) for name, form in _RECORDED.items())
    told = ", ".join(form.format(value) for form, value in numbers if value is not None)
    of = "the other" if recorded["concerns_both"] else recorded["of"]
    evidence = f" ({recorded['evidence']})" if recorded["evidence"] else ""
    became = "stored" if recorded["stored"] else "dropped"
    verdict = VERDICTS.get(recorded["verdict"], recorded["verdict"])
    decided = f"{verdict} of {of}{evidence}, {became}"
    return f"{decided}: {told}" if told else decided


def comparison_tables(
    comparison: Comparison,
) -> tuple[FigureTable, FigureTable, FigureTable, FigureTable]:
    """Return similarity, every method's answer, features of both, and features that differ."""
    resemblance = comparison.resemblance
    answers = [(o.method, o.measure, _ANSWERS[o.duplicates]) for o in comparison.opinions]
    return (
        FigureTable("Similarity", (), list(_similarity_rows(comparison))),
        FigureTable("Every method, by the texts alone", ("method", "says", "alike"), answers),
        _features("Heaviest features of both", resemblance.shared_features),
        _features("Features that differ most", resemblance.differing_features),
    )


def _similarity_rows(comparison: Comparison) -> Iterator[tuple[str, str]]:
    resemblance = comparison.resemblance
    first, second = resemblance.shingles
    either = first + second - resemblance.shared_shingles
    common = f"{resemblance.shared_shingles:,} of {either:,} shingles in common"
    yield "exact similarity", f"{resemblance.similarity:.4f}: {common}"
    yield "estimate by sketch", f"{resemblance.sketch_estimate:.4f}"
    kinds = " and ".join(dict.fromkeys(resemblance.shingle_kinds))
    yield "shingles", f"{first:,} and {second:,} ({kinds})"
    words, others = resemblance.tokens
    yield "words", f"{words:,} and {others:,}, stop words not counted"
    if comparison.kind is not None:
        yield "kind", comparison.kind


def _features(title: str, features: Sequence[Feature]) -> FigureTable:
    shown = features[:FEATURES_SHOWN]
    rows = [(f.word, _weight(f.a), _weight(f.b)) for f in shown]
    return FigureTable(f"{title} ({len(shown)} of {len(features):,})", ("word", "A", "B"), rows)


def _weight(weight: float) -> str:
    return f"{weight:.2f}" if weight else "·"


def layout_sentence(layouts: Layouts) -> str:
    """Return how alike the skeletons of the two pages are."""
    meaning = "the same layout" if layouts.similarity >= SAME_LAYOUT else "another layout"
    return (
        f"similarity {layouts.similarity:.4f}, estimated: {meaning} (the same from {SAME_LAYOUT:g})"
    )


def layout_lines(layouts: Layouts) -> list[str]:
    """Return both layout fingerprints."""
    return [f"A {layouts.first.hex()}", f"B {layouts.second.hex()}"]


def fingerprint_sentence(fingerprints: Fingerprints) -> str:
    """Return distance and equal blocks."""
    equal = ", ".join(map(str, fingerprints.matched_blocks)) or "none"
    return (
        f"distance {fingerprints.distance} of {BITS}; equal 16-bit blocks: {equal} (0 the lowest)"
    )


def fingerprint_lines(fingerprints: Fingerprints) -> list[tuple[str, str]]:
    """Return (fingerprint, its bits) of A and B: the highest bit first, block by block."""
    sides = ("A", fingerprints.first), ("B", fingerprints.second)
    return [(f"{name} {number:016x}  ", _in_blocks(f"{number:0{BITS}b}")) for name, number in sides]


def differing_bits(fingerprints: Fingerprints) -> str:
    """Return a line that marks where the bits differ."""
    different = f"{fingerprints.first ^ fingerprints.second:0{BITS}b}"
    return _in_blocks(different.replace("0", " ").replace("1", "^"))


def _in_blocks(bits: str) -> str:
    return " ".join(bits[at : at + BLOCK_BITS] for at in range(0, BITS, BLOCK_BITS))


def as_data(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON-ready data; parts are null where a text or line is missing."""
    first, second, comparison = explanation.first, explanation.second, explanation.comparison
    fingerprints, layouts = explanation.fingerprints, explanation.layouts
    return {
        "sentence": verdict_sentence(explanation),
        "notes": list(notes(explanation)),
        "decision": explanation.decision and _decision(explanation.decision),
        "a": _subject(first, explanation.surroundings[0]),
        "b": _subject(second, explanation.surroundings[1]),
        "settings": explanation.settings.model_dump(mode="json"),
        "fingerprints": fingerprints
        and {
            "a": format_fingerprint(fingerprints.first),
            "b": format_fingerprint(fingerprints.second),
            "distance": fingerprints.distance,
            "matched_blocks": fingerprints.matched_blocks,
        },
        "layouts": {
            "a": None if first.layout is None else first.layout.hex(),
            "b": None if second.layout is None else second.layout.hex(),
            "similarity": layouts and layouts.similarity,
        },
        "recorded": list(explanation.recorded),
        "comparison": comparison and _comparison(comparison),
    }


def _subject(subject: Subject, around: Surroundings | None) -> dict[str, Any]:
    return {
        "name": subject.name,
        "title": subject.title,
        "judged_text": subject.choice,
        "text": subject.text,
        "surroundings": around
        and {
            "text_lines": around.text_lines,
            "all_lines": around.all_lines,
            "lines": around.lines,
            "links": around.links,
            "only_a_part": around.is_much,
        },
        "line": subject.line and dict(subject.line.record),
    }


def _decision(decision: Decision) -> dict[str, Any]:
    """Return a decision; without evidence `reason` has the rule in words."""
    return {
        "verdict": decision.verdict,
        "stored": decision.stored,
        "on": decision.on,
        "evidence": decision.evidence and decision.evidence.value,
        "reason": decision.reason or None,
        "recorded": decision.recorded,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    resemblance, decision = asdict(comparison.resemblance), comparison.decision
    for feature in (*resemblance["shared_features"], *resemblance["differing_features"]):
        feature |= {"a": round(feature["a"], 3), "b": round(feature["b"], 3)}
    return {
        "verdict": decision.verdict,
        "stored": decision.stored,
        "evidence": decision.evidence and decision.evidence.value,
        "rule": rule_sentence(decision),
        "judged_by": comparison.basis.value,
        "kind": comparison.kind,
        **resemblance,
        "methods": [asdict(opinion) for opinion in comparison.opinions],
        **_differences_data(comparison.differences),
        "difference": [_piece_data(piece) for piece in comparison.difference],
        "difference_cut": comparison.cut,
        "same_lines": comparison.differences.same_text,
        "difference_beside": comparison.beside
        and {"a": comparison.beside.first, "b": comparison.beside.second},
    }


def _differences_data(differences: Differences) -> dict[str, Any]:
    unknown = ([place.value for place in side] for side in differences.unknown)
    return {
        "differences": [
            {
                "place": passage.place.value,
                "left_out": list(passage.left_out),
                "pieces": [
                    _piece_data(piece) | {"left_out": piece.left_out} for piece in passage.pieces
                ],
            }
            for passage in differences.passages
        ],
        "not_compared": dict(zip("ab", unknown, strict=True)),
        "nothing_differs": differences.is_none,
    }


def _piece_data(piece: Piece) -> dict[str, Any]:
    return {"change": piece.change.value, "text": piece.text}


_STYLES = {Change.REMOVED: "red strike", Change.ADDED: "green", Change.ELIDED: "dim"}
_MARKS = {Change.REMOVED: ("[-", "-]"), Change.ADDED: ("{+", "+}")}
"""wdiff's marks: what is read where there is no colour."""


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Print everything, what matters most first: verdict, pages, differences, numbers."""
    print_line(console, safe(verdict_sentence(explanation)), "bold")
    _print_lines(console, *notes(explanation))
    console.print()
    sides = explanation.first, explanation.second
    for name, subject, around in zip("AB", sides, explanation.surroundings, strict=True):
        print_line(console, Text.assemble((name, "bold"), f"  {safe(subject.name)}"))
        size = f", {len(subject.text):,} characters" if subject.text is not None else ""
        about = subject.title, f"{subject.choice}{size}", surroundings_sentence(around)
        _print_lines(console, *filter(None, about))
    if explanation.comparison is not None:
        _print_differences(console, explanation.comparison.differences)
    _print_numbers(console, explanation)


def _print_differences(console: Console, differences: Differences) -> None:
    console.print()
    head = Text.assemble((f"Differences: {summary(differences)}", "bold"))
    if differences.passages:
        for change, name in ((Change.REMOVED, "A"), (Change.ADDED, "B")):
            head.append("   ")
            head.append(_marked(Piece(change, f"only in {name}"), not console.is_terminal))
    print_line(console, head)
    _print_lines(console, *difference_notes(differences))
    print_passages(console, differences.passages)


def print_passages(console: Console, passages: Sequence[Passage]) -> None:
    """Print passages under their places, each line indented; in colours, or with wdiff's marks."""
    marks = not console.is_terminal
    for place, some in groupby(passages, key=where):
        print_line(console, f"   {place}", "bold")
        for passage in some:
            text = Text()
            for piece, note in noted(passage):
                text.append(_marked(piece, marks))
                text.append(note, "dim")
            for line in text.split("\n"):
                print_line(console, Text.assemble("      ", line))


def _print_numbers(console: Console, explanation: Explanation) -> None:
    console.print()
    if explanation.recorded:
        _print_table(console, recorded_table(explanation))
    comparison = explanation.comparison
    tables = comparison_tables(comparison) if comparison else ()
    for figures in tables[:1]:
        _print_table(console, figures)
    if (fingerprints := explanation.fingerprints) is not None:
        console.print(Text("Fingerprints", style="bold"))
        lines = ["".join(parts) for parts in fingerprint_lines(fingerprints)]
        _print_lines(console, fingerprint_sentence(fingerprints), *lines)
        marks = f"   {'':18}  {differing_bits(fingerprints)}".rstrip()
        print_line(console, marks, "red")
    if (layouts := explanation.layouts) is not None:
        console.print(Text("Layout", style="bold"))
        _print_lines(console, layout_sentence(layouts), *layout_lines(layouts))
    if tables:
        console.print()
    for figures in tables[1:]:
        _print_table(console, figures)


def _print_lines(console: Console, *lines: str) -> None:
    for line in lines:
        print_line(console, f"   {safe(line)}")


def _print_table(console: Console, figures: FigureTable) -> None:
    print_line(console, figures.title, "bold")  # a table's own title wraps at its width
    rows = ([Text(safe(cell)) for cell in row] for row in figures.rows)
    made = table("", figures.columns or ("", ""), rows)
    made.show_header = bool(figures.columns)
    console.print(made)


def _marked(piece: Piece, marks: bool) -> Text:
    """Return a piece as what became of it is shown: by style, or by marks."""
    before, after = _MARKS.get(piece.change, ("", "")) if marks else ("", "")
    return Text(f"{before}{shown_piece(piece)}{after}", _STYLES.get(piece.change, ""))


_STYLE = """
:root { color-scheme: light dark; --line: #8884; --del: #ffd7d5; --ins: #ccf2d4; --ink: #222 }
body { font: 15px/1.55 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", sans-serif;
  max-width: 78rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.3; margin-bottom: .3rem }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
h3 { font-size: .9rem; margin: .8rem 0 .2rem }
table { border-collapse: collapse; max-width: 100% } th, td { text-align: left;
  vertical-align: top; padding: .2rem 1.5rem .2rem 0; border-bottom: 1px solid var(--line) }
td:first-child, th { overflow-wrap: break-word }
pre { white-space: pre-wrap; line-height: 1.3; margin: .5rem 0 }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.5rem }
.sides > * { min-width: 0 }
.text { white-space: pre-wrap; border: 1px solid var(--line); border-radius: 6px;
  padding: .5rem .8rem }
.text + .text { margin-top: .3rem }
.title { font-weight: bold } .quiet { opacity: .75 }
details { margin: 1.5rem 0 } summary { cursor: pointer; font-weight: bold }
del, ins, .bit { text-decoration: none; border-radius: 3px; color: var(--ink) }
del { background: var(--del) } ins { background: var(--ins) } .bit { background: #ffe08a }
del + ins { margin-left: .25em }
@media (max-width: 700px) {
  body { margin: 1rem auto } .sides { grid-template-columns: 1fr }
  th, td { padding-right: .8rem } .text { padding: .6rem }
}
"""
_MARKED = {Change.REMOVED: "<del>{}</del>", Change.ADDED: "<ins>{}</ins>"}


def as_page(explanation: Explanation) -> str:
    """Return one self-contained HTML page."""
    quiet = (f'<div class="quiet">{shown(note)}</div>' for note in notes(explanation))
    verdict = f"<h1>{shown(verdict_sentence(explanation))}</h1>"
    body = [verdict, *quiet, *_pages(explanation), *_numbers(explanation)]
    return page("Two documents compared", _STYLE, body)


def _pages(explanation: Explanation) -> Iterator[str]:
    comparison, sides = explanation.comparison, (explanation.first, explanation.second)
    yield '<div class="sides">'
    for name, subject, around in zip("AB", sides, explanation.surroundings, strict=True):
        lines = [f"<b>{name}</b> {shown(subject.name)}"]
        if subject.title:
            lines.append(f'<span class="title">{shown(subject.title)}</span>')
        about = subject.choice, surroundings_sentence(around)
        lines += [f'<span class="quiet">{shown(line)}</span>' for line in about if line]
        yield f"<p>{'<br>'.join(lines)}</p>"
    yield "</div>"
    if comparison is not None:
        yield from _differences_html(comparison.differences)
    if any(subject.text for subject in sides):
        pieces = comparison.difference if comparison else ()
        texts = []
        for name, subject, others in zip("AB", sides, (Change.ADDED, Change.REMOVED), strict=True):
            own = ((piece, "") for piece in pieces if piece.change is not others)
            text = marked_html(own) if pieces else escape(visible(subject.text or "not kept"))
            texts.append(f'<div><h2>Text of {name}</h2><div class="text">{text}</div></div>')
        yield "<details><summary>The judged texts, side by side</summary>"
        yield f'<div class="sides">{"".join(texts)}</div></details>'


def _differences_html(differences: Differences) -> Iterator[str]:
    legend = " <del>only in A</del> <ins>only in B</ins>" if differences.passages else ""
    yield f"<h2>Differences: {escape(summary(differences))}{legend}</h2>"
    for note in difference_notes(differences):
        yield f"<p>{shown(note)}</p>"
    for place, passages in groupby(differences.passages, key=where):
        yield f"<h3>{escape(place)}</h3>"
        yield from (
            f'<div class="text" dir="auto">{marked_html(noted(one))}</div>' for one in passages
        )


def marked_html(pieces: Iterable[tuple[Piece, str]], note_class: str = "quiet") -> str:
    """Return pieces, each with what is to be said after it, as HTML with changes marked."""
    return "".join(
        _MARKED.get(piece.change, "{}").format(escape(shown_piece(piece)))
        + (f'<span class="{note_class}">{escape(note)}</span>' if note else "")
        for piece, note in pieces
    )


def _numbers(explanation: Explanation) -> Iterator[str]:
    if explanation.recorded:
        yield _table(recorded_table(explanation))
    comparison = explanation.comparison
    tables = [_table(table) for table in comparison_tables(comparison)] if comparison else []
    yield from tables[:1]
    if explanation.fingerprints is not None:
        marks, lines = differing_bits(explanation.fingerprints), []
        for name, bits in fingerprint_lines(explanation.fingerprints):
            marked = (
                f'<span class="bit">{bit}</span>' if mark == "^" else bit
                for bit, mark in zip(bits, marks, strict=True)
            )
            lines.append(name + "".join(marked))
        sentence = escape(fingerprint_sentence(explanation.fingerprints))
        yield f"<h2>Fingerprints</h2><p>{sentence}</p><pre>{'<br>'.join(lines)}</pre>"
    if (layouts := explanation.layouts) is not None:
        both = "<br>".join(layout_lines(layouts))
        yield f"<h2>Layout</h2><p>{escape(layout_sentence(layouts))}</p><pre>{both}</pre>"
    yield from tables[1:2]
    if tables:
        yield f'<div class="sides">{"".join(f"<div>{table}</div>" for table in tables[2:])}</div>'


def _table(figures: FigureTable) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in figures.columns)
    rows = ("".join(f"<td>{shown(cell)}</td>" for cell in row) for row in figures.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<h2>{escape(figures.title)}</h2><table>{f'<tr>{head}</tr>' if head else ''}{body}</table>"
    )
