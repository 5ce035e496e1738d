"""What addresses mean on a site: trees, parameters and endings that its own pages prove editions.

Two URLs that differ in one place make a *claim*: whatever stands in the one tree stands in the
other as well (`/docs/15/` and `/docs/16/`, two hosts, `/x` and `/x/amp`, with and without `?sid=`).
Nobody believes a claim for its names: `/ga/` may be a language, a state or a version. It is earned
by pages that show the same, and lost again by pages that contradict it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from crawler.models import EditionCount

LEAST = 3
"""Pairs of pages that agree before a claim is believed."""
AGAINST = 0.2
"""Share of the pairs that may contradict a claim that is believed: one in five."""
PROVEN, RARELY_AGAINST = 20, 0.1
"""Pairs that agree, and share of those that contradict, of a claim that is beyond doubt: there a
number in a text may be an editor's. Of few pages it may be all that a reader comes for."""
APART = 3
"""Pairs at addresses that are otherwise the same whose texts have little in common: in as many, a
site says the same in other languages. Guides to fifty states are alike."""

MOST_SLOTS, MOST_PAIRS = 10_000, 500
"""Slots held, and pairs of values of one: of more slots the ones not met for longest are forgotten,
of more pairs no others are counted. A parameter that makes each URL another has one pair."""


class Claim(NamedTuple):
    """That pages which differ in one place of their addresses are editions of each other."""

    slot: str
    """Where the addresses differ."""
    one: str
    """What stands there in either of them, the smaller first."""
    other: str

    @property
    def is_of_parameter(self) -> bool:
        """Whether a parameter of the query differs: most of these ask for another page."""
        return "?" in self.slot

    def is_ordered(self, url: str, other: str) -> bool:
        """Whether the first of the two URLs that made the claim has `one`, and not `other`."""
        one, two = (f"/{value}/" for value in self[1:])
        first, second = f"{url}/", f"{other}/"
        return (one in first and one not in second) or (two in second and two not in first)


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


class _Slot:
    """What was counted of one place in addresses."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str], Support] = {}
        self.values: dict[str, Support] = {}
        """All pairs that a value is one of, added up."""
        self.apart = 0

    def count(self, claim: Claim, agree: int, against: int) -> Support | None:
        """Add to what speaks for and against a claim; None where too many were counted."""
        pair = claim[1:]
        if (support := self.pairs.get(pair)) is None:
            if len(self.pairs) >= MOST_PAIRS:
                return None
            support = self.pairs[pair] = Support()
        for one in (support, *(self.values.setdefault(value, Support()) for value in {*pair})):
            one.agree += agree
            one.against += against
        return support


class Earned(NamedTuple):
    """A place in addresses of which this site's pages prove that it tells editions apart."""

    slot: str
    values: tuple[str, ...]
    agree: int
    against: int


class Editions:
    """All claims that pairs of pages made, with their support; deterministic in their order."""

    def __init__(self) -> None:
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._changed: dict[Claim, tuple[int, int]] = {}

    def observe(self, claim: Claim, agrees: bool) -> None:
        """Count a pair of pages for a claim, or against it."""
        support = self._slot(claim.slot).count(claim, int(agrees), int(not agrees))
        if support is not None:
            self._changed[claim] = support.agree, support.against

    def observe_apart(self, claim: Claim) -> None:
        """Count two pages at one address that have little in common."""
        slot = self._slot(claim.slot)
        if slot.apart < APART:
            slot.apart += 1
            self._changed[Claim(claim.slot, *_APART)] = slot.apart, 0

    def support(self, claim: Claim) -> Support:
        """Return what speaks for a claim: of itself, or of either value with whatever others.

        Of itself alone where enough pairs have spoken: they know better.
        """
        slot = self._slots.get(claim.slot)
        if slot is None:
            return Support()
        nothing = Support()
        found = slot.pairs.get(claim[1:], nothing)
        if found.agree + found.against >= LEAST and not found.is_earned:
            return found
        each = [slot.values.get(value, nothing) for value in claim[1:]]
        weaker = min(each, key=lambda one: one.agree)
        return max(found, weaker, key=lambda one: (one.is_proven, one.is_earned))

    def holds_languages(self, claim: Claim) -> bool:
        """Whether the site says the same in other words where addresses differ so."""
        slot = self._slots.get(claim.slot)
        return slot is not None and slot.apart >= APART

    def earned(self) -> Iterator[Earned]:
        """Yield the places in addresses where editions are believed, as they were first met."""
        for name, slot in self._slots.items():
            believed = [pair for pair in slot.pairs if self.support(Claim(name, *pair)).is_earned]
            if believed:
                values = tuple(dict.fromkeys(value for pair in believed for value in pair))
                supports = [slot.pairs[pair] for pair in believed]
                agree, against = sum(s.agree for s in supports), sum(s.against for s in supports)
                yield Earned(name, values, agree, against)

    def take_changed(self) -> tuple[EditionCount, ...]:
        """Return, once, what has changed since this was last asked: to be stored."""
        changed = tuple(EditionCount(*claim, *counts) for claim, counts in self._changed.items())
        self._changed.clear()
        return changed

    def restore(self, counted: Iterable[EditionCount]) -> None:
        """Take in what an earlier run stored."""
        for *named, agree, against in counted:
            claim = Claim(*named)
            if claim[1:] == _APART:
                self._slot(claim.slot).apart = agree
            else:
                self._slot(claim.slot).count(claim, agree, against)

    def _slot(self, name: str) -> _Slot:
        slot = self._slots.get(name)
        if slot is None:
            slot = self._slots[name] = _Slot()
            if len(self._slots) > MOST_SLOTS:
                self._slots.popitem(last=False)
        self._slots.move_to_end(name)
        return slot


_APART = ("?", "?")
"""Values that no address has: under them stands how many pairs were apart."""


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

    Both URLs are canonical; documents of files are at no address.
    """
    if not (url.startswith("http") and other.startswith("http")):
        return None
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
    if short and len(short) == len(long) and short[:-1] == long[:-1]:
        return _ending(one.host, short[-1], long[-1])
    return None


def _ending(host: str, name: str, other: str) -> Claim | None:
    """Return what two names in one folder say: `page.html`, `page.fr.html` and `page-print.html`.

    One has a part more, set off by a sign, or both have one after a full stop; none is a number.
    """
    begin = _common(name, other)
    most = min(len(name), len(other)) - begin
    end = min(_common(name[::-1], other[::-1]), most)
    ours, theirs = name[begin : len(name) - end], other[begin : len(other) - end]
    is_added = not ours or not theirs
    signs = (ours + theirs)[:1] + (ours + theirs)[-1:] if is_added else name[begin - 1 : begin]
    if begin == 0 or any(map(str.isdigit, ours + theirs)):
        return None
    if not (set(signs) & set(".-_") if is_added else signs == "."):
        return None
    return _claim(f"{host}/*", ours, theirs)


def _common(
    one: tuple[str, ...] | list[str] | str, other: tuple[str, ...] | list[str] | str
) -> int:
    """Return how many of the first elements are the same."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _claim(slot: str, one: str, other: str) -> Claim:
    return Claim(slot, *_pair(one, other))


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)
