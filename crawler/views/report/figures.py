"""What a report shows beside the counts.

Gathered by one pass over the committed lines, all of it bounded.
"""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from heapq import nlargest
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import orjson

from crawler.console import Say, progress
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, UrlState
from crawler.observe.summary import Outcomes
from crawler.sources.inputs import document_name
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import INPUTS
from crawler.storage.journal import reading_line
from crawler.storage.summary import read_summary
from crawler.storage.tables import Meta
from crawler.storage.view import (
    AlikeAs,
    AlikeUrl,
    StoreView,
    largest_clusters,
    largest_hosts,
    members,
)
from crawler.urls import host_key
from crawler.views.wording import OF_A_CORPUS, OF_A_CRAWL, Words


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

    @property
    def name(self) -> str:
        """What people call it."""
        return document_name(self.url)


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
    gaps: Mapping[int, float] = field(default_factory=dict)
    """Number of a span -> seconds left out before it, in which no page was judged: between two
    runs, or while all hosts were waited for."""

    def begin_of(self, span: int) -> float:
        """Return when a span begins, in Unix seconds."""
        left_out = sum(gap for before, gap in self.gaps.items() if before <= span)
        return self.begin + span * self.span_s + left_out


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
class HostTexts:
    """What the stored pages of a host are, and what became of its other URLs."""

    median_chars: int
    """Of the texts; 0 without a page."""
    languages: Mapping[str, int]
    """Code -> stored pages, the most first; as `Figures.languages`."""
    failures: Mapping[str, int]
    """Failure class -> URLs, the most first."""


@dataclass(frozen=True, slots=True)
class Copying:
    """How many pages of one host are copies of pages of another."""

    host: str
    of: str
    verdicts: Mapping[str, int]
    """Verdict -> pages."""


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

    directory: Path
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
    near_clusters: Sequence[Group] = ()
    """The largest by near copies alone, which have no other copies among their members."""
    copying: Sequence[Copying] = ()
    """Pairs of hosts, those with most copies first."""
    lengths: Histogram | None = None
    """Of stored texts, in code points: step n holds those of 2^n to 2^(n+1) - 1."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """Code -> stored pages, the most first: as detected, else as the page declares, else `unknown`
    and the script of most of its first letters, as Unicode names it."""
    host_texts: Mapping[str, HostTexts] = field(default_factory=dict)
    """Host -> what is known of its pages, of the hosts shown."""
    alike: Alike = field(default_factory=lambda: Alike(0, [], []))
    of_corpus: bool = False
    """Nothing was crawled: these are documents of files."""

    @property
    def words(self) -> Words:
        """What pages, URLs and hosts are called."""
        return OF_A_CORPUS if self.of_corpus else OF_A_CRAWL

    @property
    def name(self) -> str:
        """That of the directory."""
        return self.directory.resolve().name

    def as_json(self) -> dict[str, Any]:
        """Return all but texts and the list of all pages: data for machines."""
        known = {"name": self.name, **asdict(self)}
        del known["directory"], known["alike"], known["of_corpus"]
        if self.timeline is not None:
            known["timeline"]["gaps"] = [
                {"before": before, "seconds": gap} for before, gap in self.timeline.gaps.items()
            ]
        for group in (*known["clusters"], *known["near_clusters"], *known["families"]):
            for member in group["members"]:
                del member["text"], member["missing"]
        return known


_Line = Mapping[str, Any]

SPANS = 60
"""Bars over time: as many as a phone shows."""
DISTANCES = 65
"""Of 64-bit fingerprints: 0 to 64."""
SIMILARITY_STEP = 0.02
PAUSE_S = 600.0
"""A longer time between two answers of a host is not its pace: the crawl stood still, or the host
had nothing due."""
LEAST_SHARE_CUT = 20
"""A time without a page is left out of a chart where it is this part of it, or more."""
MOST_GAPS = 12
"""Times left out of a chart, the longest."""
GAPS = 1_001
"""Answers of a host whose times are kept, the last ones."""


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
        """Return at most `SPANS` spans of equal length; None of no page.

        A time without a page is left out where it is long (`PAUSE_S`) and would take a twentieth of
        the chart or more: what is to be seen is the crawl at work.
        """
        if not self._counts:
            return None
        spans = sorted({span for span, _ in self._counts})
        left, cut = spans[-1] + 1 - spans[0], list[int]()
        for empty, after in sorted(((b - a - 1, b) for a, b in pairwise(spans)), reverse=True):
            too_short = empty * self._width <= PAUSE_S or empty * LEAST_SHARE_CUT < left
            if too_short or len(cut) == MOST_GAPS:
                break
            cut.append(after)
            left -= empty
        merged = -(-left // (SPANS - len(cut)))
        starts = [spans[0], *sorted(cut)]
        # Where each stretch of work begins on the chart, and how long the time before it was.
        places, gaps = [0], dict[int, float]()
        for start, following in pairwise(starts):
            last = spans[bisect_left(spans, following) - 1]
            places.append(places[-1] + (last - start) // merged + 1)
            skipped = following - start - (places[-1] - places[-2]) * merged
            gaps[places[-1]] = float(skipped * self._width)
        length = places[-1] + (spans[-1] - starts[-1]) // merged + 1
        counts: dict[str, list[int]] = defaultdict(lambda: [0] * length)
        for (span, verdict), number in self._counts.items():
            stretch = bisect_right(starts, span) - 1
            counts[verdict][places[stretch] + (span - starts[stretch]) // merged] += number
        width = float(merged * self._width)
        return Timeline(float(spans[0] * self._width), width, dict(counts), gaps)


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


LENGTHS = 24
"""Steps of lengths, each double the one before: longer texts than 2^24 count as the last."""
MOST_PAIRS = 300
"""Pairs of hosts shown."""
_OF_DOCUMENTS = "language", "lang"
"""Fields in which a corpus says of its documents what pages declare."""
LETTERS = 100
"""Of a text, its first ones, by which its script is told."""


def _declared(line: _Line) -> str:
    """Return the primary subtag of the language that a page declares, or a document's own field."""
    fields = line.get("fields") or {}
    for told in (line.get("declared_language"), *map(fields.get, _OF_DOCUMENTS)):
        if isinstance(told, str):
            code = told.replace("_", "-").partition("-")[0].lower()
            if code.isalpha() and len(code) in (2, 3):  # ISO 639
                return code
    return ""


