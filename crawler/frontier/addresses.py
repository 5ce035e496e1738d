"""Requests at once to one IP address, whatever host names lead to it."""

from __future__ import annotations

from collections import deque


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
