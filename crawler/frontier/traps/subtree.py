"""One subtree's account: what its pages brought, and when that is an endless nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Self

from crawler.frontier.traps.novelty import Novelty

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
        self._go_on(fruitful, min(inward, BURST))

    def _go_on(self, fruitful: bool, found: int) -> None:
        """Count a page of the streak, which ends where there is no debt."""
        if not self.debt:
            self.growth, self.streak, self.streak_new, self.streak_found = 0.0, 0, 0, 0
            return
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

    def relieve(self, debt: float) -> None:
        """Take off what a narrower subtree, now cut, has run up."""
        self.debt = max(0.0, self.debt - debt)

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
