"""The network: one page or one robots.txt at a time, and every failure a value.

::

    client         Fetcher: a FetchTask in, a FetchOutcome out; redirects, and what archives keep
    request_slots  how many pages may be under way, and which give way while servers stall
    transport      one HTTP exchange over aiohttp; `exchange` its response, within caps and limits
    admission      what status, headers and first bytes decide, before a body is read
    robots         a robots.txt read and matched; `robots_cache` those of all origins
    access         what opens doors: proxy, logins, cookies, certificates; `socks` needs its extra
    addresses      names to addresses, and the guard: where a connection may be opened to
    trouble        the one table that translates exceptions, and whose trouble each is
"""

from crawler.fetch.access import Access
from crawler.fetch.client import Fetcher
from crawler.fetch.request_slots import RequestSlots, connections_left, raise_limit, slots_within
from crawler.fetch.trouble import Machine

__all__ = [
    "Access",
    "Fetcher",
    "Machine",
    "RequestSlots",
    "connections_left",
    "raise_limit",
    "slots_within",
]
