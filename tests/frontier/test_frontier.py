"""The frontier as a machine: a simulated store, clock and network play against it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import (
    World,
    failed,
    fetched,
    first_check,
    first_task,
    job,
    of_no_account,
    readable,
    unreadable,
    world,
)

from crawler.config import parse_job
from crawler.frontier import (
    Abandon,
    CheckRobots,
    Frontier,
    Pause,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)
from crawler.frontier.failures import FIRST_STRIKES, HOST_STRIKES, LAST_TRIES, STALE_RULES_S
from crawler.frontier.host import Host, HostQueue, key_of
from crawler.frontier.seen import SeenSet
from crawler.models import Failure, FetchOutcome, FetchTask, NewUrl, Priority, Skip, Skipped

OFFERS = st.tuples(
    st.integers(0, 4), st.integers(0, 40), st.integers(0, 3), st.sampled_from(Priority)
)
"""Host, page, depth, priority."""


@given(
    urls=st.lists(OFFERS, max_size=150),
    host_queue=st.integers(2, 9),
    per_host=st.integers(1, 3),
    per_address=st.integers(1, 3),
)
def test_every_offered_url_is_fetched_once_and_politely(
    urls: list[tuple[int, int, int, Priority]], host_queue: int, per_host: int, per_address: int
) -> None:
    """Whatever is offered, each URL comes out once, within the limits of host and address."""
    w = world(
        {f"h{n}.test": f"10.0.0.{n % 2}" for n in range(5)},
        frontier={"host_queue": host_queue, "total_queue": 100},
        politeness={"per_host": per_host, "per_address": per_address, "delay_s": 0.5},
    )
    half = len(urls) // 2
    for n, page, depth, priority in urls[:half]:
        w.offer(f"http://h{n}.test/{page}", depth, priority)
    for _ in range(10):
        w.step()
    for n, page, depth, priority in urls[half:]:
        w.offer(f"http://h{n}.test/{page}", depth, priority)
    w.run()
    assert sorted(t.url for t in w.fetched) == sorted(
        {f"http://h{n}.test/{p}" for n, p, _, _ in urls}
    )
    assert not w.pending
    assert w.frontier.pending == 0
    assert w.hosts_in_the_end == 0
    assert w.frontier.counts().in_memory == 0
    check_politeness(w, per_host, per_address, 0.5)


@given(
    moves=st.lists(st.lists(st.integers(0, 6), max_size=4), min_size=5, max_size=5),
    per_host=st.integers(1, 2),
    per_address=st.integers(1, 2),
)
def test_redirects_of_robots_wait_for_the_host_they_lead_to(
    moves: list[list[int]], per_host: int, per_address: int
) -> None:
    """Rules that are elsewhere, in circles too, are asked for within that host's own limits."""
    w = world(
        {f"h{n}.test": f"10.0.0.{n % 2}" for n in range(7)},
        politeness={"per_host": per_host, "per_address": per_address, "delay_s": 0.5},
    )
    for n, hops in enumerate(moves):
        w.moves[f"http://h{n}.test"] = [f"h{hop}.test" for hop in hops]
        for page in range(3):
            w.offer(f"http://h{n}.test/{page}")
    w.run()
    assert len(w.fetched) == 15
    assert not any(w.moves.values())
    assert w.hosts_in_the_end == 0
    check_politeness(w, per_host, per_address, 0.5)


def check_politeness(w: World, per_host: int, per_address: int, delay_s: float) -> None:
    """Assert gaps and concurrency from the log of requests."""
    by_address: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for host, spans in w.requests.items():
        by_address[w.addresses[host]] += spans
        assert most_at_once(spans) <= per_host
        starts = sorted(start for start, _ in spans)
        assert all(b - a >= delay_s - 1e-9 for a, b in itertools.pairwise(starts))
    assert all(most_at_once(spans) <= per_address for spans in by_address.values())


def most_at_once(spans: list[tuple[float, float]]) -> int:
    """Return the largest number of spans that overlap."""
    edges = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    level = most = 0
    for _, step in edges:
        level += step
        most = max(most, level)
    return most


