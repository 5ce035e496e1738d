"""One subtree's account: what its pages brought, and when that is an endless nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Self

from crawler.frontier.yields import Yield

REWARD = 3.0
"""How many fruitless pages a new one makes up for: at a share of new pages of 1 / (1 + REWARD), a
quarter, and above, debt does not grow."""
WINDOW = 100
"""Pages over which growth is averaged (exponentially)."""
BURST = 32
"""New URLs of one page that count; a table of contents is no sign of endlessness, and a month with
its days is."""
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
    """New URLs into this subtree that one of its pages brings, averaged over the last WINDOW."""
    streak: int = 0
    """Pages since there was no debt, and of them new ones."""
    streak_new: int = 0

    def learn(self, worth: Yield, *, duplicate: bool, inward: int, out: int, repeats: bool) -> None:
        """Count a page that brought `inward` new URLs into the subtree and `out` to elsewhere.

        A page that leads to something new outside is a listing, and neither for nor against it.
        Nothing counts as new at a path that repeats itself.
        """
        self.fetched += 1
        self.duplicates += duplicate
        self.repeating += repeats
        self.growth += (min(inward, BURST) - self.growth) / WINDOW
        self.streak += 1
        if worth is Yield.NEW and not repeats:
            self.new += 1
            self.streak_new += 1
            self.debt = max(0.0, self.debt - REWARD)
        elif worth is not Yield.COPY and not out:
            self.debt += 1
        if not self.debt:
            self.streak = self.streak_new = 0

    def spent(self, budget: float) -> bool:
        """Whether the subtree has used up its budget and would go on for ever.

        The budget shrinks, down to half, with the share of paths that repeat themselves.
        """
        if self.standing is not Standing.OPEN or self.growth < ENDLESS:
            return False
        return self.debt * (1 + self.repeating / self.fetched) >= budget

    def relieve(self, debt: float) -> None:
        """Take off what a narrower subtree, now cut, has run up."""
        self.debt = max(0.0, self.debt - debt)

    def known_good(self, budget: float) -> bool:
        """Whether this subtree is worth its fetches whatever was cut around it."""
        fruitful = self.new >= KNOWN_GOOD and (1 + REWARD) * self.new >= self.fetched
        return fruitful and self.debt < budget / 2

    def record(self) -> dict[str, Any]:
        """Return JSON-ready data that `of` reads."""
        return asdict(self)

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        """Return the subtree of a record; keys it does not know are passed over."""
        known = {field.name for field in fields(cls)} & record.keys()
        data = {name: record[name] for name in known}
        return cls(**data | {"standing": Standing(record["standing"])})