class Texts:
    """What the stored texts of some hosts are like, and which of the hosts copy which.

    What is of no host of ours counts for the whole crawl alone. Memory is that of the pairs of
    hosts that occur, `MOST_HOSTS` squared at most.
    """

    def __init__(self, hosts: Iterable[str]) -> None:
        self._hosts = dict.fromkeys(hosts)
        self.lengths: dict[str, list[int]] = defaultdict(lambda: [0] * (LENGTHS + 1))
        """Verdict -> stored pages by the logarithm of their length to the base 2."""
        self.languages: Counter[str] = Counter()
        """Language -> stored pages."""
        self._lengths_of = defaultdict[str, Counter[int]](Counter)
        self._languages_of = defaultdict[str, Counter[str]](Counter)
        self._failures_of = defaultdict[str, Counter[str]](Counter)
        self._copies = defaultdict[tuple[str, str], Counter[str]](Counter)

    def add(self, kind: str, line: _Line) -> None:
        """Count a line of a kind."""
        host = line.get("host")
        ours = host if host in self._hosts else ""
        match kind:
            case "pages":
                chars = line["counts"]["text_chars"]
                step = min(max(chars.bit_length() - 1, 0), LENGTHS)
                self.lengths[line["verdict"]][step] += 1
                self._lengths_of[ours][_rounded(chars)] += 1
                language = line.get("language") or _declared(line) or _script(line["text"])
                self.languages[language] += 1
                self._languages_of[ours][language] += 1
            case "duplicates" if ours:
                of = host_key(line["duplicate_of"]["url"])
                if of != ours and of in self._hosts:
                    self._copies[ours, of][line["verdict"]] += 1
            case "failures" if ours:
                self._failures_of[ours][line["failure"]] += 1

    def copying(self) -> list[Copying]:
        """Return the pairs of hosts with most copies."""
        found = (
            Copying(host, of, dict(sorted(verdicts.items())))
            for (host, of), verdicts in sorted(self._copies.items())
        )
        return nlargest(MOST_PAIRS, found, key=lambda pair: sum(pair.verdicts.values()))

    def by_host(self) -> dict[str, HostTexts]:
        """Return what is known of each of our hosts."""
        return {
            host: HostTexts(
                _median(self._lengths_of[host]),
                dict(self._languages_of[host].most_common()),
                dict(self._failures_of[host].most_common()),
            )
            for host in self._hosts
        }


