"""Things in the order in which they are due."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Generic, TypeVar

_Item = TypeVar("_Item")


class DueHeap(Generic[_Item]):
    """A heap by time; what is due at one time comes out as it came in. O(log n) each way."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, _Item]] = []
        self.pushes = 0
        """How often something was pushed: the work done, and what keeps the order of equals."""

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, at: float, item: _Item) -> None:
        """Add an item that is due at a time."""
        self.pushes += 1
        heappush(self._heap, (at, self.pushes, item))

    def pop_due(self, now: float) -> _Item | None:
        """Take out what has been due longest; None if nothing is due yet."""
        if not self._heap or self._heap[0][0] > now:
            return None
        return heappop(self._heap)[2]

    @property
    def next(self) -> float | None:
        """When the first item is due; None if there is none."""
        return self._heap[0][0] if self._heap else None
