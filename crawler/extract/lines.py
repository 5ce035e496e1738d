"""The visible lines of a page, each with its place in the page.

The walk over its nodes that gathers them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.chrome import (
    LONGEST_BUTTON,
    has_numbers,
    is_anchor,
    is_button,
    is_chrome,
    may_be_anchor,
    may_be_chrome,
)
from crawler.extract.structure import (
    BLOCKS,
    BODY,
    CELL,
    DEFINITIONS,
    END_OF_CHROME,
    END_OF_CODE,
    END_OF_FORMULA,
    END_OF_LINK,
    FURNISHES,
    GOVERNING,
    IN_CHROME,
    IN_CODE,
    IN_FORMULA,
    IN_LINK,
    IS_CHROME,
    ITEMS,
    MAX_BOXES,
    MAX_CLASSES,
    NOWHERE,
    Box,
    Place,
    language_of,
    place_within,
)
from crawler.extract.structure import CODE as CODES
from crawler.extract.text import folded, word_characters
from crawler.models import FRAME_LINE, HIDDEN_LINE, VALUE_LINE

# ---------------------------------------------------------------- kinds
# What a node is to the lines of a page, by its tag.


_NEVER_SEEN = frozenset(
    """
    -comment annotation-xml area audio base basefont canvas datalist head iframe link
    meta noembed noframes noscript param rp style template title video
    """.split()
)
"""Never displayed (HTML standard 15.3.1), not text (the TeX behind a formula), or shown only by a
browser that lacks something (noscript, video)."""
_VALUED = frozenset(("input", "meter", "progress", "select", "svg", "textarea"))
"""Form fields and drawings: what they say is seen, and is no text of a line."""

(
    TEXT,
    BLOCK,
    BREAK,
    TABLE_CELL,
    HEAD_CELL,
    LINK,
    CODE,
    FORMULA,
    LABELLED,
    APART,
    INLINE,
    UNSEEN,
    VALUE,
    ANNOTATION,
    SCRIPT,
) = range(1, 16)
"""Those up to the cells are texts of lines, or begin or part them; up to LABELLED, something holds
in them; those from UNSEEN on are no part of lines but for their TeX. LABELLED is what is within a
line like INLINE, and more than that by its attributes; APART is too, but no part of the word beside
it. No enum: its members would be looked up for each node.
"""

_KINDS_BY_TAG = {
    "-text": TEXT,
    "a": LINK,
    "annotation": ANNOTATION,
    "br": BREAK,
    "button": APART,
    "code": CODE,
    "kbd": CODE,
    "label": APART,
    "math": FORMULA,
    "samp": CODE,
    "script": SCRIPT,
    "sup": APART,
    "td": TABLE_CELL,
    "th": HEAD_CELL,
    "tt": CODE,
    **dict.fromkeys(_NEVER_SEEN, UNSEEN),
    **dict.fromkeys(_VALUED, VALUE),
    **dict.fromkeys(BLOCKS - {"br"}, BLOCK),
}

_STANDARD = 256
"""Tag ids below it stand for the same tag in all pages; those of unknown tags are addresses."""

KINDS: dict[int, int] = {}
"""Tag id -> kind, for those met so far: the tag's name takes more than twice as long to read."""


def learned(node: LexborNode) -> int:
    """Return the kind of a node, and remember it in `KINDS` if its tag has an id of its own."""
    kind = _KINDS_BY_TAG.get(node.tag or "", INLINE)
    if node.tag_id < _STANDARD:
        KINDS[node.tag_id] = kind
    return kind


# ---------------------------------------------------------------- hiding
# Elements that are hidden, or labelled as surroundings, by attributes other than their classes.
#
# Style sheets and scripts are not run: what they hide or show is unknown here.


_LABELLED_BY = '[hidden], [aria-hidden], dialog:not([open]), [style*="display" i], [role]'
_DISPLAY_NONE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_DRAWN_FORMULA = re.compile(r"\bmwe-math-mathml")
"""MediaWiki hides the formula, and shows a picture of it."""

_FURNITURE_ROLES = frozenset(("banner", "contentinfo", "navigation"))


