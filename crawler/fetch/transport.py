"""One HTTP exchange: the request out, the response in, every phase under its own time limit.

The only module that holds an aiohttp session. A URL goes out exactly as it is written; redirects,
cookies, decompression and proxies from the environment are switched off, since the crawler decides
on all of them itself; what opens doors (`access`) is chosen by the URL of each request.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import aiohttp
from yarl import URL

from crawler import config
from crawler.fetch.access import LOGIN_WANTED, Access
from crawler.fetch.addresses import AddressGuard, ConnectorSocket, Resolver
from crawler.fetch.exchange import (
    MAX_HEADER_LINE_BYTES,
    MAX_HEADER_LINES,
    AddressedResponse,
    BoundedConnector,
    Deadline,
    Exchange,
    Phase,
    max_exchange_bytes,
)
from crawler.fetch.request_slots import SPARE_CONNECTIONS, RequestSlots
from crawler.fetch.trouble import SHORT_OF, UNREACHED, Machine, Trouble, errors_of, translate
from crawler.models import Failure, Obstacle
from crawler.urls import host_key, hostname

log = logging.getLogger(__name__)


_BEAT_S = 1.0

_HEADERS = {
    "accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1",
    "accept-encoding": "gzip, deflate, br, zstd",
}


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

    An exchange is a wait for a server, in `slots`: no more should be under way than these have,
    besides those of robots.txt that were left.
    """

    def __init__(
        self,
        limits: config.Fetch,
        user_agent: str,
        resolver: Resolver,
        guard: AddressGuard,
        machine: Machine,
        slots: RequestSlots,
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
        self._slots = slots
        self._most = slots.most + SPARE_CONNECTIONS

    async def __aenter__(self) -> Transport:
        most_bytes = max_exchange_bytes(self._limits.max_wire_bytes)
        options: dict[str, Any] = {
            "limit": self._most,
            "limit_per_host": 0,
            "ssl": self._certificates.default,
        }
        if self._proxy is not None and self._proxy.is_socks:
            from crawler.fetch.socks import SocksConnector  # of an extra

            self._connector: BoundedConnector = SocksConnector(self._proxy, most_bytes, **options)
        else:
            self._connector = BoundedConnector(
                most_bytes,
                **options,
                resolver=self._resolver,
                use_dns_cache=False,
                socket_factory=self._socket,
            )
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

        def judged(error: Exception) -> Trouble:
            trouble = deadline.trouble() if deadline.expired else translate(error)
            return self._judged(trouble, error, url, begun_at)

        host = host_key(url)
        headers = {**self._headers_of(host), **(conditions or {}), **self._credentials.headers(url)}
        if cookie := self._credentials.cookies(url, cookies, self._wall()):
            headers["Cookie"] = cookie
        try:
            async with deadline:
                with self._slots.waiting(host, deadline.give_way):
                    try:
                        # Raises whatever a library or the system does.
                        way = self._way(url, headers)
                        response = await self._session.get(
                            URL(url, encoded=True),
                            headers=headers,
                            allow_redirects=False,
                            trace_request_ctx=deadline,
                            ssl=self._certificates.of(url),
                            **way,
                        )
                    except Exception as error:
                        raise judged(error) from error
                    try:
                        self._confirm_way(response, url, begun_at)
                        self._machine.answered(begun_at)
                        yield Exchange(response, deadline, judged, self._credentials.names)
                    finally:
                        await _let_go(response)
        except TimeoutError as error:
            if not deadline.expired:
                raise
            raise judged(error) from error

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

    def _confirm_way(self, response: aiohttp.ClientResponse, url: str, begun_at: float) -> None:
        """Raise Trouble where it may be the proxy that answered, since it wants a login.

        By http nobody can tell that from a server that says the same. A proxy says it of all hosts,
        so while others are answered it is this host that cannot be reached; else it may be the way.
        """
        proxy, machine = self._proxy, self._machine
        if proxy is None or response.status != LOGIN_WANTED or not proxy.may_answer_for(url):
            return
        trouble = proxy.login_wanted()
        if machine.is_connected(begun_at):
            raise Trouble(Failure.CONNECT, trouble.detail)
        machine.unreached(hostname(host_key(url)), trouble.detail, begun_at)
        raise trouble

    def _judged(self, trouble: Trouble, error: Exception, url: str, begun_at: float) -> Trouble:
        """Return whose trouble it was: the server's, as it seems, or this machine's."""
        machine, host = self._machine, hostname(host_key(url))
        numbers = errors_of(error)
        # No address to speak from: none of a kind, as on a machine without IPv6, or no port.
        without_ports = numbers == {errno.EADDRNOTAVAIL} and self._resolver.has_ipv4(host)
        out = (numbers & SHORT_OF.keys()) - (set() if without_ports else {errno.EADDRNOTAVAIL})
        if short := min(out, default=None):
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


async def _let_go(response: aiohttp.ClientResponse) -> None:
    """Give back a response's connection, whatever comes of that: the page is read, or has failed.

    One whose body was not read to its end is closed.
    """
    try:
        async with response:
            pass
    except Exception as error:
        log.info("a connection cannot be given back", exc_info=error)
        response.close()


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
