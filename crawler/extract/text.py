"""Plain text: the main text of a page by trafilatura, and what may stand in a record.

`fast` leaves out trafilatura's fallback extractors: better and a third faster on real articles
(docs/extraction.md). Its `deduplicate` keeps a cache that spans pages, so that one page's text
would depend on which pages came before: it stays off.
"""

from __future__ import annotations

import re

from crawler.extract.tables import is_too_wide
from crawler.normal_forms import normalised

_UNSTORABLE = re.compile("[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]+")
"""Controls that are no white space, and lone surrogates. HTML 13.2.3.5 calls such controls errors,
XML 1.0 (2.2) forbids most of them, trafilatura leaves them out; a record would hold each as six
bytes, so that 10 KB of gzip could become a line of 60 MB."""
_UNIT_SEPARATOR = "\x1f"
"""The one control that is white space to Python, and neither a line end nor short in JSON."""
_NOT_WORD = re.compile(r"\W+")
_NOT_WORD_ASCII = bytes(code for code in range(128) if _NOT_WORD.match(chr(code)))


def clean(text: str) -> str:
    """Return `text` without lone surrogates (no UTF-8) and without controls but white space."""
    # Mostly there is nothing to take away; the pattern takes five times as long to find that out.
    return text if text.isprintable() else _UNSTORABLE.sub("", text)


def folded(text: str) -> str:
    """Return `text` clean, its runs of white space folded to one space each, stripped."""
    words = " ".join(text.split())
    # Cleaned before it is split, if at all: a control between spaces leaves one space.
    return words if words.isprintable() else " ".join(_UNSTORABLE.sub("", text).split())


def word_characters(text: str) -> str:
    r"""Return the letters, digits and ideographs of `text` alone (`\w`), in order."""
    # ASCII first, as bytes: a sixth of the time that the pattern takes, and each page asks for
    # hundreds of lines. Single words are only looked through.
    if text.isalnum():
        return text
    if text.isascii():
        return text.encode().translate(None, _NOT_WORD_ASCII).decode()
    left = text.encode(errors="surrogatepass").translate(None, _NOT_WORD_ASCII)
    characters = left.decode(errors="surrogatepass")
    return characters if characters.isalnum() else _NOT_WORD.sub("", characters)


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


def plain_text(text: str) -> str:
    """Return a text/plain page as it stands, with one kind of line end and fit for records."""
    lines = text.replace(_UNIT_SEPARATOR, " ").splitlines()
    return clean("\n".join(lines)).strip()
