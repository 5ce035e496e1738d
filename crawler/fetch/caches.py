"""Caches bounded in bytes, and one request for all who ask for the same thing at the same time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

# ---------------------------------------------------------------- bounded
# A cache whose bound is bytes and not entries: what others send decides how large one is.


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


# ---------------------------------------------------------------- flight
# One request for all who ask for the same thing at the same time.


Key = TypeVar("Key")


class SingleFlight(Generic[Key, V]):
    """Runs one task a key; later callers wait for the running one.

    The work must return its failures as values. Cancelling a caller leaves the work running for
    the others; `close` cancels and awaits what is left.
    """

    def __init__(self) -> None:
        self._tasks: dict[Key, asyncio.Task[V]] = {}

    async def run(self, key: Key, work: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """Return the result of `work()`, or of the call already under way for `key`."""
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.create_task(work())
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key, None))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Cancel and await everything under way."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
