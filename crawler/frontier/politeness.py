"""When each host may be asked, and how much at once: the crawl's manners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from crawler import urls
from crawler.frontier.aside import Aside
from crawler.frontier.blocks import HostBlocks, Quotas
from crawler.frontier.holds import Health, Hold
from crawler.frontier.host import Host, Place
from crawler.frontier.host_queue import HostQueue, Room
from crawler.frontier.owed import OwedPauses, Pause
from crawler.frontier.schedule import AddressSlots, DueHeap
from crawler.frontier.unread import Unread

if TYPE_CHECKING:
    from crawler.config import Job

ADDRESS_TTL_S = 300.0
"""How long a host is counted under one address before it is looked up again."""
UNRESOLVED_S = 5.0
"""The same for one whose address could not be looked up: it may be one with others."""


class Politeness:
    """The hosts of a crawl by due time, the slots of their addresses, and what they are owed.

    A host has a place in the schedule only while something may be asked of it, and only one. Each
    step costs O(log hosts).
    """

    def __init__(self, job: Job, blocks: HostBlocks, quotas: Quotas) -> None:
        self._quotas = quotas
        self.manners = blocks.manners
        """How a host is to be asked, by its key."""
        self._queue_limit = job.frontier.host_queue
        self.room = Room(job.frontier.total_queue)
        """For the tasks of all queues in memory."""
        self._hosts: dict[str, Host] = {}
        self._schedule: DueHeap[Host] = DueHeap()
        self._strangers: DueHeap[Host] = DueHeap()
        self._idle: DueHeap[Host] = DueHeap()
        """Hosts that nothing is to be asked of, until their pause has passed; and some others."""
        self._addresses = AddressSlots(job.politeness.per_address)
        self._unread = Unread(job.fetch)
        self._now = 0.0
        """When somebody was asked for last who is due."""
        self._owed = OwedPauses(lambda name: blocks.manners(name).delay_s)
        self._stirred: set[str] = set()
        """Hosts of which a pause may be another than when pauses were told last."""
        self._answered: set[str] = set()
        self._kept: dict[str, Health] = {}
        self._noted: dict[str, Health] = {}
        self.aside = Aside()
        self.halted: dict[str, Host] = {}
        """Hosts of which nothing is asked in this run (`Host.halted`), by name."""

    def __len__(self) -> int:
        return len(self._hosts)

    def get(self, name: str) -> Host | None:
        """Return a host, None where it is not known."""
        return self._hosts.get(name)

    def longest_known(self, most: int) -> list[Host]:
        """Return hosts in the order in which they became known, at most so many."""
        return list(islice(self._hosts.values(), most))

    def __getitem__(self, name: str) -> Host:
        return self._hosts[name]

    def host(self, name: str) -> Host:
        """Return a host, made known by this if need be."""
        return self._hosts.get(name) or self.add(name)

    def add(self, name: str, *, stored: int = 0) -> Host:
        """Make a host known, with the number of its URLs that are in the store only."""
        due, delay_s = self._owed.of(name)
        queue = HostQueue(self._queue_limit, stored=stored, room=self.room)
        answered = name in self._answered
        host = Host(name, queue, due=due, delay_s=delay_s, answered=answered)
        if slow_s := self._owed.slow_s(name):
            host.pace.slow_down(slow_s)
        if self._kept:
            self._recall(host)
        self._hosts[name] = host
        return host

    def _recall(self, host: Host) -> None:
        """Take up what an earlier run had put aside: it is tried, without further patience.

        Unless it still has to be left alone because its server asked for that.
        """
        since = self._owed.since
        if health := self._kept.pop(host.name, None):
            host.hold = Hold.of(health, since, host.due - since)
            self.aside.put(host, host.hold)
        for origin in (f"{scheme}://{host.name}" for scheme in ("http", "https")):
            if health := self._kept.pop(origin, None):
                host.holds[origin] = Hold.of(health, since, host.due - since)
                self.aside.put(host, host.holds[origin])

    def halt(self, name: str) -> bool:
        """Ask nothing more of a host until `release`; return whether it is known.

        What is under way ends. Its other URLs stay pending, in this run and for later ones.
        """
        host = self._hosts.get(name)
        if host is None:
            return False
        host.halted = True
        self.halted[name] = host
        return True

    def release(self, name: str) -> bool:
        """Take up a halted host again; return whether it was one."""
        host = self.halted.pop(name, None)
        if host is None:
            return False
        host.halted = False
        self.place(host)
        return True

    def has_answered(self, name: str) -> None:
        """Remember that a host has answered, also when it is forgotten."""
        self._answered.add(name)

    def note(self, host: Host, now: float) -> None:
        """Remember how a host is, where that has changed."""
        if host.answered and host.name not in self._answered:
            self._answered.add(host.name)
            self._noted[host.name] = Health(answered=True)
        if host.hold is not None or host.healed:
            health = host.hold.health(now, answered=host.answered) if host.hold else None
            self._noted[host.name] = health or Health(host.answered)
        for name in host.origins:
            if (hold := host.holds.get(name)) is not None:
                self._noted[name] = hold.health(now, answered=False)
            elif host.healed:
                self._noted[name] = Health(answered=False)

    def take_noted(self) -> dict[str, Health]:
        """Return what has changed since this was called last: host key or origin -> its health."""
        noted, self._noted = self._noted, {}
        return noted

    def forget_idle(self, host: Host) -> None:
        """Forget a host without URLs: its pause has passed. One that fails is remembered."""
        if host.forgettable and host.place is Place.OUT and self._hosts.get(host.name) is host:
            del self._hosts[host.name]
            self._stirred.add(host.name)

    def resume(
        self, pauses: Mapping[str, Pause], now: float, health: Mapping[str, Health] | None = None
    ) -> None:
        """Begin with what an earlier run owed and knew; call before hosts become known."""
        self._owed.take_over(pauses, now)
        for name, known in (health or {}).items():
            if known.answered:
                self._answered.add(name)
            if known.tries:
                self._kept[name] = known

    def take_pauses(self, now: float) -> Iterator[tuple[str, Pause | None]]:
        """Yield, once, each host to which something happened since this was called last.

        With what it is owed beyond the job's delay, None for nothing: a later run begins with it.
        Those that were not taken, as one stopped half way, are told the next time.
        """
        for _ in range(len(self._stirred)):
            name = self._stirred.pop()
            host, delay_s = self._hosts.get(name), self.manners(name).delay_s
            if host is None or not (host.delay_s > delay_s or host.due - now > delay_s):
                yield name, None
            else:
                left_s = max(0.0, host.due - now)
                yield name, Pause(left_s, host.pace.base_s, host.pace.slow_s)

    def place(self, host: Host) -> None:
        """Give a host its place, unless it has one or nothing is or may be asked of it now."""
        self._stirred.add(host.name)
        host.spent = self._quotas.is_spent(host.name, host.queue.under_way)
        if host.place is not Place.OUT or host.at_rest:
            return
        if host.in_flight >= self.manners(host.name).per_host:
            return
        if host.wants_nothing:
            self._idle.push(host.due, host)
        else:
            host.go(Place.OUT, Place.SCHEDULED)
            heap = self._strangers if host.answers.reputation.is_strange else self._schedule
            heap.push(host.due if host.given_up is None else 0.0, host)

    def let_go(self, host: Host) -> None:
        """Take back a host from the turn that held it."""
        host.go(Place.HELD, Place.OUT)
        self.place(host)

    def pop_due(self, now: float, *, strangers: bool = True) -> Host | None:
        """Take out the host that has been due longest; None if none is due yet.

        Without `strangers` only hosts in good standing are looked at. Forgets hosts without URLs.
        """
        self._now = now
        while (host := self._idle.pop_due(now)) is not None:
            self.forget_idle(host)
        while (host := self._first_heap(strangers).pop_due(now)) is not None:
            host.go(Place.SCHEDULED, Place.OUT)
            if host.due <= now or host.given_up is not None:
                return host
            self.place(host)
        return None

    def next_due(self, *, strangers: bool = True) -> float | None:
        """Return when the first host is due; None if no host has a place."""
        return self._first_heap(strangers).next

    def _first_heap(self, strangers: bool) -> DueHeap[Host]:
        """Return the part of the schedule that has the host that is due first."""
        known, others = self._schedule.next, self._strangers.next
        if not strangers or others is None or (known is not None and known <= others):
            return self._schedule
        return self._strangers

    def wanting(self, now: float, *, only_strangers: bool) -> float | None:
        """Return when the first host is due; None if no host, or no stranger, has a place."""
        heaps = (self._strangers,) if only_strangers else (self._schedule, self._strangers)
        for heap in heaps:
            while (host := heap.first) and host.due > now >= (heap.next or 0.0):
                if host.given_up is not None:
                    break
                heap.pop_due(now)  # it is owed a longer pause since it was scheduled
                host.go(Place.SCHEDULED, Place.OUT)
                self.place(host)
        return min((heap.next for heap in heaps if heap.next is not None), default=None)

    def resolved(self, name: str, address: str | None, now: float) -> None:
        """Note where a host is, and take it back. Without an address its own name stands for it.

        One that has moved leaves its turn at the old address to whoever waits there.
        """
        host = self._hosts[name]
        if host.address != (address or name):
            self.pass_on(host)
        host.found_at(address or name, now + (ADDRESS_TTL_S if address else UNRESOLVED_S))
        self.let_go(host)

    def occupy(self, host: Host) -> bool:
        """Begin a request; False where the address has no room: the host waits there in line."""
        assert host.address is not None
        if not self._addresses.occupy(host.address, host.name):
            host.go(Place.OUT, Place.IN_LINE)
            return False
        host.begin()
        self._unread.begin(host.name)
        return True

    def free(self, host: Host, now: float, pause_s: float) -> None:
        """End a request, and owe the host a pause."""
        host.end()
        self._unread.end(host.name)
        assert host.address is not None
        self._addresses.vacate(host.address)
        self.pass_on(host)
        host.owe(now + pause_s)
        self.place(host)

    def pass_on(self, host: Host) -> None:
        """Let the next host at this one's address have the turn that it does not use."""
        if host.address is None:
            return
        while (name := self._addresses.next_waiter(host.address)) is not None:
            waiter = self._hosts[name]
            waiter.go(Place.IN_LINE, Place.OUT)
            self.place(waiter)
            if waiter.place is not Place.OUT:
                return

    # ----------------------------------------------------------------------------------------------
    # Pages that wait to be read

    def unread(self, name: str, size: int) -> bool:
        """A page of a host waits to be read; return whether there was room for it."""
        return self._unread.put(name, size)

    def was_read(self, name: str, size: int) -> None:
        """It was read: a host of each domain that may go on does, and the others after it."""
        self._unread.take(name, size)
        for domain in self._unread.free_again:
            self._release(domain)

    def hold_back(self, host: Host) -> bool:
        """Take a host out while its domain has too many unread pages; return whether it has."""
        if not self._unread.hold(host):
            return False
        host.go(Place.OUT, Place.HELD_BACK)
        self.pass_on(host)
        return True

    def follow(self, host: Host) -> None:
        """A host had its turn: let one that was held back with it have the next."""
        if self._unread.holding:
            self._release(urls.registrable_domain(host.name))

    def _release(self, domain: str) -> None:
        """Let hosts go up to one that has its turn now: others may be owed a pause since."""
        while (host := self._unread.released(domain)) is not None:
            host.go(Place.HELD_BACK, Place.OUT)
            self.place(host)
            if host.place is not Place.OUT and host.due <= self._now:
                return
