"""Visible text: what a reader of the rendered page would see, as far as markup alone tells.

Style sheets and scripts are not run: what they hide or show is unknown here. One iterative walk
over an untouched tree, so neither depth nor mutation can harm it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.chrome import (
    LONGEST_ANCHOR,
    LONGEST_BUTTON,
    has_numbers,
    is_anchor,
    is_button,
    is_chrome,
    may_be_chrome,
)
from crawler.extract.languages import language_of
from crawler.extract.paths import BLOCKS, FURNISHES, IS_CHROME, Place
from crawler.extract.structure import (
    CELL,
    CODE,
    DEFINITIONS,
    END_OF_CHROME,
    END_OF_CODE,
    END_OF_FORMULA,
    END_OF_LINK,
    GOVERNING,
    IN_CHROME,
    IN_CODE,
    IN_FORMULA,
    IN_LINK,
    ITEMS,
    MAX_BOXES,
    NOWHERE,
    Box,
)
from crawler.extract.text import folded, word_characters

_NEVER_SEEN = frozenset(
    """
    -comment annotation-xml area audio base basefont canvas datalist head iframe link
    meta noembed noframes noscript param rp select style svg template textarea title video
    """.split()
)
"""Never displayed (HTML standard 15.3.1), not text (drawings, form fields, the TeX behind a
formula), or shown only by a browser that lacks something (noscript, video)."""

_FURNITURE_ROLES = frozenset(("banner", "contentinfo", "navigation"))

_NOTHING, _SOMETHING = 40, 400
"""Word characters below which a page shows nothing (its name, a notice), and from which what it
hides is a text rather than a notice that scripts are needed. Forums that are programs show nothing
of their threads but in `noscript`."""

_LABELLED_BY = '[hidden], [aria-hidden], dialog:not([open]), [style*="display" i], [role]'
_DISPLAY_NONE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_DRAWN_FORMULA = re.compile(r"\bmwe-math-mathml")
"""MediaWiki hides the formula, and shows a picture of it."""


class Line(NamedTuple):
    """One line of visible text."""

    text: str
    """White space folded; never empty."""
    linked: int
    """How many of its word characters are link text."""
    path: str = ""
    """Where it stands: its block elements with their first classes, as `body>div.main>p`."""
    box: Box | None = None
    """The innermost element of structure that it ends in."""
    marked: str = ""
    """Its text as it is written, white space and marks included (`structure`), where these say
    something: in code, in rows of cells, and where code, formulas, links or chrome are in it."""
    notes: tuple[str, ...] = ()
    """What its marks tell of, in order."""
    at: int = 0
    """In code, the number of its row; in a row of a table, that of the cell it begins in."""
    chrome: bool = False
    """Whether it belongs to the page and not to its text (`chrome`)."""
    broken: bool = False
    """Whether it is the paragraph of the line before, after a `br`."""


(
    _TEXT,
    _BLOCK,
    _BREAK,
    _CELL,
    _HEAD_CELL,
    _LINK,
    _CODE,
    _FORMULA,
    _LABELLED,
    _INLINE,
    _UNSEEN,
    _ANNOTATION,
    _SCRIPT,
) = range(1, 14)
"""What a node is to the lines of a page: those up to the cells are their texts, or begin or part
them; up to _LABELLED, something holds in them; those after _UNSEEN are unseen but for their TeX.
No enum: its members would be looked up for each node."""

_KINDS_BY_TAG = {
    "-text": _TEXT,
    "a": _LINK,
    "annotation": _ANNOTATION,
    "br": _BREAK,
    "code": _CODE,
    "kbd": _CODE,
    "math": _FORMULA,
    "samp": _CODE,
    "script": _SCRIPT,
    "td": _CELL,
    "th": _HEAD_CELL,
    "tt": _CODE,
    **dict.fromkeys(_NEVER_SEEN, _UNSEEN),
    **dict.fromkeys(BLOCKS - {"br"}, _BLOCK),
}

_STANDARD = 256
"""Tag ids below it stand for the same tag in all pages; those of unknown tags are addresses."""

_KINDS: dict[int, int] = {}
"""Tag id -> kind, for those met so far: the tag's name takes more than twice as long to read."""


