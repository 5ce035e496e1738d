"""Requests at once to one address, over all partitions that have hosts there."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heappop
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.clustered import Local, crawl_in_parts, text
from support.crawling import loopback_job
from support.judge_roles import JudgeRoles
from support.output import lines
from support.servers import Request, response, serve
from support.worlds import World, job

from crawler.cluster.addresses import TURN_S, AddressLeases
from crawler.cluster.protocol import SEQUENCER, Fenced
from crawler.cluster.root import Root
from crawler.cluster.sequencer import LEASE_S
from crawler.config import Dedup, parse_job
from crawler.frontier import Frontier, Wait
from crawler.frontier.politeness import KEPT_S, LeasedSlots

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

A, B = "10.0.0.1", "10.0.0.2"

# ---------------------------------------------------------------- shares


@dataclass
class Asker:
    """A process that has a partition: it asks addresses by the slots that it is told."""

    partition: int
    epoch: int
    free_at: float
    """From when it may ask: then nobody who had the partition before does."""
    slots: LeasedSlots = field(default_factory=lambda: LeasedSlots(lambda: None))
    number: int = 0
    answered_by: int = 0
    leased_until: float = 0.0
    in_flight: Counter[str] = field(default_factory=Counter)

    def begin(self, address: str) -> None:
        """Ask an address as often at once as may be."""
        while self.slots.occupy(address, "host"):
            self.in_flight[address] += 1

    def end(self, address: str) -> None:
        """End a request, if there is one; who waits may have its slot."""
        if self.in_flight[address]:
            self.in_flight[address] -= 1
            self.slots.vacate(address)
            self.slots.next_waiter(address)

    def grant(self, slots: Mapping[str, int]) -> None:
        """Take slots: hosts that wait have their turn."""
        for address, turns in self.slots.grant(slots).items():
            for _ in range(turns):
                self.slots.next_waiter(address)

    def lapse(self) -> None:
        """Its lease is over: it asks no more, and what it has in flight has ended."""
        for address in (A, B):
            while self.in_flight[address]:
                self.end(address)
        self.grant(dict.fromkeys((A, B), 0))

    def most(self, address: str) -> int:
        """Return how many requests it may have in flight, or has yet."""
        return max(self.slots.limit(address), self.in_flight[address])


Word = tuple[int, tuple[int, int], dict[str, int], int]


class Cluster:
    """Some partitions, a keeper of leases, and what is on its way between them."""

    def __init__(self, limit: int, partitions: int) -> None:
        self.limit = limit
        self.now = 0.0
        self.epochs = Counter[int]()
        self.at_work = set[int]()
        self.late: deque[Word] = deque()
        self.askers: dict[int, Asker] = {}
        self.keepers = 0
        self.others: list[Asker] = []
        """Those that were replaced and do not know it."""
        self.restart()
        for partition in range(partitions):
            self.replace(partition, killed=True)

    def restart(self) -> None:
        """Have a keeper that knows nothing but who was at work."""
        self.opened_at = self.now
        self.leases: dict[int, float] = {}
        self.keepers += 1
        self.keeper = AddressLeases(self.limit, LEASE_S, self.at_work, self.now, self.keepers)

    def replace(self, partition: int, *, killed: bool) -> None:
        """Open a partition once more; who had it was killed, or is cut off."""
        before = self.askers.pop(partition, None)
        if before is not None and not killed:
            self.others.append(before)
        free_at = self.now
        if partition in self.at_work:
            free_at = self.leases.get(partition, self.opened_at + LEASE_S)
        self.at_work.add(partition)
        self.epochs[partition] += 1
        self.askers[partition] = Asker(partition, self.epochs[partition], free_at)

    def leave(self, partition: int) -> None:
        """End the run of a partition that has nothing in flight, and nobody else has it."""
        asker = self.askers.get(partition)
        if asker and self.now >= asker.free_at and not asker.in_flight.total():
            del self.askers[partition]
            self.at_work.discard(partition)
            self.keeper.leave(partition)

    def tell(self, partition: int, fate: str) -> None:
        """Have a partition tell what it wants; its word or the answer may be lost, or be late."""
        asker = self.askers.get(partition)
        if asker is None or self.now < asker.free_at:
            return
        asker.number += 1
        held = asker.slots.tell(self.now)
        word = partition, (asker.epoch, asker.number), held, asker.answered_by
        if fate == "late":
            self.late.append(word)
        elif fate != "lost":
            answer = self.hear(word)
            if fate == "answered":
                asker.leased_until = self.now + LEASE_S
                asker.answered_by = self.keepers
                asker.grant(answer)

    def hear(self, word: Word) -> dict[str, int]:
        """Have the keeper hear a word, of those at work only."""
        partition, (epoch, number), held, answered_by = word
        if epoch < self.epochs[partition] or partition not in self.at_work:
            return {}
        self.leases[partition] = self.now + LEASE_S
        return self.keeper.tell(partition, (epoch, number), held, self.now, answered_by)

    def wait(self, time_s: float) -> None:
        """Let time pass."""
        self.now += time_s
        for asker in [*self.askers.values(), *self.others]:
            if asker.leased_until <= self.now:
                asker.lapse()

    def most(self, address: str) -> int:
        """Return how many requests there may be at an address."""
        return sum(asker.most(address) for asker in [*self.askers.values(), *self.others])


KINDS = [
    *["ask and tell"] * 4,
    *["begin", "begin by others", "end", "tell", "tell in vain", "hear late", "wait"] * 2,
    *["replace", "restart", "leave"],
]
MOVES = st.tuples(st.sampled_from(KINDS), st.integers(0, 2), st.integers(0, 5))
"""What happens, to which partition, and how: one of some."""


@settings(max_examples=2 * settings().max_examples)
@given(limit=st.integers(1, 4), moves=st.lists(MOVES, min_size=20, max_size=80))
def test_no_address_is_asked_by_all_together_more_often_at_once_than_it_may(
    limit: int, moves: list[tuple[str, int, int]]
) -> None:
    """Whatever is lost, late, killed or begun anew, and in whichever order."""
    cluster = Cluster(limit, 3)
    for move, partition, how in moves:
        asker, address = cluster.askers.get(partition), B if how == 0 else A
        match move:
            case "ask and tell" if asker is not None:
                asker.begin(address)
                cluster.tell(partition, "answered")
                asker.begin(address)
            case "begin" if asker is not None:
                asker.begin(address)
            case "begin by others":
                for other in cluster.others:
                    other.begin(address)
            case "end" if asker is not None:
                asker.end(address)
            case "tell":
                cluster.tell(partition, "answered")
            case "tell in vain":
                cluster.tell(partition, ("unanswered", "lost", "late")[how % 3])
            case "hear late" if cluster.late:
                cluster.hear(cluster.late.popleft())
            case "wait":
                cluster.wait((0.3, 1.0, KEPT_S, TURN_S, 0.6 * LEASE_S, LEASE_S)[how])
            case "replace":
                cluster.replace(partition, killed=how % 2 == 0)
            case "restart":
                cluster.restart()
            case "leave":
                cluster.leave(partition)
        assert cluster.most(A) <= limit
        assert cluster.most(B) <= limit


def test_who_alone_wants_an_address_has_all_of_it_and_several_a_fair_share() -> None:
    """The first uses less from the next time on that it tells, and only then others more."""
    keeper = AddressLeases(4, LEASE_S, (), 0.0)
    assert keeper.tell(0, (1, 1), {A: 0, B: 0}, 0.0) == {A: 4, B: 4}
    assert keeper.tell(1, (1, 1), {A: 0}, 0.1) == {A: 0}
    assert keeper.tell(0, (1, 2), {A: 4, B: 4}, 1.0) == {A: 2, B: 4}
    assert keeper.tell(1, (1, 2), {A: 0}, 1.1) == {A: 0}
    assert keeper.tell(0, (1, 3), {A: 3, B: 4}, 2.0) == {A: 2, B: 4}  # three are in flight
    assert keeper.tell(1, (1, 3), {A: 0}, 2.1) == {A: 1}
    assert keeper.tell(0, (1, 4), {A: 2}, 3.0) == {A: 2}
    assert keeper.tell(1, (1, 4), {A: 1, B: 0}, 3.1) == {A: 2, B: 4}


@pytest.mark.parametrize(("limit", "partitions"), [(1, 3), (2, 3), (4, 3), (3, 5)])
def test_where_slots_are_left_over_or_too_few_partitions_take_turns(
    limit: int, partitions: int
) -> None:
    """Over time each has about as much as any other, and little is left unused."""
    keeper = AddressLeases(limit, LEASE_S, (), 0.0)
    has = Counter[int]()
    used = Counter[int]()
    seconds = int(TURN_S) * partitions * 20
    for second in range(seconds):
        for partition in range(partitions):
            word = keeper.tell(partition, (1, second + 1), {A: has[partition]}, float(second))
            has[partition] = word[A]
            used[partition] += has[partition]
        assert has.total() <= limit
    assert min(used.values()) >= 0.9 * max(used.values())
    assert used.total() >= 0.75 * limit * seconds


def test_a_new_keeper_gives_nothing_away_that_others_may_have() -> None:
    """What a partition says that it holds it keeps; more is given when all were heard or lapsed.

    A word counts once its sender has had an answer: it may be older than the last keeper's.
    """
    keeper = AddressLeases(4, LEASE_S, {0, 1}, 100.0, number=2)
    assert keeper.tell(0, (1, 7), {A: 3, B: 0}, 100.0, 1) == {A: 3, B: 0}
    assert keeper.tell(1, (1, 9), {A: 1}, 100.1, 1) == {A: 1}
    assert keeper.tell(0, (1, 8), {A: 3, B: 0}, 101.0, 2) == {A: 2, B: 0}
    assert keeper.tell(1, (1, 10), {A: 1}, 101.1, 2) == {A: 1}
    assert keeper.tell(0, (1, 9), {A: 3, B: 0}, 102.0, 2) == {A: 2, B: 4}
    silent = AddressLeases(4, LEASE_S, {0, 1}, 100.0)
    assert silent.tell(0, (1, 7), {A: 0}, 100.0) == {A: 0}
    assert silent.tell(0, (1, 8), {A: 0}, 100.0 + LEASE_S) == {A: 4}


def test_a_word_that_comes_late_says_nothing() -> None:
    """Its sender may have been told more since, and would be taken to have given it back."""
    keeper = AddressLeases(4, LEASE_S, (), 0.0)
    assert keeper.tell(0, (1, 2), {A: 0}, 0.0) == {A: 4}
    assert keeper.tell(0, (1, 1), {}, 0.1) == {}
    assert keeper.tell(1, (1, 1), {A: 0}, 0.2) == {A: 0}


def test_a_partition_that_is_not_heard_of_loses_its_slots() -> None:
    """When its lease is over, and at once where its run has ended."""
    keeper = AddressLeases(4, LEASE_S, (), 0.0)
    keeper.tell(0, (1, 1), {A: 0}, 0.0)
    assert keeper.tell(1, (1, 1), {A: 0}, LEASE_S - 0.1) == {A: 0}
    assert keeper.tell(1, (1, 2), {A: 0}, LEASE_S) == {A: 4}
    keeper.leave(1)
    assert keeper.tell(2, (1, 1), {A: 0}, LEASE_S) == {A: 4}


def test_slots_are_used_as_far_as_granted_and_held_until_they_are_given_back() -> None:
    """What is told is what may be in flight; what is not told any more may not be used."""
    wanted: list[None] = []
    slots = LeasedSlots(lambda: wanted.append(None))
    assert not slots.occupy(A, "a")  # nothing is known of it
    assert (slots.tell(0.0), len(wanted)) == ({A: 0}, 1)
    assert slots.grant({A: 2}) == {A: 2}
    assert slots.next_waiter(A) == "a"
    assert slots.occupy(A, "a")
    assert slots.tell(0.1) == {A: 2}  # both, though one is in flight
    assert (slots.grant({A: 0}), slots.tell(0.2)) == ({}, {A: 1})
    assert not slots.occupy(A, "b")
    assert len(wanted) == 1
    slots.vacate(A)  # nobody here may use it again, so others shall soon
    assert len(wanted) == 2
    slots.grant({A: 1})
    assert slots.next_waiter(A) == "b"
    assert slots.tell(0.5) == {A: 1}
    assert slots.tell(0.5 + KEPT_S) == {}
    assert not slots.occupy(A, "b")


async def test_a_sequencer_begun_anew_waits_for_who_was_at_work_and_for_nobody_else(
    tmp_path: Path,
) -> None:
    """Nobody in a new crawl, nor who had ended its run; who has not is waited for or its lease."""
    now = 100.0
    roles = JudgeRoles(tmp_path, Dedup(), 1, per_address=3, clock=lambda: now)
    async with roles:
        for partition in range(3):
            assert await roles.sequencer.hello(partition, 1) == 0.0
        assert await roles.sequencer.renew(0, 1, 1, {A: 0}, 0) == (1, {A: 3})
        await roles.sequencer.goodbye(2, 1)
        await roles.kill(SEQUENCER)
        await roles.open()
        assert await roles.sequencer.renew(1, 1, 1, {A: 0}, 0) == (2, {A: 0})
        has_three_yet = await roles.sequencer.renew(0, 1, 2, {A: 3}, 1)
        assert has_three_yet == (2, {A: 1})
        now += LEASE_S - 1
        assert await roles.sequencer.renew(1, 1, 2, {A: 0}, 2) == (2, {A: 0})
        now += 1  # the other one is not heard of any more
        assert await roles.sequencer.renew(1, 1, 3, {A: 0}, 2) == (2, {A: 3})
        with pytest.raises(Fenced):
            await roles.sequencer.renew(1, 0, 4, {A: 0}, 2)


# ---------------------------------------------------------------- frontiers


class Partitions:
    """Frontiers of several partitions in simulated time; all their hosts are at one address."""

    def __init__(self, limit: int, partitions: int) -> None:
        self.keeper = AddressLeases(limit, LEASE_S, (), 0.0)
        self.worlds: list[World] = []
        self.wanted = set[int]()
        self.told = Counter[int]()
        for number in range(partitions):
            frontier = Frontier(job(politeness={"delay_s": 0.5, "per_address": limit}))
            frontier.lease(lambda number=number: self.wanted.add(number))  # type: ignore[misc]
            hosts = [f"h{n}.p{number}.test" for n in range(4)]
            self.worlds.append(World(frontier, dict.fromkeys(hosts, A)))
            for host in hosts:
                for page in range(3):
                    self.worlds[-1].offer(f"http://{host}/{page}")

    def run(self) -> None:
        """Crawl until nothing is left in any of them."""
        ends = set[int]()
        for tenth in range(10_000):
            if len(ends) == len(self.worlds):
                return
            for number, world in enumerate(self.worlds):
                world.now = tenth / 10
                if tenth % 10 == 0 or number in self.wanted:
                    self.tell(number)
                while world.running and world.running[0][0] <= world.now:
                    world.finish(heappop(world.running)[2])
                turn = world.frontier.take(world.now, idle=not world.running)
                while not isinstance(turn, Wait):
                    world.play(turn)
                    turn = world.frontier.take(world.now, idle=not world.running)
                if not world.running and turn == Wait(None):
                    ends.add(number)
        raise AssertionError("some of it does not come to its end")

    def tell(self, number: int) -> None:
        """Have one tell what it wants."""
        world = self.worlds[number]
        self.wanted.discard(number)
        self.told[number] += 1
        held = world.frontier.addresses(world.now)
        slots = self.keeper.tell(number, (1, self.told[number]), held, world.now)
        world.frontier.grant(slots)


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_hosts_of_several_partitions_at_one_address_have_their_turns(limit: int) -> None:
    """All is fetched, never more at once than may be; waiting for others is not the end."""
    parts = Partitions(limit, 3)
    parts.run()
    assert not any(world.pending for world in parts.worlds)
    spans: dict[float, int] = defaultdict(int)
    for world in parts.worlds:
        for begun, ended in (span for asked in world.requests.values() for span in asked):
            spans[round(begun, 6)] += 1
            spans[round(ended, 6)] -= 1
    level = most = 0
    for time in sorted(spans):
        level += spans[time]
        most = max(most, level)
    assert most == limit


# ---------------------------------------------------------------- a crawl


PER_ADDRESS = 3
DOMAINS = [f"site{number}.test" for number in range(9)]
SERVICE_S = 0.02


@dataclass
class Server:
    """Has some domains at one address; counts the requests that are under way."""

    under_way: int = 0
    most: int = 0
    crowded: asyncio.Event = field(default_factory=asyncio.Event)
    """As much is asked at once as may be, for which the first answers wait."""

    async def answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        """Answer late enough for others to come meanwhile, whoever may."""
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        if self.under_way >= PER_ADDRESS:
            self.crowded.set()
        await self.crowded.wait()
        await asyncio.sleep(SERVICE_S)
        self.under_way -= 1
        if request.path == "/robots.txt":
            writer.write(response(b"", status=404))
            return
        host = request.headers["host"]
        links = "".join(f'<a href="/{n}">{n}</a>' for n in range(3))
        words = text(sum(map(ord, host + request.path)))
        writer.write(response(f"<p>{request.path} of {host}: {words}</p>{links}".encode()))


async def test_a_server_of_many_domains_is_asked_as_by_one_crawl(tmp_path: Path) -> None:
    """Its address gets `per_address` requests at once, though its domains lie in all partitions."""
    server = Server()
    async with serve(server.answer) as served:
        data = loopback_job(
            tmp_path / "out",
            [f"http://{name}:{served.port}/" for name in DOMAINS],
            politeness={"per_address": PER_ADDRESS},
            fetch={"resolve": dict.fromkeys(DOMAINS, "127.0.0.1")},
            cluster={"partitions": 3, "judge_shards": 1, "linger_ms": 0},
        )
        of = parse_job(data, "test")
        engine = Local(of.output)
        await crawl_in_parts(of, engine)
    root = Root.open(of.output)
    assert {root.partition_of(name) for name in DOMAINS} == {0, 1, 2}
    pages = [line["url"] for p in root.partitions for line in lines(root.partition(p), "pages")]
    assert len(pages) == 4 * len(DOMAINS), "\n".join(engine.said)
    assert server.most == PER_ADDRESS
