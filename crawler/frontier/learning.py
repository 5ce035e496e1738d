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
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import mmh3

from crawler import urls
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
    Claim,
    Latest,
    SamePage,
    Tree,
    UrlParts,
    opposite,
    parts_of,
    same_page_rules,
    shapes,
    side_of,
    trees_of,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from crawler.config.job import Learn, Traps

    Lines = npt.NDArray[np.uint32]

# ------------------------------------------------------------------------------------------- yields

MEMORY = 256
"""Ends over which a yield is averaged (exponentially): so much a site may change its mind."""
SELDOM, RARELY, HARDLY = 1 / 2, 1 / 6, 1 / 28
"""Shares of URLs that bring something, below which a shape is postponed to one of three places:
five fruitless ends are `RARELY`, 28 `HARDLY` (rule of succession, Laplace 1814)."""
_BACK = {Priority.SELDOM: 3 / 4, Priority.RARE: SELDOM, Priority.PREDICTED: RARELY}
"""Share from which URLs that were postponed to a place get their own back: well above the share
that postponed them, lest they go to and fro."""
ENDS = 5
"""Ends of one shape before anything is said of it."""
AUDITS = 32
"""Of so many URLs that a rule would postpone one is asked for in its turn."""


@dataclass(slots=True)
class Yield:
    """What URLs of one shape brought of late."""

    tried: float = 0.0
    brought: float = 0.0
    """Of both, earlier ends count less (`MEMORY`)."""

    def credit(self) -> None:
        """An earlier one of them led to a page that brought something."""
        self.brought = min(self.tried, self.brought + 1.0)

    def count(self, *, worth: bool) -> None:
        """Add an end."""
        self.tried += 1.0 - self.tried / MEMORY
        self.brought += worth - self.brought / MEMORY

    @property
    def share(self) -> float:
        """The share of the next URLs that is expected to bring something."""
        return (self.brought + 1) / (self.tried + 2)


@dataclass(slots=True)
class Kept:
    """How a rule was used: one of either kind, by its name."""

    predicted: int = 0
    """URLs of which it said that they bring little, audits included."""
    hosts: dict[str, None] = field(default_factory=dict)
    """Host keys in whose queues they are, in the order in which these came."""
    last: Priority = Priority.SELDOM
    """The last of the places to which it has postponed some."""


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

    key: int
    """Hash of its name: tells what rules make of an address apart from addresses."""
    agree: int = 0
    against: int = 0
    least: int = LEAST
    holds: bool = False
    given: bool = False
    """The job says that it holds, whatever pages say."""
    original: UrlParts | None = None
    """The first address of the first pair, which was met before the other one."""

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

MOST_LINES = 250_000
"""Of one site, 3 MB: beyond it the older half is forgotten, and looks new again."""
_RECENT = 4_096


