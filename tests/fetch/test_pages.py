"""Fetched pages: the request that goes out, what is read of the answer, and what is left out."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from support.fetching import PAGE, fetch, fetch_reply, job, over_http, task, waiting
from support.servers import Reply, endless, redirect, response, serve, stall, then

from crawler.config import Job
from crawler.models import Fetched, Skip, Skipped, Validators


async def skip(reply: Reply, settings: Job | None = None) -> Skip:
    """Return the reason for which a server's reply is left out."""
    outcome = await fetch_reply(reply, settings)
    assert isinstance(outcome, Skipped), outcome
    return outcome.reason


async def test_page_comes_whole() -> None:
    """An ordinary page arrives with its type, charset, kept headers, sizes and times."""
    body = gzip.compress(PAGE)
    reply = response(
        body,
        content_type="Text/HTML; charset=GB2312",
        headers={"Content-Encoding": "gzip", "X-Robots-Tag": "noindex", "Server": "x"},
    )
    async with serve({"/": reply}) as site, over_http(job(), wall=lambda: 99.0) as fetcher:
        outcome = await fetcher.fetch(task(f"{site.url}/"), 0.0)
    assert isinstance(outcome, Fetched)
    assert outcome.body == PAGE
    assert outcome.wire_bytes == len(body)
    assert (outcome.media_type, outcome.charset, outcome.status) == ("text/html", "gb2312", 200)
    assert outcome.headers["x-robots-tag"] == "noindex"
    assert "server" not in outcome.headers
    assert outcome.fetched_at == 99.0
    assert outcome.elapsed_s > 0.0


@pytest.mark.parametrize(
    "target",
    ["/", "//a//b", "/a%2Fb%zz?x=%20+%", "/|?q='\"&&a[]=^`", "/%E4%B8%AD?a=b%26c&=", "/a;b=c?a?b"],
)
async def test_url_is_sent_exactly(target: str) -> None:
    """The request line holds the canonical URL byte for byte."""
    async with serve(lambda request, writer: _answer(writer)) as site:
        outcome = await fetch(f"{site.url}{target}")
        assert isinstance(outcome, Fetched)
        assert site.targets == [target]


async def _answer(writer: asyncio.StreamWriter) -> None:
    writer.write(response(PAGE))


async def test_request_headers() -> None:
    """The request names the crawler, accepts what we read, and carries nothing else."""
    settings = Job.model_validate(
        {"user_agent": {"name": "TestBot", "contact": "mailto:a@b.example"}, "fetch": {}}
    )
    async with serve({"/": response(PAGE)}) as site, over_http(settings) as fetcher:
        fetcher.admit_seed(site.url)
        await fetcher.fetch(task(f"{site.url}/"), 0.0)
        sent = site.requests[0].headers
    assert sent["user-agent"].startswith("TestBot/")
    assert sent["user-agent"].endswith("(+mailto:a@b.example)")
    assert set(sent) == {"host", "user-agent", "accept", "accept-encoding"}
    assert sent["accept-encoding"] == "gzip, deflate, br, zstd"


async def test_headers_of_the_job_are_sent() -> None:
    """A job's own headers go out with each request, robots.txt included, in place of ours."""
    full = "Mozilla/5.0 (compatible; TestBot/2; +https://a.example/)"
    settings = Job.model_validate(
        {
            "user_agent": {"name": "TestBot", "full": full},
            "fetch": {"headers": {"Accept-Language": "zh, en;q=0.5", "ACCEPT": "text/html"}},
        }
    )
    async with serve({"/": response(PAGE)}) as site, over_http(settings) as fetcher:
        fetcher.admit_seed(site.url)
        await fetcher.robots.refresh(site.url)
        await fetcher.fetch(task(f"{site.url}/"), 0.0)
    assert site.targets == ["/robots.txt", "/"]
    for request in site.requests:
        sent = request.headers
        assert sent["accept-language"] == "zh, en;q=0.5"
        assert sent["accept"] == "text/html"
        assert sent["user-agent"] == full


async def test_environment_proxies_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment would bypass the address guard, so it is not used."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert isinstance(await fetch_reply(response(PAGE)), Fetched)


async def test_connection_is_kept() -> None:
    """Pages of one host travel over one connection."""
    async with serve({"/": response(PAGE)}) as site, over_http(job()) as fetcher:
        for _ in range(3):
            await fetcher.fetch(task(f"{site.url}/"), 0.0)
        assert (len(site.requests), site.connections) == (3, 1)


async def test_cookies_do_not_outlive_a_fetch() -> None:
    """A cookie set with one page is not sent with the next."""
    reply = response(PAGE, headers={"Set-Cookie": "session=1"})
    async with serve({"/": reply}) as site, over_http(job()) as fetcher:
        for _ in range(2):
            await fetcher.fetch(task(f"{site.url}/"), 0.0)
        assert all("cookie" not in request.headers for request in site.requests)


