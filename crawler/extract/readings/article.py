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
from collections.abc import Sequence

from crawler.extract.lines.structure import NOWHERE
from crawler.extract.lines.visible import Line
from crawler.extract.text import word_characters

_PROSE, _PROSE_LINKED = 60, 0.3
"""Word characters of a line of prose, and the share of them that may be link text."""

_MOST = 0.7
"""Share of the prose found that the box of an article holds. Of .6 to .9, up to .8 give the same
texts on articles; with .9 F1 is .002 less, for comments of readers count as prose too."""

_LEAST = 500
"""Word characters of prose from which a page may be an article. With 200 items of lists are taken
for one, with 1,000 short news are not."""

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

_BESIDE = re.compile(
    r"[-_.>](?:author|bio|comments?|credits?|meta|widget)(?:$|[-_>])|(?<!>)caption|byline",
    re.IGNORECASE,
)
"""In an article's box, what stands beside its text; a `caption` of a table is none of these."""

_ELSEWHERE = re.compile(
    r"""\W*(?:
    (?:read|see|learn)\s(?:more|next|also|on\b) | also\s(?:read|on)\b
    | more\s(?:on|from|stories)\b | related(?:\s\w+)?: | recommended: | don['’]?t\smiss
    | you\s(?:may|might)\salso\slike | click\shere | subscribe | sign\sup
    | follow\s(?:us|me|him|her|\w+\son)\b | get\s(?:the\slatest|breaking)
    | like\sthis\s(?:story|article) | share\s(?:this|your) | watch(?:\smore)?:
    | (?:image|photo)\s(?:caption|copyright|credit|source) | photos?(?:\sby|:) | have\sa\stip
    | listen\sto | comments?$ | tags?: | filed\sunder | posted\sin
    | (?:延伸|相关)阅读[:：] | 阅读原文 | 扫码 | 关注我们 | 责任编辑)""",
    re.IGNORECASE | re.VERBOSE,
)
"""How lines between an article's paragraphs begin that lead elsewhere."""

_LONGEST = 200
"""Characters of a line that leads elsewhere; a longer one is a paragraph."""


def within_article(
    lines: Sequence[Line], found: Sequence[bool], kept: Sequence[bool]
) -> list[bool]:
    """Return the kept lines of a page, of one that is an article only those of its text.

    `found` are the lines of an extractor's main text. All kept lines are returned where no box is
    known to be an article's, or nothing would be left. Linear in the lines and their paths.
    """
    box = _article(lines, found)
    if box is None:
        return list(kept)
    of_text = {path for path in {line.path for line in lines} if _is_of_text(path, box)}
    flags = zip(lines, kept, strict=True)
    left = [flag and line.path in of_text and not _leads_elsewhere(line) for line, flag in flags]
    return left if any(left) else list(kept)


def _article(lines: Sequence[Line], found: Sequence[bool]) -> str | None:
    """Return the path of the box that is the page's article; None where there is none."""
    prose = Counter[str]()
    for line, is_found in zip(lines, found, strict=True):
        if is_found and (length := len(word_characters(line.text))) >= _PROSE:
            prose[line.path] += length * (line.linked < _PROSE_LINKED * length)
    total = prose.total()
    if total < _LEAST:
        return None
    around = _named(_densest(prose, _MOST * total))
    if around is None or _OF_MANY.search(around):
        return None
    return around if _stands_once(lines, around) else None


def _densest(prose: Counter[str], least: float) -> str:
    """Return the innermost box with at least so much prose; each path is gone through once."""
    held = Counter(prose)
    by_depth: dict[int, set[str]] = defaultdict(set)
    for path in prose:
        by_depth[path.count(">")].add(path)
    for depth in range(max(by_depth, default=0), -1, -1):
        for path in sorted(by_depth[depth]):
            if held[path] >= least and _label(path).partition(".")[0] in _BOXES:
                return path
            around = path.rpartition(">")[0]
            held[around] += held[path]
            by_depth[depth - 1].add(around)
    return ""


def _named(path: str) -> str | None:
    """Return the innermost element at or around a box that is named as an article's."""
    while path and not _NAMED.search(_label(path)):
        path = path.rpartition(">")[0]
    return path or None


def _label(path: str) -> str:
    """Return the innermost element of a path, with its class."""
    return path.rpartition(">")[2]


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


def _is_of_text(path: str, box: str) -> bool:
    return _is_in(path, box) and _BESIDE.search(path, len(box)) is None


def _leads_elsewhere(line: Line) -> bool:
    inside = line.box.inside if line.box is not None else NOWHERE
    if inside.heading is not None or inside.code is not None:
        return False  # a heading goes with what stands below it
    return len(line.text) <= _LONGEST and _ELSEWHERE.match(line.text) is not None
