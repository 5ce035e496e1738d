"""Pages of a finished crawl, visited again: which are due, and what has changed of each.

A recrawl is a crawl in a directory of its own that names those that it goes back to (`Plan`). What
became of each page is in the one line with which its URL ends there, under `revisit`; so it is
durable with that end, and no earlier directory is ever written to. What is known of a page is the
fold of these lines over all directories, oldest first (`pages`); when it is due follows from its
history (`history`), what has changed from what is kept of it (`comparison`). `visits` is what the
life of a page asks, `changes` writes what was found as one file.
"""

from crawler.recrawl.changes import CHANGES, write_changes
from crawler.recrawl.comparison import Change, Kind
from crawler.recrawl.history import History, interval_s, rate
from crawler.recrawl.pages import KnownPage, known_pages
from crawler.recrawl.plan import Plan
from crawler.recrawl.sources import Last, Sources
from crawler.recrawl.visits import Visits

__all__ = [
    "CHANGES",
    "Change",
    "History",
    "Kind",
    "KnownPage",
    "Last",
    "Plan",
    "Sources",
    "Visits",
    "interval_s",
    "known_pages",
    "rate",
    "write_changes",
]
