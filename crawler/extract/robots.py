"""What a page asks of robots: `<meta name=robots>` and the X-Robots-Tag header.

Neither has a standard; this follows what the large search engines document. Where several
directives apply they add up: the strictest wins.
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
