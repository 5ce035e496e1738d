"""The demo web on real sockets: its answers, its log, its misbehaviour, and its end."""

import asyncio
import gzip
import os
import signal
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import brotli
import pytest
import zstandard
from support.crawling import HANG_S

from crawler.demo import DemoServer, DemoWeb, serve
from crawler.demo.server import Request
from crawler.errors import CrawlerError

SMALL = 10
PARENT = """
import os, sys
from crawler.demo import DemoServer, DemoWeb
web = DemoWeb(articles=10)
with DemoServer(web):
    print(web.port, flush=True)
    sys.stdin.read()
"""
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "br": brotli.decompress,
    "zstd": zstandard.decompress,
}


class Client:
    """Asks the served web by host name, through its addresses."""

    def __init__(self, web: DemoWeb, session: aiohttp.ClientSession) -> None:
        self.web = web
        self.session = session

    async def get(
        self, name: str, path: str, coding: str = "gzip", silence_s: float | None = None
    ) -> tuple[int, str, bytes]:
        """Return status, Content-Encoding and the body as it came; TimeoutError after a silence."""
        host = f"{name}.demo.test"
        url = f"http://{self.web.hosts[host]}:{self.web.port}{path}"
        headers = {"Host": f"{host}:{self.web.port}", "Accept-Encoding": coding}
        limit = aiohttp.ClientTimeout(total=None, sock_read=silence_s)
        async with self.session.get(
            url, headers=headers, allow_redirects=False, timeout=limit
        ) as response:
            encoding = response.headers.get("Content-Encoding", "")
            return response.status, encoding, await response.read()


@pytest.fixture
async def log() -> list[Request]:
    """The requests of one test."""
    return []


@pytest.fixture
async def client(log: list[Request]) -> AsyncIterator[Client]:
    """A client of a served small web."""
    web = DemoWeb(articles=SMALL)
    async with (
        serve(web, log=log.append),
        aiohttp.ClientSession(auto_decompress=False) as session,
    ):
        yield Client(web, session)


async def test_every_host_answers_what_the_web_says(client: Client) -> None:
    """Each name's home page comes from its address as `get` makes it, with the served port."""
    for host in client.web.hosts:
        if host.endswith(".demo.test"):
            status, _, body = await client.get(host.partition(".")[0], "/")
            assert (status, body) == (200, client.web.get(host, "/").body)
    assert f":{client.web.port}/" in client.web.seeds[0]


async def test_requests_are_logged_as_they_begin(client: Client, log: list[Request]) -> None:
    """The log tells host, address, path and the order of requests."""
    await client.get("news-b", "/robots.txt")
    await client.get("archive", "/?utm_source=x")
    first, second = log
    assert (first.host, first.path) == ("news-b.demo.test", "/robots.txt")
    assert (second.host, second.path) == ("archive.demo.test", "/?utm_source=x")
    assert first.address == second.address == "127.0.1.2"
    assert first.monotonic_s <= second.monotonic_s
    assert first.user_agent.startswith("Python")


@pytest.mark.parametrize("coding", UNPACK)
async def test_codings_unpack_to_the_same_bytes(client: Client, coding: str) -> None:
    """A page is compressed where the client accepts it, plain where it does not."""
    _, none, plain = await client.get("babel", "/coding/none", coding)
    _, used, coded = await client.get("babel", f"/coding/{coding}", coding)
    _, refused, same = await client.get("babel", f"/coding/{coding}", "identity")
    assert (none, used, refused) == ("", coding, "")
    assert UNPACK[coding](coded) == plain == same
    assert len(coded) < len(plain)


async def test_trouble_passes_at_the_second_request(client: Client) -> None:
    """The flaky and the busy page fail once and are fine ever after."""
    assert [(await client.get("broken", "/flaky"))[0] for _ in range(3)] == [500, 200, 200]
    assert [(await client.get("broken", "/busy"))[0] for _ in range(2)] == [429, 200]
    assert [(await client.get("broken", "/500"))[0] for _ in range(3)] == [500, 500, 500]


async def test_connections_go_wrong_as_declared(client: Client) -> None:
    """Reset, cut short and stalled before or in the body: each is what the client sees."""
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.get("slow", "/reset")
    with pytest.raises(aiohttp.ClientPayloadError):
        await client.get("broken", "/truncated")
    for path in ("/stall-headers", "/stall-body"):
        with pytest.raises(TimeoutError):
            await client.get("slow", path, silence_s=0.3)


async def test_leaving_ends_stalled_answers_and_frees_the_port() -> None:
    """The context ends at once though a client waits for a page that never comes."""
    web = DemoWeb(articles=SMALL)
    async with aiohttp.ClientSession() as session:
        asked = asyncio.Event()
        async with serve(web, log=lambda request: asked.set()) as port:
            waiting = asyncio.create_task(Client(web, session).get("slow", "/stall-headers"))
            await asked.wait()
        with pytest.raises(aiohttp.ClientError):
            await asyncio.wait_for(waiting, HANG_S)
    async with serve(DemoWeb(articles=SMALL), port) as again:
        assert again == port


async def test_a_taken_port_is_one_clear_error() -> None:
    """A port that another server holds raises an error that names address and port."""
    web = DemoWeb(articles=SMALL)
    with socket.socket() as holder:
        holder.bind(("127.0.1.3", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(CrawlerError, match=rf"127\.0\.1\.3:{port}"):
            async with serve(web, port):
                pass


def fetch_robots(port: int) -> bytes:
    """Ask the quiet host for its robots.txt, as plainly as can be."""
    with socket.create_connection(("127.0.1.15", port), timeout=HANG_S) as connection:
        connection.sendall(b"GET /robots.txt HTTP/1.0\r\nHost: quiet.demo.test\r\n\r\n")
        return b"".join(iter(lambda: connection.recv(4096), b""))


def refused(port: int) -> bool:
    """Whether the server's port closes, sooner or later."""
    end = time.monotonic() + HANG_S
    while time.monotonic() < end:
        try:
            fetch_robots(port)
        except OSError:
            return True
    return False


def test_the_server_process_answers_logs_and_stops(tmp_path: Path) -> None:
    """`DemoServer` is ready on entry, writes the log, and is gone on exit."""
    web = DemoWeb(articles=SMALL)
    with DemoServer(web, log=tmp_path / "requests.jsonl") as server:
        assert b"Crawl-delay: 0.2" in fetch_robots(web.port)
        assert [request.path for request in server.requests()] == ["/robots.txt"]
    with pytest.raises(OSError, match="refused"):
        fetch_robots(web.port)


def test_the_server_process_reports_a_taken_port() -> None:
    """A second server on the same port raises the child's own one-line reason."""
    web = DemoWeb(articles=SMALL)
    with DemoServer(web), pytest.raises(CrawlerError, match="cannot listen"):
        DemoServer(DemoWeb(articles=SMALL), port=web.port).__enter__()


def test_the_server_process_dies_with_a_killed_parent() -> None:
    """After kill -9 of the process that started it the server ends by itself."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    with parent.stdin, parent.stdout:
        port = int(parent.stdout.readline())
        assert b"200 OK" in fetch_robots(port)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    assert refused(port)
