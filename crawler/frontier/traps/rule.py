"""The trap rule: a subtree that would go on for ever and brings nothing new is cut.

`docs/traps.md` states the rule in one formula, with reasons, figures and limits. Cut URLs are held
back: accepted, stored, pending, never fetched, until they are released or the rule is turned off.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.frontier.traps.naming import repeats, subtrees
from crawler.frontier.traps.novelty import NoveltyCounter
from crawler.frontier.traps.subtree import Standing, Subtree
from crawler.records import Batch, FetchTask

if TYPE_CHECKING:
    from crawler.config import Traps

MAX_SUBTREES = 256
"""Subtrees of one registrable domain that are kept account of."""
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


@dataclass(slots=True)
class _Domain:
    subtrees: dict[str, Subtree] = field(default_factory=dict)
    settled: int = 0
    """How many of them were cut or released."""


class TrapRule:
    """Learns from every end what its subtrees bring, and holds back what is endless.

    An end costs O(new URLs it brought), a question O(1); memory is bounded by MAX_DOMAINS and
    MAX_SUBTREES.
    """

    def __init__(self, settings: Traps, state: Mapping[str, Any] | None = None) -> None:
        """Begin afresh, or with what `state` returned in an earlier run."""
        self._settings = settings
        self._novelty = NoveltyCounter(settings.copies)
        self._domains: OrderedDict[str, _Domain] = OrderedDict()
        for domain, records in (state or {}).items():
            known = self._domains[domain] = _Domain()
            known.subtrees = {record["name"]: Subtree.of(record) for record in records}
            known.settled = sum(s.standing is not Standing.OPEN for s in known.subtrees.values())

    def holder(self, url: str, host: str) -> Subtree | None:
        """Return the cut subtree that holds a URL back; None if it may be fetched.

        The narrowest subtree of which enough is known decides.
        """
        known = self._domains.get(urls.registrable_domain(host))
        if known is None or not known.settled or not self._settings.enabled:
            return None
        for name in subtrees(url, host):
            subtree = known.subtrees.get(name)
            if subtree is None:
                continue
            if subtree.standing is Standing.CUT:
                return subtree
            if subtree.standing is Standing.RELEASED:
                return None
            if subtree.known_good(self._settings.budget):
                return None
        return None

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
            name: [s.record() for s in domain.subtrees.values() if self._is_kept(s, domain)]
            for name, domain in self._domains.items()
        }
        return {name: records for name, records in kept.items() if records}

    def _is_kept(self, subtree: Subtree, domain: _Domain) -> bool:
        base = self._settings.budget
        if subtree.standing is not Standing.OPEN or subtree.debt >= SUSPECT * subtree.budget(base):
            return True
        return bool(domain.settled) and subtree.known_good(base)

    def learn(self, task: FetchTask, batch: Batch, text: str | None = None) -> Subtree | None:
        """Count the end of a task; return the subtree that is cut by it, if one is.

        `text` is the judged text of a stored page. What lies in a released subtree speaks against
        no other: it is fetched because somebody asked for it.
        """
        if not self._settings.enabled:
            return None
        domain = urls.registrable_domain(task.host)
        novelty = self._novelty.of(batch, domain, text)
        if novelty is None:
            return None
        known, around = self._around(domain, task)
        freed = [s for s in around if s.standing is Standing.RELEASED]
        inward = Counter(name for new in batch.new_urls for name in subtrees(new.url, new.host))
        brought, again = len(batch.new_urls), repeats(task.url)
        for subtree in freed or around:
            subtree.learn(
                novelty,
                duplicate=batch.duplicate_of is not None,
                inward=inward[subtree.name],
                out=brought - inward[subtree.name],
                repeats=again,
            )
            if subtree.standing is Standing.CUT:  # what was under way: its wider ones are settled
                return None
        return None if freed else self._cut(known, around)

    def _around(self, domain: str, task: FetchTask) -> tuple[_Domain, list[Subtree]]:
        """Return a task's domain and the subtrees that it lies in, narrowest first.

        They are kept from now on, as far as memory goes.
        """
        known = self._domains.setdefault(domain, _Domain())
        self._domains.move_to_end(domain)
        names = subtrees(task.url, task.host)
        around = [known.subtrees.get(name) or Subtree(name) for name in names]
        known.subtrees |= {subtree.name: subtree for subtree in around}
        if len(known.subtrees) > MAX_SUBTREES:
            self._thin(known)
        if len(self._domains) > MAX_DOMAINS:
            self._forget_one()
        return known, around

    def _thin(self, domain: _Domain) -> None:
        """Forget the half of which least is known; what was cut or released stays."""
        by_weight = sorted(
            domain.subtrees.values(),
            key=lambda s: (s.standing is not Standing.OPEN, s.debt, s.fetched),
            reverse=True,
        )
        kept = max(MAX_SUBTREES // 2, domain.settled)
        domain.subtrees = {subtree.name: subtree for subtree in by_weight[:kept]}

    def _forget_one(self) -> None:
        for name, domain in self._domains.items():
            if not domain.settled:
                del self._domains[name]
                return

    def _cut(self, known: _Domain, around: list[Subtree]) -> Subtree | None:
        base = self._settings.budget
        if not any(subtree.spent(base) for subtree in around):
            return None
        at = next(n for n, subtree in enumerate(around) if subtree.spent(base, NARROWER))
        cut = around[at]
        cut.standing = Standing.CUT
        known.subtrees[cut.name] = cut  # where much was cut, what is open may be forgotten at once
        known.settled += 1
        for wider in around[at + 1 :]:
            wider.relieve(cut.debt - FEE * cut.budget(base))
        return cut


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
