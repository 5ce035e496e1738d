"""What follows from a failure, in one table and a few bounds: pure functions, no state.

Of a page: whether it is asked for again, and when. Of its host: how long it is left alone, and when
it is given up or parked. Of a robots.txt: how long it is waited for. `outcomes` applies all this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from crawler.frontier.turns import GivenUp
from crawler.records import Failed, Failure, Skip


@dataclass(frozen=True, slots=True)
class Policy:
    """How one class of failure is answered."""

    retries: int
    """Further attempts at most; `fetch.retries` of the job may lower it."""
    base_s: float
    """Upper bound of the first pause; it doubles with every attempt."""
    host_strikes: bool
    """Counts towards giving the host up, since another URL of the host would fail alike."""


HOST_DOWN = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT_CONNECT})
"""Nothing was asked of the page: an attempt of the host's, not of the URL's."""

FIRST_STRIKES = 3
"""Failures in a row, of classes with `host_strikes`, that end a host which never answered."""

HOST_STRIKES = 10
"""The same for a host that has answered before: with the pauses between them some four minutes,
time for a restart. Its URLs then stay pending for a later run."""

_FREE_STRIKES = 2
"""Strikes that may be one page's own, and pause nobody."""

BACKOFF_CAP_S = 300.0
"""No pause is drawn from more than this, whatever the attempt."""

_FINAL = Policy(retries=0, base_s=0.0, host_strikes=False)
_SERVER_SIDE = Policy(retries=2, base_s=5.0, host_strikes=True)

POLICY: Mapping[Failure, Policy] = MappingProxyType(
    {
        Failure.DNS: Policy(retries=1, base_s=2.0, host_strikes=True),
        Failure.CONNECT: Policy(retries=1, base_s=2.0, host_strikes=True),
        Failure.TLS: Policy(retries=0, base_s=0.0, host_strikes=True),
        Failure.TIMEOUT_CONNECT: Policy(retries=1, base_s=5.0, host_strikes=True),
        Failure.TIMEOUT_HEADERS: Policy(retries=1, base_s=5.0, host_strikes=True),
        Failure.TIMEOUT_BODY: Policy(retries=1, base_s=5.0, host_strikes=False),
        Failure.DISCONNECTED: Policy(retries=2, base_s=2.0, host_strikes=True),
        Failure.PROTOCOL: Policy(retries=1, base_s=2.0, host_strikes=False),
        Failure.TRUNCATED: Policy(retries=2, base_s=2.0, host_strikes=False),
        Failure.CONTENT_ENCODING: _FINAL,
        Failure.HTTP_CLIENT_ERROR: _FINAL,
        Failure.HTTP_SERVER_ERROR: _SERVER_SIDE,
        Failure.HTTP_RATE_LIMITED: Policy(retries=3, base_s=30.0, host_strikes=False),
        Failure.HTTP_UNEXPECTED: _FINAL,
        Failure.REDIRECT_LOOP: _FINAL,
        Failure.REDIRECT_INVALID: _FINAL,
        Failure.BLOCKED_ADDRESS: Policy(retries=0, base_s=0.0, host_strikes=True),
        Failure.HOST_UNREACHABLE: _FINAL,
        Failure.ANALYSIS_TIMEOUT: _FINAL,
        Failure.ANALYSIS_CRASH: _FINAL,
        Failure.ANALYSIS_ERROR: _FINAL,
    }
)
"""Every failure class has its line."""

PASSING = frozenset(
    {failure for failure, policy in POLICY.items() if policy.retries} | {Failure.HOST_UNREACHABLE}
)
"""Failures that may pass by themselves: what is tried again at once is worth it later, too."""
PASSING_SKIPS = frozenset({Skip.ROBOTS_UNREACHABLE})
"""Reasons for which a URL is left out that may pass by themselves."""

_TRANSIENT_4XX = frozenset({408, 425})
"""Request Timeout (RFC 9110 15.5.9) and Too Early (RFC 8470 5.2) ask to be tried again."""


