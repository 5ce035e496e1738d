"""What is asked of an analysis process, and what it answers besides a Document."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.records import Failure


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A page as fetched."""

    url: str
    """Where the body came from; links are resolved against it."""
    body: bytes
    media_type: str
    """Lower-case essence of Content-Type."""
    charset: str | None
    """What the server declared, if anything."""


@dataclass(frozen=True, slots=True)
class AnalysisFailed:
    """A page that could not be read; `failure` is one of the three `ANALYSIS_*`."""

    failure: Failure
    detail: str