def visible_lines(tree: LexborHTMLParser, *, links: bool = False) -> list[Line]:
    """Return the text outside nav, header and footer, one block a line, in document order.

    Elements with those roles (navigation, banner, contentinfo) count as such; a header or footer
    within an article, aside, main or section is content. A page that has nothing outside of them
    is all content: an unclosed nav swallows the rest of its page. One that shows next to nothing is
    read with what scripts would reveal, and what stands there for a reader without scripts, if that
    is a text. `links` has lines marked where they lead elsewhere.
    """
    body = tree.body
    if body is None:
        return []
    shown = _read(body, _Walk(tree, links))
    if _length(shown) >= _NOTHING:
        return shown
    revealed = _read(body, _Walk(tree, links, reveals=True))
    return revealed if _length(revealed) >= _SOMETHING else shown


def _read(body: LexborNode, walk: _Walk) -> list[Line]:
    walk.read(body)
    return walk.content or walk.furniture


def _length(lines: Iterable[Line]) -> int:
    return sum(len(word_characters(line.text)) for line in lines)


def text_of(lines: Iterable[Line]) -> str:
    """Return the lines as one text."""
    return "\n".join(line.text for line in lines)


_State = tuple[Place, Box | None, bool]
"""Place, box, and whether there is a link around: what holds for a text."""


