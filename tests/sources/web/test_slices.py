"""Long work of the event loop: in slices, stopped between two of them, and the stall is told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from support.crawling import crawl, loopback_job
from support.life_parts import TASK, LifeWorld, document
from support.loops import other_turns
from support.output import summary_of
from support.shelf import shelf, written
from support.worlds import fetched

from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.frontier import Nearer
from crawler.models import ExactDuplicate, Priority, StoredRef
from crawler.observe import progress
from crawler.observe.progress import EVERY_S, Progress, Stalls, in_slices
from crawler.observe.summary import Tally
from crawler.sources.web.crawl import Crawl
from crawler.sources.web.pipeline import CHARACTERS_A_SLICE, LINKS_A_SLICE
from crawler.storage.store import Store
from crawler.storage.view import StoreView

LINKS = tuple(f"http://a.test/{n}" for n in range(3 * LINKS_A_SLICE + 7))


async def test_others_run_between_slices() -> None:
    """Whatever waits on the loop has its turn after each slice, and items come in their order."""
    turns: list[int] = []
    loop = asyncio.get_running_loop()
    found = []
    async for some in in_slices(range(10), 4):
        loop.call_soon(turns.append, len(some))
        found += some
    assert found == list(range(10))
    assert turns == [4, 4, 2]


async def test_the_links_of_a_large_page_are_offered_in_slices() -> None:
    """Each link once, in page order; the page ends with the last of them, and none is lost."""
    world = LifeWorld(fetched(TASK, b"<p>links"), document(links=(*LINKS, LINKS[0])))
    async with other_turns() as turns:
        batch = await world.run()
    assert batch is not None
    assert world.offered == list(LINKS)
    assert [new.url for new in (*world.store.urls, *batch.new_urls)] == list(LINKS)
    assert 0 < len(batch.new_urls) <= LINKS_A_SLICE
    assert batch.totals.dropped_link["seen"] == 1
    assert turns.count >= 3


async def test_early_links_of_a_copy_are_those_of_a_copy() -> None:
    """Known bytes are known before the links are offered; with nofollow none is."""
    for mode, wanted in (("defer", Priority.DEFERRED), ("follow", Priority.ORDINARY)):
        world = LifeWorld(
            fetched(TASK, b"<p>x"), document(links=LINKS), dedup={"follow_duplicates": mode}
        )
        world.judge.known = ExactDuplicate("exact-payload", StoredRef(1, "http://a.test/0"))
        await world.run()
        assert {how["priority"] for _, how in world.frontier.offers} == {wanted}
    for fields in ({"nofollow": True}, {}):
        world = LifeWorld(
            fetched(TASK, b"<p>x"),
            document(links=LINKS, **fields),
            dedup={"follow_duplicates": "ignore"},
        )
        world.judge.known = ExactDuplicate("exact-payload", StoredRef(1, "http://a.test/0"))
        await world.run()
        assert world.offered == []


async def test_a_stall_is_measured_and_told_once() -> None:
    """A loop late by 1.3 s says so in one progress line, one by .3 s never; the longest is kept."""
    now = 0.0
    lines: list[str] = []
    stalls = Stalls(lambda: now)

    class Queue:
        pending, hosts, aside = 1, 1, 0

    with stalls:
        progress = Progress(Tally({}), cast("Any", Queue), 60.0, lines.append, lambda: now, stalls)
        async with progress:
            now = EVERY_S + 1.3
            stalls.look()
            assert "event loop stalled for 1.3 s" in progress.line()
            now += EVERY_S + 0.3
            stalls.look()
            assert "stalled" not in progress.line()
    assert stalls.longest_s == pytest.approx(1.3)


async def test_most_stalls_are_below_their_percentile() -> None:
    """Of 99 looks late by 2 ms and one that is late by 3 s, the 99th percentile is 2 to 3 ms."""
    now = 0.0
    with Stalls(lambda: now) as stalls:
        assert stalls.p99_s == 0.0
        for late_s in (*(0.0025,) * 99, 3.0):
            now += EVERY_S + late_s
            stalls.look()
        assert stalls.p99_s == 0.003
        now += EVERY_S + 3.0
        stalls.look()
        assert stalls.p99_s > 1.0


@pytest.mark.usefixtures("no_analysis_processes")
def test_the_summary_has_the_longest_stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all runs, and what most stalls are below; here nothing takes long, but it was measured."""
    monkeypatch.setattr(progress, "EVERY_S", 0.0005)  # the crawl may be over in twenty milliseconds
    with shelf({"/": written("One", 1)}) as host:
        assert crawl(loopback_job(tmp_path, [host + "/"])) == 0
    summary = summary_of(tmp_path)
    longest_ms, p99_ms = (round(1000 * summary[key]) for key in ("longest_stall_s", "stall_p99_s"))
    assert 0 < p99_ms <= longest_ms + 1, "one is the next whole millisecond, the other the nearest"
    assert longest_ms < 60_000


@pytest.mark.usefixtures("no_analysis_processes")
def test_a_crawl_that_is_being_restored_can_be_stopped(tmp_path: Path) -> None:
    """A signal that comes then is heard, and nothing is changed: a later run goes on."""
    with shelf({"/": written("One", 1)}) as host:
        data = loopback_job(tmp_path, [host + "/"])
        assert crawl(data) == 0
        before = _urls(tmp_path)
        job = parse_job(data, "test")
        begun = Crawl(job, Store.open(tmp_path, identity(job)))
        begun.stop()
        asyncio.run(begun.run())
        assert begun.stopped
        assert _urls(tmp_path) == before


def _urls(directory: Path) -> list[Any]:
    with StoreView.read(directory) as view:
        return view.database.rows("SELECT url, state FROM urls ORDER BY id")


async def test_long_links_are_offered_in_shorter_slices() -> None:
    """What is offered at once has a bounded length, however many links that makes."""
    long = tuple(f"http://a.test/{n}/{'x' * 2_000}" for n in range(100))
    world = LifeWorld(fetched(TASK, b"<p>links"), document(links=long))
    batch = await world.run()
    assert batch is not None
    assert world.offered == list(long)
    assert 0 < sum(len(new.url) for new in batch.new_urls) <= CHARACTERS_A_SLICE


async def test_pages_found_nearer_are_offered_again_in_slices() -> None:
    """Their links are all offered, each page's with its depth, and others run in between."""
    world = LifeWorld(fetched(TASK, b"<p>x"), document(links=()))
    first, second = (
        Nearer(replace(TASK, url_id=n, depth=n), LINKS[n::2], Priority.ORDINARY, step=1)
        for n in range(2)
    )
    world.frontier.found_nearer = [first, second]
    turns = []
    asyncio.get_running_loop().call_soon(lambda: turns.append(len(world.offered)))
    await world.run()
    assert world.offered == [*LINKS[0::2], *LINKS[1::2]]
    assert [how["depth"] for _, how in world.frontier.offers] == [1] * len(first.links) + [2] * len(
        second.links
    )
    assert [new.url for new in world.store.urls] == world.offered
    assert turns
    assert turns[0] <= LINKS_A_SLICE