class Labels:
    """What the attributes of a page's elements say, by the elements' addresses in memory."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.hidden: set[int] = set()
        self.labels: dict[int, int] = {}
        """Bits of a label (`paths`), of the other elements that have one."""
        self.within_lines = False
        """Whether one of these may stand within a line."""
        for node in tree.css(_LABELLED_BY):
            attributes = node.attributes
            if _hides(node.tag or "", attributes):
                self.hidden.add(node.mem_id)
            elif _is_furniture(attributes):
                self.labels[node.mem_id] = FURNISHES
                self.within_lines |= (KINDS.get(node.tag_id) or learned(node)) in (APART, INLINE)


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


# ---------------------------------------------------------------- listings
# Listings: code whose markup only colours it, as highlighters write it for each token.


_ELSE = ':not(span:not([hidden], [aria-hidden], [role], [style*="display" i]), a:empty)'
"""What may say more: anything but a `span`, as Pygments, highlight.js, Prism, Rouge and Shiki write
them, and the empty anchors of lines."""


def is_coloured(code: LexborNode) -> bool:
    """Whether nothing within an element of code says more than its text.

    Found out by the selectors' own walk, at a tenth of what ours takes. A listing in an element of
    its own kind may have False though it is coloured only.
    """
    # The parser matches from the root of the page on: the element itself is one below another.
    return not code.css_matches(f"{code.tag} {_ELSE}")


# ---------------------------------------------------------------- gathering
# Lines of visible text, gathered text by text, with the marks of what is within them.


_NO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen, zero width space and joiners, byte order mark: a line of nothing else shows nothing.
Editors and templates leave them in paragraphs that are otherwise empty."""


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


