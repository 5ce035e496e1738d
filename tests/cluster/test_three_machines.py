"""A crawl over three machines that are killed, and cut off from each other: with `--soak` alone."""

from __future__ import annotations

import asyncio
import subprocess
import time
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import machines
from support.clustered import Domains, SharedSites, domains_job
from support.crawling import HANG_S, loopback_job
from support.machines import Asked, Hub, Machine, asked, by_host, wait
from support.output import lines
from support.parts import check_parts, ends_in, ends_of
from support.sites import crawled

from crawler.cluster.root import Root
from crawler.cluster.sequencer import LEASE_S

pytest.importorskip("ray", reason="Ray is an extra: pip install 'inline-crawler[cluster]'")

DELAY_S = 0.25
LEAST = 0.8
"""Share of a pause that lies between two requests as a server that is busy notes them."""
PLAIN = {"learn": False}
"""Each page is read by itself: what a template keeps depends on the order of pages."""
DOMAINS, PAGES = 8, 40
MORE = 40
"""Requests between two misfortunes."""
REAL_DELAY_S, REAL_MORE = 0.1, 700
"""The same for real sites, too many pages for long pauses."""


@pytest.fixture
def net(request: pytest.FixtureRequest) -> Iterator[Hub]:
    """Yield a network without machines."""
    if not request.config.getoption("--soak"):
        pytest.skip("minutes: `make soak`")
    if (lacks := machines.missing()) is not None:
        pytest.skip(f"it needs {lacks}")
    with machines.hub() as found:
        yield found


class World:
    """A web, three nodes of a Ray cluster, and a crawl of the one by the others."""

    def __init__(
        self,
        net: Hub,
        home: Path,
        domains: Domains | None = None,
        delay_s: float = DELAY_S,
        *,
        place: Mapping[str, str] | None = None,
        **sections: Any,
    ) -> None:
        self.net, self.home, self.log = net, home, home / "asked"
        domains = domains or Domains(DOMAINS, PAGES)
        self.web = net.machine("web", *machines.ADDRESSES)
        self.web.begin("support.machines", *domains.told, self.log, log=home / "web.log")
        self.head, self.one, self.two = map(net.machine, ("head", "one", "two"))
        data = loopback_job(
            home / "out",
            domains.seeds,
            scope={"mode": domains.scope},
            politeness={"delay_s": delay_s},
            fetch={"resolve": machines.names(domains), "allow_addresses": ["10.0.0.0/8"]},
            sitemaps={"use": "none"},
            extract=PLAIN,
            cluster={
                "partitions": 4,
                "judge_shards": 2,
                "batch": 8,
                "place": dict(place or {}),
                "address": f"{self.head.address}:{machines.RAY_PORT}",
            },
            **sections,
        )
        (home / "job.yaml").write_text(yaml.safe_dump(data))

    def start(self, head: Machine, *nodes: Machine) -> None:
        """Have a Ray cluster of these machines."""
        head.join(home=self.home)
        for node in nodes:
            node.join(head, home=self.home)

    def crawl(self, *words: object) -> subprocess.Popen[bytes]:
        """Run the crawler on the head."""
        return self.head.begin("crawler", *words, log=self.home / "crawl.log")

    @property
    def requests(self) -> list[Asked]:
        """What was asked for, but for robots.txt."""
        return [one for one in asked(self.log) if one.path != "/robots.txt"]

    def wait_for(self, more: int, crawl: subprocess.Popen[bytes]) -> None:
        """Wait for so many more requests."""
        goal = len(self.requests) + more
        self._wait(lambda: len(self.requests) >= goal, crawl)

    def wait_for_one_by(self, machine: Machine, crawl: subprocess.Popen[bytes]) -> None:
        """Wait until a machine has asked for a page."""
        self._wait(lambda: machine.address in {one.client for one in self.requests}, crawl)

    def _wait(self, until: Callable[[], bool], crawl: subprocess.Popen[bytes]) -> None:
        wait(lambda: until() or crawl.poll() is not None)
        assert crawl.poll() is None, self.said

    def finish(self, crawl: subprocess.Popen[bytes]) -> None:
        """Wait for the crawl's end, and assert that it is a good one."""
        assert crawl.wait(HANG_S) == 0, self.said

    @property
    def said(self) -> str:
        """All that the crawler said."""
        return (self.home / "crawl.log").read_text()


def texts(*directories: Path) -> Counter[str]:
    """Return the texts of stored pages."""
    return Counter(line["text"] for path in directories for line in lines(path, "pages"))


def check_pauses(requests: list[Asked]) -> None:
    """Assert by the server's own log that hosts were asked with pauses."""
    for host, ones in by_host(requests).items():
        for before, after in pairwise(ones):
            assert after.at - before.at >= LEAST * DELAY_S, (host, before, after)


