"""Redirects followed within a fetch, as the frontier sees them: what may be asked, and its end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.worlds import failed, fetched, first_task, job, of_no_account

from crawler.frontier import Frontier, Refill, Refusal, Wait
from crawler.models import Failed, Failure, FetchOutcome, FetchTask, NewUrl, Redirected

FIRST, SECOND = "http://a.test/1", "http://a.test/2"
UNRULED = {"politeness": {"robots": False, "delay_s": 1.0}}


def led_on(task: FetchTask, outcome: FetchOutcome) -> Redirected:
    """Return the redirect of a task to SECOND, and what came of that."""
    then = replace(outcome, task=FetchTask(0, SECOND, task.host, task.depth, hops=1))
    return Redirected(task, 302, SECOND, 0.0, then=then)


def test_only_what_the_crawl_wants_and_has_not_seen_is_asked() -> None:
    """Scope and the seen set decide; with cookies what was seen may be asked again."""
    settings = {"seeds": [FIRST], "scope": {"mode": "host", "exclude": ["/private"]}, **UNRULED}
    frontier = Frontier(job(**settings))
    frontier.offer(FIRST, depth=0, seed=True)
    assert [frontier.leads_on(FIRST, again) for again in (False, True)] == [False, True]
    assert [frontier.leads_on(SECOND, again) for again in (False, True)] == [True, True]
    assert not frontier.leads_on("http://a.test/private", True)
    assert not frontier.leads_on("http://b.test/", True)


def test_a_target_that_was_asked_is_never_handed_out() -> None:
    """It is accepted once and pending until it is settled, but no turn asks for it."""
    frontier = Frontier(job(**UNRULED))
    task = first_task(frontier, FIRST)
    outcome = led_on(task, fetched(task))
    assert frontier.ended(task, outcome, 0.0, 0.5) is outcome
    new = frontier.offer(SECOND, depth=0, hops=1, via=task, asked=True)
    assert isinstance(new, NewUrl)
    frontier.settle(task, of_no_account(task))
    assert frontier.pending == 1
    assert isinstance(frontier.take(100.0), Wait)
    assert frontier.offer(SECOND, depth=1) is Refusal.SEEN
    second = FetchTask(new.url_id, new.url, new.host, new.depth)
    frontier.settle(second, of_no_account(second))
    assert (frontier.pending, frontier.take(200.0)) == (0, Wait(None))


def test_a_refill_does_not_bring_it_back() -> None:
    """The store has it as pending while it is read; its host's queue knows better."""
    frontier = Frontier(job(frontier={"host_queue": 2}, **UNRULED))
    task = first_task(frontier, FIRST)
    others = [frontier.offer(f"http://a.test/o{n}", depth=1) for n in range(4)]
    frontier.ended(task, led_on(task, fetched(task)), 0.0, 0.5)
    new = frontier.offer(SECOND, depth=0, hops=1, via=task, asked=True)
    frontier.settle(task, of_no_account(task))
    rows = [
        FetchTask(url.url_id, url.url, url.host, url.depth)
        for url in (new, *others)
        if isinstance(url, NewUrl)
    ]
    asked, now = [], 1.0
    for _ in range(20):
        now += 2.0
        turn = frontier.take(now)
        if isinstance(turn, Refill):
            left = [
                row for row in rows if (row.priority, row.depth, row.url_id) > (turn.after or ())
            ]
            frontier.refilled(turn, left[: turn.limit])
        elif isinstance(turn, FetchTask):
            asked.append(turn.url)
            frontier.ended(turn, failed(turn, Failure.HTTP_CLIENT_ERROR), now, now)
            frontier.settle(turn, of_no_account(turn))
    assert sorted(asked) == [f"http://a.test/o{n}" for n in range(4)]


@pytest.mark.parametrize("failure", [Failure.HTTP_SERVER_ERROR, Failure.CONNECT])
def test_a_failure_on_the_way_has_the_whole_way_tried_again(failure: Failure) -> None:
    """The page that began it is asked for again: what it led to may need the cookies of the way."""
    frontier = Frontier(job(**UNRULED))
    task = first_task(frontier, FIRST)
    assert frontier.ended(task, led_on(task, failed(task, failure)), 0.0, 0.5) is None
    again = frontier.take(200.0)
    assert isinstance(again, FetchTask)
    assert again.url == FIRST


def test_the_pause_is_what_the_last_page_asked_for() -> None:
    """A Retry-After on the way holds for the host."""
    frontier = Frontier(job(fetch={"retries": 0}, **UNRULED))
    task = first_task(frontier, FIRST)
    frontier.offer("http://a.test/3", depth=1)
    busy = failed(task, Failure.HTTP_RATE_LIMITED, retry_after_s=50.0)
    outcome = led_on(task, busy)
    assert frontier.ended(task, outcome, 0.0, 0.5) is outcome
    assert isinstance(outcome.last, Failed)
    assert isinstance(frontier.take(50.0), Wait)
    assert isinstance(frontier.take(51.0), FetchTask)
