"""Names are looked up without waiting for each other; no answer is told from "no such name"."""

from __future__ import annotations

import asyncio
import threading

import pytest
from support.fetching import PAGE, job, over_http, task
from support.name_server import BOTH, name_server
from support.servers import response, serve

from crawler.models import Failed, Failure, Fetched, Obstacle, Postponed


@pytest.mark.parametrize("name", ["none.test", "empty.test"])
async def test_no_such_name_and_no_address_are_final(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NXDOMAIN and an answer without addresses are a DNS failure, believed for half a minute."""
    async with name_server(monkeypatch) as server, over_http(job()) as fetcher:
        for _ in range(2):
            outcome = await fetcher.fetch(task(f"http://{name}/"), 0.0)
            assert isinstance(outcome, Failed)
            assert outcome.failure is Failure.DNS
        assert server.asked == {name: 1}


@pytest.mark.parametrize("name", ["servfail.test", "refused.test", "silent.test"])
async def test_no_answer_says_nothing_of_a_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name servers that are broken, unwilling or silent postpone a URL and never end it."""
    async with name_server(monkeypatch), over_http(job(dns_timeout_s=0.3)) as fetcher:
        outcome = await fetcher.fetch(task(f"http://{name}/"), 0.0)
    assert isinstance(outcome, Postponed)
    assert outcome.obstacle is Obstacle.NETWORK


async def test_one_temporary_failure_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name whose server failed once is asked again a second later, and found."""
    now = [0.0]
    async with (
        name_server(monkeypatch) as server,
        serve({"/": response(PAGE)}) as site,
        over_http(job(), clock=lambda: now[0]) as fetcher,
    ):
        server.failing["late.test"] = 2  # A and AAAA
        url = f"http://late.test:{site.port}/"
        assert isinstance(await fetcher.fetch(task(url), 0.0), Postponed)
        now[0] = 2.0
        assert isinstance(await fetcher.fetch(task(url), 0.0), Fetched)


async def test_dead_names_do_not_hinder_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 96 names without an answer and 8 healthy ones, the healthy are found while others wait."""
    async with name_server(monkeypatch), over_http(job(dns_timeout_s=3600)) as fetcher:
        dead = [asyncio.create_task(fetcher.resolve(f"silent{n}.test")) for n in range(96)]
        found = await asyncio.gather(*(fetcher.resolve(f"alive{n}.test") for n in range(8)))
        assert found == ["127.0.0.1"] * 8
        assert not any(look_up.done() for look_up in dead)


async def test_the_end_waits_for_no_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fetcher closes while a name server is silent, and leaves no thread to wait for."""
    before = threading.active_count()
    async with name_server(monkeypatch) as server, over_http(job(dns_timeout_s=3600)) as fetcher:
        asking = asyncio.create_task(fetcher.resolve("silent.test"))
        await server.first.wait()
    assert threading.active_count() == before
    await asyncio.gather(asking, return_exceptions=True)


async def test_names_of_this_machine_need_no_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """`localhost`, in /etc/hosts everywhere, is found without a question, as are IP literals."""
    async with (
        name_server(monkeypatch) as server,
        serve({"/": response(PAGE)}) as site,
        over_http(job()) as fetcher,
    ):
        for host in ("localhost", "127.0.0.1"):
            outcome = await fetcher.fetch(task(f"http://{host}:{site.port}/"), 0.0)
            assert isinstance(outcome, Fetched)
        assert not server.asked


@pytest.mark.parametrize(("name", "host"), [("both.test", "127.0.0.1"), ("six.test", "::1")])
async def test_both_kinds_of_addresses_are_found(
    name: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with IPv4 and IPv6 is reached where only one listens, one with IPv6 alone, too."""
    async with (
        name_server(monkeypatch, BOTH),
        serve({"/": response(PAGE)}, host=host) as site,
        over_http(job()) as fetcher,
    ):
        outcome = await fetcher.fetch(task(f"http://{name}:{site.port}/"), 0.0)
        assert isinstance(outcome, Fetched)


async def test_a_job_s_own_names_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name in `fetch.resolve` is never asked for."""
    async with name_server(monkeypatch) as server:
        async with over_http(job(resolve={"mine.test": "127.0.0.9"})) as fetcher:
            assert await fetcher.resolve("mine.test") == "127.0.0.9"
        assert not server.asked
