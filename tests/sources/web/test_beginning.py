"""A run as it begins, and its beat: pages are asked for once they can be read, runs noted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.analysing import NoProcess
from support.crawling import HANG_S, loopback_job
from support.output import lines
from support.servers import Request, Site, response, serve

from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.errors import AnalysisUnavailable
from crawler.sources.web.checkpoint import Checkpoint
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("no_analysis_processes")]

PAGE = response(b"<title>A page</title><p>It says some words, and then some more of them.")
SITE = {"/robots.txt": response(b"", status=404), "/": PAGE}


async def crawled(site: Site, output: Path) -> None:
    """Crawl a site."""
    job = parse_job(loopback_job(output, [site.url + "/"]), "test")
    await Crawl(job, Store.create(job.output, identity(job))).run()


async def test_the_first_request_waits_for_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page is asked for before they can read it, and all is read."""
    warm_up = NoProcess.warm_up
    async with serve(SITE) as site:

        async def late(process: NoProcess) -> None:
            assert not site.asked.is_set()
            await warm_up(process)
            assert not site.asked.is_set()

        monkeypatch.setattr(NoProcess, "warm_up", late)
        await crawled(site, tmp_path)
    assert [line["title"] for line in lines(tmp_path, "pages")] == ["A page"]


async def test_a_process_that_cannot_start_ends_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is told, nothing is asked for, and no run has begun."""
    async with serve(SITE) as site:

        async def broken(process: NoProcess) -> None:
            raise AnalysisUnavailable("cannot start an analysis process: no memory")

        monkeypatch.setattr(NoProcess, "warm_up", broken)
        with pytest.raises(AnalysisUnavailable, match="no memory"):
            await crawled(site, tmp_path)
        assert not site.asked.is_set()
    with StoreView.read(tmp_path) as view:
        assert not view.meta(Meta.RUNS)


async def test_a_stop_is_heard_while_processes_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that hangs as it starts holds up nobody who wants the crawl to end."""
    never = asyncio.Event()
    async with serve(SITE) as site:
        job = parse_job(loopback_job(tmp_path, [site.url + "/"]), "test")
        crawl = Crawl(job, Store.create(job.output, identity(job)))

        async def hangs(process: NoProcess) -> None:
            asyncio.get_running_loop().call_soon(crawl.stop)
            await never.wait()

        monkeypatch.setattr(NoProcess, "warm_up", hangs)
        async with asyncio.timeout(HANG_S):
            await crawl.run()
    assert crawl.stopped


async def test_a_beat_that_fails_is_told_and_followed_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake of ours in noting where a run stands ends neither the crawl nor the notes."""
    marked, told = 0, list[str]()
    mark = Checkpoint.mark
    again = asyncio.Event()

    async def failing(checkpoint: Checkpoint, *args: Any, **options: Any) -> None:
        nonlocal marked
        marked += 1
        if marked == 2:  # the first one is that of the beginning
            raise LookupError("a mistake")
        if marked == 3:
            again.set()
        await mark(checkpoint, *args, **options)

    monkeypatch.setattr(Checkpoint, "mark", failing)

    async def held_back(request: Request, writer: asyncio.StreamWriter) -> None:
        await again.wait()
        writer.write(PAGE)

    async with serve({**SITE, "/": held_back}) as site:
        data = {**loopback_job(tmp_path, [site.url + "/"]), "progress_s": 0.01}
        job = parse_job(data, "test")
        async with asyncio.timeout(HANG_S):
            await Crawl(job, Store.create(job.output, identity(job)), report=told.append).run()
    assert [line for line in told if "LookupError: a mistake" in line]
    assert [line["title"] for line in lines(tmp_path, "pages")] == ["A page"]
