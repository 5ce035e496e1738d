"""The frontier: which URL next, and when it is polite to ask.

Plain synchronous code: it decides and never waits, the clock is passed in, it holds no database. A
caller plays a loop of turns::

    match frontier.take(now):
        case FetchTask():    fetch it, then `release`
        case Resolve():      look up the host's address, then `resolved`
        case CheckRobots():  read it, then `robots_checked`, `robots_failed` or `robots_moved`
        case Refill():       read pending URLs from the store, then `refilled`
        case Abandon():      record the URLs of a host that was given up on
        case Wait():         sleep until then, or until something changed

Parts: `seen` (every URL ever accepted), `scope` (which may be), `host_queue` (pending URLs of one
host, the first of them in memory), `host` (that queue and the host's politeness), `addresses`
(requests at once to one machine), `pauses` (what hosts are owed when a run ends), `turns` (the
answers of `take`), `frontier` (the schedule that owns them all).
"""

from crawler.frontier.frontier import Frontier
from crawler.frontier.pauses import Pause
from crawler.frontier.scope import ScopeFilter
from crawler.frontier.seen import SeenSet
from crawler.frontier.turns import (
    Abandon,
    CheckRobots,
    GivenUp,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)

__all__ = [
    "Abandon",
    "CheckRobots",
    "Frontier",
    "GivenUp",
    "Pause",
    "Refill",
    "Refusal",
    "Resolve",
    "ScopeFilter",
    "SeenSet",
    "Turn",
    "Wait",
]
