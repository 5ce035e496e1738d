"""What follows from a failure, in one table and a few bounds: pure functions, no state.

Of a page: whether it is asked for again, and when. Of its host, or a part of it: how long it is
left alone, when it is put aside and tried again, when it is given up. Of a robots.txt: how long it
is waited for. `outcomes` applies all this.

One principle decides: a URL ends for a reason that speaks about that URL, or about a host that was
dead for hours. What may be the trouble of a minute, or of a neighbour, leaves it pending.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from random import Random
from types import MappingProxyType

from crawler.frontier.turns import GivenUp
from crawler.models import Failed, Failure, Skip


class Blame(Enum):
    """Of what a failure speaks: what else would fail alike."""

    URL = "url"
    PART = "part"
    """The program behind it, which may serve one directory or the whole host."""
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Policy:
    """How one class of failure is answered."""

    retries: int
    """Further attempts at most; `fetch.retries` of the job may lower it."""
    base_s: float
    """Upper bound of the first pause; it doubles with every attempt."""
    blames: Blame
    """What fails in a row of those that blame more than a URL is put aside."""


HOST_DOWN = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT_CONNECT, Failure.TLS})
"""Nothing was asked of the page: an attempt of the host's, not of the URL's."""

LASTING = frozenset({Failure.DNS, Failure.TLS, Failure.BLOCKED_ADDRESS})
"""What a host says of itself that does not pass with the minute: no such name, a bad certificate,
an address that may not be asked. It ends one that never answered without hours of trying."""

FIRST_STRIKES = 3
"""Failures in a row after which a host that never answered is put aside."""

HOST_STRIKES = 10
"""The same for a host that has answered before: with the pauses between them some four minutes,
time for a restart."""

PART_STRIKES = 5
"""In a row, all in one part of a host, after which that part is put aside and the others go on."""

FREE_STRIKES = 2
"""Strikes that may be the pages' own: they pause nobody, and count as attempts of their URLs."""

BACKOFF_CAP_S = 300.0
"""No pause is drawn from more than this, whatever the attempt."""

RENDER_RETRIES = 2
"""A browser may have been killed twice by what it did beside the page."""

_FINAL = Policy(retries=0, base_s=0.0, blames=Blame.URL)
_SERVER_SIDE = Policy(retries=2, base_s=5.0, blames=Blame.PART)

