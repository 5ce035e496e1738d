"""What one process of a crawl counts for its metrics, in plain numbers.

It can be sent to another process, which serves them (`metrics`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from crawler.models import TEMPLATE, PageOutcome, UrlState
from crawler.observe.watching import Reading

FETCH_BUCKETS_S = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Half decades, from a neighbour's cached page to the default timeouts."""

JUDGE_BUCKETS_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
"""Half decades, from a known digest to what a person notices as a stall of the event loop."""

COUNTED = ("wire_bytes", "body_bytes", "duplicate_bytes")
"""Running totals that are served, beside refused links and pages read by a template."""


class Spread(NamedTuple):
    """How long something took."""

    most_s: tuple[float, ...]
    """Bounds of buckets, each with what took as long; the last bucket has none."""
    counts: tuple[int, ...]
    """Of each bucket, one more than bounds."""
    sum_s: float


class Counted(NamedTuple):
    """What was counted, up to a moment."""

    ends: Mapping[tuple[UrlState, str], int]
    sums: Mapping[str, int]
    refused: Mapping[str, int]
    """Links, by why."""
    by_template: int
    """Pages that no extractor had to read."""
    fetch: Spread
    judge: Spread
    gauges: Reading


class _Times:
    def __init__(self, most_s: tuple[float, ...]) -> None:
        self._most_s = most_s
        self._counts = [0] * (len(most_s) + 1)
        self._sum_s = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(self._most_s, seconds)] += 1
        self._sum_s += seconds

    def spread(self) -> Spread:
        return Spread(self._most_s, tuple(self._counts), self._sum_s)


class Counts:
    """Counts for one run, from 0. The event loop writes, any thread may read."""

    def __init__(self) -> None:
        self._ends: Counter[tuple[UrlState, str]] = Counter()
        self._sums: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._by_template = 0
        self._fetch = _Times(FETCH_BUCKETS_S)
        self._judge = _Times(JUDGE_BUCKETS_S)
        self._gauges: Callable[[], Reading] = dict

    def add(self, outcome: PageOutcome) -> None:
        """Count a URL's end."""
        self._ends[outcome.state, outcome.detail] += 1
        totals = outcome.totals
        for name in COUNTED:
            self._sums[name] += int(totals.sums.get(name, 0))
        for reason, number in totals.dropped_link.items():
            self._refused[reason] += int(number)
        self._by_template += int(totals.read_by.get(TEMPLATE, 0))
        if (fetch_s := totals.sums.get("fetch_s")) is not None:
            self._fetch.add(fetch_s)

    def judged(self, seconds: float) -> None:
        """Note how long a verdict took."""
        self._judge.add(seconds)

    @contextmanager
    def reading(self, read: Callable[[], Reading]) -> Iterator[None]:
        """Ask this for the gauges while the context lasts, in whichever thread they are wanted."""
        self._gauges = read
        try:
            yield
        finally:
            self._gauges = dict

    def read(self) -> Counted:
        """Return what was counted so far."""
        return Counted(
            *(dict(self._ends), dict(self._sums), dict(self._refused), self._by_template),
            *(self._fetch.spread(), self._judge.spread(), dict(self._gauges())),
        )
