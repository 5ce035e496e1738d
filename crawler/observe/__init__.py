"""What a user sees of a crawl, from plain counts and the store's aggregates.

::

    summary   counts while it runs, and `summary.json`, which `crawler.views.report` is drawn from
    progress  how it is doing, every few seconds
    voices    how this and all other messages reach a pipe, a terminal, a log collector
    watching  who watches and steers a crawl, as the crawl sees it
    stalls    how long the event loop was held
    meter     who measures a crawl, as the crawl sees it
    metrics   the one there is: counts for Prometheus, where they are asked for

Each is imported by itself: reading a summary needs no asyncio.
"""
