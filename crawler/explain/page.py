"""An explanation as one self-contained HTML page: no script, no request, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from crawler.explain import numbers, wording
from crawler.explain.difference import Change, Piece, passages
from crawler.explain.explanation import Comparison, Explanation
from crawler.explain.resemblance import Fingerprints
from crawler.explain.subjects import Subject
from crawler.explain.surroundings import Differing, Surroundings
from crawler.printing import safe

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --del: #ffd7d5; --ins: #ccf2d4; --ink: #222 }
body { font: 15px/1.55 system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", sans-serif;
  max-width: 78rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.3; margin-bottom: .3rem }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
ul { margin: .3rem 0; padding-left: 1.2rem }
table { border-collapse: collapse; max-width: 100% } th, td { text-align: left;
  vertical-align: top; padding: .2rem 1.5rem .2rem 0; border-bottom: 1px solid var(--line) }
td:first-child, th { overflow-wrap: break-word }
pre { white-space: pre-wrap; line-height: 1.3; margin: .5rem 0 }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.5rem }
.sides > * { min-width: 0 }
.text { white-space: pre-wrap; border: 1px solid var(--line); border-radius: 6px; padding: 1rem }
.title { font-weight: bold } .quiet { opacity: .75 } .block { display: block }
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
        yield from _differences(comparison)
    if any(subject.text for subject in sides):
        pieces = comparison.difference if comparison else ()
        texts = (_text(name, side, pieces) for name, side in zip("AB", sides, strict=True))
        yield "<details><summary>The texts, side by side</summary>"
        yield f'<div class="sides">{"".join(texts)}</div></details>'


def _differences(comparison: Comparison) -> Iterator[str]:
    yield "<h2>Differences: <del>only in A</del>, <ins>only in B</ins></h2>"
    for note in wording.difference_notes(comparison):
        yield f"<p>{_shown(note)}</p>"
    changed = any(piece.change is not Change.EQUAL for piece in comparison.difference)
    shown = map(_passage, passages(comparison.difference)) if changed else ["none"]
    yield f'<div class="text">{"".join(shown)}</div>'
    yield from _beside(comparison)


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


def _beside(comparison: Comparison) -> Iterator[str]:
    beside = comparison.beside
    if beside is None or not (beside.first or beside.second):
        return
    yield "<h2>Lines beside the texts</h2>"
    yield '<div class="sides">'
    yield from _differing(beside)
    yield "</div>"


def _differing(beside: Differing) -> Iterator[str]:
    sides = beside.first, beside.second
    shown = wording.shares(*sides)
    for name, tag, some, lines in zip("AB", _CHANGED.values(), shown, sides, strict=True):
        items = [f"<li><{tag}>{_shown(line)}</{tag}></li>" for line in some]
        if rest := wording.others(some, lines):
            items.append(f"<li>{_shown(rest)}</li>")
        yield f"<div><b>{name}</b><ul>{''.join(items) or '<li>none</li>'}</ul></div>"


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


def _passage(piece: Piece) -> str:
    if piece.change is Change.ELIDED:
        same = f"… {len(piece.text):,} characters the same …"
        return f'<span class="quiet block">{same}</span>'
    return _piece(piece)


def _piece(piece: Piece) -> str:
    text, tag = escape(wording.visible(piece.text)), _CHANGED.get(piece.change)
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
