"""The frontier: which URL next, and when it is polite to ask.

Plain synchronous code: it decides and never waits, the clock is passed in, it holds no database. A
caller plays a loop of turns::

    match frontier.take(now):
        case FetchTask():    fetch it, then `release`
        case Resolve():      look up the host's address, then `resolved`
        case CheckRobots():  read it, then `robots.checked`, `robots.failed` or `robots.moved`
        case Refill():       read pending URLs from the store, then `refilled`
        case Abandon():      record the URLs of a host that was given up on
        case Wait():         sleep until then, or until something changed

Parts: `seen` (every URL ever accepted), `scope` (which may be), `traps` (which are held back,
since their subtree is endless: `subtrees` names it, `subtree` keeps its account, `yields` says what
a page was worth), `host_queue` (pending URLs of one host, the first of them in memory), `host`
(that queue and the host's politeness), `politeness` (all hosts, by when they may be asked),
`due_heap`, `addresses` (requests at once to one machine), `pauses` (what hosts are owed when a run
ends), `robots_answers` (what follows from robots.txt) and `patience` (from one that failed),
`turns` (the answers of `take`), `frontier` (owns them all).
"""

from crawler.frontier.frontier import Frontier
from crawler.frontier.patience import Patience, patience_with
from crawler.frontier.pauses import Pause
from crawler.frontier.scope import ScopeFilter
from crawler.frontier.seen import SeenSet
from crawler.frontier.subtree import Subtree
from crawler.frontier.traps import TrapRule, cut_records, released
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
    "Patience",
    "Pause",
    "Refill",
    "Refusal",
    "Resolve",
    "ScopeFilter",
    "SeenSet",
    "Subtree",
    "TrapRule",
    "Turn",
    "Wait",
    "cut_records",
    "patience_with",
    "released",
]
