"""One pass over the committed lines of a directory, and what the report's figures are made of it.

Nothing of it grows with the crawl but the list of pages that are alike, and that is cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from crawler.crawl.summary import read_summary
from crawler.observe.summary import Outcomes
from crawler.printing import Say, progress
from crawler.records import SIBLING, UrlState
from crawler.report.counting import Likenesses, OverTime, Paces, seconds
from crawler.report.figures import Alike, Figures, HostEnds
from crawler.report.groups import Groups, similarity_of
from crawler.report.ledger import savings
from crawler.storage import (
    Line,
    Meta,
    StoreView,
    largest_clusters,
    largest_families,
    largest_hosts,
    reading_line,
    reading_stored_values,
)

MOST_HOSTS = 500
"""Hosts shown: of more only the largest."""
MOST_ALIKE = 200_000
"""Pages listed that are like a stored one: some 10 MB in a page, packed."""
TOLD_LINES = 200_000
"""Lines read between two lines of progress."""

_READ = ("pages", "duplicates", "redirects", "failures")
_Line = Mapping[str, Any]


def gather(view: StoreView, top: int, say: Say) -> Figures:
    """Return the figures of a directory, with `top` clusters and families.

    Raises StoreError where lines are missing or damaged.
    """
    summary = read_summary(view)
    hosts = largest_hosts(view, MOST_HOSTS)
    seen = _Seen(
        Groups(view, largest_clusters(view, top)),
        Groups(view, largest_families(view, top)),
        Paces(host for host, _ in hosts),
    )
    for kind, line in _lines(view, say):
        with reading_line(line.place):
            seen.look(kind, orjson.loads(line.data))
    with reading_stored_values(view.directory):
        job = view.meta(Meta.JOB) or {}
    return Figures(
        name=view.directory.resolve().name,
        summary=summary,
        delay_s=job.get("politeness", {}).get("delay_s"),
        hosts=[HostEnds(host, _ends(outcomes)) for host, outcomes in hosts],
        timeline=seen.time.result(),
        similarity=seen.likenesses.similarity(),
        distance=seen.likenesses.distance(),
        clusters=seen.clusters.result(),
        families=seen.families.result(),
        savings=savings(summary, seen.dropped_bytes),
        paces=seen.paces.result(crawl_delays(view), slow_pauses(view)),
        alike=seen.alike.result(),
    )


class _Seen:
    """All that one pass fills."""

    def __init__(self, clusters: Groups, families: Groups, paces: Paces) -> None:
        self.clusters, self.families, self.paces = clusters, families, paces
        self.time, self.likenesses, self.alike = OverTime(), Likenesses(), _AlikeRows()
        self.dropped_bytes: Counter[str] = Counter()

    def look(self, kind: str, line: _Line) -> None:
        verdict, at = line.get("verdict"), line.get("fetched_at")
        if at is not None:
            self._at(line, seconds(at), verdict)
        if kind == "duplicates":
            self.dropped_bytes[line["verdict"]] += line["body_bytes"]
        if verdict is None:
            return
        self.clusters.look(line)
        self.families.look(line)
        if like := line.get("duplicate_of") or line.get("sibling_of"):
            similarity, distance = similarity_of(line), line.get("distance")
            # A near duplicate that is stored too has a line in both files.
            if kind == "duplicates" or verdict == SIBLING:
                self.likenesses.add(verdict, line.get("similarity"), distance)
                self.alike.add(
                    line["url"], like["url"], verdict, line.get("evidence"), similarity, distance
                )

    def _at(self, line: _Line, at: float, verdict: str | None) -> None:
        if host := line.get("host"):
            self.paces.add(host, at)
        if verdict is not None:
            self.time.add(at, verdict)


class _AlikeRows:
    """The list of pages that are alike, up to `MOST_ALIKE`."""

    def __init__(self) -> None:
        self._total = 0
        self._urls: dict[str, int] = {}
        self._rows: list[tuple[int, int, str, str | None, float | None, int | None]] = []

    def add(
        self,
        url: str,
        like: str,
        verdict: str,
        evidence: str | None,
        similarity: float | None,
        distance: int | None,
    ) -> None:
        self._total += 1
        if len(self._rows) < MOST_ALIKE:
            numbers = self._number(url), self._number(like)
            known = None if similarity is None else round(similarity, 4)
            self._rows.append((*numbers, verdict, evidence, known, distance))

    def result(self) -> Alike:
        return Alike(self._total, list(self._urls), self._rows)

    def _number(self, url: str) -> int:
        return self._urls.setdefault(url, len(self._urls))


def crawl_delays(view: StoreView) -> dict[str, float]:
    """Return host -> the Crawl-delay of its robots.txt, of those that have one."""
    query = "SELECT origin, crawl_delay_s FROM rules WHERE crawl_delay_s IS NOT NULL"
    with reading_stored_values(view.directory):
        return {
            str(origin).rpartition("://")[2]: float(s) for origin, s in view.database.rows(query)
        }


def slow_pauses(view: StoreView) -> dict[str, float]:
    """Return host -> the pause that its answers have led to, of those where that is longer."""
    return {pause.host: pause.slow_s for pause in view.pauses() if pause.slow_s}


def _lines(view: StoreView, say: Say) -> Iterator[tuple[str, Line]]:
    read, of = 0, sum(extent.lines for kind, extent in view.extents().items() if kind in _READ)
    for kind in _READ:
        for line in view.lines(kind):
            yield kind, line
            read += 1
            if read % TOLD_LINES == 0:
                say(progress(f"Reading lines: {read:,} of {of:,} ..."))


def _ends(outcomes: Outcomes) -> dict[str, int]:
    ends: Counter[str] = Counter()
    for (state, detail), number in outcomes.items():
        named = state in (UrlState.STORED, UrlState.DUPLICATE)
        ends[detail if named else state.name.lower()] += number
    return dict(ends)
