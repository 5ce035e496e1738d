"""Unicode normal forms in linear time, whatever the text.

Normalisation sorts the combining marks behind a letter by their class (canonical ordering, UAX #15
and section 3.11 of the standard), and the libraries that do it take time that is quadratic in the
number of marks: 160 KB of two alternating marks cost 7 s. So runs are made short first, as the
Stream-Safe Text Format does.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate
from typing import Literal

MAX_NON_STARTERS = 30
"""In a row, as in UAX #15, section 13: no writing system needs as many by far."""

_JOINER = "\u034f"
"""COMBINING GRAPHEME JOINER, a starter that is not seen: marks are not sorted across it."""

_LATE_MARKS = "\uff9e\uff9f"
"""Half-width voicing marks: starters, which compatibility forms turn into non-starters."""

_LONG_RUN = re.compile(rf"[\W{_LATE_MARKS}]{{{MAX_NON_STARTERS + 1},}}")
"""Holds every run that is too long: no non-starter is a letter or digit to `re`."""


def normalised(form: Literal["NFC", "NFKC"], text: str) -> str:
    """Return `text` in a normal form; joiners come into runs of more than MAX_NON_STARTERS marks.

    Any other text is what `unicodedata.normalize` makes of it. Linear in the length of the text.
    """
    return unicodedata.normalize(form, stream_safe(text))


def stream_safe(text: str) -> str:
    """Return `text` with no more than MAX_NON_STARTERS marks in a row (UAX #15, UAX15-D4).

    Marks that a letter brings along as it is decomposed, three at most, are not counted.
    """
    # One character in 31 is in each run that is too long, which spares most texts the search.
    if text.isascii() or not any(map(_is_mark, set(text[:: MAX_NON_STARTERS + 1]))):
        return text
    return _LONG_RUN.sub(_joined, text)


def _joined(run: re.Match[str]) -> str:
    text = run[0]
    lengths = accumulate(map(_is_mark, text), _grown, initial=0)
    next(lengths)
    return "".join(
        _JOINER + char if length > 1 and length % MAX_NON_STARTERS == 1 else char
        for char, length in zip(text, lengths, strict=True)
    )


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or char in _LATE_MARKS


def _grown(length: int, is_mark: bool) -> int:
    return length + 1 if is_mark else 0
