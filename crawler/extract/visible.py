"""Visible text: what a reader of the rendered page would see, as far as markup alone tells.

Style sheets and scripts are not run: what they hide or show is unknown here. One iterative walk
over an untouched tree, so neither depth nor mutation can harm it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.text import folded, word_characters

_BLOCKS = frozenset(
    """
    address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav
    ol optgroup option p plaintext pre search section summary table tbody tfoot thead tr ul xmp
    """.split()
)
"""Elements that begin and end a line (HTML standard 15.3)."""

_CELLS = frozenset(("td", "th"))
"""Elements set apart by space within a line."""

_UNSEEN = frozenset(
    """
    -comment annotation annotation-xml area audio base basefont canvas datalist head iframe link
    meta noembed noframes noscript param rp script select style svg template textarea title video
    """.split()
)
"""Never displayed (HTML standard 15.3.1), not text (drawings, form fields, the TeX behind a
formula), or shown only by a browser that lacks something (noscript, video)."""

_PREFORMATTED = frozenset(("listing", "plaintext", "pre", "xmp"))
_SECTIONING = frozenset(("article", "aside", "main", "nav", "section"))
"""A header or footer in one of these is its own and not the page's (HTML-AAM 1.0, 3.5)."""

_FURNITURE_ROLES = frozenset(("banner", "contentinfo", "navigation"))
_HIDING = '[hidden], [aria-hidden], dialog:not([open]), [style*="display" i]'
_DISPLAY_NONE = re.compile(r"display\s*:\s*none", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of visible text."""

    text: str
    """White space folded; never empty."""
    linked: int
    """How many of its word characters are link text."""


class _Lines:
    """Gathers texts into lines."""

    def __init__(self) -> None:
        self.finished: list[Line] = []
        self._texts: list[str] = []
        self._linked = 0

    def add(self, text: str, linked: bool) -> None:
        self._texts.append(text)
        if linked:
            self._linked += len(word_characters(text))

    def end(self) -> None:
        if self._texts:
            text = folded("".join(self._texts))
            if text:
                self.finished.append(Line(text, self._linked))
            self._texts.clear()
            self._linked = 0


class _Context(NamedTuple):
    """What holds for the children of an element."""

    lines: _Lines
    """Where their text goes: the page's content or its furniture."""
    sectioned: bool = False
    preformatted: bool = False
    linked: bool = False


def visible_lines(tree: LexborHTMLParser) -> list[Line]:
    """Return the text outside nav, header and footer, one block a line, in document order.

    Elements with those roles (navigation, banner, contentinfo) count as such; a header or footer
    within an article, aside, main or section is content. A page that has nothing outside of them
    is all content: an unclosed nav swallows the rest of its page.
    """
    body = tree.body
    if body is None:
        return []
    content, furniture = _Lines(), _Lines()
    _Walk(tree, furniture).read(body, _Context(content))
    content.end()
    furniture.end()
    return content.finished or furniture.finished


def text_of(lines: Iterable[Line]) -> str:
    """Return the lines as one text."""
    return "\n".join(line.text for line in lines)


class _Walk:
    """One pass over a page, in document order."""

    def __init__(self, tree: LexborHTMLParser, furniture: _Lines) -> None:
        self._furniture = furniture
        self._hidden = {node.mem_id for node in tree.css(_HIDING) if _hides(node)}
        self._furnishing = {node.mem_id for node in tree.css("[role]") if _is_furniture(node)}

    def read(self, root: LexborNode, context: _Context) -> None:
        """Add all texts below `root`."""
        ancestors: list[tuple[LexborNode, str, _Context]] = []
        node = root.first_child
        while node is not None:
            tag = node.tag or ""
            child = None
            if tag == "-text":
                _add_text(node, context)
            elif tag not in _UNSEEN and node.mem_id not in self._hidden:
                _set_apart(tag, context)
                child = node.first_child
            if child is not None:
                ancestors.append((node, tag, context))
                context = self._within(node, tag, context)
                node = child
                continue
            following = node.next
            while following is None and ancestors:
                node, tag, outer = ancestors.pop()
                _set_apart(tag, context)
                if context.lines is not outer.lines:
                    context.lines.end()
                context = outer
                following = node.next
            node = following

    def _within(self, node: LexborNode, tag: str, outer: _Context) -> _Context:
        furnishes = tag == "nav" or (tag in ("header", "footer") and not outer.sectioned)
        if furnishes or node.mem_id in self._furnishing:
            return outer._replace(lines=self._furniture)
        if tag in _SECTIONING:
            return outer._replace(sectioned=True)
        if tag in _PREFORMATTED:
            return outer._replace(preformatted=True)
        return outer._replace(linked=True) if tag == "a" else outer


def _add_text(node: LexborNode, context: _Context) -> None:
    text = node.text_content or ""
    if context.preformatted and "\n" in text:
        first, *others = text.split("\n")
        context.lines.add(first, context.linked)
        for line in others:
            context.lines.end()
            context.lines.add(line, context.linked)
    else:
        context.lines.add(text, context.linked)


def _set_apart(tag: str, context: _Context) -> None:
    if tag in _BLOCKS:
        context.lines.end()
    elif tag in _CELLS:
        context.lines.add(" ", linked=False)


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
