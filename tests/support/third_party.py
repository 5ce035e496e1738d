"""Every call of somebody else's code on the way to a page, and what it raises, raised at will.

The first list is by what is called from `crawler.fetch`, or by what such a call is made of where
that fails for reasons of its own. `ANY` is raised by each: nobody promises that a library raises
nothing else than it says. What reads archives and corpora has lists of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import lzma
import ssl
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

import aiodns
import aiohttp
import brotli
import pycares
import python_socks
import zstandard
from aiohttp import http_exceptions
from python_socks._protocols.errors import ReplyError
from yarl import URL


class NeverHeardOfError(Exception):
    """In no table, and no kin of anything that is."""


Raised = Callable[[], Exception]
_REQUEST = aiohttp.RequestInfo(URL("http://a.test/"), "GET", {}, URL("http://a.test/"))  # type: ignore[arg-type]

ANY: tuple[Raised, ...] = (
    NeverHeardOfError,
    lambda: NeverHeardOfError("a detail"),
    lambda: ExceptionGroup("several", [NeverHeardOfError("one"), OSError(5, "another")]),
    lambda: AssertionError("an assertion of a library"),
    lambda: asyncio.IncompleteReadError(b"", 2),
    lambda: asyncio.InvalidStateError("invalid state"),
    lambda: asyncio.LimitOverrunError("limit", 3),
    lambda: asyncio.QueueFull(),
    lambda: AttributeError("'NoneType' object has no attribute 'write'"),
    lambda: BufferError("existing exports of data"),
    EOFError,
    lambda: IndexError("list index out of range"),
    lambda: KeyError("key"),
    lambda: LookupError("unknown encoding"),
    lambda: NotImplementedError(),
    lambda: OSError("without a number"),
    lambda: OSError(5, "Input/output error"),
    lambda: OverflowError("too large"),
    lambda: RecursionError("too deep"),
    lambda: RuntimeError("Session is closed"),
    lambda: StopAsyncIteration(),
    lambda: TimeoutError("a library's own limit"),
    lambda: TypeError("an argument"),
    lambda: UnicodeEncodeError("idna", "x", 0, 1, "label too long"),
    lambda: ValueError("a value"),
    lambda: ssl.SSLError(1, "[SSL] a record"),
)

_CONNECTION: tuple[Raised, ...] = (
    lambda: BrokenPipeError(32, "Broken pipe"),
    lambda: ConnectionAbortedError("SSL handshake is taking longer than 60.0 seconds"),
    lambda: ConnectionRefusedError(111, "Connection refused"),
    lambda: ConnectionResetError(104, "Connection reset by peer"),
    lambda: ssl.SSLZeroReturnError(6, "closed"),
    lambda: ssl.SSLCertVerificationError(1, "certificate verify failed"),
)
_HTTP: tuple[Raised, ...] = (
    lambda: aiohttp.ClientConnectionError("Connector is closed."),
    lambda: aiohttp.ClientConnectionResetError("Cannot write to closing transport"),
    lambda: aiohttp.ClientError("of no known kind"),
    lambda: aiohttp.ClientOSError(104, "Connection reset by peer"),
    lambda: aiohttp.ClientPayloadError("Response payload is not completed"),
    lambda: aiohttp.ClientResponseError(_REQUEST, (), status=400, message="Bad status line"),
    lambda: aiohttp.ConnectionTimeoutError("Connection timeout"),
    lambda: aiohttp.InvalidURL("http://"),
    lambda: aiohttp.ServerDisconnectedError(),
    lambda: aiohttp.ServerTimeoutError("Timeout on reading data"),
    lambda: aiohttp.SocketTimeoutError("Timeout on reading data"),
    lambda: aiohttp.TooManyRedirects(_REQUEST, ()),
    lambda: http_exceptions.BadStatusLine("HTTP/9"),
    lambda: http_exceptions.ContentEncodingError("cannot decode"),
    lambda: http_exceptions.HttpProcessingError(message="of no known kind"),
    lambda: http_exceptions.TransferEncodingError("chunk"),
)
_DNS: tuple[Raised, ...] = (
    lambda: aiodns.error.DNSError(11, "Could not contact DNS servers"),
    lambda: aiodns.error.DNSError(),
    lambda: pycares.AresError(12, "Timeout while contacting DNS servers"),
    lambda: pycares.AresError(),
)
_SOCKS: tuple[Raised, ...] = (
    lambda: ReplyError("General SOCKS server failure", error_code=1),
    lambda: ReplyError("Unexpected SOCKS version number: 4"),
    lambda: python_socks.ProxyConnectionError(111, "Couldn't connect to proxy"),
    lambda: python_socks.ProxyError("Unexpected SOCKS version number: 4"),
    lambda: python_socks.ProxyError("General SOCKS server failure", error_code=1),
    lambda: python_socks.ProxyTimeoutError("Proxy connection timed out: 60"),
)


@dataclass(frozen=True)
class Call:
    """One call of somebody else's code."""

    where: str
    """Dotted, as `resolve_name` finds it."""
    known: tuple[Raised, ...] = ()
    """What it says that it raises, or was seen to raise, beside `ANY`."""
    way: str = "http"
    """What has to be asked for so that it is called: `http` and `https` directly, `socks`, `socks
    https`, `proxy` and `proxy https`, `name` for one that is looked up, `redirect`, `later` for a
    Retry-After with a date, and the name of a content coding."""
    harmless: bool = False
    """It comes when all of the page is there."""
    own: tuple[type[Exception], ...] = ()
    """What speaks of the page itself, and may end it."""

    def __str__(self) -> str:
        return f"{self.where} ({self.way})"

    @property
    def raised(self) -> tuple[Raised, ...]:
        """All that it is to raise."""
        return (*ANY, *self.known, *self.own)


