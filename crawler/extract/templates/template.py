"""A site's template.

What pages teach of their zones and lines, the template that follows from all lessons, and how
these and a learner's state travel and are kept as bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum, auto
from functools import lru_cache
from heapq import nsmallest
from itertools import islice, takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

import mmh3
import orjson

from crawler.extract.text import LINKED, word_characters

if TYPE_CHECKING:
    from crawler.extract.lines import Line

MAX_PATH = 300
"""Characters of a path; what lies deeper counts to the path around it. The longest of nine sites
has 231; classes of a hostile page could make each of its paths 4 kB long."""

MAX_STEPS = 30
"""Elements of a path, likewise. Manuals have up to 18; of the paths of 150 articles 1 % have more,
nested tables of a few sites."""


class Zone(NamedTuple):
    """Lines that a template treats alike: those of one path, links apart from text."""

    path: str
    linked: bool

    @property
    def is_heading(self) -> bool:
        """Whether its lines are headings that lead nowhere."""
        return not self.linked and self.in_heading

    @property
    def in_heading(self) -> bool:
        """Whether its lines are headings."""
        return any(tag in _HEADINGS for tag in _tags(self.path))

    @property
    def is_verbatim(self) -> bool:
        """Whether its lines are those of a listing: a brace on each page is no boilerplate."""
        return any(tag == "pre" for tag in _tags(self.path))


_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))


def _tags(path: str) -> Iterator[str]:
    return (label.partition(".")[0] for label in path.split(">"))


class Block(NamedTuple):
    """A visible line that says something."""

    zone: Zone
    text: str
    bare: str
    """Its word characters, never empty."""
    linked: int
    """How many of them are link text."""
    line: int
    """Its number among the lines of the page."""

    @property
    def unlinked(self) -> int:
        """Word characters outside of links."""
        return len(self.bare) - min(len(self.bare), self.linked)


def _columns(text: str) -> int:
    """Return how many columns a text takes (UAX #11): Chinese characters two, as they say more."""
    return len(text) + sum(east_asian_width(letter) in "WF" for letter in text)


def key_of(text: str) -> int:
    """Return 48 bits that stand for a line among those of its zone.

    Of a template's 200 lines and a million pages of 300 lines, 2 in 10,000 templates meet a line
    with another's key in the same zone, and then drop a short line.
    """
    return mmh3.hash64(text.encode(errors="surrogatepass"), signed=False)[0] >> 16


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    """Return the lines that have word characters, with their zones."""
    blocks = []
    for number, line in enumerate(lines):
        text = line.text
        if bare := word_characters(text):
            linked = line.linked
            zone = _zones(line.path)[linked > LINKED * len(bare)]
            blocks.append(Block(zone, text, bare, linked, number))
    return blocks


@lru_cache(4096)
def _zones(path: str) -> tuple[Zone, Zone]:
    if len(path) > MAX_PATH:
        path = path[: MAX_PATH + 1].rpartition(">")[0]
    path = ">".join(path.split(">", MAX_STEPS)[:MAX_STEPS])
    return Zone(path, False), Zone(path, True)


_MARGIN = 0.005
"""Share of the kept characters at either end that may be stray finds: the main text ranges from
the first to the last line of the rest."""

_LEFT_OUT = 0.1
"""Share of a zone's word characters that an extractor may keep where it leaves the zone out. F1 of
served pages on nine sites is .986; with .05 it is .985, with .2 .983."""

_BY_CHANCE = 0.5
"""Share of a zone of links that an extractor may keep where it leaves out the rest with what is
around the text: on short pages and lists it keeps a menu now and then."""

_OUTSIDE = 0.9
"""Share of them that must lie before or after the main text in a zone that surrounds it."""

MAX_LESSON_ZONES = 200
"""Zones of one page in its lesson, the heaviest ones. Pages of nine sites have up to 84, of 450
other ones up to 103."""

MAX_LESSON_LINES = 1_000
"""Keys of lines in a lesson. Pages of nine sites have up to 900 lines that could have one."""

MAX_EXAMPLE = 80
"""Characters of a line that stands for its zone where people look at what was learned."""

_LONGEST = 100
"""Width of a line that may be counted as a repetition, by its word characters: longer ones are
prose, and what of it repeats is rare and no harm."""


class Weights(NamedTuple):
    """Word characters of one zone on a page, or on many."""

    pages: int = 0
    judged: int = 0
    """Pages on which an extractor's text was taken for the page's."""
    all: int = 0
    """On all pages."""
    told: int = 0
    """On the judged ones: in all,"""
    kept: int = 0
    """in the main text,"""
    outside: int = 0
    """and before the first or after the last line of the main text."""
    most: int = 0
    """Outside of links on the page that has most of them,"""
    most_kept: int = 0
    """and on the page where most of them are in the main text."""

    def plus(self, other: Weights) -> Weights:
        """Return both together; the order does not matter."""
        sums = (mine + theirs for mine, theirs in zip(self, other, strict=True))
        most, most_kept = max(self.most, other.most), max(self.most_kept, other.most_kept)
        return Weights(*sums)._replace(most=most, most_kept=most_kept)

    @property
    def is_left_out(self) -> bool:
        """Whether an extractor leaves it out, on the judged pages."""
        return self.judged > 0 and self.kept <= _LEFT_OUT * self.told

    @property
    def is_kept_by_chance(self) -> bool:
        """Whether an extractor keeps less than half, and the rest lies around the main text."""
        around = self.outside >= _OUTSIDE * (self.told - self.kept)
        return around and self.kept <= _BY_CHANCE * self.told

    @property
    def is_outside(self) -> bool:
        """Whether it lies before or after the main text, on the judged pages."""
        return self.judged > 0 and self.outside >= _OUTSIDE * self.told


class Compared(NamedTuple):
    """A template's reading held against a trusted extractor's, in word characters."""

    kept: int
    """That the extractor keeps, outside of links;"""
    missed: int
    """those of them that the template drops."""
    both: int
    """That both keep, links and all;"""
    either: int
    """that one of them keeps;"""
    more: int
    """that the template alone keeps."""

    @property
    def agreement(self) -> float:
        """What both keep, as a share of what either keeps (Jaccard)."""
        return self.both / self.either if self.either else 1.0

    @property
    def precision(self) -> float:
        """What both keep, as a share of what the template keeps."""
        kept = self.both + self.more
        return self.both / kept if kept else 1.0

    @property
    def recall(self) -> float:
        """What both keep, as a share of what the extractor keeps."""
        kept = self.either - self.more
        return self.both / kept if kept else 1.0


@dataclass(frozen=True, slots=True)
class Lesson:
    """One page, as its site's template is learned from it. Picklable; some kB, at most 200."""

    zones: Mapping[Zone, Weights]
    lines: frozenset[tuple[int, Zone]] = field(default=frozenset(), repr=False)
    """Keys of those of the page's lines that may be repetitions, with their zones."""
    identity: int = 0
    """64 bits that stand for all its text: a page fetched twice is no repetition."""
    is_judged: bool = False
    """Whether an extractor's text was taken for the page's."""
    share: int = 0
    """Thousandths of its word characters that the extractor keeps; 0 if not judged."""
    compared: Compared | None = None
    """With the template that read the page as well; None if none did, or if not judged."""
    examples: Mapping[Zone, str] = field(default_factory=dict, repr=False)
    """A line of each zone, cut: for people, nothing is concluded from them."""


def longer(one: str, other: str) -> str:
    """Return the better example of two."""
    return max(one, other, key=lambda text: (len(text), text))


def _sampled(lines: Iterable[tuple[int, Zone]], most: int) -> list[tuple[int, Zone]]:
    """Return at most so many lines, given by key: as many of each zone, the smallest keys of it.

    Bottom-k sampling (Cohen and Kaplan, PODC 2007): which are left does not depend on the order of
    pages, as a line that is left out has as many before it ever after. A list of thousands crowds
    out no foot line.
    """
    zones = defaultdict[Zone, list[int]](list)
    for key, zone in lines:
        zones[zone].append(key)
    ranked = (
        (rank, key, zone) for zone, keys in zones.items() for rank, key in enumerate(sorted(keys))
    )
    return [(key, zone) for _, key, zone in nsmallest(most, ranked)]


def lesson_of(
    blocks: Sequence[Block], kept: Sequence[bool] | None, read: Sequence[bool] | None = None
) -> Lesson:
    """Return what a page teaches; `kept` are the blocks of its main text, None where none is sure.

    A page without a trusted main text shows what repeats itself, not what is content. `read` are
    the blocks that its site's template keeps, if that read the page as well.
    """
    zones = _weights(blocks, kept)
    total = sum(weights.all for weights in zones.values())
    told = sum(weights.kept for weights in zones.values())
    if len(zones) > MAX_LESSON_ZONES:
        by_weight = sorted(zones.items(), key=lambda item: (-item[1].all, item[0]))
        zones = dict(by_weight[:MAX_LESSON_ZONES])
    examples: dict[Zone, str] = {}
    lines: set[tuple[int, Zone]] = set()
    repeating = {zone for zone in zones if not zone.is_verbatim}
    for block in blocks:
        if block.zone in zones:
            text = block.text[:MAX_EXAMPLE]
            examples[block.zone] = longer(examples.get(block.zone, ""), text)
        if _columns(block.bare) <= _LONGEST and block.zone in repeating:
            lines.add((key_of(block.text), block.zone))
    compared = None
    if kept is not None and read is not None:
        kept_text = missed = both = either = more = 0
        for block, is_kept, is_read in zip(blocks, kept, read, strict=True):
            kept_text += is_kept * block.unlinked
            missed += (is_kept and not is_read) * block.unlinked
            both += (is_kept and is_read) * len(block.bare)
            either += (is_kept or is_read) * len(block.bare)
            more += (is_read and not is_kept) * len(block.bare)
        compared = Compared(kept_text, missed, both, either, more)
    return Lesson(
        zones,
        frozenset(_sampled(lines, MAX_LESSON_LINES)),
        mmh3.hash64("\n".join(block.text for block in blocks).encode(errors="surrogatepass"))[0],
        kept is not None,
        1000 * told // total if total else 0,
        compared,
        examples,
    )


def _weights(blocks: Sequence[Block], kept: Sequence[bool] | None) -> dict[Zone, Weights]:
    # The main text ranges from its first block to its last, but for stray finds at either end.
    lengths = [len(block.bare) for block in blocks]
    begin = end = passed = 0
    found = [length * is_kept for length, is_kept in zip(lengths, kept or (), strict=False)]
    total = sum(found)
    for number, weight in enumerate(found):
        if passed <= _MARGIN * total:
            begin = number
        passed += weight
        if weight and passed - weight < (1 - _MARGIN) * total:
            end = number + 1
    sums: dict[Zone, list[int]] = {}
    for number, (block, weight) in enumerate(zip(blocks, lengths, strict=True)):
        sum_of = sums.setdefault(block.zone, [0] * 5)
        sum_of[0] += weight
        sum_of[3] += block.unlinked
        if kept is None:
            continue
        if kept[number]:
            sum_of[1] += weight
            sum_of[4] += block.unlinked
        elif not begin <= number < end:
            sum_of[2] += weight
    judged = int(kept is not None)
    return {
        zone: Weights(1, judged, every, every * judged, told, outside, most, most_kept)
        for zone, (every, told, outside, most, most_kept) in sums.items()
    }


# A site's template: which zones of its pages are surroundings, learned from some of them.
#
# Unknown zones are kept, never dropped: only what was proven to be surroundings, by an extractor
# that left it out and by repetition from page to page, is left out.

_STRANGE_SHARE = 0.05
"""Share of a page's word characters in unknown zones beyond which the template is not its own."""

_MORE_FACTOR, _MORE_CHARACTERS = 1.5, 20
"""A zone that is dropped may have so many times the word characters outside of links that it had
on any teaching page, and so many more: with 50 more, 7 % of pages lose a tenth of their text unseen
if a quarter of it moves into a dropped zone, with 20 more 2 %, and as many are served."""

STRAY = 300
"""Word characters outside of links that an extractor keeps of a zone on one page from which the
zone has text on some pages, whatever its share."""

_LEAST_FACTOR = 0.5
"""Share of the least share of a page that any teacher kept, below which too little is kept."""


_SHORTEST = 12
"""Width of a line of text, by its word characters, from which it is dropped for standing on all
pages: shorter ones are labels or values, and only the label of a dropped list goes with it."""


_MET = 1024
"""Zones that a template remembers of pages that it read, .6 MB beside those of one page: a site's
pages have some hundred, and finding out what is around one takes longer than to read its lines."""


class Standing(StrEnum):
    """What was learned of a zone."""

    OUT = auto()
    """Surroundings, before or after the main text."""
    DOUBTFUL = auto()
    """The extractor leaves it out; dropped is what repeats itself there."""
    UNSURE = auto()
    """The extractor left it out on the few pages that have it; all is kept, and speaks for none."""
    SEEN = auto()
    """Known, and not shown to be surroundings; dropped is what stands on nearly every page."""
    RECURRING = auto()
    """Links that change from page to page, most of them links of other pages, too: what else to
    read. Dropped are lists in which that is so."""


class Known(NamedTuple):
    """What was learned of one zone."""

    standing: Standing | None
    """None: nothing."""
    most: int = 0
    """Word characters outside of links that it had on any teaching page, if it is OUT."""
    lines: frozenset[int] = frozenset()
    """Keys of its lines that are dropped, if it is not."""


_UNKNOWN = Known(None)


@dataclass(frozen=True, slots=True)
class Reading:
    """A page as its site's template reads it."""

    kept: Sequence[bool]
    """By block."""
    sure: Sequence[bool]
    """By block: whether it is kept, and a heading or of a zone of which an extractor kept text."""
    strange: float
    """Share of its word characters in zones that the template does not know."""
    is_short: bool
    """Whether far more was dropped than of its like, in all or in one zone: text may be lost."""
    weight: int
    """Word characters of what is kept."""
    sure_weight: int
    """Word characters of what is sure."""

    @property
    def is_trusted(self) -> bool:
        """Whether the page is one of the template's, and loses no more than its like."""
        return self.strange <= _STRANGE_SHARE and not self.is_short


@dataclass(frozen=True, slots=True)
class Template:
    """What was learned of a host. Immutable and picklable; a pure function of the page."""

    zones: Mapping[Zone, Known]
    around: Mapping[str, Standing | None]
    """Path -> standing of what is unknown below it; None where what is known there disagrees."""
    least: int
    """Thousandths of its page that any teaching page's main text was, at least."""
    _met: dict[Zone, tuple[Known, bool]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What is known of the zones of pages that were read, and whether they speak: at most _MET.

    A page with more zones than that is looked up without.
    """

    def read(self, blocks: Sequence[Block]) -> Reading:
        """Return which blocks of a page are its text."""
        known = self._known_of({block.zone for block in blocks})
        menus = any(
            zone.linked and of.standing is Standing.DOUBTFUL for zone, (of, _) in known.items()
        )
        here = Counter([block.text for block in blocks]) if menus else Counter[str]()
        bars = self._bars(blocks)
        kept: list[bool] = []
        labels = set[int]()
        total = strange = 0
        gone: dict[Zone, int] = {}
        listed: dict[Zone, list[int]] = defaultdict(list)
        for n, (zone, text, bare, linked, _) in enumerate(blocks):
            standing, _, lines = known[zone][0]
            weight = len(bare)
            total += weight
            if standing is Standing.OUT:
                gone[zone] = gone.get(zone, 0) + max(0, weight - linked)
                kept.append(False)
                continue
            if standing is None:
                strange += weight
            goes = bool(lines) and key_of(text) in lines
            if standing is Standing.DOUBTFUL:
                goes = goes or (zone.linked and here[text] > 1)
                if zone.linked:
                    listed[zone].append(n)
            elif standing is Standing.RECURRING:
                if _is_listed(blocks, n):
                    listed[zone].append(n)
                else:
                    goes = False
            elif goes and not zone.linked and _columns(bare) < _SHORTEST:
                labels.add(n)
                goes = False
            kept.append(not (goes or (linked and text in bars)))
        gone_lists = set[int]()
        for numbers in listed.values():  # most of a list goes: the rest goes with it
            if 2 * sum(kept[n] for n in numbers) < len(numbers):
                gone_lists.update(numbers)
        for n in gone_lists | {label for label in labels if label + 1 in gone_lists}:
            kept[n] = False
        sure = []
        left = left_sure = 0
        for block, keeps in zip(blocks, kept, strict=True):
            is_sure = keeps and known[block.zone][1]
            left += len(block.bare) * keeps
            left_sure += len(block.bare) * is_sure
            sure.append(is_sure)
        is_short = total > 0 and (
            not left
            or 1000 * left < _LEAST_FACTOR * self.least * total
            or any(
                count > _MORE_FACTOR * known[zone][0].most + _MORE_CHARACTERS
                for zone, count in gone.items()
            )
        )
        return Reading(kept, sure, strange / max(1, total), is_short, left, left_sure)

    def _bars(self, blocks: Sequence[Block]) -> set[str]:
        """Return lines of links with their labels that stand in two places of a page.

        A bar of languages above and below the text differs from page to page, and whether it is
        more link or more label as well. It has no witness where the extractor leaves out lines of
        either place; what it keeps in both (the state of a module, in its head and in a table) has.
        """
        places: dict[str, set[str]] = defaultdict(set)
        for block in blocks:
            if 0 < block.linked < len(block.bare):
                places[block.text].add(block.zone.path)
        return {
            text
            for text, paths in places.items()
            if len(paths) > 1
            and any(
                self.zones.get(zone, _UNKNOWN).standing in (Standing.OUT, Standing.DOUBTFUL)
                for path in paths
                for zone in _zones(path)
            )
        }

    def _known_of(self, zones: set[Zone]) -> dict[Zone, tuple[Known, bool]]:
        """Return what is known of a page's zones, and whether each speaks."""
        met = self._met if len(zones) <= _MET else {}
        above: dict[str, Standing | None] = {}
        if len(met.keys() | zones) > _MET:
            met.clear()
        for zone in zones - met.keys():
            own = self.zones.get(zone, _UNKNOWN)
            met[zone] = self.known(zone, above), (own.standing is Standing.SEEN or zone.in_heading)
        return {zone: met[zone] for zone in zones}

    def known(self, zone: Zone, above: dict[str, Standing | None] | None = None) -> Known:
        """Return what is known of a zone, or of what lies around it.

        `above` remembers the latter from one zone to the next.
        """
        known = self.zones.get(zone)
        if known is not None:
            return known
        standing = self._around(zone.path, {} if above is None else above)
        return Known(standing) if standing else _UNKNOWN

    def _around(self, path: str, above: dict[str, Standing | None]) -> Standing | None:
        """Return what the nearest path that was seen says, also where zones below it disagree."""
        passed, standing = [], None
        for one in upwards(path):
            if one in self.around or one in above:
                standing = self.around[one] if one in self.around else above[one]
                break
            passed.append(one)
        above.update(dict.fromkeys(passed, standing))
        return standing

    def is_contradicted(self, lesson: Lesson) -> bool:
        """Whether an extractor found text on one page in a zone that is dropped."""
        return any(
            weights.most_kept >= STRAY and self.zones.get(zone, _UNKNOWN).standing is Standing.OUT
            for zone, weights in lesson.zones.items()
        )


def _is_listed(blocks: Sequence[Block], number: int) -> bool:
    """Whether a line of the same zone stands before a line, or behind it."""
    zone = blocks[number].zone
    around = blocks[max(0, number - 1) : number + 2]
    return sum(block.zone == zone for block in around) > 1


def upwards(path: str) -> Iterator[str]:
    """Yield a path and all around it, innermost first."""
    while path:
        yield path
        path = path.rpartition(">")[0]


MAX_LINES = 2_500
"""Lines counted of a host. The first 20 pages of nine sites have 500 to 2,800."""

MAX_ZONES = 800
"""Zones of a host, chosen likewise. The first 20 pages of nine sites have 20 to 140, and 50 pages
from all parts of the Python manual 314. With so many, a host whose zones are all as deep as can be
takes 50 to 90 ms for a template, with 1,500 of 64 elements 200."""

MAX_SEEN = 500
"""Pages of a host that are told apart by their text; later ones are taken to differ."""

_KEPT = 2
"""Pages with a zone that is kept from which it is known."""
_UNJUDGED = 2
"""Pages with a zone on none of which an extractor was trusted, from which it is known."""
_UNDECIDED = 12
"""Pages with a zone from which it is known although it was left out on too few judged ones. With 2
the first pages of five templates on one host were served whole: 4-gram F1 .77, and .94 so."""

_JUDGED = 6
"""Judged pages with a zone from which it can be shown to be no text: F1 of the served pages of nine
sites is .985 with 2, .986 with 4, .988 with 6."""
_LINKS_DROPPED, _LINKS_JUDGED = 0.02, 8
"""The same for links within the main text, and from how many judged pages: menus within it."""
_OUT_BELOW = 0.9
"""Share of the words below a path that are surroundings where what is new there is, too."""
_PERHAPS = 0.05
"""Share of the words below a path that may be surroundings where what is new there is text. Of 14
templates on one host .65 of the pages are served with .02 (F1 .91), .79 with .05 (.90), .85 with .1
(.89)."""

_ALWAYS, _ALWAYS_PAGES = 0.9, 8
"""Share of a zone's pages on which a line is surroundings wherever it stands, and of how many."""
_AGAIN = 0.75
"""Share of a zone's links, counted by pages, that stand on two pages or more where it is RECURRING:
five of twenty on each of eight pages come to nine tenths."""
_LISTED = 2
"""Lines of such a zone on a page, in the mean."""
_OFTEN, _OFTEN_PAGES = 0.75, 3
"""The same in a zone that the extractor leaves out: F1 .9884, with .5 it is .9880."""


@dataclass
class Evidence:
    """The sum of the lessons of one host; the order in which they came does not matter."""

    zones: dict[Zone, Weights] = field(default_factory=dict)
    lines: Counter[tuple[int, Zone]] = field(default_factory=Counter)
    """Line -> pages of different texts that have it."""
    seen: set[int] = field(default_factory=set)
    pages: int = 0
    judged: int = 0
    least: int = 1000
    """Thousandths of a page that the extractor kept where it kept least."""
    examples: dict[Zone, str] = field(default_factory=dict)
    """A line of each zone, cut."""

    def add(self, lesson: Lesson) -> None:
        """Learn from one more page; of pages with one text the first one counts."""
        self.pages += 1
        self.judged += lesson.is_judged
        if lesson.identity in self.seen:
            return
        if len(self.seen) < MAX_SEEN:
            self.seen.add(lesson.identity)
        if lesson.is_judged:
            self.least = min(self.least, lesson.share)
        for zone, weights in lesson.zones.items():
            self.zones[zone] = self.zones.get(zone, Weights()).plus(weights)
        for zone, example in lesson.examples.items():
            self.examples[zone] = longer(self.examples.get(zone, ""), example)
        if len(self.zones) > MAX_ZONES:
            left = sorted(self.zones, key=lambda zone: (key_of(zone.path), zone))[:MAX_ZONES]
            self.zones = {zone: self.zones[zone] for zone in left}
            kept = {line: n for line, n in self.lines.items() if line[1] in self.zones}
            self.lines = Counter(kept)
            self.examples = {zone: self.examples[zone] for zone in left if zone in self.examples}
        self.lines.update(line for line in lesson.lines if line[1] in self.zones)
        if len(self.lines) > MAX_LINES:
            sample = _sampled(self.lines, MAX_LINES)
            self.lines = Counter({line: self.lines[line] for line in sample})

    def forget_single(self) -> None:
        """Forget the lines of text of one page alone: most of what is held, and no repetition.

        How many links recur is told by those that do not.
        """
        self.lines = Counter(
            {line: count for line, count in self.lines.items() if count >= 2 or line[1].linked}
        )

    def template(self) -> Template:
        """Return what was learned so far."""
        every, again = Counter[Zone](), Counter[Zone]()
        for (_, zone), count in self.lines.items():
            every[zone] += count
            again[zone] += count if count > 1 else 0
        standings = {
            zone: standing
            for zone, weights in self.zones.items()
            if (
                standing := _standing(
                    zone,
                    weights,
                    every[zone] >= _LISTED * weights.pages and again[zone] >= _AGAIN * every[zone],
                )
            )
        }
        lines: dict[Zone, set[int]] = defaultdict(set)
        for (key, zone), count in self.lines.items():
            if zone in standings and _is_surroundings(
                zone, standings[zone], self.zones[zone], count
            ):
                lines[zone].add(key)
        known = {
            zone: Known(
                standing,
                self.zones[zone].most if standing is Standing.OUT else 0,
                frozenset(lines.get(zone, ())),
            )
            for zone, standing in standings.items()
        }
        return Template(known, _around(standings, self.zones), self.least if self.judged else 0)


def _standing(zone: Zone, weights: Weights, recurs: bool) -> Standing | None:
    """Return what evidence says of a zone, None where there is too little.

    One `recurs` if it has lists, most lines of which stand on other pages, too.
    """
    if not weights.judged:
        return Standing.SEEN if weights.pages >= _UNJUDGED else None
    if not weights.is_left_out:
        if zone.linked and weights.judged >= _JUDGED:
            if weights.is_kept_by_chance:
                return Standing.DOUBTFUL
            if recurs:
                return Standing.RECURRING
        return Standing.SEEN if weights.pages >= _KEPT else None
    if weights.judged < _JUDGED:
        least = _UNDECIDED if weights.is_outside else _KEPT
        return Standing.UNSURE if weights.pages >= least else None
    if weights.most_kept >= STRAY:
        return Standing.DOUBTFUL
    is_outside = weights.is_outside and not zone.is_heading
    is_menu = zone.linked and weights.judged >= _LINKS_JUDGED
    if is_outside or (is_menu and weights.kept <= _LINKS_DROPPED * weights.told):
        return Standing.OUT
    return Standing.DOUBTFUL


def _is_surroundings(zone: Zone, standing: Standing, weights: Weights, count: int) -> bool:
    """Whether a line that stands on `count` pages is dropped wherever its zone has it."""
    if zone.is_heading and not weights.is_outside:
        return False  # "Synopsis" on each page belongs to what stands below it
    if standing is Standing.RECURRING:
        return count > 1
    if standing is Standing.DOUBTFUL:
        least = 2 if zone.linked else max(_OFTEN_PAGES, _OFTEN * weights.pages)
        return count >= least
    always = weights.pages >= _ALWAYS_PAGES and count >= _ALWAYS * weights.pages
    return standing is not Standing.OUT and always


def _around(
    standings: Mapping[Zone, Standing], weights: Mapping[Zone, Weights]
) -> dict[str, Standing | None]:
    """Return path -> standing of unknown zones below it; None where that cannot be told.

    Below a path with text and with what may be surroundings anything may be either, and below the
    body alone stand the pages of other templates.
    """
    total: Counter[str] = Counter()
    out: Counter[str] = Counter()
    perhaps: Counter[str] = Counter()
    for zone, weight in weights.items():
        standing = standings.get(zone)
        for path in upwards(zone.path):
            total[path] += weight.all
            out[path] += weight.all * (standing is Standing.OUT)
            perhaps[path] += weight.all * (standing is None and weight.is_outside)
    agreed: dict[str, Standing | None] = {}
    for zone in standings:
        for path in upwards(zone.path):
            if path in agreed:  # and so is all around it
                break
            if out[path] >= _OUT_BELOW * total[path]:
                agreed[path] = Standing.OUT
            elif out[path] + perhaps[path] <= _PERHAPS * total[path] and ">" in path:
                agreed[path] = Standing.SEEN
            else:
                agreed[path] = None
    return agreed


_LENGTH = struct.Struct(">I")
_KEY_BYTES = 6
"""Bytes of a line's key (`key_of`)."""
_STANDINGS = (None, *Standing)


def pack_template(template: Template, version: int) -> bytes:
    """Return a template and which of its host's it is, as bytes."""
    paths = _Paths()
    zones, keys = [], []
    for zone, known in sorted(template.zones.items()):
        standing = _STANDINGS.index(known.standing)
        zones.append((paths.number(zone.path), zone.linked, standing, known.most, len(known.lines)))
        keys += sorted(known.lines)
    around = [
        (paths.number(path), _STANDINGS.index(standing))
        for path, standing in sorted(template.around.items(), key=itemgetter(0))
    ]
    return _packed([version, template.least, paths.steps, zones, around], keys)


def unpack_template(packed: bytes) -> tuple[Template, int]:
    """Undo `pack_template`. Raises ValueError for other bytes."""
    with _telling("a packed template"):
        (version, least, steps, zones, around), keys = _unpacked(packed)
        paths = _paths_of(steps)
        return Template(
            {
                Zone(paths[path], linked): Known(
                    _STANDINGS[standing], most, frozenset(_next(keys, lines))
                )
                for path, linked, standing, most, lines in zones
            },
            {paths[path]: _STANDINGS[standing] for path, standing in around},
            least,
        ), version


def pack_lesson(lesson: Lesson) -> bytes:
    """Return a lesson as bytes."""
    lines = dict.fromkeys(lesson.lines, 1)
    sums, keys = _pack_sums(lesson.zones, lines, lesson.examples)
    rest = [lesson.identity, lesson.is_judged, lesson.share, lesson.compared and [*lesson.compared]]
    return _packed([sums, rest], keys)


def unpack_lesson(packed: bytes) -> Lesson:
    """Undo `pack_lesson`. Raises ValueError for other bytes."""
    with _telling("a packed lesson"):
        (sums, (identity, is_judged, share, compared)), keys = _unpacked(packed)
        zones, lines, examples = _unpack_sums(sums, keys)
        audit = Compared(*compared) if compared else None
        return Lesson(zones, frozenset(lines), identity, is_judged, share, audit, examples)


def pack_state(course: Sequence[Any], evidence: Evidence) -> bytes:
    """Return where a learner stands, as values of JSON, and its evidence, as bytes."""
    sums, keys = _pack_sums(evidence.zones, evidence.lines, evidence.examples)
    numbers = [evidence.pages, evidence.judged, evidence.least]
    return _packed([course, sums, sorted(evidence.seen), numbers], keys)


def unpack_state(packed: bytes) -> tuple[list[Any], Evidence]:
    """Undo `pack_state`. Raises ValueError for other bytes."""
    with _telling("the state of a template's learner"):
        (course, sums, seen, (pages, judged, least)), keys = _unpacked(packed)
        zones, lines, examples = _unpack_sums(sums, keys)
        counts = Counter(lines)
        evidence = Evidence(zones, counts, set(seen), pages, judged, least, examples)
        return list(course), evidence


def _pack_sums(
    zones: Mapping[Zone, Weights],
    lines: Mapping[tuple[int, Zone], int],
    examples: Mapping[Zone, str],
) -> tuple[list[Any], list[int]]:
    """Return zones, examples and lines' counts as values of JSON, and the keys of these lines."""
    paths = _Paths()
    counts: dict[Zone, list[tuple[int, int]]] = defaultdict(list)
    for (key, zone), count in lines.items():
        counts[zone].append((key, count))
    rows, keys = [], []
    for zone, weights in sorted(zones.items()):
        own = sorted(counts[zone])
        told = [*weights], [n for _, n in own], examples.get(zone, "")
        rows.append((paths.number(zone.path), zone.linked, *told))
        keys += [key for key, _ in own]
    return [paths.steps, rows], keys


def _unpack_sums(
    sums: Sequence[Any], keys: Iterator[int]
) -> tuple[dict[Zone, Weights], dict[tuple[int, Zone], int], dict[Zone, str]]:
    steps, rows = sums
    paths = _paths_of(steps)
    zones: dict[Zone, Weights] = {}
    lines: dict[tuple[int, Zone], int] = {}
    examples: dict[Zone, str] = {}
    for path, linked, weights, counts, example in rows:
        zone = Zone(paths[path], linked)
        zones[zone] = Weights(*weights)
        if example:
            examples[zone] = example
        lines.update(zip(((key, zone) for key in _next(keys, len(counts))), counts, strict=True))
    return zones, lines, examples


class _Paths:
    """Paths as steps: (number of the path around it, its last element)."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, str]] = []
        self._numbers: dict[str, int] = {"": -1}

    def number(self, path: str) -> int:
        """Return the number of a path's step; those around it are made with it."""
        new = list(takewhile(lambda one: one not in self._numbers, upwards(path)))
        for inner in reversed(new):
            around, _, label = inner.rpartition(">")
            self._numbers[inner] = len(self.steps)
            self.steps.append((self._numbers[around], label))
        return self._numbers[path]


def _paths_of(steps: Iterable[tuple[int, str]]) -> list[str]:
    paths: list[str] = []
    for around, label in steps:
        paths.append(label if around < 0 else f"{paths[around]}>{label}")
    return paths


def _packed(data: Any, keys: Iterable[int]) -> bytes:
    head = zlib.compress(orjson.dumps(data))
    return b"".join(
        (_LENGTH.pack(len(head)), head, *[key.to_bytes(_KEY_BYTES, "big") for key in keys])
    )


def _unpacked(packed: bytes) -> tuple[Any, Iterator[int]]:
    begin = _LENGTH.size
    end = begin + _LENGTH.unpack_from(packed)[0]
    keys = range(end, len(packed), _KEY_BYTES)
    data = orjson.loads(zlib.decompress(packed[begin:end]))
    return data, (int.from_bytes(packed[key : key + _KEY_BYTES], "big") for key in keys)


def _next(keys: Iterator[int], number: int) -> list[int]:
    own = list(islice(keys, number))
    if len(own) < number:
        raise ValueError("cut off")
    return own


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Turn what unpacking other bytes may raise into one ValueError."""
    try:
        yield
    except (TypeError, ValueError, LookupError, struct.error, zlib.error) as error:
        raise ValueError(f"not {what}: {error}") from None
