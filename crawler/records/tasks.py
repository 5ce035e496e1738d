"""URLs on their way: the states a seen URL may be in, and what the frontier hands out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class UrlState(IntEnum):
    """Where a seen URL stands; every URL is in exactly one state (the accounting identity)."""

    PENDING = 0
    STORED = 1
    DUPLICATE = 2
    REDIRECT = 3
    FAILED = 4
    SKIPPED = 5


class Priority(IntEnum):
    """What is taken first from a host's queue, before depth."""

    ORDINARY = 0
    DEFERRED = 1
    """Links found on a duplicate: they may lead to new pages, but rarely do."""


@dataclass(frozen=True, slots=True)
class FetchTask:
    """One URL to fetch. `url` is canonical; `host` its host key (`crawler.urls.host_key`)."""

    url_id: int
    url: str
    host: str
    depth: int
    priority: Priority = Priority.ORDINARY
    hops: int = 0
    """Redirects that led here, counted from the last link or seed."""
    referrer: str | None = None
    attempt: int = 0
    """Attempts already made; not kept across a resume."""
    seed: bool = False
    """A seed, or where a seed's own redirects led: its redirect widens the scope."""
