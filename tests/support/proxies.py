"""Loopback proxies for tests: one of HTTP (CONNECT, and requests with whole URLs), one of SOCKS 5.

Names are led where the test says; what nobody has led is looked up by nobody and refused.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import ada_url

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Led = Mapping[str, int]
"""`host:port` -> port on loopback."""

_REFUSED = 5
"""Connection refused (RFC 1928, 6)."""


@dataclass
class ProxyServer:
    """A running proxy."""

    url: str
    port: int
    asked: list[str] = field(default_factory=list)
    """`host:port` of each connection or request, in order."""
    heads: list[str] = field(default_factory=list)
    """Heads of requests that it was sent itself: CONNECT, and those with whole URLs."""


Converse = Callable[[ProxyServer, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def http_proxy(
    led: Led, *, login: str = "", tls: ssl.SSLContext | None = None, refused: str = ""
) -> AsyncIterator[ProxyServer]:
    """Run a proxy of HTTP; with a `login` (user:password) it answers 407 to all others.

    It also answers 407 to whatever is asked of the host `refused`.
    """
    wanted = f"proxy-authorization: basic {b64encode(login.encode()).decode()}".lower()

    async def converse(
        proxy: ProxyServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        proxy.heads.append(head)
        method, target, _ = head.split("\r\n", 1)[0].split(" ")
        host = target.removeprefix("http://").partition(":")[0]
        if (login and wanted not in head.lower()) or host == refused:
            writer.write(b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        if method == "CONNECT":
            proxy.asked.append(target)
            if target not in led:
                writer.write(b"HTTP/1.1 502 No Way\r\nContent-Length: 0\r\n\r\n")
                return
            server = await asyncio.open_connection("127.0.0.1", led[target])
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            url = ada_url.URL(target)
            place = f"{url.hostname}:{url.port or 80}"
            proxy.asked.append(place)
            if place not in led:
                writer.write(b"HTTP/1.1 502 No Way\r\nContent-Length: 0\r\n\r\n")
                return
            server = await asyncio.open_connection("127.0.0.1", led[place])
            server[1].write(_forwarded(head, url.pathname + url.search))
            await _answered(server, writer)
            return
        await _joined((reader, writer), server)

    async with _listening("https" if tls else "http", converse, tls) as proxy:
        yield proxy


def _forwarded(head: str, path: str) -> bytes:
    """Return a request as a server gets it: with a path, without what is the proxy's.

    One request a connection, lest the proxy has to find where the next one begins.
    """
    first, *lines = head.split("\r\n")
    kept = [line for line in lines if not line.lower().startswith("proxy-authorization:")]
    method, _, version = first.split(" ")
    return "\r\n".join([f"{method} {path} {version}", *kept]).encode("latin-1")


async def _answered(server: Streams, writer: asyncio.StreamWriter) -> None:
    """Hand on one response, whose length must be declared, and end the connection with it."""
    reader, asking = server
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1]) if length else 0)
        writer.write(head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) + body)
    finally:
        asking.close()


@asynccontextmanager
async def socks_proxy(
    led: Led, *, login: str = "", bad: Iterable[bytes] = ()
) -> AsyncIterator[ProxyServer]:
    """Run a proxy of SOCKS 5 (RFC 1928), with a `login` by RFC 1929; only names are led.

    To the first connections it says what is in `bad`, and closes each within the handshake.
    """
    left = list(bad)

    async def converse(
        proxy: ProxyServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if left:
            said = left.pop(0)  # before it waits: others may have begun by then
            await reader.readexactly(1)
            writer.write(said)
            return
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        method = 2 if login else 0
        if method not in methods:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes((5, method)))
        if login:
            _, size = await reader.readexactly(2)
            user = await reader.readexactly(size)
            password = await reader.readexactly((await reader.readexactly(1))[0])
            agreed = f"{user.decode()}:{password.decode()}" == login
            writer.write(bytes((1, 0 if agreed else 1)))
            if not agreed:
                return
        _, _, _, kind = await reader.readexactly(4)
        size = 4 if kind == 1 else (await reader.readexactly(1))[0]
        host = await reader.readexactly(size)
        name = ".".join(map(str, host)) if kind == 1 else host.decode()
        place = f"{name}:{int.from_bytes(await reader.readexactly(2))}"
        proxy.asked.append(place)
        if place not in led:
            writer.write(bytes((5, _REFUSED, 0, 1)) + bytes(6))
            return
        server = await asyncio.open_connection("127.0.0.1", led[place])
        writer.write(bytes((5, 0, 0, 1)) + bytes(6))
        await _joined((reader, writer), server)

    async with _listening("socks5", converse) as proxy:
        yield proxy


@asynccontextmanager
async def _listening(
    scheme: str, converse: Converse, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ProxyServer]:
    proxy = ProxyServer("", 0)
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await converse(proxy, reader, writer)
            await writer.drain()
        writer.close()
        connections.discard(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    proxy.port = server.sockets[0].getsockname()[1]
    proxy.url = f"{scheme}://127.0.0.1:{proxy.port}"
    try:
        yield proxy
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections)


async def _joined(client: Streams, server: Streams) -> None:
    """Carry bytes both ways until one side ends."""

    async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65_536):
                sink.write(data)
                await sink.drain()

    ways = {
        asyncio.create_task(carry(client[0], server[1])),
        asyncio.create_task(carry(server[0], client[1])),
    }
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        server[1].close()
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
