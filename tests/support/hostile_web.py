"""All hostile hosts behind real sockets on loopback, beside healthy ones, and one crawl of them.

The program runs as a process of its own; what memory it and its analysis processes may take is
given, not measured.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import trustme

from support.authority import authority, certificate
from support.crawling import AS_USERS_READ, HANG_S, finished, loopback_job, program, wait_until
from support.hostile_case import Case, Door
from support.hostile_replies import WORDS
from support.servers import Answer, Request, reset, response, serve

ADDRESS = "127.0.0.1"
_RUDE = {
    Door.HUNG_UP: b"",
    Door.RESET: b"",
    Door.TLS_RESET: b"",
    Door.TLS_STALL: b"",
    Door.TLS_GARBAGE: b"HTTP/1.1 400 Bad Request\r\n\r\n",
    Door.TLS_ALERT: b"\x15\x03\x03\x00\x02\x02\x28",  # fatal, handshake_failure (RFC 8446 6)
}
"""Doors that are shut before a request is read, and what is said there."""

_LETTERS = str.maketrans("0123456789", "abcdefghij")
_SO_MAX_PACING_RATE = 47
"""Of Linux, which Python does not name (include/uapi/asm-generic/socket.h)."""

DATA_BYTES = 800_000_000
"""What the crawl may allocate, and each of its analysis processes, stacks of threads included, and
all that the process holds which the program is forked from (RLIMIT_DATA). Beside all attacks that
is some 500 MB, with 36 threads 730; the bombs are a gigabyte each, and it took 1.6 GB to escape
10 MB of control characters."""


@dataclass
class HostileWeb:
    """The running servers."""

    authority: Path
    """Certificate of the authority that the good ones are signed by."""
    seeds: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def job(self, output: Path, **fetch: Any) -> dict[str, Any]:
        """Return the job that crawls it all, with time limits of a few seconds."""
        return loopback_job(
            output,
            self.seeds,
            **AS_USERS_READ,
            user_agent={"contact": "https://hostile.test/"},
            politeness={
                "per_address": 256,
                "robots_wait_s": 0.5,
                "dead_after_s": 0.0,
                "max_crawl_delay_s": 0.1,
                "max_retry_after_s": 0.1,
            },
            analysis={"processes": 2, "timeout_s": 60.0},
            fetch={
                "resolve": self.names,
                "workers": 100,
                "dns_timeout_s": 3.0,
                "connect_timeout_s": 8.0,
                "headers_timeout_s": 8.0,
                "read_timeout_s": 8.0,
                "total_timeout_s": 12.0,
                "max_wire_bytes": 1_200_000,
                "max_body_bytes": 1_000_000,
                "retries": 0,
                **fetch,
            },
        )


@asynccontextmanager
async def hostile_web(
    cases: Sequence[Case], healthy: int, pages: int, home: Path, pace: int | None = None
) -> AsyncIterator[HostileWeb]:
    """Serve each case on a host of its own, and `healthy` hosts of `pages` pages that link on.

    No connection of a case brings more than `pace` bytes a second; Linux only.
    """
    web = HostileWeb(certificate(home))
    async with AsyncExitStack() as stack:
        for case in cases:
            host = host_of(case)
            port = await stack.enter_async_context(_door(case, pace))
            _add(web, host, port, case.door.scheme)
            if case.door is Door.NAMELESS:
                del web.names[host]
        for number in range(healthy):
            site = await stack.enter_async_context(serve(_healthy(pages)))
            _add(web, f"healthy-{number}.test", site.port, "http")
        yield web


def host_of(case: Case) -> str:
    """Return a case's host name; with an empty label, which no name has, if none is to be found."""
    unknown = "." if case.door is Door.NAMELESS else ""
    return f"{case.name}{unknown}.test"


def _add(web: HostileWeb, host: str, port: int, scheme: str) -> None:
    web.names[host] = ADDRESS
    web.seeds.append(f"{scheme}://{host}:{port}/page")


def _healthy(pages: int) -> Answer:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.target == "/robots.txt":
            writer.write(response(b"", status=404))
            return
        number = int(request.target.removeprefix("/page") or 0)
        port = writer.get_extra_info("sockname")[1]
        link = f"<a href='/page{number + 1}'>next</a>" if number + 1 < pages else ""
        text = healthy_text(port, number)
        writer.write(response(f"<html><body><p>{text}</p>{link}</body></html>".encode()))

    return answer


