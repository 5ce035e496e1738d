"""What a response says beside its body: what the page is known by, robots directives, Refresh."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.analysis import AnalysisRequest
from crawler.config import Job
from crawler.dedup import payload_digest
from crawler.extract import refresh_target, robots_directives
from crawler.frontier.blocks import HostBlocks
from crawler.records import Document, Fetched, FetchTask, PayloadKey
from crawler.urls import Canonicaliser, host_key

REFRESH_TOKENS = 16
"""A page that refreshes (meta element, header) and has fewer tokens only says where it moved."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one response says."""

    key: PayloadKey
    noindex: bool
    nofollow: bool
    leads_to: str | None
    """Where the Refresh header leads, if that is to another page."""

    def moved_to(self, task: FetchTask, page: Document) -> str | None:
        """Return where a page leads by itself, if it says too little to be a page."""
        target = self.leads_to or page.refresh
        short = page.signature.tokens < REFRESH_TOKENS
        return target if short and target != task.url else None


class ResponseReader:
    """Reads the headers of what was fetched."""

    def __init__(self, job: Job) -> None:
        self._agent_of = HostBlocks(job).agent
        self._hash = job.dedup.payload_hash
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))

    def __call__(self, fetched: Fetched) -> Said:
        """Return what the response says."""
        agent = self._agent_of(host_key(fetched.final_url))
        robots = robots_directives(fetched.headers.get("x-robots-tag"), agent)
        declared = fetched.media_type + (f";{fetched.charset}" if fetched.charset else "")
        key = PayloadKey(payload_digest(fetched.body, self._hash), declared)
        return Said(key, robots.noindex, robots.nofollow, self._refresh(fetched))

    def request(self, fetched: Fetched) -> AnalysisRequest:
        """Return the page as it is to be read."""
        url, agent = fetched.final_url, self._agent_of(host_key(fetched.final_url))
        return AnalysisRequest(url, fetched.body, fetched.media_type, fetched.charset, agent=agent)

    def _refresh(self, fetched: Fetched) -> str | None:
        written = refresh_target(fetched.headers.get("refresh", ""))
        target = self._canonicalise(written, fetched.final_url) if written else None
        return None if target in (fetched.task.url, fetched.final_url) else target
