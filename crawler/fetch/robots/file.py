"""A robots.txt file read for one crawler (RFC 9309). Pure; nothing here fetches.

Groups are found as Google's published parser finds them: what is not Allow or Disallow, Crawl-delay
included, ends no group and begins none. Beyond that, lines are read with the tolerance that files
in the wild need: product tokens followed by a version or more words, misspellings, no colon, rules
written as absolute URLs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite

from crawler.fetch.robots.rules import (
    MAX_WILDCARD_RULES,
    RuleTable,
    decoded,
    escaped,
    literal,
    rules_text,
)
from crawler.urls import MAX_URL_LENGTH

MAX_BYTES = 500 * 1024
"""RFC 9309 section 2.5: a crawler must read at least this much."""

MAX_LINE_BYTES = 8 * 2083
"""Google's parser cuts lines here: eight times the longest URL of old browsers."""

MOST_SITEMAPS = 500
"""Read of one file; some large sites name two hundred."""

STEP_BYTES = 8 * 1024
"""How much of a file is read in one step, to the end of a line: some two milliseconds where every
line is a rule, six where every character is an escape."""

_DIRECTIVE = re.compile(
    rb"^(?:[^\S\n]|\xc2\xa0)*"
    rb"(user[- ]?agent|dis{1,2}al{1,2}[oa]w|diasllow|allow|crawl[- ]delay|site[- ]?map)([^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that says something, behind white space (a no-break space too, since pages that lines are
copied from have them); Disallow also with the misspellings that crawlers agree to read. A file may
have half a million lines, so those that say nothing are passed over without a step of Python for
each."""

_TOKEN = re.compile(rb"\*(?=\s|$)|[a-z_-]*", re.IGNORECASE)
"""The product token is what RFC 9309 2.2.1 allows in one; whatever follows it is decoration."""

_BYTE_ORDER_MARK = re.compile(rb"\A\xef(?:\xbb\xbf?)?")
"""Google's parser also skips one that is cut short."""

_ABSOLUTE = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)
_INDEX = b"/index.htm"
"""Where a rule allows this page of a directory, Google's parser takes it to allow the directory."""


@dataclass
class _Group:
    """What is said to us, or to everybody."""

    by_rfc: RuleTable = field(default_factory=RuleTable.empty)
    as_written: RuleTable = field(default_factory=RuleTable.empty)
    crawl_delay_s: float | None = None

    def add(self, value: bytes, *, allow: bool) -> None:
        """Take up a rule; what can match no path is none."""
        absolute = _ABSOLUTE.match(value)
        if absolute and not allow:  # an Allow of this kind opens nothing to RFC 9309 and Google
            path = value[absolute.end() :]
            value = path if path.startswith(b"/") else b"/" + path
        if not value.startswith((b"/", b"*")):
            return
        text = escaped(value)
        body, anchor = (text[:-1], "$") if text.endswith("$") else (text, "")
        self.by_rfc.add(decoded(body).replace("$", "%24") + anchor, allow=allow)
        self.as_written.add(literal(body) + anchor, allow=allow)
        directory = value[: value.rfind(b"/")]
        if allow and value[len(directory) :].startswith(_INDEX):
            self.add(directory + b"/$", allow=True)

    def rules(self) -> str:
        """Return the rules as `RobotsRules` takes them: in their strictest sense, if too many."""
        by_rfc, as_written = self.by_rfc, self.as_written
        if max(len(by_rfc.wild), len(as_written.wild)) > MAX_WILDCARD_RULES:
            by_rfc, as_written = by_rfc.strictest(), as_written.strictest()
        return rules_text(by_rfc, as_written)


@dataclass
class _Heading:
    """Whom lines speak to: the user-agent lines above them, up to a line that ends those."""

    ours: bool = False
    everybodys: bool = False
    ended: bool = False

    def name(self, *, ours: bool, everybodys: bool) -> None:
        """Read a user-agent line."""
        if self.ended:
            self.ours = self.everybodys = self.ended = False
        self.ours |= ours
        self.everybodys |= everybodys