CALLS: tuple[Call, ...] = (
    Call("crawler.fetch.transport.URL"),
    Call("aiohttp.ClientSession._request", (*_HTTP, *_CONNECTION)),
    Call("aiohttp.TCPConnector.connect", (*_HTTP, *_CONNECTION)),
    Call("aiohttp.TCPConnector._create_connection", (*_HTTP, *_CONNECTION)),
    Call("aiohttp.TCPConnector._wrap_create_connection", (*_HTTP, *_CONNECTION)),
    Call("aiohttp.connector.aiohappyeyeballs.start_connection", _CONNECTION),
    Call("aiohttp.connector.TCPConnector._wrap_create_connection", _CONNECTION, "https"),
    Call("aiohttp.connector.TCPConnector._create_proxy_connection", _HTTP, "proxy"),
    Call("aiohttp.connector.TCPConnector._start_tls_connection", _CONNECTION, "proxy https"),
    Call("aiohttp.client_reqrep.ClientRequest.send", (*_HTTP, *_CONNECTION)),
    Call("aiohttp.ClientResponse.start", (*_HTTP, *_CONNECTION)),
    Call("aiohttp.client_proto.ResponseHandler.data_received", _HTTP),
    Call("aiohttp.StreamReader.readany", (*_HTTP, *_CONNECTION)),
    Call("aiohttp.ClientResponse.release", _HTTP, harmless=True),
    Call("aiohttp.ClientResponse.wait_for_close", _HTTP, harmless=True),
    Call("crawler.fetch.addresses.aiodns.DNSResolver", _DNS, "name"),
    Call("aiodns.DNSResolver.getaddrinfo", _DNS, "name"),
    Call("crawler.fetch.socks.SocksProxy", way="socks"),
    Call("crawler.fetch.socks.SocksProxy.connect", (*_SOCKS, *_CONNECTION), "socks"),
    Call("python_socks.async_.asyncio.v2._proxy.connect_tcp", _CONNECTION, "socks"),
    Call("python_socks.async_.asyncio.v2._proxy.create_connector", _SOCKS, "socks"),
    Call("python_socks.async_.asyncio.v2._stream.AsyncioSocketStream.write", _CONNECTION, "socks"),
    Call("python_socks._connectors.socks5_async.Socks5AsyncConnector.connect", _SOCKS, "socks"),
    Call(
        "python_socks.async_.asyncio.v2._stream.AsyncioSocketStream.read_exactly",
        (*_SOCKS, *_CONNECTION),
        "socks",
    ),
    Call(
        "python_socks.async_.asyncio.v2._stream.AsyncioSocketStream.start_tls",
        _CONNECTION,
        "socks https",
    ),
    Call("aiohttp_socks.connector._BaseProxyConnector._wrap_create_connection", _SOCKS, "socks"),
    Call("crawler.fetch.response.zlib.decompressobj", way="gzip", own=(zlib.error,)),
    Call("crawler.fetch.response.brotli.Decompressor", way="br", own=(brotli.error,)),
    Call(
        "crawler.fetch.response.zstandard.ZstdDecompressor",
        way="zstd",
        own=(zstandard.ZstdError,),
    ),
    Call("crawler.fetch.response.ada_url.URL", way="redirect", own=(ValueError,)),
    Call("crawler.fetch.response.parsedate_to_datetime", way="later"),
)
"""Not here: what is only called as a crawl begins (the netrc and cookie files, certificates), which
ends with a message; and `crawler.urls`, whose URLs were parsed by ada_url when they were queued."""


