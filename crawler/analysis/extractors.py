"""The job's own extractors: plugins, asked in the processes that read pages.

What they find is kept; it speaks for no page. Pages are judged on what the crawler itself reads of
them: an extractor that returns the same text for a hundred pages makes no copies of them.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from crawler.config import Use
from crawler.extract.text import clean
from crawler.plugins import Extracted, Extractor, WebPage
from crawler.plugins import extractors as made
from crawler.printing import JSON_ROOM, json_of

MOST_CHARACTERS = 20_000_000
"""Of text, title and Markdown together: twice as many as the largest body that a job takes unless
it says more. A line of them, each six bytes long in JSON, can still be read back."""
MOST_FIELD_BYTES = 1_000_000
"""Of fields, as JSON."""
_MOST_SAID = 300


@dataclass(frozen=True, slots=True)
class Found:
    """What the extractors made of a page."""

    by: str | None = None
    """Who answered first; None: nobody."""
    text: str | None = None
    title: str | None = None
    markdown: str | None = None
    fields: Mapping[str, Any] | None = None
    trouble: tuple[tuple[str, str], ...] = ()
    """Of each that failed: its name, and what it raised and where."""


class _Unusable(Exception):
    """What an extractor returned cannot be stored, and why."""


class Extractors:
    """Asks extractors in turn; the first answer counts. ConfigError where one cannot be made."""

    def __init__(self, uses: Sequence[Use] = ()) -> None:
        self._extractors: list[tuple[str, Extractor]] = made(uses)

    def __bool__(self) -> bool:
        """Whether there is one to be asked."""
        return bool(self._extractors)

    def find(self, page: WebPage) -> Found:
        """Return what is to be kept of a page.

        MemoryError is no extractor's fault, and ends this process, as everywhere in it.
        """
        trouble: list[tuple[str, str]] = []
        for name, each in self._extractors:
            try:
                extracted = each.extract(page)
                if extracted is not None:
                    return _checked(name, extracted, trouble)
            except MemoryError:
                raise
            except Exception as error:
                trouble.append((name, _said(error)))
        return Found(trouble=tuple(trouble))


def _checked(name: str, extracted: Any, trouble: Iterable[tuple[str, str]]) -> Found:
    """Return an answer as it can be stored; _Unusable where it cannot be."""
    if not isinstance(extracted, Extracted):
        raise _Unusable(f"it is {type(extracted).__name__}, not Extracted or None")
    text, title, markdown = texts = tuple(
        _text(field, getattr(extracted, field)) for field in ("text", "title", "markdown")
    )
    if (characters := sum(len(one or "") for one in texts)) > MOST_CHARACTERS:
        told = f"{characters:,} characters, more than {MOST_CHARACTERS:,}"
        raise _Unusable(f"text, title and markdown have {told}")
    return Found(name, text, title, markdown, _fields(extracted.fields), tuple(trouble))


def _text(field: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _Unusable(f"{field} is {type(value).__name__}, not text")
    return clean(value)


def _fields(fields: Any) -> Mapping[str, Any] | None:
    """Return fields as plain data."""
    if fields is None:
        return None
    if not isinstance(fields, Mapping):
        raise _Unusable(f"fields is {type(fields).__name__}, not a mapping")
    try:
        packed = json_of(dict(fields), JSON_ROOM)
    except TypeError as error:
        raise _Unusable(f"fields are not what JSON can hold: {error}") from None
    if len(packed) > MOST_FIELD_BYTES:
        raise _Unusable(f"fields take {len(packed):,} bytes, more than {MOST_FIELD_BYTES:,}")
    plain: dict[str, Any] = orjson.loads(packed)
    return plain


def _said(error: Exception) -> str:
    """Return what was raised and where, in one line."""
    if isinstance(error, _Unusable):
        return f"cannot keep what it returned: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    message = clean(" ".join(str(error).split()))[:_MOST_SAID]
    said = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"{said} ({place.filename}, line {place.lineno})"
