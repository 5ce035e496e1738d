"""The pairs of a sample, as one HTML page or on a terminal, to be marked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from rich.console import Console

from crawler.console import Say, progress, safe
from crawler.views.audit.marks import WRONG, Estimate, Mark, as_json, marked
from crawler.views.audit.sample import Compared, Pair, Sample, Side, Stratum, compare
from crawler.views.explain.differences import Change
from crawler.views.explain.shown import difference_notes, passages, spans, where
from crawler.views.render import (
    marked_html,
    packaged,
    page,
    print_blocks,
    print_line,
    shown,
    visible,
)
from crawler.views.wording import evidence_in_words

_NO_EVIDENCE = "judged by resemblance alone, no other evidence was asked for"
_SAME_TEXT = "the text is the same, though the bytes are not"

ALL = {
    Stratum.DROPPED: "dropped near duplicates",
    Stratum.SAME_TEXT: "pages dropped for the same text",
    Stratum.SIBLINGS: "siblings",
}
TEMPLATES = {
    Stratum.DROPPED: "{wrong} of {decided} dropped pages are other pages: {share}, with 95% "
    "confidence {low} to {high}. Of {population} dropped near duplicates {pages} were dropped "
    "wrongly.",
    Stratum.SAME_TEXT: "{wrong} of {decided} pages with the same text are other pages: {share}, "
    "with 95% confidence {low} to {high}. Of {population} pages dropped for the same text {pages} "
    "were dropped wrongly.",
    Stratum.SIBLINGS: "{wrong} of {decided} siblings are copies after all: {share}, with 95% "
    "confidence {low} to {high}. Of {population} siblings {pages} are copies; those that were "
    "stored were stored needlessly.",
}
"""The sentence of an estimate; `marking.js` fills in the same."""
NOTHING = {
    Stratum.DROPPED: "No dropped page is marked yet: of {population} dropped near duplicates any "
    "number may have been dropped wrongly.",
    Stratum.SAME_TEXT: "No page with the same text is marked yet: of {population} that were "
    "dropped any number may have been dropped wrongly.",
    Stratum.SIBLINGS: "No sibling is marked yet: of {population} siblings any number may be "
    "copies.",
}
"""The same before there is one."""
BIASED = {
    stratum: f"Marked with the most doubtful first: what this says of all {name} is told once all "
    "pairs are marked."
    for stratum, name in ALL.items()
}
"""The same while pairs in order of doubt are left."""
UNSURE = " Unsure, left out: {unsure}."
_NAMES = "the page", "what it is like"


def verdict(pair: Pair) -> str:
    """Return in one sentence what was decided on a pair, and on what evidence."""
    evidence = _NO_EVIDENCE if pair.evidence is None else evidence_in_words(pair.evidence)
    if pair.drawn.stratum is Stratum.SAME_TEXT:
        evidence = _SAME_TEXT
    decided = "Dropped as a copy"
    if pair.drawn.stratum is Stratum.SIBLINGS:
        became = "Stored" if pair.drawn.stored else "Dropped"
        decided = f"{became} as a sibling, another page"
    likeness = "" if pair.similarity is None else f", similarity {pair.similarity:.4f}"
    return f"{decided}{likeness}: {evidence}."


def about(compared: Compared | None) -> list[str]:
    """Return what must be said of the difference of two pages."""
    if compared is None:
        return ["Without both texts there is no difference to show."]
    notes = []
    if not compared.differences.passages:
        none = compared.differences.is_none
        notes.append("The two show the same." if none else "Nothing that was compared differs.")
    if more := len(compared.differences.passages) - len(compared.shown):
        notes.append(f"Passages that are not shown, as there are too many: {more:,}.")
    return notes + difference_notes(compared.differences, _NAMES)


def drawn_from(sample: Sample) -> str:
    """Return what a sample was drawn from, and in which order it is shown."""
    parts = []
    for stratum, population in sample.populations.items():
        if population:
            number = sum(drawn.stratum is stratum for drawn in sample.drawn)
            parts.append(f"{number:,} of {population:,} {ALL[stratum]}")
    told = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
    order = ", the most doubtful first" if sample.by_doubt else ""
    return f"{told}, drawn at random (seed {sample.seed}){order}"


def estimated(estimate: Estimate) -> str:
    """Return the sentence of an estimate."""
    if estimate.is_biased:
        told = BIASED[estimate.stratum]
    elif not estimate.decided:
        told = NOTHING[estimate.stratum].format(population=f"{estimate.population:,}")
    else:
        (low, high), (fewest, most) = estimate.interval, estimate.pages
        told = TEMPLATES[estimate.stratum].format(
            wrong=f"{estimate.wrong:,}",
            decided=f"{estimate.decided:,}",
            share=_percent(estimate.wrong / estimate.decided),
            low=_percent(low),
            high=_percent(high),
            population=f"{estimate.population:,}",
            pages=f"between {fewest:,} and {most:,}" if fewest < most else f"{fewest:,}",
        )
    if estimate.unsure:
        told += UNSURE.format(unsure=f"{estimate.unsure:,}")
    return told


def _percent(share: float) -> str:
    """Return a share as `marking.js` does, which rounds halves up."""
    return f"{math.floor(1000 * share + 0.5) / 10:.1f}%"


# The pairs of a sample as one HTML page on which they are marked.
#
# It makes no request: style and script are in it, and its policy allows nothing else. Everything
# that came from the web is escaped.

MAX_ALONE_ON_PAGE = 800
"""Characters shown of a text that there is nothing to compare with."""
SAY_EVERY_PAIRS = 25
"""Pairs compared between two lines of progress."""


def as_page(directory: Path, sample: Sample, pairs: Sequence[Pair], say: Say) -> str:
    """Return the page, with the pairs in their order."""
    style, script = (packaged(__package__, name) for name in ("page.css", "marking.js"))
    # The browser keeps the marks under the same key for a larger sample of this seed.
    order = "\nby doubt" if sample.by_doubt else ""  # marks of the two orders are not mixed
    named = f"{directory.absolute()}\n{sample.crawl}\n{sample.seed}{order}"
    of = named.encode("utf-8", "surrogateescape")
    key = f"crawler-audit-{hashlib.sha256(of).hexdigest()[:24]}"
    body = [*_head(directory, sample), *_articles(sample, pairs, say)]
    return page(f"Audit of {shown(directory.name)}", style, body, script=script, key=key)


_AT_RANDOM = "The order is random: you may stop at any pair, but leave none out."
_BY_DOUBT = (
    "The most doubtful pairs come first, to find mistakes soon: only all of them together say "
    "something of the whole crawl."
)


def _head(directory: Path, sample: Sample) -> Iterator[str]:
    yield f"<h1>Audit of {shown(str(directory))}</h1>"
    yield f"<p>{escape(drawn_from(sample))}.</p>"
    yield (
        "<p>Is the first page of a pair a <b>copy</b> of the second, so that nobody misses "
        "it, or an <b>other page</b>? Keys: <kbd>c</kbd> copy, <kbd>o</kbd> other page, "
        "<kbd>u</kbd> unsure, <kbd>n</kbd> or <kbd>→</kbd> next, <kbd>p</kbd> or <kbd>←</kbd> "
        f"previous. {_BY_DOUBT if sample.by_doubt else _AT_RANDOM}</p>"
    )
    yield "<noscript><p><b>Marks need JavaScript; `audit DIR --terminal` does without.</b></p>"
    yield "</noscript>"
    yield f'<div class="bar"><div><progress max="{len(sample.drawn)}" value="0"></progress>'
    yield '<p role="status"><b id="marked"></b> <span id="kept"></span></p>'
    for stratum in {drawn.stratum: None for drawn in sample.drawn}:
        yield (
            f'<p data-stratum="{stratum}" data-population="{sample.populations[stratum]}"'
            f' data-wrong="{WRONG[stratum]}" data-nothing="{NOTHING[stratum]}"'
            f' data-template="{TEMPLATES[stratum]}" data-unsure="{UNSURE}"'
            f' data-biased="{BIASED[stratum] if sample.by_doubt else ""}"></p>'
        )
    yield '</div><button type="button" id="export">Export marks</button></div>'


def _articles(sample: Sample, pairs: Sequence[Pair], say: Say) -> Iterator[str]:
    buttons = "".join(
        f'<button type="button" data-mark="{mark}" aria-pressed="false"><kbd>{mark[0]}</kbd> '
        f"{mark}</button>"
        for mark in Mark
    )
    for number, pair in enumerate(pairs, 1):
        if number % SAY_EVERY_PAIRS == 0:
            say(progress(f"Comparing pair {number:,} of {len(pairs):,} ..."))
        line = escape(as_json(marked(sample, pair)).decode())
        yield f'<article tabindex="-1" data-line="{line}"><h2>{number} of {len(pairs)}</h2>'
        yield f'<p>{shown(verdict(pair))}</p><div class="sides">'
        for name, side in _sides(pair):
            title = shown(side.title) if side.title else '<span class="dim">no title</span>'
            url = shown(side.url) or '<span class="dim">its URL is not known</span>'
            yield f'<div><b>{name}</b><br>{title}<br><span class="url">{url}</span></div>'
        compared = compare(pair)
        if compared is None:
            for _, side in _sides(pair):
                kind = 'class="note"' if side.text is None else 'class="text" dir="auto"'
                yield f"<p {kind}>{escape(_alone(side, MAX_ALONE_ON_PAGE))}</p>"
        else:
            if compared.opening:
                yield f'<p class="both text" dir="auto">{escape(visible(compared.opening))} …</p>'
            for place, found in groupby(compared.shown, key=where):
                yield f'<h3 class="both">{escape(place)}</h3>'
                for passage in found:  # as either page has it
                    yield "".join(
                        f'<p class="text" dir="auto" data-side="{name}">'
                        f"{marked_html(spans(passage, without=other))}</p>"
                        for (name, _), other in zip(_sides(pair), _OTHERS, strict=True)
                    )
        yield "</div>"
        yield from (f'<p class="note">{escape(note)}</p>' for note in about(compared))
        yield f'<div class="choice">{buttons}</div></article>'


_OTHERS = Change.ADDED, Change.REMOVED
"""What either side of a pair does not have."""


def _sides(pair: Pair) -> tuple[tuple[str, Side], tuple[str, Side]]:
    """Return both pages, and what they are to each other."""
    names = "Dropped page", "Stored page"
    if pair.drawn.stored:
        names = "Stored as a sibling", "The page it is like"
    return (names[0], pair.page), (names[1], pair.stored)


def _alone(side: Side, most: int) -> str:
    """Return the beginning of a text that stands alone, or why there is none."""
    if side.text is None:
        return safe(f"No text of this page: {side.missing}.")
    return visible(side.text[:most]) + (" …" if len(side.text) > most else "")


MAX_ALONE = 400
"""Characters shown of a text that there is nothing to compare with."""

QUESTION = "copy, other page, unsure or quit [c/o/u/q]? "
_ANSWERS = {"c": Mark.COPY, "o": Mark.OTHER, "u": Mark.UNSURE}


def print_pair(console: Console, pair: Pair, number: int, of: int) -> None:
    """Print a pair: what was decided, both pages, and in what they differ."""
    print_line(console, safe(f"{number:,} of {of:,}  {verdict(pair)}"), "bold")
    for name, side in _sides(pair):
        print_line(console, f"{name}: {safe(side.title or 'no title')}")
        print_line(console, f"  {safe(side.url or 'its URL is not known')}")
    compared = compare(pair)
    if compared is None:
        for _, side in _sides(pair):
            print_line(console, _alone(side, MAX_ALONE))
    else:
        if compared.opening:
            print_line(console, f"{visible(compared.opening)} …")
        print_blocks(console, passages(compared.shown))
    for note in about(compared):
        print_line(console, note)
    console.print()


def ask(read: Callable[[str], str]) -> Mark | None:
    """Return what a person says of a pair, None if no more is to be asked.

    `read` shows its argument and returns a line; EOFError where there is none any more.
    """
    while True:
        try:
            answer = read(QUESTION).strip().casefold()
        except EOFError:
            return None
        if answer[:1] == "q":
            return None
        if answer[:1] in _ANSWERS:
            return _ANSWERS[answer[:1]]