def check_owners(requests: list[Asked], misfortunes: Sequence[float] = ()) -> None:
    """Assert by the server's own log that hosts were asked by one owner at a time.

    Who has lost a host does not come back to it, unless by another of the misfortunes.
    """
    for host, ones in by_host(requests).items():
        for _, some in groupby(ones, lambda one: bisect(misfortunes, one.at)):
            owners = [client for client, _ in groupby(one.client for one in some)]
            assert len(owners) == len({*owners}), (host, owners)


def check_as_one(root: Root, home: Path, domains: Domains | None = None, **sections: Any) -> None:
    """Assert that a crawl has ended with the pages and texts of one in one process."""
    check_parts(root)
    web = domains or Domains(DOMAINS, PAGES)
    with domains_job(home / "one", web, extract=PLAIN, **sections) as (job, _):
        data = job.model_dump(mode="json")
        del data["cluster"]
        asyncio.run(crawled(data))
    assert ends_in(root).urls == ends_of(home / "one").urls
    found, of_one = texts(*map(root.partition, root.partitions)), texts(home / "one")
    assert found.keys() == of_one.keys()
    if domains is None:  # of real sites a text may be a copy, or a sibling, by what came first
        assert (ends_in(root), found) == (ends_of(home / "one"), of_one)


def crawl_in_misfortune(world: World, more: int) -> list[float]:
    """Crawl while roles, a raylet, a whole machine for good and the head are killed.

    Each after so many more requests; return when. The head is begun anew, and the crawl goes on.
    """
    head, one, two = world.head, world.one, world.two
    world.start(head, one, two)
    crawl = world.crawl("crawl", "--config", world.home / "job.yaml")
    misfortunes = []

    def crawl_on() -> None:
        world.wait_for(more, crawl)
        misfortunes.append(time.monotonic())

    crawl_on()
    assert one.send("ray::Host")
    crawl_on()
    assert two.send("raylet/raylet")
    crawl_on()
    one.die()
    crawl_on()
    head.die()
    two.die()
    world.start(head, two, world.net.machine("three"))
    world.finish(world.crawl("resume", world.home / "out"))
    return misfortunes


def test_machines_that_are_killed_lose_nothing(net: Hub, tmp_path: Path) -> None:
    """The same pages are there; directories are on a file system that all machines see."""
    world = World(net, tmp_path)
    misfortunes = crawl_in_misfortune(world, MORE)
    check_as_one(Root.open(tmp_path / "out"), tmp_path)
    check_owners(asked(world.log), misfortunes)
    check_pauses(asked(world.log))


@pytest.mark.corpora
def test_eight_real_sites_are_the_same_after_kills(net: Hub, tmp_path: Path) -> None:
    """Pages and texts of 5,000 pages are those of one crawl, near duplicates stored as well.

    Which of two of these is dropped depends on their order, which no two crawls have in common.
    """
    web, tag = SharedSites(), {"near": "tag"}
    world = World(net, tmp_path, web, REAL_DELAY_S, dedup=tag)
    misfortunes = crawl_in_misfortune(world, REAL_MORE)
    check_as_one(Root.open(tmp_path / "out"), tmp_path, web, dedup=tag)
    check_owners(asked(world.log), misfortunes)


def test_a_machine_that_is_cut_off_asks_nobody_whom_others_ask(net: Hub, tmp_path: Path) -> None:
    """Cut off from all but the web, it stops when its lease ends, and another takes over.

    No host is asked by two, or too soon, and all pages are there, also when it is back.
    """
    place = dict.fromkeys(("p0", "p1", "p2", "p3"), machines.WORKER) | {"judge": machines.HEAD}
    world = World(net, tmp_path, place=place)
    head, one, two = world.head, world.one, world.two
    world.start(head, one)
    crawl = world.crawl("crawl", "--config", tmp_path / "job.yaml")
    world.wait_for_one_by(one, crawl)
    world.wait_for(MORE, crawl)
    two.join(head, home=tmp_path)
    net.cut(one, head, two)
    cut_at = time.monotonic()
    world.wait_for_one_by(two, crawl)
    net.mend(one, head, two)
    world.finish(crawl)
    assert max(of.at for of in asked(world.log) if of.client == one.address) < cut_at + LEASE_S + 1
    check_as_one(Root.open(tmp_path / "out"), tmp_path)
    check_owners(asked(world.log))
    check_pauses(asked(world.log))


def test_machines_come_and_go(net: Hub, tmp_path: Path) -> None:
    """Four machines become seven, and four again, of which three are new."""
    world = World(net, tmp_path)
    first = [world.one, world.two, net.machine("three")]
    world.start(world.head, *first)
    crawl = world.crawl("crawl", "--config", tmp_path / "job.yaml")
    world.wait_for(MORE, crawl)
    for name in ("four", "five", "six"):
        net.machine(name).join(world.head, home=tmp_path)
    for machine in first:
        machine.die()
    world.finish(crawl)
    check_as_one(Root.open(tmp_path / "out"), tmp_path)
    check_owners(asked(world.log))
    check_pauses(asked(world.log))
