"""What the frontier answers: the turns of `take`, the refusals of `offer`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crawler.models import Failure, FetchTask, Skip


class Refusal(StrEnum):
    """Why an offered URL was not queued. Refused URLs are not counted as seen, except `SEEN`."""

    SEEN = "seen"
    OUT_OF_SCOPE = "out-of-scope"
    TOO_DEEP = "too-deep"
    OVER_BUDGET = "over-budget"
    """Too long for what is left of its page's budget (`crawler.frontier.seen`)."""


class Filtered(str):
    """A refusal by one of the job's own filters, as it is counted (`crawler.frontier.scope`)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class GivenUp:
    """Why URLs are asked for no more; what they are recorded as."""

    reason: Failure | Skip
    detail: str


@dataclass(frozen=True, slots=True)
class Resolve:
    """The host's address is not known; requests at once are counted per address."""

    host: str


@dataclass(frozen=True, slots=True)
class CheckRobots:
    """robots.txt of this origin is unknown or stale. Holds a slot of host and address."""

    host: str
    """Who is asked: the origin's own host, or one that it redirects to."""
    origin: str
    asker: str
    """The origin's host, which waits for the answer."""


@dataclass(frozen=True, slots=True)
class LookFor:
    """A robots.txt leads another partition to a place of this host. Holds slots as CheckRobots."""

    host: str
    url: str


@dataclass(frozen=True, slots=True)
class Refill:
    """The host's queue is empty in memory and goes on in the store after this key."""

    host: str
    after: tuple[int, int, int] | None
    limit: int


@dataclass(frozen=True, slots=True)
class Abandon:
    """URLs that nothing is asked about: their host was given up, or robots.txt forbids them.

    They leave the frontier for good.
    """

    host: str
    tasks: tuple[FetchTask, ...]
    given_up: GivenUp


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing may be asked now. `until` is on the caller's clock; None: until something changes."""

    until: float | None
    lacks_slots: bool = False
    """Hosts wait for slots of their addresses that others have: this is not the end."""


Turn = FetchTask | Resolve | CheckRobots | LookFor | Refill | Abandon | Wait
