"""Pages that wait to be read: their domain is held back where they are many, and nobody else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heappush

from hypothesis import given
from hypothesis import strategies as st
from support.worlds import World, failed, job

from crawler.frontier import Frontier, Resolve, Turn, Wait
from crawler.frontier.politeness import PAGES_PER_WORKER, ROOM_BYTES, Unread
from crawler.models import Failure, FetchTask
from crawler.urls import registrable_domain

WORKERS = 2
PAGES = WORKERS * PAGES_PER_WORKER
"""Pages that there is room for."""
LEAST = ROOM_BYTES // PAGES
MUCH_LATER_S = 3600.0
"""By then every pause is over."""


def room(*pages: str) -> Unread:
    """Return the room with a small page of each of these hosts."""
    unread = Unread(job(fetch={"workers": WORKERS}).fetch)
    for host in pages:
        assert unread.put(host, 1)
    return unread


def test_a_greedy_domain_gets_half_of_the_room() -> None:
    """Whatever its hosts and ports; two get a third each, and who has no page there may come."""
    hosts = [f"{n}.greedy.test:80{n}" for n in range(PAGES)]
    held = [room(*hosts[:n]).holds("greedy.test") for n in range(PAGES)]
    assert held == [n >= PAGES // 2 for n in range(PAGES)]
    unread = room(*hosts[:3], "a.other.test", "b.other.test")
    assert unread.holds("greedy.test")
    assert not unread.holds("other.test")
    assert not unread.holds("new.test")


def test_requests_under_way_count_once_pages_wait() -> None:
    """What will come soon counts; but a domain whose pages are read at once is not held back."""
    unread = room()
    for number in range(PAGES):
        unread.begin(f"{number}.quick.test")
    assert not unread.holds("quick.test")
    unread.put("0.quick.test", 1)
    assert unread.holds("quick.test")
    for number in range(PAGES):
        unread.end(f"{number}.quick.test")
    assert not unread.holds("quick.test")


def test_large_pages_take_more_room() -> None:
    """Memory is bounded: what is beyond the room is told, and what leaves makes room again."""
    unread = room()
    assert unread.put("a.test", 3 * LEAST)
    assert not unread.holds("a.test")
    assert unread.put("a.test", 2 * LEAST)
    assert unread.holds("a.test")
    assert not unread.put("b.test", ROOM_BYTES)
    unread.take("b.test", ROOM_BYTES)
    unread.take("a.test", 2 * LEAST)
    assert unread.put("b.test", 3 * LEAST)


@dataclass(frozen=True)
class Read:
    """A page has been read."""

    task: FetchTask


class ReadingWorld(World):
    """A world in which reading a page takes time: each domain has a reader of its own."""

    def __init__(self, frontier: Frontier, addresses: dict[str, str]) -> None:
        super().__init__(frontier, addresses)
        self.read_s: dict[str, float] = {}
        self.free_at: dict[str, float] = {}
        self.unread: Counter[str] = Counter()
        self.most_unread: Counter[str] = Counter()

    def end_request(self, task: FetchTask) -> None:
        """Report a request; its page is read when its domain's reader comes to it."""
        self.frontier.ended(task, self.outcome(task), self.now - self.took_s, self.now)
        self.frontier.unread(task.host, 1)
        domain = registrable_domain(task.host)
        self.unread[domain] += 1
        self.most_unread[domain] = max(self.most_unread[domain], self.unread[domain])
        until = max(self.now, self.free_at.get(domain, 0.0)) + self.read_s.get(domain, 0.01)
        self.free_at[domain] = until
        self.order += 1
        heappush(self.running, (until, self.order, Read(task)))

    def finish(self, turn: Turn | Read) -> None:
        """End a request, or the reading of a page."""
        if not isinstance(turn, Read):
            super().finish(turn)
            return
        self.unread[registrable_domain(turn.task.host)] -= 1
        self.frontier.was_read(turn.task.host, 1)
        self.end(turn.task)


def reading_world(hosts: list[str], **politeness: object) -> ReadingWorld:
    """Return a world of hosts at one address."""
    limits = job(politeness={"delay_s": 0.5, **politeness}, fetch={"workers": WORKERS})
    return ReadingWorld(Frontier(limits), dict.fromkeys(hosts, "10.0.0.1"))