class _Walk:
    """One pass over a page, in document order."""

    def __init__(self, tree: LexborHTMLParser, links: bool, *, reveals: bool = False) -> None:
        self.content: list[Line] = []
        self.furniture: list[Line] = []
        hidden, self._labels = _labelled(tree)
        self._hidden = set[int]() if reveals else hidden
        self._reveals = reveals
        self._looks = bool(self._labels)
        """Whether elements within a line may be more than that: roles, and chrome in headings and
        code. Nowhere else are they looked at, as it takes time and there are many."""
        self._marks_links = links
        self._place = Place()
        self._box: Box | None = None
        self._in_link = False
        self._tex = ""
        """Of the formula that is being read, as far as it is known."""
        self._texts: list[str] = []
        """Of the line that is being gathered; below, what else is known of it."""
        self._linked = 0
        self._marked = False
        self._notes: list[str] = []
        self._cells = 0
        self._broken = False

    def read(self, root: LexborNode) -> None:
        """Add all texts below `root`. What is met most is done here, not in methods."""
        ancestors: list[tuple[LexborNode, int, _State | None]] = []
        hidden, texts = self._hidden, self._texts
        node = root.first_child
        while node is not None:
            kind = _KINDS.get(node.tag_id) or _learned(node)
            child = None
            if kind == _UNSEEN and self._reveals and node.tag == "noscript":
                kind = _INLINE
            if kind == _TEXT:
                self._add(node.text_content or "")
            elif kind >= _UNSEEN:
                if kind != _UNSEEN:
                    self._read_tex(node, kind)
            elif node.mem_id not in hidden:
                if kind == _BLOCK:
                    if texts:
                        self._end()
                    self._broken = False
                elif kind <= _HEAD_CELL:
                    self._part(kind)
                elif self._looks and kind == _INLINE and self._is_labelled(node):
                    kind = _LABELLED
                child = node.first_child
            if child is not None:
                if kind == _INLINE:
                    ancestors.append((node, kind, None))
                elif kind == _CODE:
                    self._marked = True
                    texts.append(IN_CODE)
                    ancestors.append((node, kind, None))
                else:
                    ancestors.append((node, kind, (self._place, self._box, self._in_link)))
                    self._enter(node, kind)
                node = child
                continue
            following = node.next
            while following is None and ancestors:
                node, kind, state = ancestors.pop()
                if state is not None:
                    self._leave(node, kind, state)
                elif kind == _CODE:
                    self._marked = True
                    texts.append(END_OF_CODE)
                following = node.next
            node = following
        self._end()

    def _part(self, kind: int) -> None:
        """Part what follows from what stands before, by a break or as a cell begins."""
        if kind != _BREAK:
            self._begin_cell(kind)
            return
        self._broken = self._end()
        if self._place.preformatted:
            self._end_row()

    def _is_labelled(self, node: LexborNode) -> bool:
        """Whether an element within a line is something by its attributes; note it if it is."""
        if node.mem_id in self._labels:
            return True
        inside = self._box.inside if self._box is not None else NOWHERE
        if inside.heading is None and inside.code is None:
            return False
        classes = node.attrs.get("class")
        if not classes or not is_chrome(classes):
            return False
        self._labels[node.mem_id] = IS_CHROME
        return True

    def _begin_cell(self, kind: int) -> None:
        row = self._box.inside.row if self._box is not None else None
        if row is None:
            self._texts.append(" ")
            return
        row.cells += 1
        row.heads += kind == _HEAD_CELL
        self._cells += 1
        self._marked = True
        self._texts.append(f" {CELL}")

    def _enter(self, node: LexborNode, kind: int) -> None:
        """Take note of what holds for the texts in an element."""
        if kind <= _HEAD_CELL:
            label = self._labels.get(node.mem_id, 0) if self._labels else 0
            tag, classes = node.tag or "", node.attrs.get("class")
            place = self._place = self._place.within(tag, classes, label)
            if place.structure:
                self._open(node, place)
        elif kind == _LINK:
            self._in_link = True
            if self._marks_links:
                self._mark(IN_LINK, node.attrs.get("href") or "")
        elif kind == _FORMULA:
            self._mark(IN_FORMULA)
            self._tex = node.attrs.get("data-latex") or node.attrs.get("alttext") or ""
        elif self._labels[node.mem_id] & FURNISHES:
            self._place = self._place.within(node.tag or "", node.attrs.get("class"), FURNISHES)
        else:
            self._mark(IN_CHROME)

    def _open(self, node: LexborNode, place: Place) -> None:
        tag, around = place.structure, self._box
        if around is not None:
            if around.depth >= MAX_BOXES:
                return
            if tag == "dd" and around.item is not None:
                self._box = around.item
                return
        box = self._box = Box(tag, around)
        if not place.is_simple:
            self._look_into(node, place, box)

    def _look_into(self, node: LexborNode, place: Place, box: Box) -> None:
        """Find out what else is to be known of a box."""
        if box.tag in GOVERNING:
            box.govern()
            if box.tag in CODE:
                box.language = language_of(node) or place.language
                self._looks = bool(self._labels) or has_numbers(node)
            elif box.inside.heading is box:
                self._looks = True
        elif box.tag in DEFINITIONS:
            if box.parent is not None and box.parent.tag == "dl":
                box.parent.item = box
        elif box.is_numbered():
            box.count_from(node.attrs.get("start" if box.tag == "ol" else "value"))

    def _leave(self, node: LexborNode, kind: int, state: _State) -> None:
        place, box, in_link = state
        if kind == _BLOCK:
            if self._texts and self._end() and self._place.preformatted:
                self._end_row()
            self._broken = False
            if self._looks and box is not self._box:
                self._looks = bool(self._labels)
        elif kind <= _HEAD_CELL:
            self._texts.append(" ")
        else:
            self._leave_inline(node, kind)
            if place.is_furniture is not self._place.is_furniture:
                self._end()
        self._place, self._box, self._in_link = place, box, in_link

    def _leave_inline(self, node: LexborNode, kind: int) -> None:
        if kind == _LINK:
            if self._marks_links:
                self._mark(END_OF_LINK)
        elif kind == _FORMULA:
            is_apart = node.attrs.get("display") == "block"
            self._mark(END_OF_FORMULA, f" {self._tex}" if is_apart else self._tex)
            self._tex = ""
        elif not self._labels[node.mem_id] & FURNISHES:
            self._mark(END_OF_CHROME)

    def _end_row(self) -> None:
        """A row of code ends."""
        if self._box is not None and self._box.inside.code is not None:
            self._box.inside.code.count += 1

    def _mark(self, mark: str, note: str | None = None) -> None:
        self._texts.append(mark)
        self._marked = True
        if note is not None:
            self._notes.append(note)

    def _read_tex(self, node: LexborNode, kind: int) -> None:
        """Take in the TeX of a formula, and as its text where a script is to draw it."""
        if kind == _ANNOTATION:
            if "tex" in (node.attrs.get("encoding") or "").lower() and not self._tex:
                self._tex = node.text(deep=True)
            return
        written = (node.attrs.get("type") or "").lower()
        if written.startswith("math/tex") and not _is_drawn(node):
            tex = node.text(deep=True)
            self._mark(IN_FORMULA)
            self._texts.append(tex)
            self._mark(END_OF_FORMULA, f" {tex}" if "display" in written else tex)

    def _add(self, text: str) -> None:
        if not text.isspace():
            if "\n" in text and self._place.preformatted:
                self._add_rows(text)
            elif self._in_link:
                self._add_link(text)
            else:
                self._texts.append(text)
        elif self._place.preformatted:
            self._add_rows(text)
        elif self._texts:
            self._texts.append(" ")

    def _add_rows(self, text: str) -> None:
        first, *others = text.split("\n")
        self._gather(first)
        for row in others:
            self._end()
            self._end_row()
            self._gather(row)

    def _gather(self, text: str) -> None:
        if self._in_link:
            self._add_link(text)
        else:
            self._texts.append(text)

    def _add_link(self, text: str) -> None:
        self._linked += len(word_characters(text))
        if len(text) <= LONGEST_ANCHOR and self._is_anchor(text):
            self._marked = True
            text = f"{IN_CHROME}{text}{END_OF_CHROME}"
        self._texts.append(text)

    def _is_anchor(self, text: str) -> bool:
        box = self._box
        return is_anchor(
            text,
            in_heading=box is not None and box.inside.heading is not None,
            in_term=box is not None and box.tag == "dt",
        )

    def _end(self) -> bool:
        """End the line that is being gathered; return whether there was one."""
        if not self._texts:
            return False
        written = "".join(self._texts)
        self._texts.clear()
        text = folded(written)
        if text:
            lines = self.furniture if self._place.is_furniture else self.content
            lines.append(self._line(text, written))
        self._linked = 0
        if self._marked:
            self._marked, self._cells = False, 0
            self._notes.clear()
        return text != ""

    def _line(self, text: str, written: str) -> Line:
        box = self._box
        marked = written if self._marked else ""
        notes = tuple(self._notes) if self._notes else ()
        at, is_apart = 0, True
        if box is not None:
            inside = box.inside
            if inside.code is not None:
                at, marked = inside.code.count, written
            elif inside.row is not None:
                at = inside.row.cells - self._cells
            is_apart = inside is NOWHERE and box.tag not in ITEMS
        is_chrome = self._place.chrome
        if is_chrome:
            is_chrome = may_be_chrome(text)
        elif len(text) <= LONGEST_BUTTON:
            is_chrome = (is_apart or self._linked > 0) and is_button(text)
        return Line(
            text, self._linked, self._place.path, box, marked, notes, at, is_chrome, self._broken
        )


