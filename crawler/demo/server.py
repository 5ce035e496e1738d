"""Serves a demo web on loopback, one socket an address, here or in a process of its own."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import brotli
import zstandard
from aiohttp import web as http

from crawler.demo.pages import Answer, Fault
from crawler.demo.web import DemoWeb
from crawler.errors import CrawlerError

_STOP_S = 5.0
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


def _bind_all(addresses: list[str], port: int, tries: int = 20) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    chosen = port
    try:
        for address in addresses:
            sockets.append(socket.create_server((address, chosen)))
            chosen = sockets[0].getsockname()[1]
    except OSError as error:
        for sock in sockets:
            sock.close()
        if tries > 1 and sockets and not port:
            return _bind_all(addresses, port, tries - 1)
        raise CrawlerError(
            f"demo web: cannot listen on {addresses[len(sockets)]}:{chosen}: "
            f"{os.strerror(error.errno or 0)}; give a free port, and where the system has only "
            f"127.0.0.1 (macOS) add {addresses[0]} to {addresses[-1]} to the loopback interface"
        ) from None
    return sockets


class _Handler:
    """Turns answers into responses; keeps which URLs have been asked for before."""

    def __init__(self, web: DemoWeb, log: Log) -> None:
        self._web = web
        self._log = log
        self._asked: set[tuple[str, str]] = set()
        self.closing = asyncio.Event()

    async def answer(self, request: http.BaseRequest) -> http.StreamResponse:
        host = request.host.partition(":")[0]
        transport = request.transport
        address = transport.get_extra_info("sockname")[0] if transport is not None else ""
        agent = request.headers.get("User-Agent", "")
        now = time.time(), time.monotonic()
        self._log(Request(*now, host, address, request.path_qs, agent))
        answer = self._web.get(host, request.path_qs, request.headers)
        if answer.first is not None:
            key = (host, request.path_qs)
            answer = answer if key in self._asked else answer.first
            self._asked.add(key)
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.fault is not Fault.NONE:
            return await self._misbehave(request, answer)
        headers, body = dict(answer.headers), answer.body
        if answer.coding and answer.coding in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = answer.coding
            body = _CODERS[answer.coding](body)
        return http.Response(status=answer.status, headers=headers, body=body)

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


class DemoServer:
    """Serves `web` while the context lasts; on entry its port answers and `web.port` is set.

    The child ends when its standard input does, that is with the context or with this process,
    however it dies. It has a session of its own: Ctrl-C in the terminal must let the crawl drain
    before its server goes. With `log`, a path, every request is a line of that file (`requests`).
    CrawlerError where it cannot start.
    """

    program: tuple[str, ...] = ("crawler.demo", "--until-stdin-closes")
    """The module that serves, prints its port and ends with its input."""

    def __init__(self, web: DemoWeb, port: int = 0, log: Path | None = None) -> None:
        self._web = web
        self._port = port
        self._log = log
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> DemoServer:
        web = self._web
        given = {"seed": web.seed, "articles": web.articles, "port": self._port, "log": self._log}
        flags = [f"--{name}={value}" for name, value in given.items() if value is not None]
        self.process = subprocess.Popen(
            [sys.executable, "-m", *self.program, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        answer = self.process.stdout.readline().strip()
        if not answer.isdigit():
            self.__exit__()
            raise CrawlerError(answer or "demo web: its server ended before it began")
        self._web.port = int(answer)
        return self

    def __exit__(self, *exc_info: object) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        assert process.stdin is not None
        with process:  # waits, and closes its output
            process.stdin.close()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()

    def requests(self) -> list[Request]:
        """Return the requests so far, in order; empty without a log."""
        if self._log is None or not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8").splitlines()
        return [Request(**json.loads(line)) for line in lines]
