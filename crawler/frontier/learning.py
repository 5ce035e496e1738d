"""What a crawl learns from its own verdicts: which of a site's URLs bring something, and which not.

Every end of a URL teaches its site (a registrable domain): what came of it, which lines of text it
showed that no page of the site had shown, and which new URLs. From that three kinds of rules
follow, one account of what an address means:

- a **yield**: of the URLs of one shape (`crawler.urls.editions.shapes`) so many of the latest
  brought something;
- a **same page** rule (`SamePage`): URLs that differ in one way lead to one page;
- a **cut** (`crawler.frontier.traps`): a subtree would go on for ever, and brings nothing.

When a URL's turn comes, the rules are asked (`UrlLearning.foresee`). What was cut is held back. Any
other that will hardly bring anything is postponed by its priority, never refused: it waits behind
all that may bring more, and is asked for while limits allow. So a rule that is wrong costs a page
its place, not the crawl the page. Some of what is postponed is asked for all the same (audits):
rules that fail are revoked, and what they postponed gets its place back.

Yields and same pages are a pure function of the ends in their order: a later run hears the kept
lessons again (`UrlLearning.hear`) and knows what this one knew. Of cuts it gets the `state`.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import mmh3

from crawler import urls
from crawler.dedup import kernels
from crawler.frontier.traps import NoveltyCounter, Subtree, Subtrees
from crawler.frontier.view import RulesSeen, RuleTurn
from crawler.models import (
    ExactDuplicate,
    FetchTask,
    Mirrored,
    NearDuplicate,
    PageOutcome,
    Predicted,
    Priority,
    Released,
    Skip,
    UrlState,
)
from crawler.urls.editions import (
    Asked,
    Claim,
    Latest,
    SamePage,
    Tree,
    UrlParts,
    parts_of,
    same_page_rules,
    shapes,
    side_of,
    trees_of,
)

if TYPE_CHECKING:
    from crawler.config.job import Learn, Traps

Lines: TypeAlias = bytes
"""Hashes of lines, 32 bits each, in the order of this machine's bytes."""
_LINE_BYTES = 4

# ------------------------------------------------------------------------------------------- yields

MEMORY = 256
"""Ends over which a yield is averaged (exponentially): so much a site may change its mind."""
SELDOM, RARELY, HARDLY = 1 / 2, 1 / 6, 1 / 28
"""Shares of URLs that bring something, below which a shape is postponed to one of three places:
five fruitless ends are `RARELY`, 28 `HARDLY` (rule of succession, Laplace 1814)."""
_BACK: dict[int, float] = {
    Priority.SELDOM: 3 / 4,
    Priority.RARE: SELDOM,
    Priority.PREDICTED: RARELY,
}
"""Share from which URLs that were postponed to a place get their own back: well above the share
that postponed them, lest they go to and fro."""
ENDS = 5
"""Ends of one shape before anything is said of it."""
AUDITS = 32
"""Of so many URLs that a rule would postpone one is asked for in its turn."""


class Uses(NamedTuple):
    """How a rule was used."""

    number: int = 0
    """Of the URLs of which it said that they bring little, audits included: all of the first
    `AUDITS`, then over and over the next so many."""
    last: int = Priority.ORDINARY
    """The last of the places (`Priority`) to which it has postponed some."""

    @classmethod
    def of(cls, packed: int) -> Uses:
        """Undo `packed`."""
        return cls(packed & 63, packed >> 6)

    def packed(self) -> int:
        """Return it in 9 bits."""
        return self.last << 6 | self.number

    def used(self, more: int, place: int) -> Uses:
        """Return it with so many more URLs, which wait at a place or before."""
        number = self.number + more
        number = number if number < 2 * AUDITS else AUDITS + number % AUDITS
        return Uses(number, max(self.last, place))

    @property
    def is_audit(self) -> bool:
        """Whether the URL counted last is asked for in its turn."""
        return not self.number % AUDITS


_ONE = 1 << 15
_COUNT = (1 << 24) - 1
_USED = 48
_COUNTS = (1 << _USED) - 1
"""Below this bit a packed `Yield` has its two counts, from it on its uses."""
_SAYS = (2 * ENDS - 1) * _ONE // 2
"""Above it there are enough: `ENDS`, less half of one, since earlier ends count a little less."""


