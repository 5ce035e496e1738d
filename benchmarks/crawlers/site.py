"""A real site served from memory, in a process of its own: nothing but a socket write a request.

One protocol object a connection and no framework, since the server must not be what is measured.
It answers as a plain static server does: `index.html` for a folder, 301 for a folder without its
slash, 404 for what is not there. Bodies go out as they are, without a Content-Encoding.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import unquote

from benchmarks.corpora import site_files

SEEN = "/.seen"
"""Path at which the server tells what it was asked so far; it is no page of any site."""
_CHARSET_OF = {"text/html": "text/html", "text/plain": "text/plain; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a server was asked."""

    requests: int
    first_s: float
    """`time.monotonic()` of the first request; of use on the server's own machine only."""


class Answers:
    """Whole responses by request target, and what was asked for."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._responses: dict[bytes, bytes] = {}
        for path, body in files.items():
            self._add("/" + path.partition("/")[2], body)
        self._missing = _response(HTTPStatus.NOT_FOUND, "text/plain", b"not found\n")
        self._requests = 0
        self._first_s = 0.0

    def _add(self, path: str, body: bytes) -> None:
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        response = _response(HTTPStatus.OK, _CHARSET_OF.get(kind, kind), body)
        self._responses[path.encode()] = response
        folder, _, name = path.rpartition("/")
        if name == "index.html":
            self._responses[folder.encode() + b"/"] = response
            self._responses[folder.encode()] = _moved(folder + "/")

    def get(self, target: bytes) -> bytes:
        """Return the response to a request target as sent, query and all."""
        path = target.partition(b"?")[0]
        if path == SEEN.encode():
            return _response(HTTPStatus.OK, "application/json", self._seen())
        if not self._requests:
            self._first_s = time.monotonic()
        self._requests += 1
        return self._responses.get(path) or self._responses.get(_unquoted(path)) or self._missing

    def _seen(self) -> bytes:
        return json.dumps([self._requests, self._first_s]).encode()


def _unquoted(path: bytes) -> bytes:
    return unquote(path.decode("latin-1")).encode()


def _response(status: HTTPStatus, kind: str, body: bytes, more: str = "") -> bytes:
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\n{more}\r\n"
    )
    return head.encode() + body


def _moved(to: str) -> bytes:
    return _response(HTTPStatus.MOVED_PERMANENTLY, "text/plain", b"moved\n", f"Location: {to}\r\n")


class Connection(asyncio.Protocol):
    """One client's connection, kept open until it closes it or asks for that."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._transport: asyncio.WriteTransport | None = None
        self._unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what to write to."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each whole request; none has a body."""
        assert self._transport is not None
        *requests, self._unread = (self._unread + data).split(b"\r\n\r\n")
        for request in requests:
            target = request.split(b" ", 2)[1]
            self._transport.write(self._answers.get(target))
            if b"\r\nconnection: close" in request.lower():
                self._transport.close()


@asynccontextmanager
async def serve(corpora: Path, name: str) -> AsyncIterator[int]:
    """Serve a site on 127.0.0.1 while the context lasts; yield its port."""
    answers = Answers(dict(site_files(corpora, name)))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(partial(Connection, answers), "127.0.0.1", 0, backlog=512)
    async with server:
        yield server.sockets[0].getsockname()[1]


def ask(port: int) -> Seen:
    """Return what a server was asked so far."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", SEEN)
    seen = Seen(*json.loads(connection.getresponse().read()))
    connection.close()
    return seen
