"""A host that somebody has stopped: nothing is asked of it, nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.worlds import first_task, job, world

from crawler.frontier import Frontier
from crawler.frontier.view import HostState, hosts_seen

HOSTS = [f"h{n}.test" for n in range(4)]
EVENTS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.booleans()), max_size=12)
"""How many turns are played before, which host, and whether it is halted or released."""


@settings(max_examples=2 * settings().max_examples)
@given(events=EVENTS, per_address=st.integers(1, 3), host_queue=st.integers(2, 9))
def test_whenever_hosts_are_stopped_and_released_each_url_is_fetched_once(
    events: list[tuple[int, int, bool]], per_address: int, host_queue: int
) -> None:
    """A stopped host gets no request, the crawl ends all the same, and released it is finished."""
    w = world(
        {name: f"10.0.0.{n % 2}" for n, name in enumerate(HOSTS)},
        frontier={"host_queue": host_queue},
        politeness={"per_host": 2, "per_address": per_address, "delay_s": 0.5},
    )
    w.moves = {f"http://{HOSTS[0]}": [HOSTS[1]]}
    urls = {f"http://{name}/{page}" for name in HOSTS for page in range(6)}
    for url in sorted(urls):
        w.offer(url)
    politeness, halted = w.frontier.politeness, set[str]()

    def requests() -> dict[str, int]:
        return {name: len(w.requests[name]) for name in halted}

    for turns, number, stop in events:
        for _ in range(turns):
            before = requests()
            w.step()
            assert requests() == before
        name = HOSTS[number]
        if stop and politeness.halt(name):
            halted.add(name)
        elif not stop:
            assert politeness.halt(name, halted=False) == (name in halted)
            halted.discard(name)
    before = requests()
    w.run()
    assert requests() == before
    assert {task.host for task in w.pending.values()} <= halted | {HOSTS[0]}
    for name in list(halted):
        politeness.halt(name, halted=False)
    halted.clear()
    w.run()
    assert {task.url for task in w.fetched} == urls
    assert w.frontier.pending == 0


def test_a_host_that_is_not_known_cannot_be_stopped() -> None:
    """Neither stopped nor released; it says so."""
    frontier = Frontier(job())
    assert not frontier.politeness.halt("h.test")
    assert not frontier.politeness.halt("h.test", halted=False)


def test_a_stopped_host_is_not_forgotten_when_its_queue_is_empty() -> None:
    """What is found of it later waits as well: no new host comes in its place."""
    w = world({"h.test": "10.0.0.1"}, politeness={"delay_s": 0.1})
    w.offer("http://h.test/1")
    w.run()
    w.frontier.politeness.halt("h.test")
    w.now += 100.0
    w.run()
    w.offer("http://h.test/2")
    w.run()
    assert [task.url for task in w.fetched] == ["http://h.test/1"]
    assert w.frontier.pending == 1


def test_what_is_seen_of_hosts() -> None:
    """Stopped ones first, then the named ones, then some of all, none twice and each as it is."""
    w = world({}, politeness={"robots": False, "delay_s": 2.0})
    task = first_task(w.frontier, "http://a.test/")
    for name in ("b", "c", "d"):
        w.offer(f"http://{name}.test/")
    politeness = w.frontier.politeness
    politeness.halt("d.test")
    seen = hosts_seen(politeness, ["c.test", "gone.test", "d.test"], 0.0, 2)
    assert [host.name for host in seen] == ["d.test", "c.test", "a.test", "b.test"]
    by_name = {host.name: host for host in seen}
    assert by_name["d.test"].state is HostState.STOPPED
    assert (by_name["a.test"].state, by_name["a.test"].in_flight) == (HostState.ASKED, 1)
    assert (by_name["b.test"].state, by_name["b.test"].queued) == (HostState.DUE, 1)
    assert by_name["a.test"].wait_s == pytest.approx(2.0)
    assert task.host == "a.test"
