"""How robots.txt is fetched: asked for once a day, over redirects, and failing closed."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.fetching import Keeper, job, over_http, waiting
from support.loops import other_turns
from support.servers import Reply, Request, endless, hang_up, redirect, response, serve, stall, then

from crawler import urls
from crawler.config import Job
from crawler.fetch import Fetcher, robots_cache
from crawler.fetch import robots_cache as robots_known
from crawler.fetch.robots import RobotsFile
from crawler.models import Failure, KeptRules, RobotsAnswer


def text(body: str, **fields: Any) -> bytes:
    """Return a response with a robots.txt."""
    return response(body.encode(), content_type="text/plain", **fields)


DENY_X = text("User-agent: *\nDisallow: /x\nCrawl-delay: 90")


async def ask(reply: Reply, settings: Job | None = None) -> RobotsAnswer:
    """Return the answer for an origin whose /robots.txt answers `reply`."""
    async with serve({"/robots.txt": reply}) as site, waiting(settings or job()) as (fetcher, _):
        return await fetcher.robots.refresh(site.url)


async def test_rules_are_fetched_once_a_day() -> None:
    """The rules hold for 24 hours without another request, and are asked for again then."""
    now = [0.0]
    async with serve({"/robots.txt": DENY_X}) as site, over_http(job(), clock=lambda: now[0]) as f:
        first = await f.robots.refresh(site.url)
        assert (first.known, first.requested) == (True, True)
        assert (first.expires_at, first.crawl_delay_s) == (24 * 3600.0, 60.0)
        assert not f.robots.allowed(f"{site.url}/x/1")
        assert f.robots.allowed(f"{site.url}/y")
        now[0] = 24 * 3600.0 - 1
        assert not (await f.robots.refresh(site.url)).requested
        now[0] += 2
        assert (await f.robots.refresh(site.url)).requested
        assert len(site.requests) == 2


async def test_concurrent_refreshes_share_one_request() -> None:
    """Workers who need the same rules wait for one request together."""
    async with serve({"/robots.txt": DENY_X}) as site, over_http(job()) as fetcher:
        answers = await asyncio.gather(*(fetcher.robots.refresh(site.url) for _ in range(10)))
        assert all(answer == answers[0] for answer in answers)
        assert len(site.requests) == 1


async def test_cancelled_worker_leaves_the_request_to_others() -> None:
    """Cancelling one of several who wait does not take the rules from the others."""
    go = asyncio.Event()

    async def slow(request: Request, writer: asyncio.StreamWriter) -> None:
        await go.wait()
        writer.write(DENY_X)

    async with serve({"/robots.txt": slow}) as site, over_http(job()) as fetcher:
        first = asyncio.create_task(fetcher.robots.refresh(site.url))
        second = asyncio.create_task(fetcher.robots.refresh(site.url))
        await site.asked.wait()
        first.cancel()
        go.set()
        assert (await second).known
        with pytest.raises(asyncio.CancelledError):
            await first


async def follow(fetcher: Fetcher, origin: str) -> tuple[RobotsAnswer, list[str]]:
    """Return the answer at the end of all redirects, and the host key of each."""
    moves = []
    while (answer := await fetcher.robots.refresh(origin)).moved_to is not None:
        assert (answer.known, answer.requested, answer.failure) == (False, True, None)
        moves.append(answer.moved_to)
    return answer, moves


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
async def test_missing_file_allows_everything(status: int) -> None:
    """A 4xx means that there are no rules (RFC 9309 2.3.1.3)."""
    async with (
        serve({"/robots.txt": text("x", status=status)}) as site,
        over_http(job()) as fetcher,
    ):
        assert (await fetcher.robots.refresh(site.url)).known
        assert fetcher.robots.allowed(f"{site.url}/x")


@pytest.mark.parametrize("status", [200, 201, 203])
async def test_success_is_read(status: int) -> None:
    """A file that came with any success status is read (RFC 9309 2.3.1.1)."""
    rules = text("User-agent: *\nDisallow: /x", status=status)
    async with serve({"/robots.txt": rules}) as site, over_http(job()) as fetcher:
        assert (await fetcher.robots.refresh(site.url)).known
        assert not fetcher.robots.allowed(f"{site.url}/x")


@pytest.mark.parametrize("status", [204, 205, 304])
async def test_success_without_a_file(status: int) -> None:
    """A success without content is a file without rules."""
    bare = f"HTTP/1.1 {status} Test\r\nContent-Length: 0\r\n\r\n".encode()
    assert (await ask(bare)).known


@pytest.mark.parametrize(
    "content_type", ["text/html", "application/octet-stream", "text/plain; charset=utf-16", None]
)
async def test_content_type_does_not_matter(content_type: str | None) -> None:
    """The file is read as UTF-8 whatever the server calls it (RFC 9309 2.3), mark or not."""
    body = b"\xef\xbb\xbfUser-agent: *\nCrawl-delay: 2"
    assert (await ask(response(body, content_type=content_type))).crawl_delay_s == 2.0


UNREACHABLE: list[tuple[str, Reply, Failure]] = [
    ("500", text("", status=500), Failure.HTTP_SERVER_ERROR),
    ("503", text("", status=503), Failure.HTTP_SERVER_ERROR),
    ("599", text("", status=599), Failure.HTTP_SERVER_ERROR),
    ("206", text("User-agent: *", status=206), Failure.HTTP_UNEXPECTED),
    ("300", text("", status=300), Failure.HTTP_UNEXPECTED),
    ("429", text("", status=429), Failure.HTTP_RATE_LIMITED),
    ("closed", hang_up, Failure.DISCONNECTED),
    ("cut", then(text("User-agent: *", length=99), hang_up), Failure.TRUNCATED),
    ("silent", stall, Failure.TIMEOUT_HEADERS),
]


@pytest.mark.parametrize(
    ("reply", "expected"), [c[1:] for c in UNREACHABLE], ids=[c[0] for c in UNREACHABLE]
)
async def test_unreachable_fails_closed(reply: Reply, expected: Failure) -> None:
    """Server errors, rate limits and network errors leave the origin not ready, with the reason."""
    answer = await ask(reply, job(headers_timeout_s=0.1 if reply is stall else 600.0))
    assert (answer.known, answer.requested) == (False, True)
    assert answer.failure is not None
    assert answer.failure.failure is expected
    assert answer.failure.task.url.endswith("/robots.txt")


async def test_nobody_listens() -> None:
    """A refused connection fails closed."""
    async with serve({}) as site:
        gone = site.url
    async with over_http(job()) as fetcher:
        answer = await fetcher.robots.refresh(gone)
    assert not answer.known
    assert answer.failure is not None
    assert answer.failure.failure is Failure.CONNECT


async def test_unreachable_is_asked_again() -> None:
    """A failure is not remembered: the next call asks, and Retry-After is handed on."""
    replies = [text("", status=503, headers={"Retry-After": "9"}), DENY_X]

    async def next_reply(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(replies.pop(0))

    async with serve(next_reply) as site, over_http(job()) as fetcher:
        first = await fetcher.robots.refresh(site.url)
        assert (first.known, first.failure and first.failure.retry_after_s) == (False, 9.0)
        with pytest.raises(KeyError):
            fetcher.robots.allowed(f"{site.url}/x")
        assert (await fetcher.robots.refresh(site.url)).known


async def test_old_rules_stand_while_unreachable() -> None:
    """Expired rules stay in force while the file cannot be had (RFC 9309 2.4)."""
    now = [0.0]
    replies = [DENY_X, text("", status=500, headers={"Retry-After": "7"})]

    async def next_reply(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(replies.pop(0))

    async with serve(next_reply) as site, over_http(job(), clock=lambda: now[0]) as fetcher:
        await fetcher.robots.refresh(site.url)
        now[0] = robots_cache.TTL_S + 1
        answer = await fetcher.robots.refresh(site.url)
        assert (answer.known, answer.requested, answer.crawl_delay_s) == (True, True, 60.0)
        assert answer.failure is not None
        assert answer.failure.retry_after_s == 7.0
        assert not fetcher.robots.allowed(f"{site.url}/x")


async def test_blocked_address_is_not_asked() -> None:
    """robots.txt goes through the address guard like any page, and no request went out."""
    async with serve({"/robots.txt": DENY_X}) as site, over_http(Job()) as fetcher:
        answer = await fetcher.robots.refresh(site.url)
        assert (answer.known, answer.requested) == (False, False)
        assert answer.failure is not None
        assert answer.failure.failure is Failure.BLOCKED_ADDRESS
        assert site.requests == []


def chain(length: int) -> Mapping[str, Reply]:
    """Return routes of `length` redirects that end in rules."""
    hops = {f"/{n}": redirect(f"/{n + 1}") for n in range(1, length)}
    return {"/robots.txt": redirect("/1"), **hops, f"/{length}": DENY_X}


@pytest.mark.parametrize(("length", "denied"), [(1, True), (5, True), (6, False)])
async def test_redirects(length: int, denied: bool) -> None:
    """Five redirects are followed, one a call; beyond that there is no file."""
    async with serve(chain(length)) as site, over_http(job()) as fetcher:
        answer, moves = await follow(fetcher, site.url)
        assert answer.known
        assert moves == [urls.host_key(site.url)] * min(length, 5)
        assert fetcher.robots.allowed(f"{site.url}/x") is not denied
        assert len(site.requests) == min(length, 5) + 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_every_redirect_status(status: int) -> None:
    """Each status that means a redirect leads to the rules."""
    routes = {"/robots.txt": redirect("/r", status), "/r": DENY_X}
    async with serve(routes) as site, over_http(job()) as fetcher:
        await follow(fetcher, site.url)
        assert not fetcher.robots.allowed(f"{site.url}/x")


async def test_redirect_to_another_host() -> None:
    """Rules found on another host count for the origin that was asked (RFC 9309 2.3.1.2)."""
    async with serve({"/robots.txt": DENY_X}) as other:
        routes = {"/robots.txt": redirect(f"{other.url}/robots.txt")}
        async with serve(routes) as site, over_http(job()) as fetcher:
            _, moves = await follow(fetcher, site.url)
            assert moves == [urls.host_key(other.url)]
            assert not fetcher.robots.allowed(f"{site.url}/x")


async def test_a_failure_behind_a_redirect_begins_anew() -> None:
    """Where the file's new place cannot be read, the next call asks at the old one again."""
    routes = {"/robots.txt": redirect("/r"), "/r": text("", status=503)}
    async with serve(routes) as site, over_http(job()) as fetcher:
        answer, _ = await follow(fetcher, site.url)
        assert answer.failure is not None
        assert answer.failure.task.url == f"{site.url}/r"
        await fetcher.robots.refresh(site.url)
        assert site.targets == ["/robots.txt", "/r", "/robots.txt"]