def test_a_slow_domain_is_held_back_and_nobody_else() -> None:
    """Hosts that share its address are fetched meanwhile, and its own pages all have their turn."""
    slow = [f"{n}.slow.test" for n in range(30)]
    quick = [f"quick-{n}.test" for n in range(4)]
    w = reading_world(slow + quick)
    w.read_s["slow.test"] = 100.0
    for host in slow + quick:
        for page in range(1 if host in slow else 10):
            w.offer(f"http://{host}/{page}")
    w.run()
    assert w.most_unread["slow.test"] <= PAGES // 2 + 4, "of each address four are under way"
    last = max(n for n, task in enumerate(w.fetched) if task.host in quick)
    assert last < len(quick) * 10 + 2, "all others are read before its second page"
    assert len(w.fetched) == 30 + 40
    assert w.frontier.counts().hosts == 0
    assert not w.frontier.politeness.unread.held


def test_all_go_on_once_nothing_holds_them_back() -> None:
    """Many more hosts may be held back than pages are read afterwards: none waits for another."""
    hosts = [f"{n}.slow.test" for n in range(4 * PAGES)]
    w = reading_world(hosts, robots=False, per_address=256)
    for _ in range(PAGES // 2):
        w.frontier.unread(hosts[0], 1)
    for host in hosts:
        w.offer(f"http://{host}/")
    w.run()
    assert not w.fetched
    for _ in range(PAGES // 2):
        w.frontier.was_read(hosts[0], 1)
    turns = [w.frontier.take(w.now) for _ in range(2 * len(hosts))]
    assert sum(isinstance(turn, Resolve | FetchTask) for turn in turns) == len(hosts)


def test_a_pause_of_one_host_holds_up_no_other() -> None:
    """The first that may go on was told meanwhile to wait for minutes: the next ones go at once."""
    quick = {"robots": False, "delay_s": 0.0, "per_host": 2}
    frontier = Frontier(job(politeness=quick, fetch={"workers": WORKERS}))
    for page in range(2):
        frontier.offer(f"http://a.slow.test/{page}", depth=0)
    frontier.take(0.0)
    frontier.resolved("a.slow.test", "10.0.0.1", 0.0)
    task = frontier.take(0.0)
    assert isinstance(task, FetchTask)
    frontier.unread("a.slow.test", ROOM_BYTES)
    for host in "abc":
        frontier.offer(f"http://{host}.slow.test/more", depth=0)
    assert frontier.take(0.0) == Wait(None)
    frontier.ended(task, failed(task, Failure.HTTP_RATE_LIMITED, 200.0), 0.0, 1.0)
    frontier.was_read("a.slow.test", ROOM_BYTES)
    assert [frontier.take(1.0) for _ in "bc"] == [Resolve("b.slow.test"), Resolve("c.slow.test")]


@given(
    offers=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 5))),
    read_s=st.lists(st.sampled_from([0.01, 1.0, 30.0]), min_size=6, max_size=6),
    per_host=st.integers(1, 3),
    per_address=st.integers(1, 3),
)
def test_nobody_is_held_back_for_ever(
    offers: list[tuple[int, int, int]], read_s: list[float], per_host: int, per_address: int
) -> None:
    """Whatever takes how long, each URL is fetched and read once, and no host is left behind."""
    urls = {f"http://h{host}.d{domain}.test/{page}" for domain, host, page in offers}
    hosts = [f"h{host}.d{domain}.test" for domain in range(6) for host in range(4)]
    w = reading_world(hosts, per_host=per_host, per_address=per_address)
    w.read_s = {f"d{domain}.test": seconds for domain, seconds in enumerate(read_s)}
    for url in sorted(urls):
        w.offer(url)
    w.run()
    assert sorted(task.url for task in w.fetched) == sorted(urls)
    assert w.frontier.pending == 0
    assert w.frontier.take(w.now + MUCH_LATER_S) == Wait(None)
    assert w.frontier.counts().hosts == 0, "no host has anything left to wait for"