def test_the_pause_is_counted_from_the_end_of_a_response() -> None:
    """With one request at a time the next one starts `delay_s` after the last has ended."""
    w = world({"a.test": "10.0.0.1"}, politeness={"delay_s": 2.0})
    for n in range(4):
        w.offer(f"http://a.test/{n}")
    w.run()
    spans = w.requests["a.test"]
    assert len(spans) == 5  # robots.txt and four pages
    assert [round(b[0] - a[1], 6) for a, b in itertools.pairwise(spans)] == [2.0] * 4


def test_a_crawl_delay_lengthens_the_pause() -> None:
    """A Crawl-delay above the job's delay takes its place for all later requests."""
    w = world({"a.test": "10.0.0.1"}, politeness={"delay_s": 1.0})
    w.crawl_delay_s = 7.0
    for n in range(3):
        w.offer(f"http://a.test/{n}")
    w.run()
    spans = w.requests["a.test"]
    assert [round(b[0] - a[1], 6) for a, b in itertools.pairwise(spans)] == [7.0] * 3


def test_a_host_is_taken_breadth_first_with_deferred_links_last() -> None:
    """Within a host the order is priority, then depth, then arrival, also through the store."""
    w = world({"a.test": "10.0.0.1"}, frontier={"host_queue": 4})
    for n in range(30):
        priority = Priority.DEFERRED if n % 5 == 0 else Priority.ORDINARY
        w.offer(f"http://a.test/{n}", depth=(7 * n) % 3, priority=priority)
    w.run()
    assert [key_of(t) for t in w.fetched] == sorted(key_of(t) for t in w.fetched)


def test_memory_holds_no_more_than_the_limits() -> None:
    """Ten thousand URLs of one host leave at most `host_queue` of them in memory."""
    w = world({"a.test": "10.0.0.1"}, frontier={"host_queue": 50})
    for n in range(10_000):
        w.offer(f"http://a.test/{n}")
        assert w.frontier.counts().in_memory <= 50
    assert w.frontier.pending == 10_000


def test_all_hosts_together_stay_near_the_total_limit() -> None:
    """Beyond `total_queue` URLs in memory, hosts leave their later URLs to the store."""
    w = world(frontier={"host_queue": 50, "total_queue": 200})
    for n in range(4_000):
        w.offer(f"http://h{n % 40}.test/{n}")
    assert w.frontier.counts().in_memory <= 200 + 40


def test_nothing_offered_during_a_refill_is_lost_to_the_total_limit() -> None:
    """What comes after the store was read stays in memory, however full that is."""
    full = job(frontier={"total_queue": 100}, politeness={"robots": False})
    w = World(Frontier(full, next_url_id=2), {})
    w.pending[1] = FetchTask(1, "http://a.test/", "a.test", depth=0)
    w.frontier.restore("a.test", 1, answered=True)
    refill = w.frontier.take(0.0)
    assert isinstance(refill, Refill)
    answer = list(w.pending.values())
    for n in range(200):
        w.offer(f"http://h{n}.test/")
    for n in range(10):
        w.offer(f"http://a.test/{n}")
    w.frontier.refilled(refill, answer)
    w.run()
    assert not w.pending
    assert w.frontier.pending == 0


def test_a_restored_frontier_goes_on_where_the_store_stands() -> None:
    """Pending URLs of an earlier run are fetched, after the pause their host may be owed."""
    w = world({"a.test": "10.0.0.1"}, frontier={"host_queue": 4}, politeness={"delay_s": 3.0})
    for n in range(1, 21):
        w.pending[n] = FetchTask(n, f"http://a.test/{n}", "a.test", depth=n % 4)
        w.frontier.seen.add(f"http://a.test/{n}")
    w.frontier.politeness.resume({}, 0.0)
    w.frontier.restore("a.test", 20, answered=True)
    w.offer("http://a.test/7")
    w.run()
    assert len(w.fetched) == 20
    assert w.requests["a.test"][0][0] >= 3.0


