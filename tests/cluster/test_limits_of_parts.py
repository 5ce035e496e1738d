"""Limits of a crawl in partitions hold for all of them together; it can be stopped and resumed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.clustered import Local
from support.parts import Ends, UntilStopped, check_parts, ends_in, parts_job, run_parts
from support.processes import limit_files
from support.roles import Death, Processes

from crawler.cluster.coordinator import ask_to_stop
from crawler.cluster.protocol import SEQUENCER
from crawler.cluster.root import Root
from crawler.errors import StoreError

processes = pytest.mark.skipif(sys.platform != "linux", reason="it kills by handles of processes")
in_process = pytest.mark.usefixtures("no_analysis_processes")


class Full(NamedTuple):
    """A disk of which a role's files may have so many bytes each."""

    directory: str
    most: int


FULL = {
    "partition-1": Full("p001", 260_000),
    SEQUENCER: Full("judge/sequencer", 60_000),
    "shard-0": Full("judge/s0", 300_000),
}
"""More than a new directory needs, and less than this crawl does."""


MANY = 30
"""Pages that have more bytes together than the limit of them, and are half of all."""


@dataclass
class Heard(Processes):
    """Says which calls were answered."""

    hears: Callable[[str, str, bool], None] = lambda role, method, after: None

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        answer = await super().call(role, method, *args)
        self.hears(role, method, True)
        return answer


def without_limits(root: Root) -> Root:
    """Return a root whose job has no limits any more."""
    limits = root.job.limits.model_copy(update={"pages": None, "bytes": None})
    return Root.open(root.path).changed(root.job.model_copy(update={"limits": limits}))


@processes
async def test_the_limit_of_pages_holds_whoever_is_killed(tmp_path: Path, calm: Ends) -> None:
    """As many pages as the limit says are fetched in all, not one more or less; then the rest."""
    deaths = {
        "partition-0": [Death("call ask", "before"), Death("commit", "after", 6)],
        "partition-1": [Death("run allow", "after"), Death("call ask", "after", 2)],
        "partition-2": [Death("run allow", "before"), Death("commit", "within", 4)],
        SEQUENCER: [Death("run ask", "after", 3)],
    }
    with parts_job(tmp_path / "out", limits={"pages": 23}) as job:
        root = Root.create(job.output, job)
        await run_parts(root, Processes(root.path, deaths))
        check_parts(root, is_over=False)
        assert ends_in(root).pages == 23
        root = without_limits(root)
        await run_parts(root, Processes(root.path))
    check_parts(root)
    assert ends_in(root) == calm


@in_process
async def test_the_limit_of_bytes_stops_all(tmp_path: Path, calm: Ends) -> None:
    """Where all have received as many bytes together, none begins a page; a resume goes on."""
    until = UntilStopped()
    held = until.requests(MANY)
    with parts_job(tmp_path / "out", held, limits={"bytes": 20_000}) as job:
        root = Root.create(job.output, job)
        watched = await run_parts(root, Local(root.path, until.hears))
        assert sum(status.wire_bytes for status in watched.statuses.values()) >= 20_000
        assert 0 < ends_in(root).pages < calm.pages
        check_parts(root, is_over=False)
        root = without_limits(root)
        await run_parts(root, Local(root.path))
    check_parts(root)
    assert ends_in(root) == calm


@processes
async def test_a_crawl_that_is_stopped_goes_on(tmp_path: Path, calm: Ends) -> None:
    """Stopped amid its pages, partitions killed as they hear of it, it is resumed to its end.

    A partition and the judge lie on other volumes by then, as where their machines are gone.
    """
    moments = enumerate(("before", "after"))
    deaths = {f"partition-{number}": [Death("run stop", when)] for number, when in moments}
    until = UntilStopped()
    happens = {11: lambda: ask_to_stop(Root.open(tmp_path / "out")), **until.requests(12)}
    with parts_job(tmp_path / "out", happens) as job:
        root = Root.create(job.output, job)
        engine = Heard(root.path, deaths, hears=until.hears)
        watched = await run_parts(root, engine)
        assert engine.ends == {"partition-0": 1, "partition-1": 1}
        assert all(status.ended for status in watched.statuses.values())
        check_parts(root, is_over=False)
        assert ends_in(root).pages < calm.pages
        root = Root.open(root.path)
        for directory in (root.partition(1), root.sequencer.parent):
            volume = tmp_path / "volumes" / directory.name
            shutil.copytree(directory, volume)
            shutil.rmtree(directory)
            directory.symlink_to(volume)
        await run_parts(root, Processes(root.path))
    check_parts(root)
    assert ends_in(root) == calm


@processes
async def test_a_full_disk_ends_the_crawl(tmp_path: Path, calm: Ends) -> None:
    """A role that cannot write ends all by one error, of its directory; nothing is lost."""
    with parts_job(tmp_path / "out", grace_s=0.5) as job:
        root = Root.create(job.output, job)
        for role, full in FULL.items():
            engine = Processes(root.path, first={role: partial(limit_files, full.most)})
            with pytest.raises(StoreError) as told:
                await run_parts(root, engine)
            assert str(root.path / full.directory) in str(told.value)
            check_parts(root, is_over=False)
        await run_parts(root, Processes(root.path))
    check_parts(root)
    assert ends_in(root) == calm
