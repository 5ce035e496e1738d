"""Text as it may stand in a record, and what of it counts as words."""

from __future__ import annotations

import re
from functools import lru_cache

_UNSTORABLE = re.compile("[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]+")
"""Controls that are no white space, and lone surrogates. HTML 13.2.3.5 calls such controls errors,
XML 1.0 (2.2) forbids most of them, trafilatura leaves them out; a record would hold each as six
bytes, so that 10 KB of gzip could become a line of 60 MB."""
_UNIT_SEPARATOR = "\x1f"
"""The one control that is white space to Python, and neither a line end nor short in JSON."""
_NOT_WORD = re.compile(r"\W+")
_REMEMBERED = 500
"""Characters of a text whose word characters are remembered: a line is asked for up to four times
as a page is read, and each takes five times as long as one of ASCII. 8 MB at most."""
_NOT_WORD_ASCII = bytes(code for code in range(128) if _NOT_WORD.match(chr(code)))


def clean(text: str) -> str:
    """Return `text` without lone surrogates (no UTF-8) and without controls but white space."""
    # Mostly there is nothing to take away; the pattern takes five times as long to find that out.
    return text if text.isprintable() else _UNSTORABLE.sub("", text)


def folded(text: str) -> str:
    """Return `text` clean, its runs of white space folded to one space each, stripped."""
    if "  " not in text and text.isprintable():  # a space is the only white space that is
        return text.strip(" ")
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
    return _left_of(text) if len(text) <= _REMEMBERED else _left_of.__wrapped__(text)


@lru_cache(2048)
def _left_of(text: str) -> str:
    left = text.encode(errors="surrogatepass").translate(None, _NOT_WORD_ASCII)
    characters = left.decode(errors="surrogatepass")
    return characters if characters.isalnum() else _NOT_WORD.sub("", characters)


def plain_text(text: str) -> str:
    """Return a text/plain page as it stands, with one kind of line end and fit for records."""
    lines = text.replace(_UNIT_SEPARATOR, " ").splitlines()
    return clean("\n".join(lines)).strip()
