"""Whatever a server or the network does wrong has its failure class, within its time limit."""

from __future__ import annotations

import asyncio
import gc
import gzip
import socket
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.crawling import HANG_S, crawl
from support.fetching import (
    PAGE,
    failure,
    fetch,
    fetch_reply,
    job,
    no_limit_before,
    over_http,
    task,
)
from support.hostile_web import silent_port
from support.output import lines
from support.servers import Handler, Reply, endless, hang_up, reset, response, serve, stall, then

from crawler.fetch.addresses import AddressGuard
from crawler.fetch.exchange import Phase
from crawler.models import Failed, Failure, Fetched


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (404, Failure.HTTP_CLIENT_ERROR),
        (408, Failure.HTTP_CLIENT_ERROR),
        (429, Failure.HTTP_RATE_LIMITED),
        (500, Failure.HTTP_SERVER_ERROR),
        (503, Failure.HTTP_SERVER_ERROR),
        (206, Failure.HTTP_UNEXPECTED),
        (300, Failure.HTTP_UNEXPECTED),
        (700, Failure.HTTP_UNEXPECTED),
    ],
)
async def test_statuses(status: int, expected: Failure) -> None:
    """Every status that brings no page has its failure class and keeps its number."""
    outcome = await fetch_reply(response(PAGE, status=status))
    assert isinstance(outcome, Failed)
    assert (outcome.failure, outcome.status) == (expected, status)


@pytest.mark.parametrize(("status", "expected"), [(429, 7.0), (503, 7.0), (404, None)])
async def test_retry_after(status: int, expected: float | None) -> None:
    """A server that is busy says how long, and is bounded by the job."""
    reply = response(status=status, headers={"Retry-After": "100"})
    outcome = await fetch_reply(reply, job({"max_retry_after_s": 7}))
    assert isinstance(outcome, Failed)
    assert outcome.retry_after_s == expected


BROKEN: list[tuple[str, Reply, Failure]] = [
    ("silent close", hang_up, Failure.DISCONNECTED),
    ("reset", reset, Failure.DISCONNECTED),
    ("close in headers", then(b"HTTP/1.1 200 OK\r\nConte", hang_up), Failure.DISCONNECTED),
    ("not HTTP", then(b"SSH-2.0-OpenSSH_9.6\r\n\r\n", hang_up), Failure.PROTOCOL),
    ("bad status line", then(b"HTTP/1.1 abc\r\n\r\n", hang_up), Failure.PROTOCOL),
    ("huge header", response(headers={"X": "y" * 20_000}), Failure.PROTOCOL),
    ("endless headers", then(b"HTTP/1.1 200 OK\r\n", endless(b"A: b\r\n" * 50)), Failure.PROTOCOL),
    ("endless header", then(b"HTTP/1.1 200 OK\r\nA: ", endless(b"b" * 500)), Failure.PROTOCOL),
    ("short body", then(response(PAGE, length=999), hang_up), Failure.TRUNCATED),
    ("reset in body", then(response(PAGE, length=999), reset), Failure.TRUNCATED),
    (
        "short chunks",
        then(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            hang_up,
        ),
        Failure.TRUNCATED,
    ),
    (
        "short gzip",
        response(gzip.compress(PAGE)[:-9], headers={"Content-Encoding": "gzip"}),
        Failure.TRUNCATED,
    ),
    (
        "unknown coding",
        response(b"\0\1", headers={"Content-Encoding": "x"}),
        Failure.CONTENT_ENCODING,
    ),
    (
        "corrupt coding",
        response(
            b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\xff" * 20, headers={"Content-Encoding": "gzip"}
        ),
        Failure.CONTENT_ENCODING,
    ),
]


@pytest.mark.parametrize(("reply", "expected"), [c[1:] for c in BROKEN], ids=[c[0] for c in BROKEN])
async def test_broken_servers(reply: Reply, expected: Failure) -> None:
    """Whatever a server breaks has its failure class, and nothing is raised."""
    assert await failure(reply) is expected


async def test_bad_chunks() -> None:
    """A chunk size that is no number ends the body as a failure."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert await failure(head + b"zz\r\nhello\r\n") in (Failure.PROTOCOL, Failure.TRUNCATED)


async def test_body_longer_than_announced() -> None:
    """Bytes beyond Content-Length are not taken for the next page's response."""
    smuggled = response(b"<p>smuggled</p>")
    async with serve({"/": response(PAGE) + smuggled}) as site, over_http(job()) as fetcher:
        for _ in range(2):
            outcome = await fetcher.fetch(task(f"{site.url}/"), 0.0)
            assert isinstance(outcome, Fetched)
            assert outcome.body == PAGE


