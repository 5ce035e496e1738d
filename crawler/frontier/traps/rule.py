"""The trap rule: a subtree that would go on for ever and brings nothing new is cut.

`docs/traps.md` states the rule in one formula, with reasons, figures and limits. Cut URLs are held
back: accepted, stored, pending, never fetched, until they are released or the rule is turned off.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.frontier.traps.domain import Domain
from crawler.frontier.traps.naming import repeats, subtrees
from crawler.frontier.traps.novelty import NoveltyCounter
from crawler.frontier.traps.subtree import Standing, Subtree
from crawler.records import Batch, FetchTask

if TYPE_CHECKING:
    from crawler.config import Traps

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
        if known is not None and known.is_undecided(task.host):
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
        return [host for known in domains for host in known.take_freed(self._settings.budget)]

    def take_triable(self) -> list[str]:
        """Return, once, host keys that had to wait and have tries left, whoever leads to them."""
        base = self._settings.budget
        return [host for known in self._domains.values() for host in known.take_triable(base)]

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

    def learn(self, task: FetchTask, batch: Batch, look: bytes = b"") -> Subtree | None:
        """Count the end of a task; return the subtree that is cut by it, if one is.

        `look` is that of a stored page. What lies in a released subtree speaks against no other:
        it is fetched because somebody asked for it.
        """
        if not self._settings.enabled:
            return None
        domain, again = urls.registrable_domain(task.host), repeats(task.url)
        novelty = self._novelty.of(batch, domain, look)
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
            for new in batch.new_urls
            if urls.registrable_domain(new.host) == domain  # no subtree of this page has others
            for name in subtrees(new.url, urls.hostname(new.host))
        )
        brought = len(batch.new_urls)
        for subtree in freed or around:
            subtree.learn(
                novelty,
                duplicate=batch.duplicate_of is not None,
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
            self._forget_one()
        return known

    def _forget_one(self) -> None:
        for name, domain in self._domains.items():
            if not domain.settled:
                del self._domains[name]
                return

    def _cut(self, known: Domain, around: list[Subtree]) -> Subtree | None:
        base = self._settings.budget
        if not any(subtree.spent(base) for subtree in around):
            return None
        at = next(n for n, subtree in enumerate(around) if subtree.spent(base, NARROWER))
        cut = around[at]
        known.cut(cut)
        for wider in around[at + 1 :]:
            wider.relieve(cut.debt - FEE * cut.budget(base))
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
