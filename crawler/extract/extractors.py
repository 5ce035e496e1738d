"""Readers of single pages that a job chooses between, trafilatura among them.

Guarded from what it reads in quadratic time.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import accumulate

from crawler.errors import ConfigError
from crawler.extract.bounds import lowered, tag_names
from crawler.extract.lines import text_of, visible_lines
from crawler.extract.page import parse
from crawler.extract.text import clean
from crawler.models.enums import Engine
from crawler.normal_forms import normalised

# ---------------------------------------------------------------- tables
# Tables that the extractor of main texts would take quadratic time for, or more.
#
# It writes an empty cell for each place that a cell spans, and counts a row's cells anew with each:
# 10 KB of `<td colspan=1000 rowspan=1000>` took 28 s. Of each table it gathers all elements of
# every
# table within it: 300 KB of `<table>x<b>` took 26 s.


MAX_SPANNED = 100_000
"""Places that the cells of a page span beyond their own: a fifth of a second. Real pages have some
hundreds."""

MAX_CELLS = 5_000
"""In a row: a tenth of a second. Spreadsheets end at 16,384 columns, and pages far earlier."""

MAX_GATHERED = 5_000_000
"""Elements gathered for all tables within others of a page: a quarter of a second. Of 1,487
pages with tables, real articles and manuals, the most is 800; 2,000 elements laid out by twenty
tables within each other come to a tenth of it."""

_MOST = 1_000
"""What the extractor takes a larger span for."""

_SPANNING = re.compile(r"<t[dh]\s([^<>]*span[^<>]*)", re.IGNORECASE)
_COLUMNS, _ROWS = (
    re.compile(rf"{name}span\s*+=\s*+[\"']?+\s*+(\d{{1,4}})", re.IGNORECASE)
    for name in ("col", "row")
)
_CELL_OR_ROW = re.compile(r"<t([dhr])[\s/>]", re.IGNORECASE)


def is_too_wide(html: str) -> bool:
    """Whether tables of a page have more places or tables in them than an extractor can take.

    Linear in the page.
    """
    spanned = sum(
        _span(_COLUMNS, tag[1]) * _span(_ROWS, tag[1]) - 1 for tag in _SPANNING.finditer(html)
    )
    return spanned > MAX_SPANNED or _has_long_row(html) or _is_nested(html)


def _span(attribute: re.Pattern[str], written: str) -> int:
    found = attribute.search(written)
    return min(max(1, int(found[1])), _MOST) if found else 1


def _has_long_row(html: str) -> bool:
    if html.count("<t") + html.count("<T") <= MAX_CELLS:
        return False
    places = accumulate(
        _CELL_OR_ROW.findall(html), lambda cells, kind: 0 if kind in "rR" else cells + 1, initial=0
    )
    return max(places) > MAX_CELLS


def _is_nested(html: str) -> bool:
    """Whether tables stand within each other around so many elements that they take too long.

    What stands in n tables is gathered once for each two of these.
    """
    tables = html.lower().count("<table")
    if html.count("<") * _pairs(tables) <= MAX_GATHERED:
        return False
    gathered = around = 0
    for name in map(lowered, tag_names(html)):
        if name == "/table":
            around = max(0, around - 1)
            continue
        around += name == "table"
        gathered += _pairs(around) * (not name.startswith("/"))
    return gathered > MAX_GATHERED


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


# ---------------------------------------------------------------- main text
# The main text of a page by trafilatura.
#
# `fast` leaves out trafilatura's fallback extractors: better and a third faster on real articles
# (docs/extraction.md). Its `deduplicate` keeps a cache that spans pages, so that one page's text
# would depend on which pages came before: it stays off.


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


# ---------------------------------------------------------------- engines
# The readers of single pages that a job chooses between, and what none of them is called for.
#
# An engine gives the main text of a page as plain text; which visible lines that is, `alignment`
# finds. Packages are loaded by the processes that read pages, as they warm up: the crawl's own
# process names these functions and never calls them.


MOST_CHARACTERS = 5_000_000
"""Of a page's markup; longer ones are read by what is visible. trafilatura takes a second of CPU
for a million characters of paragraphs, readability half of one, and resiliparse two where they are
nested 500 deep, the most that `bounds` leaves (quadratic in depth: 20,000 elements would take
minutes). So no engine takes much more than 10 s for what is plain, of the 30 s that a page has."""

_PACKAGES: Mapping[Engine, str] = {
    Engine.RESILIPARSE: "resiliparse",
    Engine.READABILITY: "readability",
}
"""Of engines that are not always installed."""

_DISTRIBUTIONS: Mapping[Engine, str] = {
    Engine.COMBINED: "trafilatura",
    Engine.TRAFILATURA: "trafilatura",
    Engine.RESILIPARSE: "resiliparse",
    Engine.READABILITY: "readability-lxml",
}
"""Of engines that find a main text: what is installed for them."""

EXTRA = "engines"
"""The extra that holds them (pyproject.toml)."""


def check_engine(engine: Engine) -> None:
    """Raise ConfigError where the engine's package is not installed."""
    package = _PACKAGES.get(engine)
    if package is not None and importlib.util.find_spec(package) is None:
        raise ConfigError(
            f"extract.engine: {engine.value} is not installed: pip install '.[{EXTRA}]', or choose "
            f"{Engine.COMBINED.value}, {Engine.TRAFILATURA.value} or {Engine.VISIBLE.value}"
        )


def extractor(engine: Engine) -> str:
    """Return what finds the main text on which pages are judged, with its version.

    Raises ConfigError where the engine's package is not installed.
    """
    check_engine(engine)
    package = _DISTRIBUTIONS.get(engine)
    return engine.value if package is None else f"{package} {version(package)}"


def engine_text(engine: Engine, html: str) -> str:
    """Return a page's main text as plain text; empty if the engine finds none.

    `html` is within bounds (`bounded`). Pages over `MOST_CHARACTERS` have none.
    """
    if len(html) > MOST_CHARACTERS:
        return ""
    return _TEXTS[engine](html)


def _resiliparse(html: str) -> str:
    """Rules over a Lexbor tree, as used on Common Crawl (Bevendorff et al., ECIR 2018)."""
    plain = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
    text: str = plain(clean(html), main_content=True, alt_texts=False, links=False)
    return clean(text)


def _readability(html: str) -> str:
    """Mozilla's Readability in Python: the article as HTML, read as we read visible text."""
    package = importlib.import_module("readability")
    try:
        article: str = package.Document(clean(html)).summary()
    except Exception:  # `Unparseable` and what lxml raises: no text was found
        return ""
    return text_of(visible_lines(parse(article, "text/html")))


_TEXTS: Mapping[Engine, Callable[[str], str]] = {
    Engine.COMBINED: main_text,
    Engine.TRAFILATURA: main_text,
    Engine.RESILIPARSE: _resiliparse,
    Engine.READABILITY: _readability,
    Engine.VISIBLE: lambda html: "",
}
