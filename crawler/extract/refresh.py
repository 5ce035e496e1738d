"""Meta refresh: the shared declarative refresh steps of the HTML standard, section 4.2.5.3."""

from __future__ import annotations

import re

_SPACE = r"[ \t\n\f\r]*"
_TIME = re.compile(rf"{_SPACE}[0-9.]+(?=[;, \t\n\f\r]){_SPACE}[;,]?{_SPACE}(.*)", re.DOTALL)
_URL_NAME = re.compile(rf"[Uu][Rr][Ll]{_SPACE}={_SPACE}")


def refresh_target(content: str) -> str | None:
    """Return the URL as written in a refresh's `content`, or None where it names none.

    `5; url='/next'`, `5, /next` and `5 /next` all name `/next`; `5` alone reloads the page itself.
    """
    timed = _TIME.match(content)
    rest = timed.group(1) if timed else ""
    if not rest:
        return None
    named = _URL_NAME.match(rest)
    if named is None and rest[0] in "Uu":
        return rest
    return _unquoted(rest[named.end() :] if named else rest) or None


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    return text[1:].partition(text[0])[0]
