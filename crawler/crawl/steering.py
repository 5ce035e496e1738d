"""A run as it is shown to who watches and measures it, and what they may ask of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from crawler.engine.ports import PageJudge
from crawler.frontier import Frontier
from crawler.frontier.view import hosts_seen
from crawler.models import (
    EditionCount,
    ExactDuplicate,
    PayloadKey,
    Shown,
    Signature,
    UrlState,
    Verdict,
)
from crawler.observe.progress import Stalls
from crawler.observe.summary import Tally
from crawler.observe.watching import Meter, Phase, Reading, Sight
from crawler.workers.pool import AnalysisPool

if TYPE_CHECKING:
    from crawler.crawl.dispatch import Dispatcher


# ---------------------------------------------------------------- metering
# What a crawl shows to who measures it: its gauges, and how long its verdicts take.


def measured(
    judge: PageJudge, meter: Meter | None, read: Callable[[], Reading], stack: AsyncExitStack
) -> PageJudge:
    """Let a run be measured while `stack` lasts; return the judge that its pages go to."""
    if meter is None:
        return judge
    stack.enter_context(meter.reading(read))
    return TimedJudge(judge, meter.judged)


class TimedJudge:
    """A judge whose verdicts are timed."""

    def __init__(self, judge: PageJudge, told: Callable[[float], None]) -> None:
        self._judge = judge
        self._told = told
        self.known_payload: Callable[[PayloadKey], ExactDuplicate | None] = judge.known_payload
        self.keeps: Callable[[Verdict], bool] = judge.keeps
        self.observe: Callable[[str, ExactDuplicate], None] = judge.observe
        self.take_editions: Callable[[], tuple[EditionCount, ...]] = judge.take_editions

    def judge(
        self, key: PayloadKey, signature: Signature, next_id: int, shown: Shown | None = None
    ) -> Verdict:
        """Judge a page and remember it; it has this id if it is stored."""
        begun_at = time.perf_counter()
        verdict = self._judge.judge(key, signature, next_id, shown)
        self._told(time.perf_counter() - begun_at)
        return verdict


def gauges(frontier: Frontier, stalls: Stalls, pool: AnalysisPool) -> Reading:
    """Return how the parts are doing; reads plain numbers, so any thread may ask."""
    return {
        ("crawler_frontier_urls", "seen"): len(frontier.seen),
        ("crawler_frontier_urls", "pending"): frontier.pending,
        ("crawler_frontier_urls", "in_memory"): frontier.in_memory,
        ("crawler_frontier_hosts", "known"): frontier.hosts,
        ("crawler_frontier_hosts", "aside"): frontier.aside,
        ("crawler_pool_pages", "waiting"): pool.waiting,
        ("crawler_pool_pages", "reading"): pool.busy,
        ("crawler_pool_processes", ""): pool.processes,
        ("crawler_event_loop_stall_longest_seconds", ""): stalls.longest_s,
        ("crawler_event_loop_stall_p99_seconds", ""): stalls.p99_s,
    }


# ---------------------------------------------------------------- steering
# A run as it is shown to who watches it, and what they may ask of it (`observe.watching`).


class Steered:
    """The parts of a run that who watches it sees and steers. `clock` is monotonic.

    It decides nothing: a pause is the dispatcher's, a stopped host the frontier's.
    """

    def __init__(
        self, tally: Tally, stalls: Stalls, stopped: Callable[[], bool], clock: Callable[[], float]
    ) -> None:
        """`stopped` tells whether the run was ended from the outside."""
        self._tally = tally
        self._stalls = stalls
        self._stopped = stopped
        self._clock = clock
        self._parts: tuple[Frontier, Dispatcher, AnalysisPool] | None = None
        self._phase = Phase.OPENING

    def opened(self, frontier: Frontier, dispatcher: Dispatcher, pool: AnalysisPool) -> None:
        """The run's parts are open."""
        self._parts = frontier, dispatcher, pool

    def began(self) -> None:
        """Its seeds are queued, and turns are played."""
        self._phase = Phase.RUNNING

    def played(self) -> None:
        """No turn will be played any more."""
        self._phase = Phase.CLOSING

    @property
    def _phase_now(self) -> Phase:
        if self._phase is Phase.CLOSING:
            return Phase.CLOSING
        if self._stopped():
            return Phase.STOPPING
        if self._phase is Phase.RUNNING and self._parts is not None and self._parts[1].paused:
            return Phase.PAUSED
        return self._phase

    def look(self, names: Iterable[str], most: int) -> Sight:
        """Return how the run is doing, with the hosts of these names and about `most` others."""
        phase = self._phase_now
        ends = {state: self._tally.count(state) for state in UrlState}
        if self._parts is None:
            return Sight(phase, ends, self._tally.wire_bytes, self._tally.siblings)
        frontier, dispatcher, pool = self._parts
        return Sight(
            phase=phase,
            ends=ends,
            wire_bytes=self._tally.wire_bytes,
            siblings=self._tally.siblings,
            seen=len(frontier.seen),
            pending=frontier.pending,
            in_memory=frontier.in_memory,
            known_hosts=frontier.hosts,
            aside=frontier.aside,
            unread=pool.waiting,
            reading=pool.busy,
            in_flight=dispatcher.in_flight,
            stall_p99_s=self._stalls.p99_s,
            hosts=tuple(hosts_seen(frontier.politeness, names, self._clock(), most)),
        )

    def pause(self) -> None:
        """Begin no new request; those under way end. Nothing happens where the run is ending."""
        if self._parts is not None and self._phase_now is Phase.RUNNING:
            self._parts[1].pause()

    def go_on(self) -> None:
        """Begin requests again."""
        if self._parts is not None:
            self._parts[1].go_on()

    def stop_host(self, name: str) -> bool:
        """Ask nothing more of a host in this run, its URLs stay pending; False: not known."""
        return self._parts is not None and self._parts[0].politeness.halt(name)

    def release_host(self, name: str) -> bool:
        """Ask it again; False where it was not stopped."""
        if self._parts is None or not self._parts[0].politeness.release(name):
            return False
        self._parts[1].wake()
        return True
