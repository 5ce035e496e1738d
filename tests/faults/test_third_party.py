"""Whatever the libraries on the way to a page raise, no page ends by it."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any

import brotli
import pytest
import trustme
import zstandard
from support.fetching import PAGE, job, over_http, task
from support.name_server import name_server
from support.proxies import http_proxy, socks_proxy
from support.sampling import sample
from support.servers import redirect, response, serve
from support.third_party import ANY, CALLS, Call, Raised, raising

from crawler.config import Job
from crawler.fetch import Machine
from crawler.frontier.failures import HOST_DOWN, POLICY
from crawler.models import Failed, Failure, Fetched, FetchOutcome, Postponed, Redirected

_PACKED = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}
DATE = "Wed, 21 Oct 2015 07:28:00 GMT"
REPLIES = {
    "/": response(PAGE),
    "/robots.txt": response(b"User-agent: *\nDisallow: /no\n", content_type="text/plain"),
    "/redirect": redirect("/"),
    "/later": response(b"", status=503, headers={"Retry-After": DATE}),
    **{
        f"/{name}": response(pack(PAGE), headers={"Content-Encoding": name})
        for name, pack in _PACKED.items()
    },
}


@dataclass(frozen=True)
class Way:
    """How a page is to be asked for."""

    url: str
    settings: Job


@asynccontextmanager
async def way_of(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Way]:
    """Run what is needed so that a call is made."""
    through, _, scheme = call.way.rpartition(" ")
    through, scheme = (through or scheme, scheme) if through else (scheme, scheme)
    async with AsyncExitStack() as stack:
        tls, fetch = None, dict[str, Any]()
        if scheme == "https":
            authority, tls = trustme.CA(), SSLContext(PROTOCOL_TLS_SERVER)
            authority.issue_cert("127.0.0.1", "site.example").configure_cert(tls)
            authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
            fetch["ca_file"] = tmp_path / "ca.pem"
        site = await stack.enter_async_context(serve(REPLIES, tls=tls))
        url = site.url
        if through in ("socks", "proxy"):
            led = {f"site.example:{port}": site.port for port in (80, 443)}
            kind = socks_proxy if through == "socks" else http_proxy
            proxy = await stack.enter_async_context(kind(led))
            fetch["proxy"] = proxy.url
            url = f"{'https' if tls else 'http'}://site.example"
        elif through == "name":
            await stack.enter_async_context(name_server(monkeypatch))
            url = f"http://alive.test:{site.port}"
        path = f"/{call.way}" if f"/{call.way}" in REPLIES else "/"
        yield Way(url + path, job(**fetch))


def costs_no_page(outcome: FetchOutcome) -> bool:
    """Whether a page has come all the same, or its URL stays pending after one attempt."""
    if isinstance(outcome, Failed):
        return outcome.failure in HOST_DOWN or POLICY[outcome.failure].retries > 0
    return isinstance(outcome, Postponed | Fetched)


async def outcome_of(way: Way, call: Call, error: Raised) -> tuple[FetchOutcome, bool]:
    """Fetch a page while a call raises this, once; return what came of it, and of a second try."""
    machine = Machine()
    async with over_http(way.settings, machine=machine) as fetcher:
        with raising(call, error) as raised:
            outcome = await fetcher.fetch(task(way.url), 0.0)
            assert raised, "it was not called"
            again = await fetcher.fetch(task(way.url), 0.0)
    return outcome, isinstance(again, Fetched | Redirected) or call.way in ("name", "later")


def errors_of(call: Call) -> list[Raised]:
    """Return all that a call is known for, and of what any may raise a third: each another one."""
    turn = CALLS.index(call) % len(ANY)
    return [*sample([*ANY[turn:], *ANY[:turn]], len(ANY) // 3), *call.known, *call.own]


@pytest.mark.parametrize("call", CALLS, ids=str)
async def test_whatever_a_library_raises_ends_no_page(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known to it or not: the URL stays pending, and the next try has its page.

    But where the exception speaks of the bytes of this page, and by nothing that is ours.
    """
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    async with way_of(call, tmp_path, monkeypatch) as way:
        for error in errors_of(call):
            outcome, is_well = await outcome_of(way, call, error)
            said = f"{error()!r}: {outcome}"
            if isinstance(error(), call.own):
                assert isinstance(outcome, Failed), said
                assert outcome.failure in (Failure.CONTENT_ENCODING, Failure.REDIRECT_INVALID)
            elif call.harmless:
                assert isinstance(outcome, Fetched), said
            else:
                assert costs_no_page(outcome), said
            assert is_well, said


@pytest.mark.parametrize("call", [call for call in CALLS if call.way == "http"], ids=str)
async def test_whatever_a_library_raises_is_no_robots_txt(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be read allows nothing: the file is asked for again, and its rules hold."""
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    async with way_of(call, tmp_path, monkeypatch) as way:
        origin = way.url.removesuffix("/")
        for error in errors_of(call):
            async with over_http(way.settings) as fetcher:
                with raising(call, error) as raised:
                    answer = await fetcher.robots.refresh(origin)
                    assert raised
                    if answer.known:
                        assert not fetcher.robots.allowed(f"{origin}/no"), repr(error())
                    again = await fetcher.robots.refresh(origin)
                assert again.known
                assert not fetcher.robots.allowed(f"{origin}/no")


async def test_no_memory_is_said_to_who_asks(tmp_path: Path) -> None:
    """MemoryError is of this process, and passes: the page stays pending (`PagePipeline.run`)."""
    async with serve(REPLIES) as site:
        for call in (call for call in CALLS if call.way in ("http", *_PACKED)):
            if call.harmless or call.where.endswith("data_received"):
                continue
            path = "" if call.way == "http" else call.way
            async with over_http(job()) as fetcher:
                with raising(call, MemoryError), pytest.raises(MemoryError):
                    await fetcher.fetch(task(f"{site.url}/{path}"), 0.0)
