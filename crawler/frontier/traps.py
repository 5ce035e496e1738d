"""Traps: which subtrees of a site are endless and bring nothing new.

`docs/traps.md` states the rule in one formula, with reasons, figures and limits. `NoveltyCounter`
says what an end brought, each `Subtree` around it keeps account, `Subtrees` has those of one site
and decides whose pages may be tried once all of it was cut. Cut URLs are held back: accepted,
stored, pending, never fetched, until they are released or the rule is turned off. Who asks and
teaches it is `crawler.frontier.learning`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import Enum, StrEnum
from itertools import chain, islice
from typing import Any, Self

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
from crawler.urls.editions import Latest, repeats, subtrees

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
        self._counts = Latest[tuple[str, int | bytes], int](limit)

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
        self._counts[key] = number = self._counts.get(key, 0) + 1
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
            if self.streak:
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
        if self.growth < ENDLESS or self.streak_found < ENDLESS * self.streak:
            return False
        return self.standing is Standing.OPEN and self.debt >= share * self.budget(base)

    def known_good(self, base: float) -> bool:
        """Whether this subtree is worth its fetches whatever was cut around it."""
        fruitful = self.new >= KNOWN_GOOD and (1 + REWARD) * self.new >= self.fetched
        return fruitful and self.debt < self.budget(base) / 2

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return the subtree of a record (`asdict`); keys it does not know are passed over."""
        known = {field.name: record[field.name] for field in fields(cls) if field.name in record}
        return cls(**known | {"standing": Standing(record["standing"])})


# Below one registrable domain there may be many people's sites: not every host of blogs is on the
# public suffix list. So a cut of `*.a.test` holds back the hosts that brought nothing. Those that
# brought something go on, and those of which little is known have a few tries, together: a
# wildcard has endlessly many of them. A host that is a seed, or that a page of another domain or a
# good host leads to, does not share its tries with those that only their own kind leads to.


MAX_SUBTREES, MAX_HOSTS = 256, 4096
"""Of one site that are kept account of: some 1 MB; of hosts the longest unvisited is forgotten."""
NARROWER = 0.75
"""Of several subtrees that a page lies in, the narrowest with this share of the budget in debt is
cut: it is where the debt comes from, and its neighbours are spared."""
FEE = 0.125
"""What stays of a cut subtree's debt with those around it, as a share of its budget: a site of
endlessly many endless subtrees is cut with the eighth or so."""
SUSPECT = 0.25
"""Share of its budget in debt from which a subtree is remembered across a resume."""
PROBATION = 4
"""Fruitless pages after which it is plain that a host brings nothing. Not one: a front page may
redirect."""
SHARE = 0.25
"""Of the budget of a subtree, what hosts may cost together that only their own kind leads to, once
their site was cut. Those that others lead to may cost a whole budget, seeds what they cost."""
FREED_AT_ONCE = 32
"""Hosts that get their try because another one was found good: each costs a look into the store.
Every one that is found good in its turn brings the next."""

SEED, OUTSIDE = "a seed", "another domain"
"""Who speaks for a host, beside other hosts of its site; neither is a name."""