async def test_redirect_to_nowhere() -> None:
    """An unusable redirect means that there is no file."""
    assert (await ask(redirect("http://["))).known


async def test_compressed_file() -> None:
    """robots.txt may be compressed like any response."""
    body = gzip.compress(b"User-agent: *\nCrawl-delay: 2")
    answer = await ask(response(body, headers={"Content-Encoding": "gzip"}))
    assert answer.crawl_delay_s == 2.0


async def test_endless_file_is_cut() -> None:
    """A file without end is read as far as 500 KiB and no further."""
    head = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nCrawl-delay: 2\n"
    answer = await ask(then(head, endless(b"# filler\n" * 1000)))
    assert (answer.known, answer.crawl_delay_s) == (True, 2.0)


async def test_switched_off() -> None:
    """With `politeness.robots: false` nothing is asked and everything is allowed."""
    async with serve({"/robots.txt": DENY_X}) as site, over_http(job({"robots": False})) as fetcher:
        answer = await fetcher.robots.refresh(site.url)
        assert (answer.known, answer.requested) == (True, False)
        assert fetcher.robots.allowed(f"{site.url}/x")
        assert site.requests == []


async def test_rules_survive_their_parsed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """More origins than fit into memory still answer, without another request."""
    monkeypatch.setattr(robots_known, "PARSED_BYTES", 1)
    monkeypatch.setattr(robots_known, "PACKED_BYTES", 1)
    async with (
        serve({"/robots.txt": DENY_X}) as one,
        serve({"/robots.txt": text("")}) as two,
        over_http(job()) as fetcher,
    ):
        for site in (one, two):
            await fetcher.robots.refresh(site.url)
        assert not fetcher.robots.allowed(f"{one.url}/x")
        assert fetcher.robots.allowed(f"{two.url}/x")
        assert (len(one.requests), len(two.requests)) == (1, 1)


