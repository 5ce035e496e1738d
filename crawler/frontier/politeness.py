"""When each host may be asked, and how much at once: the crawl's manners."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Generic, TypeVar

from crawler import urls
from crawler.frontier.host import Health, Hold, Host, HostQueue, Pause, Place, Room
from crawler.frontier.scope import HostOverrides, Quotas
from crawler.urls import registrable_domain

if TYPE_CHECKING:
    from crawler.config import Fetch, Job


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
        self._slots: dict[str, int] = {}
        """Of addresses that have another limit: that."""
        self._in_flight: dict[str, int] = {}
        self._waiting: dict[str, deque[str]] = {}

    def limit(self, address: str) -> int:
        """Return how many requests at once an address may have."""
        return self._slots.get(address, self._limit)

    def occupy(self, address: str, host: str) -> bool:
        """Take a slot for this host; False if there is none, then the host waits its turn."""
        in_flight = self._in_flight.get(address, 0)
        if in_flight < self.limit(address):
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
        if not waiting or self._in_flight.get(address, 0) >= self.limit(address):
            return None
        host = waiting.popleft()
        if not waiting:
            del self._waiting[address]
        return host


KEPT_S = 2.0
"""How long slots are kept after an address was asked last: a host that is asked once a second keeps
those of its own."""


class LeasedSlots(AddressSlots):
    """Slots that this partition of a crawl has by a lease: of each address, as many as it is told.

    None of an address at first: its hosts wait in line until some come.
    """

    def __init__(self, wanted: Callable[[], None]) -> None:
        """`wanted` is called where `tell` should be soon: slots are wanted, or given back."""
        super().__init__(0)
        self._wanted = wanted
        self._used: set[str] = set()
        """Addresses that somebody was to ask since `tell`."""
        self._used_at: dict[str, float] = {}

    def occupy(self, address: str, host: str) -> bool:
        """See AddressSlots."""
        self._used.add(address)
        if super().occupy(address, host):
            return True
        if address not in self._slots:
            self._wanted()
        return False

    def vacate(self, address: str) -> None:
        """See AddressSlots; nobody here may use a slot beyond the limit again."""
        super().vacate(address)
        if self._in_flight.get(address, 0) >= self.limit(address):
            self._wanted()

    def tell(self, now: float) -> dict[str, int]:
        """Return the addresses that are wanted, and how many requests each may have, or has yet.

        All others are given back: none of theirs may be used from now on.
        """
        self._used_at |= dict.fromkeys(self._used, now)
        self._used.clear()
        self._used_at = {a: at for a, at in self._used_at.items() if now - at < KEPT_S}
        wanted = self._in_flight.keys() | self._waiting.keys() | self._used_at.keys()
        self._slots = {address: self.limit(address) for address in wanted}
        return {a: max(n, self._in_flight.get(a, 0)) for a, n in self._slots.items()}

    def grant(self, slots: Mapping[str, int]) -> dict[str, int]:
        """Use so many from now on; return where hosts that wait have a turn now, and how many."""
        turns = {}
        for address, limit in slots.items():
            before, in_flight = self.limit(address), self._in_flight.get(address, 0)
            self._slots[address] = limit
            if limit > max(before, in_flight):
                turns[address] = limit - max(before, in_flight)
            elif in_flight <= limit < before:
                self._wanted()  # what it has less of is free at once
        return turns

    @property
    def lacking(self) -> bool:
        """Whether a host waits for slots."""
        return bool(self._waiting)


class Quarantine:
    """The hosts of which something is put aside or being tried. A step costs O(log holds)."""

    def __init__(self) -> None:
        self.hosts: dict[str, Host] = {}
        """Those by name, and some that are well again."""
        self._due: DueHeap[tuple[Host, Hold]] = DueHeap()
        """By when it is tried; also what has come back since."""

    def put(self, host: Host, hold: Hold, at: float | None = None) -> None:
        """Have something that was put aside tried when its time comes, or later (`at`)."""
        self.hosts[host.name] = host
        self._due.push(hold.until if at is None else at, (host, hold))

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

    @property
    def parked(self) -> list[str]:
        """Hosts that are put aside; their URLs stay pending."""
        return [host.name for host in self.hosts.values() if host.parked]

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """What is put aside, and why: hosts, origins, parts of hosts."""
        found = []
        for host in self.hosts.values():
            known = {host.name: host.hold} | host.holds
            found += [(name, hold.why) for name, hold in known.items() if hold and not hold.open]
        return found

    @property
    def holds(self) -> list[tuple[Host, Hold]]:
        """What is put aside or being tried: hosts, and parts of those that go on or are tried."""
        self.hosts = {name: host for name, host in self.hosts.items() if host.is_held}
        found = []
        for host in self.hosts.values():
            if host.hold is not None:
                found.append((host, host.hold))
            if host.hold is None or host.hold.open:
                found += [(host, hold) for hold in host.holds.values()]
        return found


ROOM_BYTES = 256_000_000
"""What the bodies of pages that wait to be read may take together, beside those that hold a place:
a quarter of what pages aside may take while they come."""

PAGES_PER_WORKER = 4
"""How many pages there is room for, whatever their size: as many as stand aside for servers."""


class Unread:
    """The room for unread pages. A domain that fills it is held back, and nobody else.

    By domain, since an attacker has as many hosts of one as he likes (`crawler.urls`).

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
        self.held: dict[str, deque[Host]] = {}
        """By domain, hosts that are kept."""

    def __repr__(self) -> str:
        held = sum(map(len, self.held.values()))
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
        self.held.setdefault(domain, deque()).append(host)
        return True

    def released(self, domain: str) -> Host | None:
        """Give back the host of a domain that was kept longest, if nothing holds it back now."""
        hosts = self.held.get(domain)
        if not hosts or self.holds(domain):
            return None
        host = hosts.popleft()
        if not hosts:
            del self.held[domain]
        return host

    @staticmethod
    def _subtract(counts: Counter[str], domain: str, number: int) -> None:
        counts[domain] -= number
        if not counts[domain]:
            del counts[domain]