def test_pauses_outlive_a_run() -> None:
    """A Crawl-delay and a Retry-After outlive a run, for hosts without URLs too."""
    hosts = {
        f"{name}.test": f"10.0.0.{n}" for n, name in enumerate(("slow", "busy", "done", "new"))
    }
    w = world(hosts, politeness={"delay_s": 1.0})
    w.frontier.politeness.resume(
        {"slow.test": Pause(0.5, 8.0), "busy.test": Pause(30.0, 1.0), "done.test": Pause(9.0, 1.0)},
        now=0.0,
    )
    w.frontier.restore("slow.test", 1, answered=True)
    w.pending[99] = FetchTask(99, "http://slow.test/9", "slow.test", 0)
    for name in hosts:
        w.offer(f"http://{name}/")
    w.run()
    first = {name: w.requests[name][0][0] for name in hosts}
    assert first == {"slow.test": 8.0, "busy.test": 30.0, "done.test": 9.0, "new.test": 1.0}


def test_pauses_tell_what_a_later_run_owes() -> None:
    """A host's Crawl-delay and what is left of its pause are told while it has URLs."""
    frontier = Frontier(job(politeness={"delay_s": 1.0}))
    turn = first_check(frontier, "http://a.test/")
    frontier.robots_answered(turn, readable(crawl_delay_s=5.0), 0.0, 0.0)
    assert dict(frontier.politeness.take_pauses(2.0)) == {"a.test": Pause(3.0, 5.0)}


def test_pauses_are_told_of_hosts_to_which_something_happened() -> None:
    """Each once, however many hosts there are: a checkpoint costs what happened since the last."""
    frontier = Frontier(job(politeness={"delay_s": 1.0}))
    turn = first_check(frontier, "http://a.test/")
    for n in range(100):
        frontier.offer(f"http://h{n}.test/", depth=0)
    assert len(dict(frontier.politeness.take_pauses(0.0))) == 101
    assert list(frontier.politeness.take_pauses(0.0)) == []
    frontier.robots_answered(turn, readable(crawl_delay_s=5.0), 0.0, 0.0)
    assert dict(frontier.politeness.take_pauses(1.0)) == {"a.test": Pause(4.0, 5.0)}
    assert list(frontier.politeness.take_pauses(9.0)) == []


def test_pauses_that_were_not_taken_are_told_later() -> None:
    """Who stops half way has those it took, and the next has the others: none is lost."""
    frontier = Frontier(job())
    names = {f"h{n}.test" for n in range(100)}
    for name in names:
        frontier.offer(f"http://{name}/", depth=0)
    first = dict(itertools.islice(frontier.politeness.take_pauses(0.0), 30))
    assert len(first) == 30
    assert first.keys() | dict(frontier.politeness.take_pauses(0.0)).keys() == names


def test_a_host_that_is_forgotten_is_owed_nothing() -> None:
    """It is told once more as it is forgotten: what is kept of it would stay for ever."""
    politeness = Frontier(job()).politeness
    host = politeness.host("a.test")
    host.owe(9.0)
    politeness.place(host)
    assert dict(politeness.take_pauses(0.0)) == {"a.test": Pause(9.0, 1.0)}
    assert politeness.pop_due(10.0) is None
    assert not politeness.hosts
    assert dict(politeness.take_pauses(10.0)) == {"a.test": None}


def test_refusals_say_why_and_are_not_seen() -> None:
    """Scope and depth refuse without remembering; only an accepted URL is seen."""
    frontier = Frontier(parse_job({"limits": {"depth": 2}}, "test"))
    assert isinstance(frontier.offer("http://a.test/", depth=0, seed=True), NewUrl)
    assert frontier.offer("http://b.test/", depth=1) is Refusal.OUT_OF_SCOPE
    assert frontier.offer("http://a.test/x", depth=3) is Refusal.TOO_DEEP
    assert isinstance(frontier.offer("http://a.test/x", depth=2), NewUrl)
    assert frontier.offer("http://a.test/x", depth=1) is Refusal.SEEN
    assert len(frontier.seen) == 2


