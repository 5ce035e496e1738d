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
from collections.abc import Callable, Iterator

from protego import Protego

MAX_BYTES = 500 * 1024
"""RFC 9309 section 2.5: a crawler must read at least this much."""

MAX_LINE_BYTES = 8 * 2083
"""Google's parser cuts lines here: eight times the longest URL of old browsers."""

MAX_WILDCARD_RULES = 1000
"""Rules with a wildcard are tried one by one for every URL, each for a microsecond. Of 388 real
files none has more than 105; one with more than these is read in its strictest sense."""

_DIRECTIVE_LINE = re.compile(rb"^[^\n!-~]*(?:user|dis|dia|allow|crawl)[^\n]*", re.I | re.M)
"""What could be a line below, behind anything that could be white space. A file may have half a
million lines, so those that say nothing are passed over without a step of Python for each."""

_USER_AGENT = re.compile(r"\s*user[- ]?agent\s*[:\s]\s*(\*(?=\s|$)|[a-z_-]*)", re.IGNORECASE)
"""The product token is what RFC 9309 2.2.1 allows in one; whatever follows it is decoration."""

_RULE = re.compile(
    r"\s*(?:(?P<disallow>dis{1,2}al{1,2}[oa]w|diasllow)|(?P<allow>allow)|(?P<delay>crawl[- ]delay))"
    r"\s*[:\s]\s*",
    re.IGNORECASE,
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

    Most files come out empty or at a few lines, which is what makes rules cheap to keep. One with
    more than MAX_WILDCARD_RULES closes whatever they could: each Disallow is cut before its
    wildcard, and no Allow counts.
    """
    kept = list(_relevant(_lines(body), agent.lower(), lambda line, _: line))
    if len(kept) > MAX_WILDCARD_RULES < sum(map(_has_wildcard, kept)):
        kept = list(_relevant(_lines(body), agent.lower(), _strictest))
    return "\n".join(kept)


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
    text = _BYTE_ORDER_MARK.sub(b"", body).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for found in _DIRECTIVE_LINE.finditer(text):
        line = found[0][: MAX_LINE_BYTES - 1].decode("utf-8", "replace").partition("#")[0]
        yield _SEPARATORS.sub(" ", line)


def _relevant(
    lines: Iterator[str], agent: str, read: Callable[[str, re.Match[str]], str]
) -> Iterator[str]:
    """Yield the groups for `agent` and for `*` in the form protego reads without doubt.

    `read` gives a rule its final form; within a group each is told once.
    """
    ours = False
    heading = False
    told: set[str] = set()
    for line in lines:
        if named := _USER_AGENT.match(line):
            if not heading:
                told.clear()
            token = named.group(1).lower()
            ours = (ours and heading) or token in (agent, "*")
            heading = True
            if token not in (agent, "*"):
                continue
            line = f"User-agent: {token}"
        elif rule := _RULE.match(line):
            heading = False
            if not ours:
                continue
            line = read(line, rule)
            if rule["delay"]:
                told.discard(line)  # the last one holds, whatever stood before
        else:
            continue
        if line not in told:
            told.add(line)
            yield line


def _strictest(line: str, rule: re.Match[str]) -> str:
    """Return a Disallow without wildcards that closes what this one does, and no Allow."""
    if rule["allow"]:
        return "Allow:"
    if not rule["disallow"] or not _has_wildcard(line):
        return line
    return f"Disallow: {_value(line, rule).partition('*')[0].removesuffix('$') or '/'}"


def _has_wildcard(line: str) -> bool:
    rule = _RULE.match(line)
    value = _value(line, rule) if rule else ""
    return "*" in value or value.endswith("$")


def _value(line: str, rule: re.Match[str]) -> str:
    return line[rule.end() :].strip()