ADDRESS_TTL_S = 300.0
"""How long a host is counted under one address before it is looked up again."""
UNRESOLVED_S = 5.0
"""The same for one whose address could not be looked up: it may be one with others."""


class Politeness:
    """The hosts of a crawl by due time, the slots of their addresses, and what they are owed.

    A host has a place in the schedule only while something may be asked of it, and only one. Each
    step costs O(log hosts).
    """

    def __init__(self, job: Job, overrides: HostOverrides, quotas: Quotas) -> None:
        self._quotas = quotas
        self.manners = overrides.manners
        """How a host is to be asked, by its key."""
        self._queue_limit = job.frontier.host_queue
        self.room = Room(job.frontier.total_queue)
        """For the tasks of all queues in memory."""
        self.hosts: dict[str, Host] = {}
        """All that are known, by name, in the order in which they became so."""
        self._schedule: DueHeap[Host] = DueHeap()
        self._strangers: DueHeap[Host] = DueHeap()
        self._idle: DueHeap[Host] = DueHeap()
        """Hosts that nothing is to be asked of, until their pause has passed; and some others."""
        self._addresses = AddressSlots(job.politeness.per_address)
        self._leased: LeasedSlots | None = None
        """The same, where they are leased."""
        self.unread = Unread(job.fetch)
        self._now = 0.0
        """When somebody was asked for last who is due."""
        self._begun_at = 0.0
        """When this run began."""
        self._is_resumed = False
        self._pauses: Mapping[str, Pause] = {}
        """What hosts were owed when the earlier run ended."""
        self._stirred: set[str] = set()
        """Hosts of which a pause may be another than when pauses were told last."""
        self.answered: set[str] = set()
        """Hosts that have answered in this crawl, also those that were forgotten."""
        self._kept: dict[str, Health] = {}
        self._noted: dict[str, Health] = {}
        self.quarantine = Quarantine()
        self._few = job.limits.pages is not None or job.limits.bytes is not None
        """Whether pages are few, so that predicted duplicates of all hosts come last."""
        self._saves = self._few
        """Whether some host may still have something else."""
        self._waiting: dict[str, Host] = {}
        self.halted: dict[str, Host] = {}
        """Hosts of which nothing is asked in this run (`Host.halted`), by name."""

    def __getitem__(self, name: str) -> Host:
        return self.hosts[name]

    def host(self, name: str) -> Host:
        """Return a host, made known by this if need be."""
        return self.hosts.get(name) or self.add(name)

    def add(self, name: str, *, stored: int = 0) -> Host:
        """Make a host known, with the number of its URLs that are in the store only.

        A resumed run does not know whom the earlier one asked last, and that one may have been
        killed: every host is owed a whole delay from the start on, those with a `Pause` also what
        is left of it. In a first run nobody is owed anything.
        """
        pause, delay_s = self._pauses.get(name), self.manners(name).delay_s
        due = self._begun_at + delay_s if self._is_resumed else 0.0
        if pause is not None:
            delay_s = max(delay_s, pause.delay_s)
            due = self._begun_at + max(delay_s, pause.slow_s, pause.left_s)
        queue = HostQueue(self._queue_limit, stored=stored, room=self.room)
        answered = name in self.answered
        host = Host(name, queue, due=due, delay_s=delay_s, answered=answered)
        if pause is not None and pause.slow_s:
            host.pace.slow_down(pause.slow_s)
        if self._kept:
            # What an earlier run had put aside is tried, without further patience. Unless it still
            # has to be left alone because its server asked for that.
            for key in (name, f"http://{name}", f"https://{name}"):
                if health := self._kept.pop(key, None):
                    hold = Hold.of(health, self._begun_at, host.due - self._begun_at)
                    if key == name:
                        host.hold = hold
                    else:
                        host.holds[key] = hold
                    self.quarantine.put(host, hold)
        self.hosts[name] = host
        return host

    def halt(self, name: str, *, halted: bool = True) -> bool:
        """Ask nothing more of a host, or do again; False where it is not known, or not halted.

        What is under way ends. Its other URLs stay pending, in this run and for later ones.
        """
        host = self.hosts.get(name) if halted else self.halted.pop(name, None)
        if host is None:
            return False
        host.halted = halted
        if halted:
            self.halted[name] = host
        else:
            self.place(host)
        return True

    def spend_rest(self) -> bool:
        """Nothing is left but predicted duplicates: ask for them; return whether there are any.

        Until something comes up again that is none.
        """
        self._saves, waiting, self._waiting = False, self._waiting, {}
        for host in waiting.values():
            self.place(host)
        return bool(waiting)

    def note(self, host: Host, now: float) -> None:
        """Remember how a host is, where that has changed."""
        if host.answered and host.name not in self.answered:
            self.answered.add(host.name)
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
        if host.forgettable and host.place is Place.OUT and self.hosts.get(host.name) is host:
            del self.hosts[host.name]
            self._stirred.add(host.name)

    def resume(
        self, pauses: Mapping[str, Pause], now: float, health: Mapping[str, Health] | None = None
    ) -> None:
        """Begin with what an earlier run owed and knew; call before hosts become known."""
        self._begun_at, self._is_resumed, self._pauses = now, True, pauses
        for name, known in (health or {}).items():
            if known.answered:
                self.answered.add(name)
            if known.tries:
                self._kept[name] = known

    def take_pauses(self, now: float) -> Iterator[tuple[str, Pause | None]]:
        """Yield, once, each host to which something happened since this was called last.

        With what it is owed beyond the job's delay, None for nothing: a later run begins with it.
        Those that were not taken, as one stopped half way, are told the next time.
        """
        for _ in range(len(self._stirred)):
            name = self._stirred.pop()
            host, delay_s = self.hosts.get(name), self.manners(name).delay_s
            if host is None or not (host.delay_s > delay_s or host.due - now > delay_s):
                yield name, None
            else:
                left_s = max(0.0, host.due - now)
                yield name, Pause(left_s, host.pace.base_s, host.pace.slow_s)

    def place(self, host: Host) -> None:
        """Give a host its place, unless it has one or nothing is or may be asked of it now."""
        self._stirred.add(host.name)
        host.spent = self._quotas.is_spent(host.name, host.queue.under_way)
        self.keep_back(host)
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

    def keep_back(self, host: Host) -> None:
        """Have a host wait that has predicted duplicates alone, where pages are few."""
        host.waits, only_predicted = False, host.queue.has_only_predicted
        if self._few and len(host.queue) and not only_predicted and not host.at_rest:
            self._saves = True
        host.waits = self._saves and only_predicted
        if host.waits:
            self._waiting[host.name] = host

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
        host = self.hosts[name]
        if host.address != (address or name):
            self.pass_on(host.address)
        host.address = address or name
        host.address_until = now + (ADDRESS_TTL_S if address else UNRESOLVED_S)
        self.let_go(host)

    def occupy(self, host: Host) -> bool:
        """Begin a request; False where the address has no room: the host waits there in line."""
        assert host.address is not None
        if not self._addresses.occupy(host.address, host.name):
            host.go(Place.OUT, Place.IN_LINE)
            return False
        host.begin()
        self.unread.begin(host.name)
        return True

    def free(self, host: Host, now: float, pause_s: float) -> None:
        """End a request, and owe the host a pause."""
        host.in_flight -= 1
        self.unread.end(host.name)
        assert host.address is not None
        self._addresses.vacate(host.address)
        self.pass_on(host.address)
        host.owe(now + pause_s)
        self.place(host)

    def pass_on(self, address: str | None) -> None:
        """Let the next host at an address have the turn that another one does not use."""
        while address is not None and (name := self._addresses.next_waiter(address)) is not None:
            waiter = self.hosts[name]
            waiter.go(Place.IN_LINE, Place.OUT)
            self.place(waiter)
            if waiter.place is not Place.OUT:
                return

    def lease(self, wanted: Callable[[], None]) -> None:
        """Lease the slots of addresses from now on (`LeasedSlots`); before any is used."""
        self._addresses = self._leased = LeasedSlots(wanted)

    def addresses(self, now: float) -> dict[str, int]:
        """Return the wanted addresses, with the slots held of each; give up those of others."""
        return {} if self._leased is None else self._leased.tell(now)

    def grant(self, slots: Mapping[str, int]) -> None:
        """Use so many slots of these addresses from now on."""
        if self._leased is not None:
            for address, turns in self._leased.grant(slots).items():
                for _ in range(turns):
                    self.pass_on(address)

    @property
    def lacks_slots(self) -> bool:
        """Whether hosts wait for slots that others may have."""
        return self._leased is not None and self._leased.lacking

    def was_read(self, name: str, size: int) -> None:
        """It was read: a host of each domain that may go on does, and the others after it."""
        self.unread.take(name, size)
        for domain in [*self.unread.held]:
            self._release(domain)

    def hold_back(self, host: Host) -> bool:
        """Take a host out while its domain has too many unread pages; return whether it has."""
        if not self.unread.hold(host):
            return False
        host.go(Place.OUT, Place.HELD_BACK)
        self.pass_on(host.address)
        return True

    def follow(self, host: Host) -> None:
        """A host had its turn: let one that was held back with it have the next."""
        if self.unread.held:
            self._release(urls.registrable_domain(host.name))

    def _release(self, domain: str) -> None:
        """Let hosts go up to one that has its turn now: others may be owed a pause since."""
        while (host := self.unread.released(domain)) is not None:
            host.go(Place.HELD_BACK, Place.OUT)
            self.place(host)
            if host.place is not Place.OUT and host.due <= self._now:
                return
