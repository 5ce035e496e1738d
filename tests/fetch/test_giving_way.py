"""A request that gives way to others is broken off at once, and says nothing of its server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from support.crawling import HANG_S
from support.fetching import job, over_http, task
from support.servers import Handler, response, serve, stall, then

from crawler.fetch.addresses import Resolver
from crawler.fetch.request_slots import RequestSlots
from crawler.models import Obstacle, Postponed

BEGUN = then(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nContent-Type: text/html\r\n\r\n<p>", stall)


async def given_way(
    asking: Coroutine[Any, Any, Any], slots: RequestSlots, asked: asyncio.Event
) -> Any:
    """Have the only page under way give its slot, once its server was asked."""
    work = asyncio.create_task(asking)
    await asyncio.wait_for(asked.wait(), HANG_S)
    await asyncio.sleep(0.02)
    slots.give_way()
    assert slots.stalls_at() is None
    return await asyncio.wait_for(work, HANG_S)


def full_slots() -> RequestSlots:
    """Return slots of which none is free."""
    slots = RequestSlots(limit=1, aside=0)
    slots.begin("127.0.0.1")
    return slots


@pytest.mark.parametrize("reply", [stall, BEGUN], ids=["silent", "within the body"])
async def test_a_page_gives_way(reply: Handler) -> None:
    """Before the first byte or within the body: the URL stays pending, the connection is closed."""
    slots = full_slots()
    async with serve({"/": reply, "/good": response()}) as site:
        async with over_http(job(), slots=slots) as fetcher:
            asking = fetcher.fetch(task(f"{site.url}/"), 0.0)
            outcome = await given_way(asking, slots, site.asked)
            assert isinstance(outcome, Postponed)
            assert outcome.obstacle is Obstacle.CROWD
            assert "gave way to others after" in outcome.detail
            await fetcher.fetch(task(f"{site.url}/good"), 0.0)
        assert site.connections == 2


async def test_a_robots_txt_gives_way() -> None:
    """Nothing is known of the rules, and no request goes on behind the back of the slots."""
    slots = full_slots()
    async with serve({"/robots.txt": stall}) as site, over_http(job(), slots=slots) as fetcher:
        answer = await given_way(fetcher.robots.refresh(site.url), slots, site.asked)
        assert not answer.known
        assert answer.failure is None
        assert answer.postponed is not None
        assert answer.postponed.obstacle is Obstacle.CROWD
        again = asyncio.create_task(fetcher.robots.refresh(site.url))
        while len(site.requests) < 2:  # noqa: ASYNC110 - a server tells no event twice
            await asyncio.sleep(0.01)
        again.cancel()


async def test_a_look_up_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is not known then, as where DNS has none."""
    asked = asyncio.Event()

    async def never(resolver: Resolver, name: str) -> tuple[str, ...]:
        asked.set()
        return await asyncio.Event().wait() and ()

    monkeypatch.setattr(Resolver, "_system", never)
    slots = full_slots()
    async with over_http(job(), slots=slots) as fetcher:
        assert await given_way(fetcher.resolve("slow.test"), slots, asked) is None