class Yield(NamedTuple):
    """What URLs of one shape brought of late, and how that was used; packed into 57 bits."""

    tried: int = 0
    brought: int = 0
    """Of both, earlier ends count less (`MEMORY`); in parts of `_ONE`."""
    used: int = 0
    """How often it said that one of them brings little: `Uses`, packed."""

    @classmethod
    def of(cls, packed: int) -> Yield:
        """Return a packed one."""
        return cls((packed >> 24) & _COUNT, packed & _COUNT, packed >> _USED)

    @staticmethod
    def fruitless(packed: int) -> int:
        """Return a packed one with one more end: done for each shape of each page, so in place."""
        tried, brought = (packed >> 24) & _COUNT, packed & _COUNT
        return packed + ((_ONE - tried // MEMORY) << 24) - brought // MEMORY

    @staticmethod
    def fruitful(packed: int) -> int:
        """Return a packed one with one more end, which brought something."""
        return Yield.fruitless(packed) + _ONE

    @staticmethod
    def credited(packed: int) -> int:
        """Return a packed one, of which an earlier end led to a page that brought something."""
        tried, brought = (packed >> 24) & _COUNT, packed & _COUNT
        return packed - brought + min(tried, brought + _ONE)

    @property
    def share(self) -> float:
        """The share of the next URLs that is expected to bring something."""
        return (self.brought + _ONE) / (self.tried + 2 * _ONE)

    @property
    def comes_back(self) -> bool:
        """Whether they bring so much that what was postponed gets its place back."""
        back = _BACK.get(Uses.of(self.used).last)  # none where only audits are known
        return back is not None and self.share >= back

    @property
    def told(self) -> str:
        """What it rests on, in words."""
        brought, tried = self.brought / _ONE, self.tried / _ONE
        told = f"{brought:.0f} of its last {tried:.0f} brought something"
        return told if self.tried > _SAYS else ""


class Forecast(NamedTuple):
    """What a URL is expected to bring, by which rule."""

    priority: Priority
    rule: str
    like: int | None = None
    """The page that it is expected to be (its number); None for any, or none."""


# --------------------------------------------------------------------------------------- same pages

LEAST = 8
"""Pairs of one page before a rule of same pages is believed."""
AGAINST, REFUTED = 0.05, 0.25
"""Share of pairs that may contradict a rule that is believed, which then needs four times as many
pairs to be believed again; and from which nothing more is asked of it."""


@dataclass(slots=True)
class Proof:
    """What pairs of pages say of a rule."""

    rule: SamePage
    given: bool = False
    """The job says that it holds, whatever pages say."""
    key: int = field(init=False)
    """Hash of its name: tells what rules make of an address apart from addresses."""
    apply: Callable[[UrlParts], UrlParts | None] = field(init=False, compare=False)
    passes: Callable[[frozenset[Asked]], bool] = field(init=False, compare=False)
    """Whether it makes no other of any address that asks for this."""
    places: tuple[str, ...] = field(init=False)
    """With one of which the place of an address begins, if it is concerned at all."""
    is_of_order: bool = field(init=False)
    """Whether it speaks of addresses that differ in the order of their parameters alone."""
    trees: tuple[Tree, Tree] | None = field(init=False)
    """Of a rule about two: those."""
    original: int | None = None
    """Which of these is the one that others mirror: it has the page of a pair that was met first.
    None as long as nothing tells."""
    agree: int = 0
    against: int = 0
    least: int = LEAST
    holds: bool = False
    uses: Uses = field(default_factory=Uses, compare=False)

    def __post_init__(self) -> None:
        rule, self.holds = self.rule, self.given
        self.key = hash_of(rule.name)  # which itself is not kept, for a site's memory
        self.apply, self.passes, self.places = rule.applier(), rule.passer(), rule.places
        self.is_of_order, self.trees = rule.is_of_order, trees_of(rule.claim)

    @property
    def mirrored(self) -> str | None:
        """What stands in addresses of the tree that the other one mirrors; None: not known."""
        return None if self.original is None else self.rule.claim[1 + self.original]

    def twin(self, of: UrlParts) -> UrlParts | None:
        """Return the address at the same path of the other of two trees; None: there is none."""
        side = None if self.trees is None else side_of(self.trees, of)
        if self.trees is None or side is None:
            return None
        host, folder = self.trees[1 - side]
        return UrlParts(host, (*folder, *of.segments[len(self.trees[side].segments) :]), of.query)

    @property
    def pairs(self) -> int:
        """How many have spoken."""
        return self.agree + self.against

    @property
    def is_refuted(self) -> bool:
        """Whether it is plain that URLs of this kind are different pages."""
        return not self.given and self.pairs >= LEAST and self.against > REFUTED * self.pairs

    def count(self, *, agrees: bool) -> bool:
        """Add a pair; return whether the rule holds now, or holds no more."""
        self.agree += agrees
        self.against += not agrees
        if self.given:
            return False
        holds = self.agree >= self.least and self.against <= AGAINST * self.pairs
        changed, self.holds = holds is not self.holds, holds
        if changed and not holds:
            self.least = 4 * self.agree
        return changed


# -------------------------------------------------------------------------------------------- lines

_FIRST_BITS, MOST_BITS = 1 << 14, 1 << 18
"""Of a filter: the first one takes 2 KiB, later ones 32."""
_BITS_A_LINE = 8
"""With 4 hashes one new line in 40 is taken for a known one, where a filter is full."""


class LinesSeen:
    """Which lines the pages of a site have shown, by hash.

    Bloom filters, one after the other (Almeida et al., "Scalable Bloom Filters", 2007): a new line
    is taken for a known one once in 20 times at most. Of a site with many the latest 32,768 to
    65,536 are known, earlier ones look new again. 64 KiB at most.
    """

    def __init__(self) -> None:
        self._filters: list[bytearray] = []
        self._room = 0
        """Lines that the last filter may still take."""

    @property
    def bytes(self) -> int:
        """What it takes."""
        return sum(map(len, self._filters))

    def fresh(self, lines: Lines) -> Lines:
        """Return which lines are new."""
        for one in self._filters:
            lines = kernels.keep_new_lines(lines, one)
        return lines

    def add(self, lines: Lines) -> None:
        """Note lines that are new."""
        if not lines:
            return
        if self._room <= 0:
            bits = MOST_BITS if self._filters else _FIRST_BITS
            self._filters.append(bytearray(bits // 8))
            self._room = bits // _BITS_A_LINE
            while self.bytes > MOST_BITS // 4:
                del self._filters[0]
        self._room -= len(lines) // _LINE_BYTES
        kernels.note_lines(lines, self._filters[-1])


def _little(lines: Lines) -> Lines:
    """Return lines as they are kept, on any machine, or such as they are here."""
    if sys.byteorder == "little":
        return lines
    swapped = array("I", lines)
    swapped.byteswap()
    return swapped.tobytes()


# ----------------------------------------------------------------------------------- what is known


class Remembered:
    """A whole number for each hash, of so many hashes as were set last: 8 or 12 bytes each.

    Hashes are told apart by 32 bits: of as many entries as a site has one look-up in 200,000 gives
    another one's. Each has two places, of which it takes the one that was set longer ago; there are
    four times as many places as entries, up to `most` of them.
    """

    _FIRST = 64

    def __init__(self, most: int, kind: Literal["I", "Q"] = "I") -> None:
        self._most = most
        self._keys = array("I", bytes(4 * self._FIRST))
        self._values = array(kind, bytes(array(kind).itemsize * self._FIRST))
        self._used = 0

    def get(self, key: int) -> int | None:
        """Return what was set for a hash; None where it is not known any more."""
        key = key & 0xFFFFFFFF or 1
        keys = self._keys
        at = 2 * key % len(keys)
        if keys[at] == key:
            return self._values[at]
        return self._values[at + 1] if keys[at + 1] == key else None

    def __contains__(self, key: int) -> bool:
        return self.get(key) is not None

    def __setitem__(self, key: int, value: int) -> None:
        """Set a hash's number; it is the latest now, and the earlier one of its places may go."""
        key = key & 0xFFFFFFFF or 1
        keys, values = self._keys, self._values
        at = 2 * key % len(keys)
        if keys[at] == key:
            values[at] = value
            return
        self._used += not keys[at + 1]
        keys[at + 1], values[at + 1] = keys[at], values[at]
        keys[at], values[at] = key, value
        if self._used * 4 > len(keys) < self._most:
            self._grow()

    def replace(self, key: int, value: int) -> None:
        """Change the number of a hash that has one, which is remembered no longer by that."""
        key = key & 0xFFFFFFFF or 1
        at = 2 * key % len(self._keys)
        for place in (at, at + 1):
            if self._keys[place] == key:
                self._values[place] = value

    def setdefault(self, key: int, value: int) -> None:
        """Set a hash's number where it has none."""
        if self.get(key) is None:
            self[key] = value

    def _grow(self) -> None:
        import numpy as np  # a crawl has it, and commands that only read begin without

        room = min(self._most, 2 * len(self._keys))
        keys, values = (np.array(one)[::-1] for one in (self._keys, self._values))
        keys, values = keys[keys > 0], values[keys > 0]
        places, numbers = np.zeros(room, keys.dtype), np.zeros(room, values.dtype)
        for place in (0, 1):  # as if each were set in turn: of those at one place the last stays
            at = keys.astype(np.int64) * 2 % room + place
            places[at], numbers[at] = keys, values
            moves = places[at] != keys
            keys, values = keys[moves], values[moves]
        self._keys = array("I", places.tobytes())
        self._values = array(self._values.typecode, numbers.tobytes())
        self._used = int(np.count_nonzero(places))


# -------------------------------------------------------------------------------------------- sites

MOST_SITES = 4_096
MOST_SHAPES, MOST_RULES, MOST_HASHES, MOST_URLS = 2_048, 32, 12_288, 128
"""Of each site its shapes, its rules of same pages, what is known by hashes (addresses and texts of
pages, URLs that led to something or were no page), and addresses in full, of the pages met last:
those unused for longest are forgotten first, rules that hold not at all. With `LinesSeen` and names
of at most `LONGEST` a site takes 256 KiB."""
LONGEST = 200
"""Characters of a rule's name, and of an address that is kept in full: longer ones teach none."""
MOST_HOSTS = 64
"""Of a site, in whose queues URLs wait."""
_LOOKED_AT, _KEPT = 8, 4
"""Of a page's lines so many are looked at, those with the smallest hashes, and of new ones so many
kept. If half of a page's lines stood first on another, so did in the mean as many of these (minwise
hashing, Broder 1997)."""

HEARD = 200_000
"""Ends of earlier runs that a run hears again, the latest: some half a minute. Of all before them a
site remembers little."""

MOST_WAITED = 16_384
"""Rules of a crawl of which is counted how many URLs wait by them: those used last."""
MOST_TURNS = 20
"""Rules that came or were revoked, the latest, kept for who watches."""

_LESSON = struct.Struct("<?qQ")
"""Whether the URL brought something, the number of the page it led to (-1: none), its `text`."""


class Lesson(NamedTuple):
    """What one end teaches."""

    worth: bool
    page: int | None
    """Number of the page that it led to: its own, or that of a page it repeats."""
    text: int = 0
    """Hash of all lines of its text; 0 where it has none."""
    lines: Lines = b""
    """Hashes of lines that no page of the site had shown."""

    def packed(self) -> bytes:
        """Return it as it is kept."""
        page = -1 if self.page is None else self.page
        return _LESSON.pack(self.worth, page, self.text) + _little(self.lines)

    @classmethod
    def of(cls, packed: bytes) -> Lesson:
        """Undo `packed`; ValueError where it is none."""
        if len(packed) < _LESSON.size:
            raise ValueError(f"a lesson has {_LESSON.size} bytes at least, not {len(packed)}")
        worth, page, text = _LESSON.unpack_from(packed)
        lines = packed[_LESSON.size :]
        if len(lines) % _LINE_BYTES:
            raise ValueError(f"the lines of a lesson take a multiple of {_LINE_BYTES} bytes")
        return cls(worth, None if page < 0 else page, text, _little(lines))


class _Of:
    """What a hash that a site remembers is of, and so what its number is."""

    ADDRESS = 0
    """Of a page, or what rules make of it: that page. So with TEXT and LINE."""
    TEXT = 0x5BD1E9955BD1E995
    LINE = 0x2545F4914F6CDD1D
    CREDITED = 0x1B8735939E3779B9
    """URLs that have led to something: 1."""
    PAGELESS = 0x7FEB352D846CA68B
    """URLs of which no page came: 1."""
    REPEAT = 0x19D699A5D7C4B2E3
    """URLs that some rule calls the same as one before, and rightly so by their pages: 1."""
    REFUTED = 0x369DEA0F31A53F85
    """Rules of same pages: 1."""


class Site:
    """What is known of one site. Rules are named by texts that begin with a host."""

    def __init__(
        self, subtrees: Subtrees, given: Iterable[tuple[SamePage, str | None]] = ()
    ) -> None:
        """Begin with nothing but rules that are `given`: these hold whatever pages say.

        With each stands which of two trees the other one mirrors.
        """
        self.subtrees = subtrees
        self.same: OrderedDict[SamePage, Proof] = OrderedDict()
        for rule, original in given:
            self.same[rule] = proof = Proof(rule, given=True)
            if proof.trees is not None and original is not None:
                proof.original = rule.claim[1:].index(original)
        self._holding = tuple(self.same.values())
        """Those of them that hold, in the same order."""
        self.hosts = Latest[str, None](MOST_HOSTS)
        """Host keys in whose queues URLs wait."""
        self._lines = LinesSeen()
        self._yields = Remembered(MOST_SHAPES, "Q")
        """By shape, a `Yield`."""
        self._known = Remembered(MOST_HASHES)
        """By `_Of`, what was seen; pages by their number."""
        self._urls = Latest[int, str](MOST_URLS)
        """The address of each page, where that was met first."""

    def expected(self, url: str, is_seen: Callable[[str], bool]) -> Forecast | None:
        """Return what rules say of a URL; None where it may well bring something.

        `is_seen` tells which URLs were ever queued.
        """
        whole, proof = self._whole(parts_of(url))
        if proof is not None and (page := self._page_at(whole, proof)) is not None:
            return Forecast(Priority.PREDICTED, proof.rule.name, page)
        if proof is not None and (mirrored := self._mirrored(url, is_seen)) is not None:
            return Forecast(Priority.PREDICTED, mirrored.name)
        get = self._yields.get
        for kind in _keyed(whole):  # the narrowest one of which enough is known tells
            known: list[tuple[float, str]] = []
            for key, name in kind:
                packed = get(key) or 0
                if packed >> 24 & _COUNT > _SAYS:
                    known.append((Yield.of(packed).share, name))
            if known:
                share, name = min(known)
                if share >= SELDOM:
                    return None
                if share < HARDLY:
                    return Forecast(Priority.PREDICTED, name)
                return Forecast(Priority.RARE if share < RARELY else Priority.SELDOM, name)
        return None

    def _page_at(self, whole: UrlParts, by: Proof) -> int | None:
        """Return the page at the address that stands for it, by that, or as the rule had it before.

        That may have been before it was a rule: at the same path of the other of two trees.
        """
        page = self._known.get(key := _hash(whole))
        page = self._known.get(key ^ by.key) if page is None else page
        if page is None and by.trees and (across := by.twin(whole)) is not None:
            page = self._known.get(_hash(across))
        return page

    def _mirrored(self, url: str, is_seen: Callable[[str], bool]) -> SamePage | None:
        """Return the rule by which a URL is a mirror's, whose original was queued.

        So a mirror that is met page by page with its original waits behind it as well. Where that
        has brought no page the mirror is asked in its turn.
        """
        for proof, mirror, original in self._mirrors(parts_of(url)):
            at = mirror.moved(url, original)
            if is_seen(at) and hash_of(at) ^ _Of.PAGELESS not in self._known:
                return proof.rule
        return None

    def _mirrors(self, of: UrlParts) -> Iterator[tuple[Proof, Tree, Tree]]:
        """Yield the rules by which a URL is a mirror's, with the trees of mirror and original."""
        place = of.place if self._holding else ""
        for proof in self._holding:
            if not place.startswith(proof.places) or proof.trees is None or proof.original is None:
                continue
            side = side_of(proof.trees, of)
            if side is not None and side != proof.original:
                yield proof, proof.trees[side], proof.trees[proof.original]

    def mirror(self, url: str) -> Mirrored | None:
        """Return what is known of the mirror that a URL lies in, by most pairs; None: in none."""
        found = [(proof, of) for proof, _, of in self._mirrors(parts_of(url))]
        if not found:
            return None
        proof, of = max(found, key=lambda one: one[0].pairs)
        return Mirrored(of.name, round(proof.agree / proof.pairs, 4), proof.pairs)

    def page_at(self, url: str) -> int | None:
        """Return the number of the page that a URL leads to by a rule; None: not known."""
        whole, proof = self._whole(parts_of(url))
        return None if proof is None else self._page_at(whole, proof)

    def use(self, rule: str, host: str, more: int, place: int) -> Uses:
        """A rule has so many more URLs of a host wait at a place, or before; return its uses."""
        self.hosts[host] = None
        key = hash_of(rule)
        for proof in self._holding:
            if proof.key == key:
                proof.uses = proof.uses.used(more, place)
                return proof.uses
        packed = self._yields.get(key) or 0
        uses = Uses.of(packed >> _USED).used(more, place)
        # What is remembered follows from ends alone: a later run hears no uses.
        self._yields.replace(key, uses.packed() << _USED | packed & _COUNTS)
        return uses

    def support(self, rule: str) -> str:
        """Return what the rule of a shape rests on, in words; empty where that is not known."""
        return Yield.of(self._yields.get(hash_of(rule)) or 0).told

    def _whole(self, of: UrlParts) -> tuple[UrlParts, Proof | None]:
        """Return the address that stands for a page, and the rule that made it of this one.

        Where none did, a rule that holds: it may have made it of another. None: no rule holds.
        """
        if not self._holding:
            return of, None
        whole, used, place, asked = of, None, of.place, of.asked
        for proof in self._holding:
            used = used or proof
            if not place.startswith(proof.places) or proof.passes(asked):
                continue
            if (shorter := proof.apply(whole)) is not None:
                whole, used, place, asked = shorter, proof, shorter.place, shorter.asked
        return whole, used

    def learn(self, url: str, lesson: Lesson, referrer: str | None) -> list[str]:
        """Take in an end; return the names of rules in use that hold no more."""
        ended = self._credit(referrer) if lesson.worth and referrer is not None else []
        whole, proof = self._whole(of := parts_of(url))
        # That a page came again under another address says nothing of addresses like its own.
        if lesson.worth or proof is None or self._page_at(whole, proof) is None:
            ended += self._count(whole, Yield.fruitful if lesson.worth else Yield.fruitless)
        if lesson.page is None:
            self._known[hash_of(url) ^ _Of.PAGELESS] = 1
        else:
            ended += self._compare(url, of, whole, lesson.page)
            self._lines.add(lesson.lines)
            for line in array("I", lesson.lines[: _KEPT * _LINE_BYTES]):
                self._known[line ^ _Of.LINE] = lesson.page
            if lesson.text:
                self._known.setdefault(lesson.text ^ _Of.TEXT, lesson.page)
        return ended

    def _count(self, whole: UrlParts, change: Callable[[int], int]) -> Iterator[str]:
        """Change the yields of an address's shapes; yield the names of those that hold no more."""
        yields = self._yields
        for key, name in chain.from_iterable(_keyed(whole)):
            packed = change(yields.get(key) or 0)
            if packed >> _USED and Yield.of(packed).comes_back:
                packed &= _COUNTS
                yield name
            if packed:
                yields[key] = packed

    def _credit(self, url: str) -> list[str]:
        """A page has led to something; return the names of rules that hold no more.

        That speaks for it, once: a list of pages is worth what they are. So it speaks against rules
        that call a list the same as one that had not led there.
        """
        by, known = hash_of(url), self._known
        was_credited = by ^ _Of.CREDITED in known
        known[by ^ _Of.CREDITED] = 1
        if was_credited:
            return []
        of = parts_of(url)
        ended = [*self._count(self._whole(of)[0], Yield.credited)]
        if by ^ _Of.REPEAT in known:
            ended += self._judge(
                [(proof, False) for proof in self.same.values() if proof.apply(of) is not None]
            )
        return ended

    def lesson(self, outcome: PageOutcome) -> Lesson | None:
        """Return what an end teaches that says something of its URL; None: nothing.

        Nothing of what it brought is known of a redirect to a new URL, and of what an earlier
        directory has.
        """
        is_copy = isinstance(outcome.end, ExactDuplicate | NearDuplicate)
        if is_copy and outcome.duplicate_of is not None:
            return Lesson(False, outcome.duplicate_of)
        if outcome.state is not UrlState.STORED or outcome.document is None:
            leads_on = outcome.state is UrlState.REDIRECT and outcome.new_urls
            is_stored = outcome.state is UrlState.STORED
            return None if leads_on or is_copy or is_stored else Lesson(False, None)
        page, hashes = outcome.document.id, outcome.line_hashes
        if not hashes:
            return Lesson(True, page)
        text, lines = mmh3.hash64(hashes, signed=False)[0], _little(hashes)
        if fresh := self._lines.fresh(lines):
            return Lesson(True, page, text, fresh)
        # It is the page that has just these lines, or where half of them stood first.
        like = self._known.get(text ^ _Of.TEXT)
        if like is None:
            some = array("I", lines[: _LOOKED_AT * _LINE_BYTES])
            stood = [self._known.get(line ^ _Of.LINE) for line in some]
            first = max(stood, key=stood.count)
            like = first if 2 * stood.count(first) >= len(stood) else None
        return Lesson(False, page if like is None else like, text)

    def _suggest(self, url: str, other: str) -> None:
        """Have rules that two URLs of one page speak for, the latter of which was met first."""
        for rule in same_page_rules(url, other):
            if rule in self.same:
                continue
            proof = Proof(rule)
            if len(rule.name) > LONGEST or proof.key ^ _Of.REFUTED in self._known:
                continue
            if len(self.same) >= MOST_RULES:
                # Room makes one that does not hold, and that pairs have not spoken for for longest.
                # By their number alone, rules that were once right twice would keep out all others.
                oldest = next((one for one, proof in self.same.items() if not proof.holds), None)
                if oldest is None:
                    return
                del self.same[oldest]
            if proof.trees is not None:
                proof.original = side_of(proof.trees, parts_of(other))
            self.same[rule] = proof

    def _compare(self, url: str, of: UrlParts, whole: UrlParts, page: int) -> list[str]:
        """Hold a page against those at addresses that rules would call the same.

        `whole` stands for its address by those that hold. Return the names of rules in use that
        hold no more.
        """
        known, other, holding = self._known, self._urls.get(page, url), self._holding
        # What rules make one page of by now speaks for no further ones.
        if other != url and ((at := parts_of(other)) == of or self._whole(at)[0] != whole):
            self._suggest(url, other)
        own, place, asked = _hash(of), of.place if self.same else "", of.asked
        pairs: list[tuple[Proof, bool]] = []
        for proof in self.same.values():
            if not place.startswith(proof.places):
                continue
            shorter = None if proof.passes(asked) else proof.apply(of)
            key = own if shorter is None else _hash(shorter)
            there = known.get(key ^ proof.key)
            if there is None and (shorter is not None or proof.is_of_order):
                there = known.get(key)
            if there is None and proof.trees and (across := proof.twin(of)) is not None:
                there = known.get(_hash(across))  # from before there was the rule
            if there is not None:
                if there == page and proof.trees is not None and proof.original is None:
                    here = side_of(proof.trees, of)
                    proof.original = None if here is None else 1 - here
                pairs.append((proof, there == page))
                if there == page and shorter is not None:
                    known[hash_of(url) ^ _Of.REPEAT] = 1
            if shorter is not None:
                known[key ^ proof.key] = page
        known[own] = page
        if len(url) <= LONGEST:
            self._urls.setdefault(page, url)
        ended = self._judge(pairs)
        if self._holding is not holding:
            whole, _ = self._whole(of)
        if whole is not of:
            known.setdefault(_hash(whole), page)
        return ended

    def _judge(self, pairs: Iterable[tuple[Proof, bool]]) -> list[str]:
        """Count pairs for rules or against; return the names of rules in use that hold no more."""
        ended, is_changed = list[str](), False
        for proof, agrees in pairs:
            if agrees and not proof.holds:  # those that do are applied in an order that stays
                self.same.move_to_end(proof.rule)
            if proof.count(agrees=agrees):
                is_changed = True
                if not proof.holds and proof.uses.number:
                    proof.uses = Uses()
                    ended.append(proof.rule.name)
            if proof.is_refuted:
                del self.same[proof.rule]
                self._known[proof.key ^ _Of.REFUTED] = 1
        if is_changed:
            self._holding = tuple(proof for proof in self.same.values() if proof.holds)
        return ended


@lru_cache(1_024)
def _keyed(of: UrlParts) -> tuple[tuple[tuple[int, str], ...], ...]:
    """Return the shapes of a URL, each with its hash."""
    return tuple([tuple(map(_with_hash, kind)) for kind in shapes(of)])


@lru_cache(4_096)
def _with_hash(shape: str) -> tuple[int, str]:
    return hash_of(shape), shape


def hash_of(text: str) -> int:
    """Return 63 bits of a text, the same in every process."""
    return mmh3.hash64(text.encode(errors="surrogatepass"), signed=False)[0] >> 1


@lru_cache(1_024)
def _hash(of: UrlParts) -> int:
    query = "&".join(sorted(map("=".join, of.query))) if of.query else ""
    return hash_of(f"{of.place}?{query}")


# ---------------------------------------------------------------------------------------- a crawl's


class UrlLearning:
    """All sites of a crawl.

    What a URL may bring is asked when it is taken, O(shapes of a URL); an end costs that and
    O(new URLs it brought).
    """

    def __init__(
        self,
        settings: Learn | None = None,
        is_seen: Callable[[str], bool] = lambda url: False,
        traps: Traps | None = None,
        cuts: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin with `cuts` alone, what `state` returned in an earlier run.

        Where `settings.urls` is off nothing is ever learned or foreseen, where `traps.enabled` is,
        or there are no `traps`, nothing is cut or held back. `is_seen` tells which URLs were ever
        queued: a mirror waits for its original's.
        """
        self._is_seen = is_seen
        self._enabled = settings is None or settings.urls
        self._without = frozenset(settings.without) if settings is not None else frozenset()
        self._given: dict[str, list[tuple[SamePage, str | None]]] = {}
        """By site, the rules of the job, each with what is the original."""
        for given in settings.same if settings is not None else ():
            one, other = sorted((given.one, given.other))
            rule = SamePage(Claim(given.slot, one, other), given.within)
            site = self._given.setdefault(urls.registrable_domain(rule.host), [])
            site.append((rule, given.original))
        self._cutting = traps is not None and traps.enabled
        self._budget = 0.0 if traps is None else traps.budget
        self._novelty = NoveltyCounter(0 if traps is None else traps.copies)
        self._sites: OrderedDict[str, Site] = OrderedDict()
        for domain, records in (cuts or {}).items():
            self._add(domain, records)
        self._changes: list[Predicted | Released] = []
        self._audits: set[int] = set()
        """Numbers of URLs that are asked for to see whether a rule is right, and have not ended."""
        self._waiting: OrderedDict[str, int] = OrderedDict()
        """How many URLs wait by each rule, the one used last at the end; none of it decides."""
        self._urls_waiting = 0
        self._turns: deque[tuple[str, bool, float]] = deque(maxlen=MOST_TURNS)
        self._anew: list[str] = []
        """Host keys of which rules that hold no more had some URLs wait."""
        self._stirred: set[str] = set()
        """Sites in which who waits for a try may have one since."""

    def foresee(self, task: FetchTask) -> Subtree | Forecast | None:
        """Return what a task should wait for; None: take it now.

        That is the cut subtree that holds it back, or what may bring more. Seeds are not foreseen,
        nor what was tried before, or waits at the end as it is.
        """
        if (held := self.holder_of(task)) is not None:
            return held
        if not self._enabled or task.seed or task.attempt or task.refused:
            return None
        if task.priority in (Priority.SITEMAP, Priority.PREDICTED) or task.url_id in self._audits:
            return None
        if (site := self._known(task.host)) is None:
            return None
        found = site.expected(task.url, self._is_seen)
        if found is None or found.priority <= task.priority or found.rule in self._without:
            return None
        uses = site.use(found.rule, task.host, 1, found.priority)
        is_audit = uses.is_audit
        if is_audit:
            self._audits.add(task.url_id)
        else:
            self._wait(task.rule, -1)
            self._wait(found.rule, 1)
        about = found.rule, found.like, is_audit, uses.number == 1
        self._changes.append(Predicted(task.url_id, found.priority, task.priority, *about))
        return None if is_audit else found

    def holder(
        self, url: str, host: str, via: str | None = None, *, seed: bool = False
    ) -> Subtree | None:
        """Return the cut subtree that holds a URL back; None: none does. `via` led to the URL."""
        if (subtrees := self._subtrees(host)) is None or not subtrees.settled:
            return None
        return subtrees.holder(url, host, via, seed=seed)

    def holder_of(self, task: FetchTask) -> Subtree | None:
        """Return the cut subtree that holds a task back; its host waits for a try, if undecided."""
        held = self.holder(task.url, task.host, task.referrer, seed=task.seed)
        if held is not None and (subtrees := self._subtrees(task.host)) is not None:
            subtrees.wait(task.host)
        return held

    def begin(self, task: FetchTask) -> None:
        """A task is asked for."""
        if (subtrees := self._subtrees(task.host)) is not None:
            subtrees.begin(task)

    def give_back(self, task: FetchTask) -> None:
        """A task that was asked for will be again."""
        if (subtrees := self._subtrees(task.host)) is not None:
            subtrees.give_back(task)

    def led_to(self, host: str, by: str) -> None:
        """A page of the host key `by` leads to another one, which may be known already."""
        if (subtrees := self._subtrees(host)) is not None and subtrees.hear(host, by):
            self._stirred.add(urls.registrable_domain(host))

    def learn(self, task: FetchTask, outcome: PageOutcome) -> Subtree | None:
        """Learn from an end, and have the outcome keep the lesson; return what is cut by it.

        What a URL took of which a rule spoke says what those would take that wait.
        """
        sums = outcome.totals.sums
        if task.rule is not None or task.url_id in self._audits:
            sums["foretold"] = 1
            sums["foretold_bytes"] = sums.get("wire_bytes", 0)
            sums["foretold_s"] = sums.get("fetch_s", 0.0)
        self._audits.discard(task.url_id)
        self._wait(task.rule, -1)
        domain = urls.registrable_domain(task.host)
        novelty = self._novelty.of(outcome, domain)
        site = self._sites.get(domain) if novelty is None else self._site(domain)
        if site is None:
            return None
        if novelty is not None and self._enabled and (lesson := site.lesson(outcome)) is not None:
            outcome.lesson = lesson.packed()
            self._learn(site, task.url, lesson, task.referrer)
        # What a sitemap brings is in the pages that it lists.
        if not self._cutting or outcome.end is Skip.SITEMAP:
            return None
        if site.subtrees.count_host(task, novelty):
            self._stirred.add(domain)
        return None if novelty is None else site.subtrees.learn(task, outcome, novelty)

    def take_freed(self, *, at_last: bool = False) -> list[str]:
        """Return, once, host keys whose queues begin anew, since some of their URLs need not wait.

        A rule holds no more, or there is a try in a cut site: for those who are spoken for since,
        or `at_last` for whoever waits.
        """
        if not (self._anew or self._stirred or at_last):
            return []
        hosts, self._anew = self._anew, []
        stirred, self._stirred = sorted(self._stirred), set()
        sites = self._sites.values() if at_last else map(self._sites.get, stirred)
        for site in filter(None, sites):
            hosts += site.subtrees.take_waiting(spoken_for=not at_last)
        return hosts

    def cuts(self) -> list[Subtree]:
        """Return what is cut, by name; nothing where traps are not looked for."""
        found = (cut for site in self._sites.values() for cut in site.subtrees.cuts())
        return sorted(found, key=lambda cut: cut.name) if self._cutting else []

    def state(self) -> dict[str, Any]:
        """Return, JSON-ready, what a later run must know of cuts: records by site."""
        records = ((name, site.subtrees.record()) for name, site in self._sites.items())
        return {name: known for name, known in records if known}

    def living_copy(self, task: FetchTask) -> int | None:
        """Return the number of the stored page that a task's URL should lead to, by the rules."""
        site = self._known(task.host)
        return None if site is None else site.page_at(task.url)

    def mirror(self, task: FetchTask) -> Mirrored | None:
        """Return what is known of the mirror that a task's URL lies in, by the ends so far."""
        site = self._known(task.host)
        return None if site is None else site.mirror(task.url)

    def hear(self, host: str, url: str, packed: bytes, referrer: str | None) -> None:
        """Take in a lesson that an earlier run kept, in the order of the ends."""
        if self._enabled:
            site = self._site(urls.registrable_domain(host))
            self._learn(site, url, Lesson.of(packed), referrer)
            self._changes.clear()
            self._anew.clear()

    def _known(self, host: str) -> Site | None:
        return self._sites.get(urls.registrable_domain(host))

    def _subtrees(self, host: str) -> Subtrees | None:
        """Return those of a host's site, where that is known and traps are looked for."""
        site = self._known(host) if self._cutting else None
        return None if site is None else site.subtrees

    def _site(self, domain: str) -> Site:
        """Return a site that is visited now, made known by this if need be.

        Where much was cut or released, that is not forgotten.
        """
        site = self._sites.get(domain) or self._add(domain)
        self._sites.move_to_end(domain)
        if len(self._sites) > MOST_SITES:
            oldest = (name for name, one in self._sites.items() if not one.subtrees.settled)
            if (forgotten := next(oldest, None)) is not None:
                del self._sites[forgotten]
        return site

    def _add(self, domain: str, records: Sequence[Mapping[str, Any]] = ()) -> Site:
        subtrees = Subtrees(domain, self._budget, records)
        self._sites[domain] = site = Site(subtrees, self._given.get(domain, ()))
        return site

    def _learn(self, site: Site, url: str, lesson: Lesson, referrer: str | None) -> None:
        for name in site.learn(url, lesson, referrer):
            self._changes.append(Released(name))
            self._urls_waiting -= self._waiting.pop(name, 0)
            self._anew += site.hosts

    def _wait(self, rule: str | None, more: int) -> None:
        """So many more URLs wait by a rule, or fewer; what waited before it was revoked, by none.

        One that was under way then and ends once the rule is used again counts as one of these.
        """
        if rule is None or (rule not in self._waiting and more < 0):
            return
        number = self._waiting.get(rule, 0) + more
        self._urls_waiting += more
        if number:
            self._waiting[rule] = number
            self._waiting.move_to_end(rule)
            if len(self._waiting) > MOST_WAITED:
                self._urls_waiting -= self._waiting.popitem(last=False)[1]
        else:
            del self._waiting[rule]

    def restore(self, host: str, rule: str, predicted: int, waiting: int, last: int) -> None:
        """A rule said of so many URLs of a host, in earlier runs, that they bring little.

        `waiting` of them wait, the last ones at the place `last`.
        """
        if self._enabled and waiting:
            self._wait(rule, waiting)
        if (site := self._known(host)) is not None:
            site.use(rule, host, predicted, last)

    def take_changes(self, now: float) -> list[Predicted | Released]:
        """Return, once, what was postponed and released since this was last asked: to be stored."""
        changes, self._changes = self._changes, []
        for change in changes:
            if isinstance(change, Released) or change.first:
                self._turns.appendleft((change.rule, isinstance(change, Predicted), now))
        return changes

    def seen(self, now: float, most: int) -> RulesSeen:
        """Return by which rules URLs wait, and which came and went, for who watches: O(most)."""
        latest = sorted(islice(reversed(self._waiting.items()), most), key=lambda one: -one[1])
        return RulesSeen(
            len(self._waiting),
            self._urls_waiting,
            tuple(latest),
            tuple(RuleTurn(rule, came, max(0.0, now - at)) for rule, came, at in self._turns),
            tuple(sorted(self._without)[:most]),
        )

    def sites(self) -> Iterable[tuple[str, Site]]:
        """Return all sites with their names, those learned of last at the end."""
        return self._sites.items()
