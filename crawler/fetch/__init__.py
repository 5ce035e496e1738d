"""The network: one page or one robots.txt at a time, and every failure a value.

How a fetch goes, one module a step::

    client      Fetcher: a FetchTask in, a FetchOutcome out
    transport   one HTTP exchange, each phase under its own time limit
    dns, guard  the name's addresses, and whether a socket may be opened to one of them
    headers     what status and headers decide before the body
    redirects   in place (cookie, slash, tracking), or elsewhere, to be offered to the frontier
    wire        what a connection may bring in one exchange, framing included
    places      how many pages are under way, and which stand aside while servers stall
    body        read within caps; `encoding` undoes compression, `sniffing` guesses a missing type
    trouble     how a failure travels up, and the table that translates libraries' exceptions
    robots      robots.txt by origin, read by `robotstxt`; `flight` shares what is under way

aiohttp is imported here only. What politeness asks (when a host may be asked again) is the
frontier's matter; this package waits only before a redirect that it follows itself.
"""

from crawler.fetch.client import Fetcher, user_agent
from crawler.fetch.places import Workers, places_aside
from crawler.fetch.robots import Robots

__all__ = [
    "Fetcher",
    "Robots",
    "Workers",
    "places_aside",
    "user_agent",
]
