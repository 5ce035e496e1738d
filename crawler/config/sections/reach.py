"""Which URLs are crawled, and how many: scope, limits, traps, the queue, canonical URLs."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from crawler import urls
from crawler.choices import ScopeMode, SitemapUse
from crawler.config.sections.base import Section, Whole
from crawler.config.sections.languages import Languages


def _compile(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
    return patterns


Patterns = Annotated[tuple[str, ...], AfterValidator(_compile)]
"""Regular expressions that are looked for in URLs."""


class Scope(Section):
    """Which URLs may be queued; `include` and `exclude` are regular expressions found in URLs."""

    mode: ScopeMode = ScopeMode.HOST
    include: Patterns = ()
    exclude: Patterns = ()
    follow_only: Patterns = ()
    """Pages whose URL matches are asked for, and their links followed; they are neither stored nor
    compared with others."""
    languages: Languages = ()
    """Languages of the pages that are stored; the links of others are followed. What tells none is
    stored. Empty: all."""


class Limits(Section):
    """Where a crawl stops; None means no limit."""

    pages: Annotated[Whole, Field(ge=1)] | None = None
    """Pages fetched; the rest stays pending and a resume with a higher limit goes on."""
    depth: Annotated[Whole, Field(ge=0)] | None = None
    """Links from a seed."""
    time_s: Annotated[float, Field(gt=0)] | None = None
    """Seconds of one run, after which it begins no new page; a resume goes on."""
    bytes: Annotated[Whole, Field(ge=1)] | None = None
    """Of bodies as they travelled, over all runs. The pages in progress then are finished: it is
    passed by what these have."""
    disk: Annotated[Whole, Field(ge=1)] | None = None
    """Of all files in the output directory. Looked at every few seconds, and the pages in progress
    then are finished: it is passed by what comes meanwhile."""
    free_disk: Annotated[Whole, Field(ge=1)] | None = None
    """Bytes that the crawl leaves free on the disk of its directory; looked at likewise."""
    redirects: Annotated[int, Field(ge=0, le=100)] = 5
    """Redirects in a row (RFC 9309 2.3.1.2 asks for at least five for robots.txt)."""


class Sitemaps(Section):
    """Lists of pages that sites publish (sitemaps.org): which are asked for, and how many."""

    use: SitemapUse = SitemapUse.NONE
    files: Annotated[Whole, Field(ge=1)] = 1_000
    """Files of one host in one run."""
    urls: Annotated[Whole, Field(ge=1)] = 1_000_000
    """URLs taken from the files of one host in one run."""


class Traps(Section):
    """When a part of the web that would go on for ever is cut; the rule is in docs/traps.md."""

    enabled: bool = True
    budget: Annotated[Whole, Field(ge=8)] = 200
    """Fruitless pages, over new ones, that a subtree may cost before it can be cut."""
    copies: Annotated[Whole, Field(ge=0)] = 4
    """Copies of one page on one registrable domain that are no sign of a trap: mirrors, versions,
    print versions."""


class Frontier(Section):
    """Bounds of the URL queue: what does not fit in memory waits in the store."""

    host_queue: Annotated[Whole, Field(ge=2)] = 500
    """URLs of one host held in memory."""
    total_queue: Annotated[Whole, Field(ge=100)] = 200_000
    """URLs of all hosts held in memory."""
    long_url_bytes: Annotated[Whole, Field(ge=0)] | None = 1_000_000
    """What long URLs on pages of one registrable domain may take on disk, beyond what those pages
    sent; None: no limit. Two pages of ten thousand such links make 40 MB without it."""


class Urls(Section):
    """Canonicalisation; part of a crawl's identity."""

    tracking_parameters: tuple[str, ...] = tuple(sorted(urls.TRACKING_PARAMETERS))
