"""The transport over aiohttp: the only module, beside `socks`, that knows it.

A URL goes out exactly as it is written; redirects, cookies, decompression and proxies from the
environment are switched off, since the crawler decides on all of them itself.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from operator import itemgetter
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from crawler import config
from crawler.fetch.access import LOGIN_WANTED, Access, Proxy, SocksFailed
from crawler.fetch.addresses import LOCAL_NAMES, ConnectorSocket, Resolver, is_literal, site
from crawler.fetch.exchange import SHORT_OF, Phase
from crawler.fetch.request_slots import SPARE_CONNECTIONS
from crawler.fetch.response import Headers, Response
from crawler.fetch.trouble import AddressRefused, NameUnavailable, Trouble, Unwanted, unforeseen
from crawler.models import Failure, Obstacle, Skip
from crawler.urls import host_key

log = logging.getLogger(__name__)


MAX_HEADER_LINE_BYTES = 16_384
MAX_HEADER_LINES = 256
MAX_HEAD_BYTES = 256 * 1024
"""Together a bound on header memory, and on the time to read values; policies in headers reach 8
KiB on real sites. Chrome takes as many bytes (HttpStreamParser::kMaxHeaderBufSize)."""

MAX_INTERIM = 32
"""Interim (1xx) responses before the real one. A server sends one or two (RFC 9110 15.2)."""

FREE_FRAMING_BYTES = 128 * 1024
BODY_PER_FRAMING = 8
"""What chunks may cost: so much framing whatever the body, which is some 20,000 chunks of any size,
and beyond it a byte for every eight of the body. That is 40 bytes a chunk, half a line of HTML.
Servers that send every piece of a page as they make it stay within the first bound; nobody who
means well sends a larger body in smaller chunks, and each takes a microsecond to parse."""

_SLICE_BYTES = 4096
"""What is parsed at once outside bodies. A read brings up to 256 KiB, ten thousand interim
responses, and all of them would be parsed before the first is seen here."""


class TooMuchOnTheWire(aiohttp.ClientPayloadError):
    """An exchange brings more than it may, or a body more framing than chunks need."""


class BoundedConnector(aiohttp.TCPConnector):
    """A connector whose connections take at most `max_bytes` in one exchange.

    aiohttp bounds the lines of one response's head. Its caller sees the body without the framing,
    and so cannot bound four kinds of flood: interim responses, tiny chunks, chunk extensions, and
    responses that nobody asked for. They are cut off here, where bytes arrive, since each takes
    time of the event loop and so of all other hosts.

    `limit` holds for all connections of those that are `together`, one for each way that requests
    go: idle ones are closed, the oldest first, to make room.
    """

    def __init__(self, max_bytes: int, together: list[BoundedConnector], **options: Any) -> None:
        super().__init__(**options)
        together.append(self)
        self._together = together
        # aiohttp has no public way to say what a connection is made of.
        self._factory: Any = partial(
            BoundedConnection, max_bytes=max_bytes, loop=asyncio.get_running_loop()
        )

    async def _create_connection(self, *request: Any) -> ResponseHandler:
        # The new one is among those acquired. aiohttp has no bound for those that nobody uses.
        taken = sum(len(one._acquired) for one in self._together)
        keep = max(0, self.limit - taken) // len(self._together)
        for one in self._together:
            one.close_idle(keep)
        return await super()._create_connection(*request)

    def close_idle(self, keep: int = 0) -> None:
        """Close connections that no exchange uses, but for the `keep` youngest."""
        idle = sum(map(len, self._conns.values()))
        if idle <= keep:
            return
        by_age = sorted(
            ((since, key) for key, pooled in self._conns.items() for _, since in pooled),
            key=itemgetter(0),
        )
        for _, key in by_age[: idle - keep]:
            connection, _ = self._conns[key].popleft()
            connection.close()
            if not self._conns[key]:
                del self._conns[key]


class BoundedConnection(ResponseHandler):
    """One connection; `set_response_params` begins an exchange on it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        super().__init__(loop=loop)
        self._max_bytes = max_bytes
        self._begin()

    def _begin(self) -> None:
        self._bytes_left = self._max_bytes
        self._interim_left = MAX_INTERIM
        self._head_left = MAX_HEAD_BYTES
        self._answered = False
        self._body_bytes = 0
        """Of the body with its framing, and a slice at most of what came before it."""

    def set_response_params(self, **params: Any) -> None:
        """Begin an exchange: what is counted is counted anew."""
        self._begin()
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket, as long as they are within the bounds."""
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            self._refuse(TooMuchOnTheWire(f"more than {self._max_bytes} bytes with framing"))
            return
        while len(data) > _SLICE_BYTES and self._body_under_way() is None:
            self._parse(data[:_SLICE_BYTES])
            data = data[_SLICE_BYTES:]
            if self.transport is None or self.transport.is_closing():
                return
        self._parse(data)

    def _parse(self, data: bytes) -> None:
        if not self._answered:
            self._head_left -= len(data)
            if self._head_left < 0:
                what = f"more than {MAX_HEAD_BYTES} bytes of headers"
                self._refuse(HttpProcessingError(message=what))
                return
        super().data_received(data)
        if (body := self._body_under_way()) is not None:
            self._body_bytes += len(data)
            most = FREE_FRAMING_BYTES + body.total_bytes // BODY_PER_FRAMING
            # While reading is paused the parser holds bytes back, which are no framing.
            if self._body_bytes - body.total_bytes > most and not self._reading_paused:
                what = f"more than {most} bytes of framing for {body.total_bytes} of content"
                self._refuse(TooMuchOnTheWire(what))

    def _body_under_way(self) -> aiohttp.StreamReader | None:
        return None if self._payload is None or self._payload.is_eof() else self._payload

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Go on after a pause; without one there is nothing to do.

        aiohttp asks for it with every chunk that is read, and then wakes its parser for nothing.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Take a response's parsed head, and the stream of its body."""
        if self._answered:
            self._close()  # nobody asked for another one
        elif 100 <= data[0].code < 200 and data[0].code != 101:
            self._interim_left -= 1
            if self._interim_left < 0:
                reason = f"more than {MAX_INTERIM} interim responses"
                self._refuse(HttpProcessingError(message=reason))
            # Not passed on: the reader of the queue would only throw them away.
        else:
            self._answered = True
            super().feed_data(data, size)

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        """End the exchange with an error; one in framing is also the body's, if that has begun.

        Otherwise the body's reader would be told of a connection that ended early, or not,
        depending on whether the broken chunk came together with the head.
        """
        super().set_exception(exc, *cause)
        if (
            isinstance(exc, HttpProcessingError | TooMuchOnTheWire)
            and self._payload is not None
            and not self._payload.is_eof()
        ):
            self._payload.set_exception(exc)

    def _refuse(self, error: Exception) -> None:
        self.set_exception(error)
        self._close()

    def _close(self) -> None:
        self.force_close()
        if self.transport is not None:
            self.transport.close()


