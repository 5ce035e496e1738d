"""What a crawl shows to who measures it: its gauges, and how long its verdicts take."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from crawler.crawl.parts import PageJudge
from crawler.frontier import Frontier
from crawler.observe.stalls import Stalls
from crawler.pool import AnalysisPool
from crawler.records import Batch, ExactDuplicate, PayloadKey, Shown, Signature, Verdict

Reading = dict[tuple[str, str], float]


class Meter(Protocol):
    """Who measures (`crawler.observe.metrics`, which is loaded only where it is asked for)."""

    def add(self, batch: Batch) -> None:
        """Count a URL's end."""

    def judged(self, seconds: float) -> None:
        """Note how long a verdict took."""

    def reading(self, read: Callable[[], Reading]) -> AbstractContextManager[None]:
        """Ask this for the gauges, from any thread, while the context lasts."""


class TimedJudge:
    """A judge whose verdicts are timed."""

    def __init__(self, judge: PageJudge, told: Callable[[float], None]) -> None:
        self._judge = judge
        self._told = told
        self.known_payload: Callable[[PayloadKey], ExactDuplicate | None] = judge.known_payload
        self.keeps: Callable[[Verdict], bool] = judge.keeps

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
