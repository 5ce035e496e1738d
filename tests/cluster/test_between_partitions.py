"""What partitions send each other counts once, however often and whenever it comes."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.clustered import Domains, Local, domains_job
from support.crawling import HANG_S
from support.parts import PARTITIONS, SHARDS, Ends, check_parts, ends_in, parts_job, run_parts, soon
from support.threaded import Reply, page

from crawler.cluster import coordinator
from crawler.cluster.coordinator import Coordinator
from crawler.cluster.protocol import SEQUENCER, Gone, partition, shard
from crawler.cluster.root import Root
from crawler.errors import StoreError
from crawler.fetch.exchange import Exchanges
from crawler.models import Priority, SentUrl, UrlState
from crawler.storage.database import Database
from crawler.storage.directory import STATE
from crawler.storage.exchange import Exchange, Exchanged, pack_urls
from crawler.storage.store import Store

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Between(Local):
    """Has a test do what it will with each call."""

    def __init__(self, root: Path, way: Callable[..., Any]) -> None:
        """`way` is given how to call on, and what."""
        super().__init__(root)
        self._way = way

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        return await self._way(super().call, role, method, *args)


async def test_links_that_are_sent_twice_at_once_count_once(tmp_path: Path) -> None:
    """A call that is made again while the first still runs takes nothing that the other took."""
    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        engine = Local(root.path)
        await engine.start([*map(shard, range(SHARDS)), SEQUENCER, partition(0)])
        urls = [f"{job.seeds[0]}{name}" for name in "abc"]
        sent = [SentUrl(0, url, 1, Priority.ORDINARY, 0, False, "site2.test") for url in urls]
        messages = [(n, pack_urls([one])) for n, one in enumerate(sent, 1)]
        links = (engine.call(partition(0), "links", 2, 1, messages) for _ in range(2))
        assert await asyncio.gather(*links) == [3, 3]
        assert (await engine.call(partition(0), "status")).taken == {2: 3}
        await engine.call(partition(0), "close")
        for role in (SEQUENCER, *map(shard, range(SHARDS))):
            await engine.call(role, "close")


async def test_the_judge_hears_of_all_equal_payloads(tmp_path: Path) -> None:
    """What partitions observe has numbers with gaps; all of it counts."""
    told = dict[int, int]()

    async def heard(call: Callable[..., Any], role: str, method: str, *args: Any) -> Any:
        if method == "observe":
            number, _, first, _ = args
            told[number] = max(first, told.get(number, 0))
        return await call(role, method, *args)

    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        await run_parts(root, Between(root.path, heard))
    log = Database(root.sequencer / STATE, "ro")
    counted = dict(log.rows("SELECT id, observed FROM partitions WHERE observed > 0"))
    log.close()
    assert counted == told != {}


async def test_a_late_hello_takes_nothing_from_a_shard(tmp_path: Path) -> None:
    """The call that a sequencer has made again may run when its batch lies there already."""

    async def late(call: Callable[..., Any], role: str, method: str, *args: Any) -> Any:
        if method == "keep":
            epoch, _ = args
            kept = await call(role, method, *args)
            await call(role, "hello", epoch, 0)
            return kept
        return await call(role, method, *args)

    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        await run_parts(root, Between(root.path, late))
    check_parts(root)


class Shortcut(Domains):
    """A page that is first found at the greatest depth, and later by a shorter path."""

    def __init__(self, is_found: threading.Event) -> None:
        super().__init__()
        self._is_found = is_found

    def answer(self, url: str) -> Reply:
        """See Domains."""
        here, there = self.domains[0], self.domains[2]
        if url == f"{here}/shortcut":
            self._is_found.wait(HANG_S)
        links = {
            f"{here}/": [f"{here}/way"],
            f"{here}/way": [f"{there}/page"],
            f"{here}/shortcut": [f"{there}/page"],
            f"{there}/page": [f"{there}/beyond"],
            f"{there}/beyond": [],
        }
        return page(urlsplit(url).path[1:], *links[url]) if url in links else Reply("", 404)


async def test_a_shorter_path_from_elsewhere_leads_further(tmp_path: Path) -> None:
    """Where a URL comes again by a shorter path, what its page leads to is near enough now."""
    is_found = threading.Event()
    web = Shortcut(is_found)

    async def watch(wait_s: float) -> None:
        if 1 in watched.statuses and watched.statuses[1].ends[UrlState.STORED]:
            is_found.set()
        await soon(wait_s)

    with domains_job(
        tmp_path / "out",
        web,
        seeds=[f"{web.domains[0]}/", f"{web.domains[0]}/shortcut"],
        limits={"depth": 2},
        politeness={"per_host": 2},
        cluster={"partitions": 2, "judge_shards": 1},
    ) as (job, _):
        root = Root.create(job.output, job)
        watched = Coordinator(root, Local(root.path), lambda line: None, pause=watch)
        await watched.run()
    check_parts(root)
    assert f"{web.domains[2]}/beyond" in ends_in(root).urls


async def test_a_stop_while_the_judge_is_away_ends_all(tmp_path: Path) -> None:
    """Partitions that wait for it at their beginning do not wait for ever."""

    async def away(call: Callable[..., Any], role: str, method: str, *args: Any) -> Any:
        if role == SEQUENCER and method != "close":
            watched.stop()
            raise Gone("away")
        return await call(role, method, *args)

    with parts_job(tmp_path / "out", grace_s=0.0) as job:
        root = Root.create(job.output, job)
        watched = Coordinator(root, Between(root.path, away), lambda line: None, pause=soon)
        await watched.run()
    assert all(status.ended for status in watched.statuses.values())


async def test_a_partition_that_hangs_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one does not answer, the others are still told to stop, and end."""
    monkeypatch.setattr(coordinator, "PATIENCE_S", 0.05)
    now = 0.0  # no role is begun anew, whose directory the one before it would still hold
    wakes = asyncio.Event()

    async def hangs(call: Callable[..., Any], role: str, method: str, *args: Any) -> Any:
        if role == partition(1) and method in ("status", "stop"):
            await wakes.wait()
        return await call(role, method, *args)

    async def watch(wait_s: float) -> None:
        watched.stop()
        if [*watched.statuses] == [0, 2] and all(of.ended for of in watched.statuses.values()):
            wakes.set()
        await soon(wait_s)

    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        watched = Coordinator(
            root, Between(root.path, hangs), lambda line: None, clock=lambda: now, pause=watch
        )
        await watched.run()
    assert len(watched.statuses) == PARTITIONS


