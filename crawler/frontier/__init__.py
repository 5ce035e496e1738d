"""The frontier: which URL next, when it is polite to ask, and what follows from what happened.

Plain synchronous code: it decides and never waits, the clock is passed in, it holds no database. A
caller plays a loop of turns and reports what happened::

    match frontier.take(now):
        case FetchTask():    fetch it, then `ended`, `spend`; once its end is stored, `settle`
        case Resolve():      look up the host's address, then `resolved`
        case CheckRobots():  ask for robots.txt, then `robots_answered`
        case LookFor():      ask for a place for another partition, then `looked`
        case Refill():       read pending URLs from the store, then `refilled`
        case Abandon():      record URLs that nothing is asked about, as above
        case Wait():         sleep until then, or until something changed

**A URL** is born by `offer`: in `scope`, not too deep, never `seen` before, admitted by the job's
own filters, and paid for by the page that leads there if it is long (`seen`). It waits in its
host's queue (`host`: the first of them in memory, all of them in the store). It is taken when its
host is due, and then ends: `ended` says whether it is asked for again or has its outcome, `spend`
learns from that, `settle` forgets the URL. One whose host was given up or robots.txt forbids ends
without being asked for; one whose host or part of a host is put aside comes back when that answers
again, or stays pending for a later run. Where a shorter path to it is found later, its links are
offered again (`seen`).

**A host** is born with its first URL. It has one place at a time: in the schedule by when it may be
asked, in line at its IP address where that has no room, held back while too many pages of its
domain wait to be read, held by a turn, or out. Its
address and its robots.txt are asked for before its first page. Each request ends in a pause; what
it answers may lengthen that, end it, or park it. `host` has all its states and events in one table,
`politeness` holds all hosts by when they are due. It is forgotten when it has no URLs and its pause
has passed; what it still owes is kept for a later run (`Pause`).

**What follows from what happened**: `failures` is the table (retries, pauses, strikes, patience
with robots.txt), `frontier` applies it to the page, to its host and to what is put aside, `scope`
has what the job says of some hosts only.

**What URLs bring**: `learning` is the one account of what an address means on a site. It tells by
what came of others which URL is part of an endless subtree (`traps`) and held back, and which will
bring little or nothing: these wait in their host's queue behind all that may bring more.

`frontier` owns all the parts, gives every URL its number, makes the turn of a host that is due and
filters its queue; `turns` has what `take` and `offer` answer, `view` what a watcher sees.
"""

from crawler.frontier.failures import PASSING, PASSING_SKIPS
from crawler.frontier.frontier import Frontier
from crawler.frontier.host import Health, Pause
from crawler.frontier.scope import UrlFilters
from crawler.frontier.seen import Nearer, SeenSet, UrlBudget
from crawler.frontier.traps import Subtree, cut_records, released
from crawler.frontier.turns import (
    Abandon,
    CheckRobots,
    Filtered,
    LookFor,
    Refill,
    Refusal,
    Resolve,
    Turn,
    Wait,
)
from crawler.frontier.view import FrontierCounts, HostSeen, RulesSeen

__all__ = [
    "PASSING",
    "PASSING_SKIPS",
    "Abandon",
    "CheckRobots",
    "Filtered",
    "Frontier",
    "FrontierCounts",
    "Health",
    "HostSeen",
    "LookFor",
    "Nearer",
    "Pause",
    "Refill",
    "Refusal",
    "Resolve",
    "RulesSeen",
    "SeenSet",
    "Subtree",
    "Turn",
    "UrlBudget",
    "UrlFilters",
    "Wait",
    "cut_records",
    "released",
]
