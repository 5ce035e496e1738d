"""Politeness as fifty hosts see it: their own log of a crawl that is stopped and resumed.

The servers note when each request came and when its answer was about to leave. The crawler counts
its pauses from the moment it has the whole answer, which is later, and a request arrives after it
was sent: so every gap in the log is at least as long as the crawler's own, however busy the
machine.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.crawling import finished, loopback_job, program, write_job
from support.output import lines
from support.servers import Request, redirect, response, serve

DELAY_S = 0.1
PER_ADDRESS = 2
CROWDED = "127.0.1.1"
"""The address of ten hosts, which do want more."""
SERVICE_S = 0.02
"""An answer takes this long, so that requests at once overlap in the log."""

SLOW, SLOW_S = "h40.test", 1.0
BUSY, BUSY_S = "h41.test", 5
"""A Retry-After that a resume must remember: starting the program anew takes less."""

HOSTS = tuple(f"h{n:02}.test" for n in range(50))
CRAWL_DELAYS = {**dict.fromkeys(HOSTS[5:40:5], 0.3), SLOW: SLOW_S}
"""Host -> Crawl-delay of its own robots.txt, or of the one it redirects to."""
RETRY_AFTER = {**dict.fromkeys(("h06.test", "h17.test", "h28.test"), 1), BUSY: BUSY_S}
"""Host -> seconds its first answer for /2 asks to wait: 503 from even hosts, 429 from odd ones."""
ROBOTS_ELSEWHERE = {
    **dict.fromkeys(HOSTS[20:30:3], "h01.test"),
    **dict.fromkeys(HOSTS[42:50], "h02.test"),
    **{"h03.test": "h04.test", "h04.test": "h03.test"},
}
"""Host -> where its robots.txt redirects to: many to one, and two to one another."""
LINKS = ("/0", "/1", "/2", "/slash", "/away")
"""On every page but those of SLOW."""


@dataclass
class Visit:
    """A request as its server saw it, on the monotonic clock."""

    host: str
    path: str
    start: float
    end: float = float("inf")
    retry_after_s: float = 0.0


@dataclass
class Web:
    """Fifty hosts: three addresses are shared by ten names each, twenty have one of their own."""

    visits: list[Visit] = field(default_factory=list)
    sites: dict[str, str] = field(default_factory=dict)
    """Host -> its `http://name:port`."""
    addresses: dict[str, str] = field(default_factory=dict)
    busy: asyncio.Event = field(default_factory=asyncio.Event)
    """BUSY has asked for its pause, and the crawl is well under way."""
    crowded: asyncio.Event = field(default_factory=asyncio.Event)
    """The crawl has shown how much it asks at once, for which the first answers wait."""

    async def answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        """Answer after SERVICE_S, noting when the answer was about to leave."""
        name = request.headers["host"].partition(":")[0]
        visit = Visit(name, request.target, time.monotonic())
        self.visits.append(visit)
        under_way = [self.addresses[one.host] for one in self.visits if math.isinf(one.end)]
        if len(under_way) > PER_ADDRESS and under_way.count(CROWDED) == PER_ADDRESS:
            self.crowded.set()
        await self.crowded.wait()
        await asyncio.sleep(SERVICE_S)
        reply = self._reply(visit)
        if len(self.visits) > 120 and any(v.host == BUSY and v.retry_after_s for v in self.visits):
            self.busy.set()
        visit.end = time.monotonic()
        writer.write(reply)

    def _reply(self, visit: Visit) -> bytes:
        if visit.path == "/robots.txt":
            elsewhere = self.sites.get(ROBOTS_ELSEWHERE.get(visit.host, ""))
            there = f"{elsewhere}/rules/{visit.host}"
            return redirect(there) if elsewhere else rules(visit.host)
        if visit.path.startswith("/rules/"):
            return rules(visit.path.removeprefix("/rules/"))
        first = sum((v.host, v.path) == (visit.host, visit.path) for v in self.visits) == 1
        if visit.path == "/2" and first and visit.host in RETRY_AFTER:
            visit.retry_after_s = RETRY_AFTER[visit.host]
            headers = {"Retry-After": str(RETRY_AFTER[visit.host])}
            status = 429 if int(visit.host[1:3]) % 2 else 503
            return response(b"", status=status, headers=headers)
        if visit.path == "/slash":
            return redirect("/slash/")
        if visit.path == "/away":
            return redirect(self.away(visit.host))
        return self._page(visit)

    def away(self, host: str) -> str:
        """Return where /away of a host redirects to: a page of another one."""
        return self.sites[HOSTS[int(host[1:3]) * 7 % len(HOSTS)]] + "/3"

    def pages(self) -> set[str]:
        """Return the URLs of all pages."""
        linking = [host for host in HOSTS if host != SLOW]
        linked = {self.sites[host] + path for host in linking for path in LINKS[:-1]}
        return linked | {f"{site}/" for site in self.sites.values()} | set(map(self.away, linking))

    @staticmethod
    def _page(visit: Visit) -> bytes:
        links = "".join(f'<a href="{path}">x</a>' for path in LINKS if visit.host != SLOW)
        return response(f"<p>Page {visit.path} of {visit.host}, its own</p>{links}".encode())


def rules(host: str) -> bytes:
    """Return a response with the robots.txt that speaks for a host."""
    delay_s = CRAWL_DELAYS.get(host)
    body = "User-agent: *\nAllow: /\n" + (f"Crawl-delay: {delay_s}\n" if delay_s else "")
    return response(body.encode(), content_type="text/plain")


@asynccontextmanager
async def fifty_hosts() -> AsyncIterator[Web]:
    """Serve the web while the context lasts."""
    web = Web()
    async with AsyncExitStack() as stack:
        for address, group in itertools.groupby(HOSTS, _address):
            site = await stack.enter_async_context(serve(web.answer, host=address))
            for name in group:
                web.addresses[name] = address
                web.sites[name] = f"http://{name}:{site.port}"
        yield web


def _address(host: str) -> str:
    n = int(host[1:3])
    return f"127.0.1.{n // 10 + 1 if n < 30 else n}"


def job(web: Web, output: Path) -> dict[str, Any]:
    """Return a job whose seeds are the fifty hosts."""
    return loopback_job(
        output,
        [f"{site}/" for site in web.sites.values()],
        politeness={"delay_s": DELAY_S, "per_address": PER_ADDRESS},
        fetch={"resolve": web.addresses},
    )


async def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a program; return its exit code and what it said."""
    code, _, said = await asyncio.to_thread(finished, process)
    return code, said