async def test_a_partition_that_could_not_be_opened_can_be_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that was full at its opening leaves its directory to the next one who opens it."""
    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        engine = Local(root.path)
        await engine.start([partition(0)])

        def full(store: Store) -> None:
            raise StoreError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(Store, "exchanges", full)
            with pytest.raises(StoreError, match="is full"):
                await engine.call(partition(0), "status")
        assert not (await engine.call(partition(0), "status")).ended
        await engine.call(partition(0), "close")


class Moved(Domains):
    """A seed that redirects to a second domain; a third links to what nothing else links to."""

    def __init__(self, seed: str, there: str, third: str) -> None:
        super().__init__()
        self.domains = [seed, there, third]
        self.is_told = threading.Event()

    def answer(self, url: str) -> Reply:
        """See Domains."""
        seed, there, third = self.domains
        if url == f"{seed}/":
            return Reply("", 301, {"Location": f"{there}/"})
        if url == f"{third}/":
            self.is_told.wait(TOLD_S)
        links = {f"{there}/": [], f"{third}/": [f"{there}/deep"], f"{there}/deep": []}
        return page(url.replace("/", "x"), *links[url]) if url in links else Reply("", 404)


TOLD_S = 5.0
"""A page waits no longer for what its partition is told."""


async def test_where_a_seed_leads_is_in_the_scope_of_all(tmp_path: Path) -> None:
    """A third partition follows links to the domain that a seed's redirect has led another to."""
    with domains_job(tmp_path / "plan") as (job, _):
        root = Root.create(job.output, job)
        by_owner = {root.partition_of(f"site{n}.test"): f"http://site{n}.test" for n in range(20)}
    web = Moved(by_owner[0], by_owner[1], by_owner[2])
    seeds = [f"{web.domains[0]}/", f"{web.domains[2]}/"]
    with domains_job(tmp_path / "out", web, seeds=seeds, scope={"mode": "domain"}) as (job, _):
        root = Root.create(job.output, job)

        def told(role: str, method: str, after: bool) -> None:
            if (role, method) == (partition(2), "links") and after:
                web.is_told.set()

        await run_parts(root, Local(root.path, told))
    check_parts(root)
    assert f"{web.domains[1]}/deep" in ends_in(root).urls
    kept = Database(root.partition(2) / STATE, "ro")
    places = kept.cell("SELECT value FROM meta WHERE key = 'scope'")
    kept.close()
    assert web.domains[1].removeprefix("http://") in places