def test_a_seeds_redirect_widens_the_scope() -> None:
    """A URL offered as a seed brings its host into scope."""
    frontier = Frontier(parse_job({}, "test"))
    frontier.offer("http://a.test/", depth=0, seed=True)
    frontier.offer("http://www.a.test/", depth=0, seed=True)
    assert isinstance(frontier.offer("http://www.a.test/x", depth=1), NewUrl)


def test_domain_scope_admits_sister_hosts_only() -> None:
    """`domain` admits every host below the seeds' registrable domain, and nothing beside it."""
    frontier = Frontier(parse_job({"scope": {"mode": "domain"}}, "test"))
    frontier.offer("https://www.example.co.uk/", depth=0, seed=True)
    assert isinstance(frontier.offer("https://news.example.co.uk/", depth=1), NewUrl)
    assert frontier.offer("https://other.co.uk/", depth=1) is Refusal.OUT_OF_SCOPE


def test_path_scope_admits_what_lies_in_the_directories_of_seeds() -> None:
    """`path` admits a seed's directory and what is below, of either scheme, and nothing beside."""
    frontier = Frontier(parse_job({"scope": {"mode": "path"}}, "test"))
    frontier.offer("https://a.test/docs/v2/index.html?from=/", depth=0, seed=True)
    frontier.offer("http://b:8080/", depth=0, seed=True)
    for url in ("https://a.test/docs/v2/", "http://a.test/docs/v2/x/y?z=/../", "http://b:8080/b/c"):
        assert isinstance(frontier.offer(url, depth=1), NewUrl), url
    for beside in ("/docs/v2", "/docs/v20/x", "/docs/", "/", "/x?/docs/v2/", "/x/docs/v2/"):
        answer = frontier.offer(f"https://a.test{beside}", depth=1)
        assert answer is Refusal.OUT_OF_SCOPE, beside


@pytest.mark.parametrize("mode", ["host", "path"])
def test_what_an_earlier_version_kept_of_the_scope_is_its_host(mode: str) -> None:
    """A host key alone admits that host in every mode, as it did when it was kept."""
    frontier = Frontier(parse_job({"scope": {"mode": mode}}, "test"))
    frontier.scope.keep_directory("a.test:8080")
    assert isinstance(frontier.offer("http://a.test:8080/x/y", depth=1), NewUrl)
    assert frontier.offer("http://a.test/x/y", depth=1) is Refusal.OUT_OF_SCOPE
    assert frontier.scope.kept == {"a.test:8080"}


def test_a_seed_need_not_be_included_and_exclusion_beats_all() -> None:
    """`include` must match where given, but in seeds; `exclude` must not, in seeds too."""
    scope = {"include": [r"/docs/"], "exclude": [r"/docs/private/"]}
    frontier = Frontier(parse_job({"scope": scope}, "test"))
    assert isinstance(frontier.offer("http://a.test/", depth=0, seed=True), NewUrl)
    private = "http://a.test/docs/private/"
    assert frontier.offer(private, depth=0, seed=True) is Refusal.OUT_OF_SCOPE
    assert frontier.offer("http://a.test/about", depth=1) is Refusal.OUT_OF_SCOPE
    assert isinstance(frontier.offer("http://a.test/docs/x", depth=1), NewUrl)
    assert frontier.offer("http://a.test/docs/private/x", depth=1) is Refusal.OUT_OF_SCOPE


def test_the_page_limit_ends_the_crawl_and_failures_do_not_count() -> None:
    """With two pages left and one refund, exactly three tasks are handed out."""
    w = World(Frontier(job(politeness={"robots": False}), pages_left=2), {"a.test": "10.0.0.1"})
    for n in range(10):
        w.offer(f"http://a.test/{n}")
    w.run()
    assert len(w.fetched) == 2
    w.frontier.refund_page()
    w.run()
    assert len(w.fetched) == 3
    assert w.frontier.pending == 7


