"""A cache whose bound is bytes and not entries: what others send decides how large one is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Holds what was used last, as much as fits into `limit` bytes; `size` tells a value's.

    A single value may be larger than the limit: then nothing is held beside it.
    """

    def __init__(self, limit: int, size: Callable[[V], int]) -> None:
        self._limit = limit
        self._size = size
        self._held: OrderedDict[K, V] = OrderedDict()
        self.bytes = 0
        """What is held together."""

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: K) -> V | None:
        """Return what is held, which counts as use."""
        if key not in self._held:
            return None
        self._held.move_to_end(key)
        return self._held[key]

    def put(self, key: K, value: V) -> None:
        """Hold a value, in place of an older one, and let go of those that were not used lately."""
        self.discard(key)
        self._held[key] = value
        self.bytes += self._size(value)
        while self.bytes > self._limit and len(self._held) > 1:
            self.discard(next(iter(self._held)))

    def discard(self, key: K) -> None:
        """Let go of a value, if it is held."""
        if (value := self._held.pop(key, None)) is not None:
            self.bytes -= self._size(value)
