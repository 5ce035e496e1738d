"""One HTTP exchange: the request out, headers and body in, every phase under its own time limit.

The only module that holds an aiohttp session. A URL goes out exactly as it is written; redirects,
cookies, decompression and proxies from the environment are switched off, since the crawler decides
on all of them itself; what opens doors (`access`) is chosen by the URL of each request. A body is
read as far as wanted, decoded on the way, within its caps.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import aiohttp
from multidict import CIMultiDictProxy
from yarl import URL

from crawler import config
from crawler.fetch.access import Access
from crawler.fetch.deadline import Deadline, Phase
from crawler.fetch.dns import Resolver
from crawler.fetch.encoding import ContentDecoder
from crawler.fetch.guard import AddressGuard, ConnectorSocket
from crawler.fetch.headers import joined
from crawler.fetch.machine import SHORT_OF, UNREACHED, Machine, errors_of
from crawler.fetch.places import SPARE_CONNECTIONS, Places
from crawler.fetch.proxy import LOGIN_WANTED
from crawler.fetch.trouble import TRANSLATED, Trouble, Unwanted, translate
from crawler.fetch.wire import (
    MAX_HEADER_LINE_BYTES,
    MAX_HEADER_LINES,
    BoundedConnector,
    TooMuchOnTheWire,
    max_exchange_bytes,
)
from crawler.records import Capture, Failure, Obstacle, Skip
from crawler.urls import host_key, hostname

_BEAT_S = 1.0

BREATH_BYTES = 1 << 20
"""Of a body that are decompressed at once: some 3 ms. One read can bring all of 10 MB."""

_HEADERS = {
    "accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1",
    "accept-encoding": "gzip, deflate, br, zstd",
}


class Exchange:
    """A response whose headers have arrived."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        deadline: Deadline,
        secret: frozenset[str] = frozenset(),
    ) -> None:
        """`secret` are lower-case names of header fields that no archive may have."""
        self._response = response
        self._deadline = deadline
        self._secret = secret
        self.status: int = response.status
        self.headers: CIMultiDictProxy[str] = response.headers

    def capture(self, url: str, at: float, body: bytes, truncated: str | None) -> Capture:
        """Return this exchange for an archive: what was really sent and received."""
        response, asked = self._response, self._response.request_info
        version = response.version
        return Capture(
            url=url,
            target=asked.url.raw_path_qs,
            at=at,
            address=getattr(response, "address", None),
            request=tuple(
                pair for pair in asked.headers.items() if pair[0].lower() not in self._secret
            ),
            version=f"{version.major}.{version.minor}" if version else "1.1",
            status=response.status,
            reason=response.reason or "",
            headers=tuple(response.raw_headers),
            body=body,
            truncated=truncated,
        )

    async def read(self) -> bytes:
        """Return the next piece of the body as it travelled, b"" at its end.

        Raises Unwanted(TOO_LARGE) where chunks have more framing than bodies may have bytes.
        """
        self._deadline.enter(Phase.BODY)
        try:
            return await self._response.content.readany()
        except TooMuchOnTheWire as flood:
            raise Unwanted(Skip.TOO_LARGE, str(flood)) from flood


class AddressedResponse(aiohttp.ClientResponse):
    """A response that knows who sent it, also when its connection has been given back."""

    address: str | None = None

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Take what `connection` brings."""
        transport = connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        self.address = peer[0] if peer else None
        return await super().start(connection)


class BodyReader:
    """Reads one body; memory stays within the two caps and one piece."""

    def __init__(self, exchange: Exchange, max_wire_bytes: int, max_body_bytes: int) -> None:
        """Raise Trouble if the exchange's Content- or Transfer-Encoding cannot be undone."""
        encoding = joined(exchange.headers, "content-encoding")
        transfer = joined(exchange.headers, "transfer-encoding")
        self._exchange = exchange
        self._decoder = ContentDecoder(encoding, max_body_bytes, transfer)
        self._max_wire_bytes = max_wire_bytes
        self._max_body_bytes = max_body_bytes
        self._pending: Iterator[bytes] = iter(())
        self._exhausted = False
        self._body = bytearray()
        self.wire_bytes = 0

    @property
    def unknown_encoding(self) -> str | None:
        """The Content-Encoding, where a coding in it is unknown and was taken for none."""
        return self._decoder.unknown

    @property
    def so_far(self) -> bytes:
        """What was read by now."""
        return bytes(self._body)

    async def at_least(self, size: int) -> bytes:
        """Return the body's beginning: `size` bytes or somewhat more, or all where it is shorter.

        Raises Trouble for a body that breaks off or is corrupt, Unwanted(TOO_LARGE) beyond a cap.
        """
        made = 0
        while len(self._body) < size:
            piece = next(self._pending, None)
            if piece is not None:
                self._body += piece
                made += len(piece)
                if made >= BREATH_BYTES:
                    made = 0
                    await asyncio.sleep(0)
                if len(self._body) > self._max_body_bytes:
                    what = f"body of more than {self._max_body_bytes} bytes"
                    raise Unwanted(Skip.TOO_LARGE, what)
            elif self._exhausted:
                break
            else:
                await self._refill()
                made = 0
        return bytes(self._body)

    async def whole(self) -> bytes:
        """Return all of the body; see `at_least` for errors."""
        return await self.at_least(self._max_body_bytes + 1)

    async def _refill(self) -> None:
        data = await self._exchange.read()
        self.wire_bytes += len(data)
        if self.wire_bytes > self._max_wire_bytes:
            raise Unwanted(Skip.TOO_LARGE, f"more than {self._max_wire_bytes} bytes on the wire")
        self._exhausted = not data
        self._pending = self._decoder.feed(data) if data else self._decoder.finish()


