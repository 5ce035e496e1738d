"""The network: one page or one robots.txt at a time, and every failure a value.

::

    client         Fetcher: a FetchTask in, a FetchOutcome out; what an archive keeps of it
    request_slots  how many pages may be under way, and which give way while servers stall
    transport      one HTTP exchange over aiohttp; `exchange` its response, within caps and limits
    admission      what status, headers and first bytes decide, before a body is read
    redirects      where a redirect leads: followed within the fetch, or handed back
    robots         a robots.txt read and matched; `robots_cache` those of all origins
    access         what opens doors: proxy, logins, cookies, certificates; `socks` needs its extra
    addresses      names to addresses, and the guard: where a connection may be opened to
    trouble        the one table that translates exceptions, and whose trouble each is
    timeouts       limits in which only that time counts in which the event loop listened
    caches         caches bounded in bytes; one request for all who ask the same
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
