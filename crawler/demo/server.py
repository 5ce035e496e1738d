"""Serves a demo web on loopback: one socket an address, all on the same port."""

from __future__ import annotations

import asyncio
import gzip
import socket
import time
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import brotli
import zstandard
from aiohttp import web as http

from crawler.demo.pages import Answer, Fault
from crawler.demo.web import DemoWeb
from crawler.errors import CrawlerError

_TRIES = 20
_CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, 6, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the request log."""

    at: float
    """Unix seconds."""
    monotonic_s: float
    """`time.monotonic()` on the server's machine: comparable between requests only."""
    host: str
    """Host name asked for, without port."""
    address: str
    """Address it was asked at."""
    path: str
    """Path and query, as sent."""
    user_agent: str


Log = Callable[[Request], object]


@asynccontextmanager
async def serve(web: DemoWeb, port: int = 0, log: Log = lambda request: None) -> AsyncIterator[int]:
    """Serve `web` while the context lasts and yield the port, which `web.port` is set to as well.

    Port 0 picks one that is free on all addresses. Every request is given to `log` as it begins.
    CrawlerError where an address or port cannot be had.
    """
    sockets = _bind_all(sorted(set(web.hosts.values())), port)
    web.port = sockets[0].getsockname()[1]
    handler = _Handler(web, log)
    runner = http.ServerRunner(http.Server(handler.answer), shutdown_timeout=0.1)
    await runner.setup()
    try:
        for sock in sockets:
            await http.SockSite(runner, sock, backlog=512).start()
        yield web.port
    finally:
        handler.closing.set()
        await runner.cleanup()


def _bind_all(addresses: list[str], port: int) -> list[socket.socket]:
    for attempt in range(_TRIES):
        sockets: list[socket.socket] = []
        chosen = port
        try:
            for address in addresses:
                sockets.append(_bind(address, chosen))
                chosen = sockets[0].getsockname()[1]
            return sockets
        except OSError as error:
            for sock in sockets:
                sock.close()
            if port or attempt == _TRIES - 1 or not sockets:
                raise CrawlerError(
                    f"demo web: cannot listen on {addresses[len(sockets)]}:{chosen}: "
                    f"{error.strerror}; give a free port, and where the system has only 127.0.0.1 "
                    f"(macOS) add {addresses[0]} to {addresses[-1]} to the loopback interface"
                ) from None
    raise AssertionError("the last attempt returns or raises")


def _bind(address: str, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
    except OSError:
        sock.close()
        raise
    return sock


class _Handler:
    """Turns answers into responses; keeps which URLs have been asked for before."""

    def __init__(self, web: DemoWeb, log: Log) -> None:
        self._web = web
        self._log = log
        self._asked: set[tuple[str, str]] = set()
        self.closing = asyncio.Event()

    async def answer(self, request: http.BaseRequest) -> http.StreamResponse:
        host = request.host.partition(":")[0]
        self._log(_logged(request, host))
        answer = self._web.get(host, request.path_qs, request.headers)
        if answer.first is not None:
            answer = self._first_or_later(answer, answer.first, (host, request.path_qs))
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.fault is not Fault.NONE:
            return await self._misbehave(request, answer)
        return _respond(request, answer)

    def _first_or_later(self, answer: Answer, first: Answer, key: tuple[str, str]) -> Answer:
        if key in self._asked:
            return answer
        self._asked.add(key)
        return first

    async def _misbehave(self, request: http.BaseRequest, answer: Answer) -> http.StreamResponse:
        response = http.StreamResponse(status=answer.status, headers=answer.headers)
        response.content_length = len(answer.body)
        if answer.fault in (Fault.STALL_BODY, Fault.TRUNCATE):
            await response.prepare(request)
            await response.write(answer.body[: len(answer.body) // 2])
        if answer.fault in (Fault.STALL_HEADERS, Fault.STALL_BODY):
            await self.closing.wait()
        transport = request.transport
        if transport is not None and answer.fault is Fault.TRUNCATE:
            transport.close()
        elif transport is not None:
            transport.abort()
        return response


def _respond(request: http.BaseRequest, answer: Answer) -> http.Response:
    headers, body = dict(answer.headers), answer.body
    if answer.coding and answer.coding in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = answer.coding
        body = _CODERS[answer.coding](body)
    return http.Response(status=answer.status, headers=headers, body=body)


def _logged(request: http.BaseRequest, host: str) -> Request:
    transport = request.transport
    address = transport.get_extra_info("sockname")[0] if transport is not None else ""
    agent = request.headers.get("User-Agent", "")
    return Request(time.time(), time.monotonic(), host, address, request.path_qs, agent)