_BREAKS = frozenset(
    {
        Failure.CONNECT,
        Failure.TIMEOUT_CONNECT,
        Failure.TIMEOUT_HEADERS,
        Failure.TIMEOUT_BODY,
        Failure.DISCONNECTED,
        Failure.TRUNCATED,
    }
)
"""What becomes of requests that were under way while this machine slept."""


class Transport:
    """The client session, open between `__aenter__` and `__aexit__`.

    An exchange is a wait for a server, in `places`: no more should be under way than these have,
    besides those of robots.txt that were left.
    """

    def __init__(
        self,
        limits: config.Fetch,
        user_agent: str,
        resolver: Resolver,
        guard: AddressGuard,
        machine: Machine,
        places: Places,
        access: Access,
        *,
        addressed: bool = False,
        headers_of: Callable[[str], Mapping[str, str]] = lambda host: {},
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Have exchanges know the server's address if they are to be `addressed`.

        `headers_of` gives the header fields that only this host key is sent; `wall` is Unix time,
        by which cookies end. Behind a proxy nobody knows a server's address.
        """
        self._headers_of = headers_of
        self._wall = wall
        self._credentials = access.credentials
        self._certificates = access.certificates
        self._proxy = access.proxy
        addressed = addressed and access.proxy is None
        self._response_class = AddressedResponse if addressed else aiohttp.ClientResponse
        self._limits = limits
        self._user_agent = user_agent
        self._resolver = resolver
        self._guard = guard
        self._machine = machine
        self._places = places
        self._most = places.most + SPARE_CONNECTIONS

    async def __aenter__(self) -> Transport:
        self._connector = self._connecting()
        self._session = aiohttp.ClientSession(
            connector=self._connector,
            headers={"user-agent": self._user_agent, **_HEADERS, **self._limits.headers},
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            auto_decompress=False,
            trust_env=False,
            max_line_size=MAX_HEADER_LINE_BYTES,
            max_field_size=MAX_HEADER_LINE_BYTES,
            max_headers=MAX_HEADER_LINES,
            trace_configs=[_phases()],
            response_class=self._response_class,
        )
        self._pulse = asyncio.create_task(self._beat())
        return self

    def _connecting(self) -> BoundedConnector:
        most_bytes = max_exchange_bytes(self._limits.max_wire_bytes)
        options: dict[str, Any] = {
            "limit": self._most,
            "limit_per_host": 0,
            "ssl": self._certificates.default,
        }
        if self._proxy is not None and self._proxy.is_socks:
            from crawler.fetch.socks import SocksConnector  # of an extra

            return SocksConnector(self._proxy, most_bytes, **options)
        return BoundedConnector(
            most_bytes,
            **options,
            resolver=self._resolver,
            use_dns_cache=False,
            socket_factory=self._socket,
        )

    async def __aexit__(self, *exc_info: object) -> None:
        self._pulse.cancel()
        await self._session.close()

    async def _beat(self) -> None:
        while True:
            self._machine.beat()
            await asyncio.sleep(_BEAT_S)

    def _socket(self, addr_info: tuple[Any, ...]) -> socket.socket:
        """Return a socket that the guard admits; where files ran out, idle ones are closed.

        One to a proxy is admitted wherever that is: no other is opened then.
        """
        try:
            if self._proxy is not None:
                return ConnectorSocket(*addr_info[:3])
            return self._guard.socket_factory(addr_info)
        except OSError as error:
            if error.errno in SHORT_OF:
                self._connector.close_idle()
            raise

    @asynccontextmanager
    async def exchange(
        self, url: str, cookies: str = "", conditions: Mapping[str, str] | None = None
    ) -> AsyncIterator[Exchange]:
        """Send a GET and yield the response; raises Trouble for whatever the network does.

        `conditions` are header fields that make the request a conditional one.

        A body that was not read to its end costs the connection, which is then closed.
        """
        deadline = Deadline(self._limits)
        begun_at = self._machine.beat()
        host = host_key(url)
        headers = {**self._headers_of(host), **(conditions or {}), **self._opening(url, cookies)}
        try:
            async with deadline:
                with self._places.waiting(host, deadline.give_way):
                    async with self._session.get(
                        URL(url, encoded=True),
                        headers=headers,
                        allow_redirects=False,
                        trace_request_ctx=deadline,
                        ssl=self._certificates.of(url),
                        **self._way(url, headers),
                    ) as response:
                        self._confirm_way(response, begun_at)
                        self._machine.answered(begun_at)
                        yield Exchange(response, deadline, self._credentials.names)
        except TRANSLATED as error:
            trouble = deadline.trouble() if deadline.expired else translate(error)
            raise self._judged(trouble, error, url, begun_at) from error

    def _opening(self, url: str, cookies: str) -> Mapping[str, str]:
        """Return logins and cookies for a URL; none of them is ever sent to another host."""
        cookie = self._credentials.cookies(url, cookies, self._wall())
        return {**self._credentials.headers(url), **({"Cookie": cookie} if cookie else {})}

    def _way(self, url: str, headers: dict[str, str]) -> dict[str, Any]:
        """Return how a request goes through the proxy; its login is told to that alone.

        What goes by TLS has a tunnel, which is asked for with the login; else the request has it.
        """
        proxy = self._proxy
        if proxy is None:
            return {}
        proxy.refuse_closed(url, self._guard)
        if proxy.is_socks:
            return {}
        if url.startswith("https:"):
            return {"proxy": proxy.url, "proxy_headers": proxy.login}
        headers.update(proxy.login)
        return {"proxy": proxy.url}

    def _confirm_way(self, response: aiohttp.ClientResponse, begun_at: float) -> None:
        """Raise Trouble where it was not the server that answered, but the proxy, for its login."""
        if self._proxy is not None and response.status == LOGIN_WANTED:
            trouble = self._proxy.login_wanted()
            self._machine.proxy_fails(trouble.detail, begun_at)
            raise trouble

    def _judged(self, trouble: Trouble, error: Exception, url: str, begun_at: float) -> Trouble:
        """Return whose trouble it was: the server's, as it seems, or this machine's."""
        machine, host = self._machine, hostname(host_key(url))
        numbers = errors_of(error)
        if short := self._short_of(numbers, host):
            machine.short_of(short, begun_at)
            return Trouble(Obstacle.MACHINE, SHORT_OF[short][0])
        if trouble.failure in _BREAKS and (stood_s := machine.stood_still(begun_at)):
            return Trouble(Obstacle.MACHINE, f"this machine stood still for {stood_s:.0f} s")
        if self._proxy is not None and (of_proxy := self._proxy.trouble(error)):
            if of_proxy.failure is Obstacle.NETWORK:
                machine.proxy_fails(of_proxy.detail, begun_at)
            return of_proxy
        no_way = bool(numbers & UNREACHED) and not machine.is_connected(begun_at)
        # Behind a proxy it may be the proxy that takes no connection.
        cut_off = machine.is_cut_off(begun_at) or (
            self._proxy is not None and not machine.is_connected(begun_at)
        )
        if no_way or (trouble.failure is Failure.TIMEOUT_CONNECT and cut_off):
            trouble = Trouble(Obstacle.NETWORK, trouble.detail)
        if trouble.failure is Obstacle.NETWORK:
            machine.unreached(host, trouble.detail, begun_at)
        return trouble

    def _short_of(self, numbers: frozenset[int], host: str) -> int | None:
        """Return the error that means that something has run out, if one of these does.

        No address to speak from: none of a kind, which a machine without IPv6 has not, or no port.
        """
        without_ports = numbers == {errno.EADDRNOTAVAIL} and self._resolver.has_ipv4(host)
        out = (numbers & SHORT_OF.keys()) - (set() if without_ports else {errno.EADDRNOTAVAIL})
        return min(out, default=None)


def _phases() -> aiohttp.TraceConfig:
    """Return hooks that tell an exchange's deadline how far the connector has come."""
    trace = aiohttp.TraceConfig()

    def enters(phase: Phase) -> Callable[..., Awaitable[None]]:
        async def hook(_session: object, context: SimpleNamespace, _params: object) -> None:
            context.trace_request_ctx.enter(phase)

        return hook

    trace.on_dns_resolvehost_start.append(enters(Phase.ADDRESS))
    trace.on_dns_resolvehost_end.append(enters(Phase.CONNECTION))
    trace.on_request_headers_sent.append(enters(Phase.HEADERS))
    return trace
