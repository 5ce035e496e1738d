"""Everything that is put aside at the moment, by when it is tried again."""

from __future__ import annotations

from itertools import islice

from crawler.frontier.holds import Hold
from crawler.frontier.host import Host
from crawler.frontier.schedule import DueHeap


class Aside:
    """The hosts of which something is put aside or being tried. A step costs O(log holds)."""

    def __init__(self) -> None:
        self._hosts: dict[str, Host] = {}
        """Those, and some that are well again."""
        self._due: DueHeap[tuple[Host, Hold]] = DueHeap()
        """By when it is tried; also what has come back since."""

    def put(self, host: Host, hold: Hold) -> None:
        """Have something that was put aside tried when its time comes."""
        self._hosts[host.name] = host
        self._due.push(hold.until, (host, hold))

    def put_off(self, host: Host, hold: Hold, at: float) -> None:
        """Have it tried at another time, since its host is not ready."""
        self._due.push(at, (host, hold))

    @property
    def next(self) -> float | None:
        """When the first may be due; None if nothing is put aside."""
        return self._due.next

    def pop_due(self, now: float) -> tuple[Host, Hold] | None:
        """Take out what is to be tried now, the longest due first; None if there is nothing."""
        while (due := self._due.pop_due(now)) is not None:
            host, hold = due
            if not hold.open and hold.until <= now and hold in (host.hold, *host.holds.values()):
                return due
            # Else it was put aside again, or has come back.
        return None

    def some(self, most: int) -> list[Host]:
        """Return hosts that were put aside, some of them well again, at most so many."""
        return list(islice(self._hosts.values(), most))

    @property
    def parked(self) -> list[str]:
        """Hosts that are put aside; their URLs stay pending."""
        return [host.name for host in self._hosts.values() if host.parked]

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """What is put aside, and why: hosts, origins, parts of hosts."""
        found = []
        for host in self._hosts.values():
            known = {host.name: host.hold} | host.holds
            found += [(name, hold.why) for name, hold in known.items() if hold and not hold.open]
        return found

    @property
    def holds(self) -> list[tuple[Host, Hold]]:
        """What is put aside or being tried: hosts, and parts of those that go on or are tried."""
        self._hosts = {name: host for name, host in self._hosts.items() if host.is_held}
        found = []
        for host in self._hosts.values():
            if host.hold is not None:
                found.append((host, host.hold))
            if host.hold is None or host.hold.open:
                found += [(host, hold) for hold in host.holds.values()]
        return found
