"""Depths that turn out to be smaller: what is remembered of URLs, and how much of it."""

from __future__ import annotations

import pytest

from crawler.frontier import seen
from crawler.frontier.seen import Depths
from crawler.models import FetchTask, Priority


def found(number: int, depth: int) -> FetchTask:
    """Return the task of a URL that was found at a depth."""
    return FetchTask(number, f"http://a.test/{number}", "a.test", depth)


def test_a_shorter_path_tells_what_a_page_led_to() -> None:
    """Its links come back once, with the new depth; a path that is as long tells nothing."""
    known, task = Depths(), found(1, 4)
    known.found(task)
    known.led_to(task, ("http://a.test/2", "http://a.test/3"), Priority.DEFERRED, 1)
    known.ended(task)
    known.found_again(task.url, 4)
    assert known.take_nearer() is None
    known.found_again(task.url, 2)
    nearer = known.take_nearer()
    assert nearer is not None
    assert (nearer.task.depth, nearer.links) == (2, ("http://a.test/2", "http://a.test/3"))
    assert (nearer.priority, nearer.step) == (Priority.DEFERRED, 1)
    assert known.take_nearer() is None
    assert known.take_lowered() == {1: 2}


def test_a_pending_url_is_taken_with_its_shortest_path() -> None:
    """Found again before it is fetched, or while it is: the smaller depth counts."""
    known, task = Depths(), found(1, 4)
    known.found(task)
    known.found_again(task.url, 3)
    assert known.of(task).depth == 3
    assert known.take_nearer() is None
    assert known.of_pending == {1: 3}
    known.ended(task)
    assert known.take_lowered() == {1: 3}
    assert known.of_pending == {}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest URLs are forgotten, and with them their links."""
    monkeypatch.setattr(seen, "MOST_URLS", 10)
    known = Depths()
    for number in range(30):
        known.found(found(number, 3))
        known.led_to(found(number, 3), (f"http://a.test/{number}/x",), Priority.ORDINARY, 1)
    assert len(known._found) == 10
    assert known._bytes == sum(len(entry.packed) for entry in known._found.values())
    monkeypatch.setattr(seen, "MOST_BYTES", 0)
    known.found(found(99, 3))
    assert known._bytes == 0