_TABLE: tuple[tuple[type[Exception], Failure | Obstacle], ...] = (
    (AddressRefused, Failure.BLOCKED_ADDRESS),
    (NameUnavailable, Obstacle.NETWORK),
    (aiohttp.ClientConnectorCertificateError, Failure.TLS),
    (aiohttp.ClientSSLError, Failure.TLS),
    (ssl.SSLError, Failure.TLS),
    (aiohttp.ClientConnectorDNSError, Failure.DNS),
    (aiohttp.ConnectionTimeoutError, Failure.TIMEOUT_CONNECT),
    (aiohttp.ClientConnectorError, Failure.CONNECT),
    (aiohttp.ClientPayloadError, Failure.TRUNCATED),
    (aiohttp.ClientConnectionError, Failure.DISCONNECTED),
    (aiohttp.ClientError, Failure.PROTOCOL),
    (HttpProcessingError, Failure.PROTOCOL),
    (OSError, Failure.DISCONNECTED),
)
"""First match wins, so a class stands before its bases. A ClientError that is not about the
connection is about what was said on it: bad status lines, oversized headers, unusable URLs."""

_ASKED = "_proxy_asked"
"""What an exception is told by which proxy its request went."""

_NUMBERS = re.compile(r"\[Errno (\d+)\]")


_enters: ContextVar[Callable[[Phase], None]] = ContextVar("enters")
"""Tells the deadline of the exchange that a task is in how far it has come. aiohttp's own way, its
hooks for tracing, takes a tenth of what a request does."""


