"""Pages that servers keep waiting give their place to others, within bounds."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from functools import partial

import pytest

from crawler.config import Fetch
from crawler.fetch.request_slots import KNOWN, MOST_S, STALL_S, Places, places_aside
from crawler.models import Reputation

STRANGE = Reputation(answers=0, gave_way=0)


def never() -> None:
    """Give no way: nobody asks for it."""
    raise AssertionError("nobody needs the place")


async def test_a_long_wait_gives_its_place_away() -> None:
    """A page that a server keeps waiting lets another one begin, and counts again when back."""
    places = Places(limit=1, aside=1, patience_s=0.0)
    places.begin("a.test")
    with places.waiting("a.test", never):
        await places.free()
        places.begin("a.test")
    assert repr(places) == "<Places 2 of 1 taken, 1 left aside>"
    places.end("a.test")
    places.end("a.test")
    await places.free()


async def test_places_aside_are_bounded() -> None:
    """Only so many step aside; the next one keeps its place, however long it waits."""
    places = Places(limit=2, aside=1, patience_s=0.0)
    places.begin("a.test")
    places.begin("a.test")
    with places.waiting("a.test", never), places.waiting("a.test", never):
        await asyncio.wait_for(places.free(), 5.0)
        await asyncio.sleep(0)
        assert repr(places) == "<Places 1 of 2 taken, 0 left aside>"
    assert repr(places) == "<Places 2 of 2 taken, 1 left aside>"


async def test_a_short_wait_keeps_its_place() -> None:
    """An answer within the patience changes nothing."""
    places = Places(limit=1, aside=1, patience_s=60.0)
    places.begin("a.test")
    with places.waiting("a.test", never):
        assert repr(places) == "<Places 1 of 1 taken, 1 left aside>"
    places.end("a.test")
    assert repr(places) == "<Places 0 of 1 taken, 1 left aside>"


async def test_a_rest_gives_its_place_away_at_once() -> None:
    """Who pauses holds no place, takes none aside, and comes back when one is free."""
    places, over = Places(limit=1, aside=0), asyncio.Event()
    places.begin("a.test")
    resting = asyncio.create_task(places.rest(over.wait()))
    await asyncio.wait_for(places.free(), 5.0)
    await asyncio.sleep(0)
    assert repr(places) == "<Places 0 of 1 taken, 0 left aside>"
    assert not places.idle
    places.begin("a.test")
    over.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not resting.done()
    places.end("a.test")
    await asyncio.wait_for(resting, 5.0)
    assert repr(places) == "<Places 1 of 1 taken, 0 left aside>"


async def test_a_rest_that_is_cut_short_counts_again() -> None:
    """A run that is cancelled finds its numbers as they were."""
    places = Places(limit=1, aside=0)
    places.begin("a.test")
    resting = asyncio.create_task(places.rest(asyncio.Event().wait()))
    await asyncio.sleep(0)
    resting.cancel()
    await asyncio.gather(resting, return_exceptions=True)
    assert repr(places) == "<Places 1 of 1 taken, 0 left aside>"


class Clock:
    """A clock that stands still until told."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


async def test_room_aside_that_comes_free_is_used() -> None:
    """A page that found no room aside steps there as soon as another one has left."""
    places = Places(limit=1, aside=1, patience_s=0.0)
    places.begin("a.test")
    places.begin("b.test")
    with places.waiting("a.test", never):
        with places.waiting("b.test", never):
            await asyncio.sleep(0.01)
            assert places.full
        assert places.full  # b is at work
        places.end("b.test")
        assert not places.full


async def test_strangers_leave_places_for_others() -> None:
    """Hosts that have not proved themselves never have more than three quarters of the places."""
    places = Places(limit=2, aside=6, patience_s=0.0)
    with ExitStack() as waits:
        for n in range(6):
            assert not places.full_of_strangers
            places.begin(f"{n}.test", STRANGE)
            waits.enter_context(places.waiting(f"{n}.test", never))
            await asyncio.sleep(0.01)
        assert places.full_of_strangers
        assert not places.full
        places.begin("known.test")
        assert not places.full
        places.end("0.test")
        assert not places.full_of_strangers