READING: tuple[Call, ...] = (
    Call("crawler.sources.inputs.zlib.decompressobj", (zlib.error,), "gz"),
    Call("crawler.sources.inputs.lzma.LZMADecompressor", (lzma.LZMAError,), "xz"),
    Call("crawler.sources.inputs.zstandard.ZstdDecompressor", (zstandard.ZstdError,), "zst"),
    Call("crawler.sources.parquet.pq.ParquetFile", way="parquet"),
    Call("crawler.sources.parquet.pq.ParquetFile.iter_batches", way="parquet"),
)
"""What reads a user's own corpora; `way` is how a file's name ends. Whatever is raised is damage of
one file."""

OF_RECORDS = (
    *("record_type", "headers", "content_length", "freeze", "verify_block_digest"),
    *("is_http", "parse_http", "http_headers", "reader", "stream_pos"),
)
"""What is asked of a record that FastWARC reads. Whatever is raised is damage of that record."""


def failing_records(url: str, name: str, error: Raised) -> Callable[..., Iterator[Any]]:
    """Return what reads archives as FastWARC does, but fails at the records of a URL.

    It raises where these are asked for one of OF_RECORDS; with `next` where such a record comes.
    """

    class Failing:
        def __init__(self, record: Any) -> None:
            self._record = record

        def __getattr__(self, asked: str) -> Any:
            if asked == name:
                raise error()
            return getattr(self._record, asked)

    def read(*args: Any, **named: Any) -> Iterator[Any]:
        for record in real(*args, **named):
            fails = record.headers.get("WARC-Target-URI") == url
            if fails and name == "next":
                raise error()
            yield Failing(record) if fails else record

    real = resolve_name("fastwarc.warc.ArchiveIterator")
    return read


@contextmanager
def raising(call: Call, error: Raised, times: int | None = 1) -> Iterator[list[Exception]]:
    """Have a call raise this, so many times (None: always); yield what was raised by now."""
    owner, _, name = call.where.rpartition(".")
    real = getattr(resolve_name(owner), name)
    raised: list[Exception] = []

    def fails() -> bool:
        return times is None or len(raised) < times

    def failed() -> Exception:
        raised.append(error())
        return raised[-1]

    def plain(*args: Any, **named: Any) -> Any:
        if fails():
            raise failed()
        return real(*args, **named)

    async def waiting(*args: Any, **named: Any) -> Any:
        if fails():
            raise failed()
        return await real(*args, **named)

    with patch(call.where, waiting if inspect.iscoroutinefunction(real) else plain):
        yield raised
