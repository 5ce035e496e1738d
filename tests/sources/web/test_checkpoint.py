"""What a run owes to hosts is kept for the next one, at the cost of what has changed."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from support.remembering import Remembered
from support.store_material import IDENTITY

from crawler.config import Job
from crawler.frontier import Frontier, SeenSet
from crawler.frontier.failures import EVIDENCE_GAP_S
from crawler.observe.progress import Stalls
from crawler.sources.web.checkpoint import PAUSES_KEPT_S, Checkpoint
from crawler.storage.rows import PauseRow
from crawler.storage.store import Store
from crawler.storage.view import StoreView

SLOW = [f"slow{n}.test" for n in range(50)]
RETRY_AFTER_S = 60.0


class Run:
    """A run that has seen one URL and learns what hosts ask for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.job = Job(output=store.directory)
        self.frontier = Frontier(self.job, next_url_id=store.next_url_id)
        self._checkpoint = Checkpoint(self.job, store, lambda: 0.0)
        store.begin_run(self.job.model_dump(mode="json"), {})

    def owe(self, host: str, wait_s: float) -> None:
        """Hear from a host that it wants to be left alone."""
        known = self.frontier.politeness.host(host)
        known.owe(wait_s)
        self.frontier.politeness.place(known)

    async def beat(self) -> None:
        """Note where the run stands, durably."""
        await self._checkpoint.mark(self.frontier, Stalls(), stopped=False)
        await self.store.flush()


async def resumed(store: Store) -> Frontier:
    """Return the frontier of a next run."""
    checkpoint = Checkpoint(Job(output=store.directory), store, lambda: 0.0)
    frontier = await checkpoint.frontier(0, SeenSet(), asyncio.Event())
    assert isinstance(frontier, Frontier)
    return frontier


def pauses(directory: Path) -> dict[str, float]:
    """Return until when each host is to be left alone."""
    with StoreView.read(directory) as view:
        return {pause.host: pause.until for pause in view.pauses()}


async def test_a_kill_between_beats_keeps_what_hosts_asked_for(tmp_path: Path) -> None:
    """The next run waits as the last beat has it, also of hosts that an earlier beat told of.

    The directory is copied as it lies there, which is what a kill leaves.
    """
    output, left = tmp_path / "out", tmp_path / "left"
    async with Store.create(output, IDENTITY) as store:
        Remembered(store).see(1)
        run = Run(store)
        run.owe("a.test", RETRY_AFTER_S)
        await run.beat()
        run.owe("b.test", 2 * RETRY_AFTER_S)
        await run.beat()
        run.owe("c.test", 3 * RETRY_AFTER_S)
        shutil.copytree(output, left)
    async with Store.open(left, IDENTITY) as store:
        politeness = (await resumed(store)).politeness
        due = [politeness.host(f"{name}.test").due for name in "abc"]
    assert due == pytest.approx([RETRY_AFTER_S, 2 * RETRY_AFTER_S, 1.0], abs=5.0)


async def test_a_beat_writes_of_the_hosts_to_which_something_happened(tmp_path: Path) -> None:
    """Rows of all others stay as they are: what another program made of them is not undone."""
    async with Store.create(tmp_path, IDENTITY) as store:
        Remembered(store).see(1)
        run = Run(store)
        for host in SLOW:
            run.owe(host, RETRY_AFTER_S)
        await run.beat()
        with closing(sqlite3.connect(tmp_path / "state.sqlite")) as state, state:
            state.execute("UPDATE pauses SET until = 7.0")
        run.owe(SLOW[3], RETRY_AFTER_S)
        await run.beat()
        left = pauses(tmp_path)
    assert left.keys() == set(SLOW)
    assert {host for host, until in left.items() if until != 7.0} == {SLOW[3]}


async def test_what_is_owed_no_more_is_not_kept(tmp_path: Path) -> None:
    """A host that was waited for, and is forgotten, leaves no row."""
    async with Store.create(tmp_path, IDENTITY) as store:
        Remembered(store).see(1)
        run = Run(store)
        for host in SLOW[:2]:
            run.owe(host, RETRY_AFTER_S)
        await run.beat()
        assert run.frontier.politeness.pop_due(2 * RETRY_AFTER_S) is None
        run.owe(SLOW[1], 3 * RETRY_AFTER_S)
        await run.beat()
    assert pauses(tmp_path).keys() == {SLOW[1]}


