"""A bad minute in a simulated world: what fails for a while is put aside, and loses no URL."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from support.worlds import World, failed, fetched, job, readable, unreadable, world

from crawler.frontier import CheckRobots, Frontier, Health
from crawler.frontier.failures import FIRST_STRIKES, LAST_TRIES, MOST_REFUSALS, aside_s
from crawler.frontier.view import waited_for
from crawler.models import Failed, Failure, FetchOutcome, FetchTask, RobotsAnswer, Skip

HOUR_S = 3600.0
HOSTS = {"a.test": "10.0.0.1", "b.test": "10.0.0.2"}
NO_ROBOTS = {"robots": False, "delay_s": 1.0}
SLOW = {"b.test": {"delay_s": 10.0}}
"""Has the host beside the one that fails last for hours with few URLs."""


def failing(w: World, failure: Failure, when: Callable[[FetchTask], bool]) -> None:
    """Have requests fail of which `when` is true; the others are failures of their own, or not."""

    def outcome(task: FetchTask) -> FetchOutcome:
        return failed(task, failure) if when(task) else fetched(task)

    w.outcome = outcome  # type: ignore[method-assign]


def robots(w: World, answer: Callable[[CheckRobots], RobotsAnswer]) -> None:
    """Have robots.txt answered so."""
    w.robots = answer  # type: ignore[method-assign, assignment]


def fails_with(failure: Failure, turn: CheckRobots) -> RobotsAnswer:
    """Answer that a robots.txt cannot be read."""
    return unreadable(turn.origin, failure)


def lost_to(w: World, failure: Failure) -> list[FetchTask]:
    """Return a list that will hold the tasks that end as failed in this way."""
    found: list[FetchTask] = []
    ended = w.frontier.ended

    def end(
        task: FetchTask, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> FetchOutcome | None:
        end = ended(task, outcome, begun_at, now)
        if isinstance(end, Failed) and end.failure is failure:
            found.append(task)
        return end

    w.frontier.ended = end  # type: ignore[method-assign]
    return found


def resumed(w: World, health: dict[str, Health], later_s: float) -> World:
    """Return the world of a run that goes on with what `w` left, so much later."""
    later = World(Frontier(job(politeness={"robots_wait_s": 300.0})), w.addresses)
    later.now = 0.0
    known = {
        name: Health(h.answered, h.tries, h.tried_ago_s + later_s, h.evidence_s, h.why)
        for name, h in health.items()
    }
    later.frontier.politeness.resume({}, 0.0, known)
    later.pending = dict(w.pending)
    for host in {task.host for task in w.pending.values()}:
        later.frontier.restore(host, sum(t.host == host for t in w.pending.values()))
    return later


def test_what_a_crawl_waits_for_is_told_until_it_is_over() -> None:
    """A host whose robots.txt cannot be read, with the reason; a pause as always is no news."""
    w = world(HOSTS, politeness={"robots_wait_s": 3600.0})
    readable_from = 40.0

    def answer(turn: CheckRobots) -> RobotsAnswer:
        later = w.now >= readable_from
        return readable() if later else fails_with(Failure.HTTP_SERVER_ERROR, turn)

    robots(w, answer)
    w.offer("http://a.test/")
    w.offer("http://a.test/2")
    told = list[str]()
    while w.frontier.pending:
        w.step()
        told.append(waited_for(w.frontier.hosts_seen((), w.now, 9)))
    assert any(
        re.match(r"next request to a\.test in \d+ s: its robots\.txt cannot be read: http-5xx", one)
        for one in told
    )
    assert told[-1] == ""
    assert not any(one.endswith(" s") for one in told)


def test_a_crawl_says_whose_answer_it_waits_for() -> None:
    """Where nothing else goes on, a page that takes long is no silence."""
    w = world(HOSTS, politeness={"robots": False})
    w.offer("http://a.test/")
    while not w.running:
        assert w.step()
    assert waited_for(w.frontier.hosts_seen((), w.now, 9)) == "waiting for an answer of a.test"


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 1.0])
def test_a_server_that_allows_a_request_a_second_loses_no_page(delay_s: float) -> None:
    """429 without Retry-After slows the host until it fits: 41 pages take two minutes."""
    w = world(HOSTS, politeness={"robots": False, "delay_s": delay_s})
    for n in range(41):
        w.offer(f"http://a.test/{n}")
    w.took_s = 0.01
    last = [-10.0]

    def outcome(task: FetchTask) -> FetchOutcome:
        if w.now - last[0] < 1.0:
            return failed(task, Failure.HTTP_RATE_LIMITED)
        last[0] = w.now
        return fetched(task)

    w.outcome = outcome  # type: ignore[method-assign]
    lost = lost_to(w, Failure.HTTP_RATE_LIMITED)
    w.run()
    assert not lost
    assert not w.pending
    assert len(w.fetched) == 41
    assert w.now < 120.0


def test_answers_make_a_slowed_host_quicker_again() -> None:
    """After one refusal the delay is back where the job has it within fifty answers."""
    w = world(HOSTS, politeness=NO_ROBOTS)
    for n in range(60):
        w.offer(f"http://a.test/{n}")
    failing(w, Failure.HTTP_RATE_LIMITED, lambda task: task.url_id == 1 and not task.refused)
    w.run()
    starts = [start for start, _ in w.requests["a.test"]]
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    assert max(gaps) >= 2.0
    assert gaps[-1] == pytest.approx(1.0 + w.took_s)


def test_a_url_that_is_always_refused_holds_up_no_other_and_ends() -> None:
    """It has its answers 429 while a hundred others are fetched, and then counts as refused."""
    w = World(Frontier(job(politeness=NO_ROBOTS), rng=Random(1)), HOSTS)
    for n in range(100):
        w.offer(f"http://a.test/{n}")
    failing(w, Failure.HTTP_RATE_LIMITED, lambda task: task.url.endswith("/7"))
    w.run()
    assert len(w.fetched) == 100
    [bad] = [task for task in w.fetched if task.url.endswith("/7")]
    assert bad.refused >= MOST_REFUSALS
    assert w.now < HOUR_S


def test_a_host_that_answers_429_to_everything_keeps_its_urls() -> None:
    """It is put aside, tried again, and its URLs stay pending."""
    w = world(HOSTS, politeness=NO_ROBOTS)
    for n in range(20):
        w.offer(f"http://a.test/{n}")
    failing(w, Failure.HTTP_RATE_LIMITED, lambda task: True)
    w.run()
    assert not w.fetched
    assert w.frontier.pending == 20
    assert len(w.requests["a.test"]) == MOST_REFUSALS + LAST_TRIES + 1
    assert w.frontier.politeness.quarantine.parked == ["a.test"]


def test_a_slowed_host_is_still_slow_in_the_next_run() -> None:
    """What refusals made of a delay is told apart from what its robots.txt asks for."""
    w = world(HOSTS, politeness=NO_ROBOTS)
    for n in range(3):
        w.offer(f"http://a.test/{n}")
    failing(w, Failure.HTTP_RATE_LIMITED, lambda task: True)
    while not w.requests["a.test"] or w.running:
        w.step()
    pauses = {host: p for host, p in w.frontier.politeness.take_pauses(w.now) if p is not None}
    assert (pauses["a.test"].delay_s, pauses["a.test"].slow_s) == (1.0, 2.0)
    later = world(HOSTS, politeness=NO_ROBOTS)
    later.frontier.politeness.resume(pauses, 0.0)
    later.offer("http://a.test/")
    assert later.frontier.delay_s("a.test") == 2.0


def test_a_failing_directory_does_not_stop_the_pages_beside_it() -> None:
    """Ten siblings answer 500: they are put aside, and 40 good pages of the host are fetched."""
    w = world(HOSTS, politeness=NO_ROBOTS)
    for n in range(10):
        w.offer(f"http://a.test/bad/{n}")
    for n in range(40):
        w.offer(f"http://a.test/good/{n}", 1)
    failing(w, Failure.HTTP_SERVER_ERROR, lambda task: "/bad/" in task.url)
    good_by = 0.0
    while w.step():
        if sum("/good/" in task.url for task in w.fetched) < 40:
            good_by = w.now
    assert sum("/good/" in task.url for task in w.fetched) == 40
    assert good_by < 120.0
    assert not w.frontier.politeness.quarantine.parked
    assert [name for name, _ in w.frontier.politeness.quarantine.reasons] == ["a.test/bad/#"]


def test_a_directory_that_is_well_again_comes_back_in_the_same_run() -> None:
    """What was put aside, in memory and in the store, is fetched when its time has come."""
    w = world(HOSTS, politeness=NO_ROBOTS, frontier={"host_queue": 8})
    for n in range(60):
        w.offer(f"http://a.test/bad/{n}")
    for n in range(600):
        w.offer(f"http://a.test/good/{n}", 1)
    failing(w, Failure.HTTP_SERVER_ERROR, lambda task: "/bad/" in task.url and w.now < 300.0)
    w.run()
    assert not w.pending
    assert len(w.fetched) == 660
    assert w.frontier.pending == 0
    assert w.frontier.counts().in_memory == 0
    back = next(n for n, task in enumerate(w.fetched) if "/bad/" in task.url)
    assert back < 600  # among the good ones, not after them


@pytest.mark.parametrize("bad_s", [60.0, 600.0, 2 * HOUR_S])
def test_no_url_is_lost_to_an_outage_of_the_whole_host(bad_s: float) -> None:
    """However long a host answers 503, in a crawl that lasts longer every page comes in the end."""
    w = world(HOSTS, politeness=NO_ROBOTS, hosts=SLOW)
    for n in range(30):
        w.offer(f"http://a.test/{n % 5}/{n}")
    for n in range(1_000):
        w.offer(f"http://b.test/{n}")
    failing(
        w,
        Failure.HTTP_SERVER_ERROR,
        lambda task: task.host == "a.test" and 5.0 < w.now < 5.0 + bad_s,
    )
    lost = lost_to(w, Failure.HTTP_SERVER_ERROR)
    w.run()
    assert not lost
    assert not w.pending


def test_what_is_put_aside_is_tried_after_growing_pauses() -> None:
    """A minute, two, four, ...: while another host keeps the crawl alive; then once more."""
    w = world(HOSTS, politeness=NO_ROBOTS)
    for n in range(30):
        w.offer(f"http://a.test/{n % 5}/{n}")
    for n in range(2_000):
        w.offer(f"http://b.test/{n}")
    failing(w, Failure.CONNECT, lambda task: task.host == "a.test")
    w.run()
    starts = [start for start, _ in w.requests["a.test"]][FIRST_STRIKES - 1 :]
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    growing = [aside_s(n) for n in range(1, len(gaps))]
    assert gaps[:-1] == pytest.approx(growing, abs=2.0)
    assert len(growing) >= 4
    assert len(w.pending) == 30


def test_pages_that_fail_for_themselves_end_as_before() -> None:
    """One or two with a 500 of their own, among good ones or alone, have three attempts."""
    for good in (0, 20):
        w = world(HOSTS, politeness=NO_ROBOTS)
        for n in range(2 + good):
            w.offer(f"http://a.test/{n}")
        failing(w, Failure.HTTP_SERVER_ERROR, lambda task: task.url_id <= 2)
        lost = lost_to(w, Failure.HTTP_SERVER_ERROR)
        w.run()
        assert sorted(task.attempt for task in lost) == [2, 2]
        assert not w.pending


def test_tls_trouble_of_a_known_host_is_no_attempt() -> None:
    """A load balancer that restarts in the middle of handshakes loses no page."""
    w = world(HOSTS, politeness=NO_ROBOTS)
    for n in range(20):
        w.offer(f"http://a.test/{n}")
    failing(w, Failure.TLS, lambda task: 3.0 < w.now < 60.0)
    lost = lost_to(w, Failure.TLS)
    w.run()
    assert not lost
    assert not w.pending


def test_a_host_that_answered_before_never_ends_for_its_robots() -> None:
    """503 for robots.txt in a later run: the host is put aside, and its URLs stay pending."""
    w = world(HOSTS)
    for n in range(10):
        w.offer(f"http://a.test/{n}")
    while len(w.fetched) < 3:
        w.step()
    later = resumed(w, w.frontier.politeness.take_noted(), 10.0)
    robots(later, lambda turn: unreadable(turn.origin, Failure.HTTP_SERVER_ERROR))
    later.run()
    assert not later.abandoned
    assert len(later.pending) == len(w.pending)
    assert later.frontier.politeness.quarantine.parked == ["a.test"]
    well = resumed(later, later.frontier.politeness.take_noted(), HOUR_S)
    well.run()
    assert not well.pending


def test_a_parked_host_costs_a_resume_no_patience() -> None:
    """What an earlier run put aside is tried at once and once at the end, and that is all."""
    w = world(HOSTS)
    w.offer("http://a.test/")
    robots(w, lambda turn: unreadable(turn.origin, Failure.HTTP_SERVER_ERROR))
    w.run()
    assert w.now >= 270.0  # `robots_wait_s`: a server that answers may take its time
    later = resumed(w, w.frontier.politeness.take_noted(), 60.0)
    robots(later, lambda turn: unreadable(turn.origin, Failure.HTTP_SERVER_ERROR))
    later.run()
    assert len(later.requests["a.test"]) == 2
    assert later.now < 62.0
    assert len(later.pending) == 1


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Failure.HTTP_SERVER_ERROR, Skip.ROBOTS_UNREACHABLE),
        (Failure.TIMEOUT_HEADERS, Skip.ROBOTS_UNREACHABLE),
        (Failure.CONNECT, Failure.CONNECT),
    ],
)
def test_a_dead_host_ends_after_hours_over_runs(failure: Failure, reason: object) -> None:
    """Runs days apart prove two hours each; with six hours proven its URLs end for the reason."""
    w = world(HOSTS)
    w.offer("http://a.test/1")
    w.offer("http://a.test/2")
    reasons = []
    for _ in range(4):
        robots(w, partial(fails_with, failure))
        w.run()
        reasons.append(len(w.abandoned))
        if w.abandoned:
            break
        w = resumed(w, w.frontier.politeness.take_noted(), 24 * HOUR_S)
    assert reasons == [0, 0, 0, 2]
    origin = w.frontier.politeness["a.test"].origins["http://a.test"]
    assert origin.given_up is not None
    assert origin.given_up.reason is reason


def test_a_dead_host_ends_within_one_long_run() -> None:
    """While others keep the crawl alive, tries over six hours are proof enough, and not fewer."""
    w = world(HOSTS, hosts=SLOW)
    w.offer("http://a.test/")
    for n in range(2_800):
        w.offer(f"http://b.test/{n}")
    robots(
        w,
        lambda turn: (
            unreadable(turn.origin, Failure.CONNECT) if turn.asker == "a.test" else readable()
        ),
    )
    while not w.abandoned:
        assert w.step()
    assert 6 * HOUR_S <= w.now <= 8 * HOUR_S


def test_a_name_that_does_not_exist_ends_within_seconds() -> None:
    """No such name, a bad certificate, a forbidden address: these speak of the host itself."""
    for failure in (Failure.DNS, Failure.TLS, Failure.BLOCKED_ADDRESS):
        w = world(HOSTS)
        w.offer("http://a.test/")
        robots(w, partial(fails_with, failure))
        w.run()
        assert len(w.abandoned) == 1
        assert w.now < 10.0


def test_an_origin_is_put_aside_beside_another_of_its_host() -> None:
    """Https that cannot be reached stays pending, and http of the same host goes on."""
    w = world(HOSTS)
    for n in range(3):
        w.offer(f"https://a.test/{n}")
        w.offer(f"http://a.test/{n}")
    w.dead_origins.add("https://a.test")
    w.run()
    assert sorted(task.url for task in w.fetched) == [f"http://a.test/{n}" for n in range(3)]
    assert sorted(task.url for task in w.pending.values()) == [
        f"https://a.test/{n}" for n in range(3)
    ]


def test_a_host_that_is_forgotten_is_not_new() -> None:
    """A host without URLs leaves memory; that it has answered is still known."""
    w = world(HOSTS, politeness=NO_ROBOTS)
    w.offer("http://a.test/1")
    w.run()
    assert w.hosts_in_the_end == 0
    w.offer("http://a.test/2")
    assert w.frontier.politeness["a.test"].answered
    w.offer("http://b.test/")
    assert not w.frontier.politeness["b.test"].answered


def test_forbidden_urls_cost_no_pause() -> None:
    """Two thousand of them end with the host's first page: nothing was asked."""
    w = world(HOSTS, politeness={"delay_s": 1.0}, frontier={"host_queue": 100})
    w.frontier.obey(lambda url: "/closed/" not in url)
    for n in range(2_000):
        w.offer(f"http://a.test/closed/{n}")
    for n in range(3):
        w.offer(f"http://a.test/{n}", 1)
    w.run()
    assert len(w.abandoned) == 2_000
    assert len(w.fetched) == 3
    assert len(w.requests["a.test"]) == 4
    assert w.now < 6.0
