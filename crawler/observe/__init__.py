"""What a user sees of a crawl, from plain counts and the store's aggregates.

`tally` counts while the crawl runs, `progress` says so every few seconds, `summary` makes
`summary.json` at the end, `report` draws tables from it.
"""

from crawler.observe.progress import Progress, hms
from crawler.observe.report import comparison, print_report, report
from crawler.observe.summary import DROPPED, JUDGED_ON, KIND, REASON, STAGES, summarise
from crawler.observe.tally import Tally
from crawler.printing import safe

__all__ = [
    "DROPPED",
    "JUDGED_ON",
    "KIND",
    "REASON",
    "STAGES",
    "Progress",
    "Tally",
    "comparison",
    "hms",
    "print_report",
    "report",
    "safe",
    "summarise",
]
