"""Markup brought within bounds before it is parsed, so that parsing it is linear.

The HTML standard lets a page say things that take quadratic time: an element may be nested in any
number of others, which every further tag looks through; formatting that is never closed is opened
anew in every block; each attribute of a tag is compared with all others. Pages of that kind are
read here as browsers read them that set bounds, and what they say comes out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import accumulate, islice

MAX_DEPTH = 512
"""Elements within each other, without those in _SHALLOW; deeper ones stand beside each other. As
Blink has it (kMaximumHTMLParserDOMTreeDepth). 500 KB of nested `div` took 13 s without it."""

MAX_FORMATTING = 16
"""Formatting elements within each other; further ones are left out, for they say nothing of a
text. 50 KB of them, no two alike, became four million elements, and real pages have some five."""

MAX_ATTRIBUTES = 512
"""Kept of one tag: real ones have up to some dozens. 29,000 of them, 200 KB, took 2.3 s."""

MAX_ROOTS = 16
"""Tags of `html` and of `body`: the attributes of all are gathered on the first of each."""

_SMALL = 20_000
"""Characters of a page that is not looked at for depth: whatever it says, it takes some 50 ms."""

_RAW_NAMES = "script style textarea title xmp iframe noembed noframes".split()
_RAW = "|".join([*_RAW_NAMES, *map(str.upper, _RAW_NAMES)])
"""Elements whose content is no markup; without letter case the expression takes twice the time."""
_UNREAD = (
    r"!--(?:-?>|(?:[^-]++|-(?!-!?>))*+)"
    rf"|(?P<raw>{_RAW})(?=[\s/>])(?:[^<]++|<(?!/(?i:(?P=raw))))*+"
)
_NAME = rf"/?(?!(?:{_RAW})[\s/>])[a-zA-Z][^\s/>]*+"
_ATTRIBUTES = r"""[^>=]*+(?:=\s*+(?:"[^"]*+"|'[^']*+')?+[^>=]*+)*+"""
_UNREAD_ALONE = r"!--(?:-?>|(?:[^-]++|-(?!-!?>))*+)|" + "|".join(
    rf"{raw}(?=[\s/>])(?:[^<]++|<(?!/(?i:{raw})))*+" for raw in _RAW.split("|")
)
"""The same without a group: that of a name is the only one, so that `findall` gives strings."""
_TAG_NAME = re.compile(rf"<(?:({_NAME})|{_UNREAD_ALONE})")
_TAG = re.compile(rf"<(?:(?P<name>{_NAME})(?P<rest>{_ATTRIBUTES})(?:>|\Z)|{_UNREAD})")
_ATTRIBUTE = re.compile(r"""[^\s/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s]*+))?+""")
_LONG = 8192
_LONG_TAG = re.compile(rf"<[A-Za-z][^<>]{{{_LONG}}}")
"""A tag that is looked at for its attributes: those of shorter ones take some 30 ms at worst."""

_FORMATTING = frozenset("b big code em font i s small strike strong tt u".split())
"""What is opened anew in the next block (HTML standard, 13.2.4.3), apart from `a` and `nobr`, of
which there is one at a time."""

_ROOTS = frozenset(("body", "html"))
_SHALLOW = frozenset(
    """
    a area base basefont bgsound br button caption col colgroup dd dt embed form frame h1 h2 h3
    h4 h5 h6 head hr image img input keygen li link meta nobr optgroup option p param select
    source tbody td tfoot th thead tr track wbr
    """.split()
)
"""Elements that have no content, or that the next of their kind closes, or are none outside of
others: real pages leave hundreds of them open, and they do not go deep by themselves."""


def bounded(html: str, *, xml: bool) -> str:
    """Return a page that is parsed in linear time; the page itself where nothing is beyond bounds.

    `xml` tells that `<div/>` is closed. All text remains, and so does each link. How deep a tag
    stands is estimated from the tags before it, by their names alone.
    """
    if _is_within(html):
        return html
    return _TAG.sub(_Bounds(xml), html)


def _is_within(html: str) -> bool:
    """Whether the page certainly is, and costs little to parse as it stands.

    Counts names without an object for each tag, since nearly all pages need no more.
    """
    if _may_have_long_tags(html) and any(
        _has_many_attributes(html, found.start()) for found in _LONG_TAG.finditer(html)
    ):
        return False
    names = _TAG_NAME.findall(html)
    counts = Counter(names)
    if any(counts[name] > MAX_ROOTS for name in counts if name.lower() in _ROOTS):
        return False
    deep = {name.lower() for name in counts if name and name[0] != "/"} - _SHALLOW - _ROOTS
    if _depth(names, counts, deep & _FORMATTING, MAX_FORMATTING) > MAX_FORMATTING:
        return False
    return len(html) <= _SMALL or _depth(names, counts, deep, MAX_DEPTH) <= MAX_DEPTH


def _may_have_long_tags(html: str) -> bool:
    """Whether there may be a tag of _LONG characters: one spans half as many from a round place.

    Nearly all pages have a bracket soon after each such place, so that little of them is read.
    """
    half = _LONG // 2
    return any(
        html.find("<", place, place + half) < 0 and html.find(">", place, place + half) < 0
        for place in range(0, len(html) - half + 1, half)
    )


def _depth(names: Sequence[str], counts: Mapping[str, int], among: Set[str], few: int) -> int:
    """Return an upper bound of how many elements `among` some names are open at once.

    `names` are those of all tags as written, with their `counts`. The bound is how far (start tags
    - end tags) moves, and what end tags without a start tag may have hidden of it; where there are
    but a `few` start tags, their number.
    """
    steps = {name: step for name in counts if (step := _step(name.lower(), among))}
    starts = sum(counts[name] for name, step in steps.items() if step > 0)
    if starts <= few:
        return starts
    balance: Counter[str] = Counter()
    for name, step in steps.items():
        balance[name.removeprefix("/").lower()] += step * counts[name]
    hidden = -sum(min(0, left) for left in balance.values())
    moves = map(steps.__getitem__, filter(steps.__contains__, names))
    heights = list(accumulate(moves, initial=0))
    return hidden + max(heights) - min(heights)


def _step(name: str, among: Set[str]) -> int:
    if name in among:
        return 1
    return -1 if name.removeprefix("/") in among else 0


class _Bounds:
    """Replaces tags, one after another."""

    def __init__(self, xml: bool) -> None:
        self._xml = xml
        self._open: Counter[str] = Counter()
        self._undone: Counter[str] = Counter()
        """Tags left out, or closed at once, whose end tags are still to come."""
        self._depth = 0
        self._formatting = 0
        self._roots = 0

    def __call__(self, tag: re.Match[str]) -> str:
        """Return what stands for a tag."""
        name, attributes = tag["name"], tag["rest"]
        if name is None:
            return tag[0]
        if name[0] == "/":
            return self._ended(name[1:].lower(), tag[0])
        text = tag[0] if len(attributes) <= 2 * MAX_ATTRIBUTES else _shortened(tag)
        return self._begun(name.lower(), text)

    def _begun(self, name: str, text: str) -> str:
        if name in _ROOTS:
            self._roots += 1
            return text if self._roots <= 2 * MAX_ROOTS else ""
        if name in _SHALLOW or (self._xml and text.endswith("/>")):
            return text
        if name in _FORMATTING and self._formatting >= MAX_FORMATTING:
            self._undone[name] += 1
            return ""
        if self._is_drawn(text):
            # Closed where it belongs to a drawing, and wherever else it might stand.
            return f"{text[:-2]}></{name}>"
        if self._depth >= MAX_DEPTH:
            self._undone[name] += 1
            return f"{text}</{name}>"
        self._open[name] += 1
        self._depth += 1
        self._formatting += name in _FORMATTING
        return text

    def _is_drawn(self, text: str) -> bool:
        return text.endswith("/>") and bool(self._open["svg"] or self._open["math"])

    def _ended(self, name: str, text: str) -> str:
        if self._undone[name]:
            self._undone[name] -= 1
            return ""
        if self._open[name]:
            self._open[name] -= 1
            self._depth -= 1
            self._formatting -= name in _FORMATTING
        return text


def _has_many_attributes(html: str, position: int) -> bool:
    """Whether the tag at a position, if it is one, has more than MAX_ATTRIBUTES."""
    tag = _TAG.match(html, position)
    return tag is not None and tag["name"] is not None and _shortened(tag) != tag[0]


def _shortened(tag: re.Match[str]) -> str:
    """Return a tag with its first MAX_ATTRIBUTES attributes."""
    ends = [found.end() for found in islice(_ATTRIBUTE.finditer(tag["rest"]), MAX_ATTRIBUTES + 1)]
    if len(ends) <= MAX_ATTRIBUTES:
        return tag[0]
    return f"<{tag['name']}{tag['rest'][: ends[-2]]}>"
