"""Elements that are hidden, or labelled as surroundings, by attributes other than their classes.

Style sheets and scripts are not run: what they hide or show is unknown here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.lines.kinds import APART, INLINE, KINDS, learned
from crawler.extract.lines.paths import FURNISHES

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
