"""Slots of IP addresses, shared out among the partitions that have hosts there.

A partition tells again and again what it wants and holds, and is told what it may use from then on.
What it was told is lost or comes late, but it hears one answer at a time: with its next word, no
earlier answer can reach it any more. So what it may have in flight is known at any time: what it
has said that it holds, or what it was told since, whichever is more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

TURN_S = 5.0
"""How long a partition has a slot that there are not enough of for all: a few times what it takes
until the next one hears of it."""


@dataclass(slots=True)
class _Share:
    """What one partition has of an address."""

    most: int = 0
    """Slots that it may be using."""
    turn_since: float | None = None
    """Since when it has had one more than those whose turn it is not."""


class AddressLeases:
    """Shares out `limit` requests at once to each address. A `now` is the keeper's monotonic clock.

    Whoever alone wants an address has all of it, several have equal shares; where slots are left
    over, or fewer than partitions, these take turns of TURN_S. Nothing is taken away: who is told
    less asks no more until it has less in flight, and only then others are told more.

    Guarantees: what all partitions together may have in flight at an address is never more than
    `limit`, whatever words and answers are lost, and whoever is killed. A partition that is not
    heard of for `lease_s` has lost its slots; it must begin nothing from then on, which is as long
    after it sent its last word that was answered. What it has in flight by then is not counted.
    """

    def __init__(
        self, limit: int, lease_s: float, unheard: Iterable[int], now: float, number: int = 1
    ) -> None:
        """`unheard` are the partitions that may hold slots of an earlier keeper.

        Each keeper has another `number` than those before it.
        """
        self._number = number
        self._limit = limit
        self._lease_s = lease_s
        self._unheard = set(unheard)
        self._settled_at = now + lease_s
        self._words: dict[int, tuple[int, int]] = {}
        """Partition -> its last word."""
        self._until: dict[int, float] = {}
        self._wanted: dict[int, set[str]] = {}
        self._shares: dict[str, dict[int, _Share]] = {}
        """Address -> partitions that want it: first those whose turn it is, and will be next."""

    def tell(
        self,
        partition: int,
        word: tuple[int, int],
        held: Mapping[str, int],
        now: float,
        answered_by: int = 0,
    ) -> dict[str, int]:
        """Hear which addresses a partition wants; return how many slots of each it may use.

        `held` has how many of each it may use or has in flight, whichever is more; any other that
        it had it gives back. `word` is its epoch and a number that grows: an earlier word than the
        last one, which was on its way for longer, says nothing. `answered_by` is the number of the
        keeper whose answer it had last: if that is another one, the word may be older than what
        that keeper has told it.
        """
        if word <= self._words.get(partition, (0, 0)):
            return {}
        self._words[partition] = word
        for other in [other for other, until in self._until.items() if until <= now]:
            self.leave(other)
        self._until[partition] = now + self._lease_s
        if answered_by == self._number:
            self._unheard.discard(partition)
        for address in self._wanted.get(partition, set()) - held.keys():
            self._give_back(partition, address)
        self._wanted[partition] = set(held)
        return {address: self._share(partition, address, n, now) for address, n in held.items()}

    def leave(self, partition: int) -> None:
        """A partition has nothing in flight any more, or is taken for lost."""
        self._unheard.discard(partition)
        self._until.pop(partition, None)
        for address in self._wanted.pop(partition, ()):
            self._give_back(partition, address)

    def _give_back(self, partition: int, address: str) -> None:
        shares = self._shares[address]
        del shares[partition]
        if not shares:
            del self._shares[address]

    def _share(self, partition: int, address: str, held: int, now: float) -> int:
        shares = self._shares.setdefault(address, {})
        own = shares.setdefault(partition, _Share())
        each, left_over = divmod(self._limit, len(shares))
        for other in list(islice(shares, left_over)):
            since = shares[other].turn_since
            if since is not None and now - since >= TURN_S:
                shares[other] = shares.pop(other)  # the last in line
                shares[other].turn_since = None
        has_turn = partition in islice(shares, left_over)
        due = each + has_turn
        free = self._limit - sum(share.most for share in shares.values() if share is not own)
        if self._unheard and now < self._settled_at:
            free = min(free, held)
        may = max(0, min(due, free))
        if not has_turn:
            own.turn_since = None
        elif may == due and own.turn_since is None:
            own.turn_since = now
        own.most = max(held, may)
        return may
