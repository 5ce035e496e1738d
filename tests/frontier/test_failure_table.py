"""The table of failures: every class has its line, pauses are bounded, patience is for servers."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.frontier.failures import (
    BACKOFF_CAP_S,
    POLICY,
    Retry,
    backoff_s,
    patience_with,
    policy_of,
    retry_of,
)
from crawler.models import Failed, Failure, FetchTask, Skip

TASK = FetchTask(1, "http://a.example/", "a.example", 0)


def test_every_failure_has_a_policy() -> None:
    """No failure class is left without its line in the table."""
    assert set(POLICY) == set(Failure)


def test_transient_client_errors_are_retried() -> None:
    """408 and 425 are answered like a server's own error, 404 is final."""

    def failed(status: int) -> Failed:
        return Failed(TASK, Failure.HTTP_CLIENT_ERROR, "", 0.0, status)

    assert policy_of(failed(408)) == policy_of(failed(425)) == POLICY[Failure.HTTP_SERVER_ERROR]
    assert policy_of(failed(404)).retries == 0


@given(st.integers(0, 5000), st.sampled_from(sorted(Failure)), st.integers())
def test_backoff_is_bounded(attempt: int, failure: Failure, seed: int) -> None:
    """The pause lies in [0, base * 2**attempt] and never beyond the cap."""
    pause_s = backoff_s(failure, attempt, random.Random(seed))
    assert 0.0 <= pause_s <= min(BACKOFF_CAP_S, POLICY[failure].base_s * 2 ** min(attempt, 40))


def test_backoff_doubles() -> None:
    """The expected pause doubles with each attempt: the same draw, twice the range."""
    first = backoff_s(Failure.DNS, 0, random.Random(3))
    assert backoff_s(Failure.DNS, 1, random.Random(3)) == pytest.approx(2 * first)


@pytest.mark.parametrize(
    ("failure", "known", "retry_after_s", "wanted"),
    [
        (Failure.HTTP_SERVER_ERROR, False, None, (30.0, 900.0, Skip.ROBOTS_UNREACHABLE)),
        (Failure.HTTP_SERVER_ERROR, True, 7.0, (7.0, 900.0, None)),
        (Failure.CONNECT, False, None, (1.0, 1.5, Failure.CONNECT)),
        (Failure.CONNECT, True, None, (30.0, 900.0, None)),
    ],
)
def test_patience_is_for_servers(
    failure: Failure,
    known: bool,
    retry_after_s: float | None,
    wanted: tuple[float, float, Failure | Skip | None],
) -> None:
    """A server may take its time, what never was one is given up soon, a known one is parked."""
    task = FetchTask(1, "http://a.test/robots.txt", "a.test", 0)
    failed = Failed(task, failure, "why", 0.0, retry_after_s=retry_after_s)
    found = patience_with(failed, "http://a.test", 900.0, known=known, took_s=0.5)
    reason = found.given_up.reason if found.given_up else None
    assert (found.retry_in_s, found.patience_s, reason) == wanted
    assert not found.given_up or found.given_up.detail == "http://a.test/robots.txt: why"


def test_a_page_has_the_attempts_of_its_class_and_no_more_than_the_job_allows() -> None:
    """The lower bound counts; what was never asked of a page is no attempt at it."""
    rng = random.Random(1)
    for attempt, most, wanted in ((0, 2, True), (1, 2, True), (2, 2, False), (1, 1, False)):
        task = FetchTask(1, "http://a.example/", "a.example", 0, attempt=attempt)
        truncated = Failed(task, Failure.TRUNCATED, "", 0.0, retry_after_s=7.0)
        assert retry_of(truncated, most, rng) == (Retry(7.0, counted=True) if wanted else None)
        refused = Failed(task, Failure.CONNECT, "", 0.0)
        assert retry_of(refused, most, rng) == Retry(0.0, counted=False)
