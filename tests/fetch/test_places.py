"""Pages that servers keep waiting give their place to others, within bounds."""

from __future__ import annotations

import asyncio

import pytest

from crawler.config import Fetch
from crawler.fetch.places import Places, places_aside


async def test_a_long_wait_gives_its_place_away() -> None:
    """A page that a server keeps waiting lets another one begin, and counts again when back."""
    places = Places(limit=1, aside=1, patience_s=0.0)
    places.begin()
    with places.waiting():
        await places.free()
        places.begin()
    assert repr(places) == "<Places 2 of 1 taken, 1 left aside>"
    places.end()
    places.end()
    await places.free()


async def test_places_aside_are_bounded() -> None:
    """Only so many step aside; the next one keeps its place, however long it waits."""
    places = Places(limit=2, aside=1, patience_s=0.0)
    places.begin()
    places.begin()
    with places.waiting(), places.waiting():
        await asyncio.wait_for(places.free(), 5.0)
        await asyncio.sleep(0)
        assert repr(places) == "<Places 1 of 2 taken, 0 left aside>"
    assert repr(places) == "<Places 2 of 2 taken, 1 left aside>"


async def test_a_short_wait_keeps_its_place() -> None:
    """An answer within the patience changes nothing."""
    places = Places(limit=1, aside=1, patience_s=60.0)
    places.begin()
    with places.waiting():
        assert repr(places) == "<Places 1 of 1 taken, 1 left aside>"
    places.end()
    assert repr(places) == "<Places 0 of 1 taken, 1 left aside>"


async def test_a_rest_gives_its_place_away_at_once() -> None:
    """Who pauses holds no place, takes none aside, and comes back when one is free."""
    places, over = Places(limit=1, aside=0), asyncio.Event()
    places.begin()
    resting = asyncio.create_task(places.rest(over.wait()))
    await asyncio.wait_for(places.free(), 5.0)
    await asyncio.sleep(0)
    assert repr(places) == "<Places 0 of 1 taken, 0 left aside>"
    assert not places.idle
    places.begin()
    over.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not resting.done()
    places.end()
    await asyncio.wait_for(resting, 5.0)
    assert repr(places) == "<Places 1 of 1 taken, 0 left aside>"


async def test_a_rest_that_is_cut_short_counts_again() -> None:
    """A run that is cancelled finds its numbers as they were."""
    places = Places(limit=1, aside=0)
    places.begin()
    resting = asyncio.create_task(places.rest(asyncio.Event().wait()))
    await asyncio.sleep(0)
    resting.cancel()
    await asyncio.gather(resting, return_exceptions=True)
    assert repr(places) == "<Places 1 of 1 taken, 0 left aside>"


@pytest.mark.parametrize(
    ("workers", "body_bytes", "aside"),
    [(32, 10_000_000, 100), (8, 10_000_000, 32), (32, 1_000_000, 128), (200, 10_000_000, 200)],
)
def test_places_are_bounded_by_memory(workers: int, body_bytes: int, aside: int) -> None:
    """At most four a worker, and no more than a gigabyte of bodies beyond one a worker."""
    assert places_aside(Fetch(workers=workers, max_body_bytes=body_bytes)) == aside
