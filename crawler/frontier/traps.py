"""The trap rule: which parts of a site are endless and bring nothing new.

`docs/traps.md` states the rule in one formula, with reasons, figures and limits. `NoveltyCounter`
says what an end brought, each `Subtree` around it keeps account, `Domain` and `Hosts` decide whose
pages may be tried once all of a domain was cut. Cut URLs are held back: accepted, stored, pending,
never fetched, until they are released or the rule is turned off.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import Enum, StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from crawler import urls
from crawler.models import (
    ExactDuplicate,
    Failure,
    FetchTask,
    NearDuplicate,
    PageOutcome,
    Skip,
    UrlState,
)
from crawler.urls.editions import repeats, subtrees

if TYPE_CHECKING:
    from crawler.config import Traps


COUNTED_ORIGINALS = 100_000
"""Originals and looks whose copies are counted; the longest unseen is forgotten first."""

_NO_PAGE = (Failure.HTTP_CLIENT_ERROR, Skip.NOINDEX, Skip.NO_CONTENT)
"""Ends without a page that speak of the URL, not of the network, the host or the job."""


class Novelty(Enum):
    """What a URL brought to the crawl."""

    NEW = "new"
    COPY = "copy"
    """One of the first copies of its original: a mirror, another version, a print version."""
    NOTHING = "nothing"


class NoveltyCounter:
    """Tells what ends brought; remembers how often each original was copied.

    `copies` is how many of one original, in one registrable domain, count as copies. A finite
    mirror holds few of each page, an endless one ever more.
    """

    def __init__(self, copies: int, limit: int = COUNTED_ORIGINALS) -> None:
        self._copies = copies
        self._limit = limit
        self._counts: OrderedDict[tuple[str, int | bytes], int] = OrderedDict()

    def of(self, outcome: PageOutcome, domain: str) -> Novelty | None:
        """Return what an end brought; None if it says nothing of the URL's neighbours.

        Pages that differ in digits only, as the days of an empty calendar do, count as copies of
        one look, however short they are. Siblings are new: a product list is made of them.
        """
        end = outcome.end
        if isinstance(end, ExactDuplicate | NearDuplicate):
            number = self._count((domain, end.of.id))
            if outcome.duplicate_of is not None:
                return Novelty.COPY if number <= self._copies else Novelty.NOTHING
            # As new as it was to the crawl that stored it, so a refresh is cut where that was.
            return Novelty.NEW if number <= self._copies + 1 else Novelty.NOTHING
        if end is Skip.FOLLOW_ONLY:  # such a page is worth what it leads to
            return Novelty.NEW if outcome.look else Novelty.NOTHING
        if outcome.state is UrlState.STORED or end is Skip.LANGUAGE:
            few = self._count((domain, outcome.look)) <= self._copies + 1
            return Novelty.NEW if few else Novelty.NOTHING
        if outcome.state is UrlState.REDIRECT or end in _NO_PAGE:
            return Novelty.NOTHING
        return None

    def _count(self, key: tuple[str, int | bytes]) -> int:
        number = self._counts.pop(key, 0) + 1
        self._counts[key] = number
        if len(self._counts) > self._limit:
            self._counts.popitem(last=False)
        return number


REWARD = 3.0
"""How many fruitless pages a new one makes up for: at a share of new pages of 1 / (1 + REWARD), a
quarter, and above, debt does not grow."""
WINDOW = 50
"""Pages over which growth is averaged (exponentially): a few times less than the smallest budget is
long, so that one table of contents is forgotten before it is used up."""
BURST = 400
"""New URLs of one page that count towards growth: a year with its days."""
ENDLESS = 0.5
"""Growth from which a subtree does not come to an end by itself: in the long run each page would
have to bring 1."""
KNOWN_GOOD = 8
"""New pages after which a subtree can be told from a trap around it."""


class Standing(StrEnum):
    """Whether a subtree's URLs may be fetched."""

    OPEN = "open"
    CUT = "cut"
    RELEASED = "released"
    """Never cut again."""