class LineIndex:
    """Which lines the pages of a site have shown, by hash, and on which page each stood first.

    A question takes O(lines log MOST_LINES). Additions are merged when they are a tenth of all, so
    that a new line costs some ten moves in the mean.
    """

    def __init__(self) -> None:
        import numpy as np

        self._hashes: Lines = np.empty(0, np.uint32)
        self._pages: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._recent: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._hashes) + len(self._recent)

    def look(self, lines: Lines) -> tuple[Lines, int | None]:
        """Return which lines are new; where none is, the page where at least half stood first."""
        import numpy as np

        if not len(lines):
            return lines, None
        pages = np.full(len(lines), -1, np.int64)
        if len(self._hashes):
            at = self._hashes.searchsorted(lines)
            at[at == len(self._hashes)] = 0
            there = self._hashes[at] == lines
            pages[there] = self._pages[at[there]]
        if self._recent and len(places := (pages < 0).nonzero()[0]):
            recent = self._recent
            pages[places] = [recent.get(line, -1) for line in lines[places].tolist()]
        if len(fresh := lines[pages < 0]):
            return fresh, None
        page, times = Counter(pages.tolist()).most_common(1)[0]
        return fresh, page if 2 * times >= len(lines) else None

    def add(self, lines: Lines, page: int) -> None:
        """Note lines that are new; they stood first on this page."""
        self._recent.update(dict.fromkeys(lines.tolist(), page))
        if len(self._recent) >= max(_RECENT, len(self._hashes) // 10):
            self._merge()

    def _merge(self) -> None:
        import numpy as np

        hashes = np.fromiter(self._recent.keys(), np.uint32, len(self._recent))
        pages = np.fromiter(self._recent.values(), np.int64, len(self._recent))
        self._recent = {}
        hashes, pages = np.append(self._hashes, hashes), np.append(self._pages, pages)
        if len(hashes) > MOST_LINES:  # what came last stays: merges keep no order of their own
            newest = np.argsort(-pages, kind="stable")[: MOST_LINES // 2]
            hashes, pages = hashes[newest], pages[newest]
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._pages = hashes[order], pages[order]


# -------------------------------------------------------------------------------------------- sites

MOST_SITES, MOST_SHAPES, MOST_RULES, MOST_PAGES = 4_096, 2_048, 32, 16_384
"""Sites of a crawl, and of each site its shapes, its rules of same pages and the addresses of its
pages: those unused for longest are forgotten first, rules that hold not at all."""

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
    lines: Lines | None = None
    """Hashes of lines that no page of the site had shown; None of a page without text."""

    def packed(self) -> bytes:
        """Return it as it is kept."""
        page = -1 if self.page is None else self.page
        lines = b"" if self.lines is None else self.lines.astype("<u4").tobytes()
        return _LESSON.pack(self.worth, page, self.text) + lines

    @classmethod
    def of(cls, packed: bytes) -> Lesson:
        """Undo `packed`; ValueError where it is none."""
        import numpy as np

        if len(packed) < _LESSON.size:
            raise ValueError(f"a lesson has {_LESSON.size} bytes at least, not {len(packed)}")
        worth, page, text = _LESSON.unpack_from(packed)
        lines = np.frombuffer(packed, "<u4", offset=_LESSON.size).astype(np.uint32)
        return cls(worth, None if page < 0 else page, text, lines)


class Site:
    """What is known of one site. Rules are named by texts that begin with a host."""

    def __init__(self, subtrees: Subtrees, given: Iterable[SamePage] = ()) -> None:
        """Begin with nothing but rules that are `given`: these hold whatever pages say."""
        self.subtrees = subtrees
        self.lines = LineIndex()
        self.yields = Latest[str, Yield](MOST_SHAPES)
        self.same: OrderedDict[SamePage, Proof] = OrderedDict()
        for rule in given:
            self.same[rule] = Proof(hash_of(rule.name), holds=True, given=True)
        self._holding = tuple(self.same)
        """Those of them that hold, in the same order."""
        self._refuted = Latest[SamePage, None](MOST_SHAPES)
        self.kept = Latest[str, Kept](MOST_SHAPES)
        self._texts = Latest[int, int](MOST_PAGES)
        """The page of each text, by a hash of its lines."""
        self._pages = Latest[int, int](MOST_PAGES)
        """The page at each address, by a hash of the address, or of what rules make of it."""
        self._urls = Latest[int, str](MOST_PAGES // 4)
        """The address of each page, where that was met first."""
        self._credited = Latest[int, None](MOST_PAGES)
        """Hashes of URLs that have led to something."""
        self._pageless = Latest[int, None](MOST_PAGES)
        """Hashes of URLs of which no page came."""

    def expected(self, url: str, is_seen: Callable[[str], bool]) -> Forecast | None:
        """Return what rules say of a URL; None where it may well bring something.

        `is_seen` tells which URLs were ever queued.
        """
        whole, rule = self._whole(parts_of(url))
        if rule is not None and (page := self._pages.get(_hash(whole))) is not None:
            return Forecast(Priority.PREDICTED, rule.name, page)
        if rule is not None and (mirrored := self._mirrored(url, is_seen)) is not None:
            return Forecast(Priority.PREDICTED, mirrored.name)
        for kind in shapes(whole):  # the narrowest one of which enough is known tells
            known = [(one.share, name) for name in kind if (one := self._known(name)) is not None]
            if known:
                share, name = min(known)
                if share >= SELDOM:
                    return None
                if share < HARDLY:
                    return Forecast(Priority.PREDICTED, name)
                return Forecast(Priority.RARE if share < RARELY else Priority.SELDOM, name)
        return None

    def _mirrored(self, url: str, is_seen: Callable[[str], bool]) -> SamePage | None:
        """Return the rule by which a URL is a mirror's, whose original was queued.

        So a mirror that is met page by page with its original waits behind it as well. Where that
        has brought no page the mirror is asked in its turn.
        """
        for rule, mirror, original in self._mirrors(parts_of(url)):
            at = mirror.moved(url, original)
            if is_seen(at) and hash_of(at) not in self._pageless:
                return rule
        return None

    def _mirrors(self, of: UrlParts) -> Iterator[tuple[SamePage, Tree, Tree]]:
        """Yield the rules by which a URL is a mirror's, with the trees of mirror and original."""
        for rule in self._holding:
            first, trees = self.same[rule].original, trees_of(rule.claim)
            if first is None or trees is None:
                continue
            original, side = side_of(trees, first), side_of(trees, of)
            if original is not None and side is not None and side != original:
                yield rule, trees[side], trees[original]

    def mirror(self, url: str) -> Mirrored | None:
        """Return what is known of the mirror that a URL lies in, by most pairs; None: in none."""
        found = ((self.same[rule], of) for rule, _, of in self._mirrors(parts_of(url)))
        proof, of = max(found, key=lambda one: one[0].pairs, default=(None, None))
        if proof is None or of is None:
            return None
        return Mirrored(of.name, round(proof.agree / proof.pairs, 4), proof.pairs)

    def page_at(self, url: str) -> str | None:
        """Return where the page was met first that a URL leads to by a rule; None: not known."""
        whole, rule = self._whole(parts_of(url))
        page = None if rule is None else self._pages.get(_hash(whole))
        return None if page is None else self._urls.get(page)

    def use(self, rule: str, host: str, predicted: int, place: Priority) -> Kept:
        """A rule has so many more URLs of a host wait at a place, or before; return its uses."""
        self.kept[rule] = kept = self.kept.get(rule) or Kept()
        kept.predicted += predicted
        kept.hosts[host] = None
        kept.last = max(kept.last, place)
        return kept

    def _known(self, name: str) -> Yield | None:
        found = self.yields.get(name)
        return found if found is not None and round(found.tried) >= ENDS else None

    def _whole(self, of: UrlParts) -> tuple[UrlParts, SamePage | None]:
        """Return the address that stands for a page, and the rule that made it of this one.

        Where none did, a rule that holds: it may have made it of another. None: no rule holds.
        """
        whole, used = of, None
        for rule in self._holding:
            used = used or rule
            if (shorter := rule.applied(whole)) is not None:
                whole, used = shorter, rule
        return whole, used

    def learn(self, url: str, lesson: Lesson, referrer: str | None) -> list[str]:
        """Take in an end; return the names of rules that hold no more."""
        ended = [*self._credit(referrer)] if lesson.worth and referrer is not None else []
        whole, rule = self._whole(parts_of(url))
        # That a page came again under another address says nothing of addresses like its own.
        came_again = rule is not None and _hash(whole) in self._pages and not lesson.worth
        for name in (name for kind in shapes(whole) for name in kind) if not came_again else ():
            self.yields[name] = found = self.yields.get(name) or Yield()
            found.count(worth=lesson.worth)
            if lesson.worth and self._comes_back(name, found):
                ended.append(name)
        if lesson.page is None:
            self._pageless[hash_of(url)] = None
        else:
            ended += self._compare(url, lesson.page)
            if lesson.lines is not None and len(lesson.lines):
                self.lines.add(lesson.lines, lesson.page)
            if lesson.text:
                self._texts.setdefault(lesson.text, lesson.page)
        return ended

    def _credit(self, url: str) -> Iterator[str]:
        """A page has led to something; yield the names of rules that hold no more.

        That speaks for it, once: a list of pages is worth what they are.
        """
        by = hash_of(url)
        was_credited = by in self._credited
        self._credited[by] = None
        if was_credited:
            return
        whole, _ = self._whole(parts_of(url))
        for name in (name for kind in shapes(whole) for name in kind):
            if (found := self.yields.get(name)) is not None:
                found.credit()
                if self._comes_back(name, found):
                    yield name

    def _comes_back(self, name: str, found: Yield) -> bool:
        """Whether what was postponed of a shape brings so much that it gets its place back."""
        kept = self.kept.get(name)
        return kept is not None and found.share >= _BACK[kept.last]

    def lesson(self, outcome: PageOutcome) -> Lesson | None:
        """Return what an end teaches that says something of its URL; None: nothing.

        Nothing of what it brought is known of a redirect to a new URL, and of what an earlier
        directory has.
        """
        import numpy as np

        is_copy = isinstance(outcome.end, ExactDuplicate | NearDuplicate)
        if is_copy and outcome.duplicate_of is not None:
            return Lesson(False, outcome.duplicate_of)
        if outcome.state is UrlState.STORED and outcome.document is not None:
            return self._read(np.frombuffer(outcome.line_hashes, "<u4"), outcome.document.id)
        leads_on = outcome.state is UrlState.REDIRECT and outcome.new_urls
        is_stored = outcome.state is UrlState.STORED
        return None if leads_on or is_copy or is_stored else Lesson(False, None)

    def _read(self, lines: Lines, page: int) -> Lesson:
        """Return what a new page teaches by the lines of its text.

        Where none is new it is the page that has just these, or where half of them stood first.
        """
        if not len(lines):
            return Lesson(True, page)
        text = mmh3.hash64(lines.tobytes(), signed=False)[0]
        fresh, like = self.lines.look(lines)
        if len(fresh):
            return Lesson(True, page, text, fresh)
        like = self._texts.get(text, like)
        return Lesson(False, page if like is None else like, text)

    def _compare(self, url: str, page: int) -> list[str]:
        """Hold a page against those at addresses that rules would call the same.

        Return the names of rules that hold no more.
        """
        of = parts_of(url)
        if (other := self._urls.get(page)) is not None and other != url:
            for rule in same_page_rules(url, other):
                if rule not in self._refuted and rule not in self.same and self._make_room():
                    self.same[rule] = Proof(hash_of(rule.name), original=parts_of(other))
        is_changed = False
        ended: list[str] = []
        own = _hash(of)
        for rule, proof in [*self.same.items()]:
            shorter = rule.applied(of)
            key = own if shorter is None else _hash(shorter)
            there = self._pages.get(key ^ proof.key)
            if there is None and (shorter is not None or rule.is_of_order):
                there = self._pages.get(key)
            if there is None and (across := opposite(rule.claim, of)) is not None:
                there = self._pages.get(_hash(across))  # from before there was the rule
            if there is not None:
                agrees = there == page
                if agrees and not proof.holds:  # those that do are applied in an order that stays
                    self.same.move_to_end(rule)
                if proof.count(agrees=agrees):
                    is_changed = True
                    if not proof.holds:
                        ended.append(rule.name)
                if proof.is_refuted:
                    del self.same[rule]
                    self._refuted[rule] = None
            if shorter is not None:
                self._pages[key ^ proof.key] = page
        self._pages[own] = page
        self._urls.setdefault(page, url)
        if is_changed:
            self._holding = tuple(rule for rule, proof in self.same.items() if proof.holds)
        # Where rules have changed, what is known has other names from now on.
        for known, at in self._urls.items() if is_changed else ((page, url),):
            known_of = parts_of(at)
            whole, _ = self._whole(known_of)
            if whole is not known_of and (key := _hash(whole)) not in self._pages:
                self._pages[key] = known
        return ended

    def _make_room(self) -> bool:
        """Make room for a rule by forgetting one that does not hold; return whether there is room.

        It is the one that pairs have not spoken for for longest. By their number alone, rules that
        were once right twice would keep out all that come later.
        """
        if len(self.same) < MOST_RULES:
            return True
        oldest = next((rule for rule, proof in self.same.items() if not proof.holds), None)
        if oldest is not None:
            del self.same[oldest]
        return oldest is not None


def hash_of(text: str) -> int:
    """Return 63 bits of a text, the same in every process."""
    return mmh3.hash64(text.encode(errors="surrogatepass"), signed=False)[0] >> 1


def _hash(of: UrlParts) -> int:
    query = "&".join(sorted(map("=".join, of.query)))
    return hash_of("/".join((of.host, *of.segments)) + "?" + query)


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
        self._given: dict[str, list[SamePage]] = {}
        """By site, the rules of the job."""
        for given in settings.same if settings is not None else ():
            one, other = sorted((given.one, given.other))
            rule = SamePage(Claim(given.slot, one, other), given.within)
            self._given.setdefault(urls.registrable_domain(rule.host), []).append(rule)
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
        nor is what was tried before.
        """
        if (held := self.holder_of(task)) is not None:
            return held
        if not self._enabled or task.seed or task.attempt or task.refused:
            return None
        if task.priority is Priority.SITEMAP or task.url_id in self._audits:
            return None
        if (site := self._known(task.host)) is None:
            return None
        found = site.expected(task.url, self._is_seen)
        if found is None or found.priority <= task.priority or found.rule in self._without:
            return None
        kept = site.use(found.rule, task.host, 1, found.priority)
        is_audit = not kept.predicted % AUDITS
        if is_audit:
            self._audits.add(task.url_id)
        else:
            self._wait(task.rule, -1)
            self._wait(found.rule, 1)
        about = found.rule, found.like, is_audit, kept.predicted == 1
        self._changes.append(Predicted(task.url_id, found.priority, task.priority, *about))
        return None if is_audit else found

    def holder(
        self, url: str, host: str, via: str | None = None, *, seed: bool = False
    ) -> Subtree | None:
        """Return the cut subtree that holds a URL back; None: none does. `via` led to the URL."""
        if (subtrees := self._subtrees(host)) is None or not subtrees.settled:
            return None
        return subtrees.holder(url, host, urls.host_key(via) if via else None, seed=seed)

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
        """Learn from an end, and have the outcome keep the lesson; return what is cut by it."""
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

    def living_copy(self, task: FetchTask) -> str | None:
        """Return the URL of the stored page that a task's URL should lead to, by the rules."""
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

    def _add(self, domain: str, records: Iterable[Mapping[str, Any]] = ()) -> Site:
        subtrees = Subtrees(domain, self._budget, records)
        self._sites[domain] = site = Site(subtrees, self._given.get(domain, ()))
        return site

    def _learn(self, site: Site, url: str, lesson: Lesson, referrer: str | None) -> None:
        for name in site.learn(url, lesson, referrer):
            if (kept := site.kept.pop(name, None)) is not None:
                self._changes.append(Released(name))
                self._urls_waiting -= self._waiting.pop(name, 0)
                self._anew += kept.hosts

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
            site.use(rule, host, predicted, Priority(last))

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