@pytest.mark.parametrize(
    ("reply", "limit", "expected"),
    [
        (stall, "headers_timeout_s", Failure.TIMEOUT_HEADERS),
        (then(b"HTTP/1.1 200 OK\r\nA: b\r\n", stall), "headers_timeout_s", Failure.TIMEOUT_HEADERS),
        (then(response(PAGE, length=999), stall), "read_timeout_s", Failure.TIMEOUT_BODY),
        (stall, "total_timeout_s", Failure.TIMEOUT_HEADERS),
        (then(response(PAGE, length=999), stall), "total_timeout_s", Failure.TIMEOUT_BODY),
    ],
)
async def test_time_limits(
    reply: Handler, limit: str, expected: Failure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each phase has its own limit and failure class; the limit in all falls to the phase."""
    body = expected is Failure.TIMEOUT_BODY
    no_limit_before(Phase.BODY if body else Phase.HEADERS, monkeypatch)
    outcome = await fetch_reply(reply, job(**{limit: 0.1}))
    assert isinstance(outcome, Failed)
    assert outcome.failure is expected
    assert "0.1 s" in outcome.detail


async def test_dribbling_headers_run_out_of_time() -> None:
    """A server that sends a header byte now and then cannot hold a worker."""

    async def dribble(request: object, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nA: ")
        while True:
            writer.write(b"b")
            await asyncio.sleep(0.02)

    assert await failure(dribble, job(headers_timeout_s=0.15)) is Failure.TIMEOUT_HEADERS


async def test_connect_time_limit() -> None:
    """A server that accepts and never shakes hands for TLS runs into the connection's limit."""
    async with serve(stall) as site:
        url = site.url.replace("http:", "https:")
        outcome = await fetch(f"{url}/", job(connect_timeout_s=0.1))
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.TIMEOUT_CONNECT


async def test_nobody_listens() -> None:
    """A closed port is a failure to connect."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    outcome = await fetch(f"http://127.0.0.1:{port}/")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.CONNECT


def test_a_silent_seed_gets_one_connect_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A port that says nothing at all is connected to once, and its seed fails by that."""
    attempts: list[object] = []
    connect = AddressGuard.socket_factory

    def counted(guard: AddressGuard, address: tuple[Any, ...]) -> socket.socket:
        attempts.append(address[-1])
        return connect(guard, address)

    monkeypatch.setattr(AddressGuard, "socket_factory", counted)
    with silent_port() as port:
        seed = f"http://127.0.0.1:{port}/"
        limits = {"connect_timeout_s": 1.5}
        job = {"seeds": [seed], "output": str(tmp_path / "out"), "fetch": limits}
        assert crawl({**job, "politeness": {"dead_after_s": 0.0}}) == 0
    assert attempts == [("127.0.0.1", port)]
    (failed,) = lines(tmp_path / "out", "failures")
    assert (failed["url"], failed["failure"]) == (seed, "timeout-connect")


async def test_tls_to_a_plain_server() -> None:
    """A server that does not speak TLS is a TLS failure."""
    garbage = then(b"HTTP/1.1 400 Bad Request\r\n\r\n", hang_up)

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await garbage(None, writer)  # type: ignore[arg-type]

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        outcome = await fetch(f"https://127.0.0.1:{port}/")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.TLS


async def test_certificates_are_verified(tmp_path: Path) -> None:
    """A certificate that nobody vouches for is a TLS failure, and no page is taken."""
    async with serve({"/": response(PAGE)}, tls=_self_signed(tmp_path)) as site:
        outcome = await fetch(f"{site.url}/")
        assert site.requests == []
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.TLS


def _self_signed(folder: Path) -> ssl.SSLContext:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-subj /CN=127.0.0.1 -keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


async def test_cancelling_leaves_nothing_behind() -> None:
    """A cancelled fetch is cancelled at once, in every phase, and the client closes cleanly."""
    for reply in (stall, then(response(PAGE, length=999), stall)):
        async with serve({"/": reply}) as site, over_http(job()) as fetcher:
            running = asyncio.create_task(fetcher.fetch(task(f"{site.url}/"), 0.0))
            await site.asked.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        assert asyncio.all_tasks() == {asyncio.current_task()}
    gc.collect()


async def test_a_page_is_not_told_by_what_follows_it() -> None:
    """A response that nobody asked for costs the connection, and is no answer to anything."""
    async with serve({"/": response(PAGE) + response(b"<p>smuggled</p>") * 50}) as site:
        async with over_http(job()) as fetcher:
            for _ in range(3):
                outcome = await fetcher.fetch(task(f"{site.url}/"), 0.0)
                assert isinstance(outcome, Fetched)
                assert outcome.body == PAGE
        assert site.connections == 3


@pytest.mark.parametrize("split", [False, True])
async def test_broken_frames_have_one_class(split: bool) -> None:
    """A chunk that is none is the same failure, whether it comes with the head or after it."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"5\r\nhello\r\n"
    asked = asyncio.Event()

    async def later(request: object, writer: asyncio.StreamWriter) -> None:
        writer.write(head + chunk)
        await writer.drain()
        await asyncio.wait_for(asked.wait(), HANG_S)
        writer.write(b"zz\r\n")

    if not split:
        assert await failure(head + b"zz\r\n" + chunk) is Failure.PROTOCOL
        return
    async with serve({"/": later}) as site, over_http(job()) as fetcher:
        asking = asyncio.create_task(fetcher.fetch(task(f"{site.url}/"), 0.0))
        await site.asked.wait()
        asyncio.get_running_loop().call_later(0.05, asked.set)
        outcome = await asking
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.PROTOCOL