def test_a_retry_comes_back_at_its_time_with_its_attempt() -> None:
    """A task taken up again is the same URL, later, counted; it stays pending meanwhile."""
    frontier = Frontier(job(politeness={"robots": False, "delay_s": 0.0}))
    task = first_task(frontier, "http://a.test/")
    busy = failed(task, Failure.HTTP_SERVER_ERROR, retry_after_s=8.0)
    assert frontier.ended(task, busy, 0.0, 1.0) is None
    assert frontier.pending == 1
    assert frontier.take(1.0) == Wait(9.0)
    again = frontier.take(9.0)
    assert isinstance(again, FetchTask)
    assert (again.url, again.attempt) == (task.url, 1)


def test_a_request_cut_short_says_nothing_and_stays_pending() -> None:
    """Where a run is cancelled its host gets its slots back; no attempt or strike is counted."""
    frontier = Frontier(job(politeness={"robots": False, "per_host": 1}))
    task = first_task(frontier, "http://a.test/")
    assert frontier.ended(task, None, 0.0, 1.0) is None
    host = frontier.politeness["a.test"]
    assert (host.in_flight, host.strikes.in_a_row, host.answered) == (0, 0, False)
    assert frontier.pending == 1


def test_a_host_given_up_on_hands_out_its_urls_without_a_request() -> None:
    """After three failures that speak against a host for good, all its URLs come out as Abandon.

    Those in the store and later offers too, and those that were asked for.
    """
    w = world({"a.test": "10.0.0.1"}, politeness={"robots": False}, frontier={"host_queue": 4})
    for n in range(20):
        w.offer(f"http://a.test/{n}")
    w.outcome = lambda task: failed(task, Failure.TLS)  # type: ignore[method-assign]
    w.run()
    w.offer("http://a.test/late")
    w.run()
    assert (len(w.fetched), len(w.requests["a.test"])) == (0, FIRST_STRIKES)
    assert len(w.abandoned) == 21
    assert w.frontier.pending == 0


@pytest.mark.parametrize(("waits_s", "checks"), [(10.0, 3), (30.0, 1)])
def test_robots_that_cannot_be_read_are_asked_again_until_patience_ends(
    waits_s: float, checks: int
) -> None:
    """The host is not fetched from meanwhile; one that is dead by then is given up for it."""
    frontier = Frontier(job(politeness={"robots_wait_s": 25.0, "dead_after_s": 0.0}))
    turn: Turn = first_check(frontier, "http://a.test/")
    now, checked = 0.0, 0
    while isinstance(turn, CheckRobots):
        checked += 1
        busy = unreadable("http://a.test", Failure.HTTP_SERVER_ERROR, retry_after_s=waits_s)
        frontier.robots_answered(turn, busy, now, now)
        turn = frontier.take(now)
        if isinstance(turn, Wait):
            assert turn.until is not None
            now = turn.until
            turn = frontier.take(now)
    assert checked == checks
    assert isinstance(turn, Abandon)
    assert turn.given_up.reason is Skip.ROBOTS_UNREACHABLE


def test_old_rules_stand_for_an_hour_where_robots_cannot_be_read_again() -> None:
    """Pages go on meanwhile (RFC 9309 2.4), after the pause that the server asked for."""
    frontier = Frontier(job(politeness={"delay_s": 5.0}))
    turn = first_check(frontier, "http://a.test/")
    busy = unreadable("http://a.test", Failure.HTTP_SERVER_ERROR, retry_after_s=60.0)
    frontier.robots_answered(turn, replace(busy, known=True), 0.0, 0.0)
    assert frontier.take(0.0) == Wait(60.0)
    task = frontier.take(60.0)
    assert isinstance(task, FetchTask)
    assert frontier.ended(task, fetched(task), 60.0, 61.0)
    frontier.settle(task, of_no_account(task))
    frontier.offer("http://a.test/later", depth=0)
    assert isinstance(frontier.take(STALE_RULES_S), Resolve)
    frontier.resolved("a.test", "10.0.0.1", STALE_RULES_S)
    assert isinstance(frontier.take(STALE_RULES_S), CheckRobots)


