"""The product token that single hosts know the crawler by: in requests, robots.txt and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.crawling import loopback_job
from support.fetching import Keeper
from support.output import lines
from support.servers import Site, response, serve
from support.sites import crawled
from support.transports import FakeTransport, Says, over_fake

from crawler.config import parse_job
from crawler.errors import ConfigError
from crawler.fetch import Access
from crawler.frontier.scope import HostOverrides

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

ROBOTS = response(
    b"User-agent: *\nDisallow: /\n\nUser-agent: InlineCrawler\nDisallow: /b\n\n"
    b"User-agent: PartnerBot\nDisallow: /a\n",
    content_type="text/plain",
)


def page(name: str, head: str = "", **headers: str) -> bytes:
    """A page with words of its own."""
    words = " ".join(f"{name}{n}" for n in range(80))
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return response(f"<title>{name}</title>{head}<p>{words}".encode(), headers=named)


WEB = {
    "/robots.txt": ROBOTS,
    "/a": page("a"),
    "/b": page("b"),
    "/meta": page("meta", "<meta name=partnerbot content=noindex>"),
    "/header": page("header", X_Robots_Tag="PartnerBot: noindex"),
}


def job(output: Path, site: Site, other: Site, **block: Any) -> dict[str, Any]:
    """A job for two hosts with the same pages, one of which has a block."""
    seeds = [f"{each.url}{path}" for each in (site, other) for path in list(WEB)[1:]]
    hosts = {f"127.0.0.1:{site.port}": block}
    return loopback_job(output, seeds, hosts=hosts, user_agent={"contact": "https://we.test/"})


async def test_a_host_is_obeyed_and_told_by_its_own_token(tmp_path: Path) -> None:
    """The groups, meta elements and headers that speak to that token hold, and only there."""
    async with serve(WEB) as site, serve(WEB) as other:
        await crawled(job(tmp_path, site, other, robots_agent="PartnerBot"))
        stored = {line["url"] for line in lines(tmp_path, "pages")}
        stored |= {line["url"] for line in lines(tmp_path, "duplicates")}
        assert stored == {f"{site.url}/b"} | {f"{other.url}/{p}" for p in ("a", "meta", "header")}
        agents = {request.headers["user-agent"] for request in site.requests}
        assert [agent.partition("/")[0] for agent in agents] == ["PartnerBot"]
        assert agents.pop().endswith("(+https://we.test/)")
        told = {request.headers["user-agent"] for request in other.requests}
        assert [agent.partition("/")[0] for agent in told] == ["InlineCrawler"]


async def test_rules_that_were_kept_for_another_token_are_not_recalled() -> None:
    """Where the file cannot be read, those that spoke to the name of before say nothing."""
    keeper = Keeper()

    async def are_known(status: int, **block: Any) -> bool:
        made = parse_job({"hosts": {"a.test": block}}, "test")
        fake = FakeTransport({"/robots.txt": Says(status)})
        async with over_fake(fake, made, rules=keeper) as fetcher:
            return (await fetcher.robots.refresh("http://a.test")).known

    assert await are_known(200)
    assert await are_known(503)
    assert not await are_known(503, robots_agent="PartnerBot")


def test_the_token_must_be_in_what_is_sent() -> None:
    """A header that is written out must name each token that rules are read for."""
    data = {
        "user_agent": {"name": "OurBot", "full": "OurBot/2 (x)"},
        "hosts": {"a.test": {"robots_agent": "PartnerBot"}},
    }
    with pytest.raises(ConfigError, match=r"hosts.*a\.test.*PartnerBot"):
        parse_job(data, "job.yaml")
    data["user_agent"] = {"name": "OurBot", "full": "OurBot/2 PartnerBot/1"}
    made = parse_job(data, "job.yaml")
    assert Access(made, {}).of_host("a.test") == {"user-agent": "OurBot/2 PartnerBot/1"}
    assert Access(made, {}).of_host("b.test") == {}
    assert (HostOverrides(made).agent("a.test"), HostOverrides(made).agent("b.test")) == (
        "PartnerBot",
        "OurBot",
    )
    with pytest.raises(ConfigError, match="robots_agent"):
        parse_job({"hosts": {"a.test": {"robots_agent": "Partner Bot/1"}}}, "job.yaml")
