"""Names are looked up once, and lead only to addresses that a job allows."""

from __future__ import annotations

import asyncio
import errno
import os
import socket

import pytest
from aiodns.error import ARES_ENOTFOUND, DNSError
from support.fetching import PAGE, fetch, job, over_http, task
from support.servers import response, serve

from crawler.config import Job
from crawler.fetch import Access
from crawler.fetch.addresses import Resolver
from crawler.fetch.trouble import AddressRefused
from crawler.models import Failed, Failure, Fetched, Obstacle, Postponed


async def test_local_address_is_blocked() -> None:
    """Without permission nothing on this machine is reached: not by literal, not by name."""
    async with serve({"/": response(PAGE)}) as site, over_http(Job()) as fetcher:
        port = site.port
        for host in ("127.0.0.1", "localhost", "[::ffff:7f00:1]", "0.0.0.0"):
            outcome = await fetcher.fetch(task(f"http://{host}:{port}/"), 0.0)
            assert isinstance(outcome, Failed)
            assert outcome.failure is Failure.BLOCKED_ADDRESS, host
            assert "allow_addresses" in outcome.detail
        assert site.requests == []


async def test_seed_opens_its_own_port_only() -> None:
    """A local seed is reached; another server on the same address is not."""
    async with (
        serve({"/": response(PAGE)}) as seed,
        serve({"/": response(PAGE)}) as other,
        over_http(Job()) as fetcher,
    ):
        fetcher.admit_seed(f"{seed.url}/")
        assert isinstance(await fetcher.fetch(task(f"{seed.url}/"), 0.0), Fetched)
        outcome = await fetcher.fetch(task(f"{other.url}/"), 0.0)
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.BLOCKED_ADDRESS


async def test_mapped_name_is_reached() -> None:
    """A name in `fetch.resolve` leads to its address, with its own Host header."""
    settings = Job.model_validate({"fetch": {"resolve": {"site.test": "127.0.0.20"}}})
    async with (
        serve({"/": response(PAGE)}, host="127.0.0.20") as site,
        over_http(settings) as fetcher,
    ):
        fetcher.admit_seed(f"http://site.test:{site.port}/")
        outcome = await fetcher.fetch(task(f"http://site.test:{site.port}/"), 0.0)
        assert isinstance(outcome, Fetched)
        assert site.requests[0].headers["host"] == f"site.test:{site.port}"
        assert await fetcher.resolve(f"site.test:{site.port}") == "127.0.0.20"


async def test_mapped_name_opens_ports_of_the_job_only() -> None:
    """A mapped name reaches ports that seeds or the scope name, and no other: no page, no rules."""
    names = {"site.test": "127.0.0.20", "twin.test": "127.0.0.20", "far.test": "127.0.0.21"}
    page = {"/": response(PAGE)}
    async with (
        serve(page, host="127.0.0.20") as seed,
        serve(page, host="127.0.0.20") as within,
        serve(page, host="127.0.0.20") as other,
    ):
        settings = Job.model_validate(
            {
                "fetch": {"resolve": names},
                "scope": {"include": [rf"^https?://SITE\.test:{within.port}(/|$)", r"test:1/"]},
            }
        )
        async with over_http(settings) as fetcher:
            fetcher.admit_seed(f"http://site.test:{seed.port}/")
            fetcher.admit_seed(f"http://elsewhere.test:{other.port}/")
            for open_url in (
                f"http://site.test:{seed.port}/",
                f"http://twin.test:{seed.port}/",
                f"http://site.test:{within.port}/",
            ):
                assert isinstance(await fetcher.fetch(task(open_url), 0.0), Fetched), open_url
            for host in (f"site.test:{other.port}", f"far.test:{seed.port}"):
                refused = await fetcher.fetch(task(f"http://{host}/"), 0.0)
                rules = await fetcher.robots.refresh(f"http://{host}")
                for failed in (refused, rules.failure):
                    assert isinstance(failed, Failed)
                    assert failed.failure is Failure.BLOCKED_ADDRESS
                    assert f"a seed at {host} opens this one" in failed.detail
        assert other.requests == []


async def test_mapped_web_ports_open_each_other() -> None:
    """A seed at one of the web's own ports opens the other, to which it usually redirects."""
    names = {"site.test": "127.0.0.20", "out.test": "8.8.8.8"}
    settings = Job.model_validate({"fetch": {"resolve": names}})
    resolver = Resolver(settings, Access(settings), lambda: 0.0)
    resolver.admit_seed("http://site.test/")
    assert await resolver.open_addresses("site.test", 443) == ("127.0.0.20",)
    # Public, like any address that DNS may tell.
    assert await resolver.open_addresses("out.test", 6379) == ("8.8.8.8",)
    with pytest.raises(AddressRefused):
        await resolver.open_addresses("site.test", 6379)


async def test_ipv6_literal() -> None:
    """A page on an IPv6 literal is fetched like any other."""
    async with serve({"/": response(PAGE)}, host="::1") as site:
        assert isinstance(await fetch(f"{site.url}/"), Fetched)