@pytest.mark.parametrize(
    ("content_type", "kept"),
    [
        ("text/html", True),
        ("application/xhtml+xml;charset=utf-8", True),
        ("text/plain", True),
        ("application/pdf", False),
        ("image/png", False),
        ("application/xml", False),
    ],
)
async def test_content_type_gate(content_type: str, kept: bool) -> None:
    """Only HTML, XHTML and plain text are read; other types are left out by name."""
    outcome = await fetch_reply(response(PAGE, content_type=content_type))
    if kept:
        assert isinstance(outcome, Fetched)
    else:
        assert isinstance(outcome, Skipped)
        assert (outcome.reason, outcome.detail) == (Skip.CONTENT_TYPE, content_type)


async def test_gate_comes_before_the_body() -> None:
    """A body of an unwanted type is not waited for."""
    head = response(b"", content_type="video/mp4", length=10_000)
    assert await skip(then(head, stall)) is Skip.CONTENT_TYPE


async def test_missing_content_type_is_sniffed() -> None:
    """Without a declared type the first bytes decide, after decompression."""
    reply = response(gzip.compress(PAGE), content_type=None, headers={"Content-Encoding": "gzip"})
    outcome = await fetch_reply(reply)
    assert isinstance(outcome, Fetched)
    assert (outcome.media_type, outcome.body) == ("text/html", PAGE)
    assert await skip(response(b"%PDF\x00\x01", content_type=None)) is Skip.CONTENT_TYPE


async def test_announced_size_is_refused_before_the_body() -> None:
    """A Content-Length beyond the cap needs no body to be refused."""
    assert await skip(then(response(b"", length=5000), stall), job(max_wire_bytes=2000)) is (
        Skip.TOO_LARGE
    )


async def test_endless_body_is_cut() -> None:
    """A body without length and without end stops at the cap on the wire."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    outcome = await fetch_reply(then(head, endless(b"x" * 1000)), job(max_wire_bytes=50_000))
    assert isinstance(outcome, Skipped)
    assert outcome.reason is Skip.TOO_LARGE
    assert "50000 bytes on the wire" in outcome.detail


async def test_bomb_is_cut() -> None:
    """A small body that decompresses beyond the cap is too large."""
    reply = response(gzip.compress(bytes(5_000_000)), headers={"Content-Encoding": "gzip"})
    assert await skip(reply, job(max_body_bytes=100_000)) is Skip.TOO_LARGE


@pytest.mark.parametrize("status", [204, 205, 304])
async def test_no_content(status: int) -> None:
    """Answers that have no body by definition are skipped."""
    assert await skip(response(b"", status=status)) is Skip.NO_CONTENT


async def test_empty_page() -> None:
    """A page of no bytes is no page."""
    assert await skip(response(b"")) is Skip.NO_CONTENT


async def test_a_page_is_asked_for_only_if_it_has_changed() -> None:
    """Kept validators go out as If-None-Match and If-Modified-Since; 304 to them is no new page."""
    date = "Sat, 01 Mar 2025 09:00:00 GMT"
    known = Validators('W/"a"', date)
    async with serve({"/": response(b"", status=304)}) as site:
        outcome = await fetch(f"{site.url}/", validators=known)
    assert isinstance(outcome, Skipped)
    assert (outcome.reason, outcome.detail) == (Skip.UNCHANGED, "HTTP status 304")
    sent = site.requests[-1].headers
    assert (sent["if-none-match"], sent["if-modified-since"]) == ('W/"a"', date)


async def test_a_304_that_nobody_asked_for_is_no_page() -> None:
    """Without validators, or with ones that cannot be sent, no condition goes out."""
    for known in (None, Validators(), Validators('"\ufffd"', "a\r\nX: b")):
        async with serve({"/": response(b"", status=304)}) as site:
            outcome = await fetch(f"{site.url}/", validators=known)
        assert isinstance(outcome, Skipped)
        assert outcome.reason is Skip.NO_CONTENT
        assert not {"if-none-match", "if-modified-since"} & site.requests[-1].headers.keys()


async def test_the_way_on_from_a_redirect_is_asked_without_conditions() -> None:
    """Validators are those of one page: another one, and an answer to cookies, has others."""
    routes = {"/a": redirect("/a?", 302, "seen=1"), "/a?": response(PAGE)}
    async with serve(routes) as site, waiting(job()) as (fetcher, _):
        await fetcher.fetch(task(f"{site.url}/a", validators=Validators('"a"')), 1.0)
    conditions = ["if-none-match" in request.headers for request in site.requests]
    assert conditions[0]
    assert not any(conditions[1:])
