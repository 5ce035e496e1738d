"""Pages that servers keep waiting give their slot to others, within bounds."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from functools import partial

import pytest
from support.crawling import HANG_S

from crawler.config import Fetch
from crawler.fetch.request_slots import KNOWN, MOST_S, STALL_S, RequestSlots, slots_within
from crawler.models import Reputation

STRANGE = Reputation(answers=0, gave_way=0)


def never() -> None:
    """Give no way: nobody asks for it."""
    raise AssertionError("nobody needs the slot")


async def one_is_free(slots: RequestSlots) -> None:
    """Wait until one more page may begin, as who begins pages does."""
    while slots.full:
        slots.changed.clear()
        await asyncio.wait_for(slots.changed.wait(), HANG_S)


async def test_a_long_wait_gives_its_slot_away() -> None:
    """A page that a server keeps waiting lets another one begin, and counts again when back."""
    slots = RequestSlots(limit=1, aside=1, patience_s=0.0)
    slots.begin("a.test")
    with slots.waiting("a.test", never):
        await one_is_free(slots)
        slots.begin("a.test")
    assert repr(slots) == "<RequestSlots 2 of 1 taken, 1 left aside>"
    slots.end("a.test")
    slots.end("a.test")
    await one_is_free(slots)


async def test_slots_aside_are_bounded() -> None:
    """Only so many step aside; the next one keeps its slot, however long it waits."""
    slots = RequestSlots(limit=2, aside=1, patience_s=0.0)
    slots.begin("a.test")
    slots.begin("a.test")
    with slots.waiting("a.test", never), slots.waiting("a.test", never):
        await one_is_free(slots)
        await asyncio.sleep(0)
        assert repr(slots) == "<RequestSlots 1 of 2 taken, 0 left aside>"
    assert repr(slots) == "<RequestSlots 2 of 2 taken, 1 left aside>"


async def test_a_short_wait_keeps_its_slot() -> None:
    """An answer within the patience changes nothing."""
    slots = RequestSlots(limit=1, aside=1, patience_s=60.0)
    slots.begin("a.test")
    with slots.waiting("a.test", never):
        assert repr(slots) == "<RequestSlots 1 of 1 taken, 1 left aside>"
    slots.end("a.test")
    assert repr(slots) == "<RequestSlots 0 of 1 taken, 1 left aside>"


async def test_a_rest_gives_its_slot_away_at_once() -> None:
    """Who pauses holds no slot, takes none aside, and comes back when one is free."""
    slots, over = RequestSlots(limit=1, aside=0), asyncio.Event()
    slots.begin("a.test")
    resting = asyncio.create_task(slots.rest(over.wait()))
    await one_is_free(slots)
    await asyncio.sleep(0)
    assert repr(slots) == "<RequestSlots 0 of 1 taken, 0 left aside>"
    assert not slots.idle
    slots.begin("a.test")
    over.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not resting.done()
    slots.end("a.test")
    await asyncio.wait_for(resting, HANG_S)
    assert repr(slots) == "<RequestSlots 1 of 1 taken, 0 left aside>"


async def test_a_rest_that_is_cut_short_counts_again() -> None:
    """A run that is cancelled finds its numbers as they were."""
    slots = RequestSlots(limit=1, aside=0)
    slots.begin("a.test")
    resting = asyncio.create_task(slots.rest(asyncio.Event().wait()))
    await asyncio.sleep(0)
    resting.cancel()
    await asyncio.gather(resting, return_exceptions=True)
    assert repr(slots) == "<RequestSlots 1 of 1 taken, 0 left aside>"


class Clock:
    """A clock that stands still until told."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


async def test_room_aside_that_comes_free_is_used() -> None:
    """A page that found no room aside steps there as soon as another one has left."""
    slots = RequestSlots(limit=1, aside=1, patience_s=0.0)
    slots.begin("a.test")
    slots.begin("b.test")
    with slots.waiting("a.test", never):
        with slots.waiting("b.test", never):
            await asyncio.sleep(0.01)
            assert slots.full
        assert slots.full  # b is at work
        slots.end("b.test")
        assert not slots.full


async def test_strangers_leave_slots_for_others() -> None:
    """Hosts that have not proved themselves never have more than three quarters of the slots."""
    slots = RequestSlots(limit=2, aside=6, patience_s=0.0)
    with ExitStack() as waits:
        for n in range(6):
            assert not slots.full_of_strangers
            slots.begin(f"{n}.test", STRANGE)
            waits.enter_context(slots.waiting(f"{n}.test", never))
            await asyncio.sleep(0.01)
        assert slots.full_of_strangers
        assert not slots.full
        slots.begin("known.test")
        assert not slots.full
        slots.end("0.test")
        assert not slots.full_of_strangers


