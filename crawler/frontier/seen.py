"""The seen set: every URL ever accepted, as 127-bit keyed digests in compact tables.

Exact but for a collision of keyed BLAKE2b (RFC 7693) digests: with a secret key nobody can craft a
URL that hides another, and by chance 10^9 URLs collide with probability below 10^-20.
"""

from __future__ import annotations

import secrets
from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from struct import Struct

_SHARDS = 1024
"""Tables grow one at a time, so that no growth stalls the event loop: at 10^7 URLs a shard of
10^4 entries is moved, not one table of 10^7."""

_HALVES = Struct("<QQ")
_COUNT = Struct("<Q")


class SeenSet:
    """A set of URLs that can be added to and asked for its size; some 30 bytes a URL."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self._keyed = blake2b(digest_size=16, key=self._key)
        self._shards = [_Shard() for _ in range(_SHARDS)]
        self._size = 0

    def add(self, url: str) -> bool:
        """Add a URL; True if it was not there. Test and insert are this one call."""
        low, high = self._words_of(url)
        if self._shards[low % _SHARDS].add(low, high | 1):
            self._size += 1
            return True
        return False

    def __contains__(self, url: str) -> bool:
        low, high = self._words_of(url)
        return self._shards[low % _SHARDS].has(low, high | 1)

    def __len__(self) -> int:
        return self._size

    def parts(self) -> Iterator[bytes]:
        """Yield what `restore` makes this set of again, its secret key first.

        Where URLs are added between two parts, it is not said which of those are in them; all that
        were there at the first part are.
        """
        yield self._key
        for shard in self._shards:
            yield shard.packed()

    @classmethod
    def restore(cls, parts: Iterable[bytes]) -> SeenSet:
        """Undo `parts`. Raises ValueError for others; takes as long as reading them."""
        key, *packed = parts
        if len(packed) != _SHARDS:
            raise ValueError(f"{len(packed)} tables of seen URLs where {_SHARDS} belong")
        restored = cls(key)
        for shard, data in zip(restored._shards, packed, strict=True):
            restored._size += shard.unpack(data)
        return restored

    def _words_of(self, url: str) -> tuple[int, int]:
        hasher = self._keyed.copy()  # begun with its key: that takes longer than to copy it
        hasher.update(url.encode())
        low, high = _HALVES.unpack(hasher.digest())
        return low, high


class _Shard:
    """Open addressing with linear probing; a slot is two 64-bit words, the second never 0."""

    __slots__ = ("_mask", "_room", "_words")

    def __init__(self) -> None:
        self._resize(8)

    def add(self, low: int, high: int) -> bool:
        if not self._room:
            self._grow()
        slot = self._slot(low, high)
        if self._words[slot + 1]:
            return False
        self._words[slot] = low
        self._words[slot + 1] = high
        self._room -= 1
        return True

    def has(self, low: int, high: int) -> bool:
        return bool(self._words[self._slot(low, high) + 1])

    def packed(self) -> bytes:
        return _COUNT.pack(len(self._words) // 2 * 3 // 4 - self._room) + self._words.tobytes()

    def unpack(self, data: bytes) -> int:
        """Take over what was packed; return how many keys that are. ValueError for others."""
        used: int = _COUNT.unpack_from(data)[0]
        words = array("Q", data[_COUNT.size :])
        slots = len(words) // 2
        room = slots * 3 // 4 - used
        if len(words) % 2 or slots < 8 or slots & slots - 1 or room < 0:
            raise ValueError("a table of seen URLs has a wrong length")
        self._words, self._mask, self._room = words, slots - 1, room
        return used

    def _slot(self, low: int, high: int) -> int:
        """Index of the first word of the key's slot, or of the free slot where it belongs."""
        words, mask = self._words, self._mask
        slot = high >> 1 & mask  # bit 0 of `high` is always set, and `low` has chosen the shard
        while (there := words[2 * slot + 1]) and (there != high or words[2 * slot] != low):
            slot = slot + 1 & mask
        return 2 * slot

    def _grow(self) -> None:
        old = self._words
        self._resize(len(old))
        for at in range(0, len(old), 2):
            if old[at + 1]:
                self.add(old[at], old[at + 1])

    def _resize(self, slots: int) -> None:
        self._words = array("Q", bytes(16 * slots))
        self._mask = slots - 1
        self._room = slots * 3 // 4
