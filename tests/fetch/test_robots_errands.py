"""Where a robots.txt that redirects elsewhere is asked for, and what that costs the other host."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from support.fetching import job, over_http
from support.servers import Reply, Request, redirect, response, serve

from crawler import urls
from crawler.fetch import Fetcher, robots_cache
from crawler.models import Failure, RobotsAnswer

CLOSED = response(b"User-agent: *\nDisallow: /x\nDisallow: /search", content_type="text/plain")
OPEN = response(b"User-agent: *\nDisallow: /secret\nCrawl-delay: 7", content_type="text/plain")
GONE = response(b"", status=404)


async def follow(fetcher: Fetcher, origin: str) -> tuple[RobotsAnswer, list[str]]:
    """Return the answer at the end of the search, and whose turn it went through."""
    moves = []
    while (answer := await fetcher.robots.refresh(origin)).moved_to is not None:
        moves.append(answer.moved_to)
        assert len(moves) < 20
    return answer, moves


class Web:
    """Hosts on one port, by name; each has its own routes."""

    def __init__(self, hosts: Mapping[str, Mapping[str, Reply]]) -> None:
        self.hosts = hosts
        self.port = 0
        self.asked: list[str] = []

    def url(self, host: str, path: str = "") -> str:
        """Return a URL of this web."""
        return f"http://{host}:{self.port}{path}"

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        """Answer a request, and note it."""
        host = request.headers["host"].partition(":")[0]
        self.asked.append(host + request.target)
        reply = self.hosts[host].get(request.target, GONE)
        if isinstance(reply, bytes):
            writer.write(reply.replace(b"PORT", str(self.port).encode()))
        else:
            await reply(request, writer)


async def search(
    hosts: Mapping[str, Mapping[str, Reply]], *origins: str
) -> tuple[Web, Fetcher, list[RobotsAnswer]]:
    """Search for the files of origins, one after another; return the answers."""
    web = Web(hosts)
    async with serve(web) as site:
        web.port = site.port
        names = dict.fromkeys(hosts, "127.0.0.1")
        async with over_http(job(resolve=names)) as fetcher:
            answers = [(await follow(fetcher, web.url(host)))[0] for host in origins]
    return web, fetcher, answers


async def test_a_place_is_asked_only_if_its_own_rules_allow_it() -> None:
    """A search page that the victim closes to robots is not asked for: then there is no file."""
    hosts = {
        "a.test": {"/robots.txt": redirect("http://v.test:PORT/search?q=1")},
        "v.test": {"/robots.txt": CLOSED},
    }
    web, fetcher, (answer,) = await search(hosts, "a.test")
    assert (answer.known, answer.failure) == (True, None)
    assert fetcher.robots.allowed(web.url("a.test", "/x"))
    assert web.asked == ["a.test/robots.txt", "v.test/robots.txt"]


async def test_a_place_that_is_allowed_is_asked() -> None:
    """Rules may lie under any name, be it on another host (RFC 9309 2.3.1.2)."""
    hosts = {
        "a.test": {"/robots.txt": redirect("http://v.test:PORT/rules")},
        "v.test": {"/robots.txt": OPEN, "/rules": CLOSED},
    }
    web, fetcher, _ = await search(hosts, "a.test")
    assert not fetcher.robots.allowed(web.url("a.test", "/x"))
    assert web.asked == ["a.test/robots.txt", "v.test/robots.txt", "v.test/rules"]


async def test_two_hundred_who_are_sent_to_one_place_cost_it_one_request() -> None:
    """What a place answers is shared by its URL, and so are the rules that allow it."""
    many = [f"s{number}.test" for number in range(200)]
    hosts: dict[str, dict[str, Reply]] = {
        name: {"/robots.txt": redirect("http://v.test:PORT/rules")} for name in many
    }
    hosts["v.test"] = {"/robots.txt": OPEN, "/rules": CLOSED}
    web, fetcher, answers = await search(hosts, *many)
    assert [host for host in web.asked if host.startswith("v")] == [
        "v.test/robots.txt",
        "v.test/rules",
    ]
    assert all(answer.known for answer in answers)
    assert not any(fetcher.robots.allowed(web.url(name, "/x")) for name in many)


async def test_who_is_sent_to_a_robots_txt_shares_it_with_its_own_host() -> None:
    """One request serves the host itself, and everybody who is sent there."""
    hosts: dict[str, dict[str, Reply]] = {
        name: {"/robots.txt": redirect("http://v.test:PORT/robots.txt")}
        for name in ("a.test", "b.test")
    }
    hosts["v.test"] = {"/robots.txt": OPEN}
    web, fetcher, answers = await search(hosts, "a.test", "v.test", "b.test")
    assert web.asked == ["a.test/robots.txt", "v.test/robots.txt", "b.test/robots.txt"]
    assert not any(
        fetcher.robots.allowed(web.url(name, "/secret")) for name in ("a.test", "v.test", "b.test")
    )
    assert answers[0].expires_at == answers[1].expires_at == answers[2].expires_at


async def test_a_place_that_fails_is_not_asked_by_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its failure is everybody's for a minute, and then it is asked again."""
    now = [0.0]
    hosts: dict[str, dict[str, Reply]] = {
        name: {"/robots.txt": redirect("http://v.test:PORT/robots.txt")}
        for name in ("a.test", "b.test")
    }
    hosts["v.test"] = {"/robots.txt": response(b"", status=503)}
    web = Web(hosts)
    async with serve(web) as site:
        web.port = site.port
        names = dict.fromkeys(hosts, "127.0.0.1")
        async with over_http(job(resolve=names), clock=lambda: now[0]) as fetcher:
            for _ in range(2):
                for name in ("a.test", "b.test"):
                    answer, _ = await follow(fetcher, web.url(name))
                    assert answer.failure is not None
                    assert answer.failure.failure is Failure.HTTP_SERVER_ERROR
            assert web.asked.count("v.test/robots.txt") == 1
            now[0] = robots_cache.FAILURE_TTL_S
            await follow(fetcher, web.url("a.test"))
            assert web.asked.count("v.test/robots.txt") == 2


