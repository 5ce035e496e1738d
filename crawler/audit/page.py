"""The pairs of a sample as one HTML page on which they are marked.

It makes no request: style and script are in it, and its policy allows nothing else. Everything that
came from the web is escaped.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from crawler.audit import wording
from crawler.audit.compared import Beside, Compared, compare, hunks
from crawler.audit.estimate import WRONG
from crawler.audit.marks import Mark, as_json, marked
from crawler.audit.pairs import Pair, Side
from crawler.audit.sample import Sample
from crawler.explain.difference import Change, Piece
from crawler.explain.wording import visible
from crawler.printing import Say, progress, safe

MAX_ALONE = 800
"""Characters shown of a text that there is nothing to compare with."""
TOLD_PAIRS = 25
"""Pairs compared between two lines of progress."""

_CHANGED = {Change.REMOVED: "del", Change.ADDED: "ins"}


def as_page(directory: Path, sample: Sample, pairs: Sequence[Pair], say: Say) -> str:
    """Return the page."""
    style, script = (
        files("crawler.audit").joinpath(name).read_text(encoding="utf-8")
        for name in ("page.css", "marking.js")
    )
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>Audit of {escape(safe(directory.name))}</title><style>{style}</style></head>",
            f'<body data-key="{_key(directory, sample)}">',
            *_head(directory, sample),
            *_articles(sample, pairs, say),
            f"<script>{script}</script></body></html>\n",
        ]
    )


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _key(directory: Path, sample: Sample) -> str:
    """Return what the browser keeps the marks under: the same for a larger sample of this seed."""
    of = f"{directory.absolute()}\n{sample.crawl}\n{sample.seed}"
    return f"crawler-audit-{hashlib.sha256(of.encode('utf-8', 'surrogateescape')).hexdigest()[:24]}"


def _head(directory: Path, sample: Sample) -> Iterator[str]:
    yield f"<h1>Audit of {escape(safe(str(directory)))}</h1>"
    yield f"<p>{escape(wording.drawn_from(sample))}.</p>"
    yield (
        "<p>Is the page on the left a <b>copy</b> of the one on the right, so that nobody misses "
        "it, or an <b>other page</b>? Keys: <kbd>c</kbd> copy, <kbd>o</kbd> other page, "
        "<kbd>u</kbd> unsure, <kbd>n</kbd> or <kbd>→</kbd> next, <kbd>p</kbd> or <kbd>←</kbd> "
        "previous. The order is random: you may stop at any pair, but leave none out.</p>"
    )
    yield "<noscript><p><b>Marks need JavaScript; `audit DIR --terminal` does without.</b></p>"
    yield "</noscript>"
    yield f'<div class="bar"><div><progress max="{len(sample.drawn)}" value="0"></progress>'
    yield '<p role="status"><b id="marked"></b> <span id="kept"></span></p>'
    for stratum in {drawn.stratum: None for drawn in sample.drawn}:
        yield (
            f'<p data-stratum="{stratum}" data-population="{sample.populations[stratum]}"'
            f' data-wrong="{WRONG[stratum]}" data-nothing="{wording.NOTHING[stratum]}"'
            f' data-template="{wording.TEMPLATES[stratum]}" data-unsure="{wording.UNSURE}"></p>'
        )
    yield '</div><button type="button" id="export">Export marks</button></div>'


def _articles(sample: Sample, pairs: Sequence[Pair], say: Say) -> Iterator[str]:
    for number, pair in enumerate(pairs, 1):
        if number % TOLD_PAIRS == 0:
            say(progress(f"Comparing pair {number:,} of {len(pairs):,} ..."))
        line = escape(as_json(marked(sample, pair)).decode())
        yield f'<article tabindex="-1" data-line="{line}"><h2>{number} of {len(pairs)}</h2>'
        yield from _pair(pair, compare(pair))
        yield f'<div class="choice">{"".join(map(_button, Mark))}</div></article>'


def _button(mark: Mark) -> str:
    return (
        f'<button type="button" data-mark="{mark}" aria-pressed="false"><kbd>{mark[0]}</kbd> '
        f"{mark}</button>"
    )


def _pair(pair: Pair, compared: Compared) -> Iterator[str]:
    names = wording.sides(pair)
    yield f'<p>{escape(safe(wording.verdict(pair)))}</p><div class="sides">'
    yield from map(_name, names, (pair.page, pair.stored))
    if compared.pieces:
        yield from (_hunk(hunk, names) for hunk in hunks(compared.pieces))
    else:
        yield from map(_alone, (pair.page, pair.stored))
    yield "</div>"
    yield _note(wording.about_texts(pair, compared))
    yield _note(wording.about_beside(pair, compared))
    if compared.beside and any(side.lines for side in compared.beside):
        yield '<h3>Beside the text, on one of the two only</h3><div class="sides">'
        yield from map(_lines, compared.beside, names)
        yield "</div>"


def _name(name: str, side: Side) -> str:
    title = escape(safe(side.title)) if side.title else '<span class="dim">no title</span>'
    url = escape(safe(side.url)) or '<span class="dim">its URL is not known</span>'
    return f'<div><b>{name}</b><br>{title}<br><span class="url">{url}</span></div>'


def _hunk(hunk: Sequence[Piece], names: tuple[str, str]) -> str:
    if hunk[0].change is Change.ELIDED:
        return f'<p class="both same">… {len(hunk[0].text):,} characters the same …</p>'
    if all(piece.change is Change.EQUAL for piece in hunk):
        return f'<p class="both text" dir="auto">{_marked(hunk, Change.ADDED)}</p>'
    hidden = (Change.ADDED, Change.REMOVED)
    return "".join(
        f'<p class="text" dir="auto" data-side="{name}">{_marked(hunk, other)}</p>'
        for name, other in zip(names, hidden, strict=True)
    )


def _marked(hunk: Sequence[Piece], hidden: Change) -> str:
    return "".join(_piece(piece) for piece in hunk if piece.change is not hidden)


def _piece(piece: Piece) -> str:
    text, tag = escape(visible(piece.text)), _CHANGED.get(piece.change)
    return f"<{tag}>{text}</{tag}>" if tag else text


def _alone(side: Side) -> str:
    """Return the beginning of a text, or why there is none."""
    if side.text is None:
        return f'<p class="note">{escape(safe(wording.missing(side)))}</p>'
    more = " …" if len(side.text) > MAX_ALONE else ""
    return f'<p class="text" dir="auto">{escape(visible(side.text[:MAX_ALONE]))}{more}</p>'


def _note(told: str) -> str:
    return f'<p class="note">{escape(told)}</p>' if told else ""


def _lines(beside: Beside, name: str) -> str:
    rows = [f'<li dir="auto">{escape(safe(line))}</li>' for line in beside.lines]
    if beside.more:
        rows.append(f'<li class="dim">and {beside.more:,} more</li>')
    if not rows:
        return '<p class="dim">nothing</p>'
    return f'<ul aria-label="{name}">{"".join(rows)}</ul>'
