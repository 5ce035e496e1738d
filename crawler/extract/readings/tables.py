"""Tables that the extractor of main texts would take quadratic time for.

It writes an empty cell for each place that a cell spans, and counts a row's cells anew with each.
10 KB of `<td colspan=1000 rowspan=1000>` took 28 s.
"""

from __future__ import annotations

import re
from itertools import accumulate

MAX_SPANNED = 100_000
"""Places that the cells of a page span beyond their own: a fifth of a second. Real pages have some
hundreds."""

MAX_CELLS = 5_000
"""In a row: a tenth of a second. Spreadsheets end at 16,384 columns, and pages far earlier."""

_MOST = 1_000
"""What the extractor takes a larger span for."""

_SPANNING = re.compile(r"<t[dh]\s([^<>]*span[^<>]*)", re.IGNORECASE)
_COLUMNS, _ROWS = (
    re.compile(rf"{name}span\s*+=\s*+[\"']?+\s*+(\d{{1,4}})", re.IGNORECASE)
    for name in ("col", "row")
)
_CELL_OR_ROW = re.compile(r"<t([dhr])[\s/>]", re.IGNORECASE)


def is_too_wide(html: str) -> bool:
    """Whether tables of a page have too many places for an extractor that fills them all."""
    spanned = sum(
        _span(_COLUMNS, tag[1]) * _span(_ROWS, tag[1]) - 1 for tag in _SPANNING.finditer(html)
    )
    return spanned > MAX_SPANNED or _has_long_row(html)


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