class Gathering:
    """The line that is being gathered, what holds for it, and the lines that have been."""

    __slots__ = (
        "_cells", "_linked", "_notes", "box", "broken", "content", "furniture", "in_link",
        "is_marked", "place", "texts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.content: list[Line] = []
        self.furniture: list[Line] = []
        self.place = BODY
        """Where the next text stands; this, the box and the links around it are set by the walk."""
        self.box: Box | None = None
        self.in_link = 0
        """Links around it: one at most but for those within an `object` in a link."""
        self.texts: list[str] = []
        """Of the line, with marks between them. Never another list: the walk adds to it itself."""
        self.is_marked = False
        """Whether there are marks in it."""
        self.broken = False
        """See `Line`."""
        self._linked = 0
        self._notes: list[str] = []
        self._cells = 0

    def add_link(self, text: str) -> None:
        """Add a text of a link, of one row."""
        self._linked += len(word_characters(text))
        if may_be_anchor(text) and self._is_anchor(text):
            self.is_marked = True
            text = f"{IN_CHROME}{text}{END_OF_CHROME}"
        self.texts.append(text)

    def add_rows(self, text: str) -> None:
        """Add a text in code that goes over line ends."""
        add = self.add_link if self.in_link else self.texts.append
        first, *others = text.split("\n")
        if first:
            add(first)
        for row in others:
            self.end()
            self.end_row()
            if row:
                add(row)

    def _is_anchor(self, text: str) -> bool:
        box = self.box
        return is_anchor(
            text,
            in_heading=box is not None and box.inside.heading is not None,
            in_term=box is not None and box.tag == "dt",
        )

    def mark(self, mark: str, note: str | None = None) -> None:
        """Add a mark, and what it tells of."""
        self.texts.append(mark)
        self.is_marked = True
        if note is not None:
            self._notes.append(note)

    def begin_cell(self, *, is_head: bool) -> None:
        """Part what follows from what stands before, and count the cell if a row has it."""
        row = self.box.inside.row if self.box is not None else None
        if row is None:
            self.texts.append(" ")
            return
        row.cells += 1
        row.heads += is_head
        self._cells += 1
        self.mark(f" {CELL}")

    def end_row(self) -> None:
        """End a row of code, if this is code."""
        if self.box is not None and self.box.inside.code is not None:
            self.box.inside.code.count += 1

    def end(self) -> bool:
        """End the line that is being gathered; return whether there was one."""
        if not self.texts:
            return False
        written = "".join(self.texts)
        self.texts.clear()
        # Marks are surrogates, which are left out like this in a tenth of the time `folded` takes.
        unmarked = written.encode(errors="ignore").decode() if self.is_marked else written
        text = folded(unmarked)
        is_seen = text.strip(_NO_WIDTH) != ""
        if is_seen:
            lines = self.furniture if self.place.is_furniture else self.content
            lines.append(self._line(text, written))
        self._linked = 0
        if self.is_marked:
            self.is_marked, self._cells = False, 0
            self._notes.clear()
        return is_seen

    def _line(self, text: str, written: str) -> Line:
        place, box, linked = self.place, self.box, self._linked
        marked = written if self.is_marked else ""
        notes = tuple(self._notes) if self._notes else ()
        at, is_apart = 0, True
        if box is not None:
            inside = box.inside
            is_apart = inside is NOWHERE and box.tag not in ITEMS
            if inside.code is not None:
                at, marked = inside.code.count, written
            elif inside.row is not None:
                at = inside.row.cells - self._cells
        is_chrome = place.chrome
        if is_chrome:
            is_chrome = may_be_chrome(text)
        elif (is_apart or linked > 0) and len(text) <= LONGEST_BUTTON:
            is_chrome = is_button(text)
        return Line(text, linked, place.path, box, marked, notes, at, is_chrome, self.broken)


# ---------------------------------------------------------------- formulas
# Formulas of a page, marked in its lines with the TeX that stands behind them.


class Formulas:
    """Takes in the TeX of a page's formulas, in document order."""

    def __init__(self, line: Gathering) -> None:
        self._line = line
        self._tex = ""
        """Of the formula that is being read, as far as it is known."""

    def begin(self, math: LexborNode) -> None:
        """Begin a formula."""
        self._line.mark(IN_FORMULA)
        attributes = math.attributes
        self._tex = attributes.get("data-latex") or attributes.get("alttext") or ""

    def annotate(self, annotation: LexborNode) -> None:
        """Take an annotation of the formula that is being read, if it is its TeX."""
        if "tex" in (annotation.attributes.get("encoding") or "").lower() and not self._tex:
            self._tex = annotation.text(deep=True)

    def end(self, math: LexborNode) -> None:
        """End a formula."""
        is_apart = math.attributes.get("display") == "block"
        self._line.mark(END_OF_FORMULA, f" {self._tex}" if is_apart else self._tex)
        self._tex = ""

    def add_script(self, script: LexborNode) -> None:
        """Add the TeX of a formula as its text, where a script is to draw it."""
        written = (script.attributes.get("type") or "").lower()
        if written.startswith("math/tex") and not _is_drawn(script):
            tex = script.text(deep=True)
            self._line.mark(IN_FORMULA)
            self._line.texts.append(tex)
            self._line.mark(END_OF_FORMULA, f" {tex}" if "display" in written else tex)


def _is_drawn(script: LexborNode) -> bool:
    """Whether the formula of a script stands before it, drawn when the page was saved."""
    before = script.prev
    if before is None:
        return False
    classes = before.attributes.get("class") or "" if before.tag != "-text" else ""
    return "MathJax" in classes and "MathJax_Preview" not in classes


# ---------------------------------------------------------------- walk
# The walk over a page that finds its visible text, and what holds for it where it stands.
#
# One iterative pass over an untouched tree, so neither depth nor mutation can harm it.


class Walk:
    """One pass over a page, in document order."""

    def __init__(
        self,
        tree: LexborHTMLParser,
        links: bool,
        *,
        reveals: bool = False,
        furniture: bool = False,
    ) -> None:
        found = Labels(tree)
        self._hidden = set[int]() if reveals else found.hidden
        self._labels = found.labels
        self._reveals = reveals
        self._reads_furniture = furniture
        self._always_looks = self._looks = found.within_lines
        """Whether elements within a line may be more than that: by their roles anywhere, as chrome
        in headings and code. Nowhere else are they looked at: it takes time and there are many."""
        self._marks_links = links
        self._line = Gathering()
        self._formulas = Formulas(self._line)
        self.skipped: list[tuple[str, LexborNode]] = []
        """Elements that were passed over: furniture, what is hidden, fields and drawings; each with
        the kind of its lines (`crawler.models.FRAME_LINE`)."""

    def read(self, root: LexborNode) -> list[Line]:
        """Return the lines below `root` but for furniture, or only that where it is asked for.

        What is met most is done here, not in methods.
        """
        ancestors: list[tuple[LexborNode, int, Place, Box | None]] = []
        """What is open: its kind, and the place and box around it."""
        hidden, line, texts = self._hidden, self._line, self._line.texts
        node = root.first_child
        while node is not None:
            kind = KINDS.get(node.tag_id) or learned(node)
            child = None
            if kind == TEXT:
                text = node.text_content or ""
                keeps_space = line.place.preformatted
                if keeps_space and "\n" in text:
                    line.add_rows(text)
                elif keeps_space or not text.isspace():
                    if line.in_link:
                        line.add_link(text)
                    else:
                        texts.append(text)
                elif texts:
                    texts.append(" ")
            else:
                if kind >= UNSEEN:
                    kind = self._look_behind(node, kind)
                if kind < UNSEEN and not (hidden and node.mem_id in hidden):
                    child = node.first_child
                    if kind > LABELLED:
                        if self._looks and self._is_labelled(node):
                            kind = LABELLED
                    elif kind == BLOCK:
                        if texts:
                            line.end()
                        line.broken = False
                    elif kind <= HEAD_CELL:
                        self._part(kind)
                elif kind < UNSEEN:
                    self.skipped.append((HIDDEN_LINE, node))
            following = None
            if child is None:
                following = node.next
            else:
                ancestors.append((node, kind, line.place, line.box))
                if kind <= HEAD_CELL:
                    is_read = self._enter(node, child)
                elif kind == INLINE:
                    is_read = False
                else:
                    is_read = self._enter_within_line(node, child, kind)
                if not is_read:
                    node = child
                    continue
            while following is None and ancestors:
                node, kind, place, box = ancestors.pop()
                if kind == BLOCK:
                    if texts and line.end() and line.place.preformatted:
                        line.end_row()
                    line.broken = False
                    if self._looks and box is not line.box:
                        self._looks = self._always_looks
                    line.place, line.box = place, box
                elif kind <= HEAD_CELL:
                    texts.append(" ")
                    line.place, line.box = place, box
                elif kind != INLINE:
                    self._leave_within_line(node, kind, place)
                following = node.next
            node = following
        line.end()
        return line.furniture if self._reads_furniture else line.content

    def _look_behind(self, node: LexborNode, kind: int) -> int:
        """Take in what is no text of a line; return its kind, as it is without scripts."""
        if kind == SCRIPT:
            self._formulas.add_script(node)
        elif kind == VALUE:
            self.skipped.append((VALUE_LINE, node))
        elif kind > UNSEEN:
            self._formulas.annotate(node)
        elif node.tag == "noscript":
            if self._reveals:
                return INLINE
            self.skipped.append((HIDDEN_LINE, node))
        return kind

    def _part(self, kind: int) -> None:
        """Part what follows from what stands before, by a break or as a cell begins."""
        line = self._line
        if kind != BREAK:
            line.begin_cell(is_head=kind == HEAD_CELL)
            return
        line.broken = line.end()
        if line.place.preformatted:
            line.end_row()

    def _is_labelled(self, node: LexborNode) -> bool:
        """Whether an element within a line is something by its attributes; note it if it is."""
        if node.mem_id in self._labels:
            return True
        box = self._line.box
        inside = box.inside if box is not None else NOWHERE
        if inside.heading is None and inside.code is None:
            return False
        classes = node.attributes.get("class")
        if not classes or not is_chrome(classes):
            return False
        self._labels[node.mem_id] = IS_CHROME
        return True

    def _enter(self, node: LexborNode, child: LexborNode) -> bool:
        """Take note of what holds for the texts in a block or cell; return if all are read now."""
        line = self._line
        label = self._labels.get(node.mem_id, 0) if self._labels else 0
        classes = node.attributes.get("class") or ""
        place = place_within(line.place, node.tag or "", classes[:MAX_CLASSES], label)
        line.place = place
        if place.is_furniture and line.box is None and not self._reads_furniture:
            # Of some sites it is most of a page. In a box it may count as one of its items or rows.
            self.skipped.append((FRAME_LINE, node))
            return True
        if place.structure:
            self._open(node, place)
        return place.preformatted and self._read_listing(node, child)

    def _read_listing(self, node: LexborNode, child: LexborNode) -> bool:
        """Read the code in an element at once, if its elements only colour it."""
        line = self._line
        if self._looks or line.in_link or child.next is None or not is_coloured(node):
            return False
        line.add_rows(node.text())
        return True

    def _is_power(self, node: LexborNode, child: LexborNode) -> bool:
        """Whether an element is raised as part of a word, and not as the mark of a footnote."""
        if node.tag != "sup":
            return False
        leads = child.tag == "a" or (self._line.in_link > 0 and node.prev is None)
        return not leads

    def _enter_within_line(self, node: LexborNode, child: LexborNode, kind: int) -> bool:
        """Take note of what holds for the texts in what is within a line, as `_enter` does."""
        line = self._line
        if kind == LINK:
            line.in_link += 1
            if self._marks_links:
                line.mark(IN_LINK, node.attributes.get("href") or "")
        elif kind == CODE:
            line.is_marked = True
            line.texts.append(IN_CODE)
            return line.place.preformatted and self._read_listing(node, child)
        elif kind == APART:
            if line.texts and not line.place.preformatted and not self._is_power(node, child):
                line.texts.append(" ")
        elif kind == FORMULA:
            self._formulas.begin(node)
        elif self._labels[node.mem_id] & FURNISHES:
            classes = node.attributes.get("class") or ""
            line.place = line.place.within(node.tag or "", classes[:MAX_CLASSES], FURNISHES)
        else:
            line.mark(IN_CHROME)
        return False

    def _open(self, node: LexborNode, place: Place) -> None:
        tag, around = place.structure, self._line.box
        if around is not None:
            if around.depth >= MAX_BOXES:
                return
            if tag == "dd" and around.item is not None:
                self._line.box = around.item
                return
        box = self._line.box = Box(tag, around)
        if not place.is_simple:
            self._look_into(node, place, box)

    def _look_into(self, node: LexborNode, place: Place, box: Box) -> None:
        """Find out what else is to be known of a box."""
        if box.tag in GOVERNING:
            box.govern()
            if box.tag in CODES:
                box.language = language_of(node) or place.language
                self._looks = self._always_looks or has_numbers(node)
            elif box.inside.heading is box:
                self._looks = True
        elif box.tag in DEFINITIONS:
            if box.parent is not None and box.parent.tag == "dl":
                box.parent.item = box
        elif box.is_numbered():
            box.count_from(node.attributes.get("start" if box.tag == "ol" else "value"))

    def _leave_within_line(self, node: LexborNode, kind: int, around: Place) -> None:
        line = self._line
        if kind == LINK:
            line.in_link -= 1
            if self._marks_links:
                line.mark(END_OF_LINK)
        elif kind == CODE:
            line.is_marked = True
            line.texts.append(END_OF_CODE)
        elif kind == APART:
            if node.tag != "sup" and not line.place.preformatted:
                line.texts.append(" ")
        elif kind == FORMULA:
            self._formulas.end(node)
        elif not self._labels[node.mem_id] & FURNISHES:
            line.mark(END_OF_CHROME)
        elif around.is_furniture is not line.place.is_furniture:
            line.end()
        line.place = around


# ---------------------------------------------------------------- visible
# Visible text: what a reader of the rendered page would see, as far as markup alone tells.


__all__ = ["Line", "text_of", "visible_lines"]

_NOTHING, _SOMETHING = 40, 400
"""Word characters below which a page shows nothing (its name, a notice), and from which what it
hides is a text rather than a notice that scripts are needed. Forums that are programs show nothing
of their threads but in `noscript`."""


def visible_lines(
    tree: LexborHTMLParser,
    *,
    links: bool = False,
    skipped: list[tuple[str, LexborNode]] | None = None,
) -> list[Line]:
    """Return the text outside nav, header and footer, one block a line, in document order.

    Elements with those roles (navigation, banner, contentinfo) count as such; a header or footer
    within an article, aside, main or section is content. A page that has nothing outside of them
    is all content: an unclosed nav swallows the rest of its page. One that shows next to nothing is
    read with what scripts would reveal, and what stands there for a reader without scripts, if that
    is a text. `links` has lines marked where they lead elsewhere; `skipped` takes in the elements
    that were passed over (`Walk.skipped`).
    """
    body = tree.body
    if body is None:
        return []
    shown, walk = _read(tree, body, links, reveals=False)
    if not _says(shown, _NOTHING):
        revealed, revealing = _read(tree, body, links, reveals=True)
        if _says(revealed, _SOMETHING):
            shown, walk = revealed, revealing
    if skipped is not None:
        skipped.extend(walk.skipped)
    return shown


def _read(
    tree: LexborHTMLParser, body: LexborNode, links: bool, *, reveals: bool
) -> tuple[list[Line], Walk]:
    walk = Walk(tree, links, reveals=reveals)
    if lines := walk.read(body):
        return lines, walk
    walk = Walk(tree, links, reveals=reveals, furniture=True)
    return walk.read(body), walk


def _says(lines: Iterable[Line], least: int) -> bool:
    """Whether there are so many word characters in lines."""
    for line in lines:
        least -= len(word_characters(line.text))
        if least <= 0:
            return True
    return False


def text_of(lines: Iterable[Line]) -> str:
    """Return the lines as one text."""
    return "\n".join(line.text for line in lines)
