"""What a report shows beside the counts.

Gathered by one pass over the committed lines, all of it bounded.
"""

from __future__ import annotations

from base64 import b64encode
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

import orjson

from crawler.console import Say, progress
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, StoredRef, UrlState
from crawler.observe.summary import Outcomes
from crawler.storage.database import reading_stored_values
from crawler.storage.journal import reading_line
from crawler.storage.summary import read_summary
from crawler.storage.tables import Meta
from crawler.storage.view import AlikeUrl, StoreView, largest_clusters, largest_hosts, members


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
    picture: str | None = None
    """What it looks like, a JPEG in base64, where it was rendered and is compared by eye."""


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


AlikeRow = tuple[int, int, str, str | None, float | None, int | None]
"""(number of its URL, of the stored page's URL, verdict, evidence, similarity, distance)."""


@dataclass(frozen=True, slots=True)
class Alike:
    """All pages that are like a stored one, column by column, as far as a page can hold them."""

    total: int
    """Of the crawl, shown or not."""
    urls: Sequence[str]
    """Every URL once."""
    rows: Sequence[AlikeRow]


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
    """0..1; the last step is 1 alone."""
    distance: Histogram
    """Hamming distance, 0..64."""
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


SPANS = 60
"""Bars over time: as many as a phone shows."""
DISTANCES = 65
"""Of 64-bit fingerprints: 0 to 64."""
SIMILARITY_STEP = 0.02
PAUSE_S = 600.0
"""A longer time between two answers of a host is not its pace: the crawl stood still, or the host
had nothing due."""
GAPS = 1_001
"""Answers of a host whose times are kept, the last ones."""


def seconds(at: str) -> float:
    """Return a line's time in Unix seconds."""
    return datetime.fromisoformat(at).timestamp()