def test_a_host_whose_robots_fail_is_not_forgotten() -> None:
    """Else each new URL of a host in trouble would ask for its robots.txt again."""
    frontier = Frontier(job())
    turn = first_check(frontier, "http://a.test/")
    busy = unreadable("http://a.test", Failure.HTTP_SERVER_ERROR)
    frontier.robots_answered(turn, replace(busy, known=True), 0.0, 0.0)
    task = frontier.take(100.0)
    assert isinstance(task, FetchTask)
    assert frontier.ended(task, fetched(task), 100.0, 101.0)
    frontier.settle(task, of_no_account(task))
    assert frontier.take(200.0) == Wait(None)
    assert frontier.counts().hosts == 1


def test_a_wait_for_robots_is_no_shorter_than_the_delay() -> None:
    """A Retry-After of a second does not shorten a host's delay; old rules do not end it."""
    for known, pause_s, due in ((False, 1.0, 5.0), (True, 9.0, 9.0), (True, 1.0, 5.0)):
        frontier = Frontier(job(politeness={"delay_s": 5.0}))
        turn = first_check(frontier, "http://a.test/")
        busy = unreadable("http://a.test", Failure.HTTP_SERVER_ERROR, retry_after_s=pause_s)
        frontier.robots_answered(turn, replace(busy, known=known), 0.0, 0.0)
        assert frontier.take(0.0) == Wait(due)


def test_a_dead_origin_takes_no_other_of_its_host_with_it() -> None:
    """Http goes on, with its pause, where https of the same host cannot be read."""
    w = world({"a.test": "10.0.0.1"}, politeness={"delay_s": 2.0, "dead_after_s": 0.0})
    for n in range(3):
        w.offer(f"https://a.test/{n}")
        w.offer(f"http://a.test/{n}")
    w.dead_origins.add("https://a.test")
    w.run()
    assert sorted(t.url for t in w.fetched) == [f"http://a.test/{n}" for n in range(3)]
    assert sorted(t.url for t in w.abandoned) == [f"https://a.test/{n}" for n in range(3)]
    spans = w.requests["a.test"]
    assert min(b[0] - a[1] for a, b in itertools.pairwise(spans)) >= 2.0 - 1e-9


def test_a_parked_host_keeps_its_urls_pending() -> None:
    """What a host that stopped answering still has is left for a later run."""
    w = world({"a.test": "10.0.0.1"}, politeness={"robots": False})
    for n in range(15):
        w.offer(f"http://a.test/{n}")
    down = False

    def goes_down(task: FetchTask) -> FetchOutcome:
        return failed(task, Failure.CONNECT) if down else fetched(task)

    w.outcome = goes_down  # type: ignore[method-assign]
    while not w.fetched:
        w.step()
    down = True
    w.run()
    assert w.frontier.politeness.quarantine.parked == ["a.test"]
    assert len(w.fetched) == 1
    assert len(w.requests["a.test"]) == 1 + HOST_STRIKES + LAST_TRIES + 1
    assert w.frontier.pending == 14


def test_requests_that_fail_together_are_one_strike() -> None:
    """Eight requests under way when a server goes down are one outage; later ones count anew."""
    host = Host("h.test", HostQueue(10), due=0.0, delay_s=1.0, answered=False)
    together = [host.strike(begun_at=n / 8, now=2.0 + n / 8) for n in range(8)]
    assert together == [1] * 8
    later = [host.strike(begun_at=t, now=t + 1) for t in (3.0, 3.5, 4.0)]
    assert later == [2, 2, 3]
    host.answer()
    assert host.strike(begun_at=9.0, now=9.0) == 1


def test_a_page_that_robots_forbid_says_nothing_of_its_host() -> None:
    """Strikes in a row stay in a row where a page was left out without a request between them."""
    frontier = Frontier(job(politeness={"robots": False}))
    task = first_task(frontier, "http://a.test/")
    host = frontier.politeness["a.test"]
    assert [host.strike(t, t) for t in (1.0, 2.0)] == [1, 2]
    forbidden = Skipped(task, Skip.ROBOTS, "disallowed by robots.txt", 0.0)
    assert frontier.ended(task, forbidden, 2.0, 2.0) is forbidden
    assert host.strike(3.0, 3.0) == 3


