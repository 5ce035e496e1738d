"""The hosts of one registrable domain: what each brought, and who says that it is worth a look.

Below one registrable domain there may be many people's sites: not every host of blogs is on the
public suffix list. So a cut of `*.a.test` holds back the hosts that brought nothing. Those that
brought something go on, and those of which little is known have a few tries, together: a wildcard
has endlessly many of them. A host that is a seed, or that a page of another domain or a good host
leads to, does not share its tries with those that only their own kind leads to.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from enum import Enum
from typing import Any

from crawler.frontier.traps.novelty import Novelty
from crawler.frontier.traps.subtree import REWARD

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
