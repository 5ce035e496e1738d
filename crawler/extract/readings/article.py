"""The box of a page's article, where it has one, and what in it is not the article's text.

Extractors find an article's paragraphs, but stray lines in menus and comments as well; where they
are not trusted all that is visible is kept. A template's author names the box of an article
(`article`, `post`, `entry-content`): one such box with most of the prose that was found is where
the text begins and ends. Text density says which box (Sun, Song and Liao, SIGIR 2011), names say
that it is an article's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from crawler.extract.lines.visible import Line
from crawler.extract.readings.places import LINKED, around, is_heading, label
from crawler.extract.text import word_characters

_PROSE, _PROSE_LINKED = 60, 0.3
"""Word characters of a line of prose, and the share of them that may be link text."""

_MOST = 0.7
"""Share of the prose found that the box of an article holds. Of .6 to .9, up to .8 give the same
texts on articles; with .9 F1 is .002 less, for comments of readers count as prose too. So much of
it is left whatever goes by a name or by how it begins: what has more is the text."""

_LEAST = 500
"""Word characters of prose from which a page may be an article. With 200 items of lists are taken
for one, with 1,000 short news are not."""

_NESTED = 8
"""Boxes of an article that are looked at, each within the next, as each takes a turn through the
lines. The gold pages have one to six."""

_BOXES = frozenset(("article", "body", "div", "main"))
"""Elements that an article's text may be in; the others are parts of one (a list, a section)."""

_NAMED = re.compile(
    r"^article\b|[-_.](?:article|story|entry|posts?|blog|news)(?:$|[-_]|body|content|text)",
    re.IGNORECASE,
)
"""An element that holds an article, by its tag or class."""

_OF_MANY = re.compile(
    r"[-_.](?:threads?|forums?|topics?|questions?|answers?|messages?|repl(?:y|ies)|comments?"
    r"|reviews?|cards?|items?)(?:$|[-_>])|>(?:li|td)\b",
    re.IGNORECASE,
)
"""In the path of a box that is one of many on its page, of which the others are text as well: the
answers below a question. Without this F1 of forums is .010 higher, as the gold texts of some have
the first post alone, but up to nine tenths of a thread are lost."""

_BESIDE = re.compile(r"[-_.>]comments?(?:$|[-_>])|byline", re.IGNORECASE)
"""In an article's box, what stands beside its text. Names as `author`, `meta` or `widget` are left
out: they are of whole articles as well, and win less than .0001 of F1 on the gold texts. Captions
are text: without them F1 of articles is .0005 higher, and that of seven types .0002."""

_ELSEWHERE = re.compile(
    r"""\W*(?:(?:
    (?:read|see|learn)\s(?:more|next|also|on) | also\s(?:read|on) | more\s(?:on|from|stories)
    | don['’]?t\smiss | you\s(?:may|might)\salso\slike | click\shere | subscribe | sign\sup
    | follow\s(?:us|me|him|her|\w+\son) | get\s(?:the\slatest|breaking)
    | like\sthis\s(?:story|article) | share\s(?:this|your) | watch(?:\smore)? | have\sa\stip
    | listen\sto
    )\b | related(?:\s\w+)?: | recommended: | (?:延伸|相关)阅读 | 阅读原文 | 扫码 | 关注我们
    | (?P<credit>(?:
        (?:tags|filed\sunder|posted\sin|photos?)\s?[:：] | photos?\sby\b
        | (?:image|photo)\s(?:copyright|credit|source)\b | 责任编辑
      ).*(?<![.!?。！？])$))""",
    re.IGNORECASE | re.VERBOSE,
)
"""How lines between an article's paragraphs begin that lead elsewhere, if they are links; and those
that name its makers or its place, links or not (with a full stop they are sentences)."""

_IN_ORDER = re.compile(r">(?:ol|dl|table)\b")
"""In the path of steps, definitions and tables, which are text however they begin."""

_LONGEST = 200
"""Characters of a line that leads elsewhere; a longer one is a paragraph."""


