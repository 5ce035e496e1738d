"""The estimator of how often a page changes, and the interval that follows from it."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.sources.web.recrawl import FETCHED, GROWTH, History, interval_s, rate

DAY_S = 86_400.0

visits = st.lists(
    st.tuples(st.floats(0.0, 1e9, allow_nan=False), st.booleans()), min_size=1, max_size=60
)


def history(found: list[tuple[float, bool]]) -> History:
    """Return the history of these (gap, changed)."""
    made = FETCHED
    for gap_s, changed in found:
        made = made.visited(gap_s, changed=changed)
    return made


@given(visits, st.floats(1.0, 1e6), st.floats(1.0, 1e4))
def test_every_interval_is_within_its_bounds(
    found: list[tuple[float, bool]], min_s: float, times: float
) -> None:
    """Whatever was found, the wait is within its bounds and grows no more than it may."""
    made = history(found)
    wait_s = interval_s(made, min_s, min_s * times)
    assert min_s <= wait_s <= min_s * times
    assert wait_s <= max(min_s, GROWTH * found[-1][0])


@given(visits, st.integers(0, 59))
def test_one_more_change_never_makes_the_interval_longer(
    found: list[tuple[float, bool]], which: int
) -> None:
    """The rate grows with the changes that were found, all else being equal."""
    at = which % len(found)
    more = [*found[:at], (found[at][0], True), *found[at + 1 :]]
    assert rate(history(more)) >= rate(history(found))
    assert interval_s(history(more), 1.0, 1e12) <= interval_s(history(found), 1.0, 1e12)


@given(st.integers(1, 50), st.integers(0, 50), st.floats(1.0, 1e6))
def test_the_rate_is_the_published_formula(n: int, x: int, gap_s: float) -> None:
    """At a regular interval it is Cho and Garcia-Molina's estimator, term by term."""
    x = min(n, x)
    made = history([(gap_s, number < x) for number in range(n)])
    expected = -math.log((n - x + 0.5) / (n + 0.5)) / gap_s
    assert rate(made) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("per_visit", [0.25, 1.0, 2.0])
def test_it_is_less_biased_than_counting(per_visit: float) -> None:
    """For pages that change by a Poisson process, the mean estimate is nearer to the true rate."""
    rng, n, pages = Random(7), 20, 2_000
    chance = 1 - math.exp(-per_visit)
    estimates, counted = [], []
    for _ in range(pages):
        found = [(DAY_S, rng.random() < chance) for _ in range(n)]
        estimates.append(rate(history(found)) * DAY_S)
        counted.append(sum(changed for _, changed in found) / n)
    bias = abs(sum(estimates) / pages - per_visit)
    assert bias < 0.05 * per_visit
    assert bias < abs(sum(counted) / pages - per_visit)


def test_a_page_that_never_changes_is_seen_ever_less_often() -> None:
    """From a day to sixty: each visit that finds nothing doubles the wait, up to max_s."""
    made, waits = FETCHED, []
    for _ in range(8):
        waits.append(interval_s(made, DAY_S, 60 * DAY_S) / DAY_S)
        made = made.visited(waits[-1] * DAY_S, changed=False)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


def test_a_clock_that_was_set_back_breaks_nothing() -> None:
    """A visit before the last one counts as one at once."""
    made = FETCHED.visited(-5.0, changed=True)
    assert made == History(1, 1, 0.0, 0.0)
    assert interval_s(made, 10.0, 100.0) == 10.0
