"""The pause of a host follows its answers, between what was asked for and the job's bound."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import failed, fetched, first_task, job, of_no_account

from crawler.frontier import Frontier
from crawler.frontier.host import Pace
from crawler.models import Failure, FetchOutcome, FetchTask, Skip, Skipped

BOUNDS = {"delay_s": 1.0, "delay_factor": 4.0, "max_delay_s": 30.0, "robots": False}


def timed_out(task: FetchTask) -> FetchOutcome:
    """A failure of which the host knows nothing."""
    return failed(task, Failure.TIMEOUT_BODY)


def error_page(task: FetchTask) -> FetchOutcome:
    """A failure that came as an answer."""
    return failed(task, Failure.HTTP_CLIENT_ERROR)


def forbidden(task: FetchTask) -> FetchOutcome:
    """A URL that was not asked for."""
    return Skipped(task, Skip.ROBOTS, "disallowed by robots.txt", 0.0)


class Asked:
    """A host that is asked for one page after another."""

    def __init__(self, **politeness: object) -> None:
        self.frontier = Frontier(job(politeness={**BOUNDS, **politeness}))
        self.task = first_task(self.frontier, "http://a.test/")
        for n in range(20):
            self.frontier.offer(f"http://a.test/{n}", depth=1)
        self.now = 0.0

    def answer(
        self, took_s: float, how: Callable[[FetchTask], FetchOutcome | None] = fetched
    ) -> float:
        """Answer after some time, and ask again as soon as may be; return the pause by now."""
        begun, self.now = self.now, self.now + took_s
        outcome = how(self.task)
        if self.frontier.ended(self.task, outcome, begun, self.now) is not None:
            self.frontier.settle(self.task, of_no_account(self.task))
        due, pause_s = self.frontier.politeness["a.test"].due, self.frontier.delay_s("a.test")
        assert due >= self.now + pause_s
        asked = self.frontier.take(due)
        assert isinstance(asked, FetchTask)
        self.now, self.task = due, asked
        return pause_s


def test_a_slower_server_is_asked_less_often_at_once_and_a_faster_one_step_by_step() -> None:
    """Four times as long as the answer took; half of the way back with each that is faster."""
    host = Asked()
    pauses = [host.answer(s) for s in (0.1, 3.0, 0.5, 0.5, 0.5)]
    assert pauses == pytest.approx([1.0, 12.0, 7.0, 4.5, 3.25])


def test_it_stays_between_the_bounds() -> None:
    """Never less than the job's delay, nor more than its bound, however long an answer takes."""
    host = Asked()
    assert host.answer(100.0) == 30.0
    assert host.answer(0.0) == 15.0
    assert [host.answer(0.0) for _ in range(5)][-1] == 1.0


@pytest.mark.parametrize("how", [error_page, forbidden, lambda task: None])
def test_what_says_nothing_good_shortens_no_pause(
    how: Callable[[FetchTask], FetchOutcome | None],
) -> None:
    """An error page is made at once; what was not asked for, or cut short, took no time at all."""
    host = Asked()
    host.answer(5.0)
    assert host.answer(0.0, how) == 20.0


def test_a_time_limit_that_is_over_lengthens_it() -> None:
    """The server worked for so long, or could not."""
    host = Asked()
    assert host.answer(6.0, timed_out) >= 24.0
    assert host.answer(0.1) == pytest.approx((24.0 + 0.4) / 2)


def test_by_default_it_follows_nothing() -> None:
    """The job's pause, however long answers take."""
    host = Asked(delay_factor=0.0)
    assert [host.answer(s) for s in (9.0, 0.1)] == [1.0, 1.0]


def test_the_next_run_begins_with_it() -> None:
    """It is told as what the host is owed, and such a host is forgotten like any other."""
    host = Asked()
    host.answer(5.0)
    ((name, pause),) = host.frontier.politeness.take_pauses(host.now)
    assert pause is not None
    assert (name, pause.delay_s, pause.slow_s) == ("a.test", 1.0, 20.0)
    later = Frontier(job(politeness=BOUNDS))
    later.politeness.resume({name: pause}, 0.0)
    assert later.politeness.host(name).delay_s == 20.0
    assert not host.frontier.politeness[name].pace.is_refused


@given(
    base_s=st.floats(0, 60),
    answers=st.lists(st.tuples(st.floats(0, 30), st.booleans(), st.booleans()), max_size=30),
)
def test_it_is_never_shorter_than_what_was_asked_for(
    base_s: float, answers: list[tuple[float, bool, bool]]
) -> None:
    """Nor longer than the longest that anything led to."""
    pace, most_s = Pace(base_s), base_s
    for now, (wanted_s, well, refused) in enumerate(answers):
        if refused:
            pace.refuse(now, now + 0.5)
            most_s = max(most_s, pace.delay_s)
        else:
            pace.hasten()
        pace.feel(wanted_s, well=well)
        most_s = max(most_s, wanted_s)
        assert base_s <= pace.delay_s <= most_s
