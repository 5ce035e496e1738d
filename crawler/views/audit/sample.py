"""A random sample of dropped pages, each beside the stored page that it is said to be like."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from heapq import nsmallest
from itertools import takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson

from crawler.config import Job
from crawler.console import Say, progress
from crawler.dedup.copies import Appearance, judged_text, unpack
from crawler.errors import ConfigError, CrawlerError, InputError, StoreError
from crawler.models import EXACT_TEXT, SIBLING, UrlState
from crawler.observe.summary import format_time
from crawler.sources.reader import read_again
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.database import reading_stored_values
from crawler.storage.journal import Extent, read_lines, total_extent
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, alike_urls, page_ids
from crawler.views.explain.differences import (
    Differences,
    Passage,
    differences,
    looks,
    sentences,
)
from crawler.views.report.figures import NO_LINE, similarity_of, title_of
from crawler.workers.messages import AnalysisSettings

SAY_EVERY_BYTES = 1 << 28
"""How much is read between two lines of progress: a few seconds' worth."""

_URL = re.compile(rb'"url":("(?:[^"\\]|\\.)*")')
"""In a string the quotes would have backslashes: the first match is the line's own URL."""


def find_lines(
    directory: Path, files: Mapping[str, Extent], urls: Collection[str], say: Say
) -> dict[str, dict[str, Any]]:
    """Return the lines of `urls` in some files, by URL, read as far as the extents say.

    A URL that is not there is left out. Raises StoreError where a line is damaged or a file cannot
    be read.
    """
    left, found = set(urls), dict[str, dict[str, Any]]()
    at, told, end = 0, 0, total_extent(files.values()).bytes
    for line in read_lines(directory, files) if left else ():
        at += len(line.data)
        try:
            match = _URL.search(line.data)
            url = orjson.loads(match[1]) if match else None
            if url in left:
                found[url] = orjson.loads(line.data)
                left.remove(url)
        except ValueError as error:
            raise StoreError(
                f"{line.path}:{line.number}: this line is damaged ({error}): restore the directory "
                "from a backup"
            ) from None
        if not left:
            break
        if at - told >= SAY_EVERY_BYTES:
            told = at
            say(progress(f"Reading {line.path}: {at / end:.0%} of {end / 1e9:,.1f} GB"))
    return found


# A random sample of the pages that are like a stored one, the same for the same seed.
#
# Bottom-k sampling: pages are ranked by a keyed hash of their URLs, and the first ones are taken.
# So the sample is uniform, a larger one holds the smaller, and when the crawl has gone on most
# pairs are the ones seen before. Every beginning of it is a uniform sample as well: who marks the
# first dozen pairs only may stop there.

MAX_PAIRS = 2_000
"""Of one sample: more than anybody marks, and all of it is in memory."""
MAX_SEED = 2**53 - 1
"""The largest integer that a browser keeps as it is."""
SLOW_URLS = 2_000_000
"""URLs from which looking through all takes more than a few seconds."""


class Stratum(StrEnum):
    """What a pair is drawn from."""

    DROPPED = "dropped"
    """Near duplicates that were not stored."""
    SAME_TEXT = "same-text"
    """Pages that were not stored as their text is that of a stored page: by another rule than near
    duplicates, so that the errors of one do not speak for the other."""
    SIBLINGS = "siblings"
    """Pages as like as near duplicates that were taken for other pages, stored or not."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page of the sample."""

    url_id: int
    url: str
    stratum: Stratum
    stored: bool
    like_id: int | None
    """The stored page that it is like; None where that lies in another directory."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Pages in the order in which they were drawn, and what they were drawn from."""

    crawl: str
    """When the crawl began: what tells one from another, wherever its directory lies."""
    seed: int
    populations: Mapping[Stratum, int]
    """Pages of each stratum in the whole crawl."""
    drawn: tuple[Drawn, ...]
    by_doubt: bool = False
    """Whether the most doubtful are shown first, not those that were drawn first."""


def check(total: int, siblings: int | None, seed: int) -> None:
    """Raise ConfigError for a sample that cannot be drawn."""
    if not 1 <= total <= MAX_PAIRS:
        raise ConfigError(f"--sample {total}: give a number from 1 to {MAX_PAIRS:,}")
    if siblings is not None and not 0 <= siblings <= total:
        raise ConfigError(f"--siblings {siblings}: give a number from 0 to {total}, the sample")
    if not 0 <= seed <= MAX_SEED:
        raise ConfigError(f"--seed {seed}: give a number from 0 to 2^53 - 1")


