"""What Google's published parser and matcher do with a robots.txt, told in the plainest way.

Slow, and with nothing added: no tolerance of ours, no bound, one reading. Written from the
behaviour that google/robotstxt documents and tests; `tests/fetch/test_robots_reference.py` holds it
against every answer of that suite, and our own reader against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEYS = {
    "agent": ("user-agent", "useragent", "user agent"),
    "allow": ("allow",),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
}
_LONGEST_LINE = 2083 * 8 - 1
_WHITE = b" \t\n\v\f\r"


class Googlebot:
    """A file as Google's parser reads it for one agent."""

    def __init__(self, body: bytes, agent: str) -> None:
        rules: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
        own = common = rules_since = own_ever = False
        for key, value in _lines(body):
            if key == "agent":
                if rules_since:
                    own = common = rules_since = False
                common = common or bool(re.match(rb"\*(\s|$)", value))
                if re.split(rb"[^A-Za-z_-]", value)[0].lower() == agent.lower().encode():
                    own = own_ever = True
            elif own or common:
                rules_since = True
                rules[own] += ((key, pattern) for pattern in _patterns(key, value))
        self._rules = rules[own_ever]

    def allows(self, url: str) -> bool:
        """Whether the URL may be fetched: by the longest rule that matches, and in doubt."""
        path, best = _path(url), {"allow": 0, "disallow": 0}
        for key, pattern in self._rules:
            if len(pattern) > best[key] and _matches(path, pattern):
                best[key] = len(pattern)
        return best["allow"] >= best["disallow"]


def _lines(body: bytes) -> Iterator[tuple[str, bytes]]:
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):
        if body.startswith(mark):
            body = body[len(mark) :]
            break
    for line in re.split(rb"\r\n|\n|\r", body):
        text = line[:_LONGEST_LINE].partition(b"#")[0].strip(_WHITE)
        key, colon, value = text.partition(b":")
        if not colon:
            words = text.split()
            key, value = words if len(words) == 2 else (b"", b"")
        for kind, names in _KEYS.items():
            if key.strip(_WHITE).lower().startswith(tuple(name.encode() for name in names)):
                yield kind, value.strip(_WHITE)
                break


def _patterns(key: str, value: bytes) -> Iterator[str]:
    pattern = re.sub(
        rb"%[0-9A-Fa-f]{2}|[\x80-\xff]",
        lambda m: m[0].upper() if len(m[0]) == 3 else b"%%%02X" % m[0][0],
        value,
    ).decode("ascii")
    yield pattern
    at = pattern.rfind("/")
    if key == "allow" and at >= 0 and pattern[at:].startswith("/index.htm"):
        yield pattern[: at + 1] + "$"


def _path(url: str) -> str:
    start = url.find("://")
    rest = url[start + 3 if start >= 0 else 0 :]
    found = re.search(r"[/?;]", rest)
    path = rest[found.start() :].partition("#")[0] if found else "/"
    return path if path.startswith("/") else f"/{path}"


def _matches(path: str, pattern: str) -> bool:
    """Follow all places of the path at which the pattern read so far can end."""
    ends = {0}
    for number, char in enumerate(pattern):
        if char == "$" and number + 1 == len(pattern):
            return len(path) in ends
        if char == "*":
            ends = set(range(min(ends), len(path) + 1))
        else:
            ends = {end + 1 for end in ends if path[end : end + 1] == char}
        if not ends:
            return False
    return True