def _script(text: str) -> str:
    letters = islice(filter(str.isalpha, text), LETTERS)
    scripts = Counter(unicodedata.name(letter, "other").partition(" ")[0] for letter in letters)
    return f"unknown, {scripts.most_common(1)[0][0].lower()} letters" if scripts else "unknown"


def _rounded(chars: int) -> int:
    """Return a length to two digits: so that few are told apart however many pages there are."""
    unit: int = 10 ** max(len(str(chars)) - 2, 0)
    return chars // unit * unit


def _median(counts: Counter[int]) -> int:
    middle, passed = (counts.total() + 1) // 2, 0
    for value, number in sorted(counts.items()):
        passed += number
        if passed >= middle:
            return value
    return 0


MOST_MEMBERS = 12
"""Pages shown of a group beside its stored page: a reader compares a few."""
MAX_TEXT = 12_000
"""Characters of a text that are shown: with 20 groups a page stays below 4 MB."""


class Groups:
    """Groups that wait for lines of their pages; memory is that of the pages shown."""

    def __init__(self, view: StoreView, top: int, alike: AlikeAs) -> None:
        """Take the largest, by pages that are like a stored one in one way."""
        self._view = view
        self._sized = largest_clusters(view, top, alike)
        self._alike = members(view, [ref.id for ref, _ in self._sized], MOST_MEMBERS, alike)
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
    EXACT_PAYLOAD: "the same bytes as a {page} that is {stored}: not {stored}, and not read",
    EXACT_TEXT: "the same text as a {page} that is {stored}: not {stored}",
    NEAR: "copies with small differences: not {stored}",
    SIBLING: "{page}s alike but not the same: not {stored} (dedup.siblings: drop)",
}


def savings(summary: Mapping[str, Any], dropped_bytes: Counter[str], words: Words) -> list[Saving]:
    """Return what each rule saved; `dropped_bytes` are bytes of bodies by the verdict."""
    rows = [
        Saving(
            verdict,
            meaning.format(page=words.page, stored=words.stored),
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
    of_corpus = is_of_corpus(view)
    wanted = [Groups(view, top, alike) for alike in (AlikeAs.COPY, AlikeAs.NEAR, AlikeAs.SIBLING)]
    paces, time = Paces(host for host, _ in hosts), OverTime()
    texts = Texts(host for host, _ in hosts)
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
                at = datetime.fromisoformat(fetched_at).timestamp()
                if host := line.get("host"):
                    paces.add(host, at)
                if verdict is not None:
                    time.add(at, verdict)
            texts.add(kind, line)
            if kind == "duplicates":
                dropped_bytes[line["verdict"]] += line["body_bytes"]
            if verdict is not None:
                for groups in wanted:
                    groups.look(line)
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
    clusters, near_clusters, families = (groups.result() for groups in wanted)
    return Figures(
        directory=view.directory,
        summary=summary,
        delay_s=job.get("politeness", {}).get("delay_s"),
        hosts=[HostEnds(host, _ends(outcomes)) for host, outcomes in hosts],
        timeline=time.result(),
        similarity=Histogram(0.0, SIMILARITY_STEP, dict(similarities)),
        distance=Histogram(0.0, 1.0, dict(distances)),
        clusters=clusters,
        families=families,
        savings=savings(summary, dropped_bytes, OF_A_CORPUS if of_corpus else OF_A_CRAWL),
        paces=paces.result(delays, slow),
        near_clusters=near_clusters,
        copying=texts.copying(),
        lengths=Histogram(0.0, 1.0, dict(texts.lengths)) if texts.lengths else None,
        languages=dict(texts.languages.most_common()),
        host_texts=texts.by_host(),
        alike=Alike(alike, list(map(document_name, urls)), rows),
        of_corpus=of_corpus,
    )


def is_of_corpus(view: StoreView) -> bool:
    """Whether a directory holds documents that existed already, not the pages of a crawl."""
    return INPUTS in view.meta(Meta.IDENTITY, {})


def _ends(outcomes: Outcomes) -> dict[str, int]:
    ends: Counter[str] = Counter()
    for (state, detail), number in outcomes.items():
        named = state in (UrlState.STORED, UrlState.DUPLICATE)
        ends[detail if named else state.name.lower()] += number
    return dict(ends)
