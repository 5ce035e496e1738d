"""The live page of a crawl (`--live`): how it is doing, what becomes of each URL, and how to steer.

::

    feed      the last URLs that ended, each with its verdict and why
    rates     how many ended as what, for some minutes
    guard     which requests are answered: no other site's, none through a name that is not ours
    page      what readers are given: one JSON object for each look, made when somebody looks
    server    HTTP: the page's files, the look, and what may be asked of the crawl
    panel     the same in a terminal, in rows that are drawn anew
    verdicts  the same as lines: each URL's end, hosts that are put aside

It runs in the crawl's own event loop, so what is shown fits together and nothing needs a lock. A
reader asks again and again, and is given what is new to it: nothing is kept for one reader.
"""

from __future__ import annotations
