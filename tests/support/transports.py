"""Both transports behind one stage: what a server does is said once, and played by each.

`Served` plays it with real servers on loopback and the transport over aiohttp, `Scripted` with a
transport that opens no connection. A transport that is added has to have a stage of its own.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, Self

import pytest

from crawler.config import Job
from crawler.fetch import Access, Fetcher, Machine, RequestSlots
from crawler.fetch.addresses import AddressGuard, Resolver
from crawler.fetch.exchange import Phase, Transport
from crawler.fetch.response import Headers, Response
from crawler.fetch.transport import HttpTransport
from crawler.fetch.trouble import Trouble, Unwanted, unforeseen
from crawler.models import Failure, Obstacle, Skip
from support.fetching import PAGE, Keeper, job, no_limit_before, over_http
from support.name_server import name_server
from support.servers import Request, reset, serve


@dataclass(frozen=True)
class Says:
    """What a server does with a request."""

    status: int = 200
    fields: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),)
    pieces: tuple[bytes, ...] = (PAGE,)
    """Of the body, each sent when the one before is there."""
    does: str = "answer"
    """`answer`; before a head `mute`, `hang up`, `reset`, `nonsense`; behind the pieces, with more
    of the body announced, `cut`, `silent`, `flood`. Before the server hears of anything, which its
    address brings about: a key of `ON_THE_WAY`."""
    after_s: float = 0.0
    """How long it takes to answer; `Scripted` alone, which has a clock of its own."""


ON_THE_WAY = {
    "refused": Trouble(
        Failure.CONNECT, "Connection refused", errors=frozenset({errno.ECONNREFUSED})
    ),
    "no tls": Trouble(Failure.TLS, "wrong version number"),
    "no name": Trouble(Failure.DNS, "Domain name not found"),
    "no way": Trouble(
        Failure.CONNECT, "Network is unreachable", errors=frozenset({errno.ENETUNREACH})
    ),
    "no files": Trouble(Failure.CONNECT, "Too many open files", errors=frozenset({errno.EMFILE})),
    "closed": Trouble(Failure.BLOCKED_ADDRESS, "127.0.0.2 port 1 is not a public address; no"),
    "names silent": Phase.ADDRESS,
    "door silent": Phase.CONNECTION,
}
"""What keeps a request from its server: what that means, or the phase which has no end."""

_HEAD = {
    "hang up": Trouble(Failure.DISCONNECTED, "Server disconnected"),
    "reset": Trouble(Failure.DISCONNECTED, "Connection reset", errors=frozenset({104})),
    "nonsense": Trouble(Failure.PROTOCOL, "Bad status line"),
}
_BODY = {
    "cut": Trouble(Failure.TRUNCATED, "not all has come"),
    "flood": Unwanted(Skip.TOO_LARGE, "more than 131072 bytes of framing for 1 of content"),
}


_SILENT = {
    "mute": Phase.HEADERS,
    "silent": Phase.BODY,
    "names silent": Phase.ADDRESS,
    "door silent": Phase.CONNECTION,
}


def limits_for(does: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Return time limits: short ones for what says nothing at all, and would say it for ever.

    They do not run before the silence begins.
    """
    if does not in _SILENT:
        return {}
    no_limit_before(_SILENT[does], monkeypatch)
    names = ("connect_timeout_s", "headers_timeout_s", "read_timeout_s", "dns_timeout_s")
    return dict.fromkeys(names, 0.1)


class Stage(Protocol):
    """A transport, and what plays the servers that it asks."""

    def over(
        self, script: Mapping[str, Says], settings: Job
    ) -> AbstractAsyncContextManager[tuple[Fetcher, Callable[[str], str]]]:
        """Open a fetcher for servers that do by path what the script says, else answer 404.

        Beside it comes what gives the URL of a path.
        """

    def under_way(self, transport: Transport) -> int:
        """Return how many connections of a transport are with a request."""


