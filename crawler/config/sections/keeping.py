"""What is kept, and when it is looked at again."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from crawler.choices import WarcNear
from crawler.config.sections.base import Section, Whole


class Storage(Section):
    """The files that a crawl writes."""

    rotate_bytes: Annotated[Whole, Field(ge=100_000)] | None = None
    """Size from which on the lines of a kind go on in another file; None: each kind has one file,
    which every tool reads by its name. Smaller files than the least one would be thousands."""
    warc: bool = False
    """Keep what was exchanged with servers as WARC/1.1 archives, too, in the directory `warc`."""
    warc_bytes: Annotated[Whole, Field(ge=100_000)] = 1_000_000_000
    """Size from which on an archive goes on in another file: what the tools of archives expect."""
    warc_near: WarcNear = WarcNear.RESPONSE
    """What becomes of duplicates there that are not the same bytes as a stored page."""


class Recrawl(Section):
    """When the pages of a crawl are visited again (`crawler.recrawl`)."""

    min_s: Annotated[float, Field(gt=0, le=1e9)] = 86_400.0
    """Shortest time between two visits of a page, and the time before its first one."""
    max_s: Annotated[float, Field(gt=0, le=1e9)] = 5_184_000.0
    """Longest one: 60 days, six doublings of a day, so a page that never changes is seen there at
    its seventh visit."""

    @field_validator("max_s")
    @classmethod
    def _is_not_less(cls, max_s: float, info: ValidationInfo) -> float:
        if max_s < info.data.get("min_s", 0.0):
            raise ValueError("must not be less than recrawl.min_s")
        return max_s
