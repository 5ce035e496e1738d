"""The schedule: hosts by due time, one queue each, and what must be known before a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

from crawler import urls
from crawler.config import Job
from crawler.frontier.addresses import AddressSlots
from crawler.frontier.host import Host
from crawler.frontier.host_queue import HostQueue, key_of
from crawler.frontier.pauses import OwedPauses, Pause
from crawler.frontier.scope import ScopeFilter
from crawler.frontier.seen import SeenSet
from crawler.frontier.turns import (
    Abandon,
    CheckRobots,
    GivenUp,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)
from crawler.records import FetchTask, NewUrl, Priority

ADDRESS_TTL_S = 300.0
"""How long a host is counted under one address before it is looked up again."""


class Frontier:
    """Decides which URL is fetched next. Not thread-safe; one event loop owns it.

    Guarantees: a URL is accepted once in a crawl's life; a host gets at most `per_host` requests
    at once, the next one not before its delay has passed since the last one ended; an address gets
    at most `per_address` at once. An offer or a turn costs O(log hosts).
    """

    def __init__(self, job: Job, *, next_url_id: int = 1, pages_left: int | None = None) -> None:
        self._limits = job.frontier
        self._politeness = job.politeness
        self._max_depth = job.limits.depth
        self._next_url_id = next_url_id
        self._pages_left = pages_left
        self.scope = ScopeFilter(job.scope)
        self.seen = SeenSet()
        self.pending = 0
        """Accepted URLs whose end is not settled."""
        self._hosts: dict[str, Host] = {}
        self._schedule: list[tuple[float, int, Host]] = []
        self._retries: list[tuple[float, int, FetchTask]] = []
        self._order = count()
        self._addresses = AddressSlots(job.politeness.per_address)
        self._owed = OwedPauses(job.politeness.delay_s)
        self._held = 0

    def __repr__(self) -> str:
        return (
            f"<Frontier seen={len(self.seen)} pending={self.pending} hosts={len(self._hosts)} "
            f"in_memory={self._held} retries={len(self._retries)}>"
        )

    @property
    def hosts(self) -> int:
        """Hosts with pending URLs, or too recently asked to be forgotten."""
        return len(self._hosts)

    @property
    def parked(self) -> list[str]:
        """Hosts that stopped answering; their URLs stay pending."""
        return [host.name for host in self._hosts.values() if host.parked]

    # ----------------------------------------------------------------------------------------------
    # Offering

    def resume(self, pauses: Mapping[str, Pause], now: float) -> None:
        """Begin with the pauses that an earlier run owed; call before `restore` and `offer`."""
        self._owed.take_over(pauses, now)

    def restore(self, host: str, pending: int, *, answered: bool) -> None:
        """Count URLs that an earlier run left pending in the store; `seen` is the caller's to fill.

        `answered` keeps what the earlier run knew of the host.
        """
        self._place(self._add(host, stored=pending, answered=answered))
        self.pending += pending

    def _add(self, name: str, *, stored: int = 0, answered: bool = False) -> Host:
        queue = HostQueue(self._limits.host_queue, stored=stored)
        due, delay_s = self._owed.of(name)
        host = self._hosts[name] = Host(name, queue, delay_s, due=due, answered=answered)
        return host

    def pauses(self, now: float) -> dict[str, Pause]:
        """Return what hosts are owed beyond the job's delay; a later run begins with it."""
        delay_s = self._politeness.delay_s
        return self._owed.left(now) | {
            host.name: Pause(max(0.0, host.due - now), host.delay_s)
            for host in self._hosts.values()
            if host.delay_s > delay_s or host.due - now > delay_s
        }

    def offer(
        self,
        url: str,
        *,
        depth: int,
        priority: Priority = Priority.ORDINARY,
        hops: int = 0,
        referrer: str | None = None,
        referrer_id: int | None = None,
        seed: bool = False,
    ) -> NewUrl | Refusal:
        """Accept a canonical URL once. The caller stores a NewUrl in the same synchronous step."""
        host = urls.host_key(url)
        if seed:
            self.scope.widen(url)
        if not self.scope.admits(url, host):
            return Refusal.OUT_OF_SCOPE
        if self._max_depth is not None and depth > self._max_depth:
            return Refusal.TOO_DEEP
        if not self.seen.add(url):
            return Refusal.SEEN
        url_id = self._next_url_id
        self._next_url_id += 1
        self.pending += 1
        task = FetchTask(url_id, url, host, depth, priority, hops, referrer, seed=seed)
        self._push(task)
        return NewUrl(url_id, url, host, depth, priority, hops, referrer_id, seed)

    def _push(self, task: FetchTask) -> None:
        host = self._hosts.get(task.host) or self._add(task.host)
        held = len(host.queue)
        host.queue.push(task)
        if self._held >= self._limits.total_queue:
            host.queue.spill(len(host.queue) // 2)
        self._held += len(host.queue) - held
        self._place(host)

    # ----------------------------------------------------------------------------------------------
    # Taking

    def take(self, now: float) -> Turn:
        """Return the next turn. Every turn but Wait must be answered by its method below."""
        self._revive_retries(now)
        while self._pages_left != 0 and self._schedule and self._schedule[0][0] <= now:
            host = heappop(self._schedule)[2]
            host.placed = False
            if host.due > now and self._dead_origin(host) is None:
                self._place(host)
            elif (turn := self._turn(host, now)) is not None:
                return turn
        return Wait(self._next_event())

    def _next_event(self) -> float | None:
        if self._pages_left == 0:
            return None
        events = [heap[0][0] for heap in (self._schedule, self._retries) if heap]
        return min(events, default=None)

    def _turn(self, host: Host, now: float) -> Turn | None:
        if host.at_rest:
            self._pass_on(host)
            return None
        if not host.errands:
            if host.queue.wants_refill:
                host.placed = True
                room = self._limits.total_queue - self._held
                return Refill(host.name, *host.queue.begin_refill(room))
            if not len(host.queue):
                self._rest(host)
                return None
            if (origin := self._dead_origin(host)) is not None:
                return self._abandon(host, origin)
        if host.address_until <= now and not host.in_flight:
            host.placed = True
            return Resolve(host.name)
        return self._request(host, now)

    def _request(self, host: Host, now: float) -> Turn | None:
        assert host.address is not None
        if not self._addresses.occupy(host.address, host.name):
            host.placed = True
            return None
        host.in_flight += 1
        if host.errands:
            host.placed = True
            return host.errands.popleft()
        origin = urls.origin(host.queue.peek().url)
        if self._politeness.robots and host.robots_until.get(origin, 0.0) <= now:
            host.placed = True
            return CheckRobots(host.name, origin, host.name)
        if self._pages_left is not None:
            self._pages_left -= 1
        host.due = now + host.delay_s
        task = self._pop(host)
        self._place(host)
        return task

    def _dead_origin(self, host: Host) -> str | None:
        """Return the origin of the host's first task, if that origin was given up on."""
        if host.errands or not host.given_up or not len(host.queue):
            return None
        origin = urls.origin(host.queue.peek().url)
        return origin if origin in host.given_up else None

    def _abandon(self, host: Host, origin: str) -> Abandon:
        tasks = []
        while self._dead_origin(host) == origin:
            tasks.append(self._pop(host))
        self._place(host)
        return Abandon(host.name, tuple(tasks), host.given_up[origin])

    def _pop(self, host: Host) -> FetchTask:
        self._held -= 1
        return host.queue.pop()

    def _rest(self, host: Host) -> None:
        """Forget a host without URLs: its pause has passed. One given up on is remembered."""
        if host.queue.idle and not host.in_flight and not host.given_up:
            del self._hosts[host.name]
        self._pass_on(host)

    def _pass_on(self, host: Host) -> None:
        """Let the next host at its address have the turn that it does not use."""
        if host.address is not None:
            self._wake(host.address)

    # ----------------------------------------------------------------------------------------------
    # Answering turns

    def resolved(self, host: str, address: str | None, now: float) -> None:
        """Answer Resolve. A host that does not resolve is counted under its own name."""
        known = self._hosts[host]
        known.address = address or host
        known.address_until = now + ADDRESS_TTL_S
        known.placed = False
        self._place(known)

    def robots_checked(
        self,
        turn: CheckRobots,
        now: float,
        *,
        expires_at: float,
        crawl_delay_s: float | None,
        requested: bool,
    ) -> None:
        """Answer CheckRobots: the rules are known until `expires_at`.

        `requested` is False where they were still cached, so that no pause is owed.
        """
        host = self._hosts[turn.asker]
        host.robots_until[turn.origin] = expires_at
        host.robots_failing_since.pop(turn.origin, None)
        host.answered = True
        host.delay_s = max(self._politeness.delay_s, crawl_delay_s or 0.0)
        if requested:
            host.due = max(host.due, now + host.delay_s)
        self._robots_asked(turn, now, self.delay_s(turn.host) if requested else 0.0)

    def robots_failed(
        self,
        turn: CheckRobots,
        now: float,
        *,
        retry_in_s: float,
        patience_s: float,
        given_up: GivenUp | None,
    ) -> None:
        """Answer CheckRobots: no rules now. After `patience_s` of that the origin is given up on.

        With None for `given_up` the host is parked instead: its URLs stay pending.
        """
        host = self._hosts[turn.asker]
        since = host.robots_failing_since.setdefault(turn.origin, now)
        if now + retry_in_s - since > patience_s:
            self._end_origin(host, turn.origin, given_up)
        host.due = max(host.due, now + retry_in_s)
        self._robots_asked(turn, now, retry_in_s)

    def robots_moved(self, turn: CheckRobots, host: str, now: float) -> None:
        """Answer CheckRobots: it redirects to `host`, which is asked when its own turn comes."""
        self._robots_asked(turn, now, self.delay_s(turn.host))
        self._hosts[turn.asker].awaiting = True
        target = self._hosts.get(host) or self._add(host)
        target.errands.append(CheckRobots(host, turn.origin, turn.asker))
        self._place(target)

    def _robots_asked(self, turn: CheckRobots, now: float, pause_s: float) -> None:
        """Give back the slots of who was asked, and let the one that waited go on."""
        asked, asker = self._hosts[turn.host], self._hosts[turn.asker]
        asker.awaiting = False
        asked.placed = False
        self._free(asked, now, pause_s)
        self._place(asker)

    def _end_origin(self, host: Host, origin: str, given_up: GivenUp | None) -> None:
        if given_up is None:
            host.parked = True
        else:
            host.given_up[origin] = given_up

    def knows(self, turn: CheckRobots) -> bool:
        """Whether this origin has answered in this crawl; of an earlier run its host is known."""
        host = self._hosts[turn.asker]
        return turn.origin in host.robots_until or (host.answered and not host.robots_until)

    def refilled(self, turn: Refill, tasks: list[FetchTask]) -> list[FetchTask]:
        """Answer Refill with the store's tasks, in key order, at most `turn.limit`.

        Return those that a changed job no longer admits, for the caller to end.
        """
        host = self._hosts[turn.host]
        admitted = [task for task in tasks if self._admits(task)]
        held = len(host.queue)
        host.queue.end_refill(admitted, None if len(tasks) < turn.limit else key_of(tasks[-1]))
        self._held += len(host.queue) - held
        host.placed = False
        self._place(host)
        return [task for task in tasks if not self._admits(task)]

    def _admits(self, task: FetchTask) -> bool:
        within = self._max_depth is None or task.depth <= self._max_depth
        return within and self.scope.admits(task.url, task.host)

    def delay_s(self, host: str) -> float:
        """Return the pause between two requests to this host, Crawl-delay included."""
        return self._hosts[host].delay_s

    def release(self, task: FetchTask, now: float, *, pause_s: float = 0.0) -> None:
        """The request for a task has ended: give back its slots, owe the host its delay."""
        host = self._hosts[task.host]
        self._free(host, now, pause_s=max(pause_s, host.delay_s))

    def refund_page(self) -> None:
        """A task that counted against the page limit brought no page."""
        if self._pages_left is not None:
            self._pages_left += 1

    def retry(self, task: FetchTask, at: float, *, counted: bool = True) -> None:
        """Take a released task up again at that time; it stays pending.

        `counted` is False where the failure was the host's: the page had no attempt.
        """
        again = replace(task, attempt=task.attempt + counted)
        heappush(self._retries, (at, next(self._order), again))

    def settle(self, task: FetchTask) -> None:
        """The task's end has been handed to the store."""
        host = self._hosts[task.host]
        host.queue.settle(task)
        self.pending -= 1
        self._place(host)

    def strike(self, host: str) -> int:
        """Count a failure that speaks against the host; return how many came in a row."""
        self._hosts[host].strikes += 1
        return self._hosts[host].strikes

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

    # ----------------------------------------------------------------------------------------------
    # Scheduling

    def _free(self, host: Host, now: float, pause_s: float) -> None:
        host.in_flight -= 1
        assert host.address is not None
        self._addresses.vacate(host.address)
        self._wake(host.address)
        host.due = max(host.due, now + pause_s)
        self._place(host)

    def _wake(self, address: str) -> None:
        while (name := self._addresses.next_waiter(address)) is not None:
            if (host := self._hosts.get(name)) is not None:
                host.placed = False
                self._place(host)
                if host.placed:
                    return

    def _place(self, host: Host) -> None:
        if not host.placed and not host.at_rest and host.in_flight < self._politeness.per_host:
            host.placed = True
            at = host.due if self._dead_origin(host) is None else 0.0
            heappush(self._schedule, (at, next(self._order), host))

    def _revive_retries(self, now: float) -> None:
        while self._retries and self._retries[0][0] <= now:
            task = heappop(self._retries)[2]
            host = self._hosts[task.host]
            host.queue.push_back(task)
            self._held += 1
            self._place(host)