class Served:
    """Real servers, and the transport over aiohttp."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    @asynccontextmanager
    async def over(
        self, script: Mapping[str, Says], settings: Job
    ) -> AsyncIterator[tuple[Fetcher, Callable[[str], str]]]:
        """See Stage."""

        async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
            await _play(script.get(request.path, _MISSING), request, writer)

        def url_of(path: str) -> str:
            match script.get(path, _MISSING).does:
                case "refused":
                    return f"http://127.0.0.1:{closed}{path}"
                case "no tls":
                    return f"https://127.0.0.1:{plain.sockets[0].getsockname()[1]}{path}"
                case "door silent":
                    return f"https://127.0.0.1:{silent.port}{path}"
                case "no name":
                    return f"http://none.test:{site.port}{path}"
                case "names silent":
                    return f"http://silent.test:{site.port}{path}"
                case "closed":
                    return f"http://127.0.0.2:{site.port}{path}"
                case "no way":
                    self._break_sockets(errno.ENETUNREACH)
                case "no files":
                    self._break_sockets(errno.EMFILE)
            return site.url + path

        async def mute(request: Request, writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        async def say_nonsense(_: object, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        with socket.create_server(("127.0.0.1", 0)) as taken:
            closed = taken.getsockname()[1]
        async with (
            serve(answer) as site,
            serve(mute) as silent,
            await asyncio.start_server(say_nonsense, "127.0.0.1", 0) as plain,
            name_server(self._monkeypatch),
            over_http(settings) as fetcher,
        ):
            yield fetcher, url_of

    def _break_sockets(self, number: int) -> None:
        def broken(guard: AddressGuard, address: tuple[Any, ...]) -> socket.socket:
            raise OSError(number, "this machine")

        self._monkeypatch.setattr(AddressGuard, "socket_factory", broken)

    def under_way(self, transport: Transport) -> int:
        """See Stage."""
        assert isinstance(transport, HttpTransport)
        return sum(len(one._acquired) for one in transport._connectors)


_MISSING = Says(status=404)


async def _play(says: Says, request: Request, writer: asyncio.StreamWriter) -> None:
    match says.does:
        case "mute":
            await asyncio.Event().wait()
        case "hang up":
            writer.close()
            return
        case "reset":
            await reset(request, writer)
            return
        case "nonsense":
            writer.write(b"HTTP/9 what\r\n\r\n")
            return
    length = sum(map(len, says.pieces)) + (says.does != "answer")
    framed = ("Transfer-Encoding", "chunked") if says.does == "flood" else None
    fields = (*says.fields, framed or ("Content-Length", str(length)))
    head = [f"HTTP/1.1 {says.status} Test", *(f"{name}: {value}" for name, value in fields)]
    writer.write("\r\n".join(head).encode("latin-1") + b"\r\n\r\n")
    for piece in () if framed else says.pieces:
        writer.write(piece)
        await writer.drain()
    match says.does:
        case "cut":
            writer.close()
        case "silent":
            await asyncio.Event().wait()
        case "flood":
            while True:
                writer.write(b"1;" + b"x" * 4000 + b"\r\na\r\n")
                await writer.drain()


class FakeTransport:
    """A `Transport` without connections, which does by path what a script says.

    `sleep` lets the time pass that an answer takes, on whatever clock the test has.
    """

    def __init__(
        self,
        script: Mapping[str, Says],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._script = script
        self._sleep = sleep
        self.asked: defaultdict[str, list[Mapping[str, str]]] = defaultdict(list)
        """URL -> the header fields of each request."""
        self.under_way = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert not self.under_way, "a response was not closed"

    async def request(
        self, url: str, headers: Mapping[str, str], enters: Callable[[Phase], None]
    ) -> Response:
        """See Transport."""
        self.asked[url].append(dict(headers))
        path = "/" + url.split("/", 3)[3].partition("?")[0]
        says = self._script.get(path, _MISSING)
        met = ON_THE_WAY.get(says.does)
        if isinstance(met, Phase):
            enters(met)
            await asyncio.Event().wait()
        enters(Phase.HEADERS)
        if isinstance(met, Trouble):
            raise met
        await self._sleep(says.after_s)
        if says.does == "mute":
            await asyncio.Event().wait()
        if (broken := _HEAD.get(says.does)) is not None:
            raise broken
        left, is_open = list(says.pieces), True
        self.under_way += 1

        async def read() -> bytes:
            if left:
                return left.pop(0)
            if (broken := _BODY.get(says.does)) is not None:
                raise broken
            if says.does == "silent":
                await asyncio.Event().wait()
            return b""

        async def close() -> None:
            nonlocal is_open
            self.under_way -= is_open
            is_open = False

        raw = tuple((name.encode(), value.encode()) for name, value in says.fields)
        return Response(
            *(says.status, Headers(says.fields), read, close),
            address="127.0.0.1",
            target=path,
            asked=tuple(headers.items()),
            raw_headers=raw,
        )

    def translate(self, error: Exception) -> Trouble | Unwanted:
        """See Transport: what it raises says already what it means."""
        if isinstance(error, Trouble):
            return Trouble(error.failure, error.detail, errors=error.errors)
        return error if isinstance(error, Unwanted) else unforeseen(error)


class Scripted:
    """The transport that opens no connection."""

    @asynccontextmanager
    async def over(
        self, script: Mapping[str, Says], settings: Job
    ) -> AsyncIterator[tuple[Fetcher, Callable[[str], str]]]:
        """See Stage."""
        async with over_fake(FakeTransport(script), settings) as fetcher:
            yield fetcher, lambda path: f"http://127.0.0.1:1{path}"

    def under_way(self, transport: Transport) -> int:
        """See Stage."""
        assert isinstance(transport, FakeTransport)
        return transport.under_way


def over_fake(transport: FakeTransport, settings: Job | None = None, **parts: Any) -> Fetcher:
    """Return a fetcher over a fake, to be opened by its user; `parts` are other arguments."""
    settings = settings or job()
    clock = parts.get("clock", asyncio.get_running_loop().time)
    slots = RequestSlots(settings.fetch.workers, aside=0)
    parts = {"slots": slots, "machine": Machine(clock=clock), "rules": Keeper(), **parts}
    access = Access(settings)
    resolver = Resolver(settings, access, clock)
    return Fetcher(settings, transport, resolver, access, **parts)


OBSTACLES: Mapping[str, Obstacle] = {
    "no way": Obstacle.NETWORK,
    "no files": Obstacle.MACHINE,
    "names silent": Obstacle.NETWORK,
}
"""What postpones a request, where nobody has answered before."""
FAILURES: Mapping[str, Failure] = {
    "refused": Failure.CONNECT,
    "no tls": Failure.TLS,
    "no name": Failure.DNS,
    "closed": Failure.BLOCKED_ADDRESS,
    "door silent": Failure.TIMEOUT_CONNECT,
    "mute": Failure.TIMEOUT_HEADERS,
    "hang up": Failure.DISCONNECTED,
    "reset": Failure.DISCONNECTED,
    "nonsense": Failure.PROTOCOL,
    "cut": Failure.TRUNCATED,
    "silent": Failure.TIMEOUT_BODY,
}
"""What ends an attempt by a failure."""