def draw(view: StoreView, total: int, siblings: int | None, seed: int, say: Say) -> Sample:
    """Draw `total` pages, or all there are, `siblings` of them siblings (None: half).

    The dropped ones are near duplicates and pages of the same text, one half each. Where one
    stratum has too few for its half, the other fills up. One pass over the URL table.
    """
    check(total, siblings, seed)
    if (urls := view.next_url_id - 1) >= SLOW_URLS:
        say(progress(f"Looking through {urls:,} URLs ..."))
    key, seen = str(seed).encode(), Counter[Stratum]()
    lowest: dict[Stratum, list[tuple[int, Drawn]]] = {stratum: [] for stratum in Stratum}
    for alike in alike_urls(view):
        stratum = _STRATA.get(alike.detail, Stratum.DROPPED)
        name = alike.url.encode("utf-8", "surrogatepass")
        rank = int.from_bytes(blake2b(name, digest_size=16, key=key).digest())
        stored = alike.state is UrlState.STORED
        drawn = Drawn(alike.url_id, alike.url, stratum, stored, alike.like_id)
        ranked = lowest[stratum]
        ranked.append((rank, drawn))
        if len(ranked) >= 2 * MAX_PAIRS:
            ranked[:] = nsmallest(total, ranked, itemgetter(0))
        seen[stratum] += 1
    populations = {stratum: seen[stratum] for stratum in Stratum}
    shares = _shares(total, siblings, populations)
    taken = [
        one
        for stratum, ranked in lowest.items()
        for one in nsmallest(shares[stratum], ranked, itemgetter(0))
    ]
    taken.sort(key=itemgetter(0))
    return Sample(crawl_of(view), seed, populations, tuple(drawn for _, drawn in taken))


def crawl_of(view: StoreView) -> str:
    """Return when a crawl's first run began, in ISO 8601; empty if none has."""
    runs = view.meta(Meta.RUNS, [])
    return format_time(runs[0]["started_at"]) if runs else ""


