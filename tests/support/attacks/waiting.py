"""Attacks that make a crawl wait: silence, slowness, 429 for ever; and a way into this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from support.attacks.attack import Attack, Staged
from support.servers import Answer, Request, reply_to, response, serve, stall

ADDRESSES = [f"127.0.7.{n}" for n in range(1, 9)]
"""What the stalling hosts have between them, since requests at once are counted by address."""
URLS_OF_THE_BUSY = 40
INNER = "inner.test"
"""A name that the job leads to this machine, as the user's own hosts are."""

_AGES_S = 36_000.0
_TIMES: Mapping[str, Any] = {
    "grace_s": 0.2,
    "politeness": {"robots_wait_s": _AGES_S},
    "fetch": {
        "headers_timeout_s": _AGES_S,
        "read_timeout_s": _AGES_S,
        "total_timeout_s": _AGES_S,
    },
}
"""No stall runs out: whoever had to wait for the end of one would wait for ten hours."""

_NO_ROBOTS = response(b"", status=404)


async def _trickle(request: Request, writer: asyncio.StreamWriter) -> None:
    """Send a text without end, a byte at a time."""
    writer.write(b"HTTP/1.1 200 Test\r\nContent-Type: text/plain\r\nContent-Length: 9999\r\n\r\n")
    while True:
        writer.write(b"#")
        await writer.drain()
        await asyncio.sleep(0.2)


async def _turncoat(request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer like anybody, and never again once a link is followed."""
    links = b"".join(b"<a href='/%d'>more</a>" % n for n in range(1, 4))
    first = {"/robots.txt": _NO_ROBOTS, "/": response(b"<p>a page and its links</p>" + links)}
    await reply_to(first if request.target in first else stall, request, writer)


async def _busy(request: Request, writer: asyncio.StreamWriter) -> None:
    busy = response(b"", status=429, headers={"Retry-After": str(10**12)})
    await reply_to({request.path: busy, "/robots.txt": _NO_ROBOTS}, request, writer)


@dataclass(frozen=True)
class _Hosts:
    """Stages many hosts that answer alike."""

    name: str
    number: int
    answer: Answer

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Staged]:
        async with serve(self.answer, host="0.0.0.0") as site:
            hosts = [f"{self.name}-{n}.test" for n in range(self.number)]
            seeds = tuple(f"http://{host}:{site.port}/" for host in hosts)
            names = {host: ADDRESSES[n % len(ADDRESSES)] for n, host in enumerate(hosts)}
            yield Staged(seeds, names)


@asynccontextmanager
async def _busy_for_ever() -> AsyncIterator[Staged]:
    async with serve(_busy) as site:
        urls = [f"http://busy.test:{site.port}/{n}" for n in range(URLS_OF_THE_BUSY)]
        yield Staged(tuple(urls), {"busy.test": "127.0.0.1"})


@asynccontextmanager
async def _way_in() -> AsyncIterator[Staged]:
    """A page links to a service of this machine; the service fails the stage if it is asked."""
    async with serve({}) as service, serve({"/": response(b"<p>hello</p>")}) as own:
        link = f"<p>look</p><a href='http://{INNER}:{service.port}/'>here</a>".encode()
        pages = {"/robots.txt": _NO_ROBOTS, "/": response(link)}
        async with serve(pages, host=ADDRESSES[0]) as outside:
            mine = f"http://{INNER}:{own.port}/"
            seeds = (f"http://outside.test:{outside.port}/", mine)
            names = {"outside.test": ADDRESSES[0], INNER: "127.0.0.1"}
            yield Staged(seeds, names, innocents=(mine,))
        assert not service.connections, "a service that no seed names was asked"


def _stalling(name: str, does: str, number: int, answer: Answer) -> Attack:
    return Attack(name, does, _Hosts(name, number, answer), _TIMES)


STALLING = (
    _stalling("silent", "600 hosts accept every connection and never answer", 600, stall),
    _stalling("turncoat", "75 hosts answer one page, and nothing from then on", 75, _turncoat),
    _stalling("trickle", "75 hosts send robots.txt slowly, byte by byte", 75, _trickle),
)
"""Hosts that keep places for as long as they are let."""

Stage = Callable[[], AbstractAsyncContextManager[Staged]]
BUSY = Attack("busy-for-ever", "429 for every page, with a Retry-After of ages", _busy_for_ever)
WAY_IN = Attack(
    "way-in",
    "links to a mapped name, at a port that no seed names",
    _way_in,
    {"scope": {"mode": "any"}},
)

ATTACKS: tuple[Attack, ...] = (*STALLING, BUSY, WAY_IN)
