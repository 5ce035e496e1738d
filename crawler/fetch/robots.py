"""robots.txt read for one crawler (RFC 9309): what it allows. Pure.

`RobotsFile` reads a file in steps, `RobotsRules` says whether its rules allow a URL (the longest
match decides, RFC 9309 2.2.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from urllib.parse import quote

from crawler.urls import MAX_URL_LENGTH, regular

OLD_FORM = b"User-agent"
"""What rules began with that version 0.1 kept: a short robots.txt, which is no rules text."""

MAX_WILDCARD_RULES = 1000
"""Rules with a wildcard are tried one by one for every URL, each for a tenth of a microsecond or
more. Of 388 real files none has more than 105; one with more than these is read in its strictest
sense."""

MAX_STEPS = 1_000_000
"""What one URL may cost in characters compared, at worst: half a millisecond. The 105 rules above
take a hundredth of it for a URL of a hundred characters. Where it is not enough, the URL counts as
forbidden."""

_STEPS_A_PIECE = 200
"""What looking for a piece of a rule costs before a character is compared."""

_RULE_BYTES = 120
"""What one rule takes beyond its characters, in a set or a list; measured."""

_ASCII = "".join(map(chr, range(128)))

_ESCAPE = re.compile(r"%(?:[0-9A-Fa-f]{2})?|[\[\]|]")
"""In a reading that decodes nothing: escapes, stray percent signs, and the three characters that a
URL may hold as they are, but no canonical one does."""

_NON_ASCII = re.compile(r"[^\0-\x7f]")
"""No part of a URI: as it stands it matches no rule. Canonical URLs have none."""

_PATH = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#;]*)?([^#]*)")
_STARS = re.compile(r"\*+")


def escaped(octets: bytes) -> str:
    """Return part of a URL with what is not ASCII escaped, in whatever charset it is."""
    return octets.decode() if octets.isascii() else quote(octets, safe=_ASCII)


def literal(text: str) -> str:
    """Return part of a URL as Google's matcher compares it: escapes in upper case, and no more."""
    return _ESCAPE.sub(
        lambda found: found[0].upper() if len(found[0]) == 3 else f"%{ord(found[0]):02X}", text
    )


@dataclass(slots=True)
class RuleTable:
    """Rules in one reading: pattern -> whether it is an Allow, which wins over its equal."""

    plain: dict[str, bool] = field(default_factory=dict)
    wild: dict[str, bool] = field(default_factory=dict)
    """Those of which more than the beginning of a path is compared."""

    def add(self, pattern: str, *, allow: bool) -> None:
        """Add a rule."""
        rules = self.wild if "*" in pattern or pattern.endswith("$") else self.plain
        rules[pattern] = allow or rules.get(pattern, False)

    def strictest(self) -> RuleTable:
        """Return rules without wildcards that close whatever these could, and open nothing."""
        closed = [pattern for pattern, allow in self.plain.items() if not allow]
        cut = (
            pattern.partition("*")[0].removesuffix("$") or "/"
            for pattern, allow in self.wild.items()
            if not allow
        )
        return RuleTable(dict.fromkeys([*closed, *cut], False))

    def sections(self) -> Iterable[str]:
        """Return the text that `_Reading` is made of: allowed and not, plain and wild."""
        for rules in (self.plain, self.wild):
            for kind in (True, False):
                yield "\n".join(pattern for pattern, allow in rules.items() if allow is kind)


class RobotsRules:
    """What a robots.txt says to one product token. `allowed` takes about a millisecond at most.

    Rules are kept as lines of text, sorted out when the file was read, so that taking them up again
    costs little. Where escapes make two readings of a rule possible, both are heard and the
    stricter one holds: RFC 9309 2.2.2 decodes `%62` in rule and URL before they are compared,
    Google's matcher compares them as they are written.
    """

    def __init__(self, text: str) -> None:
        """Take what `RobotsFile.rules` is; half a megabyte of it takes some milliseconds."""
        sections = [part.split("\n") if part else [] for part in text.split("\n\n")]
        self._by_rfc = _Reading(*sections[:4]) if text else None
        self._as_written = _Reading(*sections[4:]) if len(sections) > 4 else self._by_rfc
        self.bytes = 2 * len(text) + _RULE_BYTES * sum(map(len, sections)) + 1000
        """About what this takes in memory."""

    def allowed(self, url: str) -> bool:
        """Whether the URL may be fetched: by both readings, where there are two."""
        if self._by_rfc is None or self._as_written is None:
            return True
        found = _PATH.match(url)
        path = found[1] if found else ""
        path = path if path.startswith("/") else f"/{path}"
        if path == "/robots.txt":  # RFC 9309 2.2.2
            return True
        by_rfc = regular(escaped(path.encode("utf-8", "surrogatepass")))
        by_rfc = by_rfc.replace("*", "%2A").replace("$", "%24")
        if not self._by_rfc.allows(by_rfc):
            return False
        as_written = literal(_NON_ASCII.sub("%25", path))
        if self._as_written is self._by_rfc and as_written == by_rfc:
            return True
        return self._as_written.allows(as_written)


