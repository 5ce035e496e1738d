"""A simulated store, clock and network that play against a frontier."""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush
from typing import Any

from crawler.config import Job, parse_job
from crawler.frontier import (
    Abandon,
    CheckRobots,
    Frontier,
    GivenUp,
    Patience,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)
from crawler.frontier.host_queue import key_of
from crawler.frontier.subtree import Subtree
from crawler.records import Failure, FetchTask, NewUrl, Priority


def job(**sections: object) -> Job:
    """Return a job that admits every host, with the given sections."""
    return parse_job({"scope": {"mode": "any"}, **sections}, "test")


DEAD = GivenUp(Failure.CONNECT, "nobody there")


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
        self.running: list[tuple[float, int, Turn]] = []
        self.order = 0
        self.crawl_delay_s: float | None = None
        self.dead_origins: set[str] = set()
        self.moves: dict[str, list[str]] = {}
        """Origin -> the hosts that its robots.txt still redirects to, one after another."""

    def offer(
        self, url: str, depth: int = 0, priority: Priority = Priority.ORDINARY
    ) -> NewUrl | Refusal:
        """Offer a URL and store it at once, as the crawl does."""
        new = self.frontier.offer(url, depth=depth, priority=priority)
        if isinstance(new, NewUrl):
            task = FetchTask(new.url_id, new.url, new.host, new.depth, new.priority)
            self.pending[new.url_id] = task
        return new

    def run(self) -> None:
        """Play turns until nothing is left to wait for."""
        for _ in range(100_000):
            turn = self.frontier.take(self.now)
            if not isinstance(turn, Wait):
                self.play(turn)
            elif not self.advance(turn.until):
                return
        raise AssertionError("the frontier does not come to an end")

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
                    self.frontier.settle(task)
            case CheckRobots() | FetchTask():
                self.order += 1
                self.requests[turn.host].append((self.now, self.now + self.took_s))
                heappush(self.running, (self.now + self.took_s, self.order, turn))

    def finish(self, turn: Turn) -> None:
        """End a request."""
        if isinstance(turn, CheckRobots) and turn.origin in self.dead_origins:
            self.frontier.robots.failed(turn, self.now, Patience(2.0, 5.0, DEAD))
        elif isinstance(turn, CheckRobots) and self.moves.get(turn.origin):
            self.frontier.robots.moved(turn, self.moves[turn.origin].pop(0), self.now)
        elif isinstance(turn, CheckRobots):
            self.frontier.robots.checked(
                turn, self.now, expires_at=1e9, crawl_delay_s=self.crawl_delay_s, requested=True
            )
        elif isinstance(turn, FetchTask):
            self.frontier.release(turn, self.now)
            del self.pending[turn.url_id]
            self.fetched.append(turn)
            self.frontier.settle(turn)


def world(addresses: dict[str, str] | None = None, **sections: object) -> World:
    """Return a world around a new frontier."""
    return World(Frontier(job(**sections)), addresses or {})


def record(name: str, standing: str) -> dict[str, Any]:
    """Return a subtree's record."""
    return Subtree(name).record() | {"standing": standing}
