"""When a store commits, what it holds back, and how it ends: in order, cancelled or failed."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support.store_material import (
    IDENTITY,
    NEVER,
    check_consistent,
    crawl_of,
    duplicate,
    names,
    new_url,
    outside_connection,
    page,
    url_of,
)

from crawler.errors import StoreError
from crawler.models import UrlState
from crawler.storage.directory import line_path
from crawler.storage.store import Store
from crawler.storage.writer import GroupLimits


async def test_commits_by_age(tmp_path: Path) -> None:
    """Without any request a lone batch is committed once it is old enough."""
    limits = GroupLimits(age_s=0.01, waiting_batches=1)
    async with Store.create(tmp_path, IDENTITY, limits) as store:
        store.submit_urls([new_url(1)])
        store.submit(page(1, 1))
        await store.room()
        with Store.read(tmp_path) as view:
            assert view.accounting().count(UrlState.STORED) == 1


async def test_commits_by_size(tmp_path: Path) -> None:
    """A full group does not wait for its age, and room comes with its commit."""
    limits = GroupLimits(age_s=3600, batches=3, waiting_batches=3)
    async with Store.create(tmp_path, IDENTITY, limits) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3)])
        for n in (1, 2, 3):
            store.submit(page(n, n))
        await store.room()
        with Store.read(tmp_path) as view:
            assert view.accounting().count(UrlState.STORED) == 3


@pytest.mark.parametrize("field", ["text", "markdown"])
async def test_room_waits_for_bytes(tmp_path: Path, field: str) -> None:
    """Large pages use the room up as well as many pages do."""
    batch = page(1, 1)
    ((name, record),) = batch.lines
    large = replace(batch, lines=((name, {**record, field: "字" * 50_000}),))
    limits = GroupLimits(age_s=3600, waiting_bytes=100_000)
    async with Store.create(tmp_path, IDENTITY, limits) as store:
        store.submit_urls([new_url(1)])
        await store.room()
        store.submit(large)
        waiter = asyncio.create_task(store.room())
        await asyncio.sleep(0)
        assert not waiter.done()
        await store.flush()
        await waiter


async def test_exit_commits_after_an_exception(tmp_path: Path) -> None:
    """What was submitted before the crawl failed is kept."""

    async def crawl() -> None:
        async with Store.create(tmp_path, IDENTITY, NEVER) as store:
            store.submit_urls([new_url(1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await crawl()
    with Store.read(tmp_path) as view:
        assert list(view.seen_urls()) == [url_of(1)]


async def test_exit_commits_when_cancelled(tmp_path: Path) -> None:
    """Cancelling a crawl, even twice, still commits, closes and ends as cancelled."""
    entered = asyncio.Event()

    async def crawl() -> None:
        async with Store.create(tmp_path, IDENTITY, NEVER) as store:
            store.submit_urls([new_url(1)])
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(crawl())
    await entered.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with Store.open(tmp_path, IDENTITY) as store:
        assert store.next_url_id == 2
    assert not [t for t in threading.enumerate() if t.name == "store-writer"]


async def test_cancelled_requests_leave_the_store_usable(tmp_path: Path) -> None:
    """A flush or refill that nobody waits for any more harms nothing."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        for request in (store.flush(), store.refill("host1.example", None, 1)):
            task = asyncio.ensure_future(request)
            await asyncio.sleep(0)
            task.cancel()
        assert len(await store.refill("host1.example", None, 1)) == 1


async def test_clean_end_leaves_one_state_file(tmp_path: Path) -> None:
    """After a clean end there is no log beside the state, and reading makes no file."""
    await crawl_of(tmp_path, 2)
    before = names(tmp_path)
    with Store.read(tmp_path) as view:
        view.accounting()
        assert names(tmp_path) == before
    assert "state.sqlite" in before
    assert not {"state.sqlite-wal", "state.sqlite-shm"} & set(before)


async def test_read_while_a_crawl_runs(tmp_path: Path) -> None:
    """A report reads a running crawl: committed rows, no lock, and the crawl goes on."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1), new_url(2)])
        await store.flush()
        with Store.read(tmp_path) as view:
            store.submit(page(1, 1))
            assert view.accounting().count(UrlState.PENDING) == 2
            await store.flush()
            assert view.accounting().count(UrlState.STORED) == 1


async def test_waits_for_an_outside_writer(tmp_path: Path) -> None:
    """A lock that another program holds on the state file delays a commit and breaks nothing."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        with closing(outside_connection(tmp_path)) as outside:
            outside.connection.execute("BEGIN IMMEDIATE")
            store.submit_urls([new_url(1)])
            flush = asyncio.create_task(store.flush())
            done, _ = await asyncio.wait({flush}, timeout=0.05)
            assert not done
            outside.connection.execute("ROLLBACK")
            await flush
        assert store.next_url_id == 2


async def test_a_failed_writer_refuses_everything(tmp_path: Path) -> None:
    """After a failure every call says what failed, what is safe and the way out."""
    way_out = "committed before is safe.*python -m crawler resume"
    store = Store.create(tmp_path, IDENTITY, NEVER)
    await store.__aenter__()
    store.submit_urls([new_url(1)])
    await store.flush()
    store.submit(duplicate(1, of=7))
    waiting = asyncio.create_task(store.refill("host1.example", None, 1))
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        await store.flush()
    with pytest.raises(StoreError, match=way_out):
        await waiting
    with pytest.raises(StoreError, match=way_out):
        await store.flush()
    with pytest.raises(StoreError, match=way_out):
        await store.room()
    with pytest.raises(StoreError, match=way_out):
        store.submit(page(1, 1))
    with pytest.raises(StoreError, match=way_out):
        store.submit_urls([new_url(2)])
    with pytest.raises(StoreError, match=way_out):
        await store.__aexit__(None, None, None)
    assert StoreError.exit_code == 3


async def test_a_failure_ends_waiting_for_room(tmp_path: Path) -> None:
    """Who waits for room when the writer fails is told, and does not wait for ever."""
    waiters: list[asyncio.Task[None]] = []

    async def crawl() -> None:
        limits = GroupLimits(age_s=3600, waiting_batches=1)
        async with Store.create(tmp_path, IDENTITY, limits) as store:
            store.submit_urls([new_url(1)])
            store.submit(duplicate(1, of=7))
            waiters.append(asyncio.create_task(store.room()))
            await asyncio.sleep(0)
            await store.flush()

    with pytest.raises(StoreError):
        await crawl()
    with pytest.raises(StoreError, match="crawl must stop"):
        await asyncio.wait_for(waiters[0], 600)


async def test_unwritten_lines_are_never_counted(tmp_path: Path) -> None:
    """Lines come before their transaction: where they cannot be written, nothing is committed."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
    line_path(tmp_path, "pages").unlink()
    line_path(tmp_path, "pages").symlink_to("/dev/full")
    store = Store.open(tmp_path, IDENTITY)
    await store.__aenter__()
    store.submit(page(1, 1))
    with pytest.raises(StoreError, match=r"No space left on device: '.*pages\.jsonl'"):
        await store.flush()
    with pytest.raises(StoreError):
        await store.__aexit__(None, None, None)
    line_path(tmp_path, "pages").unlink()
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)
        assert store.accounting().count(UrlState.PENDING) == 1
