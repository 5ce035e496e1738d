"""A simulated store, clock and network that play against a frontier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from heapq import heappop, heappush
from typing import Any

from crawler.config import Job, parse_job
from crawler.config.job import Learn, Traps
from crawler.frontier import Abandon, CheckRobots, Frontier, Refill, Resolve, Turn, Wait
from crawler.frontier.host import key_of
from crawler.frontier.learning import UrlLearning
from crawler.frontier.traps import Subtree
from crawler.models import (
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    FetchTask,
    NewUrl,
    PageOutcome,
    Priority,
    RobotsAnswer,
    SentUrl,
    UrlState,
)


def job(**sections: object) -> Job:
    """Return a job that admits every host, with the given sections."""
    return parse_job({"scope": {"mode": "any"}, **sections}, "test")


def fetched(task: FetchTask, body: bytes = b"", headers: dict[str, str] | None = None) -> Fetched:
    """Return a page as it comes from the network."""
    return Fetched(
        task, task.url, 200, "text/html", "utf-8", headers or {}, body, len(body), 0.0, 0.0
    )


def failed(task: FetchTask, failure: Failure, retry_after_s: float | None = None) -> Failed:
    """Return a request that brought no page."""
    return Failed(task, failure, "why", 0.0, retry_after_s=retry_after_s)


def unreadable(origin: str, failure: Failure, retry_after_s: float | None = None) -> RobotsAnswer:
    """Return the answer where a robots.txt cannot be read."""
    task = FetchTask(0, f"{origin}/robots.txt", origin.partition("://")[2], 0)
    return RobotsAnswer(requested=True, failure=failed(task, failure, retry_after_s))


def readable(crawl_delay_s: float | None = None) -> RobotsAnswer:
    """Return the answer where a robots.txt was read."""
    return RobotsAnswer(True, known=True, expires_at=1e9, crawl_delay_s=crawl_delay_s)


def of_no_account(task: FetchTask) -> PageOutcome:
    """Return an end that tells the trap rule nothing."""
    return PageOutcome(task.url_id, UrlState.FAILED, end=Failure.TRUNCATED)


def first_task(frontier: Frontier, url: str) -> FetchTask:
    """Offer a URL and return its task at time 0; robots.txt must not be asked for."""
    frontier.offer(url, depth=0)
    turn = frontier.take(0.0)
    assert isinstance(turn, Resolve)
    frontier.resolved(turn.host, "10.0.0.1", 0.0)
    task = frontier.take(0.0)
    assert isinstance(task, FetchTask)
    return task


def first_check(frontier: Frontier, url: str) -> CheckRobots:
    """Offer a URL and return the turn at time 0 that asks for its robots.txt."""
    frontier.offer(url, depth=0)
    turn = frontier.take(0.0)
    assert isinstance(turn, Resolve)
    frontier.resolved(turn.host, "10.0.0.1", 0.0)
    check = frontier.take(0.0)
    assert isinstance(check, CheckRobots)
    return check


class World:
    """A store, a clock and a network of known shape around one frontier."""

    def __init__(self, frontier: Frontier, addresses: dict[str, str], took_s: float = 0.3) -> None:
        self.frontier = frontier
        self.addresses = addresses
        self.took_s = took_s
        self.now = 0.0
        self.pending: dict[int, FetchTask] = {}
        self.fetched: list[FetchTask] = []
        self.abandoned: list[FetchTask] = []
        self.requests: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.running: list[tuple[float, int, Any]] = []
        self.order = 0
        self.crawl_delay_s: float | None = None
        self.dead_origins: set[str] = set()
        self.moves: dict[str, list[str]] = {}
        """Origin -> the hosts that its robots.txt still redirects to, one after another."""

    def offer(
        self,
        url: str,
        depth: int = 0,
        priority: Priority = Priority.ORDINARY,
        via: FetchTask | None = None,
        *,
        seed: bool = False,
    ) -> NewUrl | SentUrl | str:
        """Offer a URL and store it at once, as the crawl does."""
        new = self.frontier.offer(url, depth=depth, priority=priority, via=via, seed=seed)
        if isinstance(new, NewUrl):
            task = FetchTask(
                *(new.url_id, new.url, new.host, new.depth, new.priority),
                referrer=via.url if via else None,
                seed=seed,
            )
            self.pending[new.url_id] = task
        return new

    def run(self) -> None:
        """Play turns until nothing is left to wait for."""
        for _ in range(100_000):
            if not self.step():
                return
        raise AssertionError("the frontier does not come to an end")

    @property
    def hosts_in_the_end(self) -> int:
        """The hosts that are still known when all pauses have passed."""
        self.frontier.take(self.now + 3600.0)
        return self.frontier.counts().hosts

    def step(self) -> bool:
        """Play one turn, or wait for the next event; False if there is none."""
        turn = self.frontier.take(self.now, idle=not self.running)
        if isinstance(turn, Wait):
            return self.advance(turn.until)
        self.play(turn)
        return True

    def advance(self, until: float | None) -> bool:
        """Move the clock to the next event; False if there is none."""
        events = [t for t in (until, self.running[0][0] if self.running else None) if t is not None]
        if not events:
            return False
        self.now = max(self.now, min(events))
        while self.running and self.running[0][0] <= self.now:
            self.finish(heappop(self.running)[2])
        return True

    def play(self, turn: Turn) -> None:
        """Answer a turn at once, or begin the request it asks for."""
        match turn:
            case Resolve():
                self.frontier.resolved(turn.host, self.addresses.get(turn.host), self.now)
            case Refill():
                after = turn.after or (-1, -1, -1)
                tasks = sorted(
                    (t for t in self.pending.values() if t.host == turn.host and key_of(t) > after),
                    key=key_of,
                )
                self.frontier.refilled(turn, tasks[: turn.limit])
            case Abandon():
                for task in turn.tasks:
                    del self.pending[task.url_id]
                    self.abandoned.append(task)
                    self.frontier.settle(task, of_no_account(task))
            case CheckRobots() | FetchTask():
                self.order += 1
                self.requests[turn.host].append((self.now, self.now + self.took_s))
                heappush(self.running, (self.now + self.took_s, self.order, turn))

    def finish(self, turn: Turn) -> None:
        """End a request."""
        if isinstance(turn, CheckRobots):
            begun_at = self.now - self.took_s
            self.frontier.robots_answered(turn, self.robots(turn), begun_at, self.now)
        elif isinstance(turn, FetchTask):
            self.end_request(turn)

    def robots(self, turn: CheckRobots) -> RobotsAnswer:
        """Return what comes of asking for a robots.txt."""
        if turn.origin in self.dead_origins:
            return unreadable(turn.origin, Failure.CONNECT)
        if moves := self.moves.get(turn.origin):
            return RobotsAnswer(requested=True, moved_to=moves.pop(0))
        return readable(self.crawl_delay_s)

    def end_request(self, task: FetchTask) -> None:
        """Report a request; end its task, if that is its end."""
        outcome = self.outcome(task)
        if self.frontier.ended(task, outcome, self.now - self.took_s, self.now) is not None:
            self.end(task)

    def outcome(self, task: FetchTask) -> FetchOutcome:
        """Return what comes of asking for a page."""
        return fetched(task)

    def end(self, task: FetchTask) -> None:
        """Store a task's end."""
        assert task.url_id in self.pending, f"{task.url} was fetched twice"
        del self.pending[task.url_id]
        self.fetched.append(task)
        outcome = self.outcome_of(task)
        self.frontier.spend(task, outcome)
        self.frontier.settle(task, outcome)

    def outcome_of(self, task: FetchTask) -> PageOutcome:
        """Return a task's end."""
        return of_no_account(task)


def world(addresses: dict[str, str] | None = None, **sections: object) -> World:
    """Return a world around a new frontier."""
    return World(Frontier(job(**sections)), addresses or {})


def record(name: str, standing: str) -> dict[str, Any]:
    """Return a subtree's record."""
    return {**asdict(Subtree(name)), "standing": standing}


def cutting(state: Mapping[str, Any] | None = None, **traps: Any) -> UrlLearning:
    """Return what learns nothing but cuts, and what it knows of an earlier run."""
    return UrlLearning(Learn(urls=False), traps=Traps(**traps), cuts=state)
