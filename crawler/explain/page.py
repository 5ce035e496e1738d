"""An explanation as one self-contained HTML page: no script, no request, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from crawler.explain import numbers, wording
from crawler.explain.difference import Change, Piece
from crawler.explain.explanation import Explanation
from crawler.explain.looking import Differences
from crawler.explain.passages import Passage
from crawler.explain.resemblance import Fingerprints
from crawler.explain.subjects import Subject
from crawler.explain.surroundings import Surroundings
from crawler.printing import safe

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
            *_verdict(explanation),
            *_pages(explanation),
            *_numbers(explanation),
            "</body></html>\n",
        ]
    )


def _verdict(explanation: Explanation) -> Iterator[str]:
    yield f"<h1>{_shown(wording.verdict_sentence(explanation))}</h1>"
    for note in wording.notes(explanation):
        yield f'<div class="quiet">{_shown(note)}</div>'


def _pages(explanation: Explanation) -> Iterator[str]:
    comparison, sides = explanation.comparison, (explanation.first, explanation.second)
    yield '<div class="sides">'
    for name, subject, around in zip("AB", sides, explanation.surroundings, strict=True):
        yield _head(name, subject, around)
    yield "</div>"
    if comparison is not None:
        yield from _differences(comparison.differences)
    if any(subject.text for subject in sides):
        pieces = comparison.difference if comparison else ()
        texts = (_text(name, side, pieces) for name, side in zip("AB", sides, strict=True))
        yield "<details><summary>The judged texts, side by side</summary>"
        yield f'<div class="sides">{"".join(texts)}</div></details>'


def _differences(differences: Differences) -> Iterator[str]:
    legend = " <del>only in A</del> <ins>only in B</ins>" if differences.passages else ""
    yield f"<h2>Differences: {escape(wording.summary(differences))}{legend}</h2>"
    for note in wording.difference_notes(differences):
        yield f"<p>{_shown(note)}</p>"
    for place, passages in groupby(differences.passages, key=wording.where):
        yield f"<h3>{escape(place)}</h3>"
        yield from (f'<div class="text" dir="auto">{_passage(one)}</div>' for one in passages)


def _passage(passage: Passage) -> str:
    return "".join(
        _piece(piece) + (f'<span class="quiet">{escape(note)}</span>' if note else "")
        for piece, note in wording.noted(passage)
    )


def _head(name: str, subject: Subject, around: Surroundings | None) -> str:
    lines = [f"<b>{name}</b> {_shown(subject.name)}"]
    if subject.title:
        lines.append(f'<span class="title">{_shown(subject.title)}</span>')
    told = subject.choice, wording.surroundings_sentence(around)
    lines += [f'<span class="quiet">{_shown(line)}</span>' for line in told if line]
    return f"<p>{'<br>'.join(lines)}</p>"


def _text(name: str, subject: Subject, pieces: Sequence[Piece]) -> str:
    """Return a text with its own changes marked, those of the other left out."""
    hidden = Change.ADDED if name == "A" else Change.REMOVED
    body = "".join(_piece(piece) for piece in pieces if piece.change is not hidden)
    if not pieces:
        body = escape(wording.visible(subject.text or "not kept"))
    return f'<div><h2>Text of {name}</h2><div class="text">{body}</div></div>'


def _numbers(explanation: Explanation) -> Iterator[str]:
    if explanation.recorded:
        yield _table(numbers.recorded_table(explanation))
    comparison = explanation.comparison
    tables = (
        [_table(table) for table in numbers.comparison_tables(comparison)] if comparison else []
    )
    yield from tables[:1]
    if explanation.fingerprints is not None:
        yield _fingerprints(explanation.fingerprints)
    if (layouts := explanation.layouts) is not None:
        lines = "<br>".join(numbers.layout_lines(layouts))
        yield f"<h2>Layout</h2><p>{escape(numbers.layout_sentence(layouts))}</p><pre>{lines}</pre>"
    yield from tables[1:2]
    if tables:
        yield f'<div class="sides">{"".join(f"<div>{table}</div>" for table in tables[2:])}</div>'


def _fingerprints(fingerprints: Fingerprints) -> str:
    marks = numbers.differing_bits(fingerprints)
    lines = [name + _marked(bits, marks) for name, bits in numbers.fingerprint_lines(fingerprints)]
    sentence = escape(numbers.fingerprint_sentence(fingerprints))
    return f"<h2>Fingerprints</h2><p>{sentence}</p><pre>{'<br>'.join(lines)}</pre>"


def _marked(bits: str, marks: str) -> str:
    return "".join(
        f'<span class="bit">{bit}</span>' if mark == "^" else bit
        for bit, mark in zip(bits, marks, strict=True)
    )


def _piece(piece: Piece) -> str:
    text, tag = escape(wording.shown_piece(piece)), _CHANGED.get(piece.change)
    return f"<{tag}>{text}</{tag}>" if tag else text


def _table(table: numbers.Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = ("".join(f"<td>{_shown(cell)}</td>" for cell in row) for row in table.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<h2>{escape(table.title)}</h2><table>{f'<tr>{head}</tr>' if head else ''}{body}</table>"
    )


def _shown(text: str) -> str:
    """Return one line of text that can do no harm in a page."""
    return escape(safe(text))
