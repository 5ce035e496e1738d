"""Pages on their way to be read hold no place for fetching, while there is room for them."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from support.life_parts import document

from crawler.fetch import RequestSlots
from crawler.models import Document, Listing, PageLinks
from crawler.sources.web.pipeline import ReadingRoom
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import Planned, as_it_is

pytestmark = pytest.mark.asyncio


class SlowPool:
    """Reads nothing before it is told to."""

    def __init__(self) -> None:
        self.may_read = asyncio.Event()

    async def analyse(self, request: AnalysisRequest, planned: Planned = as_it_is) -> Document:
        """See PagePool."""
        await self.may_read.wait()
        return document()

    async def links(self, request: AnalysisRequest) -> PageLinks:
        """See PagePool."""
        await self.may_read.wait()
        return PageLinks(())

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """See PagePool."""
        await self.may_read.wait()
        return None


class Room:
    """Counts bytes by host, and has room for so many in all."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.hosts: list[str] = []

    def unread(self, host: str, size: int) -> bool:
        """See UnreadPages."""
        self.hosts.append(host)
        self.left -= size
        return self.left >= 0

    def was_read(self, host: str, size: int) -> None:
        """See UnreadPages."""
        self.hosts.remove(host)
        self.left += size


REQUEST = AnalysisRequest("http://a.test:81/page", b"x" * 10, "text/html", None)


@pytest.mark.parametrize("links_only", [False, True])
async def test_a_page_that_waits_to_be_read_holds_no_place(links_only: bool) -> None:
    """Others are fetched meanwhile; where there is no room it keeps its place, and they wait."""
    pool, room, slots = SlowPool(), Room(25), RequestSlots(2, aside=0)
    reading = ReadingRoom(pool, slots, cast("Any", room))
    tasks = []
    for _ in range(4):
        slots.begin("a.test:81")
        tasks.append(
            asyncio.create_task((reading.links if links_only else reading.analyse)(REQUEST))
        )
        await asyncio.sleep(0)
    assert room.hosts == ["a.test:81"] * 4
    assert repr(slots).startswith("<RequestSlots 2 of 2 taken")
    pool.may_read.set()
    await asyncio.gather(*tasks)
    assert not room.hosts
    assert repr(slots).startswith("<RequestSlots 4 of 2 taken")


async def test_a_page_that_is_dropped_leaves_the_room() -> None:
    """What nobody waits for any more is not counted, and its place is as it was."""
    room, slots = Room(10), RequestSlots(1, aside=0)
    slots.begin("a.test:81")
    task = asyncio.create_task(ReadingRoom(SlowPool(), slots, cast("Any", room)).analyse(REQUEST))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert room.left == 10
    assert repr(slots).startswith("<RequestSlots 1 of 1 taken")
