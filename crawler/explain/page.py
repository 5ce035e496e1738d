"""An explanation as one self-contained HTML page: no script, no request, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from crawler.explain import wording
from crawler.explain.difference import Change, Piece
from crawler.explain.evidence import Feature, Fingerprints
from crawler.explain.explanation import Comparison, Explanation, Layouts
from crawler.explain.subjects import Subject
from crawler.printing import safe

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --del: #ffd7d5; --ins: #ccf2d4; --ink: #222 }
body { font: 15px/1.55 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", sans-serif;
  max-width: 78rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top;
  padding: .2rem 1.5rem .2rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
td:first-child, th { overflow-wrap: break-word }
pre { overflow-x: auto; line-height: 1.3 }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem }
.sides > * { min-width: 0; overflow-wrap: anywhere }
.text { white-space: pre-wrap; border: 1px solid var(--line); border-radius: 6px; padding: 1rem }
del, ins, .bit { text-decoration: none; border-radius: 3px; color: var(--ink) }
del { background: var(--del) } ins { background: var(--ins) } .bit { background: #ffe08a }
.choice { opacity: .75 }
"""
_CHANGED = {Change.REMOVED: "del", Change.ADDED: "ins"}


def as_page(explanation: Explanation) -> str:
    """Return the page."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            '<meta http-equiv="Content-Security-Policy"',
            " content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>Two documents compared</title><style>{_STYLE}</style></head><body>",
            "<h1>Two documents compared</h1>",
            *_sections(explanation),
            "</body></html>\n",
        ]
    )


def _sections(explanation: Explanation) -> Iterator[str]:
    yield _pairs("Verdict", wording.verdict_rows(explanation))
    if explanation.fingerprints is not None:
        yield _fingerprints(explanation.fingerprints)
    if explanation.layouts is not None:
        yield _layouts(explanation.layouts)
    comparison = explanation.comparison
    if comparison is not None:
        yield from _comparison(comparison)
    pieces = comparison.difference if comparison else ()
    yield "<h2>Texts</h2>"
    if comparison is not None and comparison.cut:
        yield "<p>The beginnings only: the texts are too long to be compared whole.</p>"
    yield '<div class="sides">'
    yield _side("A", explanation.first, pieces, hidden=Change.ADDED)
    yield _side("B", explanation.second, pieces, hidden=Change.REMOVED)
    yield "</div>"


def _comparison(comparison: Comparison) -> Iterator[str]:
    yield _pairs("Similarity", wording.evidence_rows(comparison.evidence))
    answers = {True: "yes", False: "no", None: "·"}
    rows = [(o.method, o.measure, answers[o.duplicates]) for o in comparison.opinions]
    yield _table("Every method", ("method", "says", "duplicates"), rows)
    evidence = comparison.evidence
    yield '<div class="sides">'
    yield _features("Heaviest features of both", evidence.shared)
    yield _features("Features that differ most", evidence.differing)
    yield "</div>"


def _fingerprints(fingerprints: Fingerprints) -> str:
    marks = wording.differing_bits(fingerprints)
    lines = [
        f"{name} {fingerprint:016x}  {_marked(wording.bits(fingerprint), marks)}"
        for name, fingerprint in (("A", fingerprints.first), ("B", fingerprints.second))
    ]
    sentence = escape(wording.fingerprint_sentence(fingerprints))
    return f"<h2>Fingerprints</h2><p>{sentence}</p><pre>{'<br>'.join(lines)}</pre>"


def _layouts(layouts: Layouts) -> str:
    lines = f"A {layouts.first.hex()}<br>B {layouts.second.hex()}"
    return f"<h2>Layout</h2><p>{escape(wording.layout_sentence(layouts))}</p><pre>{lines}</pre>"


def _marked(bits: str, marks: str) -> str:
    return "".join(
        f'<span class="bit">{bit}</span>' if mark == "^" else bit
        for bit, mark in zip(bits, marks, strict=True)
    )


def _features(title: str, features: tuple[Feature, ...]) -> str:
    title = wording.features_title(title, features)
    return f"<div>{_table(title, ('word', 'A', 'B'), wording.feature_rows(features))}</div>"


def _side(name: str, subject: Subject, pieces: Sequence[Piece], hidden: Change) -> str:
    body = "".join(_piece(piece) for piece in pieces if piece.change is not hidden)
    if not pieces:
        body = escape(wording.visible(subject.text or ""))
    return (
        f"<div><p><b>{name}</b> {escape(safe(subject.name))}<br>"
        f'<span class="choice">{escape(safe(subject.choice))}</span></p>'
        f'<div class="text">{body}</div></div>'
    )


def _piece(piece: Piece) -> str:
    text, tag = escape(wording.visible(piece.text)), _CHANGED.get(piece.change)
    return f"<{tag}>{text}</{tag}>" if tag else text


def _pairs(title: str, rows: Iterable[tuple[str, str]]) -> str:
    return _table(title, (), rows)


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(safe(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<h2>{escape(title)}</h2><table>{f'<tr>{head}</tr>' if head else ''}{body}</table>"
