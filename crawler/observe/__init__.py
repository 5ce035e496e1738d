"""What a run tells while it runs, from plain counts.

::

    summary          counts while it runs, and `summary.json`, which reports are drawn from
    progress         how it is doing, every few seconds; how long the event loop was held, and how
                     long work is cut into slices, so that it is free in between
    messages         how messages reach a pipe, a terminal, a log collector
    watching         who watches, measures and steers a crawl, as the crawl sees it
    counting         what a process counts for its metrics
    health           whether a run is alive and makes progress, for probes and systemd
    metrics          what is counted, for Prometheus, where it is asked for
    parts            which exchangeable parts do the work
    internal_errors  our own mistakes with one page: noted, and the crawl goes on

Each is imported by itself: reading a summary needs no asyncio.
"""
