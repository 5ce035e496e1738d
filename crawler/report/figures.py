"""What a report shows beside the summary's counts, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Member:
    """A page of a cluster or family, with what it takes to compare it with another one."""

    url: str
    verdict: str
    """`stored` for the page that the others are like."""
    title: str | None = None
    evidence: str | None = None
    similarity: float | None = None
    distance: int | None = None
    text: str | None = None
    """The text as it is kept, cut to `groups.MAX_TEXT` characters; None where there is none."""
    missing: str = ""
    """Why there is no text."""


@dataclass(frozen=True, slots=True)
class Group:
    """A stored page and pages that are like it: its copies, or its siblings."""

    id: int
    size: int
    """All pages that are like it, shown or not."""
    members: Sequence[Member]
    """The stored page first."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """How pages were judged, in equal spans of time."""

    begin: float
    """Unix seconds."""
    span_s: float
    counts: Mapping[str, Sequence[int]]
    """Verdict -> pages in each span."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Numbers of pages by a value in equal steps from `low`."""

    low: float
    step: float
    counts: Mapping[str, Sequence[int]]
    """Verdict -> pages in each step."""


@dataclass(frozen=True, slots=True)
class Saving:
    """What one rule saved, as far as it is known; None where it saves nothing of the kind."""

    rule: str
    meaning: str
    pages: int
    requests: int | None = None
    bytes: int | None = None
    cpu_s: float | None = None


@dataclass(frozen=True, slots=True)
class HostPace:
    """How one host was asked."""

    host: str
    answers: int
    """That have a line: pages, copies, redirects, failures with an answer."""
    median_s: float | None
    """Between two answers of one run of requests; None of a host asked once."""
    least_s: float | None
    crawl_delay_s: float | None
    """As its robots.txt asks; None where that says nothing."""
    slow_s: float | None
    """The pause that its answers have led to by now, where that is longer."""


@dataclass(frozen=True, slots=True)
class HostEnds:
    """How the URLs of a host ended."""

    host: str
    ends: Mapping[str, int]
    """`new`, `near`, `redirect`, `failed` ... -> URLs."""


@dataclass(frozen=True, slots=True)
class Alike:
    """All pages that are like a stored one, column by column, as far as a page can hold them."""

    total: int
    """Of the crawl, shown or not."""
    urls: Sequence[str]
    """Every URL once."""
    rows: Sequence[tuple[int, int, str, str | None, float | None, int | None]]
    """(number of its URL, number of the stored page's URL, verdict, evidence, similarity,
    distance)."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that a page shows."""

    name: str
    """Of the directory."""
    summary: Mapping[str, Any]
    delay_s: float | None
    """The job's pause between two requests to a host."""
    hosts: Sequence[HostEnds]
    timeline: Timeline | None
    """None where lines have no times, as those of a corpus."""
    similarity: Histogram
    distance: Histogram
    clusters: Sequence[Group]
    families: Sequence[Group]
    savings: Sequence[Saving]
    paces: Sequence[HostPace]
    alike: Alike = field(default_factory=lambda: Alike(0, [], []))

    def as_json(self) -> dict[str, Any]:
        """Return all but texts and the list of all pages: data for machines."""
        known = asdict(self)
        del known["alike"]
        for group in (*known["clusters"], *known["families"]):
            for member in group["members"]:
                del member["text"], member["missing"]
        return known