def _labelled(tree: LexborHTMLParser) -> tuple[set[int], dict[int, int]]:
    """Return the elements that are hidden, and the labels of others, by addresses in memory."""
    hidden, labels = set(), {}
    for node in tree.css(_LABELLED_BY):
        attributes = node.attributes
        if _hides(node.tag or "", attributes):
            hidden.add(node.mem_id)
        elif _is_furniture(attributes):
            labels[node.mem_id] = FURNISHES
    return hidden, labels


def _learned(node: LexborNode) -> int:
    kind = _KINDS_BY_TAG.get(node.tag or "", _INLINE)
    if node.tag_id < _STANDARD:
        _KINDS[node.tag_id] = kind
    return kind


def _hides(tag: str, attributes: Mapping[str, str | None]) -> bool:
    if (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    if _DISPLAY_NONE.search(attributes.get("style") or ""):
        return _DRAWN_FORMULA.search(attributes.get("class") or "") is None
    # `until-found` hides only until the reader searches for the text.
    return "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found"


def _is_furniture(attributes: Mapping[str, str | None]) -> bool:
    roles = (attributes.get("role") or "").lower().split()
    return bool(roles) and roles[0] in _FURNITURE_ROLES


def _is_drawn(script: LexborNode) -> bool:
    """Whether the formula of a script stands before it, drawn when the page was saved."""
    before = script.prev
    if before is None:
        return False
    classes = before.attributes.get("class") or "" if before.tag != "-text" else ""
    return "MathJax" in classes and "MathJax_Preview" not in classes
