"""Answer as a recorded site did: a proxy on loopback.

It answers requests for whole URLs, as a crawler's proxy is asked (`fetch.proxy`), and requests for
paths by their Host field. What was not recorded is a 404, and is counted. A crawl that goes another
way than the recorded one meets links that were never followed: as 404s they would teach it that
such URLs lead to nothing. `Recorded` keeps a crawl to what was recorded.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

ANSWERS, SECOND = "answers.warc.gz", "again.warc.gz"
"""What a site answered; and what it answered when it was asked for some of that again."""
ROBOTS = "/robots.txt"
"""Asked for by the crawler itself: no page of any site, and no fetch that is counted."""
SEEN = "/.seen"
"""Path at which the server tells what it was asked so far; it is no page of any site."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a site says at a URL."""

    status: int
    fields: tuple[tuple[str, str], ...]
    body: bytes

    def field(self, name: str) -> str:
        """Return a field's first value; empty where it is not there."""
        return next((value for key, value in self.fields if key.lower() == name), "")

    def message(self) -> bytes:
        """Return it as it is sent."""
        kept = [(n, v) for n, v in self.fields if n.lower() not in ("content-length", "date")]
        lines = [f"HTTP/1.1 {self.status} ."] + [f"{name}: {value}" for name, value in kept]
        lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + self.body


Site = dict[str, Answer]
"""URL -> what is said there, in the order in which it was asked for first."""


def recorded(path: Path) -> Site:
    """Return what an archive holds; of a URL asked twice the last answer."""
    site: Site = {}
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            head = record.http_headers
            url = record.rec_headers.get_header("WARC-Target-URI")
            site[url] = Answer(
                int(head.get_statuscode()),
                tuple(head.headers),
                record.content_stream().read(),
            )
    return site


class Recorded:
    """A filter plugin: it admits links to what was recorded, listed in a file, one URL a line."""

    def __init__(self, file: str) -> None:
        self._urls = frozenset(Path(file).read_text(encoding="utf-8").splitlines())

    def admits(self, url: str, depth: int, referrer: str) -> bool:
        """Whether the URL was recorded."""
        return url in self._urls


class Replay:
    """Whole messages by URL, and what was asked for, in order."""

    def __init__(self, site: Mapping[str, Answer]) -> None:
        self._messages = {url: answer.message() for url, answer in site.items()}
        self._missing = Answer(404, (("Content-Type", "text/plain"),), b"not recorded\n").message()
        self._asked: list[str] = []

    def get(self, url: str) -> bytes:
        """Return what is sent for a URL."""
        if url.endswith(SEEN):
            body = json.dumps(self._asked).encode()
            return Answer(200, (("Content-Type", "application/json"),), body).message()
        self._asked.append(url)
        return self._messages.get(url, self._missing)


class Connection(asyncio.Protocol):
    """One client's connection, kept open until it closes it or asks for that."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
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
            first, *rest = request.decode("latin-1").split("\r\n")
            fields = {n.lower(): v for n, _, v in (line.partition(": ") for line in rest)}
            url = first.split(" ")[1]
            if url.startswith("/"):
                url = f"http://{fields.get('host', '')}{url}"
            self._transport.write(self._replay.get(url))
            if fields.get("connection", "").lower() == "close":
                self._transport.close()


@asynccontextmanager
async def replaying(load: Callable[[], Mapping[str, Answer]], port: int = 0) -> AsyncIterator[int]:
    """Serve what `load` returns on 127.0.0.1 while the context lasts; yield the port."""
    replay = Replay(load())
    loop = asyncio.get_running_loop()
    server = await loop.create_server(partial(Connection, replay), "127.0.0.1", port, backlog=512)
    async with server:
        yield server.sockets[0].getsockname()[1]


def asked(port: int) -> list[str]:
    """Return the URLs that a replay was asked for so far, in order."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", SEEN)
    urls: list[str] = json.loads(connection.getresponse().read())
    connection.close()
    return urls