async def test_a_large_file_is_read_in_turns_with_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between any two steps the event loop goes on; two large files are not read at once."""
    monkeypatch.setattr(robots_cache, "STEP_BYTES", 0)
    under_way, turns_of_steps = [0], list[int]()

    def counted(file: RobotsFile) -> Iterator[None]:
        under_way[0] += 1
        for _ in range(5):
            turns_of_steps.append(turns.count)
            assert under_way == [1]
            yield
        under_way[0] -= 1

    monkeypatch.setattr(RobotsFile, "steps", counted)
    routes = {"/robots.txt": DENY_X}
    async with (
        serve(routes) as a,
        serve(routes) as b,
        over_http(job()) as fetcher,
        other_turns() as turns,
    ):
        await asyncio.gather(*map(fetcher.robots.refresh, (a.url, b.url)))
    assert len(turns_of_steps) == len(set(turns_of_steps)) == 10


@pytest.mark.parametrize("reply", [text("x", status=503), text("x", status=429), hang_up])
async def test_rules_of_an_earlier_run_stand_while_the_file_cannot_be_read(reply: Reply) -> None:
    """They are asked for anew, and taken up where that fails (RFC 9309 2.4); so is Crawl-delay."""
    keeper = Keeper()
    replies: dict[str, Reply] = {"/robots.txt": DENY_X}
    async with serve(replies) as site:
        async with over_http(job(), rules=keeper) as fetcher:
            assert (await fetcher.robots.refresh(site.url)).failure is None
        replies["/robots.txt"] = reply
        async with over_http(job(), rules=keeper) as fetcher:
            answer = await fetcher.robots.refresh(site.url)
            assert (answer.known, answer.requested, answer.crawl_delay_s) == (True, True, 60.0)
            assert answer.failure is not None
            assert not fetcher.robots.allowed(f"{site.url}/x/1")
            assert fetcher.robots.allowed(f"{site.url}/y")


async def test_rules_in_the_form_of_version_0_1_are_taken_up() -> None:
    """They were kept as a short robots.txt."""
    keeper = Keeper()
    old = zlib.compress(b"User-agent: *\nDisallow: /x")
    async with serve({"/robots.txt": text("x", status=503)}) as site:
        keeper.kept[site.url] = KeptRules(old, "InlineCrawler", None)
        async with over_http(job(), rules=keeper) as fetcher:
            assert (await fetcher.robots.refresh(site.url)).known
            assert not fetcher.robots.allowed(f"{site.url}/x")
            assert fetcher.robots.allowed(f"{site.url}/y")


async def test_rules_that_were_read_for_another_name_are_not_ours() -> None:
    """Only the groups of one product token are kept: with another one nothing is known."""
    keeper = Keeper()
    async with serve({"/robots.txt": text("x", status=503)}) as site:
        keeper.kept[site.url] = KeptRules(b"", "SomebodyElse", None)
        async with over_http(job(), rules=keeper) as fetcher:
            assert not (await fetcher.robots.refresh(site.url)).known