def healthy_text(port: int, number: int) -> str:
    """Return the text of a healthy host's page, unlike all others in more than digits.

    A long chain of pages that differ in digits only is an endless place by the trap rule.
    """
    name = f"{port}-{number}".translate(_LETTERS)
    return " ".join(f"{name}-{word}-{n}" for n in range(4) for word in WORDS.split())


# --------------------------------------------------------------------------------------------------
# Doors


@asynccontextmanager
async def _door(case: Case, pace: int | None) -> AsyncIterator[int]:
    """Open the port of a case."""
    match case.door:
        case Door.CLOSED | Door.NAMELESS:
            with closed_port() as port:
                yield port
        case Door.SILENT:
            with silent_port() as port:
                yield port
        case door if door in _RUDE:
            async with _rude_server(door) as port:
                yield port
        case _:
            tls = _context(case) if case.door is not Door.HTTP else None
            async with serve(_answer(case, pace), tls=tls) as site:
                yield site.port


def _answer(case: Case, pace: int | None) -> Answer:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        if pace is not None:
            connection: socket.socket = writer.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, pace)
        reply = case.robots if request.target == "/robots.txt" else case.page
        if isinstance(reply, bytes):
            writer.write(reply)
            await writer.drain()
        else:
            await reply(request, writer)

    return answer


@contextmanager
def closed_port() -> Iterator[int]:
    """Hold a port that refuses connections: taken, so that no server gets it, and not listening."""
    with socket.socket() as taken:
        taken.bind((ADDRESS, 0))
        yield taken.getsockname()[1]


@contextmanager
def silent_port() -> Iterator[int]:
    """Hold a port whose queue of connections is full: the kernel answers no SYN any more."""
    with socket.socket() as listening:
        listening.bind((ADDRESS, 0))
        listening.listen(0)
        address = listening.getsockname()
        queued = [socket.socket() for _ in range(4)]
        try:
            for client in queued:
                client.setblocking(False)
                client.connect_ex(address)
            yield address[1]
        finally:
            for client in queued:
                client.close()


@asynccontextmanager
async def _rude_server(door: Door) -> AsyncIterator[int]:
    """Serve connections that are ended, or left alone, before a request is read."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(_RUDE[door])
        if door in (Door.RESET, Door.TLS_RESET):
            await reset(Request("", {}), writer)
        elif door is Door.TLS_STALL:
            await reader.read(-1)
        writer.close()

    server = await asyncio.start_server(connected, ADDRESS, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def _context(case: Case) -> ssl.SSLContext:
    now, day = datetime.now(UTC), timedelta(days=1)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if case.door is Door.SELF_SIGNED:
        own = trustme.CA()
        with own.cert_pem.tempfile() as certificate, own.private_key_pem.tempfile() as key:
            context.load_cert_chain(certificate, key)
        return context
    name = "another.test" if case.door is Door.WRONG_HOST else host_of(case)
    signer = trustme.CA() if case.door is Door.UNKNOWN_CA else authority()
    begins = now + day if case.door is Door.NOT_YET else now - 2 * day
    ends = now - day if case.door is Door.EXPIRED else now + 2 * day
    leaf = signer.issue_cert(name, not_before=begins, not_after=ends)
    leaf.configure_cert(context)
    return context


# --------------------------------------------------------------------------------------------------
# The crawl


async def run_program(
    job: Path,
    web: HostileWeb,
    timeout_s: float = HANG_S,
    data_bytes: int = DATA_BYTES,
    enough: Callable[[], bool] | None = None,
) -> tuple[int, str, str]:
    """Crawl a job file in a process of its own; return exit code, stdout and stderr.

    It may allocate so many bytes, and so may each of its analysis processes: a page for which there
    is no memory stays pending, or fails as one that its process died of. It is told to stop as soon
    as there is `enough`.
    """
    process = program(
        *("--config", job),
        env=os.environ | {"SSL_CERT_FILE": str(web.authority)},
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_DATA, (data_bytes, data_bytes)),
    )
    try:
        if enough is not None:
            await asyncio.to_thread(wait_until, enough, process, timeout_s)
            process.send_signal(signal.SIGTERM)
        return await asyncio.to_thread(finished, process, timeout_s)
    finally:
        if process.poll() is None:  # too slow, or nobody waits for it any more
            process.kill()
