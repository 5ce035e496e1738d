"""Live pages: of a run that notes what is asked of it, and of a crawl that waits at a gate."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.frontier.view import HostSeen, HostState, RulesSeen
from crawler.models import UrlState
from crawler.observe.watching import Phase, Sight
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store
from crawler.views.live.server import LivePage, LiveServer, listening
from support.crawling import HANG_S, loopback_job
from support.threaded import Reply, Site, site

PAGES = 12
TITLE = "<script>document.body.dataset.taken = 1</script><img src=x>"


@dataclass
class FakeRun:
    """A run that notes what is asked of it."""

    phase: Phase = Phase.RUNNING
    asked: list[str] = field(default_factory=list)
    looks: int = 0
    rules: RulesSeen = field(default_factory=RulesSeen)

    def look(self, names: Iterable[str], most: int) -> Sight:
        """See Steering."""
        self.looks += most > 0
        host = HostSeen("a.test", HostState.DUE, "", 0.0, 1.0, 3, 0)
        hosts = (host,) if most else ()
        return Sight(self.phase, dict.fromkeys(UrlState, 0), 0, hosts=hosts, rules=self.rules)

    def pause(self) -> None:
        """See Steering."""
        self.phase = Phase.PAUSED

    def go_on(self) -> None:
        """See Steering."""
        self.phase = Phase.RUNNING

    def stop_host(self, name: str) -> bool:
        """See Steering."""
        self.asked.append(f"stop {name}")
        return name == "a.test"

    def release_host(self, name: str) -> bool:
        """See Steering."""
        self.asked.append(f"release {name}")
        return name == "a.test"


class Client:
    """Asks a live page, as its own script does unless told otherwise."""

    def __init__(self, session: aiohttp.ClientSession, page: LivePage, run: FakeRun) -> None:
        self.session = session
        self.page = page
        self.run = run

    async def get(self, path: str, **headers: str) -> tuple[int, aiohttp.ClientResponse, str]:
        """Return status, response and body."""
        async with self.session.get(path, headers=headers) as response:
            return response.status, response, await response.text()

    async def post(
        self, path: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> int:
        """Return the status."""
        given = {"X-Live-Token": self.page.token if token is None else token, **headers}
        async with self.session.post(path, json=body, headers=given) as response:
            return response.status


@asynccontextmanager
async def served(phase: Phase = Phase.RUNNING) -> AsyncIterator[Client]:
    """Serve the page of a run on loopback; its stop is noted, too. The clock is the page's own."""
    run = FakeRun(phase)
    page = LivePage(Path("crawl-out"), stop=lambda: run.asked.append("stop"), clock=lambda: 7.0)
    with listening("127.0.0.1", 0, page) as live:
        base = f"http://127.0.0.1:{live.port}"
        async with live.watching(run), aiohttp.ClientSession(base) as session:
            yield Client(session, page, run)
            page.end()
            async with session.get("/look"):  # who has been told is not waited for
                pass


class GatedWeb:
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
def gated_web() -> Iterator[tuple[GatedWeb, Site]]:
    """Serve it while the context lasts."""
    made = GatedWeb()
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


@asynccontextmanager
async def crawling(
    made: GatedWeb, server: Site, output: Path, said: list[str]
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
