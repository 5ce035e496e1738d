"""Pages that were fetched and wait to be read, by registrable domain, and whom they hold back.

By domain, since an attacker has as many hosts of one as he likes (`crawler.urls`).
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from crawler.frontier.host import Host
from crawler.urls import registrable_domain

if TYPE_CHECKING:
    from crawler.config import Fetch

ROOM_BYTES = 256_000_000
"""What the bodies of pages that wait to be read may take together, beside those that hold a place:
a quarter of what pages aside may take while they come."""

PAGES_PER_WORKER = 4
"""How many pages there is room for, whatever their size: as many as stand aside for servers."""


class Unread:
    """The room for unread pages. A domain that fills it is held back, and nobody else.

    A domain is held back while its unread pages, with its requests under way, take as much as is
    left of the room: one greedy domain gets half of it, n of them get 1/(n+1) each, and as much is
    left for whoever comes (dynamic thresholds: Choudhury, Hahne, "Dynamic queue length thresholds
    for shared-memory packet switches", IEEE/ACM Transactions on Networking 6, 1998). A domain
    without unread pages is never held back.
    """

    def __init__(self, limits: Fetch) -> None:
        self._least_bytes = ROOM_BYTES // (PAGES_PER_WORKER * limits.workers)
        self._left_bytes = ROOM_BYTES
        self._unread: Counter[str] = Counter()
        self._requests: Counter[str] = Counter()
        self._held: dict[str, deque[Host]] = {}

    def __repr__(self) -> str:
        held = sum(map(len, self._held.values()))
        return f"<Unread {dict(self._unread)}, {self._left_bytes} bytes left, {held} hosts held>"

    def begin(self, host: str) -> None:
        """A request to a host begins."""
        self._requests[registrable_domain(host)] += 1

    def end(self, host: str) -> None:
        """A request has ended."""
        self._subtract(self._requests, registrable_domain(host), 1)

    def put(self, host: str, size: int) -> bool:
        """Take a page of so many bytes in; return whether there was room for it."""
        taken = max(size, self._least_bytes)
        self._unread[registrable_domain(host)] += taken
        self._left_bytes -= taken
        return self._left_bytes >= 0

    def take(self, host: str, size: int) -> None:
        """A page that was put in has been read."""
        taken = max(size, self._least_bytes)
        self._subtract(self._unread, registrable_domain(host), taken)
        self._left_bytes += taken

    def holds(self, domain: str) -> bool:
        """Whether nothing more is to be fetched of a domain now."""
        unread = self._unread.get(domain, 0)
        coming = self._requests.get(domain, 0) * self._least_bytes
        return unread > 0 and unread + coming >= self._left_bytes

    def hold(self, host: Host) -> bool:
        """Keep a host until `released` gives it back; False where nothing holds it back."""
        domain = registrable_domain(host.name)
        if not self.holds(domain):
            return False
        self._held.setdefault(domain, deque()).append(host)
        return True

    @property
    def holding(self) -> bool:
        """Whether a host is kept."""
        return bool(self._held)

    @property
    def free_again(self) -> list[str]:
        """The domains that have hosts here and are not held back any more."""
        return [domain for domain in self._held if not self.holds(domain)]

    def released(self, domain: str) -> Host | None:
        """Give back the host of a domain that was kept longest, if nothing holds it back now."""
        hosts = self._held.get(domain)
        if not hosts or self.holds(domain):
            return None
        host = hosts.popleft()
        if not hosts:
            del self._held[domain]
        return host

    @staticmethod
    def _subtract(counts: Counter[str], domain: str, number: int) -> None:
        counts[domain] -= number
        if not counts[domain]:
            del counts[domain]
