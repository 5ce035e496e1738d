"""Crawls that are steered from their live page, over HTTP and by a browser."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from support.browsing import CHROMIUM, browser
from support.crawling import HANG_S, loopback_job
from support.output import lines
from support.threaded import Reply, Site, site

from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store
from crawler.views.live.server import LivePage, LiveServer, listening

PAGES = 12
TITLE = "<script>document.body.dataset.taken = 1</script><img src=x>"

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Web:
    """Two hosts with a front page and `PAGES` others, which answer when the gate is opened."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.waiting = threading.Event()

    def answer(self, path: str) -> Reply:
        """Return a page whose title would be taken for markup by a careless reader."""
        if path == "/robots.txt":
            return Reply("User-agent: *\nDisallow:\n")
        if path != "/":
            self.waiting.set()
            assert self.gate.wait(HANG_S)
        words = " ".join(f"{path.strip('/')}word{n}" for n in range(60))
        links = "".join(f"<a href='/{n}'>{n}</a> " for n in range(1, PAGES + 1))
        title = TITLE.replace("<", "&lt;")
        return Reply(f"<html><title>{title}</title><body><p>{words}</p>{links}</body></html>")


@contextmanager
def web() -> Iterator[tuple[Web, Site]]:
    """Serve it while the context lasts."""
    made = Web()
    with site(made.answer) as server:
        try:
            yield made, server
        finally:
            made.gate.set()


def job_of(server: Site, output: Path) -> Any:
    """Return a job that crawls the two hosts, one page of each at once."""
    seeds = [f"http://{name}.test:{server.server_port}/" for name in ("a", "b")]
    resolve = {"a.test": "127.0.0.1", "b.test": "127.0.0.1"}
    return parse_job(
        loopback_job(
            output,
            seeds,
            fetch={"resolve": resolve, "allow_addresses": ["127.0.0.0/8"]},
            politeness={"delay_s": 0.0, "per_host": 1},
        ),
        "test",
    )


def hosts_of(output: Path) -> list[str]:
    """Return the host of each page that was judged."""
    return [line["host"] for name in ("pages", "duplicates") for line in lines(output, name)]


@asynccontextmanager
async def crawling(
    made: Web, server: Site, output: Path, said: list[str]
) -> AsyncIterator[tuple[LiveServer, LivePage, asyncio.Task[None]]]:
    """Crawl with a live page while the context lasts, and wait for the crawl's end."""
    job, crawls = job_of(server, output), list[Crawl]()
    page = LivePage(output, stop=lambda: crawls[0].stop())
    with listening("127.0.0.1", 0, page) as live:
        store = Store.create(output, identity(job))
        crawls.append(Crawl(job, store, report=said.append, watcher=live))
        run = asyncio.create_task(crawls[0].run())
        try:
            yield live, page, run
        finally:
            made.gate.set()
            async with asyncio.timeout(HANG_S):
                await run


async def test_a_paused_crawl_asks_nothing_and_a_stopped_host_waits_for_the_next_run(
    tmp_path: Path,
) -> None:
    """Requests under way end, no other begins; what is left of the host is fetched by a resume."""
    output, said = tmp_path / "out", list[str]()
    with web() as (made, server):
        other = f"b.test:{server.server_port}"
        async with crawling(made, server, output, said) as (live, page, run):
            base = f"http://127.0.0.1:{live.port}"
            async with aiohttp.ClientSession(base) as session:
                session.headers["X-Live-Token"] = page.token

                async def look() -> dict[str, Any]:
                    async with session.get("/look") as response:
                        told: dict[str, Any] = await response.json()
                        return told

                async def post(path: str, **body: str) -> int:
                    async with session.post(path, json=body) as response:
                        return response.status

                assert await asyncio.to_thread(made.waiting.wait, HANG_S)
                assert await post("/pause") == 200
                made.gate.set()
                async with asyncio.timeout(HANG_S):
                    while any(host["in_flight"] for host in (await look())["hosts"]):
                        pass
                asked = len(server.asked)
                for _ in range(30):
                    told = await look()
                assert len(server.asked) == asked < 2 * PAGES
                assert (told["phase"], run.done()) == ("paused", False)
                assert await post("/stop-host", host=other) == 200
                assert await post("/go-on") == 200
                async with asyncio.timeout(HANG_S):
                    while (told := await look())["phase"] != "ended":
                        pass
        assert hosts_of(output).count(f"a.test:{server.server_port}") == PAGES + 1
        ended = hosts_of(output).count(other)
        left = PAGES + 1 - ended if ended else 1  # its first page tells of the others
        assert left == told["queue"]["pending"] > 0
        assert f"{other}: stopped on the live page, its URLs stay pending" in said
        job = job_of(server, output)
        await Crawl(job, Store.open(output, identity(job))).run()
        assert len(hosts_of(output)) == 2 * (PAGES + 1)


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
async def test_a_browser_shows_verdicts_as_text_and_its_buttons_steer(tmp_path: Path) -> None:
    """Under the page's own policy: rows come, markup stays text, each button does what it says."""
    with web() as (made, server):
        async with (
            crawling(made, server, tmp_path / "out", []) as (live, _, _),
            browser(tmp_path / "profile") as tab,
        ):
            await tab.open(f"http://127.0.0.1:{live.port}/")
            feed = "document.querySelectorAll('#feed li').length"
            await tab.until(f"document.body?.dataset.ready && {feed} === 2")
            await tab.evaluate("document.getElementById('pause').click()")
            await tab.until("document.getElementById('phase').textContent === 'paused'")
            button = "document.querySelector('#hosts button[data-host^=\"b.test\"]')"
            await tab.evaluate(f"{button}.click()")
            await tab.until(f"{button}.textContent === 'Go on'")
            made.gate.set()
            await tab.evaluate("document.getElementById('pause').click()")
            await tab.until(f"{feed} >= {PAGES}")
            titles = await tab.evaluate("document.getElementById('feed').textContent")
            assert titles.count(TITLE) >= PAGES
            assert await tab.evaluate("document.body.dataset.taken") is None
            assert (
                await tab.evaluate("document.querySelectorAll('#feed :is(script,img)').length") == 0
            )
            await tab.until("document.getElementById('phase').textContent === 'ended'")
            told = await tab.evaluate("document.getElementById('message').textContent")
            assert re.search(r"Its report: .* report .*pending: .* resume ", told)
