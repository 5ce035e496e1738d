"""A crawl in partitions seen and fed while it runs: metrics, live page, seeds."""

from __future__ import annotations

import asyncio
import threading
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.clustered import Domains, Local, crawl_in_parts, domains_job
from support.crawling import HANG_S, command
from support.parts import check_parts, ends_in, soon
from support.threaded import Reply

from crawler.cluster.coordinator import Coordinator
from crawler.cluster.root import Root
from crawler.frontier.view import HostState
from crawler.models import UrlState
from crawler.observe.health import HEALTHZ, READYZ, Health
from crawler.observe.watching import Phase, Steering
from crawler.views.live.ends import End

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Looking:
    """Watches a crawl, and does what a test does at each moment between two looks."""

    def __init__(self, acts: Callable[[Looking], Awaitable[bool]]) -> None:
        """`acts` returns whether it is done."""
        self.ends: list[End] = []
        self.run: Steering
        self._acts = acts
        self.done = False

    def hear(self, end: End) -> None:
        """See Onlooker."""
        self.ends.append(end)

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """See Onlooker."""
        self.run = run
        yield

    async def pause(self, wait_s: float) -> None:
        """Wait between two looks."""
        if not self.done:
            self.done = await self._acts(self)
        await soon(wait_s)


async def watched(root: Root, looking: Looking, health: Health | None = None) -> Coordinator:
    """Run a crawl that is watched."""
    by: dict[str, Any] = {"pause": looking.pause, "onlooker": looking, "health": health}
    run = Coordinator(root, Local(root.path), lambda line: None, **by)
    async with asyncio.timeout(HANG_S):
        await run.run()
    return run


async def test_who_watches_sees_all_partitions_as_one(tmp_path: Path) -> None:
    """Each URL's end once, figures of all together, and metrics with the partition for a label.

    Probes are answered as one run's: it opens, is ready, and has ended.
    """

    async def acts(looking: Looking) -> bool:
        health.look(looking.run)
        probes.append(health.answer(READYZ)[1])
        sight = looking.run.look([end.host for end in looking.ends], 12)
        hosts.update(host.name for host in sight.hosts)
        if len(hosts) == len(web.domains):
            web.gate.set()
        return False

    hosts, probes, web = set[str](), list[str](), Asked(held=True)
    with domains_job(tmp_path / "out", web) as (job, _):
        root = Root.create(job.output, job)
        looking, health = Looking(acts), Health.of(job)
        run = await watched(root, looking, health)
    assert health.answer(HEALTHZ)[0] == HTTPStatus.OK
    told = [one.strip() for one, _ in groupby([*probes, health.answer(READYZ)[1]])]
    assert told[-3:] == ["ok", "closing", "ended"]
    assert {*told[:-3]} <= {"opening"}
    ends = ends_in(root)
    assert sorted(end.entry["url"] for end in looking.ends if end.entry) == sorted(ends.urls)
    assert hosts == {f"site{number}.test" for number in range(6)}
    sight = run.look((), 0)
    assert (sight.seen, sight.pending) == (len(ends.urls), 0)
    assert sight.ends[UrlState.REDIRECT] == len(ends.urls) - ends.pages
    pytest.importorskip("prometheus_client")
    from prometheus_client.parser import text_string_to_metric_families

    from crawler.observe.metrics import serving

    with serving("127.0.0.1", 0, "verified", run.counted) as served:
        url = f"http://127.0.0.1:{served.port}/metrics"
        read = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read().decode())
    families = text_string_to_metric_families(read)
    samples = [sample for family in families for sample in family.samples]
    assert {sample.labels["partition"] for sample in samples} == {"p000", "p001", "p002"}
    assert sum(one.value for one in samples if one.name == "crawler_pages_total") == ends.pages


