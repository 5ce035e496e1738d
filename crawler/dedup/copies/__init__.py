"""A page that is like another one: its copy, or a sibling, another page of the same template.

::

    two pages that are alike -> address, canonical, title -> lines only one of them has -> Evidence

Resemblance proposes, evidence decides (docs/siblings.md). `appearance` is
what is kept of a page for this, `address` compares URLs, `volatile` takes dates and counters off
lines, `agreement` finds the lines in which two pages differ, `rules` asks one after another, and
`inquiry` lets them speak on a page and what the catalogue knows.
"""

from crawler.dedup.copies.address import address_key
from crawler.dedup.copies.appearance import (
    Appearance,
    judged_text,
    lines_of,
    of_fields,
    pack,
    unpack,
)
from crawler.dedup.copies.inquiry import MOST_WEIGHED, Inquiry
from crawler.dedup.copies.rules import Seen, weigh

__all__ = [
    "MOST_WEIGHED",
    "Appearance",
    "Inquiry",
    "Seen",
    "address_key",
    "judged_text",
    "lines_of",
    "of_fields",
    "pack",
    "unpack",
    "weigh",
]
