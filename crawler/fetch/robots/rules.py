"""Whether the rules of a robots.txt allow a URL: the longest match decides (RFC 9309 2.2.2).

Rules are kept as lines of text, sorted out when the file was read, so that taking them up again
costs little. Where escapes make two readings of a rule possible, both are heard and the stricter
one holds: RFC 9309 2.2.2 decodes `%62` in rule and URL before they are compared, Google's matcher
compares them as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from crawler.urls import regular

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


def decoded(text: str) -> str:
    """Return part of a URL, in ASCII, as RFC 9309 2.2.2 compares it."""
    return regular(text)


def literal(text: str) -> str:
    """Return part of a URL as Google's matcher compares it: escapes in upper case, and no more."""
    return _ESCAPE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    text = match.group()
    return text.upper() if len(text) == 3 else f"%{ord(text):02X}"


@dataclass(slots=True)
class RuleTable:
    """Rules in one reading: pattern -> whether it is an Allow, which wins over its equal."""

    plain: dict[str, bool]
    wild: dict[str, bool]

    @classmethod
    def empty(cls) -> RuleTable:
        """Return a table without rules."""
        return cls({}, {})

    def add(self, pattern: str, *, allow: bool) -> None:
        """Add a rule."""
        rules = self.wild if has_wildcard(pattern) else self.plain
        rules[pattern] = allow or rules.get(pattern, False)

    def strictest(self) -> RuleTable:
        """Return rules without wildcards that close whatever these could, and open nothing."""
        closed = [pattern for pattern, allow in self.plain.items() if not allow]
        cut = (
            pattern.partition("*")[0].removesuffix("$") or "/"
            for pattern, allow in self.wild.items()
            if not allow
        )
        return RuleTable(dict.fromkeys([*closed, *cut], False), {})

    def sections(self) -> Iterable[str]:
        """Return the text that `_Reading` is made of: allowed and not, plain and wild."""
        for rules in (self.plain, self.wild):
            for kind in (True, False):
                yield "\n".join(pattern for pattern, allow in rules.items() if allow is kind)


def has_wildcard(pattern: str) -> bool:
    """Whether more than the beginning of a path is compared."""
    return "*" in pattern or pattern.endswith("$")


def rules_text(by_rfc: RuleTable, as_written: RuleTable) -> str:
    """Return what `RobotsRules` takes; empty where there are no rules."""
    sections = [*by_rfc.sections()]
    if as_written != by_rfc:
        sections += as_written.sections()
    return "\n\n".join(sections) if any(sections) else ""


class RobotsRules:
    """What a robots.txt says to one product token. `allowed` takes about a millisecond at most."""

    def __init__(self, text: str) -> None:
        """Take what `rules_text` returned; half a megabyte of it takes some milliseconds."""
        sections = [part.split("\n") if part else [] for part in text.split("\n\n")]
        self._by_rfc = _Reading(*sections[:4]) if text else None
        self._as_written = _Reading(*sections[4:]) if len(sections) > 4 else self._by_rfc
        self.bytes = 2 * len(text) + _RULE_BYTES * sum(map(len, sections)) + 1000
        """About what this takes in memory."""

    def allowed(self, url: str) -> bool:
        """Whether the URL may be fetched: by both readings, where there are two."""
        if self._by_rfc is None or self._as_written is None:
            return True
        path = _path(url)
        if path == "/robots.txt":  # RFC 9309 2.2.2
            return True
        by_rfc = decoded(escaped(path.encode("utf-8", "surrogatepass")))
        by_rfc = by_rfc.replace("*", "%2A").replace("$", "%24")
        if not self._by_rfc.allows(by_rfc):
            return False
        as_written = literal(_NON_ASCII.sub("%25", path))
        if self._as_written is self._by_rfc and as_written == by_rfc:
            return True
        return self._as_written.allows(as_written)


def _path(url: str) -> str:
    found = _PATH.match(url)
    path = found[1] if found else ""
    return path if path.startswith("/") else f"/{path}"


@dataclass(frozen=True, slots=True)
class _Wild:
    """A rule with a wildcard."""

    length: int
    """What it weighs against others: wildcards count (RFC 9309 2.2.2: the most octets)."""
    allow: bool
    head: str
    """What comes before the first `*`."""
    rest: str | None
    """What comes behind it; None where there is none, and the path has to end."""

    @classmethod
    def of(cls, pattern: str, *, allow: bool) -> _Wild:
        once = _STARS.sub("*", pattern) if "**" in pattern else pattern
        head, star, rest = once.partition("*")
        if not star:
            return cls(len(pattern), allow, head.removesuffix("$"), None)
        return cls(len(pattern), allow, head, rest)


class _Reading:
    """The rules as one reading has them."""

    def __init__(
        self, open_: list[str], closed: list[str], wild_open: list[str], wild_closed: list[str]
    ) -> None:
        self._open = frozenset(open_)
        self._closed = frozenset(closed)
        self._lengths = sorted({*map(len, open_), *map(len, closed)}, reverse=True)
        wild = [_Wild.of(pattern, allow=True) for pattern in wild_open]
        wild += [_Wild.of(pattern, allow=False) for pattern in wild_closed]
        self._wild = sorted(wild, key=lambda rule: (-rule.length, not rule.allow))

    def allows(self, path: str) -> bool:
        """Whether a path in this reading's form is allowed; not, if that takes too long to say."""
        length, allow = self._plain(path)
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

    def _plain(self, path: str) -> tuple[int, bool]:
        """Return length and kind of the longest rule without a wildcard that path begins with."""
        for length in self._lengths:
            if length <= len(path):
                beginning = path[:length]
                if beginning in self._open:
                    return length, True
                if beginning in self._closed:
                    return length, False
        return 0, True


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
