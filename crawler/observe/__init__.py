"""What a user sees of a crawl, from plain counts and the store's aggregates.

`tally` counts while the crawl runs, `progress` says so every few seconds, `summary` makes
`summary.json` at the end, `report` draws tables from it. `progress` and `report` are imported by
themselves, by what runs and by what prints: the one has no use for rich, the other for asyncio.
"""

from crawler.observe.summary import DROPPED, JUDGED_ON, KIND, REASON, STAGES, summarise
from crawler.observe.tally import Tally

__all__ = [
    "DROPPED",
    "JUDGED_ON",
    "KIND",
    "REASON",
    "STAGES",
    "Tally",
    "summarise",
]
