"""A page written anew: each element ends where its own end tag stands, and none is too deep.

Parsers are left nothing to guess: what this has open they have open, or less, so that no more than
MAX_DEPTH elements can be.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from crawler.extract.bounds.limits import MAX_DEPTH, MAX_FORMATTING, MAX_ROOTS
from crawler.extract.bounds.nesting import (
    BREAKOUT,
    ENDS,
    FOREIGN,
    FORMATTING,
    IN_SELECT,
    INTEGRATION,
    MARKERS,
    ROOTS,
    SPECIAL,
    STARTS,
    TABLE_MARKERS,
    TABLE_PARTS,
    VOID,
    Chain,
)
from crawler.extract.bounds.tags import RAW, RAW_ENDS, TAG, lowered, shortened

_TABLE_DEPTH = 3
"""Elements that may be open for one `table`: a parser adds `tbody` and `tr`."""


def rewritten(html: str) -> str:
    """Return a page with its text and its links, and elements within bounds."""
    return "".join(_Rewriter(html).pieces())


class _Element(NamedTuple):
    name: str
    foreign: str
    """Which of FOREIGN it is part of, if not of HTML."""
    depth: int
    """Elements that may be open, with it."""
    marker: int
    special: int
    table: int
    """The last elements up to it that end tags do not look beyond: places among the open ones."""


_OUTSIDE = _Element("", "", 0, 0, 0, 0)


class _Rewriter:
    """Goes through the tags of one page."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._open = [_OUTSIDE]
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        """Where the open elements of a name are among all."""
        self._undone: Counter[str] = Counter()
        """Tags left out, or ended at once, whose end tags are still to come."""
        self._formatting = 0
        self._roots = 0
        self._has_frames = False

    def pieces(self) -> Iterable[str]:
        """Yield what the page is made of."""
        html, at = self._html, 0
        while tag := TAG.search(html, at):
            yield html[at : tag.start()]
            at = tag.end()
            if tag["comment"] is not None:
                yield tag[0]
            elif tag["cdata"] is not None:
                at, text = self._section(at)
                yield text
            elif tag[0][1] == "/":
                yield from self._ended(lowered(tag["name"][1:]), tag[0])
            else:
                name = lowered(tag["name"])
                yield from self._left_by(name)
                is_raw = name in RAW and not self._foreign()
                yield from self._begun(name, shortened(tag))
                if is_raw:
                    at, text = self._raw(name, at)
                    yield text
        yield html[at:]

    def _raw(self, name: str, at: int) -> tuple[int, str]:
        """Return where the content of a raw element ends, and what it is."""
        end = RAW_ENDS[name].search(self._html, at)
        assert end is not None  # the end of the page is one
        text = self._html[at : end.start()]
        if self._has_frames:  # among which it is none, and its content is read
            text = text.replace("<", "&lt;")
        # A script may hold another one, and the end tag be that one's.
        return end.start(), text.replace("<!--", "<! --")

    def _section(self, at: int) -> tuple[int, str]:
        """Return where a CDATA section ends, and what it says."""
        mark = "]]>" if self._foreign() else ">"
        end = self._html.find(mark, at)
        end = len(self._html) if end < 0 else end
        text = self._html[at:end] if self._foreign() else ""
        return end + len(mark), text.replace("&", "&amp;").replace("<", "&lt;")

    # ----------------------------------------------------------------------------------------------
    # Start tags

    def _begun(self, name: str, text: str) -> Iterable[str]:
        if name in ROOTS and not self._foreign():
            self._roots += 1
            self._has_frames |= name == "frameset"
            if self._roots <= 2 * MAX_ROOTS:
                yield text
            return
        foreign = self._foreign() or (name if name in FOREIGN else "")
        if not foreign:
            yield from self._chained(STARTS.get(name, ()))
            if name in VOID or name in RAW:
                yield text
                return
        if name == "plaintext" or (name in FORMATTING and self._formatting >= MAX_FORMATTING):
            self._undone[name] += 1
            return
        if foreign and text.endswith("/>"):
            # Ended where it belongs to a drawing, and wherever else it might stand.
            yield f"{text[:-2]}></{name}>"
            return
        if name == "annotation-xml":
            text = f"<{name}>"  # by its attributes its content may be HTML
        last = self._open[-1]
        depth = last.depth + (_TABLE_DEPTH if name == "table" else 1)
        if depth > MAX_DEPTH:
            self._undone[name] += 1
            yield f"{text}</{name}>"
            return
        self._push(name, foreign, depth)
        yield text

    def _left_by(self, name: str) -> Iterable[str]:
        """End drawings and lists of options that a start tag ends."""
        if name in BREAKOUT and self._foreign():
            while self._foreign():
                yield self._pop()
        selects = self._places["select"]
        if selects and name not in IN_SELECT:
            yield from self._down_to(selects[-1])

    def _foreign(self) -> str:
        """Return which of FOREIGN an element that comes now is part of, if not of HTML."""
        last = self._open[-1]
        is_html = not last.foreign or last.name in INTEGRATION[last.foreign]
        return "" if is_html else last.foreign

    def _push(self, name: str, foreign: str, depth: int) -> None:
        last, place = self._open[-1], len(self._open)
        self._places[name].append(place)
        self._formatting += name in FORMATTING
        self._open.append(
            _Element(
                name,
                foreign,
                depth,
                place if name in MARKERS else last.marker,
                place if name in SPECIAL else last.special,
                place if name in TABLE_MARKERS else last.table,
            )
        )

    # ----------------------------------------------------------------------------------------------
    # End tags

    def _ended(self, name: str, text: str) -> Iterable[str]:
        if self._undone[name]:
            self._undone[name] -= 1
            return
        places = self._places[name]
        if not places:
            if name == "br" or name in RAW or name in ROOTS:
                yield text
            return
        yield from self._implied(name, places[-1])
        last = self._open[-1]
        before = self._open[places[-1]]
        barrier = last.special
        if name in TABLE_PARTS:
            barrier = last.table
        elif name in SPECIAL:
            barrier = last.marker
        if places[-1] >= barrier or (before.foreign and last.foreign):
            yield from self._down_to(places[-1])

    def _chained(self, chain: Chain) -> Iterable[str]:
        for names in chain:
            last = self._open[-1]
            if last.name in names and not last.foreign:
                yield self._pop()

    def _implied(self, name: str, place: int) -> Iterable[str]:
        """End what the end tag of the element at a place implies, if nothing else is within it."""
        last = len(self._open) - 1
        for names in ENDS.get(name, ()):
            if self._open[last].name in names:
                last -= 1
        if last == place:
            yield from self._down_to(place + 1)

    def _down_to(self, place: int) -> Iterable[str]:
        while len(self._open) > place:
            yield self._pop()

    def _pop(self) -> str:
        name = self._open.pop().name
        self._places[name].pop()
        self._formatting -= name in FORMATTING
        return f"</{name}>"
