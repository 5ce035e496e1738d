"""What the tests of the network share: a job that may use loopback, and one fetch."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from crawler.config import Job
from crawler.fetch import Access, Fetcher, Machine, RequestSlots
from crawler.fetch.addresses import Resolver
from crawler.fetch.exchange import Deadline, Phase
from crawler.fetch.transport import HttpTransport
from crawler.models import Failed, Failure, FetchOutcome, FetchTask, KeptRules
from crawler.urls import host_key
from support.servers import Reply, serve

PAGE = b"<html><body>page</body></html>"


class Keeper:
    """Keeps rules as the state of a crawl does."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptRules] = {}

    def rules(self, origin: str) -> KeptRules | None:
        """See RulesKeeper."""
        return self.kept.get(origin)

    def keep_rules(self, origin: str, rules: KeptRules) -> None:
        """See RulesKeeper."""
        self.kept[origin] = rules


def job(
    politeness: dict[str, Any] | None = None, limits: dict[str, Any] | None = None, /, **fetch: Any
) -> Job:
    """Return a job that may use loopback; keywords are its `fetch` section."""
    settings = {"allow_addresses": ("127.0.0.0/8", "::1/128"), **fetch}
    return Job.model_validate(
        {"fetch": settings, "politeness": politeness or {}, "limits": limits or {}}
    )


def task(url: str, **fields: Any) -> FetchTask:
    """Return a task for a canonical URL."""
    return FetchTask(1, url, host_key(url), 0, **fields)


def over_http(
    settings: Job,
    *,
    clock: Callable[[], float] = time.monotonic,
    slots: RequestSlots | None = None,
    **parts: Any,
) -> Fetcher:
    """Return a fetcher over real connections, wired as a crawl's is, to be opened by its user."""
    access = Access(settings)
    resolver = Resolver(settings, access, clock)
    slots = slots or RequestSlots(settings.fetch.workers, aside=0)
    transport = HttpTransport(settings.fetch, access, resolver, slots.most)
    parts = {"machine": Machine(clock=clock), "rules": Keeper(), **parts}
    return Fetcher(settings, transport, resolver, access, clock=clock, slots=slots, **parts)


async def fetch(url: str, settings: Job | None = None, **fields: Any) -> FetchOutcome:
    """Fetch one URL with a client of its own; a wait in it is a mistake."""

    async def never(delay_s: float) -> None:
        raise AssertionError("nothing here waits")

    async with over_http(settings or job(), sleep=never) as fetcher:
        return await fetcher.fetch(task(url, **fields), 1.0)


@asynccontextmanager
async def waiting(settings: Job) -> AsyncIterator[tuple[Fetcher, list[float]]]:
    """Open a fetcher whose waits are recorded and not waited."""
    waits: list[float] = []

    async def sleep(delay_s: float) -> None:
        waits.append(delay_s)

    async with over_http(settings, sleep=sleep) as fetcher:
        yield fetcher, waits


async def fetch_reply(reply: Reply, settings: Job | None = None) -> FetchOutcome:
    """Fetch a page whose server answers `reply`."""
    async with serve({"/page": reply}) as site:
        return await fetch(f"{site.url}/page", settings)


async def failure(reply: Reply, settings: Job | None = None) -> Failure:
    """Return the failure a server's reply means."""
    outcome = await fetch_reply(reply, settings)
    assert isinstance(outcome, Failed), outcome
    return outcome.failure


def no_limit_before(phase: Phase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time limit run out before a request has come to this phase, however long that takes.

    The limit in all may then be over as the phase begins.
    """
    enter, reached = Deadline.enter, False

    def entering(deadline: Deadline, entered: Phase) -> None:
        nonlocal reached
        reached = reached or entered is phase
        enter(deadline, entered)
        if not reached:
            deadline._timer.cancel()

    monkeypatch.setattr(Deadline, "enter", entering)