class Subtrees:
    """The subtrees of one site, and its hosts, by their names without ports."""

    def __init__(self, site: str, budget: float, records: Sequence[Mapping[str, Any]] = ()) -> None:
        """Begin afresh, or with what `record` returned in an earlier run."""
        self._site = site
        self._whole = f"*.{site}"
        self._budget = budget
        self._known = {record["name"]: Subtree.of(record) for record in records}
        hosts: Mapping[str, Any] = next((one["hosts"] for one in records if "hosts" in one), {})
        self.settled = sum(s.standing is not Standing.OPEN for s in self._known.values())
        """How many of them were cut or released."""
        counts = ((host, (new, no)) for host, new, no in hosts.get("counts", ()))
        self._hosts = Latest[str, tuple[int, int]](MAX_HOSTS, counts)
        """New and fruitless pages of each."""
        self._spoken_for = Latest[str, str](MAX_HOSTS, hosts.get("spoken_for", {}))
        self._debts: list[float] = list(hosts.get("debts", (0.0, 0.0)))
        """Of hosts of which little is known, since all was cut: of those that only their own kind
        leads to, and of the others."""
        self._trying: dict[int, bool] = {}
        """URLs of such hosts that are asked for now, by id, each for its kind's debt."""
        self._waiting: dict[str, None] = {}
        """Host keys that had no try left."""

    @property
    def whole(self) -> Subtree | None:
        """The subtree of all hosts."""
        return self._known.get(self._whole)

    @property
    def is_cut(self) -> bool:
        """Whether all of the site was cut."""
        whole = self.whole if self.settled else None
        return whole is not None and whole.standing is Standing.CUT

    def cuts(self) -> list[Subtree]:
        """Return what is cut."""
        return [s for s in self._known.values() if s.standing is Standing.CUT]

    def holder(
        self, url: str, host: str, via: str | None = None, *, seed: bool = False
    ) -> Subtree | None:
        """Return the cut subtree that holds a URL back; None if it may be fetched.

        The narrowest subtree of which enough is known decides. The page `via` led to the URL: its
        host counts where all of the site was cut.
        """
        name = urls.hostname(host)
        for subtree in filter(None, map(self._known.get, subtrees(url, name))):
            if subtree.standing is Standing.CUT:
                if subtree is not self.whole:
                    return subtree
                by = urls.host_key(via) if via else None
                may_try = self._may_try(name, self._voice(name, by, seed=seed))
                return None if may_try else subtree
            if subtree.standing is Standing.RELEASED or subtree.known_good(self._budget):
                return None
        return None

    def wait(self, host: str) -> None:
        """A host key was held back: it waits for a try where little is known of it."""
        undecided = self.is_cut and self.is_good(urls.hostname(host)) is None
        if undecided and len(self._waiting) < MAX_HOSTS:
            self._waiting[host] = None

    def take_waiting(self, *, spoken_for: bool) -> list[str]:
        """Return, once, waiting host keys that may be asked now; or only those `spoken_for`."""
        able = (
            host
            for host, name in ((host, urls.hostname(host)) for host in self._waiting)
            if not spoken_for or any(map(self._counts_for, (name, self._spoken_for.get(name))))
            if self._may_try(name)
        )
        taken = list(islice(able, FREED_AT_ONCE))
        for host in taken:
            del self._waiting[host]
        return taken

    def hear(self, host: str, by: str | None, *, seed: bool = False) -> bool:
        """A page of the host key `by` leads to one of the site, or it is a seed.

        A voice that counts is not forgotten for another, but for that of a seed. Return whether
        this one counts, and is heard for the first time: somebody may have a try because of it.
        """
        name = urls.hostname(host)
        if (voice := self._voice(name, by, seed=seed)) is None:
            return False
        before = self._spoken_for.get(name)
        if voice == before or (voice != SEED and self._counts_for(before)):
            return False
        self._spoken_for[name] = voice
        return self._counts_for(voice)

    def begin(self, task: FetchTask) -> None:
        """A URL is asked for: where little is known of its host, that is a try."""
        if self.is_cut:
            self.hear(task.host, referring_host(task), seed=task.seed)
            if (kind := self._kind(urls.hostname(task.host))) is not None:
                self._trying[task.url_id] = kind

    def give_back(self, task: FetchTask) -> None:
        """A URL has ended, or will be asked for again."""
        self._trying.pop(task.url_id, None)

    def count_host(self, task: FetchTask, novelty: Novelty | None) -> bool:
        """Count an end for its host; None: it says nothing of its neighbours, but was a try.

        First copies of others speak neither for nor against it. Return whether the host was found
        good by it.
        """
        self.hear(task.host, referring_host(task), seed=task.seed)
        self.give_back(task)
        host = urls.hostname(task.host)
        if self.is_cut and (kind := self._kind(host)) is not None:
            cost = -REWARD if novelty is Novelty.NEW else 1.0
            self._debts[kind] = max(0.0, self._debts[kind] + cost)
        if novelty is None:
            return False
        was_good = self.is_good(host)
        new, fruitless = self._hosts.get(host, (0, 0))
        is_new = novelty is Novelty.NEW and not repeats(task.url)
        self._hosts[host] = new + is_new, fruitless + (novelty is not Novelty.COPY and not is_new)
        return not was_good and self.is_good(host) is True

    def is_good(self, host: str | None) -> bool | None:
        """Whether a quarter of a host's pages was new, as subtrees are judged; None: too few."""
        new, fruitless = self._hosts.get(host or "", (0, 0))
        if new and REWARD * new >= fruitless:
            return True
        return False if fruitless >= PROBATION else None

    def _may_try(self, host: str, voice: str | None = None) -> bool:
        """Whether a host may be asked although all was cut; `voice` beside what is noted."""
        if (kind := self._kind(host, voice)) is None:
            return self.is_good(host) is not False
        trying = sum(one is kind for one in self._trying.values())
        return self._debts[kind] + trying < self._budget * (1.0 if kind else SHARE)

    def _kind(self, host: str, voice: str | None = None) -> bool | None:
        """Return by which debt a host's tries are counted; None: it is proven, or a seed."""
        noted = self._spoken_for.get(host)
        if self.is_good(host) is not None or SEED in (voice, noted):
            return None
        return self._counts_for(voice) or self._counts_for(noted)

    def _voice(self, name: str, by: str | None, *, seed: bool) -> str | None:
        """Return who leads to a host; None where it is the host itself, or nobody knows."""
        if seed:
            return SEED
        if by is None or urls.hostname(by) == name:
            return None
        return urls.hostname(by) if urls.registrable_domain(by) == self._site else OUTSIDE

    def _counts_for(self, voice: str | None) -> bool:
        return voice in (SEED, OUTSIDE) or self.is_good(voice) is True

    def learn(self, task: FetchTask, outcome: PageOutcome, novelty: Novelty) -> Subtree | None:
        """Count the end of a task in all subtrees around it; return what is cut by it, if any.

        What lies in a released subtree speaks against no other: it is fetched because somebody
        asked for it.
        """
        around = self._around(subtrees(task.url, urls.hostname(task.host)))
        freed = self.settled and [s for s in around if s.standing is Standing.RELEASED]
        brought, again = len(outcome.new_urls), repeats(task.url)
        is_copy = outcome.duplicate_of is not None
        into: Mapping[str, int] = {}
        # Where a new page pays all debt it does not matter where it leads: so with most of them.
        if again or novelty is not Novelty.NEW or any(s.debt > REWARD for s in around):
            own = (n for n in outcome.new_urls if urls.registrable_domain(n.host) == self._site)
            into = Counter(chain.from_iterable(subtrees(n.url, urls.hostname(n.host)) for n in own))
        for subtree in freed or around:
            inward = into.get(subtree.name, 0)
            subtree.learn(
                novelty, duplicate=is_copy, inward=inward, out=brought - inward, repeats=again
            )
            # What was under way: its wider ones are settled. But a host may be spared, and cut.
            if subtree.standing is Standing.CUT and subtree is not self.whole:
                return None
        if freed or not any(s.spent(self._budget) for s in around):
            return None
        at = next(n for n, subtree in enumerate(around) if subtree.spent(self._budget, NARROWER))
        cut, *wider = around[at:]
        cut.standing = Standing.CUT
        self._known[cut.name] = cut  # where much was cut, what is open may have been forgotten
        self.settled += 1
        for subtree in wider:  # which are spared what the cut one has run up
            spared = cut.debt - FEE * cut.budget(self._budget)
            subtree.debt = max(0.0, subtree.debt - spared)
        return cut

    def _around(self, names: Iterable[str]) -> list[Subtree]:
        """Return the subtrees of these names; they are kept from now on, as far as memory goes."""
        known = self._known
        around = [known.get(name) or known.setdefault(name, Subtree(name)) for name in names]
        if len(known) > MAX_SUBTREES:
            # The half of which least is known is forgotten; what was cut or released stays.
            by_weight = sorted(
                self._known.values(),
                key=lambda s: (s.standing is not Standing.OPEN, s.debt, s.fetched),
                reverse=True,
            )
            kept = max(MAX_SUBTREES // 2, self.settled)
            self._known = {subtree.name: subtree for subtree in by_weight[:kept]}
        return around

    def record(self) -> list[dict[str, Any]]:
        """Return, JSON-ready, what a later run must know; nothing where there is no such thing.

        That is what was cut, what was released, what is suspect, and what is good in cut places;
        and the hosts, beside the subtree of them all.
        """
        kept = [
            subtree
            for subtree in self._known.values()
            if subtree.standing is not Standing.OPEN
            or subtree.debt >= SUSPECT * subtree.budget(self._budget)
            or (self.settled and subtree.known_good(self._budget))
        ]
        whole = self.whole or Subtree(self._whole)
        records = [asdict(subtree) for subtree in kept if subtree is not whole]
        if kept and (len(self._hosts) > 1 or whole.standing is not Standing.OPEN):
            hosts = {
                "counts": [(host, *counts) for host, counts in self._hosts.items()],
                "spoken_for": dict(self._spoken_for),
                "debts": self._debts,
            }
            records.append(asdict(whole) | {"hosts": hosts})
        return records


def referring_host(task: FetchTask) -> str | None:
    """Return the host key of the page that led to a task, as far as there is one."""
    return urls.host_key(task.referrer) if task.referrer else None


def cut_records(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the records of what is cut by a rule's state, most pending URLs first."""
    records = (record for records in state.values() for record in records)
    cut = (record for record in records if record["standing"] == Standing.CUT)
    return sorted(cut, key=lambda record: (-record["pending"], record["name"]))


def released(state: Mapping[str, Any], prefix: str) -> tuple[dict[str, Any], list[str]]:
    """Return a state in which cut subtrees whose names begin with `prefix` are released, and which.

    `all` releases every one.
    """
    changed = {site: [dict(record) for record in records] for site, records in state.items()}
    chosen = [it for it in cut_records(changed) if prefix == "all" or it["name"].startswith(prefix)]
    for record in chosen:
        record["standing"] = Standing.RELEASED.value
    return changed, [record["name"] for record in chosen]