class Asked(Domains):
    """Domains that note what they were asked for, and hold what is behind their front pages.

    So each host is still to be seen, however late a crawl is looked at.
    """

    def __init__(self, *, held: bool = False) -> None:
        super().__init__(pages=4)
        self.asked: list[str] = []
        self.gate = threading.Event()
        if not held:
            self.gate.set()

    def answer(self, url: str) -> Reply:
        """See Domains."""
        self.asked.append(url)
        assert urlsplit(url).path in ("/", "/robots.txt") or self.gate.wait(HANG_S)
        return super().answer(url)


async def test_a_pause_and_a_stopped_host_hold_for_every_partition(tmp_path: Path) -> None:
    """Nothing is asked for while it is paused; a stopped host's URLs stay pending."""
    web = Asked(held=True)
    looks = 0
    asked = 0

    async def acts(looking: Looking) -> bool:
        nonlocal looks, asked
        run = looking.run
        sight = run.look((), 12)
        if looks == 0:
            if {host.name for host in sight.hosts} != set(names):
                return False
            assert run.stop_host("site5.test")
            assert not run.stop_host("nope.test")
            run.pause()
            assert run.look((), 12).phase is Phase.PAUSED
        elif looks == 1:  # all have heard of it
            web.gate.set()
        looks += 1
        if looks < 4 or any(host.in_flight for host in sight.hosts):
            return False
        if looks == 4:
            asked = len(web.asked)
        if looks < 8:
            return False
        assert len(web.asked) == asked
        states = {host.name: host.state for host in sight.hosts}
        assert states["site5.test"] is HostState.STOPPED
        run.go_on()
        return True

    with domains_job(tmp_path / "out", web) as (job, _):
        root = Root.create(job.output, job)
        names = [domain.removeprefix("http://") for domain in web.domains]
        looking = Looking(acts)
        await watched(root, looking)
    assert looking.done
    left = {url for url, state in ends_in(root).urls.items() if state == "PENDING"}
    assert left
    assert {url.split("/")[2] for url in left} == {"site5.test"}


async def test_seeds_that_are_added_while_it_runs_are_fetched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the partition that has their host; links of others there are in scope then."""
    told = ""

    async def acts(looking: Looking) -> bool:
        nonlocal told
        if not looking.ends:
            return False
        urls = ("http://site1.test/", "http://site3.test/0", "http://site0.test/")
        with root.held():
            code, told, err = command(capsys, "cluster", "add", root.path, *urls)
        assert (code, "site0.test/: known already" in err) == (0, True), err
        return True

    with domains_job(tmp_path / "out", Asked(), scope={"mode": "host"}) as (job, _):
        root = Root.create(job.output, job)
        await watched(root, Looking(acts))
    assert "2 seeds added\nThe run that goes on fetches them" in told
    check_parts(root)
    hosts = {url.split("/")[2] for url in ends_in(root).urls}
    assert hosts == {"site0.test", "site1.test", "site3.test"}


async def test_seeds_are_added_between_runs_and_refused_as_of_one_crawl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the job excludes is named; what is no URL is an error that changes nothing."""
    scope = {"mode": "host", "exclude": ["site4"]}
    with domains_job(tmp_path / "out", Asked(), scope=scope) as (job, _):
        await crawl_in_parts(job)
        urls = ("http://site2.test/", "http://site4.test/")
        code, told, err = command(capsys, "add", job.output, *urls)
        assert (code, "1 seeds added\nFetch them: python -m crawler resume" in told) == (0, True)
        assert "http://site4.test/: not added: scope.exclude" in err
        assert command(capsys, "cluster", "add", job.output, "ftp://a.test/")[0] == 2
        assert command(capsys, "cluster", "status", job.output, "http://a.test/")[0] == 2
        root = Root.open(job.output)
        run = Coordinator(root, Local(root.path), lambda line: None, pause=soon)
        await run.run()
    check_parts(root)
    assert {url.split("/")[2] for url in ends_in(root).urls} == {"site0.test", "site2.test"}
