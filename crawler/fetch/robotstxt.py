"""A robots.txt file read for one crawler (RFC 9309). Pure; nothing here fetches.

Matching is protego's. In front of it stands one small reader which keeps the groups that speak to
us, because files in the wild need more tolerance in finding groups than protego has: product
tokens followed by a version or more words, unknown lines inside a group, and prefixes of our name
that are other crawlers' names.

Where escapes make two readings of a file possible, both are heard and the stricter one holds:
RFC 9309 2.2.2 decodes `%62` in rule and URL before they are compared (protego's reading), Google's
matcher compares them as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from protego import Protego

MAX_BYTES = 500 * 1024
"""RFC 9309 section 2.5: a crawler must read at least this much."""

MAX_LINE_BYTES = 8 * 2083
"""Google's parser cuts lines here: eight times the longest URL of old browsers."""

_LINE_END = re.compile(rb"\r\n|\r|\n")
_USER_AGENT = re.compile(r"\s*user[- ]?agent\s*[:\s]\s*(\*(?=\s|$)|[a-z_-]*)", re.IGNORECASE)
"""The product token is what RFC 9309 2.2.1 allows in one; whatever follows it is decoration."""

_RULE = re.compile(
    r"\s*(?:(dis{1,2}al{1,2}[oa]w|diasllow)|(allow)|crawl[- ]delay)\s*[:\s]\s*", re.IGNORECASE
)
"""Disallow with the misspellings that crawlers agree to read."""

_BYTE_ORDER_MARK = re.compile(rb"\A\xef(?:\xbb\xbf?)?")
"""Google's parser also skips one that is cut short."""

_ESCAPED_UNRESERVED = re.compile(
    r"%(?=2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])", re.IGNORECASE
)
"""The percent sign before an unreserved character (RFC 3986 2.3). Escaped itself, it keeps the
character from being decoded, which is how one matcher gives both readings."""

_NON_ASCII = re.compile(r"[^\0-\x7f]")
"""No part of a URI: as it stands it matches no rule. Canonical URLs have none."""

_SEPARATORS = re.compile(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Line ends to Python, but not to RFC 9309."""


def relevant_text(body: bytes, agent: str) -> str:
    """Return the groups that speak to `agent` or to `*`, in plain form; takes any bytes.

    Most files come out empty or at a few lines, which is what makes rules cheap to keep.
    """
    return "\n".join(_relevant(_lines(body), agent.lower()))


class RobotsRules:
    """What a robots.txt says to one product token."""

    def __init__(self, text: str, agent: str) -> None:
        """Take what `relevant_text` returned; what is no rule is passed over (RFC 9309 2.2)."""
        self._agent = agent
        self._rules = Protego.parse(text)
        literal = _ESCAPED_UNRESERVED.sub("%25", text)
        self._literal = Protego.parse(literal) if literal != text else self._rules

    def allowed(self, url: str) -> bool:
        """Whether the URL may be fetched: by both readings, where there are two."""
        if not self._rules.can_fetch(url, self._agent):
            return False
        literal = _NON_ASCII.sub("%25", _ESCAPED_UNRESERVED.sub("%25", url))
        if self._literal is self._rules and literal == url:
            return True
        return bool(self._literal.can_fetch(literal, self._agent))

    @property
    def crawl_delay_s(self) -> float | None:
        """The Crawl-delay, finite and not negative, or None."""
        delay_s = self._rules.crawl_delay(self._agent)
        return None if delay_s is None else float(delay_s)


def _lines(body: bytes) -> Iterator[str]:
    """Yield decoded lines of the first MAX_BYTES; the line that is cut there is left out."""
    if len(body) > MAX_BYTES:
        body = body[: MAX_BYTES + 1]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    for line in _LINE_END.split(_BYTE_ORDER_MARK.sub(b"", body)):
        text = line[: MAX_LINE_BYTES - 1].decode("utf-8", "replace").partition("#")[0]
        yield _SEPARATORS.sub(" ", text)


def _relevant(lines: Iterator[str], agent: str) -> Iterator[str]:
    """Yield the groups for `agent` and for `*` in the form protego reads without doubt."""
    ours = False
    heading = False
    for line in lines:
        named = _USER_AGENT.match(line)
        if named:
            token = named.group(1).lower()
            ours = (ours and heading) or token in (agent, "*")
            heading = True
            if token in (agent, "*"):
                yield f"User-agent: {token}"
        elif _RULE.match(line):
            heading = False
            if ours:
                yield line
