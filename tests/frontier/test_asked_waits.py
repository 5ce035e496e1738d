"""Servers that ask to be left alone are, and no crawl waits for ever for those that only ask."""

from __future__ import annotations

from itertools import pairwise

import pytest
from support.worlds import World, failed, fetched, job, unreadable, world

from crawler.frontier import Frontier, Health, Pause
from crawler.models import Failure, FetchOutcome, FetchTask

HOSTS = {"a.test": "10.0.0.1", "b.test": "10.0.0.2"}
LONGEST_S = 3600.0
"""`politeness.max_retry_after_s`: what any Retry-After is cut to."""
BUSY = [Failure.HTTP_RATE_LIMITED, Failure.HTTP_SERVER_ERROR]


def busy(w: World, failure: Failure, asked_s: float, *, good: int = 0, until: float = 1e9) -> World:
    """Have a host with forty URLs ask to wait instead of every page after some good ones."""
    for n in range(40):
        w.offer(f"http://a.test/{n}")

    def outcome(task: FetchTask) -> FetchOutcome:
        if task.host != "a.test" or len(w.fetched) < good or w.now >= until:
            return fetched(task)
        return failed(task, failure, asked_s)

    w.outcome = outcome  # type: ignore[method-assign]
    return w


def resumed(w: World, later_s: float) -> World:
    """Return the world of a run that goes on so much later with what `w` left."""
    health: dict[str, Health] = w.frontier.politeness.take_noted()
    left = w.frontier.politeness.take_pauses(w.now)
    pauses = {
        host: Pause(max(0.0, p.left_s - later_s), p.delay_s, p.slow_s)
        for host, p in left
        if p is not None
    }
    later = World(Frontier(job()), w.addresses)
    later.frontier.politeness.resume(pauses, 0.0, health)
    for task in w.pending.values():
        later.offer(task.url)
    return later


@pytest.mark.parametrize("failure", BUSY)
@pytest.mark.parametrize("retries", [0, 2])
def test_a_host_that_only_asks_to_wait_is_not_waited_for(failure: Failure, retries: int) -> None:
    """It never answers a page: one request tells that, and all its URLs stay pending."""
    w = busy(world(HOSTS, fetch={"retries": retries}), failure, LONGEST_S)
    w.run()
    assert w.now < 10.0
    assert len(w.requests["a.test"]) == 2  # robots.txt is one
    assert len(w.pending) == 40
    assert w.frontier.counts().aside == 1
    ((name, why),) = w.frontier.politeness.quarantine.reasons
    assert name == "a.test"
    assert "asks to wait for 3,600 s" in why


def test_a_robots_txt_that_only_asks_to_wait_is_not_waited_for() -> None:
    """The same where the rules cannot be had."""
    w = world(HOSTS)
    w.offer("http://a.test/")
    w.robots = lambda turn: unreadable(  # type: ignore[method-assign]
        turn.origin, Failure.HTTP_RATE_LIMITED, LONGEST_S
    )
    w.run()
    assert w.now < 10.0
    assert len(w.requests["a.test"]) == 1
    assert len(w.pending) == 1


@pytest.mark.parametrize("failure", BUSY)
def test_a_host_that_has_answered_is_waited_for_once(failure: Failure) -> None:
    """At the end of a crawl it has as long as the longest Retry-After, and not that for each URL.

    It is asked when its time has come, and once more by the last call.
    """
    w = busy(world(HOSTS), failure, LONGEST_S, good=5)
    w.run()
    assert LONGEST_S <= w.now < LONGEST_S + 100.0
    assert len(w.requests["a.test"]) == 1 + 5 + 2
    assert len(w.pending) == 35


@pytest.mark.parametrize("asked_s", [100.0, 900.0])
def test_a_host_that_means_its_wait_loses_nothing(asked_s: float) -> None:
    """It asks to wait, longer than there is patience or not, is left alone, and answers again."""
    w = busy(world(HOSTS), Failure.HTTP_RATE_LIMITED, asked_s, good=5, until=asked_s)
    w.run()
    assert not w.pending
    begins = [begin for begin, _ in w.requests["a.test"]]
    pauses = [after - before for before, after in pairwise(begins)]
    assert sum(pause >= asked_s for pause in pauses) == 1


def test_others_go_on_while_a_host_asks_to_wait() -> None:
    """What it asks for is its own matter: a neighbour has all its pages at its own pace."""
    w = busy(world(HOSTS), Failure.HTTP_RATE_LIMITED, LONGEST_S)
    for n in range(20):
        w.offer(f"http://b.test/{n}")
    w.run()
    assert [task.host for task in w.fetched] == ["b.test"] * 20
    assert w.now < 40.0


def test_a_wait_lasts_into_the_next_run() -> None:
    """A resume within it asks nothing and does not wait; one after it fetches everything."""
    first = busy(world(HOSTS), Failure.HTTP_RATE_LIMITED, LONGEST_S)
    first.run()
    soon = resumed(first, 60.0)
    soon.run()
    assert not soon.requests
    assert soon.now < 10.0
    assert soon.frontier.counts().aside == 1
    late = resumed(first, LONGEST_S)
    late.run()
    assert not late.pending


def test_the_pause_of_a_host_without_urls_is_not_waited_for() -> None:
    """The last page ends with a server's wish to be left alone: the crawl has ended, too."""
    w = world(HOSTS, fetch={"retries": 0})
    w.offer("http://a.test/")
    w.outcome = lambda task: failed(  # type: ignore[method-assign]
        task, Failure.HTTP_SERVER_ERROR, 200.0
    )
    w.run()
    assert not w.pending
    assert w.now < 10.0