def within_article(
    lines: Sequence[Line], found: Sequence[bool], kept: Sequence[bool]
) -> list[bool]:
    """Return the kept lines of a page, of one that is an article only those of its text.

    `found` are the lines of an extractor's main text. All kept lines are returned where no box is
    known to be an article's. What stands outside of it, what stands beside its text and what leads
    elsewhere goes, each only if `_MOST` of the kept prose that was found is left. Linear in the
    lines and their paths.
    """
    left = list(kept)
    prose = _prose(lines, found)
    least = _MOST * sum(_chosen(prose, kept))
    box = _article(lines, prose)
    if box is None or not least:
        return left
    paths = {line.path for line in lines}
    outside = {path for path in paths if not _is_in(path, box)}
    beside = {path for path in paths - outside if _BESIDE.search(path, len(box))}
    in_order = {path for path in paths if _IN_ORDER.search(path)}
    cuts: tuple[Callable[[Line], bool], ...] = (
        lambda line: line.path in outside,
        lambda line: line.path in beside,
        lambda line: line.path not in in_order and _leads_elsewhere(line),
    )
    for goes in cuts:
        fewer = [was and not goes(line) for line, was in zip(lines, left, strict=True)]
        if sum(_chosen(prose, fewer)) >= least:
            left = fewer
    return left


def _prose(lines: Sequence[Line], found: Sequence[bool]) -> list[int]:
    """Return by line how many word characters of prose were found in it."""
    lengths = [
        len(word_characters(line.text)) if is_found else 0
        for line, is_found in zip(lines, found, strict=True)
    ]
    return [
        length if length >= _PROSE and line.linked < _PROSE_LINKED * length else 0
        for line, length in zip(lines, lengths, strict=True)
    ]


def _chosen(weights: Sequence[int], flags: Sequence[bool]) -> Iterator[int]:
    return (weight for weight, flag in zip(weights, flags, strict=True) if flag)


def _article(lines: Sequence[Line], prose: Sequence[int]) -> str | None:
    """Return the path of the box that is the page's article; None where there is none.

    Boxes that are named so may stand in one another, and it is the outermost: what a template's
    author names the content has the title and the lead above it.
    """
    by_path = Counter[str]()
    for line, weight in zip(lines, prose, strict=True):
        by_path[line.path] += weight
    total = by_path.total()
    if total < _LEAST:
        return None
    named = islice(_named(_densest(by_path, _MOST * total)), _NESTED)
    boxes = takewhile(lambda box: not _OF_MANY.search(box) and _stands_once(lines, box), named)
    return min(boxes, key=len, default=None)


def _densest(prose: Counter[str], least: float) -> str:
    """Return the innermost box with at least so much prose; each path is gone through once."""
    held = Counter(prose)
    by_depth: dict[int, set[str]] = defaultdict(set)
    for path in prose:
        by_depth[path.count(">")].add(path)
    for depth in range(max(by_depth, default=0), -1, -1):
        for path in sorted(by_depth[depth]):
            if held[path] >= least and label(path).partition(".")[0] in _BOXES:
                return path
            held[around(path)] += held[path]
            by_depth[depth - 1].add(around(path))
    return ""


def _named(path: str) -> Iterator[str]:
    """Yield the elements at and around a box that are named as an article's, innermost first."""
    while path:
        if _NAMED.search(label(path)):
            yield path
        path = around(path)


def _stands_once(lines: Sequence[Line], box: str) -> bool:
    """Whether all lines of a path stand together: pages of many articles have one after another."""
    begun, is_before = 0, False
    for line in lines:
        is_in = _is_in(line.path, box)
        begun += is_in and not is_before
        is_before = is_in
    return begun == 1


def _is_in(path: str, box: str) -> bool:
    return path.startswith(box) and path[len(box) : len(box) + 1] in ("", ">")


def _leads_elsewhere(line: Line) -> bool:
    begin = _ELSEWHERE.match(line.text) if len(line.text) <= _LONGEST else None
    if begin is None or is_heading(line):
        return False  # a heading goes with what stands below it
    if line.box is not None and line.box.inside.code is not None:
        return False
    is_link = line.linked > LINKED * len(word_characters(line.text))
    return is_link or begin["credit"] is not None