class _Names(AbstractResolver):
    """Answers aiohttp's connector by the crawl's own resolver, which it does not close.

    To look up a proxy's name is a part of connecting to it.
    """

    def __init__(self, resolver: Resolver, *, of_proxy: bool) -> None:
        self._resolver = resolver
        self._of_proxy = of_proxy

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return where to connect to; raises OSError where that is nowhere."""
        if not self._of_proxy:
            _enters.get()(Phase.ADDRESS)
        addresses = await self._resolver.open_addresses(host, port)
        if not self._of_proxy:
            _enters.get()(Phase.CONNECTION)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Leave the resolver to who made it."""


class _Response(aiohttp.ClientResponse):
    """A response that knows who sent it, also when its connection has been given back."""

    address: str | None = None

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Take what `connection` brings, now that the request was sent on it."""
        _enters.get()(Phase.HEADERS)
        transport = connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        self.address = peer[0] if peer else None
        return await super().start(connection)


class HttpTransport:
    """A `Transport` of one session and its connections, open between `__aenter__` and `__aexit__`.

    So many pages may be under way at `most`, besides requests for robots.txt that were left. The
    guard is asked where a socket is made, with the address that it will connect to.
    """

    def __init__(self, limits: config.Fetch, access: Access, resolver: Resolver, most: int) -> None:
        self._max_wire_bytes = limits.max_wire_bytes
        self._access = access
        self._resolver = resolver
        self._most = most + SPARE_CONNECTIONS

    async def __aenter__(self) -> HttpTransport:
        self._connectors: list[BoundedConnector] = []
        self._sessions = {proxy: self._session(proxy) for proxy in self._access.ways}
        return self

    def _session(self, proxy: Proxy | None) -> aiohttp.ClientSession:
        """Return a session of its own for what goes by a proxy, or by none.

        Only where that is known of each connection the guard can let one go to a proxy wherever
        that is, and no other.
        """
        framing = FREE_FRAMING_BYTES + self._max_wire_bytes // BODY_PER_FRAMING
        max_bytes = MAX_HEAD_BYTES + self._max_wire_bytes + framing
        options: dict[str, Any] = {
            "limit": self._most,
            "limit_per_host": 0,
            "together": self._connectors,
            "ssl": self._access.default_tls,
        }
        if proxy is not None and proxy.is_socks:
            from crawler.fetch.socks import SocksConnector  # of an extra

            connector: BoundedConnector = SocksConnector(proxy, max_bytes, **options)
        else:
            connector = BoundedConnector(
                max_bytes,
                **options,
                resolver=_Names(self._resolver, of_proxy=proxy is not None),
                use_dns_cache=False,
                socket_factory=partial(self._socket, proxy),
            )
        return aiohttp.ClientSession(
            connector=connector,
            headers=self._access.every,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            auto_decompress=False,
            trust_env=False,
            max_line_size=MAX_HEADER_LINE_BYTES,
            max_field_size=MAX_HEADER_LINE_BYTES,
            max_headers=MAX_HEADER_LINES,
            response_class=_Response,
        )

    async def __aexit__(self, *exc_info: object) -> None:
        for session in self._sessions.values():
            await session.close()

    def _socket(self, proxy: Proxy | None, addr_info: tuple[Any, ...]) -> socket.socket:
        """Return a socket that the guard admits; where files ran out, idle ones are closed.

        One to a proxy is admitted wherever that is.
        """
        try:
            if proxy is not None:
                return ConnectorSocket(*addr_info[:3])
            return self._resolver.guard.socket_factory(addr_info)
        except OSError as error:
            if error.errno in SHORT_OF:
                for connector in self._connectors:
                    connector.close_idle()
            raise

    async def request(
        self, url: str, headers: Mapping[str, str], enters: Callable[[Phase], None]
    ) -> Response:
        """See `Transport`.

        A proxy's login is told to that alone: what goes by TLS has a tunnel, which is asked for
        with the login; else the request has it.
        """
        proxy, way = self._access.proxy_of(host_key(url)), dict[str, Any]()
        if proxy is not None:
            # It opens connections that this program never sees, so its URLs are judged as they are
            # written. A name is for the proxy to look up, and to refuse.
            name, port = site(url)
            address, *_ = LOCAL_NAMES.get(name, (name,))
            if is_literal(address) and not self._resolver.guard.admits(address, port):
                raise AddressRefused(address, port)
            if not proxy.is_socks:
                way["proxy"] = proxy.url
                if url.startswith("https:"):
                    way["proxy_headers"] = proxy.login
                else:
                    headers = {**headers, **proxy.login}
        _enters.set(enters)
        try:
            response = await self._sessions[proxy].get(
                URL(url, encoded=True),
                headers=headers,
                allow_redirects=False,
                ssl=self._access.tls(url),
                **way,
            )
        except Exception as error:
            error.__dict__[_ASKED] = proxy
            raise
        asked, version = response.request_info, response.version
        return Response(
            status=response.status,
            headers=Headers(response.headers.items()),
            read=response.content.readany,
            close=partial(_let_go, response),
            # Behind a proxy nobody knows a server's address.
            address=getattr(response, "address", None) if proxy is None else None,
            target=asked.url.raw_path_qs,
            asked=asked.headers.items(),
            version=f"{version.major}.{version.minor}" if version else "1.1",
            reason=response.reason or "",
            raw_headers=response.raw_headers,
        )

    def translate(self, error: Exception) -> Trouble | Unwanted:
        """See `Transport`."""
        if isinstance(error, TooMuchOnTheWire):
            return Unwanted(Skip.TOO_LARGE, str(error))
        cause = getattr(error, "os_error", None)
        root = cause if isinstance(cause, AddressRefused | NameUnavailable) else error
        failure = next((failure for kind, failure in _TABLE if isinstance(root, kind)), None)
        if failure is None:
            trouble = unforeseen(error)
        else:
            match root:
                case AddressRefused():
                    said = root.explanation
                case NameUnavailable():
                    said = str(root.strerror)
                case aiohttp.ClientConnectorError(os_error=cause):
                    said = _in_words(cause)
                case aiohttp.ClientResponseError():
                    said = " ".join(root.message.split())  # without the URL, which the record has
                case _:
                    said = f"{type(root).__name__}: {root}".rstrip(": ")
            trouble = Trouble(failure, said)
        trouble.errors = frozenset(_errors(cause or error))
        if (proxy := getattr(error, _ASKED, None)) is not None:
            trouble.of_proxy = _of_proxy(proxy, error)
        return trouble


def _errors(error: BaseException) -> set[int]:
    """Return the system's numbers of an error: of several addresses its text alone has them."""
    numbers = {int(number) for number in _NUMBERS.findall(str(error))}
    if isinstance(error, OSError) and error.errno is not None:
        numbers.add(error.errno)
    return numbers