async def test_a_pause_outlives_runs_that_do_not_meet_its_host(tmp_path: Path) -> None:
    """What a server asked for is kept until it is over, by runs that had no URL of it, too.

    And no longer: of hosts that are never met again a crawl would keep more from run to run.
    """
    async with Store.create(tmp_path, IDENTITY) as store:
        Remembered(store).see(1)
        store.begin_run({})
        store.mark_run(stopped=True)
        later, over = time.time() + 3600.0, time.time() - 1.0
        long_ago = over - 9.0 - PAUSES_KEPT_S
        kept = {
            "a.test": (later, 1.0, 0.0),
            "b.test": (over, 1.0, 0.0),
            "c.test": (over, 9.0, 0.0),
            "d.test": (over, 1.0, 9.0),
            "e.test": (long_ago, 9.0, 0.0),
            "f.test": (long_ago, 1.0, 9.0),
        }
        store.note_pauses({host: PauseRow(host, *pause) for host, pause in kept.items()})
    for _ in range(2):
        async with Store.open(tmp_path, IDENTITY) as store:
            await resumed(store)
        assert pauses(tmp_path) == {
            "a.test": later,
            "c.test": over,
            "d.test": over,
        }


DAY_S = 86_400.0


@pytest.mark.parametrize("jump_s", [-DAY_S, -3600.0, 0.0, 30.0])
async def test_a_clock_that_is_set_between_runs_leaves_pauses_as_they_are(
    jump_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set back, it owes what was left and no more; ahead it is time that may have passed.

    Also of hosts that one run did not meet, and of what a host was slowed down to.
    """
    now, real = time.time(), time.time
    monkeypatch.setattr(time, "time", lambda: now)
    async with Store.create(tmp_path, IDENTITY) as store:
        Remembered(store).see(1)
        run = Run(store)
        run.frontier.politeness.host("slow.test").pace.slow_down(9.0)
        run.owe("slow.test", 2.0)
        run.owe("later.test", RETRY_AFTER_S)
        await run.beat()
    now += jump_s
    for _ in range(2):
        async with Store.open(tmp_path, IDENTITY) as store:
            politeness = (await resumed(store)).politeness
            due = [politeness.host(f"{name}.test").due for name in ("slow", "later")]
            assert due == pytest.approx([9.0, RETRY_AFTER_S - max(0.0, jump_s)])
            assert politeness.host("slow.test").delay_s == 9.0
            await Run(store).beat()
    monkeypatch.setattr(time, "time", real)


@pytest.mark.parametrize("jump_s", [-DAY_S, DAY_S])
async def test_a_clock_that_is_set_within_a_run_leaves_pauses_as_they_are(
    jump_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pauses that were noted before it was set, and those after it, are owed as they were."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    async with Store.create(tmp_path, IDENTITY) as store:
        Remembered(store).see(1)
        run = Run(store)
        run.owe("before.test", RETRY_AFTER_S)
        await run.beat()
        now += jump_s
        run.owe("after.test", RETRY_AFTER_S)
        await run.beat()
    async with Store.open(tmp_path, IDENTITY) as store:
        politeness = (await resumed(store)).politeness
        due = [politeness.host(f"{name}.test").due for name in ("before", "after")]
    assert due == pytest.approx([RETRY_AFTER_S, RETRY_AFTER_S])


async def test_a_clock_that_is_set_costs_no_host_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was put aside is no evidence beyond the gap that counts, whichever way it was set."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    async with Store.create(tmp_path, IDENTITY) as store:
        Remembered(store).see(1)
        run = Run(store)
        run.frontier.politeness.host("dead.test").put_aside(None, "why", 0.0, 0.0)
        run.frontier.politeness.note(run.frontier.politeness["dead.test"], 0.0)
        await run.beat()
    for jump_s, most_s in ((-DAY_S, 0.0), (2 * DAY_S, EVIDENCE_GAP_S)):
        now += jump_s
        async with Store.open(tmp_path, IDENTITY) as store:
            hold = (await resumed(store)).politeness.host("dead.test").hold
        assert hold is not None
        assert 0.0 <= hold.evidence(0.0) <= most_s
