"""What JavaScript itself makes of a value, in the language and time zone of the crawler's browser.

That is American English and UTC (`crawler.fetch.browser`), so it can be told without it. A spelling
is known by its number; of a value of another kind it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

Json = Any

_DATE = re.compile(r"[12]\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*+(?:Z|[+-]\d\d:?\d\d)?)?")
_LEAST_TIME, _MOST_TIME = 10**11, 10**13
"""Milliseconds since 1970, of the years from 1973 to 2286."""


def spelled(value: Json, spelling: int) -> str | None:
    """Return a value as it is spelled; None where it cannot be."""
    return _SPELLINGS[spelling](value)


def _as_text(value: Json) -> str | None:
    if isinstance(value, str):
        return value
    if not _is_number(value):
        return None
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)


def _grouped(value: Json) -> str | None:
    """As `toLocaleString` spells a whole number."""
    return f"{value:,}" if _is_number(value) and isinstance(value, int) else None


def _with_cents(value: Json) -> str | None:
    """As a currency is shown; None of what would be rounded: there are several ways."""
    if not _is_number(value) or abs(value) >= 1e12 or float(f"{value:.2f}") != value:
        return None
    return f"{value:,.2f}"


def _quoted(value: Json) -> str | None:
    """As `encodeURIComponent` spells it."""
    if not isinstance(value, str):
        return None
    return quote(value, safe="!'()*-._~", errors="replace")


def _dated(value: Json, part: str) -> str | None:
    """As a part of a date is shown."""
    moment = _moment(value) if isinstance(value, str | int) else None
    return None if moment is None else moment.strftime(part)


@lru_cache(maxsize=1_024)
def _moment(value: str | int) -> datetime | None:
    try:
        if isinstance(value, int):
            is_time = _LEAST_TIME < value < _MOST_TIME
            return datetime.fromtimestamp(value // 1000, UTC) if is_time else None
        if not _DATE.fullmatch(value):
            return None
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_DATED = (partial(_dated, part=part) for part in "%Y %B %b %-m %m %-d %d %A %a".split())
_SPELLINGS: tuple[Callable[[Json], str | None], ...] = (
    *(_as_text, _quoted, _grouped, _with_cents),
    *_DATED,
)
AS_TEXT = 0
IN_ADDRESSES = frozenset({AS_TEXT, 1})
IN_TEXT = frozenset(range(len(_SPELLINGS))) - {1}
ALL = range(len(_SPELLINGS))