async def test_the_longest_wait_gives_way() -> None:
    """Not before its time, one after the other, and of strangers where only they find no slot."""
    clock, gave_way = Clock(), list[str]()
    slots = RequestSlots(limit=1, aside=3, patience_s=0.0, clock=clock)
    with ExitStack() as waits:
        for host in ("known.test", "a.test", "b.test"):
            clock.now += 1.0
            slots.begin(host, KNOWN if host == "known.test" else STRANGE)
            waits.enter_context(slots.waiting(host, partial(gave_way.append, host)))
        slots.begin("c.test", STRANGE)
        await asyncio.sleep(0.01)
        assert slots.full
        assert slots.stalls_at() is None  # c has the slot, and is at work
        waits.enter_context(slots.waiting("c.test", never))
        await asyncio.sleep(0.01)
        assert slots.full
        assert slots.stalls_at() == 1.0 + STALL_S
        slots.end("known.test")
        assert slots.full_of_strangers
        assert not slots.full
        assert slots.stalls_at() == 2.0 + STALL_S
        slots.give_way()
        assert gave_way == ["a.test"]
        assert slots.stalls_at() is None  # its slot is not free yet, and one is enough
    assert slots.stalls_at() is None


async def test_answers_earn_time() -> None:
    """A host that has answered often keeps its slot for longer than one that came before it."""
    clock, gave_way = Clock(), list[str]()
    slots = RequestSlots(limit=1, aside=1, patience_s=0.0, clock=clock)
    with ExitStack() as waits:
        for host, answers in (("slow.test", 20), ("new.test", 1), ("late.test", 0)):
            slots.begin(host, Reputation(answers, 0))
            waits.enter_context(slots.waiting(host, partial(gave_way.append, host)))
            clock.now += 0.1
        await asyncio.sleep(0.01)
        assert slots.full
        assert slots.stalls_at() == pytest.approx(0.1 + STALL_S)
        slots.give_way()
        assert gave_way == ["new.test"]
        slots.begin("slow.test", STRANGE)
        assert slots.stalls_at() is None
    slots.end("slow.test")


@pytest.mark.parametrize(
    ("gave_way", "may_wait_s"), [(0, STALL_S), (1, 2 * STALL_S), (3, 8 * STALL_S), (9, MOST_S)]
)
async def test_who_gave_way_may_wait_for_longer(gave_way: int, may_wait_s: float) -> None:
    """It may only be slow: its time doubles, within bounds, until it is heard."""
    slots = RequestSlots(limit=1, aside=0, patience_s=0.0, clock=Clock())
    slots.begin("slow.test", Reputation(0, gave_way))
    with slots.waiting("slow.test", never):
        await asyncio.sleep(0.01)
        assert slots.stalls_at() == pytest.approx(may_wait_s)


async def test_a_page_that_left_its_slot_counts_as_before() -> None:
    """While a page of a stranger waits to be read, another stranger may have its slot."""
    slots = RequestSlots(limit=1, aside=0)
    slots.begin("a.test", STRANGE)
    assert slots.full_of_strangers
    with slots.left("a.test"):
        assert not slots.full_of_strangers
        slots.begin("b.test", STRANGE)
        slots.end("b.test")
    assert slots.full_of_strangers
    slots.end("a.test")
    assert not slots.full_of_strangers


async def test_who_begins_pages_hears_that_one_is_to_be_read() -> None:
    """Its host has answered, and may be asked again, also where there were slots all the time."""
    slots = RequestSlots(limit=2, aside=0)
    slots.begin("a.test")
    slots.changed.clear()
    with slots.left("a.test"):
        assert slots.changed.is_set()


async def test_a_stall_is_longer_where_answers_are_slow() -> None:
    """It follows the usual wait up to two seconds, which no silence and no slowness can exceed."""
    clock = Clock()
    slots = RequestSlots(limit=1, aside=0, clock=clock)
    slots.begin("a.test")
    allowed = []
    for took_s in (0.01, 0.3, 60.0, 0.01):
        for _ in range(200):
            with slots.waiting("a.test", never):
                clock.now += took_s
        allowed.append(slots.stall_s)
    assert allowed == pytest.approx([0.5, 1.2, 2.0, 0.5], rel=0.02)
    for _ in range(200):
        with slots.waiting("a.test", lambda: None):
            clock.now += 60.0
            slots.give_way()
    assert slots.stall_s == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("workers", "body_bytes", "aside"),
    [(32, 10_000_000, 100), (8, 10_000_000, 32), (32, 1_000_000, 128), (200, 10_000_000, 200)],
)
def test_slots_are_bounded_by_memory(workers: int, body_bytes: int, aside: int) -> None:
    """At most four a worker, and no more than a gigabyte of bodies beyond one a worker."""
    limits = Fetch(workers=workers, max_body_bytes=body_bytes)
    assert slots_within(limits, None) == (workers, aside)
