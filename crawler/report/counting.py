"""Counters that one pass over the lines fills: over time, by likeness, by host. All bounded."""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import pairwise

from crawler.report.figures import Histogram, HostPace, Timeline

SPANS = 60
"""Bars over time: as many as a phone shows."""
DISTANCES = 65
"""Of 64-bit fingerprints: 0 to 64."""
SIMILARITY_STEP = 0.02
PAUSE_S = 600.0
"""A longer time between two answers of a host is not its pace: the crawl stood still, or the host
had nothing due."""
GAPS = 1_001
"""Answers of a host whose times are kept, the last ones."""


def seconds(at: str) -> float:
    """Return a line's time in Unix seconds."""
    return datetime.fromisoformat(at).timestamp()


class OverTime:
    """Verdicts by second until there are too many, then by two, four and so on."""

    def __init__(self) -> None:
        self._width = 1
        self._counts: Counter[tuple[int, str]] = Counter()

    def add(self, at: float, verdict: str) -> None:
        """Count a page."""
        self._counts[int(at) // self._width, verdict] += 1
        if len(self._counts) > 100 * SPANS:
            self._width *= 2
            halved: Counter[tuple[int, str]] = Counter()
            for (span, name), number in self._counts.items():
                halved[span // 2, name] += number
            self._counts = halved

    def result(self) -> Timeline | None:
        """Return at most `SPANS` spans of equal length; None of no page."""
        if not self._counts:
            return None
        spans = [span for span, _ in self._counts]
        first, last = min(spans), max(spans) + 1
        merged = -(-(last - first) // SPANS)
        length = -(-(last - first) // merged)
        counts: dict[str, list[int]] = defaultdict(lambda: [0] * length)
        for (span, verdict), number in self._counts.items():
            counts[verdict][(span - first) // merged] += number
        return Timeline(float(first * self._width), float(merged * self._width), dict(counts))


class Likenesses:
    """Similarities and distances of pages to the stored pages that they are like."""

    def __init__(self) -> None:
        steps = round(1 / SIMILARITY_STEP) + 1
        self._similarity: dict[str, list[int]] = defaultdict(lambda: [0] * steps)
        self._distance: dict[str, list[int]] = defaultdict(lambda: [0] * DISTANCES)

    def add(self, verdict: str, similarity: float | None, distance: int | None) -> None:
        """Count a page; what is not known of it is left out."""
        if similarity is not None:
            self._similarity[verdict][int(similarity / SIMILARITY_STEP + 1e-9)] += 1
        if distance is not None:
            self._distance[verdict][distance] += 1

    def similarity(self) -> Histogram:
        """Return pages by similarity, 0..1; the last step is 1 alone."""
        return Histogram(0.0, SIMILARITY_STEP, dict(self._similarity))

    def distance(self) -> Histogram:
        """Return pages by Hamming distance, 0..64."""
        return Histogram(0.0, 1.0, dict(self._distance))


class Paces:
    """How some hosts were asked: the times between their answers, in the order of their lines."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._times: dict[str, list[float]] = {host: [] for host in hosts}
        self._answers: Counter[str] = Counter()

    def add(self, host: str, at: float) -> None:
        """Count an answer; of a host that is not one of ours nothing is kept."""
        times = self._times.get(host)
        if times is None:
            return
        self._answers[host] += 1
        insort(times, at)
        if len(times) > GAPS:
            # A run of neighbours must stay whole, or the times between them grow: the oldest go.
            del times[0]

    def result(
        self, crawl_delays: Mapping[str, float], slow: Mapping[str, float]
    ) -> list[HostPace]:
        """Return a pace for each host that answered, in the order in which they were named.

        `slow` has the pauses that answers have led to.
        """
        found = []
        for host, times in self._times.items():
            if number := self._answers[host]:
                pairs = pairwise(times)
                gaps = sorted(gap for a, b in pairs if (gap := b - a) <= PAUSE_S)
                middle = gaps[len(gaps) // 2] if gaps else None
                least = gaps[0] if gaps else None
                asked = crawl_delays.get(host), slow.get(host)
                found.append(HostPace(host, number, middle, least, *asked))
        return found
