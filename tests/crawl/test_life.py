"""What the life of one page tells the frontier of its host."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from support.worlds import job

from crawler.crawl.life import PageLife, Parts
from crawler.frontier import Frontier, Resolve
from crawler.records import FetchTask, Skip, Skipped


async def test_a_page_that_robots_forbid_says_nothing_of_its_host() -> None:
    """Strikes in a row stay in a row where a page was left out without a request between them."""
    settings = job(politeness={"robots": False})
    frontier = Frontier(settings)
    frontier.offer("http://a.test/", depth=0)
    assert isinstance(frontier.take(0.0), Resolve)
    frontier.resolved("a.test", "10.0.0.1", 0.0)
    task = frontier.take(0.0)
    assert isinstance(task, FetchTask)
    assert [frontier.politeness.strike("a.test", t, t) for t in (1.0, 2.0)] == [1, 2]
    outcome = await life(settings, frontier)._fetch(task)
    assert isinstance(outcome, Skipped)
    assert outcome.reason is Skip.ROBOTS
    assert frontier.politeness.strike("a.test", 3.0, 3.0) == 3


def life(settings: Any, frontier: Frontier) -> PageLife:
    """Return the life of pages that robots.txt forbids; other parts are not there."""
    forbidding: Any = SimpleNamespace(robots=SimpleNamespace(allowed=lambda url: False))
    nothing: Any = SimpleNamespace(next_document_id=1)
    parts = Parts(frontier, forbidding, nothing, nothing, nothing, nothing)
    return PageLife(settings, parts, lambda: 2.0, lambda: 0.0, lambda cut: None)
