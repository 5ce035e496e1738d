"""Who is next: things in the order in which they are due, hosts in line at one IP address."""

from __future__ import annotations

from collections import deque
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
    def first(self) -> _Item | None:
        """What is due first; None if there is nothing."""
        return self._heap[0][2] if self._heap else None

    @property
    def next(self) -> float | None:
        """When the first item is due; None if there is none."""
        return self._heap[0][0] if self._heap else None


class AddressSlots:
    """Counts requests per address and keeps, in order, the hosts that wait for one to end.

    `limit` is the number at once. An address without requests or waiters takes no memory.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_flight: dict[str, int] = {}
        self._waiting: dict[str, deque[str]] = {}

    def occupy(self, address: str, host: str) -> bool:
        """Take a slot for this host; False if there is none, then the host waits its turn."""
        in_flight = self._in_flight.get(address, 0)
        if in_flight < self._limit:
            self._in_flight[address] = in_flight + 1
            return True
        self._waiting.setdefault(address, deque()).append(host)
        return False

    def vacate(self, address: str) -> None:
        """Give a slot back."""
        left = self._in_flight[address] - 1
        if left:
            self._in_flight[address] = left
        else:
            del self._in_flight[address]

    def next_waiter(self, address: str) -> str | None:
        """Return the host that waited longest, if a slot is free for it; it waits no more."""
        waiting = self._waiting.get(address)
        if not waiting or self._in_flight.get(address, 0) >= self._limit:
            return None
        host = waiting.popleft()
        if not waiting:
            del self._waiting[address]
        return host
