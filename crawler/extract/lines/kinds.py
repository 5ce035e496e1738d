"""What a node is to the lines of a page, by its tag."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from crawler.extract.lines.paths import BLOCKS

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
    CELL,
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
    "td": CELL,
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
