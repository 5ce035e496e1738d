"""What a job says of some hosts holds for those, and for no others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from support.worlds import World, job

from crawler.config import parse_job
from crawler.errors import ConfigError
from crawler.frontier import Frontier
from crawler.frontier.scope import HostOverrides, Quotas
from crawler.models import PageOutcome, UrlState


@pytest.mark.parametrize(
    ("host", "pages"),
    [
        ("a.test", 1),
        ("a.test:8080", 2),
        ("a.test:81", 1),
        ("x.a.test", 7),
        ("y.a.test", 3),
        ("deep.x.a.test", 4),
        ("y.a.test:81", 3),
        ("b.test", 5),
        ("xb.test", None),
        ("test", None),
        ("127.0.0.1:99", 6),
        ("[::1]:80", None),
        ("www.xn--fsqu00a.xn--fiqs8s", 8),
    ],
)
def test_the_longest_pattern_that_fits_counts(host: str, pages: int | None) -> None:
    """A name alone, with its port, or with all below it."""
    patterns = {
        "*.a.test": 3,
        "A.test": 1,
        "a.test:8080": 2,
        "*.x.a.test": 4,
        "x.a.test": 7,
        "*.b.test": 5,
        "127.0.0.1": 6,
        "*.例子.中国": 8,
    }
    made = HostOverrides(job(hosts={name: {"pages": n} for name, n in patterns.items()}))
    block = made.block(host)
    assert (block.pages if block else None) == pages


def test_what_a_block_leaves_out_is_as_the_job_says() -> None:
    """Each key by itself; hosts without a block are asked as the job says."""
    settings: dict[str, Any] = {
        "politeness": {"delay_s": 2.0, "per_host": 3},
        "hosts": {"a.test": {"per_host": 1}},
    }
    made = HostOverrides(job(**settings))
    assert (made.manners("a.test").delay_s, made.manners("a.test").per_host) == (2.0, 1)
    assert made.manners("b.test").per_host == 3
    assert made.block("b.test") is None


@pytest.mark.parametrize(
    ("crawl_delay_s", "pauses"), [(None, (7.0, 0.5, 1.0)), (3.0, (7.0, 3.0, 3.0))]
)
def test_each_host_has_its_own_pause(crawl_delay_s: float | None, pauses: tuple[float]) -> None:
    """Shorter or longer than the job's, but never shorter than its Crawl-delay."""
    hosts = {"slow.test": {"delay_s": 7.0}, "fast.test": {"delay_s": 0.5}}
    names = ("slow.test", "fast.test", "usual.test")
    world = World(Frontier(job(hosts=hosts)), {name: f"10.0.0.{n}" for n, name in enumerate(names)})
    world.crawl_delay_s = crawl_delay_s
    for name in names:
        for n in range(3):
            world.offer(f"http://{name}/{n}")
    world.run()
    for name, pause_s in zip(names, pauses, strict=True):
        gaps = [later[0] - sooner[1] for sooner, later in pairwise(world.requests[name])]
        assert min(gaps) == pytest.approx(pause_s, abs=0.01)


def test_pages_under_way_and_bytes_count() -> None:
    """What is asked for at once is no more than what is left; failures take nothing."""
    hosts = {"a.test": {"pages": 3}, "b.test": {"bytes": 100}}
    quotas = Quotas(HostOverrides(job(hosts=hosts)), {"a.test": (1, 50)})

    def end(host: str, state: UrlState = UrlState.DUPLICATE) -> list[tuple[str, float]]:
        outcome = PageOutcome(1, state)
        if state is UrlState.DUPLICATE:
            outcome.totals.sums["wire_bytes"] = 60
        quotas.spend(host, outcome)
        quotas.learn(outcome)
        return [row for row in outcome.totals.rows() if row[0].startswith("host-")]

    assert [quotas.is_spent("a.test", n) for n in (0, 1, 2)] == [False, False, True]
    end("a.test", UrlState.FAILED)
    assert not quotas.is_spent("a.test", 1)
    end("a.test")
    assert quotas.is_spent("a.test", 1)
    assert end("b.test") == [("host-pages:b.test", 1), ("host-bytes:b.test", 60)]
    assert not quotas.is_spent("b.test", 9)
    end("b.test")
    assert quotas.is_spent("b.test", 0)
    assert end("c.test") == []


def test_patterns_of_a_host_are_beside_those_of_the_job() -> None:
    """Both must admit a URL; a seed need not be included, exclusion holds for it, too."""
    block = {"include": ["/in"], "exclude": ["/in/not"]}
    scope = Frontier(
        job(scope={"mode": "any", "exclude": ["/never"]}, hosts={"a.test": block})
    ).scope
    admitted = [
        path
        for path, seed in (
            ("/in", False),
            ("/in/not", False),
            ("/in/never", False),
            ("/out", False),
            ("/seed", True),
            ("/in/not/seed", True),
        )
        if scope.admits(f"http://a.test{path}", "a.test", seed=seed)
    ]
    assert admitted == ["/in", "/seed"]
    assert scope.admits("http://b.test/out", "b.test")


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        ({"http://a.test/": {}}, "hosts: 'http://a.test/' is no pattern of hosts"),
        ({"a.test:443": {}}, "hosts: 'a.test:443': leave out the port"),
        ({"a.test": {}, "A.test": {}}, "hosts: a pattern of hosts is there twice"),
        ({"a.test": {"delay": 3}}, "hosts.a.test.delay: unknown key; did you mean 'delay_s'?"),
        ({"a.test": {"headers": {"cookie": "x"}}}, "hosts.a.test.headers: 'cookie' would be kept"),
        ({"a.test": {"exclude": ["("]}}, "hosts.a.test.exclude: '(' is not a regular expression"),
        ({"a.test": 3}, "hosts.a.test: Input should be a mapping"),
        (["a.test"], "hosts: Input should be a mapping"),
    ],
)
def test_mistakes_are_told_by_pattern_and_key(hosts: object, said: str) -> None:
    """One line, which names the place."""
    with pytest.raises(ConfigError) as error:
        parse_job({"hosts": hosts}, "job.yaml")
    assert str(error.value).startswith(f"job.yaml: {said}")
