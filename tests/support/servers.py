"""Loopback servers for tests of the network: exact bytes out, exact requests recorded.

`serve` answers by path with prepared bytes or with a coroutine that may misbehave in any way: it
writes what it likes, stalls for ever (`stall`), resets (`reset`). Everything ends with the block.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    """A request as it came: the target in the request line, headers with lower-case names."""

    target: str
    headers: Mapping[str, str]

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]
Reply = bytes | Handler
Answer = Mapping[str, Reply] | Handler


@dataclass
class Site:
    """A running server."""

    url: str
    port: int
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a request has come."""

    @property
    def targets(self) -> list[str]:
        """The targets asked for, in order."""
        return [request.target for request in self.requests]


def response(
    body: bytes = b"<p>hello</p>",
    *,
    status: int = 200,
    content_type: str | None = "text/html",
    headers: Mapping[str, str] | tuple[tuple[str, str], ...] = (),
    length: int | None = None,
) -> bytes:
    """Return a whole response; `length` overrides the true Content-Length."""
    lines = [
        f"HTTP/1.1 {status} Test",
        f"Content-Length: {len(body) if length is None else length}",
    ]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    lines += [f"{name}: {value}" for name, value in pairs]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def redirect(location: str, status: int = 302, *cookies: str) -> bytes:
    """Return a redirect, setting cookies if given."""
    pairs = (("Location", location), *(("Set-Cookie", cookie) for cookie in cookies))
    return response(b"", status=status, headers=pairs)


async def stall(request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer nothing until the server ends."""
    await asyncio.Event().wait()


def then(data: bytes, what: Handler) -> Handler:
    """Return a handler that sends `data` and then does `what`."""

    async def handler(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        await what(request, writer)

    return handler


async def hang_up(request: Request, writer: asyncio.StreamWriter) -> None:
    """Close the connection in good order."""
    writer.close()


async def reset(request: Request, writer: asyncio.StreamWriter) -> None:
    """Tear the connection down with a TCP reset."""
    connection: socket.socket = writer.get_extra_info("socket")
    linger = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


def endless(piece: bytes) -> Handler:
    """Return a handler that sends `piece` again and again until the client leaves."""

    async def handler(request: Request, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(piece)
            await writer.drain()

    return handler


@asynccontextmanager
async def serve(
    answer: Answer, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Site]:
    """Run a server that answers by path (else 404), or by one handler for everything."""
    site = Site("", 0)
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        site.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await _converse(site, answer, reader, writer)
        writer.transport.abort()
        connections.discard(task)

    server = await asyncio.start_server(connected, host, 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    bracketed = f"[{host}]" if ":" in host else host
    site.url = f"{'https' if tls else 'http'}://{bracketed}:{site.port}"
    try:
        yield site
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections)


async def _converse(
    site: Site, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    while not writer.is_closing():
        head = await reader.readuntil(b"\r\n\r\n")
        request = _parse(head.decode("latin-1"))
        site.requests.append(request)
        site.asked.set()
        await reply_to(answer, request, writer)


async def reply_to(answer: Answer, request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer one request: by its path (else 404), or by the one handler for everything."""
    reply = answer if callable(answer) else answer.get(request.path, _NOT_FOUND)
    if isinstance(reply, bytes):
        writer.write(reply)
        await writer.drain()
    else:
        await reply(request, writer)


_NOT_FOUND = response(b"nothing here", status=404)


def _parse(head: str) -> Request:
    first, *lines = head.split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Request(first.split(" ")[1], headers)