async def test_the_longest_wait_gives_way() -> None:
    """Not before its time, one after the other, and of strangers where only they find no place."""
    clock, gave_way = Clock(), list[str]()
    places = Places(limit=1, aside=3, patience_s=0.0, clock=clock)
    with ExitStack() as waits:
        for host in ("known.test", "a.test", "b.test"):
            clock.now += 1.0
            places.begin(host, KNOWN if host == "known.test" else STRANGE)
            waits.enter_context(places.waiting(host, partial(gave_way.append, host)))
        places.begin("c.test", STRANGE)
        await asyncio.sleep(0.01)
        assert places.full
        assert places.stalls_at() is None  # c has the place, and is at work
        waits.enter_context(places.waiting("c.test", never))
        await asyncio.sleep(0.01)
        assert places.full
        assert places.stalls_at() == 1.0 + STALL_S
        places.end("known.test")
        assert places.full_of_strangers
        assert not places.full
        assert places.stalls_at() == 2.0 + STALL_S
        places.give_way()
        assert gave_way == ["a.test"]
        assert places.stalls_at() is None  # its place is not free yet, and one is enough
    assert places.stalls_at() is None


async def test_answers_earn_time() -> None:
    """A host that has answered often keeps its place for longer than one that came before it."""
    clock, gave_way = Clock(), list[str]()
    places = Places(limit=1, aside=1, patience_s=0.0, clock=clock)
    with ExitStack() as waits:
        for host, answers in (("slow.test", 20), ("new.test", 1), ("late.test", 0)):
            places.begin(host, Reputation(answers, 0))
            waits.enter_context(places.waiting(host, partial(gave_way.append, host)))
            clock.now += 0.1
        await asyncio.sleep(0.01)
        assert places.full
        assert places.stalls_at() == pytest.approx(0.1 + STALL_S)
        places.give_way()
        assert gave_way == ["new.test"]
        places.begin("slow.test", STRANGE)
        assert places.stalls_at() is None
    places.end("slow.test")


@pytest.mark.parametrize(
    ("gave_way", "may_wait_s"), [(0, STALL_S), (1, 2 * STALL_S), (3, 8 * STALL_S), (9, MOST_S)]
)
async def test_who_gave_way_may_wait_for_longer(gave_way: int, may_wait_s: float) -> None:
    """It may only be slow: its time doubles, within bounds, until it is heard."""
    places = Places(limit=1, aside=0, patience_s=0.0, clock=Clock())
    places.begin("slow.test", Reputation(0, gave_way))
    with places.waiting("slow.test", never):
        await asyncio.sleep(0.01)
        assert places.stalls_at() == pytest.approx(may_wait_s)


async def test_a_page_that_left_its_place_counts_as_before() -> None:
    """While a page of a stranger waits to be read, another stranger may have its place."""
    places = Places(limit=1, aside=0)
    places.begin("a.test", STRANGE)
    assert places.full_of_strangers
    with places.left("a.test"):
        assert not places.full_of_strangers
        places.begin("b.test", STRANGE)
        places.end("b.test")
    assert places.full_of_strangers
    places.end("a.test")
    assert not places.full_of_strangers


async def test_a_stall_is_longer_where_answers_are_slow() -> None:
    """It follows the usual wait up to two seconds, which no silence and no slowness can exceed."""
    clock = Clock()
    places = Places(limit=1, aside=0, clock=clock)
    places.begin("a.test")
    allowed = []
    for took_s in (0.01, 0.3, 60.0, 0.01):
        for _ in range(200):
            with places.waiting("a.test", never):
                clock.now += took_s
        allowed.append(places.stall_s)
    assert allowed == pytest.approx([0.5, 1.2, 2.0, 0.5], rel=0.02)
    for _ in range(200):
        with places.waiting("a.test", lambda: None):
            clock.now += 60.0
            places.give_way()
    assert places.stall_s == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("workers", "body_bytes", "aside"),
    [(32, 10_000_000, 100), (8, 10_000_000, 32), (32, 1_000_000, 128), (200, 10_000_000, 200)],
)
def test_places_are_bounded_by_memory(workers: int, body_bytes: int, aside: int) -> None:
    """At most four a worker, and no more than a gigabyte of bodies beyond one a worker."""
    assert places_aside(Fetch(workers=workers, max_body_bytes=body_bytes)) == aside
