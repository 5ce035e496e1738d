"""What goes wrong on this machine postpones a request, and is no failure of the page."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import Any

import pytest
from support.fetching import PAGE, job, over_http, task
from support.servers import Request, hang_up, response, serve, stall

from crawler.fetch import Machine, RequestSlots
from crawler.fetch.addresses import AddressGuard
from crawler.fetch.transport import HttpTransport
from crawler.models import Failed, Failure, Fetched, FetchOutcome, Obstacle, Postponed

make_socket = AddressGuard.socket_factory


def broken_sockets(monkeypatch: pytest.MonkeyPatch, *numbers: int) -> None:
    """Let the first sockets fail by these errors of the system, one after another."""
    left = list(numbers)

    def factory(guard: AddressGuard, address: tuple[Any, ...]) -> socket.socket:
        if left:
            raise OSError(left.pop(0), "this machine")
        return make_socket(guard, address)

    monkeypatch.setattr(AddressGuard, "socket_factory", factory)


@pytest.mark.parametrize(
    "number",
    [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL],
)
async def test_what_is_short_here_is_no_failure(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages and robots.txt are postponed, told in one line, and fetched when it has passed."""
    said: list[str] = []
    broken_sockets(monkeypatch, number, number)
    async with (
        serve({"/": response(PAGE)}) as site,
        over_http(job(), machine=Machine(said.append)) as fetcher,
    ):
        robots = await fetcher.robots.refresh(site.url)
        assert robots.failure is None
        assert robots.postponed is not None
        outcome = await fetcher.fetch(task(f"{site.url}/"), 0.0)
        assert isinstance(outcome, Postponed)
        assert outcome.obstacle is robots.postponed.obstacle is Obstacle.MACHINE
        assert len(said) == 1
        assert isinstance(await fetcher.fetch(task(f"{site.url}/"), 0.0), Fetched)


@pytest.mark.parametrize("number", [errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN])
async def test_no_way_to_anybody_is_the_network(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody answers, an unreachable host is postponed; beside one that does, it fails."""
    broken_sockets(monkeypatch, number)
    async with serve({"/": response(PAGE)}) as site, over_http(job()) as fetcher:
        outcome = await fetcher.fetch(task(f"{site.url}/"), 0.0)
        assert isinstance(outcome, Postponed)
        assert outcome.obstacle is Obstacle.NETWORK
        assert isinstance(await fetcher.fetch(task(f"{site.url}/"), 0.0), Fetched)
    broken_sockets(monkeypatch)
    async with serve({"/": response(PAGE), "/last": hang_up}) as site, over_http(job()) as fetcher:
        assert isinstance(await fetcher.fetch(task(f"{site.url}/"), 0.0), Fetched)
        broken_sockets(monkeypatch, number)
        outcome = await fetcher.fetch(task(f"http://127.0.0.77:{site.port}/"), 0.0)
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.CONNECT


async def fetched_over_a_sleep(asleep_s: float, reply: str) -> FetchOutcome:
    """Fetch a page while the machine sleeps, from a server that has then gone away or is silent."""
    clock = [0.0]

    async def sleep(request: Request, writer: asyncio.StreamWriter) -> None:
        clock[0] += asleep_s
        await (hang_up if reply == "gone" else stall)(request, writer)

    limits = job(headers_timeout_s=0.1 if reply == "silent" else 600.0)
    machine = Machine(clock=lambda: clock[0], wall=lambda: clock[0])
    async with serve(sleep) as site, over_http(limits, machine=machine) as fetcher:
        return await fetcher.fetch(task(f"{site.url}/"), 0.0)


@pytest.mark.parametrize("reply", ["gone", "silent"])
async def test_a_sleep_of_this_machine_is_no_time_limit(reply: str) -> None:
    """A request under way while the machine slept is postponed, whatever became of it."""
    outcome = await fetched_over_a_sleep(3600.0, reply)
    assert isinstance(outcome, Postponed)
    assert outcome.obstacle is Obstacle.MACHINE
    assert "stood still" in outcome.detail
    awake = await fetched_over_a_sleep(1.0, reply)
    assert isinstance(awake, Failed)


async def test_idle_connections_count() -> None:
    """All connections together, idle ones too, are no more than pages may be under way, and eight.

    Each of forty servers keeps its connection open when its page has been read.
    """
    hosts = {f"h{n}.test": f"127.0.0.{n + 1}" for n in range(40)}
    opened = 0

    async def page(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(response(PAGE))

    async with (
        serve(page, host="0.0.0.0") as site,
        over_http(job(resolve=hosts), slots=RequestSlots(2, aside=0)) as fetcher,
    ):
        transport = fetcher._transport
        assert isinstance(transport, HttpTransport)
        for name in hosts:
            url = f"http://{name}:{site.port}/"
            assert isinstance(await fetcher.fetch(task(url), 0.0), Fetched)
            opened = max(opened, len(transport._connectors[0]._conns))
    assert opened == 10