@dataclass(slots=True)
class Subtree:
    """Counts of one subtree. Debt is a CUSUM (Page 1954) of fruitless pages over new ones."""

    name: str
    standing: Standing = Standing.OPEN
    fetched: int = 0
    new: int = 0
    duplicates: int = 0
    repeating: int = 0
    """Pages whose path repeats itself."""
    debt: float = 0.0
    growth: float = 0.0
    """New URLs into this subtree that one of its pages brings, averaged over the last WINDOW of the
    streak."""
    streak: int = 0
    """Pages since there was no debt."""
    streak_new: int = 0
    streak_found: int = 0
    """New URLs into this subtree that they brought."""
    pending: int = 0
    """URLs it holds back, once it is cut and they were counted."""

    def learn(
        self, novelty: Novelty, *, duplicate: bool, inward: int, out: int, repeats: bool
    ) -> None:
        """Count a page that brought `inward` new URLs into the subtree and `out` to elsewhere.

        A page that leads to something new outside is a listing, and neither for nor against it.
        Nothing counts as new at a path that repeats itself.
        """
        self.fetched += 1
        self.duplicates += duplicate
        self.repeating += repeats
        fruitful = novelty is Novelty.NEW and not repeats
        self.new += fruitful
        if self.standing is Standing.CUT:  # why it was cut stays as it was
            return
        if fruitful:
            self.debt = max(0.0, self.debt - REWARD)
        elif novelty is not Novelty.COPY and not out:
            self.debt += 1
        if not self.debt:  # where the streak ends
            self.growth, self.streak, self.streak_new, self.streak_found = 0.0, 0, 0, 0
            return
        found = min(inward, BURST)
        self.growth += (found - self.growth) / WINDOW
        self.streak += 1
        self.streak_new += fruitful
        self.streak_found += found

    def budget(self, base: float) -> float:
        """Return how much debt the subtree may run up: a base, and a page for every new one.

        It shrinks, down to half, with the share of paths that repeat themselves.
        """
        return (base + self.new) / (1 + self.repeating / max(1, self.fetched))

    def spent(self, base: float, share: float = 1.0) -> bool:
        """Whether that share of the budget is used up and the subtree would go on for ever.

        It would, if its pages bring new URLs fast enough: of late, and in the streak as a whole.
        """
        if self.standing is not Standing.OPEN or self.debt < share * self.budget(base):
            return False
        return self.growth >= ENDLESS and self.streak_found >= ENDLESS * self.streak

    def known_good(self, base: float) -> bool:
        """Whether this subtree is worth its fetches whatever was cut around it."""
        fruitful = self.new >= KNOWN_GOOD and (1 + REWARD) * self.new >= self.fetched
        return fruitful and self.debt < self.budget(base) / 2

    def record(self) -> dict[str, Any]:
        """Return JSON-ready data that `of` reads."""
        return asdict(self)

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        """Return the subtree of a record; keys it does not know are passed over."""
        known = {field.name for field in fields(cls)} & record.keys()
        data = {name: record[name] for name in known}
        return cls(**data | {"standing": Standing(record["standing"])})


# Below one registrable domain there may be many people's sites: not every host of blogs is on the
# public suffix list. So a cut of `*.a.test` holds back the hosts that brought nothing. Those that
# brought something go on, and those of which little is known have a few tries, together: a
# wildcard has endlessly many of them. A host that is a seed, or that a page of another domain or a
# good host leads to, does not share its tries with those that only their own kind leads to.


MAX_HOSTS = 4096
"""Hosts of one domain that are remembered, those longest unvisited forgotten first: some 1 MB."""
PROBATION = 4
"""Fruitless pages after which it is plain that a host brings nothing. Not one: a front page may
redirect."""
SHARE = 0.25
"""Of the budget of a subtree, what hosts may cost together that only their own kind leads to, once
their domain was cut. Those that others lead to may cost a whole budget, seeds what they cost."""

SEED, OUTSIDE = "a seed", "another domain"
"""Who speaks for a host, beside other hosts of its domain; neither is a name."""


class Proof(Enum):
    """What is known of a host."""

    GOOD = "good"
    """A quarter of its pages or more was new, as subtrees are judged."""
    UNKNOWN = "unknown"
    FRUITLESS = "fruitless"


