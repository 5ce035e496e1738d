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
from itertools import groupby
from pathlib import Path

from crawler.audit import wording
from crawler.audit.compared import Compared, compare
from crawler.audit.estimate import WRONG
from crawler.audit.marks import Mark, as_json, marked
from crawler.audit.pairs import Pair, Side
from crawler.audit.sample import Sample
from crawler.explain.difference import Change, Piece
from crawler.explain.passages import Passage
from crawler.explain.wording import noted, shown_piece, visible, where
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


def _pair(pair: Pair, compared: Compared | None) -> Iterator[str]:
    names = wording.sides(pair)
    yield f'<p>{escape(safe(wording.verdict(pair)))}</p><div class="sides">'
    yield from map(_name, names, (pair.page, pair.stored))
    if compared is None:
        yield from map(_alone, (pair.page, pair.stored))
    else:
        if compared.opening:
            yield f'<p class="both text" dir="auto">{escape(visible(compared.opening))} …</p>'
        for place, passages in groupby(compared.shown, key=where):
            yield f'<h3 class="both">{escape(place)}</h3>'
            yield from (_passage(passage, names) for passage in passages)
    yield "</div>"
    yield from (f'<p class="note">{escape(told)}</p>' for told in wording.about(pair, compared))


def _name(name: str, side: Side) -> str:
    title = escape(safe(side.title)) if side.title else '<span class="dim">no title</span>'
    url = escape(safe(side.url)) or '<span class="dim">its URL is not known</span>'
    return f'<div><b>{name}</b><br>{title}<br><span class="url">{url}</span></div>'


def _passage(passage: Passage, names: tuple[str, str]) -> str:
    """Return a passage as either page has it."""
    return "".join(
        f'<p class="text" dir="auto" data-side="{name}">{_without(passage, other)}</p>'
        for name, other in zip(names, (Change.ADDED, Change.REMOVED), strict=True)
    )


def _without(passage: Passage, hidden: Change) -> str:
    shown = [(piece, note) for piece, note in noted(passage) if piece.change is not hidden]
    return "".join(
        _piece(piece) + f'<span class="note">{escape(note)}</span>' * bool(note)
        for piece, note in shown
    )


def _piece(piece: Piece) -> str:
    text, tag = escape(shown_piece(piece)), _CHANGED.get(piece.change)
    return f"<{tag}>{text}</{tag}>" if tag else text


def _alone(side: Side) -> str:
    """Return the beginning of a text, or why there is none."""
    if side.text is None:
        return f'<p class="note">{escape(safe(wording.missing(side)))}</p>'
    more = " …" if len(side.text) > MAX_ALONE else ""
    return f'<p class="text" dir="auto">{escape(visible(side.text[:MAX_ALONE]))}{more}</p>'