async def stopped(process: subprocess.Popen[str], when: asyncio.Event) -> Any:
    """Send SIGTERM when the event has come, unless the program ends before; as `ended`."""
    end, event = asyncio.create_task(ended(process)), asyncio.create_task(when.wait())
    await asyncio.wait({end, event}, return_when=asyncio.FIRST_COMPLETED)
    event.cancel()
    if not end.done():
        process.send_signal(signal.SIGTERM)
    return await end


def check_gaps(visits: list[Visit]) -> None:
    """Assert that between two requests of one host there was at least the pause it was owed."""
    for before, after in itertools.pairwise(visits):
        gap_s = after.start - before.end
        owed_s = max(DELAY_S, CRAWL_DELAYS.get(before.host, 0.0), before.retry_after_s)
        assert gap_s >= owed_s, f"{gap_s:.3f} s between {before} and {after}"


def most_at_once(visits: list[Visit]) -> int:
    """Return the largest number of requests that were under way together."""
    edges = sorted([(v.start, 1) for v in visits] + [(v.end, -1) for v in visits])
    return max(itertools.accumulate(step for _, step in edges))


async def test_fifty_hosts_see_a_polite_crawler(tmp_path: Path) -> None:
    """Delay, Crawl-delay, Retry-After and concurrency hold over redirects, a stop and a resume."""
    async with fifty_hosts() as web:
        config = write_job(job(web, tmp_path / "out"), tmp_path / "job.yaml")
        code, said = await stopped(program("--config", config), web.busy)
        assert code == 143, said
        first_run = len(web.visits)
        code, said = await ended(program("resume", tmp_path / "out"))
        assert code == 0, said
    assert len(web.visits) - first_run > 100  # the stop was in the middle
    assert {page["url"] for page in lines(tmp_path / "out", "pages")} == web.pages()
    assert lines(tmp_path / "out", "failures") == []
    hosts, addresses = defaultdict(list), defaultdict(list)
    for visit in web.visits:
        hosts[visit.host].append(visit)
        addresses[web.addresses[visit.host]].append(visit)
    assert set(hosts) == set(HOSTS)
    for visits in hosts.values():
        assert most_at_once(visits) == 1
        check_gaps(visits)
    assert all(most_at_once(visits) <= PER_ADDRESS for visits in addresses.values())
    assert most_at_once(addresses[CROWDED]) == PER_ADDRESS
    assert most_at_once(web.visits) > PER_ADDRESS
