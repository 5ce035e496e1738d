"""Records that hold no page: counted, and told where they stand for something that is lost."""

from __future__ import annotations

from collections import Counter

from crawler.archives.records import Damage, Record
from crawler.printing import Say, safe

MOST_TOLD = 20
"""Lines of each kind."""

DAMAGED, LOST = "damaged", "revisit without its original"


class Passed(Counter[str]):
    """How many records were passed over, by type or what is wrong with them."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say

    def damaged(self, damage: Damage) -> None:
        """Count and tell what cannot be read."""
        self._tell(DAMAGED, damage, f"damaged: {damage.detail}; reading on behind it")

    def lost(self, revisit: Record) -> None:
        """Count and tell a page that is not there."""
        self._tell(LOST, revisit, f"{revisit.url}: no record before has the body of this revisit")

    def _tell(self, what: str, item: Damage | Record, why: str) -> None:
        self[what] += 1
        if self[what] <= MOST_TOLD:
            self._say(safe(f"{item.file.path}, offset {item.offset}: {why}"))
