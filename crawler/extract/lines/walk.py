"""The walk over a page that finds its visible text, and what holds for it where it stands.

One iterative pass over an untouched tree, so neither depth nor mutation can harm it.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.lines.chrome import has_numbers, is_chrome
from crawler.extract.lines.formulas import Formulas
from crawler.extract.lines.gathering import Gathering, Line
from crawler.extract.lines.hiding import Labels
from crawler.extract.lines.kinds import (
    APART,
    BLOCK,
    BREAK,
    CODE,
    FORMULA,
    HEAD_CELL,
    INLINE,
    KINDS,
    LABELLED,
    LINK,
    SCRIPT,
    TEXT,
    UNSEEN,
    VALUE,
    learned,
)
from crawler.extract.lines.languages import language_of
from crawler.extract.lines.listings import is_coloured
from crawler.extract.lines.paths import FURNISHES, IS_CHROME, MAX_CLASSES, Place, place_within
from crawler.extract.lines.structure import CODE as CODES
from crawler.extract.lines.structure import (
    DEFINITIONS,
    END_OF_CHROME,
    END_OF_CODE,
    END_OF_LINK,
    GOVERNING,
    IN_CHROME,
    IN_CODE,
    IN_LINK,
    MAX_BOXES,
    NOWHERE,
    Box,
)
from crawler.records import FRAME_LINE, HIDDEN_LINE, VALUE_LINE


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
        the kind of its lines (`crawler.records.FRAME_LINE`)."""

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
