"""Reading one page: bytes to characters, characters to links, hints and text.

::

    bytes -> decode -> bounded -> parse (once) -> links, hints, robots
                                               -> layout
                                               -> visible lines, judged against main_text
                                                                 -> the text

`characters` finds the characters of a page, `bounds` cuts down what would take quadratic time,
`page` parses and reads what markup says, with `robots`. `lines` are all that a reader sees, line by
line, each with its place in the page, and `apart` what else the page shows or holds; `readings` say
which of the lines are the text, `rendering` writes those that are kept. `layout` reads the skeleton
around it, and `text` has what goes for any text. `listing` reads what a sitemap or feed lists. By
option, `metadata` reads what the page declares of its text, and `language` tells which it is in.
Pure and synchronous; nothing recurses, so depth cannot harm, and whatever a page holds, the worst
outcome is that it says nothing.
"""

from crawler.extract.apart import lines_apart
from crawler.extract.bounds import bounded
from crawler.extract.charset import decode
from crawler.extract.combined import Aligned, aligned, combined_lines, without_surroundings
from crawler.extract.extractors import check_engine, engine_text, extractor, main_text
from crawler.extract.judged import judged_on, page_parts, shown_text, speak_for
from crawler.extract.layout import layout_paths
from crawler.extract.lines import text_of, visible_lines
from crawler.extract.listing import Listing, listing
from crawler.extract.page import (
    XHTML,
    PageHints,
    PageLinks,
    PageReader,
    parse,
    refresh_target,
    robots_directives,
)
from crawler.extract.text import plain_text

__all__ = [
    "XHTML",
    "Aligned",
    "Listing",
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
    "lines_apart",
    "listing",
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
