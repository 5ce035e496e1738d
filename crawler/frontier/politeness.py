"""When each host may be asked, and how much at once: the crawl's manners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from crawler import urls
from crawler.frontier.addresses import AddressSlots
from crawler.frontier.due_heap import DueHeap
from crawler.frontier.host import Host
from crawler.frontier.host_queue import HostQueue
from crawler.frontier.pauses import OwedPauses, Pause
from crawler.frontier.turns import GivenUp
from crawler.records import FetchTask

if TYPE_CHECKING:
    from crawler.config import Job

ADDRESS_TTL_S = 300.0
"""How long a host is counted under one address before it is looked up again."""


class Politeness:
    """The hosts of a crawl by due time, the slots of their addresses, and what they are owed.

    A host has a place in the schedule only while something may be asked of it, and only one. Each
    step costs O(log hosts).
    """

    def __init__(self, job: Job) -> None:
        self._settings = job.politeness
        self._queue_limit = job.frontier.host_queue
        self._hosts: dict[str, Host] = {}
        self._schedule: DueHeap[Host] = DueHeap()
        self._addresses = AddressSlots(job.politeness.per_address)
        self._owed = OwedPauses(job.politeness.delay_s)

    def __len__(self) -> int:
        return len(self._hosts)

    def __getitem__(self, name: str) -> Host:
        return self._hosts[name]

    def __iter__(self) -> Iterator[Host]:
        return iter(self._hosts.values())

    # ----------------------------------------------------------------------------------------------
    # Hosts

    def host(self, name: str) -> Host:
        """Return a host, made known by this if need be."""
        return self._hosts.get(name) or self.add(name)

    def add(self, name: str, *, stored: int = 0, answered: bool = False) -> Host:
        """Make a host known, with the number of its URLs that are in the store only."""
        queue = HostQueue(self._queue_limit, stored=stored)
        due, delay_s = self._owed.of(name)
        host = self._hosts[name] = Host(name, queue, delay_s, due=due, answered=answered)
        return host

    def forget_idle(self, host: Host) -> None:
        """Forget a host without URLs: its pause has passed. One given up on is remembered."""
        if host.queue.idle and not host.in_flight and not host.given_up:
            del self._hosts[host.name]

    def delay_s(self, host: str) -> float:
        """Return the pause between two requests to this host, Crawl-delay included."""
        return self._hosts[host].delay_s

    # ----------------------------------------------------------------------------------------------
    # What outlives a run

    def resume(self, pauses: Mapping[str, Pause], now: float) -> None:
        """Begin with the pauses that an earlier run owed; call before hosts become known."""
        self._owed.take_over(pauses, now)

    def pauses(self, now: float) -> dict[str, Pause]:
        """Return what hosts are owed beyond the job's delay; a later run begins with it."""
        delay_s = self._settings.delay_s
        return self._owed.left(now) | {
            host.name: Pause(max(0.0, host.due - now), host.delay_s)
            for host in self._hosts.values()
            if host.delay_s > delay_s or host.due - now > delay_s
        }

    # ----------------------------------------------------------------------------------------------
    # Hosts that fail

    def strike(self, name: str, begun_at: float, now: float) -> int:
        """Count a failure that speaks against the host; return how many came in a row.

        A request that had begun before the last strike says nothing new: all that are under way
        when a server goes down fail together, and are one outage.
        """
        host = self._hosts[name]
        if begun_at >= host.struck_at:
            host.strikes += 1
            host.struck_at = now
        return host.strikes

    def clear_strikes(self, host: str) -> None:
        """The host has answered."""
        self._hosts[host].strikes = 0
        self._hosts[host].answered = True

    def has_answered(self, host: str) -> bool:
        """Whether the host ever answered in this crawl."""
        return self._hosts[host].answered

    def give_up(self, task: FetchTask, given_up: GivenUp) -> None:
        """Ask this task's origin no more; its URLs come out as Abandon. Call before `release`."""
        self._hosts[task.host].given_up[urls.origin(task.url)] = given_up

    def park(self, host: str) -> None:
        """Ask this host no more in this run; its URLs stay pending."""
        self._hosts[host].parked = True

    @property
    def parked(self) -> list[str]:
        """Hosts that stopped answering; their URLs stay pending."""
        return [host.name for host in self._hosts.values() if host.parked]

    # ----------------------------------------------------------------------------------------------
    # The schedule

    def place(self, host: Host) -> None:
        """Give a host its place, unless it has one or nothing may be asked of it now."""
        if not host.placed and not host.at_rest and host.in_flight < self._settings.per_host:
            host.placed = True
            self._schedule.push(host.due if host.dead_origin is None else 0.0, host)

    def pop_due(self, now: float) -> Host | None:
        """Take out the host that has been due longest; None if none is due yet."""
        while (host := self._schedule.pop_due(now)) is not None:
            host.placed = False
            if host.due <= now or host.dead_origin is not None:
                return host
            self.place(host)
        return None

    @property
    def next_due(self) -> float | None:
        """When the first host is due; None if no host has a place."""
        return self._schedule.next

    @property
    def placings(self) -> int:
        """How often a host was given a place."""
        return self._schedule.pushes

    # ----------------------------------------------------------------------------------------------
    # Addresses

    def resolved(self, name: str, address: str | None, now: float) -> None:
        """Note where a host is. One that does not resolve is counted under its own name.

        One that has moved leaves its turn at the old address to whoever waits there.
        """
        host = self._hosts[name]
        if host.address != (address or name):
            self.pass_on(host)
        host.address = address or name
        host.address_until = now + ADDRESS_TTL_S
        host.placed = False
        self.place(host)

    def occupy(self, host: Host) -> bool:
        """Begin a request; False where the address is full: the host waits there for its turn."""
        assert host.address is not None
        if not self._addresses.occupy(host.address, host.name):
            host.placed = True
            return False
        host.in_flight += 1
        return True

    def free(self, host: Host, now: float, pause_s: float) -> None:
        """End a request, and owe the host a pause."""
        host.in_flight -= 1
        assert host.address is not None
        self._addresses.vacate(host.address)
        self.pass_on(host)
        host.due = max(host.due, now + pause_s)
        self.place(host)

    def pass_on(self, host: Host) -> None:
        """Let the next host at this one's address have the turn that it does not use."""
        if host.address is None:
            return
        while (name := self._addresses.next_waiter(host.address)) is not None:
            if (waiter := self._hosts.get(name)) is not None:
                waiter.placed = False
                self.place(waiter)
                if waiter.placed:
                    return
