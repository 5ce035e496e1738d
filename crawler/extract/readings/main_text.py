"""The main text of a page by trafilatura.

`fast` leaves out trafilatura's fallback extractors: better and a third faster on real articles
(docs/extraction.md). Its `deduplicate` keeps a cache that spans pages, so that one page's text
would depend on which pages came before: it stays off.
"""

from __future__ import annotations

from crawler.extract.readings.tables import is_too_wide
from crawler.extract.text import clean
from crawler.normal_forms import normalised


def main_text(html: str) -> str:
    """Return the main text as plain text, tables kept, comments left out; empty if none is found.

    Pages over 20 million characters have none (trafilatura's MAX_FILE_SIZE), and those with tables
    that are too wide (`tables`).
    """
    if is_too_wide(html):
        return ""
    # Loaded by the processes that read pages, as they warm up: trafilatura and lxml take 0.2 s,
    # and the crawl's own process, which names this function and never calls it, does without.
    import trafilatura
    from trafilatura.settings import Document

    # Not `extract`, which normalises the text itself, in quadratic time.
    found = trafilatura.bare_extraction(
        clean(html),  # a NUL or lone surrogate ends the page for libxml2
        fast=True,
        include_comments=False,
        include_tables=True,
        deduplicate=False,
    )
    text = found.text if isinstance(found, Document) else None
    return normalised("NFC", clean(text)).strip() if text else ""
