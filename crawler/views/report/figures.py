"""What a report shows beside the counts.

Gathered by one pass over the committed lines, all of it bounded.
"""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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

AlikeRow = tuple[int, int, str, str | None, float | None, int | None]
"""(number of its URL, of the stored page's URL, verdict, evidence, similarity, distance)."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that a page shows."""

    directory: Path
    data: Mapping[str, Any]
    """What docs/report.md tells of `--json`. Members of clusters and families have a `text`, too,
    as it is kept, cut to `MAX_TEXT` characters, or say what is `missing`."""
    alike: Sequence[AlikeRow] = ()
    """The pages that are like a stored one, as far as a page can hold them,"""
    urls: Sequence[str] = ()
    """every URL of theirs once,"""
    total: int = 0
    """and all of them, shown or not."""
    of_corpus: bool = False
    """Nothing was crawled: these are documents of files."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """The counts of the crawl."""
        found: Mapping[str, Any] = self.data["summary"]
        return found

    @property
    def words(self) -> Words:
        """What pages, URLs and hosts are called."""
        return OF_A_CORPUS if self.of_corpus else OF_A_CRAWL

    def as_json(self) -> dict[str, Any]:
        """Return all but texts and the list of all pages: data for machines."""
        made = dict(self.data)
        for kind in ("clusters", "near_clusters", "families"):
            made[kind] = [
                {**group, "members": [_without_text(member) for member in group["members"]]}
                for group in made[kind]
            ]
        return made


def _without_text(member: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in member.items() if name not in ("text", "missing")}


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

    def result(self) -> dict[str, Any] | None:
        """Return the pages by verdict in at most `SPANS` spans of equal length; None of no page.

        `gaps` are seconds left out before a span. A time without a page is where it is long
        (`PAUSE_S`) and would take a twentieth of the chart or more: what is to be seen is the crawl
        at work.
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
        places, gaps = [0], list[dict[str, float]]()
        for start, following in pairwise(starts):
            last = spans[bisect_left(spans, following) - 1]
            places.append(places[-1] + (last - start) // merged + 1)
            skipped = following - start - (places[-1] - places[-2]) * merged
            gaps.append({"before": places[-1], "seconds": float(skipped * self._width)})
        length = places[-1] + (spans[-1] - starts[-1]) // merged + 1
        counts: dict[str, list[int]] = defaultdict(lambda: [0] * length)
        for (span, verdict), number in self._counts.items():
            stretch = bisect_right(starts, span) - 1
            counts[verdict][places[stretch] + (span - starts[stretch]) // merged] += number
        begin, span_s = float(spans[0] * self._width), float(merged * self._width)
        return {"begin": begin, "span_s": span_s, "counts": dict(counts), "gaps": gaps}


def begin_of(line: Mapping[str, Any], span: int) -> float:
    """Return when a span over time begins, in Unix seconds."""
    left_out: float = sum(gap["seconds"] for gap in line["gaps"] if gap["before"] <= span)
    begin: float = line["begin"] + span * line["span_s"] + left_out
    return begin


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
    ) -> list[dict[str, Any]]:
        """Return a pace for each host that answered, in the order in which they were named.

        Times are between two answers of one run of requests, None of a host asked once;
        `crawl_delays` are what robots.txt asks for, `slow` has the pauses that answers have led to.
        """
        found = []
        for host, times in self._times.items():
            if number := self._answers[host]:
                pairs = pairwise(times)
                gaps = sorted(gap for a, b in pairs if (gap := b - a) <= PAUSE_S)
                middle = gaps[len(gaps) // 2] if gaps else None
                least = gaps[0] if gaps else None
                asked = {"crawl_delay_s": crawl_delays.get(host), "slow_s": slow.get(host)}
                times_s = {"median_s": middle, "least_s": least}
                found.append({"host": host, "answers": number, **times_s, **asked})
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

    def copying(self) -> list[dict[str, Any]]:
        """Return the pairs of hosts with most copies."""
        most = nlargest(MOST_PAIRS, sorted(self._copies.items()), key=lambda one: one[1].total())
        return [
            {"host": host, "of": of, "verdicts": dict(sorted(verdicts.items()))}
            for (host, of), verdicts in most
        ]

    def by_host(self) -> dict[str, dict[str, Any]]:
        """Return what is known of the stored pages of each of our hosts, and what failed there."""
        return {
            host: {
                "median_chars": _median(self._lengths_of[host]),
                "languages": dict(self._languages_of[host].most_common()),
                "failures": dict(self._failures_of[host].most_common()),
            }
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

    def result(self) -> list[dict[str, Any]]:
        """Return the groups, largest first, once all lines were looked at.

        Of each the stored page is the first member, then come pages that are like it.
        """
        found = []
        for ref, size in self._sized:
            line, picture = self._wanted[ref.url] or {}, self._view.picture_of(ref.id)
            first = _member(ref.url, "stored", {}, line, NO_LINE, picture)
            others = (self._other(one, ref.url) for one in self._alike[ref.id])
            found.append({"id": ref.id, "size": size, "members": [first, *others]})
        return found

    def _other(self, one: AlikeUrl, original: str) -> dict[str, Any]:
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
        picture = self._view.picture(one.url_id)
        return _member(one.url, one.detail, line, text_of, missing, picture)


def _member(
    url: str, verdict: str, line: _Line, text_of: _Line, missing: str, picture: bytes | None
) -> dict[str, Any]:
    """Return a page of a group, with what it takes to compare it with another one.

    `text_of` has its title and text, or there is no text, and `missing` says why. `picture` is what
    it looks like, a JPEG, where it was rendered and is compared by eye.
    """
    text = text_of.get("text")
    return {
        "url": url,
        "verdict": verdict,
        "title": title_of(text_of),
        "evidence": line.get("evidence"),
        "similarity": similarity_of(line),
        "distance": line.get("distance"),
        "text": text,
        "missing": missing if text is None else "",
        "picture": None if picture is None else b64encode(picture).decode("ascii"),
    }


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


def savings(
    summary: Mapping[str, Any], dropped_bytes: Counter[str], words: Words
) -> list[dict[str, Any]]:
    """Return what each rule saved, as far as it is known; None where it saves nothing of the kind.

    `dropped_bytes` are bytes of bodies by the verdict.
    """
    rows: list[dict[str, Any]] = []

    def add(rule: str, meaning: str, pages: int, **saved: float) -> None:
        nothing = dict.fromkeys(("requests", "bytes", "cpu_s"))
        rows.append({"rule": rule, "meaning": meaning, "pages": pages, **(nothing | saved)})

    for verdict, meaning in _NOT_STORED.items():
        if number := summary["duplicates"].get(verdict, 0):
            cpu = {"cpu_s": summary["saved"]["analysis_s"]} if verdict == EXACT_PAYLOAD else {}
            told = meaning.format(page=words.page, stored=words.stored)
            add(verdict, told, number, bytes=dropped_bytes[verdict], **cpu)
    for cut in summary["traps"]:
        if number := cut["pending"]:
            add("trap", f"cut as endless: {cut['subtree']}", number, requests=number)
    for name, number in summary["dropped_links"].items():
        meaning = _NOT_ASKED.get(name, f"links refused: {name}")
        add(f"links: {name}", meaning, number, requests=number)
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
    lengths = {"low": 0.0, "step": 1.0, "counts": texts.lengths} if texts.lengths else None
    data = {
        "name": view.directory.resolve().name,
        "summary": summary,
        "delay_s": job.get("politeness", {}).get("delay_s"),
        "hosts": [{"host": host, "ends": _ends(outcomes)} for host, outcomes in hosts],
        "timeline": time.result(),
        "similarity": {"low": 0.0, "step": SIMILARITY_STEP, "counts": dict(similarities)},
        "distance": {"low": 0.0, "step": 1.0, "counts": dict(distances)},
        "clusters": clusters,
        "families": families,
        "savings": savings(summary, dropped_bytes, OF_A_CORPUS if of_corpus else OF_A_CRAWL),
        "paces": paces.result(delays, slow),
        "near_clusters": near_clusters,
        "copying": texts.copying(),
        "lengths": lengths,
        "languages": dict(texts.languages.most_common()),
        "host_texts": texts.by_host(),
    }
    return Figures(view.directory, data, rows, list(map(document_name, urls)), alike, of_corpus)


def is_of_corpus(view: StoreView) -> bool:
    """Whether a directory holds documents that existed already, not the pages of a crawl."""
    return INPUTS in view.meta(Meta.IDENTITY, {})


def _ends(outcomes: Outcomes) -> dict[str, int]:
    ends: Counter[str] = Counter()
    for (state, detail), number in outcomes.items():
        named = state in (UrlState.STORED, UrlState.DUPLICATE)
        ends[detail if named else state.name.lower()] += number
    return dict(ends)
