"""A host that others' robots.txt redirect to: their errands take turns with its own pages."""

from __future__ import annotations

from itertools import pairwise

from support.worlds import World, fetched, first_check, job, readable, unreadable

from crawler.frontier import CheckRobots, Frontier, Turn, Wait
from crawler.frontier.turns import GivenUp
from crawler.models import Failure, FetchTask, Priority, RobotsAnswer

ASKERS = 40
PAGES = 20


class Watched(World):
    """A world that notes what the victim is asked for: `page`, `own` robots.txt or an `errand`."""

    def __init__(self, **politeness: object) -> None:
        names = ["v.test", *(f"a{number}.test" for number in range(ASKERS))]
        settings = {"delay_s": 1.0, "per_address": 99, **politeness}
        super().__init__(Frontier(job(politeness=settings)), {name: f"at {name}" for name in names})
        for number in range(ASKERS):
            self.offer(f"http://a{number}.test/")
            self.moves[f"http://a{number}.test"] = ["v.test"]
        for number in range(PAGES):
            self.offer(f"http://v.test/{number}")
        self.asked: list[tuple[str, float]] = []

    def play(self, turn: Turn) -> None:
        """Note the requests to the victim."""
        match turn:
            case FetchTask(host="v.test"):
                self.asked.append(("page", self.now))
            case CheckRobots(host="v.test", asker="v.test"):
                self.asked.append(("own", self.now))
            case CheckRobots(host="v.test"):
                self.asked.append(("errand", self.now))
        super().play(turn)


def test_errands_take_turns_with_pages() -> None:
    """While there are both, every second request is a page's, and none comes before its time."""
    world = Watched()
    world.run()
    kinds = [kind for kind, _ in world.asked if kind != "own"]
    begun = kinds.index("errand")
    assert kinds[begun : begun + 30] == ["errand", "page"] * 15
    assert (kinds.count("page"), kinds.count("errand")) == (PAGES, ASKERS)
    times = [at for _, at in world.asked]
    assert all(later - earlier >= 1.0 for earlier, later in pairwise(times))
    assert world.frontier.pending == 0


class Answered(Watched):
    """A world in which errands are sent on once, and then their answers are known already."""

    sent_on: frozenset[str] = frozenset()

    def robots(self, turn: CheckRobots) -> RobotsAnswer:
        """Answer an errand without a request."""
        if turn.host == turn.asker:
            return super().robots(turn)
        if turn.asker in self.sent_on:
            return RobotsAnswer(requested=False, known=True, expires_at=1e9)
        self.sent_on |= {turn.asker}
        return RobotsAnswer(requested=False, moved_to="v.test")


def test_an_errand_without_a_request_costs_no_pause() -> None:
    """What is known already is told at once: the victim's pages come at their own pace."""
    world = Answered()
    world.took_s = 0.0
    world.run()
    pages = [at for kind, at in world.asked if kind == "page"]
    assert pages == [float(second) for second in range(1, PAGES + 1)]


def test_a_host_is_not_to_blame_for_what_is_put_under_its_name() -> None:
    """The asker waits for a robots.txt that fails; who was asked is left alone as after any."""
    frontier = Frontier(job(politeness={"delay_s": 1.0}))
    check = first_check(frontier, "http://a.test/")
    moved = RobotsAnswer(requested=True, moved_to="v.test", moved_to_delay_s=3.0)
    frontier.robots_answered(check, moved, 0.0, 0.0)
    frontier.offer("http://v.test/", depth=0, priority=Priority.ORDINARY)
    frontier.resolved(frontier.take(1.0).host, "10.0.0.2", 1.0)  # type: ignore[union-attr]
    errand = frontier.take(1.0)
    assert errand == CheckRobots("v.test", "http://a.test", "a.test")
    failed = unreadable("http://a.test", Failure.TIMEOUT_HEADERS)
    frontier.robots_answered(errand, failed, 1.0, 1.0)
    assert frontier.take(1.0) == Wait(4.0)  # the Crawl-delay that it was found to have
    assert frontier.take(4.0) == CheckRobots("v.test", "http://v.test", "v.test")


def test_what_leaves_without_a_request_brings_no_request_forward() -> None:
    """A host whose first URL was given up has its turn at once, but is asked in its time only."""
    frontier = Frontier(job(politeness={"delay_s": 10.0}))
    check = first_check(frontier, "https://v.test/first")
    frontier.robots_answered(check, readable(), 0.0, 0.0)
    host, origin = frontier.politeness["v.test"], "http://v.test"
    frontier.offer(f"{origin}/1", depth=0)
    assert isinstance(frontier.take(10.0), FetchTask)
    frontier.offer("https://v.test/2", depth=1)
    host.give_up(origin, GivenUp(Failure.CONNECT, "why"))
    host.put_aside(origin, "why", 10.0, 10.0)
    task = FetchTask(1, "https://v.test/first", "v.test", 0)
    frontier.ended(task, fetched(task), 10.0, 10.0)
    assert frontier.take(11.0) == Wait(20.0)
    assert isinstance(frontier.take(20.0), FetchTask)
