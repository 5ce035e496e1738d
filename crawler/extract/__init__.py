"""Reading one page: bytes to characters, characters to links, hints and text.

::

    bytes -> decode -> bounded -> parse (once) -> links, hints, robots
                                               -> layout
                                               -> visible lines, judged against main_text
                                                                 -> the text

`charset` (with `prescan`, `detect`, `encodings`) finds the characters. `bounds` cuts down what
would take quadratic time. `page` parses and reads what markup says, with `robots`. `visible` gives
what a reader sees, by the `paths` where it stands and its place in the page's `structure`, with
what is `chrome` and not text and the `languages` of code; `text` gives the article in it, unless
`tables` speaks against it, `judged` decides which of the two speaks for the page, `parts` says what
lies beside it, and `rendering` writes the lines that are kept. `layout` reads the skeleton around
it.
Pure and synchronous; nothing recurses, so depth cannot harm, and whatever a page holds, the worst
outcome is that it says nothing.
"""

from crawler.extract.alignment import kept_lines
from crawler.extract.bounds import bounded
from crawler.extract.charset import decode
from crawler.extract.judged import judged_on
from crawler.extract.layout import layout_paths
from crawler.extract.page import (
    XHTML,
    PageHints,
    PageLinks,
    PageReader,
    parse,
    refresh_target,
)
from crawler.extract.parts import page_parts
from crawler.extract.robots import robots_directives
from crawler.extract.text import main_text, plain_text
from crawler.extract.visible import text_of, visible_lines

__all__ = [
    "XHTML",
    "PageHints",
    "PageLinks",
    "PageReader",
    "bounded",
    "decode",
    "judged_on",
    "kept_lines",
    "layout_paths",
    "main_text",
    "page_parts",
    "parse",
    "plain_text",
    "refresh_target",
    "robots_directives",
    "text_of",
    "visible_lines",
]