async def test_within_a_host_its_file_may_lie_anywhere() -> None:
    """A host that moves its own file needs no leave of its rules, nor does who is sent there."""
    hosts = {
        "a.test": {"/robots.txt": redirect("http://v.test:PORT/robots.txt")},
        "v.test": {"/robots.txt": redirect("/x/rules"), "/x/rules": CLOSED},
    }
    web, fetcher, _ = await search(hosts, "a.test", "v.test")
    assert not fetcher.robots.allowed(web.url("a.test", "/x"))
    assert not fetcher.robots.allowed(web.url("v.test", "/x"))


@pytest.mark.parametrize("query", ["?q=1", "/more"])
async def test_only_the_very_name_is_free(query: str) -> None:
    """What only begins like a robots.txt is a page like others."""
    hosts = {
        "a.test": {"/robots.txt": redirect(f"http://v.test:PORT/robots.txt{query}")},
        "v.test": {"/robots.txt": response(b"User-agent: *\nDisallow: /", content_type=None)},
    }
    web, _, (answer,) = await search(hosts, "a.test")
    assert answer.known
    assert web.asked == ["a.test/robots.txt", "v.test/robots.txt"]


async def test_hosts_that_send_each_other_in_circles_have_no_file() -> None:
    """Whose rules lie elsewhere themselves is left alone; each search ends after a few requests."""
    hosts = {
        "a.test": {"/robots.txt": redirect("http://b.test:PORT/x")},
        "b.test": {"/robots.txt": redirect("http://c.test:PORT/y")},
        "c.test": {"/robots.txt": redirect("http://a.test:PORT/z")},
    }
    web, _, answers = await search(hosts, "a.test", "b.test", "c.test")
    assert all(answer.known for answer in answers)
    assert len(web.asked) <= 6


async def test_a_chain_without_end_has_no_file() -> None:
    """Six hosts are asked, each for its robots.txt, and no more."""
    hosts: dict[str, dict[str, Reply]] = {
        f"s{n}.test": {"/robots.txt": redirect(f"http://s{n + 1}.test:PORT/robots.txt")}
        for n in range(20)
    }
    web, _, (answer,) = await search(hosts, "s0.test")
    assert answer.known
    assert len(web.asked) == 6


async def test_rules_that_cannot_be_read_allow_no_errand() -> None:
    """The search fails as the other host does, and the place is not asked for."""
    hosts = {
        "a.test": {"/robots.txt": redirect("http://v.test:PORT/rules")},
        "v.test": {"/robots.txt": response(b"", status=500), "/rules": OPEN},
    }
    web, _, (answer,) = await search(hosts, "a.test")
    assert not answer.known
    assert answer.failure is not None
    assert answer.failure.failure is Failure.HTTP_SERVER_ERROR
    assert web.asked == ["a.test/robots.txt", "v.test/robots.txt"]


async def test_a_private_address_is_not_asked() -> None:
    """A redirect into a network of one's own fails at the guard of addresses: nothing is sent."""
    private, settings = {"/robots.txt": OPEN}, job(allow_addresses=("127.0.0.1/32",))
    async with (
        serve(private, host="127.0.0.2") as inside,
        serve({"/robots.txt": redirect(f"{inside.url}/admin")}) as site,
        over_http(settings) as fetcher,
    ):
        answer, _ = await follow(fetcher, site.url)
    assert not answer.known
    assert answer.failure is not None
    assert answer.failure.failure is Failure.BLOCKED_ADDRESS
    assert inside.requests == []


async def test_the_other_host_is_asked_at_its_own_pace() -> None:
    """Its Crawl-delay is told as soon as its rules are known."""
    hosts = {
        "a.test": {"/robots.txt": redirect("http://v.test:PORT/rules")},
        "v.test": {"/robots.txt": OPEN, "/rules": CLOSED},
    }
    web = Web(hosts)
    async with serve(web) as site:
        web.port = site.port
        async with over_http(job(resolve=dict.fromkeys(hosts, "127.0.0.1"))) as fetcher:
            origin, told = web.url("a.test"), []
            while (answer := await fetcher.robots.refresh(origin)).moved_to is not None:
                assert answer.moved_to == urls.host_key(web.url("v.test"))
                told.append((answer.requested, answer.moved_to_delay_s))
    assert told == [(True, None), (True, 7.0)]
