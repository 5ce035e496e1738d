"""Who was replaced is refused by whoever knows its successor, and ends by one clear error."""

from __future__ import annotations

import asyncio
import itertools
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.clustered import Local
from support.crawling import HANG_S
from support.parts import PARTITIONS, Ends, check_parts, ends_in, parts_job, run_parts, soon
from support.roles import Processes

from crawler.cluster import coordinator, host
from crawler.cluster.coordinator import Coordinator
from crawler.cluster.partition import Partition, lease_clock
from crawler.cluster.protocol import SEQUENCER, Gone, partition, shard
from crawler.cluster.root import Root
from crawler.errors import StoreInUse

processes = pytest.mark.skipif(sys.platform != "linux", reason="it stops processes by handles")
DAY_S = 86_400.0
STALE, NEWER = 1, 99
"""A partition, and the epoch of its successor on another machine, with a copy of its directory."""


class Overtaken(Local):
    """Lets a successor of STALE speak to a role before STALE calls a method of it."""

    def __init__(self, root: Path, method: str) -> None:
        super().__init__(root)
        self._method = method
        self._is_known = False

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        if method == self._method and args[0] == STALE and not self._is_known:
            self._is_known = True
            if role == SEQUENCER:
                await super().call(role, "hello", STALE, NEWER)
            else:
                await super().call(role, "links", STALE, NEWER, [])
        return await super().call(role, method, *args)


@pytest.mark.usefixtures("no_analysis_processes")
@pytest.mark.parametrize("method", ["hello", "ask", "observe", "links"])
async def test_a_partition_that_was_replaced_ends(tmp_path: Path, method: str) -> None:
    """Refused by a role that knows its successor, it ends by one error, and so does the crawl."""
    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        with pytest.raises(StoreInUse, match="p001: it was opened again since"):
            await run_parts(root, Overtaken(root.path, method))
        check_parts(root, is_over=False)


@processes
async def test_a_partition_that_hangs_is_waited_for_while_it_holds_its_directory(
    tmp_path: Path, calm: Ends
) -> None:
    """A second process of it is Gone meanwhile, and nothing is lost when the first goes on."""
    role, answers = partition(STALE), list[object]()

    async def second() -> None:
        engine.send(role, signal.SIGSTOP)
        carrier = engine.second(role)
        while not answers:
            try:
                answers.append(await carrier.call(role, "status"))
            except Gone as why:
                if "is in use" in str(why):
                    answers.append(why)
                else:
                    await soon(0.02)
        carrier.close()
        engine.send(role, signal.SIGCONT)

    def begin() -> None:
        tasks.append(asyncio.run_coroutine_threadsafe(second(), loop))

    tasks: list[Any] = []
    loop = asyncio.get_running_loop()
    with parts_job(tmp_path / "out", {9: begin}) as job:
        root = Root.create(job.output, job)
        engine = Processes(root.path)
        await run_parts(root, engine)
    assert [type(answer) for answer in answers] == [Gone]
    check_parts(root)
    assert ends_in(root) == calm


@processes
async def test_a_partition_that_wakes_up_replaced_ends(tmp_path: Path) -> None:
    """Stopped while the judge hears of a successor, it ends by one error when it goes on."""
    role = partition(STALE)

    async def replace() -> None:
        engine.send(role, signal.SIGSTOP)
        await engine.call(SEQUENCER, "hello", STALE, NEWER)
        engine.send(role, signal.SIGCONT)

    def begin() -> None:
        tasks.append(asyncio.run_coroutine_threadsafe(replace(), loop))

    tasks: list[Any] = []
    loop = asyncio.get_running_loop()
    with parts_job(tmp_path / "out", {9: begin}) as job:
        root = Root.create(job.output, job)
        engine = Processes(root.path)
        with pytest.raises(StoreInUse, match="p001: it was opened again since"):
            await run_parts(root, engine)
        check_parts(root, is_over=False)


@pytest.mark.usefixtures("no_analysis_processes")
async def test_who_wakes_up_too_late_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that stood still past its lease begins no request until the judge has answered."""
    slept, seen, looks = 0.0, itertools.count(1), 0
    asleep = asyncio.Event()
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(host, "Partition", partial(Partition, clock=lambda: loop.time() + slept))

    class Unheard(Local):
        async def call(self, role: str, method: str, *args: Any) -> Any:
            if method == "renew" and asleep.is_set():
                raise Gone("not heard")
            return await super().call(role, method, *args)

    def sleep() -> None:
        nonlocal slept
        slept = 3_600.0
        loop.call_soon_threadsafe(asleep.set)

    async def watch(wait_s: float) -> None:
        nonlocal looks
        await soon(wait_s)
        if asleep.is_set():
            looks += 1
            if looks == 20:
                asked.append(next(seen))
                asleep.clear()

    asked: list[int] = []
    happens: dict[int, Callable[[], object]] = {n: partial(next, seen) for n in range(1, 1_000)}
    happens[9] = sleep
    fetch = {"workers": 1}
    with parts_job(tmp_path / "out", happens, fetch=fetch) as job:
        root = Root.create(job.output, job)
        watched = Coordinator(root, Unheard(root.path), lambda line: None, pause=watch)
        async with asyncio.timeout(HANG_S):
            await watched.run()
    check_parts(root)
    before, under_way = 9, PARTITIONS - 1
    assert asked[0] <= before + under_way


@processes
async def test_roles_that_hang_are_replaced(
    tmp_path: Path, calm: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partition, a shard and the sequencer, stopped for good, begin anew in other processes."""
    monkeypatch.setattr(coordinator, "PATIENCE_S", 3.0)
    stopped = (partition(STALE), shard(0), SEQUENCER)

    def stop() -> None:
        for role in stopped:
            engine.send(role, signal.SIGSTOP)

    with parts_job(tmp_path / "out", {9: stop}) as job:
        root = Root.create(job.output, job)
        engine = Processes(root.path)
        await run_parts(root, engine)
    assert {*stopped} <= engine.ends.keys()
    check_parts(root)
    assert ends_in(root) == calm


@pytest.mark.usefixtures("no_analysis_processes")
async def test_clocks_a_day_apart_change_nothing(
    tmp_path: Path, calm: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machines whose clocks differ by days crawl as others: none tells another one a time."""

    def made(root: Root, number: int, *args: Any) -> Partition:
        apart_s = (number - 1) * DAY_S
        return Partition(
            *(root, number, *args),
            clock=lambda: lease_clock() + apart_s,
            wall=lambda: time.time() - apart_s,
        )

    monkeypatch.setattr(host, "Partition", made)
    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        await run_parts(root, Local(root.path))
    check_parts(root)
    assert ends_in(root) == calm
