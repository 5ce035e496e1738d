"""What is captured of exchanges: as they were, whole or not, and nothing without an archive."""

from __future__ import annotations

import gzip
from typing import Any

from support.fetching import PAGE, fetch, job, waiting
from support.fetching import task as task_for
from support.servers import hang_up, redirect, response, serve, then

from crawler.config import Job
from crawler.fetch.client import MAX_ERROR_BYTES
from crawler.models import Capture, Failed, Failure, Fetched, FetchOutcome, Redirected
from crawler.warc import request_message


def recording() -> Job:
    """Return a job that archives."""
    return job().model_copy(update={"storage": Job.model_validate(ARCHIVING).storage})


ARCHIVING: dict[str, Any] = {"storage": {"warc": True}}


def captures(outcome: FetchOutcome) -> tuple[Capture, ...]:
    """Return what was captured for an outcome."""
    assert isinstance(outcome, Fetched | Redirected | Failed)
    return outcome.captures


async def test_an_exchange_is_captured_as_it_was() -> None:
    """The request as the server heard it; fields in order, repeated and in their case; the body."""
    packed = gzip.compress(PAGE)
    chunked = b"".join(b"1\r\n%c\r\n" % byte for byte in packed) + b"0\r\n\r\n"
    head = (
        b"HTTP/1.1 200 Fine\r\nX-A: 1\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\n"
        b"Content-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    async with serve({"/p": head + chunked}) as site:
        outcome = await fetch(f"{site.url}/p?%41=中".replace("中", "%E4%B8%AD"), recording())
        [asked] = site.requests
    assert isinstance(outcome, Fetched)
    [taken] = outcome.captures
    assert taken.body is outcome.body
    assert (taken.body, taken.truncated, taken.reason) == (PAGE, None, "Fine")
    assert taken.headers == (
        *((b"X-A", b"1"), (b"set-cookie", b"a=1"), (b"Set-Cookie", b"b=2")),
        *((b"Content-Type", b"text/html"), (b"Content-Encoding", b"gzip")),
        (b"Transfer-Encoding", b"chunked"),
    )
    assert taken.address == "127.0.0.1"
    first, *fields = request_message(taken).decode().split("\r\n")[:-2]
    assert first == f"GET {asked.target} HTTP/1.1"
    sent = dict(field.split(": ", 1) for field in fields)
    assert {name.lower(): value for name, value in sent.items()} == asked.headers


async def test_nothing_is_captured_without_an_archive() -> None:
    """A job without archives makes no captures, whatever comes of a request."""
    answers = {"/p": response(), "/r": redirect("/x"), "/e": response(status=404)}
    async with serve(answers) as site:
        assert [captures(await fetch(site.url + path)) for path in answers] == [(), (), ()]


async def test_an_error_is_captured_with_its_body() -> None:
    """The body of an error is read up to a bound, and how the URL ends stays the same."""
    large = response(b"x" * 2 * MAX_ERROR_BYTES, status=410)
    broken = then(response(b"half", status=500, length=9), hang_up)
    async with serve({"/e": response(b"no", status=404), "/l": large, "/b": broken}) as site:
        for path, status, truncated, body in (
            ("/e", 404, None, b"no"),
            ("/l", 410, "length", b"x" * MAX_ERROR_BYTES),
            ("/b", 500, "disconnect", b"half"),
        ):
            outcome = await fetch(site.url + path, recording())
            plain = await fetch(site.url + path)
            assert isinstance(outcome, Failed)
            assert isinstance(plain, Failed)
            assert (outcome.failure, outcome.status) == (plain.failure, status)
            [taken] = outcome.captures
            assert (taken.truncated, taken.body) == (truncated, body)


async def test_what_came_of_a_broken_body_is_captured() -> None:
    """A page that breaks off is a failure as ever; what came is kept, and marked."""
    async with serve({"/p": then(response(b"half", length=9), hang_up)}) as site:
        outcome = await fetch(f"{site.url}/p", recording())
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.TRUNCATED
    [taken] = outcome.captures
    assert (taken.body, taken.truncated) == (b"half", "disconnect")


async def test_redirects_in_place_belong_to_the_page_they_lead_to() -> None:
    """A page behind a cookie brings all exchanges in their order; the cookie stays out."""
    walls = {"/p": redirect("/wall"), "/wall": redirect("/p", 302, "seen=1")}

    async def answer(request: Any, writer: Any) -> None:
        cookie = request.headers.get("cookie")
        writer.write(response(PAGE) if cookie == "seen=1" else walls[request.path])
        await writer.drain()

    async with serve(answer) as site, waiting(recording()) as (fetcher, _):
        outcome = await fetcher.fetch(task_for(f"{site.url}/p"), 1.0, lambda url, again: True)
        assert isinstance(outcome, Fetched)
        way = [(taken.url.removeprefix(site.url), taken.status) for taken in outcome.captures]
        assert way == [("/p", 302), ("/wall", 302), ("/p", 200)]
        assert all(b"seen=1" not in request_message(taken) for taken in outcome.captures)


async def test_each_page_of_a_chain_has_its_own_exchange() -> None:
    """Redirects that were followed to another page end one by one, each with its response."""
    async with (
        serve({"/a": redirect("/b"), "/b": response()}) as site,
        waiting(recording()) as (fetcher, _),
    ):
        outcome = await fetcher.fetch(task_for(f"{site.url}/a"), 1.0, lambda url, again: True)
        assert isinstance(outcome, Redirected)
        assert [taken.status for taken in outcome.captures] == [302]
        assert [taken.status for taken in captures(outcome.last)] == [200]
