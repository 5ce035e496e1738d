"""What became of a crawl, for people: tables for a terminal, a page to look at, data for machines.

::

    summary.json's counts ─┬─▶ tables   for a terminal: counts only, in a moment
                           │
    committed lines ───────┴─▶ figures  one pass over them ─┬─▶ page   one HTML file
                                                            └─▶ JSON
"""

from __future__ import annotations
