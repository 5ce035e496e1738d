"""The network: one page or one robots.txt at a time, and every failure a value.

How a fetch goes, one module a step::

    client      Fetcher: a FetchTask in, a FetchOutcome out
    places      how many pages may be under way, and which stand aside while servers stall
    files       how many connections the limit of open files leaves room for
    machine     trouble of this machine and its network, which is no failure of a page
    transport   one HTTP exchange, each phase under its own time limit
    exchange    its response: head, and body within its caps
    deadline    the limits of its phases; `timeouts` ends none of them for a loop that was held
    access      what opens doors, read before all: `credentials` (logins), `cookie_file`,
                `certificates`, `proxy` (and `socks`)
    dns, guard  the name's addresses, and whether a socket may be opened to one of them; `mapped`
                has the names that the job leads to addresses itself
    wire        what a connection may bring in one exchange, framing included
    headers     what status, headers and first bytes decide before the body is read
    encoding    the body's compression undone, piece by piece
    redirects   followed within the fetch (cookie, slash, tracking), or handed back to the frontier
    cookies     those of one such chain, forgotten with it
    trouble     how a failure travels up, and the table that translates libraries' exceptions
    robots      robots.txt by origin, and what it allows; `flight` shares what is under way

Of the crawler only this package imports aiohttp; the demo web has a server of its own. When a host
may be asked again, and what is retried, is for the frontier to say; this package waits only before
a redirect that it follows itself.
"""

from crawler.fetch.access import Access
from crawler.fetch.client import Fetcher
from crawler.fetch.request_slots import Places, connections_left, places_within, raise_limit
from crawler.fetch.trouble import Machine

__all__ = [
    "Access",
    "Fetcher",
    "Machine",
    "Places",
    "connections_left",
    "places_within",
    "raise_limit",
]
