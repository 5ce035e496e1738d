"""How long a robots.txt that cannot be read is asked for again, and what is said after that."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.frontier.turns import GivenUp
from crawler.records import Failed, Failure, Skip

NO_SERVER = frozenset(
    {Failure.DNS, Failure.CONNECT, Failure.TIMEOUT_CONNECT, Failure.TLS, Failure.BLOCKED_ADDRESS}
)
"""Failures that say there is no server; any other is a server that asks to wait."""

NO_SERVER_RETRY_S = 1.0
NO_SERVER_PATIENCE_S = 2.0
"""Where none ever answered it is tried again twice, so a crawl without any reachable seed ends
within seconds, or after one try where a port says nothing at all. One that has answered before is
waited for, and then left pending."""

RETRY_S = 30.0


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
    retry_s = failed.retry_after_s or min(RETRY_S, robots_wait_s / 4)
    if failed.failure not in NO_SERVER:
        return Patience(retry_s, robots_wait_s, GivenUp(Skip.ROBOTS_UNREACHABLE, detail))
    if known:
        return Patience(retry_s, robots_wait_s, None)
    given_up = GivenUp(failed.failure, detail)
    return Patience(NO_SERVER_RETRY_S, NO_SERVER_PATIENCE_S - took_s, given_up)