_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")
"""How OpenSSL says that a plain answer came, before 3.2 and since."""


def _in_words(error: Exception) -> str:
    """Return what an error means: in the system's words, without addresses the URL has anyway."""
    if isinstance(error, ssl.SSLError):
        if getattr(error, "reason", None) in _NO_TLS:  # those of Python's own have none
            return "no TLS is spoken there: is it http:// ?"
    else:
        words = [os.strerror(n) for n in sorted(_errors(error)) if n in errno.errorcode]
        if words:
            return ", ".join(words)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _of_proxy(proxy: Proxy, error: Exception) -> Trouble | None:
    """Return what an exception means by the proxy; None: it is not of the proxy."""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        if error.status == LOGIN_WANTED:
            return proxy.login_wanted()
        return Trouble(Failure.CONNECT, f"the proxy answered {error.status} to CONNECT")
    # aiohttp makes errors of its own out of the system's.
    error = error.__cause__ if isinstance(error.__cause__, SocksFailed) else error
    own = (getattr(error, "host", None), getattr(error, "port", None))
    if isinstance(error, SocksFailed):
        if not error.by_proxy:
            return Trouble(Failure.CONNECT, f"the proxy answered: {error.strerror}")
    elif isinstance(error, aiohttp.ClientProxyConnectionError) or own == (proxy.host, proxy.port):
        error = getattr(error, "os_error", error)
    else:
        return None
    return proxy.fails(_in_words(error))


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