class Names:
    """A stand-in for the system's name servers that counts."""

    def __init__(self, answers: dict[str, list[str]]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def ask(self, name: str) -> tuple[str, ...]:
        """Answer or raise as c-ares would."""
        self.asked.append(name)
        if name not in self.answers:
            raise DNSError(ARES_ENOTFOUND, "Domain name not found")
        return tuple(self.answers[name])


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """The system's resolver, replaced: there is no DNS on a test machine."""
    fake = Names({"local.test": ["127.0.0.1"], "two.test": ["127.0.0.9", "127.0.0.1"]})
    monkeypatch.setattr(Resolver, "_system", lambda resolver, name: fake.ask(name))
    return fake


async def test_resolve_is_cached_until_its_time(names: Names) -> None:
    """A name is asked once in five minutes, a failing one once in half a minute."""
    now = [0.0]
    async with over_http(job(), clock=lambda: now[0]) as fetcher:
        assert await fetcher.resolve("local.test:8080") == "127.0.0.1"
        assert await fetcher.resolve("local.test") == "127.0.0.1"
        assert await fetcher.resolve("none.test") is None
        now[0] = 29.0
        assert await fetcher.resolve("none.test") is None
        assert names.asked == ["local.test", "none.test"]
        now[0] = 301.0
        await fetcher.resolve("local.test")
        await fetcher.resolve("none.test")
        assert names.asked == ["local.test", "none.test"] * 2


async def test_resolve_shares_one_question(names: Names) -> None:
    """All who ask for a name at the same time wait for one look-up."""
    async with over_http(job()) as fetcher:
        found = await asyncio.gather(*(fetcher.resolve("local.test") for _ in range(20)))
    assert found == ["127.0.0.1"] * 20
    assert names.asked == ["local.test"]


async def test_literals_need_no_dns(names: Names) -> None:
    """IP literals are their own answer, brackets and port taken off."""
    async with over_http(job()) as fetcher:
        assert await fetcher.resolve("127.0.0.1:81") == "127.0.0.1"
        assert await fetcher.resolve("[::1]:81") == "::1"
        assert await fetcher.resolve("[::1]") == "::1"
    assert names.asked == []


async def test_connector_uses_the_same_cache(names: Names) -> None:
    """Counting by address and connecting need one look-up together."""
    async with serve({"/": response(PAGE)}) as site, over_http(job()) as fetcher:
        await fetcher.resolve(f"local.test:{site.port}")
        outcome = await fetcher.fetch(task(f"http://local.test:{site.port}/"), 0.0)
        assert isinstance(outcome, Fetched)
    assert names.asked == ["local.test"]


async def test_next_address_is_tried(names: Names) -> None:
    """Where a name's first address refuses, the next one is tried."""
    async with serve({"/": response(PAGE)}) as site:
        outcome = await fetch(f"http://two.test:{site.port}/")
    assert isinstance(outcome, Fetched)


async def test_what_all_addresses_refuse_is_told_in_the_systems_words(names: Names) -> None:
    """Once, however many there are, and without them."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for name in ("local.test", "two.test"):
        outcome = await fetch(f"http://{name}:{port}/")
        assert isinstance(outcome, Failed)
        assert outcome.detail == os.strerror(errno.ECONNREFUSED)


async def test_name_to_a_private_address_is_blocked(names: Names) -> None:
    """A public-looking name that leads to local addresses is refused at each of them."""
    async with serve({"/": response(PAGE)}) as site, over_http(Job()) as fetcher:
        for name in ("local.test", "two.test"):
            outcome = await fetcher.fetch(task(f"http://{name}:{site.port}/"), 0.0)
            assert isinstance(outcome, Failed)
            assert outcome.failure is Failure.BLOCKED_ADDRESS
        assert site.requests == []


async def test_a_name_cannot_borrow_a_seeds_address(names: Names) -> None:
    """A local seed is reached by its address; a name that DNS leads there (rebinding) is not."""
    async with serve({"/": response(PAGE)}) as site, over_http(Job()) as fetcher:
        fetcher.admit_seed(f"{site.url}/")
        assert isinstance(await fetcher.fetch(task(f"{site.url}/"), 0.0), Fetched)
        outcome = await fetcher.fetch(task(f"http://local.test:{site.port}/"), 0.0)
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.BLOCKED_ADDRESS
        assert len(site.requests) == 1


async def test_rebinding_is_refused_at_the_socket(names: Names) -> None:
    """A name that is public when asked first and local when asked again opens nothing."""
    names.answers["rebound.test"] = ["8.8.8.8"]
    now = [0.0]
    async with (
        serve({"/": response(PAGE)}) as site,
        over_http(Job(), clock=lambda: now[0]) as fetcher,
    ):
        assert await fetcher.resolve(f"rebound.test:{site.port}") == "8.8.8.8"
        names.answers["rebound.test"] = ["127.0.0.1"]
        now[0] = 301.0
        outcome = await fetcher.fetch(task(f"http://rebound.test:{site.port}/"), 0.0)
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.BLOCKED_ADDRESS
        assert site.requests == []


async def test_unknown_name(names: Names) -> None:
    """A name that DNS does not know is a DNS failure."""
    outcome = await fetch("http://none.test/")
    assert isinstance(outcome, Failed)
    assert (outcome.failure, outcome.detail) == (Failure.DNS, "Domain name not found")


async def test_dns_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that does not answer says nothing of the page, and ends within its limit."""

    async def silent(self: object, name: str) -> tuple[str, ...]:
        async with asyncio.timeout(0.05):
            await asyncio.Event().wait()
        return ()

    monkeypatch.setattr("crawler.fetch.addresses.Resolver._system", silent)
    outcome = await fetch("http://slow.test/", job(dns_timeout_s=0.05))
    assert isinstance(outcome, Postponed)
    assert outcome.obstacle is Obstacle.NETWORK
    assert "0.05 s" in outcome.detail


async def test_label_too_long_for_dns() -> None:
    """A label that no DNS can hold is a failure and not an exception."""
    outcome = await fetch(f"http://{'a' * 70}.test/")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.DNS
