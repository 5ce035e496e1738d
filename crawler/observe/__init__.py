"""What a user sees of a crawl, from plain counts and the store's aggregates.

::

    summary   counts while it runs, and `summary.json`, which the report's tables are drawn from
    progress  how it is doing, every few seconds
    report    the tables

Each is imported by itself: printing a report needs no asyncio, running a crawl needs no rich.
"""
