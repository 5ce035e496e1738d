"""How many URLs ended as what, in short stretches of the last minutes; and on which hosts."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque

from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Batch, UrlState

STRETCH_S = 5
"""Seconds of one bar of the chart."""
STRETCHES = 120
"""Bars: ten minutes."""
RATE_OVER = 3
"""Bars that the rate is taken over, the one that is not full among them."""

HOSTS_HEARD = 60
"""Hosts that are named because they ended something lately."""

VERDICTS = ("new", SIBLING, NEAR, EXACT_TEXT, EXACT_PAYLOAD, "unjudged")
"""Kinds of pages, as the chart stacks them; all other ends are `rest`."""
KINDS = (*VERDICTS, "rest")

_PAGES = (UrlState.STORED, UrlState.DUPLICATE)


class Rates:
    """Counts ends by kind, for ten minutes. Times are monotonic, in seconds."""

    def __init__(self, begun_at: float) -> None:
        self._begun_at = begun_at
        self._bars: deque[tuple[int, Counter[str]]] = deque(maxlen=STRETCHES)

    def add(self, batch: Batch, at: float) -> None:
        """Count an end."""
        stretch = int(at) // STRETCH_S
        if not self._bars or self._bars[-1][0] != stretch:
            self._bars.append((stretch, Counter()))
        known = batch.state in _PAGES and batch.detail in VERDICTS
        self._bars[-1][1][batch.detail if known else "rest"] += 1

    def bars(self, now: float) -> list[list[int]]:
        """Return the counts of each stretch up to now, oldest first, in the order of `KINDS`."""
        by_stretch = dict(self._bars)
        last = int(now) // STRETCH_S
        first = max(int(self._begun_at) // STRETCH_S, last - STRETCHES + 1)
        nothing = Counter[str]()
        counts = (by_stretch.get(stretch, nothing) for stretch in range(first, last + 1))
        return [[count[kind] for kind in KINDS] for count in counts]

    def pages_a_second(self, now: float) -> float:
        """Return how many pages were judged a second, over the last 10 to 15 seconds."""
        since = max(self._begun_at, float((int(now) // STRETCH_S - RATE_OVER + 1) * STRETCH_S))
        pages = sum(sum(bar[:-1]) for bar in self.bars(now)[-RATE_OVER:])
        return pages / max(now - since, 1.0)


class Hosts:
    """The hosts that ended something last, with what; the latest `HOSTS_HEARD` of them."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, list[int]] = OrderedDict()

    def add(self, host: str, batch: Batch) -> None:
        """Count an end of a host."""
        counts = self._counts.setdefault(host, [0, 0, 0])
        self._counts.move_to_end(host)
        if batch.state in _PAGES:
            counts[batch.state is UrlState.DUPLICATE] += 1
        else:
            counts[2] += batch.state is UrlState.FAILED
        if len(self._counts) > HOSTS_HEARD:
            self._counts.popitem(last=False)

    @property
    def latest(self) -> list[str]:
        """Their names, the last one first."""
        return list(reversed(self._counts))

    def of(self, host: str) -> tuple[int, int, int]:
        """Return (stored, duplicates, failed) of a host since it was first among the latest."""
        stored, duplicates, failed = self._counts.get(host, (0, 0, 0))
        return stored, duplicates, failed
