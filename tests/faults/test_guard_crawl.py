"""The address guard in whole crawls: what a server outside says opens no way to a server inside."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from support.crawling import finished, loopback_job, program, write_job
from support.output import lines
from support.servers import redirect, response, serve

OUTSIDE, OUTSIDE_ADDRESS = "outside.test", "127.0.5.1"
"""Stands for a host on the internet: of all addresses here the job admits this one only."""
ALLOWS_ALL = response(b"User-agent: *\nAllow: /\n", content_type="text/plain")


def job(port: int, output: Path, *allowed: str) -> dict[str, object]:
    """Return the job of a crawl of two pages outside."""
    return loopback_job(
        output,
        [f"http://{OUTSIDE}:{port}/", f"http://{OUTSIDE}:{port}/other"],
        fetch={"resolve": {OUTSIDE: OUTSIDE_ADDRESS}, "allow_addresses": list(allowed)},
    )


@pytest.mark.parametrize("inside", ["127.0.6.1", "localhost"])
async def test_a_robots_txt_cannot_send_the_crawl_inside(tmp_path: Path, inside: str) -> None:
    """A redirect of robots.txt to a private server, by address or name, is not followed.

    The server inside sees no connection, and the rules count as unreachable: no page of the host
    outside is asked for (RFC 9309 section 2.3.1.4).
    """
    listens = "127.0.0.1" if inside == "localhost" else inside
    async with serve({"/robots.txt": ALLOWS_ALL}, host=listens) as private:
        routes = {"/robots.txt": redirect(f"http://{inside}:{private.port}/robots.txt")}
        async with serve(routes, host=OUTSIDE_ADDRESS) as outside:
            config = write_job(job(outside.port, tmp_path / "out"), tmp_path / "job.yaml")
            code, _, err = await asyncio.to_thread(finished, program("--config", config))
    assert code == 1, err
    assert private.connections == 0
    assert set(outside.targets) == {"/robots.txt"}
    failures = lines(tmp_path / "out", "failures")
    assert [line["failure"] for line in failures] == ["blocked-address"] * 2
    refused = rf"/robots.txt: \S+ port {private.port} is not a public address"
    assert all(re.search(refused, line["detail"]) for line in failures)


async def test_a_robots_txt_may_lead_to_where_the_job_allows(tmp_path: Path) -> None:
    """The same redirect to a server that the job admits is followed, and its rules hold."""
    rules = response(b"User-agent: *\nDisallow: /other\n", content_type="text/plain")
    async with serve({"/robots.txt": rules}, host="127.0.6.1") as private:
        routes = {"/robots.txt": redirect(f"{private.url}/robots.txt"), "/": response()}
        async with serve(routes, host=OUTSIDE_ADDRESS) as outside:
            data = job(outside.port, tmp_path / "out", "127.0.6.0/24")
            config = write_job(data, tmp_path / "job.yaml")
            code, _, err = await asyncio.to_thread(finished, program("--config", config))
    assert code == 0, err
    assert private.targets == ["/robots.txt"]
    assert outside.targets == ["/robots.txt", "/"]
    assert [line["reason"] for line in lines(tmp_path / "out", "skipped")] == ["robots"]
