"""What meta elements and header fields say alike: what is asked of robots, and a refresh.

`<meta name=robots>` and X-Robots-Tag have no standard; this follows what the large search engines
document. Where several directives apply they add up: the strictest wins. A refresh is the HTML
standard's, in a meta element and in the field of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SEPARATORS = re.compile(r"[\s,;]+")
_VALUED = re.compile(
    r"(?:max-image-preview|max-snippet|max-video-preview)\s*:[^,;]*"
    r"|unavailable_after\s*:(?:\s*[a-z]{3,9},)?[^,;]*"  # an RFC 5322 date has a comma itself
)
"""Directives with a value, which may be `none`; any other `name:` begins one agent's own."""


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """Whether a page asks not to be indexed, and not to have its links followed."""

    noindex: bool = False
    nofollow: bool = False


def meta_directives(named: Iterable[tuple[str, str]], agent: str) -> RobotsDirectives:
    """Return what meta tags ask for together; `named` are their names and contents.

    Heeded are those named `robots` or `agent`.
    """
    names = ("robots", agent.lower())
    words: list[str] = []
    for name, content in named:
        if name.strip().lower() in names:
            words += _SEPARATORS.split(_VALUED.sub("", content.lower()))
    return _directives(words)


def robots_directives(header: str | None, agent: str) -> RobotsDirectives:
    """Return what X-Robots-Tag, several of them joined by newlines or commas, asks of `agent`.

    `name: noindex, nofollow` speaks to one agent only, up to the next `name:` or line. Headers
    joined by commas cannot be told from one header: then a general directive that follows an
    agent's own counts as that agent's.
    """
    names = (agent.lower(), "*", "robots")
    words: list[str] = []
    for line in (header or "").lower().splitlines():
        meant = True
        for part in _VALUED.sub("", line).split(","):
            name, colon, directive = part.rpartition(":")
            if colon:
                meant = name.strip() in names
            if meant:
                words += directive.split()
    return _directives(words)


def _directives(words: Iterable[str]) -> RobotsDirectives:
    asked = frozenset(words)
    everything = "none" in asked
    return RobotsDirectives(everything or "noindex" in asked, everything or "nofollow" in asked)


_SPACE = r"[ \t\n\f\r]*"
_TIME = re.compile(rf"{_SPACE}[0-9.]+(?=[;, \t\n\f\r]){_SPACE}[;,]?{_SPACE}(.*)", re.DOTALL)
_URL_NAME = re.compile(rf"[Uu][Rr][Ll]{_SPACE}={_SPACE}")


def refresh_target(content: str) -> str | None:
    """Return the URL as written in a meta refresh's `content`, or None where it names none.

    A Refresh header has the same form.

    These are the shared declarative refresh steps of the HTML standard, section 4.2.5.3:
    `5; url='/next'`, `5, /next` and `5 /next` all name `/next`; `5` alone reloads the page itself.
    """
    timed = _TIME.match(content)
    rest = timed.group(1) if timed else ""
    if not rest:
        return None
    named = _URL_NAME.match(rest)
    if named is None and rest[0] in "Uu":
        return rest
    target = rest[named.end() :] if named else rest
    if target.startswith(("'", '"')):
        target = target[1:].partition(target[0])[0]
    return target or None
