"""Visible text: what a reader of the rendered page would see, as far as markup alone tells.

Style sheets and scripts are not run: what they hide or show is unknown here. One iterative walk
over an untouched tree, so neither depth nor mutation can harm it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.paths import BLOCKS, CELLS, Place
from crawler.extract.text import folded, word_characters

_NEVER_SEEN = frozenset(
    """
    -comment annotation annotation-xml area audio base basefont canvas datalist head iframe link
    meta noembed noframes noscript param rp script select style svg template textarea title video
    """.split()
)
"""Never displayed (HTML standard 15.3.1), not text (drawings, form fields, the TeX behind a
formula), or shown only by a browser that lacks something (noscript, video)."""

_FURNITURE_ROLES = frozenset(("banner", "contentinfo", "navigation"))

_NOTHING, _SOMETHING = 40, 400
"""Word characters below which a page shows nothing (its name, a notice), and from which what it
hides is a text rather than a notice that scripts are needed. Forums that are programs show nothing
of their threads but in `noscript`."""

_HIDING = '[hidden], [aria-hidden], dialog:not([open]), [style*="display" i]'
_DISPLAY_NONE = re.compile(r"display\s*:\s*none", re.IGNORECASE)


class Line(NamedTuple):
    """One line of visible text."""

    text: str
    """White space folded; never empty."""
    linked: int
    """How many of its word characters are link text."""
    path: str = ""
    """Where it stands: its block elements with their first classes, as `body>div.main>p`."""


_TEXT, _BLOCK, _CELL, _LINK, _INLINE, _UNSEEN = range(1, 7)
"""What a node is to the lines of a page; the first three are their texts, or begin or part them.
No enum: its members would be looked up for each node."""


def _kind_of(tag: str) -> int:
    if tag == "-text":
        return _TEXT
    if tag in BLOCKS:
        return _BLOCK
    if tag in CELLS:
        return _CELL
    if tag in _NEVER_SEEN:
        return _UNSEEN
    return _LINK if tag == "a" else _INLINE


_STANDARD = 256
"""Tag ids below it stand for the same tag in all pages; those of unknown tags are addresses."""

_KINDS: dict[int, int] = {}
"""Tag id -> kind, for those met so far: the tag's name takes more than twice as long to read."""


def visible_lines(tree: LexborHTMLParser) -> list[Line]:
    """Return the text outside nav, header and footer, one block a line, in document order.

    Elements with those roles (navigation, banner, contentinfo) count as such; a header or footer
    within an article, aside, main or section is content. A page that has nothing outside of them
    is all content: an unclosed nav swallows the rest of its page. One that shows next to nothing is
    read with what scripts would reveal, and what stands there for a reader without scripts, if that
    is a text.
    """
    body = tree.body
    if body is None:
        return []
    shown = _read(body, _Walk(tree))
    if _length(shown) >= _NOTHING:
        return shown
    revealed = _read(body, _Walk(tree, reveals=True))
    return revealed if _length(revealed) >= _SOMETHING else shown


def _read(body: LexborNode, walk: _Walk) -> list[Line]:
    walk.read(body)
    return walk.content or walk.furniture


def _length(lines: Iterable[Line]) -> int:
    return sum(len(word_characters(line.text)) for line in lines)


def text_of(lines: Iterable[Line]) -> str:
    """Return the lines as one text."""
    return "\n".join(line.text for line in lines)


class _Walk:
    """One pass over a page, in document order."""

    def __init__(self, tree: LexborHTMLParser, *, reveals: bool = False) -> None:
        self.content: list[Line] = []
        self.furniture: list[Line] = []
        hiding = () if reveals else tree.css(_HIDING)
        self._hidden = {node.mem_id for node in hiding if _hides(node)}
        self._reveals = reveals
        self._furnishing = {node.mem_id for node in tree.css("[role]") if _is_furniture(node)}
        self._place = Place()
        self._in_link = False
        self._texts: list[str] = []
        """Of the line that is being gathered."""
        self._linked = 0

    def read(self, root: LexborNode) -> None:
        """Add all texts below `root`."""
        ancestors: list[tuple[LexborNode, int, Place, bool]] = []
        node = root.first_child
        while node is not None:
            kind = _KINDS.get(node.tag_id) or _learned(node)
            child = None
            if kind == _TEXT:
                self._add(node.text_content or "")
            elif (
                kind != _UNSEEN or (self._reveals and node.tag == "noscript")
            ) and node.mem_id not in self._hidden:
                if kind <= _CELL:
                    self._set_apart(kind)
                child = node.first_child
            if child is not None:
                ancestors.append((node, kind, self._place, self._in_link))
                if kind != _INLINE or self._furnishing:
                    self._enter(node, kind)
                node = child
                continue
            following = node.next
            while following is None and ancestors:
                node, kind, place, in_link = ancestors.pop()
                if kind != _INLINE or self._furnishing:
                    self._leave(kind, place, in_link)
                following = node.next
            node = following
        self._end()

    def _enter(self, node: LexborNode, kind: int) -> None:
        furnishes = node.mem_id in self._furnishing
        if kind <= _CELL or furnishes:
            classes = node.attrs.get("class")
            self._place = self._place.within(node.tag or "", classes, furnishes)
        elif kind == _LINK:
            self._in_link = True

    def _leave(self, kind: int, place: Place, in_link: bool) -> None:
        if kind <= _CELL:
            self._set_apart(kind)
        if place.is_furniture is not self._place.is_furniture:
            self._end()
        self._place, self._in_link = place, in_link

    def _add(self, text: str) -> None:
        if self._place.preformatted and "\n" in text:
            first, *others = text.split("\n")
            self._gather(first)
            for line in others:
                self._end()
                self._gather(line)
        elif text.isspace():
            if self._texts:
                self._texts.append(" ")
        else:
            self._gather(text)

    def _gather(self, text: str) -> None:
        self._texts.append(text)
        if self._in_link:
            self._linked += len(word_characters(text))

    def _set_apart(self, kind: int) -> None:
        if kind == _BLOCK:
            self._end()
        elif kind == _CELL:
            self._texts.append(" ")

    def _end(self) -> None:
        """End the line that is being gathered."""
        if not self._texts:
            return
        text = folded("".join(self._texts))
        self._texts.clear()
        if text:
            lines = self.furniture if self._place.is_furniture else self.content
            lines.append(Line(text, self._linked, self._place.path))
        self._linked = 0


def _learned(node: LexborNode) -> int:
    kind = _kind_of(node.tag or "")
    if node.tag_id < _STANDARD:
        _KINDS[node.tag_id] = kind
    return kind


def _hides(node: LexborNode) -> bool:
    attributes = node.attributes
    if node.tag == "dialog" or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    if _DISPLAY_NONE.search(attributes.get("style") or ""):
        return True
    # `until-found` hides only until the reader searches for the text.
    return "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found"


def _is_furniture(node: LexborNode) -> bool:
    roles = (node.attributes["role"] or "").lower().split()
    return bool(roles) and roles[0] in _FURNITURE_ROLES
