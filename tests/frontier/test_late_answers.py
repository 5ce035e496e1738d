"""The frontier where answers come late: between question and answer the crawl has gone on."""

from __future__ import annotations

from heapq import heappush
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from support.worlds import World, failed, fetched, job, of_no_account

from crawler.frontier import Frontier, Refill, Resolve, Turn, Wait
from crawler.frontier.host import HostQueue, key_of
from crawler.frontier.politeness import ADDRESS_TTL_S
from crawler.models import Failure, FetchOutcome, FetchTask, PageOutcome, Priority

OFFERS = st.tuples(
    st.integers(0, 2), st.integers(0, 30), st.integers(0, 3), st.sampled_from(Priority)
)
"""Host, page, depth, priority."""


class Always(Random):
    """Draws one number whatever is asked for."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def uniform(self, a: float, b: float) -> float:
        """Return the number."""
        return self.number


class LateWorld(World):
    """The store's answer is `refill_s` old when it comes, an end is `settle_s` after its request.

    The first attempt at some URLs fails, and is repeated when the frontier wants it.
    """

    def __init__(self, frontier: Frontier, refill_s: float, settle_s: float, failing: int) -> None:
        super().__init__(frontier, {f"h{n}.test": "10.0.0.1" for n in range(3)})
        self.refill_s = refill_s
        self.settle_s = settle_s
        self.failing = failing
        self.read: dict[int, list[FetchTask]] = {}
        self.released: set[int] = set()
        self.links: list[tuple[str, int, Priority]] = []
        """What pages lead to, two of them each."""

    def play(self, turn: Turn) -> None:
        """Read for a refill now, and answer it later."""
        if not isinstance(turn, Refill):
            return super().play(turn)
        after = turn.after or (-1, -1, -1)
        of_host = (t for t in self.pending.values() if t.host == turn.host and key_of(t) > after)
        self.read[id(turn)] = sorted(of_host, key=key_of)[: turn.limit]
        self._begin(turn, self.refill_s)
        return None

    def finish(self, turn: Turn) -> None:
        """End a request, a while later the task; answer a refill with what was read then."""
        if isinstance(turn, Refill):
            self.frontier.refilled(turn, self.read.pop(id(turn)))
        elif isinstance(turn, FetchTask) and turn.url_id in self.released:
            super().end(turn)
        else:
            super().finish(turn)

    def outcome(self, task: FetchTask) -> FetchOutcome:
        """Fail some of the first attempts."""
        if task.attempt == 0 and self.failing and task.url_id % self.failing == 0:
            return failed(task, Failure.TRUNCATED)
        return fetched(task)

    def end(self, task: FetchTask) -> None:
        """Store the end a while after the request, with the links of the page."""
        self.released.add(task.url_id)
        self._begin(task, self.settle_s)

    def outcome_of(self, task: FetchTask) -> PageOutcome:
        """Offer some links first."""
        for link in self.links[:2]:
            self.offer(*link)
        del self.links[:2]
        return super().outcome_of(task)

    def _begin(self, turn: Turn, takes_s: float) -> None:
        self.order += 1
        heappush(self.running, (self.now + takes_s, self.order, turn))


def test_an_answer_that_was_read_too_early_brings_back_nothing_that_has_ended() -> None:
    """A task that is settled while a refill is under way is not queued again by its answer."""
    queue = HostQueue(2)
    late, *others = [
        FetchTask(
            n, f"http://a.test/{n}", "a.test", 0, Priority.ORDINARY if n else Priority.DEFERRED
        )
        for n in range(4)
    ]
    queue.push(late)
    assert queue.pop() == late
    for task in others:  # all come before it, and two of them go to the store
        queue.push(task)
    queue.settle(queue.pop())
    assert queue.wants_refill
    queue.begin_refill(100)
    answer = [*others[1:], late]
    queue.settle(late)
    queue.end_refill(answer, None)
    assert [queue.pop() for _ in range(len(queue))] == others[1:]


@settings(max_examples=3 * settings().max_examples)
@given(
    urls=st.lists(OFFERS, max_size=60),
    host_queue=st.integers(2, 6),
    per_host=st.integers(1, 3),
    refill_s=st.sampled_from((0.0, 0.2, 1.0, 5.0)),
    settle_s=st.sampled_from((0.0, 0.1, 0.7, 3.0)),
    retry_s=st.sampled_from((0.1, 2.0, 9.0)),
    failing=st.integers(0, 3),
)
def test_each_url_is_fetched_once_however_late_answers_come(
    urls: list[tuple[int, int, int, Priority]],
    host_queue: int,
    per_host: int,
    refill_s: float,
    settle_s: float,
    retry_s: float,
    failing: int,
) -> None:
    """What ends while the store's answer is under way is not fetched again by that answer."""
    settled = job(
        frontier={"host_queue": host_queue},
        politeness={"per_host": per_host, "per_address": 3, "delay_s": 0.5},
    )
    w = LateWorld(Frontier(settled, rng=Always(retry_s)), refill_s, settle_s, failing)
    offers = [(f"http://h{n}.test/{page}", depth, priority) for n, page, depth, priority in urls]
    third = (len(offers) + 2) // 3
    w.links = offers[third:]
    for offer in offers[:third]:
        w.offer(*offer)
    w.run()
    for offer in w.links:
        w.offer(*offer)
    w.run()
    assert sorted(t.url for t in w.fetched) == sorted({url for url, _, _ in offers})
    assert not w.pending
    assert w.frontier.pending == 0
    assert w.frontier.counts().in_memory == 0
    assert w.hosts_in_the_end == 0


def test_a_turn_at_an_address_is_passed_on_by_a_host_that_has_moved() -> None:
    """Who got the free place, but is found elsewhere by then, leaves it to the next in line."""
    limits = {"per_address": 1, "robots": False, "delay_s": 0.0}
    frontier = Frontier(job(politeness=limits))
    for host in "abc":
        frontier.offer(f"http://{host}.test/", depth=0)
    first: FetchTask | None = None
    while not isinstance(turn := frontier.take(0.0), Wait):
        if isinstance(turn, Resolve):
            frontier.resolved(turn.host, "10.0.0.1", 0.0)
        else:
            assert isinstance(turn, FetchTask)
            assert first is None
            first = turn
    assert first is not None
    later = ADDRESS_TTL_S + 1
    frontier.politeness[first.host].put_aside(
        None, "why", later, later
    )  # nothing more is asked there: that would pass it on
    assert frontier.ended(first, fetched(first), later, later)
    frontier.settle(first, of_no_account(first))
    asked = [first.host]
    while not isinstance(turn := frontier.take(later), Wait):
        if isinstance(turn, Resolve):
            frontier.resolved(turn.host, f"10.0.0.{ord(turn.host[0])}", later)
        else:
            assert isinstance(turn, FetchTask)
            asked.append(turn.host)
    assert sorted(asked) == ["a.test", "b.test", "c.test"]
