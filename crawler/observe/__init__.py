"""What a user sees of a crawl, from plain counts and the store's aggregates.

`summary` counts while the crawl runs (`Tally`) and makes `summary.json` at the end, `progress` says
how it is doing every few seconds, `report` draws tables. `progress` and `report` are imported by
themselves, by what runs and by what prints: the one has no use for rich, the other for asyncio.
"""

from crawler.observe.summary import DROPPED, JUDGED_ON, KIND, REASON, STAGES, Tally, summarise

__all__ = [
    "DROPPED",
    "JUDGED_ON",
    "KIND",
    "REASON",
    "STAGES",
    "Tally",
    "summarise",
]