class Hosts:
    """The hosts of one domain, by their names without ports."""

    def __init__(self, record: Mapping[str, Any] | None = None) -> None:
        """Begin afresh, or with what `record` returned in an earlier run."""
        known = record or {}
        self._counts = OrderedDict((host, (new, no)) for host, new, no in known.get("counts", ()))
        self._spoken_for: OrderedDict[str, str] = OrderedDict(known.get("spoken_for", {}))
        self._debts: list[float] = list(known.get("debts", (0.0, 0.0)))
        """Of hosts of which little is known, since the domain was cut: of those that only their own
        kind leads to, and of the others."""

        self._trying: dict[int, bool] = {}
        """URLs of such hosts that are asked for now, by id, each for its kind's debt."""

    def __len__(self) -> int:
        return len(self._counts)

    def speak_for(self, host: str, voice: str) -> bool:
        """Note that SEED, OUTSIDE or another host of the domain leads to a host.

        A voice that counts is not forgotten for another, but for that of a seed. Return whether
        this one counts, and is heard for the first time.
        """
        before = self._spoken_for.get(host)
        if before == voice or (voice != SEED and self._counts_for(before)):
            return False
        self._spoken_for[host] = voice
        if len(self._spoken_for) > MAX_HOSTS:
            self._spoken_for.popitem(last=False)
        return self._counts_for(voice)

    def learn(self, host: str, novelty: Novelty, *, repeats: bool) -> bool:
        """Count a page; first copies of others speak neither for nor against their host.

        Return whether the host was found good by it.
        """
        before = self.proof(host)
        new, fruitless = self._counts.pop(host, (0, 0))
        fruitful = novelty is Novelty.NEW and not repeats
        nothing = novelty is not Novelty.COPY and not fruitful
        self._counts[host] = (new + fruitful, fruitless + nothing)
        if len(self._counts) > MAX_HOSTS:
            self._counts.popitem(last=False)
        return before is not Proof.GOOD and self.proof(host) is Proof.GOOD

    def begin(self, url_id: int, host: str) -> None:
        """A URL is asked for: where little is known of its host, that is a try."""
        voice = self._spoken_for.get(host)
        if self.proof(host) is Proof.UNKNOWN and voice != SEED:
            self._trying[url_id] = self._counts_for(voice)

    def give_back(self, url_id: int) -> None:
        """A URL has ended, or will be asked for again."""
        self._trying.pop(url_id, None)

    def probe(self, host: str, novelty: Novelty | None) -> None:
        """Count an end of whatever kind against the tries of hosts of which little is known."""
        voice = self._spoken_for.get(host)
        if self.proof(host) is Proof.UNKNOWN and voice != SEED:
            cost = -REWARD if novelty is Novelty.NEW else 1.0
            counts = self._counts_for(voice)
            self._debts[counts] = max(0.0, self._debts[counts] + cost)

    def proof(self, host: str) -> Proof:
        """Return what is known of a host."""
        new, fruitless = self._counts.get(host, (0, 0))
        if new and REWARD * new >= fruitless:
            return Proof.GOOD
        return Proof.FRUITLESS if fruitless >= PROBATION else Proof.UNKNOWN

    def may_try(self, host: str, budget: float, voice: str | None = None) -> bool:
        """Whether a host may be asked although its domain was cut; `voice` beside what is noted."""
        proof, noted = self.proof(host), self._spoken_for.get(host)
        if proof is not Proof.UNKNOWN or SEED in (voice, noted):
            return proof is not Proof.FRUITLESS
        counts = self._counts_for(voice) or self._counts_for(noted)
        trying = sum(kind is counts for kind in self._trying.values())
        return self._debts[counts] + trying < budget * (1.0 if counts else SHARE)

    def is_spoken_for(self, host: str) -> bool:
        """Whether a host is good itself, or somebody leads to it whose voice counts."""
        return self.proof(host) is Proof.GOOD or self._counts_for(self._spoken_for.get(host))

    def _counts_for(self, voice: str | None) -> bool:
        if voice is None:
            return False
        return voice in (SEED, OUTSIDE) or self.proof(voice) is Proof.GOOD

    def record(self) -> dict[str, Any]:
        """Return JSON-ready data that the next run begins with."""
        return {
            "counts": [(host, *counts) for host, counts in self._counts.items()],
            "spoken_for": dict(self._spoken_for),
            "debts": self._debts,
        }


MAX_SUBTREES = 256
"""Subtrees of one registrable domain that are kept account of."""
FREED_AT_ONCE = 32
"""Hosts that get their try because another one was found good: each costs a look into the store.
Every one that is found good in its turn brings the next."""

_PRECEDENCE = (Standing.OPEN, Standing.CUT, Standing.RELEASED)
"""Which account stands, the last one, where an earlier version kept one for each port of a host."""