async def test_a_full_disk_at_the_receiver_loses_no_link(
    tmp_path: Path, calm: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it could not write it has not taken: the sender keeps it, and sends it again later."""
    written = Exchanged.write

    def full(exchanged: Exchanged, *args: Any) -> None:
        if exchanged.arrived:
            raise sqlite3.OperationalError("database or disk is full")
        written(exchanged, *args)

    with parts_job(tmp_path / "out", grace_s=0.0) as job:
        root = Root.create(job.output, job)
        engine = Local(root.path)
        with monkeypatch.context() as patch:
            patch.setattr(Exchanged, "write", full)
            with pytest.raises(StoreError, match="full"):
                await run_parts(root, engine)
        for one in engine.hosts.values():  # their processes would have been ended
            await one.call("close")
        kept = Database(root.partition(root.partition_of("site0.test")) / STATE, "ro")
        assert Exchange(kept).receivers()
        kept.close()
        await run_parts(root, Local(root.path))
    check_parts(root)
    assert ends_in(root) == calm


class MovedRules(Domains):
    """The robots.txt of one domain is that of another, or lies somewhere there."""

    def __init__(self, here: str, there: str, at: str) -> None:
        super().__init__()
        self.domains = [here, there]
        self._at = at

    def answer(self, url: str) -> Reply:
        """See Domains."""
        here, there = self.domains
        if url == f"{here}/robots.txt":
            return Reply("", 301, {"Location": f"{there}{self._at}"})
        if url == f"{there}{self._at}":
            return Reply("User-agent: *\nDisallow: /private")
        links = {f"{site}/": [f"{site}/open", f"{site}/private"] for site in self.domains}
        links |= {f"{site}/open": [] for site in self.domains}
        return page(url.replace("/", "x"), *links[url]) if url in links else Reply("", 404)


@pytest.mark.parametrize(("at", "pages"), [("/robots.txt", None), ("/rules.txt", 6)])
async def test_a_robots_txt_elsewhere_is_asked_for_by_its_owner(
    tmp_path: Path, at: str, pages: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other partition obeys what it says and asks that domain for nothing, by any limit."""
    asked = set[tuple[str | None, bool]]()
    opened = Exchanges.open

    def noted(exchanges: Exchanges, url: str, *args: Any, **more: Any) -> Any:
        host = urlsplit(url).hostname
        asked.add((host, exchanges is owners.setdefault(host, exchanges)))
        return opened(exchanges, url, *args, **more)

    owners = dict[str | None, Exchanges]()
    monkeypatch.setattr(Exchanges, "open", noted)
    with domains_job(tmp_path / "plan") as (job, _):
        root = Root.create(job.output, job)
        by_owner = {root.partition_of(f"site{n}.test"): f"http://site{n}.test" for n in range(20)}
    web = MovedRules(by_owner[0], by_owner[1], at)
    seeds, limits = [f"{site}/" for site in web.domains], {"pages": pages}
    with domains_job(tmp_path / "out", web, seeds=seeds, limits=limits) as (job, served):
        root = Root.create(job.output, job)
        await run_parts(root, Local(root.path))
    check_parts(root)
    assert served.paths.count(f"{web.domains[1]}{at}") == 1
    assert f"{web.domains[0]}/open" in served.paths
    assert f"{web.domains[0]}/private" not in served.paths
    assert all(by_first for _, by_first in asked)
