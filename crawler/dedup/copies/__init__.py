"""A page that is like another one: its copy, or a sibling, another page of the same template.

::

    two pages that are alike -> what only one of them shows -> does it belong to the site?
                             -> do this site's pages prove an edition? -> Evidence

Resemblance proposes, evidence decides (docs/siblings.md). `appearance` is what is kept of a page
for this, `volatile` takes stamps and counters off lines, `agreement` finds what one page shows and
the other does not, `naming` the names and numbers in it that stand for others, `renditions` what a
PDF and a page do not both say. `rules` decides, by what a site's pages have proven of its addresses
(`crawler.urls.editions`), and `inquiry` lets it speak on a page and what the catalogue knows.
"""

from crawler.dedup.copies.appearance import (
    Appearance,
    judged_text,
    lines_of,
    of_fields,
    pack,
    unpack,
)
from crawler.dedup.copies.inquiry import MOST_ADDRESSED, MOST_WEIGHED, Inquiry
from crawler.dedup.copies.rules import only_stamps_differ
from crawler.urls.editions import address_key

__all__ = [
    "MOST_ADDRESSED",
    "MOST_WEIGHED",
    "Appearance",
    "Inquiry",
    "address_key",
    "judged_text",
    "lines_of",
    "of_fields",
    "only_stamps_differ",
    "pack",
    "unpack",
]
