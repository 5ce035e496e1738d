"""An explanation as one self-contained HTML page: no script, no request, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from crawler.explain import wording
from crawler.explain.difference import Change, Piece
from crawler.explain.evidence import Fingerprints
from crawler.explain.explanation import Explanation
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
    yield _table(wording.verdict_table(explanation))
    if explanation.fingerprints is not None:
        yield _fingerprints(explanation.fingerprints)
    if (layouts := explanation.layouts) is not None:
        lines = "<br>".join(wording.layout_lines(layouts))
        yield f"<h2>Layout</h2><p>{escape(wording.layout_sentence(layouts))}</p><pre>{lines}</pre>"
    comparison = explanation.comparison
    if comparison is not None:
        *tables, shared, differing = map(_table, wording.comparison_tables(comparison))
        yield from tables
        yield f'<div class="sides"><div>{shared}</div><div>{differing}</div></div>'
    yield "<h2>Texts</h2>"
    if comparison is not None and comparison.cut:
        yield "<p>The beginnings only: the texts are too long to be compared whole.</p>"
    pieces = comparison.difference if comparison else ()
    yield '<div class="sides">'
    yield _side("A", explanation.first, pieces, hidden=Change.ADDED)
    yield _side("B", explanation.second, pieces, hidden=Change.REMOVED)
    yield "</div>"


def _fingerprints(fingerprints: Fingerprints) -> str:
    marks = wording.differing_bits(fingerprints)
    lines = [name + _marked(bits, marks) for name, bits in wording.fingerprint_lines(fingerprints)]
    sentence = escape(wording.fingerprint_sentence(fingerprints))
    return f"<h2>Fingerprints</h2><p>{sentence}</p><pre>{'<br>'.join(lines)}</pre>"


def _marked(bits: str, marks: str) -> str:
    return "".join(
        f'<span class="bit">{bit}</span>' if mark == "^" else bit
        for bit, mark in zip(bits, marks, strict=True)
    )


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


def _table(table: wording.Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = ("".join(f"<td>{escape(safe(cell))}</td>" for cell in row) for row in table.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<h2>{escape(table.title)}</h2><table>{f'<tr>{head}</tr>' if head else ''}{body}</table>"
    )