class RobotsFile:
    """Reads one file in steps of `STEP_BYTES`, so that a large one holds nobody up."""

    def __init__(self, body: bytes, agent: str) -> None:
        """Take any bytes, of which the first MAX_BYTES count."""
        self._body = body
        self._agent = agent.lower().encode()
        self._own: _Group | None = None
        self._common = _Group()
        self.sitemaps: list[str] = []
        """What `Sitemap:` lines name, as written, whomever lines around them speak to; the first
        MOST_SITEMAPS."""
        self._of_rules = _Heading()
        self._of_delays = _Heading()

    def steps(self) -> Iterator[None]:
        """Read on, and yield between two steps."""
        read = 0
        for found in _DIRECTIVE.finditer(_text(self._body)):
            if found.start() - read >= STEP_BYTES:
                read = found.start()
                yield
            left = MAX_LINE_BYTES - 1 - (found.start(2) - found.start())
            if (value := _value(found[2][: max(0, left)])) is not None:
                self._read(found[1][:1].lower(), value)

    def all(self) -> RobotsFile:
        """Read all of it at once."""
        for _ in self.steps():
            pass
        return self

    @property
    def rules(self) -> str:
        """The rules that count for our product token, as `RobotsRules` takes them.

        Most files come out empty or at a few lines, which makes rules cheap to keep.
        """
        return self._group.rules()

    @property
    def crawl_delay_s(self) -> float | None:
        """The pause between two requests that is asked of us: finite, not negative."""
        return self._group.crawl_delay_s

    @property
    def _group(self) -> _Group:
        """The group that counts: one of our own, be it empty, before that of everybody."""
        return self._common if self._own is None else self._own

    def _read(self, kind: bytes, value: bytes) -> None:
        match kind:
            case b"u":
                self._name(value)
            case b"s":
                if len(self.sitemaps) < MOST_SITEMAPS and 0 < len(value) <= MAX_URL_LENGTH:
                    self.sitemaps.append(value.decode("utf-8", "replace"))
            case b"c":
                self._of_delays.ended = True
                if group := self._addressed(self._of_delays):
                    group.crawl_delay_s = _seconds(value, group.crawl_delay_s)
            case _:
                self._of_rules.ended = self._of_delays.ended = True
                if group := self._addressed(self._of_rules):
                    group.add(value, allow=kind == b"a")

    def _name(self, value: bytes) -> None:
        found = _TOKEN.match(value)
        token = found[0].lower() if found else b""
        ours, everybodys = token == self._agent, token == b"*"
        if ours and self._own is None:
            self._own = _Group()
        for heading in (self._of_rules, self._of_delays):
            heading.name(ours=ours, everybodys=everybodys)

    def _addressed(self, heading: _Heading) -> _Group | None:
        """Return the group that a line counts for; one for all is not read beside one of ours."""
        if heading.ours:
            return self._own
        return self._common if heading.everybodys and self._own is None else None


def _text(body: bytes) -> bytes:
    """Return the first MAX_BYTES without the line that is cut there, lines ended by line feeds."""
    if len(body) > MAX_BYTES:
        body = body[: MAX_BYTES + 1]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return _BYTE_ORDER_MARK.sub(b"", body).replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _value(rest: bytes) -> bytes | None:
    """Return what stands behind a directive's name, None where nothing sets it off.

    As in Google's parser a colon does, or white space; and the name may have an ending.
    """
    rest = rest.partition(b"#")[0]
    ending, colon, value = rest.partition(b":")
    spaced = ending[:1].isspace()
    if colon and not (spaced and ending.lstrip().startswith((b"/", b"*", b"http"))):
        return value.strip()
    return rest.strip() if spaced else None


def _seconds(value: bytes, otherwise: float | None) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return otherwise
    return seconds if isfinite(seconds) and seconds >= 0.0 else otherwise
