"""Text hygiene: what may stand in a record, and which characters count."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_NOT_WORD = re.compile(r"\W+")


def clean(text: str) -> str:
    """Return `text` without NULs (SQLite and C end there) and lone surrogates (no UTF-8)."""
    return _UNSTORABLE.sub("", text)


def folded(text: str) -> str:
    """Return `text` clean, its runs of white space folded to one space each, stripped."""
    return " ".join(clean(text).split())


def word_characters(text: str) -> str:
    r"""Return the letters, digits and ideographs of `text` alone (`\w`), in order."""
    return _NOT_WORD.sub("", text)