class Domain:
    """What is known of a registrable domain."""

    __slots__ = ("_waiting", "hosts", "name", "settled", "subtrees")

    def __init__(self, name: str) -> None:
        self.name = name
        self.subtrees: dict[str, Subtree] = {}
        self.settled = 0
        """How many of them were cut or released."""
        self.hosts = Hosts()
        self._waiting: dict[str, None] = {}
        """Host keys that had no try left."""

    @property
    def whole(self) -> Subtree | None:
        """The subtree of all its hosts."""
        return self.subtrees.get(f"*.{self.name}")

    @property
    def is_cut(self) -> bool:
        """Whether all of it was cut."""
        return (whole := self.whole) is not None and whole.standing is Standing.CUT

    def around(self, names: Iterable[str]) -> list[Subtree]:
        """Return the subtrees of these names; they are kept from now on, as far as memory goes."""
        around = [self.subtrees.get(name) or Subtree(name) for name in names]
        self.subtrees |= {subtree.name: subtree for subtree in around}
        if len(self.subtrees) > MAX_SUBTREES:
            # The half of which least is known is forgotten; what was cut or released stays.
            by_weight = sorted(
                self.subtrees.values(),
                key=lambda s: (s.standing is not Standing.OPEN, s.debt, s.fetched),
                reverse=True,
            )
            kept = max(MAX_SUBTREES // 2, self.settled)
            self.subtrees = {subtree.name: subtree for subtree in by_weight[:kept]}
        return around

    def cut(self, subtree: Subtree) -> None:
        """Cut a subtree; where much was cut, what is open may have been forgotten at once."""
        subtree.standing = Standing.CUT
        self.subtrees[subtree.name] = subtree
        self.settled += 1

    def hear(self, host: str, by: str | None, *, seed: bool) -> bool:
        """A page of the host key `by` leads to one of the domain: that may speak for it.

        Return whether somebody who waits may have a try because of it.
        """
        voice = self._voice(host, by, seed)
        return voice is not None and self.hosts.speak_for(urls.hostname(host), voice)

    def may_try(self, host: str, by: str | None, budget: float, *, seed: bool) -> bool:
        """Whether a host key may be asked although all was cut; `by` leads to it."""
        return self.hosts.may_try(urls.hostname(host), budget, self._voice(host, by, seed))

    def _voice(self, host: str, by: str | None, seed: bool) -> str | None:
        """Return who leads to a host; None where it is the host itself, or nobody knows."""
        if seed:
            return SEED
        if by is None or urls.hostname(by) == urls.hostname(host):
            return None
        return urls.hostname(by) if urls.registrable_domain(by) == self.name else OUTSIDE

    def begin(self, task: FetchTask, by: str | None) -> None:
        """A task of the domain is asked for."""
        self.hear(task.host, by, seed=task.seed)
        self.hosts.begin(task.url_id, urls.hostname(task.host))

    def learn(self, host: str, novelty: Novelty | None, *, repeats: bool) -> bool:
        """Count an end of a host key; None: it says nothing of its neighbours.

        Return whether somebody who waits may have a try because of it.
        """
        site = urls.hostname(host)
        if self.is_cut:
            self.hosts.probe(site, novelty)
        return novelty is not None and self.hosts.learn(site, novelty, repeats=repeats)

    def wait(self, host: str) -> None:
        """A host key was held back: it waits for a try where little is known of it."""
        undecided = self.is_cut and self.hosts.proof(urls.hostname(host)) is Proof.UNKNOWN
        if undecided and len(self._waiting) < MAX_HOSTS:
            self._waiting[host] = None

    def take_waiting(self, budget: float, *, spoken_for: bool) -> list[str]:
        """Return, once, waiting host keys that may be asked now; or only those `spoken_for`."""
        sites = ((host, urls.hostname(host)) for host in self._waiting)
        able = (
            host
            for host, site in sites
            if (not spoken_for or self.hosts.is_spoken_for(site))
            and self.hosts.may_try(site, budget)
        )
        taken = list(islice(able, FREED_AT_ONCE))
        for host in taken:
            del self._waiting[host]
        return taken

    def record(self, kept: Iterable[Subtree]) -> list[dict[str, Any]]:
        """Return these subtrees JSON-ready, and the hosts beside the subtree of them all."""
        whole = self.whole or Subtree(f"*.{self.name}")
        records = [subtree.record() for subtree in kept if subtree is not whole]
        if len(self.hosts) > 1 or whole.standing is not Standing.OPEN:
            records.append(whole.record() | {"hosts": self.hosts.record()})
        return records

    @classmethod
    def of(cls, name: str, records: Iterable[Mapping[str, Any]]) -> Self:
        """Return the domain of what `record` returned."""
        known = cls(name)
        for record in records:
            host, slash, path = record["name"].partition("/")
            subtree = Subtree.of({**record, "name": f"{urls.hostname(host)}{slash}{path}"})
            there = known.subtrees.setdefault(subtree.name, subtree)
            if _PRECEDENCE.index(subtree.standing) > _PRECEDENCE.index(there.standing):
                known.subtrees[subtree.name] = subtree
            if "hosts" in record:
                known.hosts = Hosts(record["hosts"])
        known.settled = sum(s.standing is not Standing.OPEN for s in known.subtrees.values())
        return known


MAX_DOMAINS = 4096
"""Registrable domains, the longest unvisited forgotten first, unless something there was cut."""
NARROWER = 0.75
"""Of several subtrees that a page lies in, the narrowest with this share of the budget in debt is
cut: it is where the debt comes from, and its neighbours are spared."""
FEE = 0.125
"""What stays of a cut subtree's debt with those around it, as a share of its budget: a domain of
endlessly many endless subtrees is cut with the eighth or so."""
SUSPECT = 0.25
"""Share of its budget in debt from which a subtree is remembered across a resume."""


class TrapRule:
    """Learns from every end what its subtrees bring, and holds back what is endless.

    An end costs O(new URLs it brought), a question O(1); memory is bounded by MAX_DOMAINS, and
    for each of them by MAX_SUBTREES and MAX_HOSTS.
    """

    def __init__(self, settings: Traps, state: Mapping[str, Any] | None = None) -> None:
        """Begin afresh, or with what `state` returned in an earlier run."""
        self._settings = settings
        self._novelty = NoveltyCounter(settings.copies)
        self._domains: OrderedDict[str, Domain] = OrderedDict()
        self._stirred: set[str] = set()
        """Domains in which who waits may have a try since."""
        for domain, records in (state or {}).items():
            self._domains[domain] = Domain.of(domain, records)

    def holder(
        self, url: str, host: str, via: str | None = None, *, seed: bool = False
    ) -> Subtree | None:
        """Return the cut subtree that holds a URL back; None if it may be fetched.

        The narrowest subtree of which enough is known decides; all ports of a host are one. `via`
        is the page that led to the URL: it counts where the whole domain was cut.
        """
        known = self._domains.get(urls.registrable_domain(host))
        if known is None or not known.settled or not self._settings.enabled:
            return None
        base = self._settings.budget
        for name in subtrees(url, urls.hostname(host)):
            subtree = known.subtrees.get(name)
            if subtree is None:
                continue
            if subtree is known.whole and subtree.standing is Standing.CUT:
                by = urls.host_key(via) if via else None
                return None if known.may_try(host, by, base, seed=seed) else subtree
            if subtree.standing is Standing.CUT:
                return subtree
            if subtree.standing is Standing.RELEASED:
                return None
            if subtree.known_good(base):
                return None
        return None

    def holds_back(self, task: FetchTask) -> bool:
        """Whether a task is held back; its host is remembered for that, if it is undecided."""
        if self.holder(task.url, task.host, task.referrer, seed=task.seed) is None:
            return False
        known = self._domains.get(urls.registrable_domain(task.host))
        if known is not None:
            known.wait(task.host)
        return True

    def begin(self, task: FetchTask) -> None:
        """A task is asked for."""
        known = self._domains.get(urls.registrable_domain(task.host))
        if known is not None and known.is_cut:
            known.begin(task, _referring_host(task))

    def give_back(self, task: FetchTask) -> None:
        """A task that was asked for will be again."""
        known = self._domains.get(urls.registrable_domain(task.host))
        if known is not None:
            known.hosts.give_back(task.url_id)

    def led_to(self, host: str, by: str) -> None:
        """A page of the host key `by` leads to another one, which may be known already."""
        known = self._domains.get(urls.registrable_domain(host))
        if known is not None and known.hear(host, by, seed=False):
            self._stirred.add(known.name)

    def take_freed(self) -> list[str]:
        """Return, once, host keys that were held back and may be asked now."""
        stirred, self._stirred = self._stirred, set()
        domains = (known for name in sorted(stirred) if (known := self._domains.get(name)))
        base = self._settings.budget
        return [host for it in domains for host in it.take_waiting(base, spoken_for=True)]

    def take_triable(self) -> list[str]:
        """Return, once, host keys that had to wait and have tries left, whoever leads to them."""
        base = self._settings.budget
        domains = self._domains.values()
        return [host for it in domains for host in it.take_waiting(base, spoken_for=False)]

    def cuts(self) -> list[Subtree]:
        """Return what is cut, by name; nothing where the rule is turned off."""
        if not self._settings.enabled:
            return []
        known = (s for domain in self._domains.values() for s in domain.subtrees.values())
        return sorted((s for s in known if s.standing is Standing.CUT), key=lambda s: s.name)

    def state(self) -> dict[str, Any]:
        """Return, JSON-ready, what a later run must know.

        That is what was cut, what was released, what is suspect, and what is good in cut places.
        """
        kept = {
            name: [s for s in domain.subtrees.values() if self._is_kept(s, domain)]
            for name, domain in self._domains.items()
        }
        return {name: self._domains[name].record(some) for name, some in kept.items() if some}

    def _is_kept(self, subtree: Subtree, domain: Domain) -> bool:
        base = self._settings.budget
        if subtree.standing is not Standing.OPEN or subtree.debt >= SUSPECT * subtree.budget(base):
            return True
        return bool(domain.settled) and subtree.known_good(base)

    def learn(self, task: FetchTask, outcome: PageOutcome) -> Subtree | None:
        """Count the end of a task; return the subtree that is cut by it, if one is.

        What lies in a released subtree speaks against no other: it is fetched because somebody
        asked for it.
        """
        if not self._settings.enabled:
            return None
        domain, again = urls.registrable_domain(task.host), repeats(task.url)
        novelty = self._novelty.of(outcome, domain)
        known = self._domain(domain) if novelty else self._domains.get(domain)
        if known is not None:
            known.hear(task.host, _referring_host(task), seed=task.seed)
            known.hosts.give_back(task.url_id)
            if known.learn(task.host, novelty, repeats=again):
                self._stirred.add(domain)
        if known is None or novelty is None:
            return None
        around = known.around(subtrees(task.url, urls.hostname(task.host)))
        freed = [s for s in around if s.standing is Standing.RELEASED]
        inward = Counter(
            name
            for new in outcome.new_urls
            if urls.registrable_domain(new.host) == domain  # no subtree of this page has others
            for name in subtrees(new.url, urls.hostname(new.host))
        )
        brought = len(outcome.new_urls)
        for subtree in freed or around:
            subtree.learn(
                novelty,
                duplicate=outcome.duplicate_of is not None,
                inward=inward[subtree.name],
                out=brought - inward[subtree.name],
                repeats=again,
            )
            # What was under way: its wider ones are settled. But a host may be spared, and cut.
            if subtree.standing is Standing.CUT and subtree is not known.whole:
                return None
        return None if freed else self._cut(known, around)

    def _domain(self, name: str) -> Domain:
        """Return a domain that is visited now, made known by this if need be."""
        if (known := self._domains.get(name)) is None:
            known = self._domains[name] = Domain(name)
        self._domains.move_to_end(name)
        if len(self._domains) > MAX_DOMAINS:
            oldest = (name for name, domain in self._domains.items() if not domain.settled)
            if (forgotten := next(oldest, None)) is not None:
                del self._domains[forgotten]
        return known

    def _cut(self, known: Domain, around: list[Subtree]) -> Subtree | None:
        base = self._settings.budget
        if not any(subtree.spent(base) for subtree in around):
            return None
        at = next(n for n, subtree in enumerate(around) if subtree.spent(base, NARROWER))
        cut = around[at]
        known.cut(cut)
        for wider in around[at + 1 :]:  # which are spared what the cut one has run up
            wider.debt = max(0.0, wider.debt - (cut.debt - FEE * cut.budget(base)))
        return cut


def _referring_host(task: FetchTask) -> str | None:
    return urls.host_key(task.referrer) if task.referrer else None


def cut_records(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the records of what is cut by a rule's state, most pending URLs first."""
    records = (record for records in state.values() for record in records)
    cut = (record for record in records if record["standing"] == Standing.CUT.value)
    return sorted(cut, key=lambda record: (-record["pending"], record["name"]))


def released(state: Mapping[str, Any], prefix: str) -> tuple[dict[str, Any], list[str]]:
    """Return a state in which cut subtrees whose names begin with `prefix` are released, and which.

    `all` releases every one.
    """
    names = []
    changed = {domain: [dict(record) for record in records] for domain, records in state.items()}
    for record in (record for records in changed.values() for record in records):
        chosen = prefix == "all" or record["name"].startswith(prefix)
        if chosen and record["standing"] == Standing.CUT.value:
            record["standing"] = Standing.RELEASED.value
            names.append(record["name"])
    return changed, names
