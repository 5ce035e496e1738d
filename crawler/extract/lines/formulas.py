"""Formulas of a page, marked in its lines with the TeX that stands behind them."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from crawler.extract.lines.gathering import Gathering
from crawler.extract.lines.structure import END_OF_FORMULA, IN_FORMULA


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
