"""What is retried, how often and after what pause; which failures speak against the whole host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from crawler.records import Failed, Failure


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


def backoff_s(failure: Failure, attempt: int, rng: Random) -> float:
    """Return the pause in seconds before the next attempt, after `attempt` earlier retries (>= 0).

    Exponential with full jitter, uniform over [0, min(cap, base * 2**attempt)]: the variant with
    the least contention in Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015.
    A Retry-After of the server outranks it; that is the caller's to respect.
    """
    base_s = POLICY[failure].base_s
    # The exponent is bounded since 2.0**1024 overflows; the cap is reached long before.
    return rng.uniform(0.0, min(BACKOFF_CAP_S, base_s * 2.0 ** min(attempt, 32)))