def policy_of(failed: Failed) -> Policy:
    """Return the policy for a failure; 408 and 425 are answered like a server's own error."""
    if failed.failure is Failure.HTTP_CLIENT_ERROR and failed.status in _TRANSIENT_4XX:
        return _SERVER_SIDE
    return POLICY[failed.failure]


def host_pause_s(failed: Failed, strikes: int) -> float:
    """Return how long a host is left alone after so many strikes in a row, in seconds.

    Doubling from the class's `base_s`, capped like a page's own pause.
    """
    if strikes <= _FREE_STRIKES:
        return 0.0
    return min(BACKOFF_CAP_S, policy_of(failed).base_s * 2.0 ** (strikes - _FREE_STRIKES - 1))


@dataclass(frozen=True, slots=True)
class Retry:
    """When a page is asked for again."""

    wait_s: float
    counted: bool
    """Whether this was one of the attempts that the page has."""


def retry_of(failed: Failed, most_retries: int, rng: Random) -> Retry | None:
    """Return how a page is tried again; None where it has no attempt left."""
    if failed.failure in HOST_DOWN:
        return Retry(0.0, counted=False)
    if failed.task.attempt >= min(policy_of(failed).retries, most_retries):
        return None
    wait_s = failed.retry_after_s
    if wait_s is None:
        wait_s = backoff_s(failed.failure, failed.task.attempt, rng)
    return Retry(wait_s, counted=True)


def backoff_s(failure: Failure, attempt: int, rng: Random) -> float:
    """Return the pause in seconds before the next attempt, after `attempt` earlier retries (>= 0).

    Exponential with full jitter, uniform over [0, min(cap, base * 2**attempt)]: the variant with
    the least contention in Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015.
    A Retry-After of the server outranks it; that is the caller's to respect.
    """
    base_s = POLICY[failure].base_s
    # The exponent is bounded since 2.0**1024 overflows; the cap is reached long before.
    return rng.uniform(0.0, min(BACKOFF_CAP_S, base_s * 2.0 ** min(attempt, 32)))


# --------------------------------------------------------------------------------------------------
# robots.txt

NO_SERVER = frozenset(
    {Failure.DNS, Failure.CONNECT, Failure.TIMEOUT_CONNECT, Failure.TLS, Failure.BLOCKED_ADDRESS}
)
"""Failures that say there is no server; any other is a server that asks to wait."""

NO_SERVER_RETRY_S = 1.0
NO_SERVER_PATIENCE_S = 2.0
"""Where none ever answered it is tried again twice, so a crawl without any reachable seed ends
within seconds, or after one try where a port says nothing at all. One that has answered before is
waited for, and then left pending."""

ROBOTS_RETRY_S = 30.0

STALE_RULES_S = 3600.0
"""RFC 9309 section 2.4 lets old rules stand while the file is unreachable; this long each time."""


@dataclass(frozen=True, slots=True)
class Patience:
    """When a robots.txt is asked for again, for how long in all, and what is said after that."""

    retry_in_s: float
    patience_s: float
    given_up: GivenUp | None
    """None: the host is parked, its URLs stay pending."""


def patience_with(
    failed: Failed, origin: str, robots_wait_s: float, *, known: bool, took_s: float
) -> Patience:
    """Return how to go on with an origin whose robots.txt failed after `took_s`.

    `robots_wait_s` bounds the patience with servers; `known` is whether this one ever answered.
    """
    detail = f"{origin}/robots.txt: {failed.detail}"
    retry_s = failed.retry_after_s or min(ROBOTS_RETRY_S, robots_wait_s / 4)
    if failed.failure not in NO_SERVER:
        return Patience(retry_s, robots_wait_s, GivenUp(Skip.ROBOTS_UNREACHABLE, detail))
    if known:
        return Patience(retry_s, robots_wait_s, None)
    given_up = GivenUp(failed.failure, detail)
    return Patience(NO_SERVER_RETRY_S, NO_SERVER_PATIENCE_S - took_s, given_up)
