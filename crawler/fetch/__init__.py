"""The network: one page or one robots.txt at a time, and every failure a value.

::

    client         Fetcher: a FetchTask in, a FetchOutcome out; redirects, and what archives keep
    request_slots  how many pages may be under way, and which give way while servers stall
    exchange       one request under its time limits, whose trouble it was, and the port `Transport`
    transport      that port over aiohttp; `socks` needs its extra
    response       what a response's head decides before its body is read, and the body within caps
    browser        Chromium, which renders pages; `resources` is what it may ask for
    robots         a robots.txt read and matched; `robots_cache` those of all origins
    access         what goes with requests: header fields, logins, cookies, certificates, proxy
    addresses      names to addresses, and the guard: where a connection may be opened to
    trouble        how a failure travels in here

What is decided stands before a transport and knows none; a transport decides nothing.
"""

from crawler.fetch.access import Access
from crawler.fetch.client import Fetcher
from crawler.fetch.exchange import Machine
from crawler.fetch.request_slots import RequestSlots, connections_left, raise_limit, slots_within

__all__ = [
    "Access",
    "Fetcher",
    "Machine",
    "RequestSlots",
    "connections_left",
    "raise_limit",
    "slots_within",
]