def _shares(
    total: int, siblings: int | None, populations: Mapping[Stratum, int]
) -> Mapping[Stratum, int]:
    near, same, kin = (
        populations[of] for of in (Stratum.DROPPED, Stratum.SAME_TEXT, Stratum.SIBLINGS)
    )
    if siblings is None:
        siblings = min(kin, max(total // 2, total - near - same))
    dropped = min(near + same, total - siblings)
    of_same_text = min(same, max(dropped // 2, dropped - near))
    return {
        Stratum.DROPPED: dropped - of_same_text,
        Stratum.SAME_TEXT: of_same_text,
        Stratum.SIBLINGS: min(kin, siblings),
    }


_STRATA = {SIBLING: Stratum.SIBLINGS, EXACT_TEXT: Stratum.SAME_TEXT}


_Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two pages."""

    url: str
    title: str | None = None
    text: str | None = None
    """The judged text: with what its appearance has beside it, all that a reader sees. The stored
    text is not asked, lest what a template left out of it be missed by the marker too. None where
    there is none to be had."""
    missing: str = ""
    """Why there is no text."""
    appearance: Appearance | None = None
    """What its reader sees; None where that was not kept."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A page of the sample, and the stored page that it is like."""

    drawn: Drawn
    page: Side
    stored: Side
    evidence: str | None
    """A code of `crawler.models.Evidence`; None where none was asked for."""
    similarity: float | None
    """Of the two texts, 0..1; None where it is not known."""

    @property
    def doubt(self) -> float:
        """How little the verdict fits the resemblance, 0..1.

        The less alike copies are, the more alike siblings; 1 where it is not known.
        """
        if self.similarity is None:
            return float(self.drawn.stratum is not Stratum.SAME_TEXT)
        is_sibling = self.drawn.stratum is Stratum.SIBLINGS
        return self.similarity if is_sibling else 1 - self.similarity


def by_doubt(pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs with the most doubtful of each stratum first, strata in turn."""
    placed: list[tuple[int, int, Pair]] = []
    for number, stratum in enumerate(Stratum):
        of = sorted((one for one in pairs if one.drawn.stratum is stratum), key=lambda p: -p.doubt)
        placed += ((at, number, pair) for at, pair in enumerate(of))
    return [pair for *_, pair in sorted(placed, key=itemgetter(0, 1))]


def read_pairs(view: StoreView, sample: Sample, say: Say) -> list[Pair]:
    """Return the pairs of a sample, in its order; lines of each kind are read once at most.

    A pair whose texts cannot be had is there too, and says why. Raises StoreError where the
    directory is damaged.
    """
    catalog = SqliteCatalog(view.database)
    with reading_stored_values(view.directory):
        ids = {drawn.like_id for drawn in sample.drawn if drawn.like_id is not None}
        like = {id_: catalog.ref(id_).url for id_ in ids}
    stored = {one.url for one in sample.drawn if one.stored}
    dropped = {one.url for one in sample.drawn if not one.stored}
    files = view.files()
    lines = find_lines(view.directory, files["duplicates"], dropped, say)
    pages = find_lines(view.directory, files["pages"], stored | set(like.values()), say)
    lines |= {url: line for url, line in pages.items() if url in stored}
    elsewhere = defaultdict[str, set[str]](set)
    for reference in map(_reference, lines.values()):
        if "against" in reference:
            elsewhere[reference["against"]].add(reference["url"])
    troubles: dict[str, str] = {}
    for directory, urls in elsewhere.items():
        try:
            with StoreView.read(Path(directory)) as earlier:
                pages |= find_lines(earlier.directory, earlier.files()["pages"], urls, say)
        except CrawlerError as error:
            troubles |= dict.fromkeys(urls, str(error))
    own_ids = page_ids(view, [drawn.url_id for drawn in sample.drawn if drawn.stored])

    def side(url: str, line: _Line | None, document_id: int | None, missing: str) -> Side:
        """Return a stored page, with what its reader sees as far as it was kept."""
        if not line:
            return Side(url, missing=missing)
        seen = None
        if document_id is not None:
            packed = catalog.appearance(document_id)
            with reading_stored_values(view.directory):
                seen = None if packed is None else unpack(packed)
        return Side(url, title_of(line), judged_text(seen, line["text"]), appearance=seen)

    pairs = []
    for drawn in sample.drawn:
        line = lines.get(drawn.url, {})
        url = like.get(drawn.like_id or 0) or _reference(line).get("url", "")
        of = side(url, pages.get(url), drawn.like_id, troubles.get(url, NO_LINE))
        if drawn.stored:
            page = side(drawn.url, line, own_ids.get(drawn.url_id), NO_LINE)
        else:
            page = _dropped(view, drawn, line)
        pairs.append(Pair(drawn, page, of, line.get("evidence"), similarity_of(line)))
    return pairs


def _reference(line: _Line) -> _Line:
    """Return what a line says of the page that its own is like."""
    reference: _Line = line.get("duplicate_of") or line.get("sibling_of") or {}
    return reference


def _dropped(view: StoreView, drawn: Drawn, line: _Line) -> Side:
    """Return a page that was not stored; a document of a corpus still lies where it was read."""
    url, kept = drawn.url, view.dropped(drawn.url_id)
    if kept is not None:
        text = judged_text(kept.appearance, kept.line["text"])
        return Side(url, kept.line.get("title"), text, appearance=kept.appearance)
    if "source" in line:
        try:
            settings = AnalysisSettings.of(Job.model_validate(view.meta(Meta.JOB)))
            reading = read_again(line, view.meta(Meta.IDENTITY), settings)
        except InputError as why:
            return Side(url, missing=f"it cannot be read again: {why}")
        document = reading.document
        title = document.title or title_of({"fields": reading.fields})
        seen = unpack(document.appearance) if document.appearance else None
        return Side(url, title, judged_text(seen, document.text), appearance=seen)
    if not line:
        why_not = "its line is not in duplicates.jsonl"
    elif view.meta(Meta.JOB)["dedup"]["keep_dropped"]:
        why_not = "it was not kept: the page is larger than 4 MB"
    else:
        why_not = "it was not kept: dedup.keep_dropped is false"
    return Side(url, missing=why_not)


# In what the two pages of a pair differ, by the eyes of `explain`: nothing of the judge is asked.
#
# Who marks a pair must see what the judge looked past: else no error of that kind is ever counted.

OPENING = 160
"""Characters of agreement shown at the beginning, so that it is seen what a page is about."""
MAX_SHOWN = 20_000
"""Characters of a difference that are shown of a pair; the rest is left out, and that is said."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two pages compared."""

    differences: Differences
    opening: str
    """How both texts begin, in whole sentences; empty where they begin differently."""
    shown: tuple[Passage, ...]
    """The passages that are shown, what matters most first."""


def compare(pair: Pair) -> Compared | None:
    """Compare the pages of a pair; None where the text of one of them is missing.

    Of the passages those are shown that fit into what is, one at least.
    """
    sides = pair.page, pair.stored
    if any(side.text is None for side in sides):
        return None
    found = differences(
        *(
            looks(of.title, of.text or "", of.appearance, is_whole=of.appearance is not None)
            for of in sides
        ),
        evidence=pair.evidence,
    )
    both = zip(*(sentences(side.text or "") for side in sides), strict=False)
    same = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], both))
    left, fitting = MAX_SHOWN, found.passages
    for number, passage in enumerate(fitting):
        left -= sum(len(piece.text) for piece in passage.pieces)
        if left < 0:
            fitting = fitting[: max(number, 1)]
            break
    return Compared(found, same[:OPENING].strip(), fitting)
