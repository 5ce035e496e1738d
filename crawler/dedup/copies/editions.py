"""What addresses mean on a site: trees, parameters and endings that its own pages prove editions.

Two URLs that differ in one place make a *claim*: whatever stands in the one tree stands in the
other as well (`/docs/15/` and `/docs/16/`, two hosts, `/x` and `/x/amp`, with and without `?sid=`).
Nobody believes a claim for its names: `/ga/` may be a language, a state or a version. It is earned
by pages that show the same, and lost again by pages that contradict it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

LEAST = 3
"""Pairs of pages that agree before a claim is believed."""
AGAINST = 0.2
"""Share of the pairs that may contradict a claim that is believed: one in five."""
PROVEN, RARELY_AGAINST = 20, 0.1
"""Pairs that agree, and share of those that contradict, of a claim that is beyond doubt: there a
number in a text may be an editor's. Of few pages it may be all that a reader comes for."""

MOST_CLAIMS = 50_000
"""Held; of more the ones not asked for longest are forgotten, some 10 MB in all."""
_MOST_VALUES = 64
"""Values of one slot that are tried as what two others have in common."""


class Claim(NamedTuple):
    """That pages which differ in one place of their addresses are editions of each other."""

    slot: str
    """Where the addresses differ."""
    one: str
    """What stands there in either of them, the smaller first."""
    other: str


class Counted(NamedTuple):
    """A claim with what speaks for and against it."""

    claim: Claim
    agree: int
    against: int


@dataclass(slots=True)
class Support:
    """How many pairs of pages agree with a claim, and how many contradict it."""

    agree: int = 0
    against: int = 0

    @property
    def is_earned(self) -> bool:
        """Whether the claim is believed."""
        return self.agree >= LEAST and self.against <= AGAINST * (self.agree + self.against)

    @property
    def is_proven(self) -> bool:
        """Whether it is beyond doubt."""
        pairs = self.agree + self.against
        return self.agree >= PROVEN and self.against <= RARELY_AGAINST * pairs


class Editions:
    """All claims that pairs of pages made, with their support; deterministic in their order."""

    def __init__(self) -> None:
        self._slots: OrderedDict[str, dict[tuple[str, str], Support]] = OrderedDict()
        self._changed: dict[Claim, Support] = {}
        self._held = 0

    def observe(self, claim: Claim, agrees: bool) -> None:
        """Count a pair of pages for a claim, or against it."""
        support = self._counted(claim)
        if agrees:
            support.agree += 1
        else:
            support.against += 1
        self._changed[claim] = support

    def support(self, claim: Claim) -> Support:
        """Return what speaks for a claim, of itself or by a third value: A like C, C like B."""
        pairs = self._slots.get(claim.slot)
        if pairs is None:
            return Support()
        found = pairs.get((claim.one, claim.other), Support())
        if found.is_proven:
            return found
        values = dict.fromkeys(value for pair in pairs for value in pair)
        for value in list(values)[:_MOST_VALUES]:
            if value in (claim.one, claim.other):
                continue
            first, second = (pairs.get(_pair(value, end)) for end in claim[1:])
            if first is None or second is None:
                continue
            weaker = min(first, second, key=lambda one: one.agree)
            joined = Support(
                found.agree + weaker.agree, found.against + max(first.against, second.against)
            )
            if (joined.is_proven, joined.is_earned) > (found.is_proven, found.is_earned):
                found = joined
        return found

    def take_changed(self) -> tuple[Counted, ...]:
        """Return, once, what has changed since this was last asked: to be stored."""
        changed = tuple(Counted(claim, s.agree, s.against) for claim, s in self._changed.items())
        self._changed.clear()
        return changed

    def restore(self, counted: Iterable[Counted]) -> None:
        """Take in what an earlier run stored."""
        for claim, agree, against in counted:
            support = self._counted(claim)
            support.agree, support.against = agree, against

    def _counted(self, claim: Claim) -> Support:
        pairs = self._slots.get(claim.slot)
        if pairs is None:
            pairs = self._slots[claim.slot] = {}
        self._slots.move_to_end(claim.slot)
        support = pairs.get((claim.one, claim.other))
        if support is None:
            support = pairs[claim.one, claim.other] = Support()
            self._held += 1
            while self._held > MOST_CLAIMS and len(self._slots) > 1:
                _, forgotten = self._slots.popitem(last=False)
                self._held -= len(forgotten)
        return support


class _Parts(NamedTuple):
    host: str
    segments: tuple[str, ...]
    """Of the path, decoded; the last one is empty where it ends with a slash."""
    query: frozenset[tuple[str, str]]


@lru_cache(64)
def _parts(url: str) -> _Parts:
    parts = urlsplit(url)
    segments = tuple(unquote(one) for one in parts.path.removeprefix("/").split("/"))
    return _Parts(parts.netloc, segments, frozenset(parse_qsl(parts.query, keep_blank_values=True)))


def claim_of(url: str, other: str) -> Claim | None:
    """Return what two pages, if they are one, say of addresses; None where they differ in more.

    Both URLs are canonical.
    """
    one, two = _parts(url), _parts(other)
    if one.query != two.query:
        if (one.host, one.segments) != (two.host, two.segments):
            return None
        names = sorted({name for name, _ in one.query ^ two.query})
        return Claim(f"{one.host}?{'&'.join(names)}", "", "")
    if one.segments == two.segments:
        return None if one.host == two.host else _claim("//", one.host, two.host)
    same_end = _common(one.segments[::-1], two.segments[::-1])
    if one.host != two.host:
        if same_end == 0 or one.segments[-same_end:] == ("",):
            return None
        trees = ("/".join((of.host, *of.segments[:-same_end])) for of in (one, two))
        return _claim("//", *trees)
    return _on_one_host(one, two, same_end)


def _on_one_host(one: _Parts, two: _Parts, same_end: int) -> Claim | None:
    if same_end and one.segments[-same_end:] != ("",):
        firsts, seconds = one.segments[:-same_end], two.segments[:-same_end]
        begin = _common(firsts, seconds)
        slot = "/".join((one.host, *firsts[:begin], ""))
        return _claim(slot, "/".join(firsts[begin:]), "/".join(seconds[begin:]))
    short, long = sorted(([*filter(None, of.segments)] for of in (one, two)), key=len)
    if len(short) < len(long) and long[: len(short)] == short:
        return _claim(f"{one.host}/*/", "", "/".join(long[len(short) :]))
    if len(short) == len(long) and short[:-1] == long[:-1]:
        return _ending(one.host, short[-1], long[-1])
    return None


def _ending(host: str, name: str, other: str) -> Claim | None:
    """Return what two names in one folder say: `page.html` and `page.fr.html`; no numbers."""
    begin = _common(name, other)
    most = min(len(name), len(other)) - begin
    end = min(_common(name[::-1], other[::-1]), most)
    ours, theirs = name[begin : len(name) - end], other[begin : len(other) - end]
    if begin == 0 or any(map(str.isdigit, ours + theirs)):
        return None
    return _claim(f"{host}/*", ours, theirs)


def _common(one: tuple[str, ...] | list[str] | str, other: tuple[str, ...] | list[str] | str) -> int:
    """Return how many of the first elements are the same."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _claim(slot: str, one: str, other: str) -> Claim:
    return Claim(slot, *_pair(one, other))


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)
