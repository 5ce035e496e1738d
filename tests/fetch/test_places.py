"""Pages that servers keep waiting give their place to others, within bounds."""

from __future__ import annotations

import asyncio

import pytest

from crawler.config import Fetch
from crawler.fetch import Workers, places_aside


async def test_a_long_wait_gives_its_place_away() -> None:
    """A page that a server keeps waiting lets another one begin, and counts again when back."""
    workers = Workers(limit=1, aside=1, patience_s=0.0)
    workers.begin()
    with workers.waiting():
        await workers.room()
        workers.begin()
    assert repr(workers) == "<Workers 2 of 1 busy, room for 1 aside>"
    workers.end()
    workers.end()
    await workers.room()


async def test_places_aside_are_bounded() -> None:
    """Only so many step aside; the next one keeps its place, however long it waits."""
    workers = Workers(limit=2, aside=1, patience_s=0.0)
    workers.begin()
    workers.begin()
    with workers.waiting(), workers.waiting():
        await asyncio.wait_for(workers.room(), 5.0)
        await asyncio.sleep(0)
        assert repr(workers) == "<Workers 1 of 2 busy, room for 0 aside>"
    assert repr(workers) == "<Workers 2 of 2 busy, room for 1 aside>"


async def test_a_short_wait_keeps_its_place() -> None:
    """An answer within the patience changes nothing."""
    workers = Workers(limit=1, aside=1, patience_s=60.0)
    workers.begin()
    with workers.waiting():
        assert repr(workers) == "<Workers 1 of 1 busy, room for 1 aside>"
    workers.end()
    assert repr(workers) == "<Workers 0 of 1 busy, room for 1 aside>"


@pytest.mark.parametrize(
    ("workers", "body_bytes", "aside"),
    [(32, 10_000_000, 100), (8, 10_000_000, 32), (32, 1_000_000, 128), (200, 10_000_000, 200)],
)
def test_places_are_bounded_by_memory(workers: int, body_bytes: int, aside: int) -> None:
    """At most four a worker, and no more than a gigabyte of bodies beyond one a worker."""
    assert places_aside(Fetch(workers=workers, max_body_bytes=body_bytes)) == aside