class OverTime:
    """Verdicts by second until there are too many, then by two, four and so on."""

    def __init__(self) -> None:
        self._width = 1
        self._counts: Counter[tuple[int, str]] = Counter()

    def add(self, at: float, verdict: str) -> None:
        """Count a page."""
        self._counts[int(at) // self._width, verdict] += 1
        if len(self._counts) > 100 * SPANS:
            self._width *= 2
            halved: Counter[tuple[int, str]] = Counter()
            for (span, name), number in self._counts.items():
                halved[span // 2, name] += number
            self._counts = halved

    def result(self) -> Timeline | None:
        """Return at most `SPANS` spans of equal length; None of no page."""
        if not self._counts:
            return None
        spans = [span for span, _ in self._counts]
        first, last = min(spans), max(spans) + 1
        merged = -(-(last - first) // SPANS)
        length = -(-(last - first) // merged)
        counts: dict[str, list[int]] = defaultdict(lambda: [0] * length)
        for (span, verdict), number in self._counts.items():
            counts[verdict][(span - first) // merged] += number
        return Timeline(float(first * self._width), float(merged * self._width), dict(counts))


class Paces:
    """How some hosts were asked: the times between their answers, in the order of their lines."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._times: dict[str, list[float]] = {host: [] for host in hosts}
        self._answers: Counter[str] = Counter()

    def add(self, host: str, at: float) -> None:
        """Count an answer; of a host that is not one of ours nothing is kept."""
        times = self._times.get(host)
        if times is None:
            return
        self._answers[host] += 1
        insort(times, at)
        if len(times) > GAPS:
            # A run of neighbours must stay whole, or the times between them grow: the oldest go.
            del times[0]

    def result(
        self, crawl_delays: Mapping[str, float], slow: Mapping[str, float]
    ) -> list[HostPace]:
        """Return a pace for each host that answered, in the order in which they were named.

        `slow` has the pauses that answers have led to.
        """
        found = []
        for host, times in self._times.items():
            if number := self._answers[host]:
                pairs = pairwise(times)
                gaps = sorted(gap for a, b in pairs if (gap := b - a) <= PAUSE_S)
                middle = gaps[len(gaps) // 2] if gaps else None
                least = gaps[0] if gaps else None
                asked = crawl_delays.get(host), slow.get(host)
                found.append(HostPace(host, number, middle, least, *asked))
        return found


MOST_MEMBERS = 12
"""Pages shown of a group beside its stored page: a reader compares a few."""
MAX_TEXT = 12_000
"""Characters of a text that are shown: with 20 groups a page stays below 4 MB."""

_Line = Mapping[str, Any]


class Groups:
    """Groups that wait for lines of their pages; memory is that of the pages shown."""

    def __init__(self, view: StoreView, sized: Iterable[tuple[StoredRef, int]]) -> None:
        self._view = view
        self._sized = list(sized)
        self._alike = members(view, [ref.id for ref, _ in self._sized], MOST_MEMBERS)
        self._wanted: dict[str, _Line | None] = {ref.url: None for ref, _ in self._sized}
        self._wanted |= {one.url: None for found in self._alike.values() for one in found}

    def look(self, line: _Line) -> None:
        """Keep a line that one of the groups needs; the last one of a URL is the one that holds."""
        if line["url"] in self._wanted:
            text = line.get("text")
            self._wanted[line["url"]] = line if text is None else {**line, "text": text[:MAX_TEXT]}

    def result(self) -> list[Group]:
        """Return the groups, largest first, once all lines were looked at."""
        found = []
        for ref, size in self._sized:
            line, picture = self._wanted[ref.url], _in_base64(self._view.picture_of(ref.id))
            if line is None:
                first = Member(ref.url, "stored", missing=NO_LINE, picture=picture)
            else:
                title, text = title_of(line), line["text"]
                first = Member(ref.url, "stored", title, text=text, picture=picture)
            others = (self._member(one, ref.url) for one in self._alike[ref.id])
            found.append(Group(ref.id, size, [first, *others]))
        return found

    def _member(self, one: AlikeUrl, original: str) -> Member:
        line = self._wanted[one.url] or {}
        text_of, missing = line, NO_LINE
        if one.state is not UrlState.STORED:
            kept = self._view.dropped(one.url_id)
            if kept is not None:
                text_of = {**kept.line, "text": kept.line["text"][:MAX_TEXT], "fields": None}
            elif one.detail in (EXACT_PAYLOAD, EXACT_TEXT):
                text_of, missing = self._wanted[original] or {}, "its original has no line"
            else:
                text_of, missing = {}, _NOT_KEPT
        text = text_of.get("text")
        return Member(
            one.url,
            one.detail,
            title_of(text_of),
            line.get("evidence"),
            similarity_of(line),
            line.get("distance"),
            text,
            missing if text is None else "",
            _in_base64(self._view.picture(one.url_id)),
        )


def _in_base64(image: bytes | None) -> str | None:
    return None if image is None else b64encode(image).decode("ascii")


NO_LINE = "its line is not in pages.jsonl"
_NOT_KEPT = "its text was not kept (dedup.keep_dropped, or a document of a file)"


def similarity_of(line: _Line) -> float | None:
    """Return how like its stored page a page is, 0..1, where its line says it."""
    known = line.get("similarity")
    similarity: float | None = line.get("content_similarity") if known is None else known
    return similarity


def title_of(line: _Line) -> str | None:
    """Return a page's title; a document of a corpus may have one among its fields."""
    title = line.get("title") or (line.get("fields") or {}).get("title")
    return title if isinstance(title, str) else None


_NOT_ASKED = {
    "seen": "links to URLs that were seen before",
    "too-deep": "links deeper than limits.depth",
    "out-of-scope": "links out of scope",
    "trap": "links into what was cut as endless",
}
_NOT_STORED = {
    EXACT_PAYLOAD: "the same bytes as a stored page: not stored, and not read",
    EXACT_TEXT: "the same text as a stored page: not stored",
    NEAR: "copies with small differences: not stored",
    SIBLING: "pages alike but not the same: not stored (dedup.siblings: drop)",
}


def savings(summary: Mapping[str, Any], dropped_bytes: Counter[str]) -> list[Saving]:
    """Return what each rule saved; `dropped_bytes` are bytes of bodies by the verdict."""
    rows = [
        Saving(
            verdict,
            meaning,
            number,
            bytes=dropped_bytes[verdict],
            cpu_s=summary["saved"]["analysis_s"] if verdict == EXACT_PAYLOAD else None,
        )
        for verdict, meaning in _NOT_STORED.items()
        if (number := summary["duplicates"].get(verdict, 0))
    ]
    for cut in summary["traps"]:
        if cut["pending"]:
            meaning = f"cut as endless: {cut['subtree']}"
            rows.append(Saving("trap", meaning, cut["pending"], requests=cut["pending"]))
    for name, number in summary["dropped_links"].items():
        meaning = _NOT_ASKED.get(name, f"links refused: {name}")
        rows.append(Saving(f"links: {name}", meaning, number, requests=number))
    return rows


# One pass over the committed lines of a directory, and what the report's figures are made of it.
#
# Nothing of it grows with the crawl but the list of pages that are alike, and that is cut.

MOST_HOSTS = 500
"""Hosts shown: of more only the largest."""
MOST_ALIKE = 200_000
"""Pages listed that are like a stored one: some 10 MB in a page, packed."""
SAY_EVERY_LINES = 200_000
"""Lines read between two lines of progress."""

_READ = ("pages", "duplicates", "redirects", "failures")


def gather(view: StoreView, top: int, say: Say) -> Figures:
    """Return the figures of a directory, with `top` clusters and families.

    Raises StoreError where lines are missing or damaged.
    """
    summary, hosts = read_summary(view), largest_hosts(view, MOST_HOSTS)
    clusters = Groups(view, largest_clusters(view, top))
    families = Groups(view, largest_clusters(view, top, of_siblings=True))
    paces, time = Paces(host for host, _ in hosts), OverTime()
    steps = round(1 / SIMILARITY_STEP) + 1
    similarities = defaultdict[str, list[int]](lambda: [0] * steps)
    distances = defaultdict[str, list[int]](lambda: [0] * DISTANCES)
    dropped_bytes: Counter[str] = Counter()
    alike, urls = 0, dict[str, int]()
    rows: list[AlikeRow] = []
    of = sum(extent.lines for kind, extent in view.extents().items() if kind in _READ)
    lines = ((kind, placed) for kind in _READ for placed in view.lines(kind))
    for read, (kind, placed) in enumerate(lines, 1):
        with reading_line(placed.place):
            line = orjson.loads(placed.data)
            verdict = line.get("verdict")
            if (fetched_at := line.get("fetched_at")) is not None:
                at = seconds(fetched_at)
                if host := line.get("host"):
                    paces.add(host, at)
                if verdict is not None:
                    time.add(at, verdict)
            if kind == "duplicates":
                dropped_bytes[line["verdict"]] += line["body_bytes"]
            if verdict is not None:
                clusters.look(line)
                families.look(line)
            like = line.get("duplicate_of") or line.get("sibling_of")
            # A near duplicate that is stored too has a line in both files.
            if verdict is not None and like and (kind == "duplicates" or verdict == SIBLING):
                alike += 1
                if (similarity := line.get("similarity")) is not None:
                    similarities[verdict][int(similarity / SIMILARITY_STEP + 1e-9)] += 1
                if (distance := line.get("distance")) is not None:
                    distances[verdict][distance] += 1
                if len(rows) < MOST_ALIKE:
                    known = similarity_of(line)
                    similarity = None if known is None else round(known, 4)
                    one, other = (
                        urls.setdefault(url, len(urls)) for url in (line["url"], like["url"])
                    )
                    rows.append((one, other, verdict, line.get("evidence"), similarity, distance))
        if read % SAY_EVERY_LINES == 0:
            say(progress(f"Reading lines: {read:,} of {of:,} ..."))
    query = "SELECT origin, crawl_delay_s FROM rules WHERE crawl_delay_s IS NOT NULL"
    with reading_stored_values(view.directory):
        job = view.meta(Meta.JOB) or {}
        delays = {
            str(origin).rpartition("://")[2]: float(s) for origin, s in view.database.rows(query)
        }
    slow = {pause.host: pause.slow_s for pause in view.pauses() if pause.slow_s}
    return Figures(
        name=view.directory.resolve().name,
        summary=summary,
        delay_s=job.get("politeness", {}).get("delay_s"),
        hosts=[HostEnds(host, _ends(outcomes)) for host, outcomes in hosts],
        timeline=time.result(),
        similarity=Histogram(0.0, SIMILARITY_STEP, dict(similarities)),
        distance=Histogram(0.0, 1.0, dict(distances)),
        clusters=clusters.result(),
        families=families.result(),
        savings=savings(summary, dropped_bytes),
        paces=paces.result(delays, slow),
        alike=Alike(alike, list(urls), rows),
    )


def _ends(outcomes: Outcomes) -> dict[str, int]:
    ends: Counter[str] = Counter()
    for (state, detail), number in outcomes.items():
        named = state in (UrlState.STORED, UrlState.DUPLICATE)
        ends[detail if named else state.name.lower()] += number
    return dict(ends)
