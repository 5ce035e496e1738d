"""A crawl that is steered from its live page, over HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from support.crawling import HANG_S
from support.live import PAGES, crawling, gated_web, job_of
from support.output import lines

from crawler.engine.identity import identity
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def hosts_of(output: Path) -> list[str]:
    """Return the host of each page that was judged."""
    return [line["host"] for name in ("pages", "duplicates") for line in lines(output, name)]


async def test_a_paused_crawl_asks_nothing_and_a_stopped_host_waits_for_the_next_run(
    tmp_path: Path,
) -> None:
    """Requests under way end, no other begins; what is left of the host is fetched by a resume."""
    output, said = tmp_path / "out", list[str]()
    with gated_web() as (made, server):
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
