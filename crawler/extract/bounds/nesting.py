"""Which elements of HTML may stand in each other, and which tags end others.

HTML standard, 13.2.4 and 13.2.6. `depth` and `rewriting` go by the same tables, the first by
numbers.
"""

from __future__ import annotations

from typing import Final

Chain = tuple[frozenset[str], ...]
"""What a tag ends at the end of the open elements: one of each set, one after another."""


def _names(written: str) -> frozenset[str]:
    return frozenset(written.split())


ROOTS = _names("html body frameset")
"""Elements that are none outside of others, with few tags of each (MAX_ROOTS)."""
VOID = _names(
    """
    area base basefont bgsound br col embed frame hr image img input keygen link meta param source
    track wbr
    """
)
"""Elements without content. In `svg` and `math` most of these names are as any others."""
FORMATTING = _names("b big code em font i s small strike strong tt u")
"""What is opened anew in the next block (13.2.4.3), apart from `a` and `nobr`, of which there is
one at a time."""
FOREIGN = _names("svg math")
INTEGRATION = {
    "svg": _names("foreignobject desc title"),
    "math": _names("mi mo mn ms mtext"),
}
"""Elements of FOREIGN ones whose content is HTML; `annotation-xml` where it says so."""
MARKERS = FOREIGN | _names(
    """
    applet annotation-xml button caption desc foreignobject marquee mi mn mo ms mtext object select
    table td template th
    """
)
"""What an end tag does not look beyond, or not always: to ignore one is to be on the safe side."""
_PARTS = _names("tbody tfoot thead")
_CELLS = _names("td th")
TABLE_PARTS = _PARTS | _CELLS | _names("caption colgroup table tr")
"""Their end tags look beyond any of MARKERS but these."""
TABLE_MARKERS = FOREIGN | _names("select table template")
_BLOCKS = _names(
    """
    address article aside blockquote center details dir div dl fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup listing main menu nav ol p pre section ul
    """
)
"""Their start tags end a paragraph."""
SPECIAL = (
    MARKERS
    | TABLE_PARTS
    | _BLOCKS
    | _names(
        """
        dd dt head iframe li noembed noframes noscript plaintext script search
        style summary textarea title xmp
        """
    )
)
"""What the end tag of any other element does not look beyond."""
BREAKOUT = (
    FORMATTING
    | {f"h{level}" for level in range(1, 7)}
    | _names(
        """
        blockquote body br center dd div dl dt embed head hr img li listing menu meta nobr ol p pre
        ruby span sub sup table ul var
        """
    )
)
"""Start tags that end `svg` and `math` (13.2.6.5); `font` does so with some attributes."""

_P = _names("p")
_ROW: Chain = (_P, _CELLS)
_BODY: Chain = (*_ROW, _names("tr colgroup"))
_WHOLE: Chain = (*_ROW, _names("tr"), _PARTS | {"colgroup"})
STARTS: Final[dict[str, Chain]] = {
    **dict.fromkeys(sorted(_BLOCKS), (_P,)),
    "li": (_P, _names("li")),
    **dict.fromkeys(("dd", "dt"), (_P, _names("dd dt"))),
    **dict.fromkeys(sorted(_CELLS), _ROW),
    "tr": _BODY,
    **dict.fromkeys(sorted(_PARTS), _WHOLE),
    **dict.fromkeys(("option", "optgroup"), (_names("option"),)),
    **{name: (_names(name),) for name in ("a", "nobr")},
}
"""What a start tag surely ends where it is the last open element, of elements of HTML. Not told is
what depends on more: whether a table ends a paragraph, and a heading another one."""
ENDS: Final[dict[str, Chain]] = {
    **dict.fromkeys(sorted(_BLOCKS - {"p"}), (_P,)),
    **dict.fromkeys(("ol", "ul", "menu", "dir"), (_P, _names("li"))),
    "dl": (_P, _names("dd dt")),
    **dict.fromkeys(("li", "dd", "dt", *sorted(_CELLS)), (_P,)),
    "tr": _ROW,
    **dict.fromkeys(sorted(_PARTS), _BODY),
    "table": _WHOLE,
    "select": (_names("option"), _names("optgroup")),
}
"""What an end tag ends before its own element."""
IN_SELECT = _names("option optgroup hr script")
"""What may stand in `select`, by older versions of the standard as by newer ones."""
