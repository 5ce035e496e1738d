"""What a response says beside its body: what the page is known by, robots directives, Refresh."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.config import Job
from crawler.dedup import payload_digest
from crawler.extract import refresh_target, robots_directives
from crawler.records import Fetched, PayloadKey
from crawler.urls import Canonicaliser


@dataclass(frozen=True, slots=True)
class Said:
    """What one response says."""

    key: PayloadKey
    noindex: bool
    nofollow: bool
    leads_to: str | None
    """Where the Refresh header leads, if that is to another page."""


class ResponseReader:
    """Reads the headers of what was fetched."""

    def __init__(self, job: Job) -> None:
        self._agent = job.user_agent.name
        self._hash = job.dedup.payload_hash
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))

    def __call__(self, fetched: Fetched) -> Said:
        """Return what the response says."""
        robots = robots_directives(fetched.headers.get("x-robots-tag"), self._agent)
        declared = fetched.media_type + (f";{fetched.charset}" if fetched.charset else "")
        key = PayloadKey(payload_digest(fetched.body, self._hash), declared)
        return Said(key, robots.noindex, robots.nofollow, self._refresh(fetched))

    def _refresh(self, fetched: Fetched) -> str | None:
        written = refresh_target(fetched.headers.get("refresh", ""))
        target = self._canonicalise(written, fetched.final_url) if written else None
        return None if target in (fetched.task.url, fetched.final_url) else target
