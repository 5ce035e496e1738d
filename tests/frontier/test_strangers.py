"""Hosts in good standing have turns of their own; stalls cost a host its standing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from support.worlds import failed, fetched, job, readable, unreadable, world

from crawler.frontier import CheckRobots, Frontier, Health, Resolve, Wait
from crawler.models import Failure, FetchOutcome, FetchTask, Obstacle, Postponed, RobotsAnswer

HOSTS = {"known.test": "10.0.0.1", "new.test": "10.0.0.2"}
QUICK = {"robots": False, "delay_s": 0.0}


def crowded_out(task: FetchTask) -> Postponed:
    """Return what comes of a request that gave way to others."""
    return Postponed(task, Obstacle.CROWD, "gave way", 0.0)


def stands(frontier: Frontier, name: str) -> bool:
    """Whether a host is in good standing."""
    return not frontier.reputation(name).is_strange


def test_without_strangers_only_known_hosts_have_turns() -> None:
    """A host that answered in an earlier run goes on while all others have no place."""
    frontier = Frontier(job(politeness=QUICK))
    frontier.politeness.resume({}, 0.0, {"known.test": Health(answered=True)})
    for host in ("new.test", "known.test"):
        frontier.offer(f"http://{host}/", depth=0)
    turn = frontier.take(0.0, strangers=False)
    assert turn == Resolve("known.test")
    assert isinstance(frontier.take(0.0, strangers=False), Wait)
    assert frontier.waiting_for_slot(0.0, only_strangers=True) == 0.0
    assert frontier.take(0.0) == Resolve("new.test")
    assert frontier.waiting_for_slot(0.0, only_strangers=False) is None


def test_turns_come_in_the_order_in_which_hosts_are_due() -> None:
    """Where there is room for everybody, nobody is preferred: a new host waits for no known one."""
    w = world({f"h{n}.test": f"10.0.0.{n}" for n in range(6)}, politeness={"delay_s": 1.0})
    for n in range(6):
        for page in range(3):
            w.offer(f"http://h{n}.test/{page}")
    w.run()
    assert [task.url[-1] for task in w.fetched] == [*"000000", *"111111", *"222222"]


@pytest.mark.parametrize("of_robots", [True, False])
def test_an_answer_makes_a_host_known(of_robots: bool) -> None:
    """Its rules or its first page, whichever it is asked for first."""
    w = world(HOSTS, politeness={"robots": of_robots})
    w.offer("http://new.test/1")
    w.offer("http://new.test/2")
    while not stands(w.frontier, "new.test"):
        assert w.step()
    assert len(w.fetched) == (not of_robots)


@pytest.mark.parametrize(
    "stall", [Failure.TIMEOUT_HEADERS, Failure.TIMEOUT_BODY, Failure.TIMEOUT_CONNECT, None]
)
def test_a_stall_costs_a_known_host_its_standing(stall: Failure | None) -> None:
    """Whatever the crawl waited for in vain, or (None) until it had to give way."""
    w = world({"a.test": "10.0.0.1"}, politeness=QUICK)
    for n in range(9):
        w.offer(f"http://a.test/{n}")

    def outcome(task: FetchTask) -> FetchOutcome:
        if w.now > 1.0 and stands(w.frontier, "a.test"):
            return failed(task, stall) if stall else crowded_out(task)
        return fetched(task)

    w.outcome = outcome  # type: ignore[method-assign]
    while w.now <= 1.0 or stands(w.frontier, "a.test"):
        assert w.step()
    answers = len(w.fetched)
    while not stands(w.frontier, "a.test"):
        assert w.step()
    assert len(w.fetched) - answers == 2


def test_each_stall_asks_for_twice_the_answers() -> None:
    """Who answers and stalls in turn is a stranger nearly all the time."""
    host = Frontier(job()).politeness.host("a.test")
    host.answer()
    needed = []
    for _ in range(12):
        host.answers.stall(gave_way=False)
        answers = 0
        while host.answers.reputation.is_strange:
            host.answer()
            answers += 1
        needed.append(answers)
    assert needed == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024]


def test_who_gives_way_is_asked_again_after_growing_pauses() -> None:
    """No URL fails for it, and the crowd has ever more time to pass."""
    w = world({"a.test": "10.0.0.1"}, politeness=QUICK)
    w.offer("http://a.test/")
    w.outcome = lambda task: (  # type: ignore[method-assign]
        crowded_out(task) if w.now < 100.0 else fetched(task)
    )
    w.run()
    assert not w.pending
    begins = [begin for begin, _ in w.requests["a.test"]]
    pauses = [after - before for before, after in pairwise(begins)]
    assert pauses[0] == pytest.approx(2.3)
    assert all(later > 1.1 * pause for pause, later in pairwise(pauses))


def test_who_gives_way_is_asked_until_there_is_time_for_an_answer() -> None:
    """A crawl does not end without a host of which nothing is known but that others were due."""
    w = world({"a.test": "10.0.0.1"}, politeness=QUICK)
    w.offer("http://a.test/")
    trials: list[float] = []

    def outcome(task: FetchTask) -> FetchOutcome:
        trials.extend([w.now] * w.frontier.politeness["a.test"].is_held)
        return fetched(task) if len(trials) > 3 else crowded_out(task)

    w.outcome = outcome  # type: ignore[method-assign]
    w.run()
    assert len(trials) == 4
    assert not w.pending


def test_a_robots_txt_that_gives_way_counts_alike() -> None:
    """The rules of a host that keeps others waiting are asked for again after pauses."""
    w = world({"a.test": "10.0.0.1"})
    w.offer("http://a.test/")
    asked: list[float] = []

    def robots(turn: CheckRobots) -> RobotsAnswer:
        asked.append(w.now)
        if len(asked) > 4:
            return readable()
        task = FetchTask(0, f"{turn.origin}/robots.txt", turn.host, 0)
        return RobotsAnswer(requested=False, postponed=crowded_out(task))

    w.robots = robots  # type: ignore[method-assign]
    w.run()
    assert not w.pending
    assert len(asked) == 5
    assert asked[-1] > 10.0


def test_a_robots_txt_that_stalls_counts_alike() -> None:
    """A time-out of the rules is a stall of the host that was asked for them."""
    w = world({"a.test": "10.0.0.1"})
    w.offer("http://a.test/")
    w.robots = lambda turn: (  # type: ignore[method-assign]
        unreadable(turn.origin, Failure.TIMEOUT_HEADERS) if w.now < 1.0 else readable()
    )
    while not w.frontier.politeness["a.test"].answered:
        assert w.step()
    assert not stands(w.frontier, "a.test")