POLICY: Mapping[Failure, Policy] = MappingProxyType(
    {
        Failure.DNS: Policy(retries=1, base_s=2.0, blames=Blame.HOST),
        Failure.CONNECT: Policy(retries=1, base_s=2.0, blames=Blame.HOST),
        Failure.TLS: Policy(retries=0, base_s=0.0, blames=Blame.HOST),
        Failure.TIMEOUT_CONNECT: Policy(retries=1, base_s=5.0, blames=Blame.HOST),
        Failure.TIMEOUT_HEADERS: Policy(retries=1, base_s=5.0, blames=Blame.PART),
        Failure.TIMEOUT_BODY: Policy(retries=1, base_s=5.0, blames=Blame.URL),
        Failure.DISCONNECTED: Policy(retries=2, base_s=2.0, blames=Blame.PART),
        Failure.PROTOCOL: Policy(retries=1, base_s=2.0, blames=Blame.URL),
        Failure.TRUNCATED: Policy(retries=2, base_s=2.0, blames=Blame.URL),
        Failure.CONTENT_ENCODING: _FINAL,
        Failure.HTTP_CLIENT_ERROR: _FINAL,
        Failure.HTTP_SERVER_ERROR: _SERVER_SIDE,
        Failure.HTTP_RATE_LIMITED: Policy(retries=3, base_s=30.0, blames=Blame.URL),
        Failure.HTTP_UNEXPECTED: _FINAL,
        Failure.REDIRECT_LOOP: _FINAL,
        Failure.REDIRECT_INVALID: _FINAL,
        Failure.BLOCKED_ADDRESS: Policy(retries=0, base_s=0.0, blames=Blame.HOST),
        Failure.HOST_UNREACHABLE: _FINAL,
        Failure.ANALYSIS_TIMEOUT: _FINAL,
        Failure.ANALYSIS_CRASH: _FINAL,
        Failure.ANALYSIS_ERROR: _FINAL,
        Failure.RENDER: Policy(retries=RENDER_RETRIES, base_s=5.0, blames=Blame.URL),
        Failure.PDF_ENCRYPTED: _FINAL,
        Failure.PDF_BROKEN: _FINAL,
        Failure.INTERNAL_ERROR: _FINAL,
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
    if strikes <= FREE_STRIKES:
        return 0.0
    return min(BACKOFF_CAP_S, policy_of(failed).base_s * 2.0 ** (strikes - FREE_STRIKES - 1))


_ASIDE_S = 60.0
_ASIDE_CAP_S = 3600.0


def aside_s(tries: int) -> float:
    """Return how long what failed so many times in a row (>= 1) is put aside, in seconds."""
    return min(_ASIDE_CAP_S, _ASIDE_S * 2.0 ** min(tries - 1, 32))


LAST_TRIES = 3
"""So many tries of a host that has answered before are waited for where nothing else is left to do:
one, two and four minutes, for an outage at the end of a crawl. Of a part it is one."""

LAST_CALL_S = _ASIDE_S
"""At the end of a crawl everything that is put aside is tried once more; what a server has asked to
be left alone for longer than this is not waited for."""

EVIDENCE_GAP_S = 7200.0
"""Of the time between two tries that failed no more than this counts as time in which a host was
dead: two failures that are days apart are two bad minutes, not a dead host."""


STALLS = frozenset({Failure.TIMEOUT_CONNECT, Failure.TIMEOUT_HEADERS, Failure.TIMEOUT_BODY})
"""Failures for which the crawl had to wait."""

MOST_STALLS = 10
"""More stalls than these ask for no more answers than 2 to this power, a thousand."""


FIRST_SLOWER_S = 0.125
"""The delay after the first refusal of a host that was asked without delay."""
SLOWEST_S = 60.0
"""No refusals make a delay longer than this, unless the job or a Crawl-delay asks for more."""
HASTEN_STEPS = 32
"""Answers after which a delay would be gone that was set by a refusal: the additive half of AIMD.
A server that allows a request a second sees one too many in some twenty."""
MOST_REFUSALS = 10
"""In a row these put a host aside. A URL refused as often while others were not is refused for
itself, and ends."""


def slower_s(delay_s: float) -> float:
    """Return a host's delay after a refusal: the multiplicative half of AIMD."""
    return max(delay_s, min(SLOWEST_S, max(FIRST_SLOWER_S, 2.0 * delay_s)))


NO_ANSWER_PAUSE_S = 2.0
"""The first pause after which a host is asked again that could not be looked up or reached."""


def no_answer_pause_s(waited_s: float) -> float:
    """Return the next pause, in seconds: as long as was waited already, so that it doubles."""
    return min(BACKOFF_CAP_S, max(NO_ANSWER_PAUSE_S, waited_s))


@dataclass(frozen=True, slots=True)
class Retry:
    """When a page is asked for again."""

    wait_s: float
    counted: bool
    """Whether this was one of the attempts that the page has."""


def retry_of(
    failed: Failed, most_retries: int, rng: Random, *, own: bool = True, pace_s: float = 0.0
) -> Retry | None:
    """Return how a page is tried again; None where it has no attempt left.

    `own` is False where the failure may be the host's or a part's: no attempt of the page. `pace_s`
    is its host's delay.
    """
    if failed.failure in HOST_DOWN:
        return Retry(0.0, counted=False)
    if failed.failure is Failure.HTTP_RATE_LIMITED and most_retries:
        if own and failed.task.refused >= MOST_REFUSALS:
            return None
        longest_s = pace_s * 2.0 ** min(failed.task.refused, 32)
        wait_s = failed.retry_after_s or rng.uniform(0.0, min(BACKOFF_CAP_S, longest_s))
        return Retry(wait_s, counted=False)
    if own and failed.task.attempt >= min(policy_of(failed).retries, most_retries):
        return None
    wait_s = failed.retry_after_s or backoff_s(failed.failure, failed.task.attempt, rng)
    return Retry(wait_s, counted=own)


def backoff_s(failure: Failure, attempt: int, rng: Random) -> float:
    """Return the pause in seconds before the next attempt, after `attempt` earlier retries (>= 0).

    Exponential with full jitter, uniform over [0, min(cap, base * 2**attempt)]: the variant with
    the least contention in Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015.
    A Retry-After of the server outranks it; that is the caller's to respect.
    """
    base_s = POLICY[failure].base_s
    # The exponent is bounded since 2.0**1024 overflows; the cap is reached long before.
    return rng.uniform(0.0, min(BACKOFF_CAP_S, base_s * 2.0 ** min(attempt, 32)))


NO_SERVER = HOST_DOWN | {Failure.BLOCKED_ADDRESS}
"""Failures that say there is no server; any other is a server that asks to wait."""

NO_SERVER_RETRY_S = 1.0
NO_SERVER_PATIENCE_S = 2.0
"""Where none ever answered it is tried again twice, so a crawl without any reachable seed ends
within seconds, or after one try where a port says nothing at all. One that has answered before is
waited for."""

ROBOTS_RETRY_S = 30.0

STALE_RULES_S = 3600.0
"""RFC 9309 section 2.4 lets old rules stand while the file is unreachable; this long each time."""


@dataclass(frozen=True, slots=True)
class Patience:
    """When a robots.txt is asked for again, for how long in all, and what is said after that."""

    retry_in_s: float
    patience_s: float
    given_up: GivenUp | None
    """What the URLs end as once the origin is given up; None: never, it has answered before."""


def patience_with(
    failed: Failed, origin: str, robots_wait_s: float, *, known: bool, took_s: float
) -> Patience:
    """Return how to go on with an origin whose robots.txt failed after `took_s`.

    `robots_wait_s` bounds the patience with servers; `known` is whether this one ever answered.
    """
    detail = f"{origin}/robots.txt: {failed.detail}"
    retry_s = failed.retry_after_s or min(ROBOTS_RETRY_S, robots_wait_s / 4)
    if known:
        return Patience(retry_s, robots_wait_s, None)
    if failed.failure not in NO_SERVER:
        return Patience(retry_s, robots_wait_s, GivenUp(Skip.ROBOTS_UNREACHABLE, detail))
    given_up = GivenUp(failed.failure, detail)
    return Patience(NO_SERVER_RETRY_S, NO_SERVER_PATIENCE_S - took_s, given_up)
