"""What is no host's fault costs no URL: it is asked again after growing pauses, or left pending."""

from __future__ import annotations

import pytest
from support.worlds import World, fetched, first_task, job

from crawler.frontier import Abandon, CheckRobots, Frontier, Turn
from crawler.models import FetchOutcome, FetchTask, Obstacle, Postponed, RobotsAnswer


class HinderedWorld(World):
    """A world where until `ends_at` nobody can be asked."""

    def __init__(self, frontier: Frontier, obstacle: Obstacle, ends_at: float) -> None:
        super().__init__(frontier, {"a.test": "10.0.0.1", "b.test": "10.0.0.1"}, took_s=0.0)
        self.obstacle = obstacle
        self.ends_at = ends_at
        self.asked_at: list[float] = []

    def play(self, turn: Turn) -> None:
        """Note when somebody is asked; nobody is ever given up."""
        assert not isinstance(turn, Abandon)
        if isinstance(turn, CheckRobots | FetchTask):
            self.asked_at.append(self.now)
        super().play(turn)

    def postponed(self, url: str) -> Postponed | None:
        """Return what comes of asking, if it is nothing."""
        if self.now >= self.ends_at:
            return None
        return Postponed(FetchTask(0, url, "a.test", 0), self.obstacle, "why", 0.0)

    def robots(self, turn: CheckRobots) -> RobotsAnswer:
        """Ask for a robots.txt in vain, until it can be asked for; `moves` come before all else."""
        if self.moves.get(turn.origin):
            return super().robots(turn)
        postponed = self.postponed(f"{turn.origin}/robots.txt")
        if postponed is not None:
            return RobotsAnswer(requested=False, postponed=postponed)
        return super().robots(turn)

    def outcome(self, task: FetchTask) -> FetchOutcome:
        """Ask for a page in vain, until it can be asked for."""
        return self.postponed(task.url) or super().outcome(task)


def hindered(obstacle: Obstacle, ends_at: float, **politeness: object) -> HinderedWorld:
    """Return a world with three pages of one host."""
    world = HinderedWorld(
        Frontier(job(politeness={"delay_s": 0.0, **politeness})), obstacle, ends_at
    )
    for n in range(3):
        world.offer(f"http://a.test/{n}")
    return world


@pytest.mark.parametrize("robots", [True, False])
def test_a_host_without_an_answer_from_dns_is_asked_again(robots: bool) -> None:
    """Never contacted before, and away for minutes: asked less and less, then fetched."""
    world = hindered(Obstacle.NETWORK, 100.0, robots=robots, per_host=1)
    world.run()
    assert world.asked_at[:7] == [0, 2, 4, 8, 16, 32, 64]
    assert len(world.fetched) == 3
    assert all(task.attempt == 0 for task in world.fetched)


@pytest.mark.parametrize("robots", [True, False])
def test_where_it_lasts_its_urls_stay_pending(robots: bool) -> None:
    """After `robots_wait_s` the host is left alone for this run, and no URL has an end."""
    world = hindered(Obstacle.NETWORK, 1e9, robots=robots)
    world.run()
    assert (world.fetched, world.abandoned) == ([], [])
    assert world.frontier.pending == 3
    assert world.frontier.politeness.quarantine.parked == ["a.test"]
    assert world.now < 301


def test_a_robots_txt_elsewhere_that_cannot_be_asked_for_ends_no_url() -> None:
    """A file that redirects to a host without an answer is asked for again, or its asker parked."""
    for ends_at, count in ((100.0, 3), (1e9, 0)):
        world = hindered(Obstacle.NETWORK, ends_at)
        world.moves = {"http://a.test": ["b.test"]}
        world.run()
        assert len(world.fetched) == count
        assert len(world.pending) == world.frontier.pending == 3 - count


def test_trouble_of_this_machine_counts_for_nothing() -> None:
    """However often it comes, no attempt is counted, no pause is owed, and the page is next."""
    frontier = Frontier(job(politeness={"robots": False, "delay_s": 0.0}))
    task = first_task(frontier, "http://a.test/1")
    for n in range(100):
        assert frontier.ended(task, Postponed(task, Obstacle.MACHINE, "why", 0.0), n, n) is None
        again = frontier.take(n)
        assert again == task
    assert not frontier.politeness.quarantine.parked


def test_a_page_that_alone_cannot_be_asked_for_holds_up_nobody() -> None:
    """Where its host answers about others, the page waits by itself and is left for a later run."""
    world = World(Frontier(job(politeness={"delay_s": 1.0})), {"a.test": "10.0.0.1"})

    def outcome(task: FetchTask) -> FetchOutcome:
        if task.url.endswith("/poison"):
            return Postponed(task, Obstacle.NETWORK, "unforeseen", 0.0)
        return fetched(task)

    world.outcome = outcome  # type: ignore[method-assign]
    world.offer("http://a.test/poison")
    for n in range(40):
        world.offer(f"http://a.test/{n}")
    while len(world.fetched) < 40:
        assert world.step()
    assert world.now < 120, "each page takes a second"
    world.run()
    assert [task.url for task in world.pending.values()] == ["http://a.test/poison"]
    assert [name for name, _ in world.frontier.politeness.quarantine.reasons] == [
        "http://a.test/poison"
    ]
    assert world.now < 600