def test_refills_respect_the_total_limit() -> None:
    """Many restored hosts take no more of their queues into memory than there is room."""
    w = world(frontier={"host_queue": 500, "total_queue": 100}, politeness={"robots": False})
    url_id = 0
    for host in range(40):
        for _ in range(60):
            url_id += 1
            url = f"http://h{host}.test/{url_id}"
            w.pending[url_id] = FetchTask(url_id, url, f"h{host}.test", depth=0)
        w.frontier.restore(f"h{host}.test", 60, answered=True)
    while isinstance(turn := w.frontier.take(0.0), Refill | Resolve):
        w.play(turn)
    assert w.frontier.counts().in_memory <= 100 + 2 * 40
    assert isinstance(turn, FetchTask)


def test_a_lowered_depth_is_kept_by_refills() -> None:
    """Tasks beyond the job's depth come back from a refill to be ended."""
    frontier = Frontier(parse_job({"scope": {"mode": "any"}, "limits": {"depth": 1}}, "test"))
    frontier.restore("a.test", 2, answered=True)
    refill = frontier.take(0.0)
    assert isinstance(refill, Refill)
    near, far = (FetchTask(n, f"http://a.test/{n}", "a.test", depth=n) for n in (1, 2))
    assert frontier.refilled(refill, [near, far]) == [far]


def test_one_busy_address_does_not_hold_up_others() -> None:
    """Hosts that share a full address wait in line while another address goes on."""
    w = world(
        {"a.test": "10.0.0.1", "b.test": "10.0.0.1", "c.test": "10.0.0.2"},
        politeness={"per_address": 1, "robots": False, "delay_s": 0.0},
    )
    for host in "abc":
        w.offer(f"http://{host}.test/")
    turns = []
    while not isinstance(turn := w.frontier.take(0.0), Wait):
        w.play(turn)
        turns.append(turn)
    assert {t.host for t in turns if isinstance(t, FetchTask)} == {"a.test", "c.test"}
    w.run()
    assert len(w.fetched) == 3


@given(st.lists(st.text(max_size=8)))
def test_the_seen_set_is_a_set(texts: list[str]) -> None:
    """`add` is True exactly for the first of equal URLs, and the size counts those."""
    seen, model = SeenSet(), set()
    for text in [t.encode("utf-8", "replace").decode() for t in texts]:
        assert seen.add(text) == (text not in model)
        model.add(text)
    assert len(seen) == len(model)


def test_the_seen_set_stays_small_and_exact_while_it_grows() -> None:
    """A hundred thousand URLs are told apart, in less than 60 bytes each."""
    seen = SeenSet(b"k" * 32)
    urls = [f"http://a.test/{n}" for n in range(100_000)]
    assert all(seen.add(url) for url in urls)
    assert not any(seen.add(url) for url in urls)
    held = sum(len(shard._words) * 8 for shard in seen._shards if shard)
    assert held / len(urls) < 60


def test_digests_of_the_seen_set_depend_on_its_secret() -> None:
    """Two sets with other keys place one URL differently, so collisions cannot be prepared."""
    places = []
    for key in (b"1" * 32, b"2" * 32):
        seen = SeenSet(key)
        seen.add("http://a.test/")
        places.append([shard and list(shard._words) for shard in seen._shards])
    assert places[0] != places[1]


@pytest.mark.parametrize("hosts", [10, 500])
def test_a_turn_needs_no_walk_over_the_hosts(hosts: int) -> None:
    """The schedule is touched a few times a URL however many hosts there are."""
    w = world(politeness={"robots": False, "delay_s": 0.0})
    for n in range(hosts):
        w.offer(f"http://h{n}.test/")
    pushed_before = w.frontier.politeness._schedule.pushes
    w.run()
    assert len(w.fetched) == hosts
    assert w.frontier.politeness._schedule.pushes - pushed_before <= 5 * hosts + 2
