"""What a crawl shows to who measures it: its gauges, and how long its verdicts take."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from crawler.crawl.parts import PageJudge
from crawler.frontier import Frontier
from crawler.observe.meter import Meter, Reading
from crawler.observe.stalls import Stalls
from crawler.pool import AnalysisPool
from crawler.records import EditionCount, ExactDuplicate, PayloadKey, Shown, Signature, Verdict


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
