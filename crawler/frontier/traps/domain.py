"""One registrable domain as the trap rule sees it: its subtrees, its hosts, who waits for a try."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Self

from crawler import urls
from crawler.frontier.traps.hosts import MAX_HOSTS, OUTSIDE, SEED, Hosts, Proof
from crawler.frontier.traps.novelty import Novelty
from crawler.frontier.traps.subtree import Standing, Subtree
from crawler.records import FetchTask

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
            self._thin()
        return around

    def _thin(self) -> None:
        """Forget the half of which least is known; what was cut or released stays."""
        by_weight = sorted(
            self.subtrees.values(),
            key=lambda s: (s.standing is not Standing.OPEN, s.debt, s.fetched),
            reverse=True,
        )
        kept = max(MAX_SUBTREES // 2, self.settled)
        self.subtrees = {subtree.name: subtree for subtree in by_weight[:kept]}

    def cut(self, subtree: Subtree) -> None:
        """Cut a subtree; where much was cut, what is open may have been forgotten at once."""
        subtree.standing = Standing.CUT
        self.subtrees[subtree.name] = subtree
        self.settled += 1

    # ----------------------------------------------------------------------------------------------
    # Its hosts, once all of it was cut

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

    def is_undecided(self, host: str) -> bool:
        """Whether little is known of a host key, and all was cut."""
        return self.is_cut and self.hosts.proof(urls.hostname(host)) is Proof.UNKNOWN

    def wait(self, host: str) -> None:
        """An undecided host key was held back."""
        if len(self._waiting) < MAX_HOSTS:
            self._waiting[host] = None

    def take_freed(self, budget: float) -> list[str]:
        """Return, once, waiting host keys that somebody speaks for and that may be asked now."""
        return self._take(self.hosts.is_spoken_for, budget)

    def take_triable(self, budget: float) -> list[str]:
        """Return, once, waiting host keys that may be asked now, whoever leads to them."""
        return self._take(lambda site: True, budget)

    def _take(self, wanted: Callable[[str], bool], budget: float) -> list[str]:
        sites = ((host, urls.hostname(host)) for host in self._waiting)
        able = (h for h, site in sites if wanted(site) and self.hosts.may_try(site, budget))
        taken = list(islice(able, FREED_AT_ONCE))
        for host in taken:
            del self._waiting[host]
        return taken

    # ----------------------------------------------------------------------------------------------
    # Across runs

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
        for record in map(_without_port, records):
            subtree = Subtree.of(record)
            there = known.subtrees.setdefault(subtree.name, subtree)
            if _PRECEDENCE.index(subtree.standing) > _PRECEDENCE.index(there.standing):
                known.subtrees[subtree.name] = subtree
            if "hosts" in record:
                known.hosts = Hosts(record["hosts"])
        known.settled = sum(s.standing is not Standing.OPEN for s in known.subtrees.values())
        return known


def _without_port(record: Mapping[str, Any]) -> dict[str, Any]:
    host, slash, path = record["name"].partition("/")
    return {**record, "name": f"{urls.hostname(host)}{slash}{path}"}
