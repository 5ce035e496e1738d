"""How often a page changes, by what was found at its visits; and when to visit it next.

Cho, Garcia-Molina: Estimating frequency of change, ACM TOIT 3 (2003), section 4: of n visits X
found a change; several changes between two visits are seen as one, so X / n is too small. Where
changes are a Poisson process and visits come every I seconds, `-log((n - X + .5) / (n + .5)) / I`
estimates its rate with little bias, and is finite where every visit found one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

GROWTH = 2.0
"""How many times longer than its last gap a page's next interval may be. A page that was found
unchanged once has an estimated rate of 0: without this it would be left for `recrawl.max_s`. It is
the back-off of TCP (RFC 6298 5.5) and of retries here."""


class History(NamedTuple):
    """What a page's visits found; the first fetch is where it begins and no visit."""

    visits: int = 0
    """Those that found out whether it has changed."""
    changes: int = 0
    """How many of these found that it had."""
    watched_s: float = 0.0
    """Seconds from the first fetch to the last of these."""
    gap_s: float = 0.0
    """Seconds from the last of these but one to the last."""

    def visited(self, gap_s: float, *, changed: bool) -> History:
        """Return the history with one more visit, so long after the last one.

        Clocks may be set back: a gap is at least 0.
        """
        gap_s = max(0.0, gap_s)
        watched_s = self.watched_s + gap_s
        return History(self.visits + 1, self.changes + changed, watched_s, gap_s)


FETCHED = History()
"""Of a page that was fetched and never visited again."""


def rate(history: History) -> float:
    """Return the estimated changes per second; 0 where none was found, or nothing is known.

    The visits of a page do not come at one interval here, but at ones that grow and shrink with
    what is found: I is their mean. Infinite where changes were found in no time.
    """
    if not history.changes:
        return 0.0
    seen = -math.log((history.visits - history.changes + 0.5) / (history.visits + 0.5))
    mean_s = history.watched_s / history.visits
    return seen / mean_s if mean_s else math.inf


def interval_s(history: History, min_s: float, max_s: float) -> float:
    """Return the seconds from a page's last visit to its next, in [min_s, max_s].

    The time in which it changes with a probability of one half (log 2 / rate): the visit of which
    least can be foretold. At most GROWTH times the last gap; min_s where there was no visit.
    """
    if not history.visits:
        return min_s
    per_s = rate(history)
    wanted = math.log(2) / per_s if per_s else math.inf
    return min(max(min_s, min(wanted, GROWTH * history.gap_s)), max_s)