class _Wild:
    """A rule with a wildcard."""

    __slots__ = ("allow", "head", "length", "rest")

    def __init__(self, pattern: str, *, allow: bool) -> None:
        self.allow = allow
        self.length = len(pattern)
        """What it weighs against others: wildcards count (RFC 9309 2.2.2: the most octets)."""
        head, star, rest = _STARS.sub("*", pattern).partition("*")
        self.head = head if star else head.removesuffix("$")
        """What comes before the first `*`."""
        self.rest = rest if star else None
        """What comes behind it; None where there is none, and the path has to end."""


class _Reading:
    """The rules as one reading has them."""

    def __init__(
        self, open_: list[str], closed: list[str], wild_open: list[str], wild_closed: list[str]
    ) -> None:
        self._open = frozenset(open_)
        self._closed = frozenset(closed)
        self._lengths = sorted({*map(len, open_), *map(len, closed)}, reverse=True)
        wild = [_Wild(pattern, allow=True) for pattern in wild_open]
        wild += [_Wild(pattern, allow=False) for pattern in wild_closed]
        self._wild = sorted(wild, key=lambda rule: (-rule.length, not rule.allow))

    def allows(self, path: str) -> bool:
        """Whether a path in this reading's form is allowed; not, if that takes too long to say."""
        # Of the rules without a wildcard the longest that the path begins with.
        length, allow = 0, True
        for known in self._lengths:
            if known <= len(path):
                beginning = path[:known]
                if beginning in self._open or beginning in self._closed:
                    length, allow = known, beginning in self._open
                    break
        steps = MAX_STEPS
        for rule in self._wild:
            if rule.length < length:
                break
            if not path.startswith(rule.head):
                continue
            matches, steps = _matches(rule, path, steps)
            if steps < 0:
                return False
            if matches:
                return rule.allow or (allow and rule.length == length)
        return allow


def _matches(rule: _Wild, path: str, steps: int) -> tuple[bool, int]:
    """Whether a path that begins with the rule's head matches; and the steps that are left.

    Each piece between two `*` is looked for behind the one before, and never again: the first place
    is the best one. A last piece with `$` has to be where the path ends.
    """
    at = len(rule.head)
    if rule.rest is None:
        return at == len(path), steps
    anchored = rule.rest.endswith("$")
    rest = rule.rest[:-1] if anchored else rule.rest
    stars = rest.count("*")
    if len(rest) - stars > len(path) - at:
        return False, steps
    *pieces, last = rest.split("*")
    for piece in pieces if anchored else [*pieces, last]:
        found = path.find(piece, at)
        behind = len(path) if found < 0 else found + len(piece)
        steps -= _STEPS_A_PIECE + len(piece) * (behind - at)
        if found < 0 or steps < 0:
            return False, steps
        at = behind
    return not anchored or (len(path) - at >= len(last) and path.endswith(last)), steps


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

    by_rfc: RuleTable = field(default_factory=RuleTable)
    as_written: RuleTable = field(default_factory=RuleTable)
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
        self.by_rfc.add(regular(body).replace("$", "%24") + anchor, allow=allow)
        self.as_written.add(literal(body) + anchor, allow=allow)
        directory = value[: value.rfind(b"/")]
        if allow and value[len(directory) :].startswith(_INDEX):
            self.add(directory + b"/$", allow=True)


@dataclass
class _Heading:
    """Whom lines speak to: the user-agent lines above them, up to a line that ends those."""

    ours: bool = False
    everybodys: bool = False
    ended: bool = False


class RobotsFile:
    """Reads one file in steps of `STEP_BYTES`, so that a large one holds nobody up.

    Groups are found as Google's published parser finds them: what is not Allow or Disallow,
    Crawl-delay included, ends no group and begins none. Beyond that, lines are read with the
    tolerance that files in the wild need: product tokens followed by a version or more words,
    misspellings, no colon, rules written as absolute URLs.
    """

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
        body = self._body
        if len(body) > MAX_BYTES:  # without the line that is cut there
            body = body[: MAX_BYTES + 1]
            body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
        text = _BYTE_ORDER_MARK.sub(b"", body).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        read = 0
        for found in _DIRECTIVE.finditer(text):
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

        Most files come out empty or at a few lines, which makes rules cheap to keep. Too many with
        wildcards come in their strictest sense.
        """
        by_rfc, as_written = self._group.by_rfc, self._group.as_written
        if max(len(by_rfc.wild), len(as_written.wild)) > MAX_WILDCARD_RULES:
            by_rfc, as_written = by_rfc.strictest(), as_written.strictest()
        sections = [*by_rfc.sections()]
        if as_written != by_rfc:
            sections += as_written.sections()
        return "\n\n".join(sections) if any(sections) else ""

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
                    with suppress(ValueError):
                        if isfinite(seconds := float(value)) and seconds >= 0.0:
                            group.crawl_delay_s = seconds
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
            if heading.ended:
                heading.ours = heading.everybodys = heading.ended = False
            heading.ours |= ours
            heading.everybodys |= everybodys

    def _addressed(self, heading: _Heading) -> _Group | None:
        """Return the group that a line counts for; one for all is not read beside one of ours."""
        if heading.ours:
            return self._own
        return self._common if heading.everybodys and self._own is None else None


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
