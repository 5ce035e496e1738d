"""Reading one page: bytes to characters, characters to links, hints and text.

::

    bytes -> decode -> bounded -> parse (once) -> links, hints, robots
                                               -> layout
                                               -> visible lines, judged against main_text
                                                                 -> the text

`charset` (with `prescan`, `detect`, `encodings`) finds the characters. `bounds` cuts down what
would take quadratic time. `page` parses and reads what markup says, with `robots`. `visible` gives
what a reader sees, line by line. Its `walk` over the tree goes by `kinds` of nodes, leaves out what
is hidden (`hiding`), knows the `paths` where a text stands and its place in the page's `structure`,
with the `languages` of code, and hands texts to `gathering`, which makes lines of them with what is
`chrome` and not text, and to `formulas`. `text` gives the article in it, unless `tables` speaks
against it, or another of the `engines`; `judged` decides which of the two speaks for the page,
`alignment` finds the lines of the one in the other, `combined` the lines that are kept, with names
of `surroundings`, and `parts` says what lies beside it. `rendering` writes the lines that are kept.
`layout` reads the skeleton around it.
Pure and synchronous; nothing recurses, so depth cannot harm, and whatever a page holds, the worst
outcome is that it says nothing.
"""

from crawler.extract.alignment import Aligned, aligned
from crawler.extract.bounds import bounded
from crawler.extract.charset import decode
from crawler.extract.combined import combined_lines
from crawler.extract.engines import check_engine, engine_text, extractor
from crawler.extract.judged import judged_on, speak_for
from crawler.extract.layout import layout_paths
from crawler.extract.page import (
    XHTML,
    PageHints,
    PageLinks,
    PageReader,
    parse,
    refresh_target,
)
from crawler.extract.parts import page_parts, shown_text
from crawler.extract.robots import robots_directives
from crawler.extract.surroundings import without_surroundings
from crawler.extract.text import main_text, plain_text
from crawler.extract.visible import text_of, visible_lines

__all__ = [
    "XHTML",
    "Aligned",
    "PageHints",
    "PageLinks",
    "PageReader",
    "aligned",
    "bounded",
    "check_engine",
    "combined_lines",
    "decode",
    "engine_text",
    "extractor",
    "judged_on",
    "layout_paths",
    "main_text",
    "page_parts",
    "parse",
    "plain_text",
    "refresh_target",
    "robots_directives",
    "shown_text",
    "speak_for",
    "text_of",
    "visible_lines",
    "without_surroundings",
]
