"""Tables that the extractor of main texts would take quadratic time for, or more.

It writes an empty cell for each place that a cell spans, and counts a row's cells anew with each:
10 KB of `<td colspan=1000 rowspan=1000>` took 28 s. Of each table it gathers all elements of every
table within it: 300 KB of `<table>x<b>` took 26 s.
"""

from __future__ import annotations

import re
from itertools import accumulate

from crawler.extract.bounds.tags import lowered, tag_names

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
