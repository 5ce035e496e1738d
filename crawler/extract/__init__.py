"""Reading one page: bytes to characters, characters to links, hints and text.

::

    bytes -> charset -> bounds -> page (parsed once) -> links, hints, layout, metadata
                                                     -> lines -> readings or templates -> the text
                                        lines -> features -> learned (trees) -> readings

`charset` finds the characters of a page, `bounds` cuts down what would take quadratic time, `page`
parses and reads what markup says; `pdf` writes a PDF as such a page. `lines` are all that a reader
sees, each with its place in the page, and which of them are chrome; `apart` is what else the page
shows or holds. Which lines are its text: `readings` say it for a page of no known template, and
which text speaks for it, by default from what a model has `learned` of the `features` of lines;
`templates` say it for one whose site is known. `rendering` writes it as plain text and Markdown;
`text` tells its language; `listing` reads sitemaps and feeds, and `scripts` tells what a page
leaves to its own.
"""

from crawler.extract.apart import lines_apart
from crawler.extract.bounds import bounded
from crawler.extract.charset import decode
from crawler.extract.lines import text_of, visible_lines
from crawler.extract.listing import Listing, listing
from crawler.extract.page import (
    XHTML,
    PageHints,
    PageLinks,
    PageReader,
    layout_paths,
    parse,
    refresh_target,
    robots_directives,
)
from crawler.extract.pdf import PdfUnreadable, check_pdf, load_pdfium, pdf_reader, read_pdf
from crawler.extract.readings import (
    Aligned,
    aligned,
    as_declared,
    check_engine,
    combined_lines,
    engine_text,
    extractor,
    judged_on,
    learned_lines,
    main_text,
    page_parts,
    shown_text,
    speak_for,
    without_surroundings,
)
from crawler.extract.scripts import Shell, shell_of
from crawler.extract.text import plain_text

__all__ = [
    "XHTML",
    "Aligned",
    "Listing",
    "PageHints",
    "PageLinks",
    "PageReader",
    "PdfUnreadable",
    "Shell",
    "aligned",
    "as_declared",
    "bounded",
    "check_engine",
    "check_pdf",
    "combined_lines",
    "decode",
    "engine_text",
    "extractor",
    "judged_on",
    "layout_paths",
    "learned_lines",
    "lines_apart",
    "listing",
    "load_pdfium",
    "main_text",
    "page_parts",
    "parse",
    "pdf_reader",
    "plain_text",
    "read_pdf",
    "refresh_target",
    "robots_directives",
    "shell_of",
    "shown_text",
    "speak_for",
    "text_of",
    "visible_lines",
    "without_surroundings",
]
