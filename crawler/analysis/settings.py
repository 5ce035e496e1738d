"""What a page's analysis depends on besides the page: small, frozen and picklable."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.config import Dedup, Job


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """The part of a job that an analysis process needs."""

    tracking_parameters: frozenset[str]
    agent: str
    """Product token: meta robots may speak to it by name."""
    dedup: Dedup
    keep_nofollow: bool = False
    """Whether links marked rel=nofollow are listed all the same."""

    @classmethod
    def of(cls, job: Job) -> AnalysisSettings:
        """Return the analysis settings of a job."""
        return cls(
            tracking_parameters=frozenset(job.urls.tracking_parameters),
            agent=job.user_agent.name,
            dedup=job.dedup,
        )
