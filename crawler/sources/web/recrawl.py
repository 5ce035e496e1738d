"""Pages of a finished crawl visited again: which are due, what is known of them, what visits found.

They are offered, compared, and not stored twice where they are the same.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import orjson

from crawler.config import Job
from crawler.console import Say, command
from crawler.dedup.copies import Appearance, lines_of, only_stamps_differ, unpack
from crawler.dedup.signing import format_digest, jaccard
from crawler.engine.engine import inherited
from crawler.engine.identity import identity
from crawler.engine.ports import PageFrontier
from crawler.errors import StoreError, StoreMismatch
from crawler.extract.templates import Learner
from crawler.frontier import PASSING, PASSING_SKIPS, SeenSet
from crawler.models import (
    ArchivedPayload,
    Document,
    FetchTask,
    Learned,
    NewUrl,
    PageOutcome,
    UrlState,
    Validators,
)
from crawler.observe.progress import in_slices
from crawler.observe.summary import format_time
from crawler.sources.web.rescope import lacks_links
from crawler.storage.archive import archived_payload
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import LINE_FILES, kept_still, replacing
from crawler.storage.elsewhere import copies_of_gone
from crawler.storage.journal import read_lines, reading_line
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import (
    Known,
    StoreView,
    all_learned,
    every_url,
    refuse_corpus,
    template,
    templates,
)
from crawler.urls import host_key

# ---------------------------------------------------------------- history
# How often a page changes, by what was found at its visits; and when to visit it next.
#
# Cho, Garcia-Molina: Estimating frequency of change, ACM TOIT 3 (2003), section 4: of n visits X
# found a change; several changes between two visits are seen as one, so X / n is too small. Where
# changes are a Poisson process and visits come every I seconds, `-log((n - X + .5) / (n + .5)) / I`
# estimates its rate with little bias, and is finite where every visit found one.


GROWTH = 2.0
"""How many times longer than its last gap a page's next interval may be. A page that was found
unchanged once has an estimated rate of 0: without this it would be left for `recrawl.max_s`. It is
the back-off of TCP (RFC 6298 5.5) and of retries here."""


class History(NamedTuple):
    """What a page's visits found; the first fetch is where it begins and no visit."""

    visits: int = 0
    """Those that found out whether it has changed."""
    changes: int = 0
    """How many of these found that it had."""
    watched_s: float = 0.0
    """Seconds from the first fetch to the last of these."""
    gap_s: float = 0.0
    """Seconds from the last of these but one to the last."""

    def visited(self, gap_s: float, *, changed: bool) -> History:
        """Return the history with one more visit, so long after the last one.

        Clocks may be set back: a gap is at least 0.
        """
        gap_s = max(0.0, gap_s)
        watched_s = self.watched_s + gap_s
        return History(self.visits + 1, self.changes + changed, watched_s, gap_s)


FETCHED = History()
"""Of a page that was fetched and never visited again."""


def rate(history: History) -> float:
    """Return the estimated changes per second; 0 where none was found, or nothing is known.

    The visits of a page do not come at one interval here, but at ones that grow and shrink with
    what is found: I is their mean. Infinite where changes were found in no time.
    """
    if not history.changes:
        return 0.0
    seen = -math.log((history.visits - history.changes + 0.5) / (history.visits + 0.5))
    mean_s = history.watched_s / history.visits
    return seen / mean_s if mean_s else math.inf


def interval_s(history: History, min_s: float, max_s: float) -> float:
    """Return the seconds from a page's last visit to its next, in [min_s, max_s].

    The time in which it changes with a probability of one half (log 2 / rate): the visit of which
    least can be foretold. At most GROWTH times the last gap; min_s where there was no visit.
    """
    if not history.visits:
        return min_s
    per_s = rate(history)
    wanted = math.log(2) / per_s if per_s else math.inf
    return min(max(min_s, min(wanted, GROWTH * history.gap_s)), max_s)


# ---------------------------------------------------------------- pages
# What is known of each page: the fold of the lines of all directories, oldest first.
#
# Memory: some 500 bytes a page besides its URL; texts and validators stay in the files, and are
# read when the page is visited.


THERE, GONE, REDIRECTED = "there", "gone", "redirected"
"""How a page stands at its last visit that could tell."""


class Place(NamedTuple):
    """Where a line begins."""

    path: Path
    offset: int

    def record(self) -> dict[str, Any]:
        """Return the line as it is read; StoreError where it is none of ours any more."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                data = file.readline()
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}") from None
        with reading_line(f"{self.path} byte {self.offset}"):
            found: dict[str, Any] = orjson.loads(data)
            return found


@dataclass(slots=True)
class KnownPage:
    """A page that was stored once."""

    source: int
    """Which of the directories has its text."""
    id: int
    """Of the page there."""
    page: Place
    """Its line there."""
    depth: int
    visited_at: float
    """Unix seconds of the last visit that could tell how it stands."""
    told_at: float
    """Unix seconds of the last line about it."""
    note: Place | None = None
    """That line, where it is another one."""
    history: History = FETCHED
    standing: str = THERE


def known_pages(views: Sequence[StoreView], known: dict[str, KnownPage]) -> Iterator[None]:
    """Fill `known`, by URL, from the lines of directories, oldest first; yields at every line.

    Raises StoreError where a line cannot be read.
    """
    for source, view in enumerate(views):
        for kind in LINE_FILES if source else ("pages",):
            for place, record in _records(view, kind):
                with reading_line(f"{place.path} byte {place.offset}"):
                    _take(known, source, kind, place, record)
                yield


def _records(view: StoreView, kind: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    for file, extent in view.files()[kind].items():
        offset = 0
        for line in read_lines(view.directory, {file: extent}):
            with reading_line(line.place):
                record = orjson.loads(line.data)
            yield Place(line.path, offset), record
            offset += len(line.data)


def _take(
    known: dict[str, KnownPage], source: int, kind: str, place: Place, record: dict[str, Any]
) -> None:
    url, at, visit = record["url"], told_at(record), record.get("revisit")
    page = known.get(url)
    if kind == "pages":
        fresh = KnownPage(source, record["id"], place, record["depth"], at, at)
        if page is not None:
            fresh.told_at, fresh.note = page.told_at, page.note
            fresh.history, fresh.standing = page.history, page.standing
            fresh.visited_at = page.visited_at
        page = known[url] = fresh
    if page is None or visit is None or at < page.told_at:
        return
    page.told_at, page.note = at, place
    page.history = History(*(visit[name] for name in History._fields))
    page.standing, page.visited_at = visit["standing"], seconds(visit["visited_at"])


def told_at(record: dict[str, Any]) -> float:
    """Return when what a line tells was found, in Unix seconds."""
    return seconds(record["fetched_at"])


def seconds(written: str) -> float:
    """Undo `crawler.observe.summary.format_time`."""
    return datetime.fromisoformat(written).timestamp()


# ---------------------------------------------------------------- plan
# What a recrawl was asked for, as it is kept beside its lines.


def check_visitable(directories: Sequence[Path], job: Job) -> None:
    """Raise StoreMismatch where a crawl, or the partitions of one, cannot be visited by a job."""
    has_pages = False
    for directory in directories:
        with StoreView.read(directory) as view:
            refuse_corpus(view, "which fetched nothing: give the directory of a crawl")
            found = view.meta(Meta.IDENTITY, {})
            has_pages |= view.next_document_id > 1 or view.meta(Meta.RECRAWL) is not None
        if differs := sorted(
            key for key, value in identity(job).items() if found.get(key) != value
        ):
            again = command("reindex", directory)
            raise StoreMismatch(
                f"{directory} was read in another way ({', '.join(differs)}): every page would "
                "seem to have changed. Visit it with the program that made it, or, where only its "
                f"texts are signed in another way, first: {again}"
            )
    if not has_pages:
        raise StoreMismatch(f"{directories[0]} has no stored page that could be visited again")


@dataclass(frozen=True, slots=True)
class Plan:
    """Which pages are visited again."""

    of: tuple[str, ...]
    """The directories that are visited again, oldest first, as paths from the recrawl's own."""
    at: float
    """Unix seconds: what is due by then. It stays the same when the recrawl is resumed."""
    due_only: bool
    known_only: bool
    """Whether URLs that no earlier directory knows are left alone."""
    pending: bool = False
    """Whether URLs that earlier directories left pending are asked for as well."""
    has_inherited: bool = False
    """Whether the recrawl has taken over what the newest of them had learned of sites."""

    @classmethod
    def after(
        cls,
        directory: Path,
        earlier: Mapping[str, Any] | None,
        output: Path,
        at: float,
        *,
        due_only: bool,
        known_only: bool,
        pending: bool = False,
    ) -> Self:
        """Return the plan of a recrawl in `output` of a directory with the plan `earlier`."""
        of = [*(directory / path for path in (earlier or {}).get("of", ())), directory]
        # Without symbolic links: `..` leads out of where one points to.
        paths = tuple(os.path.relpath(path.resolve(), output.resolve()) for path in of)
        return cls(paths, at, due_only, known_only, pending)

    @classmethod
    def kept(cls, record: Mapping[str, Any]) -> Self:
        """Undo `record`."""
        return cls(
            tuple(map(str, record["of"])),
            float(record["at"]),
            bool(record["due_only"]),
            bool(record["known_only"]),
            bool(record["pending"]),
            bool(record["has_inherited"]),
        )

    def record(self) -> dict[str, Any]:
        """Return the plan as JSON-ready data."""
        return {**asdict(self), "of": list(self.of)}

    def wants(self, page: KnownPage, job: Job) -> bool:
        """Whether a page is to be visited."""
        if not self.due_only:
            return True
        bounds = job.recrawl.min_s, job.recrawl.max_s
        return page.visited_at + interval_s(page.history, *bounds) <= self.at


# ---------------------------------------------------------------- comparison
# What has changed of a page: its bytes, what surrounds its text, or the text.


class Kind(StrEnum):
    """What a visit found; docs/recrawl.md tells each."""

    NOT_MODIFIED = "not-modified"
    """The server says so (RFC 9110 15.4.5): the `server-not-modified` of WARC 1.1, 6.7.3."""
    UNCHANGED = "unchanged"
    """The same bytes: its `identical-payload-digest`."""
    MARKUP = "markup"
    """Other bytes, and all that is visible outside nav, header and footer is the same."""
    SURROUNDINGS = "surroundings"
    """The same text, and other visible things around it: the site's template, a list, a date."""
    STAMPS = "stamps"
    """The same text, but for stamps and counters, as the judge leaves them out at one address."""
    MISREAD = "misread"
    """A template read it that was given up since: it is read again, changed or not."""
    TEXT = "text"
    DUPLICATE = "duplicate"
    """It has the bytes of another page of this directory now."""
    BACK = "back"
    """It was gone, or redirected, and is there again."""
    REDIRECTED = "redirected"
    GONE = "gone"
    """404, 410, or a redirect to the home page of a host."""
    EXCLUDED = "excluded"
    """robots.txt, its type or size, or what it asks for itself keep it out now."""
    FAILED = "failed"
    """Nothing was learned of it."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was found of a page that was read."""

    kind: Kind
    payload_digest: str | None = None
    text_digest: str | None = None
    visible_digest: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    similarity: float | None = None
    """Jaccard of the shingles of both judged texts, 0..1; None where they were not read alike."""
    characters_added: int | None = None
    characters_removed: int | None = None
    """Of lines of the text that kept is; None where the text that it had is not kept."""


def characters(before: str, now: str) -> tuple[int, int]:
    """Return how many characters of lines were added and removed between two texts.

    Lines are compared as a bag, in linear time: a line that moved is no change, and of one in which
    a word differs, all counts on both sides.
    """
    old, new = Counter(before.splitlines()), Counter(now.splitlines())
    added, removed = (new - old).elements(), (old - new).elements()
    return sum(map(len, added)), sum(map(len, removed))


# ---------------------------------------------------------------- sources
# The directories that are visited again, opened for reading: what they keep of each page.


MOST_COPIES = 3
"""Copies of a page that is gone which are named and visited: one that lives is enough."""


@dataclass(frozen=True, slots=True)
class Last:
    """What a page was when it was read last."""

    known: KnownPage
    view: StoreView
    line: Mapping[str, Any]
    """Its line in `pages.jsonl`."""
    visit: Mapping[str, Any]
    """The line of a later visit, if there was one."""
    visited_in: StoreView
    """Where that line is."""
    is_misread: bool
    """Whether a template read it that was given up since."""

    @property
    def note(self) -> Mapping[str, Any]:
        """What the later visit noted of it (`revisit`)."""
        return self.visit.get("revisit") or {}

    @property
    def validators(self) -> Validators:
        """What it was known by."""
        told = self.note if self._is_noted else self.line
        return Validators(told.get("etag"), told.get("last_modified"))

    @property
    def archived(self) -> ArchivedPayload | None:
        """Where the bytes are archived that it had; None where that is not known."""
        view, line = (self.visited_in, self.visit) if self._is_noted else (self.view, self.line)
        if (file := line.get("warc_filename")) is None:
            return None
        return archived_payload(view, file, line["warc_offset"])

    @property
    def template(self) -> bytes | None:
        """The template that read it, packed; None if none did."""
        version = self.line.get("template")
        if version is None:
            return None
        return template(self.view, host_key(self.line["final_url"]), version)

    def has_bytes(self, digest: bytes) -> bool:
        """Whether its body was the one with this digest."""
        return self._digest("payload_digest") == format_digest(digest)

    def compared(self, page: Document) -> Change:
        """Return what has changed, once the page is read as it was read then."""
        text = format_digest(page.signature.text_digest)
        visible = format_digest(page.signature.visible_digest)
        change = Change(Kind.TEXT, text_digest=text, visible_digest=visible)
        if not (visible_then := self.note.get("visible_digest")):
            found = self.view.visible_digest(self.known.id)
            visible_then = None if found is None else format_digest(found)
        if visible == visible_then:
            return replace(change, kind=Kind.MARKUP)
        if text == self._digest("text_digest"):
            return replace(change, kind=Kind.SURROUNDINGS)
        if self._digest("text_digest") != self.line["text_digest"]:
            return change  # the text that it had last was dropped
        packed = SqliteCatalog(self.view.database).appearance(self.known.id)
        stored = _seen(packed, self.line.get("title"), self.line["text"])
        if only_stamps_differ(_seen(page.appearance, page.title, page.text), stored):
            # It is still known by the text that is stored: that is what the next visit compares.
            return replace(change, kind=Kind.STAMPS, text_digest=None)
        added, removed = characters(self.line["text"], page.text)
        return replace(
            change,
            similarity=self._similarity(page),
            characters_added=added,
            characters_removed=removed,
        )

    @property
    def _is_noted(self) -> bool:
        """Whether it is the later visit that tells of its bytes."""
        return "payload_digest" in self.note

    def _digest(self, name: str) -> str:
        return str(self.note.get(name) or self.line[name])

    def _similarity(self, page: Document) -> float | None:
        query = "SELECT shingle_kind FROM documents WHERE id = ?"
        kind = self.view.database.rows(query, (self.known.id,))
        if page.judged_on != self.line["judged_on"] or kind != [(page.signature.shingle_kind,)]:
            return None
        stored = SqliteCatalog(self.view.database).shingles(self.known.id)
        return round(jaccard(page.signature.shingles, stored.hashes), 4)


def _seen(packed: bytes | None, title: str | None, text: str) -> Appearance:
    """Return what a reader sees of a page, with its text where that was all there was to judge."""
    seen = unpack(packed) if packed else Appearance(title)
    return seen if seen.order else replace(seen, text=lines_of(text))


@contextmanager
def opened(directories: Sequence[Path]) -> Iterator[list[StoreView]]:
    """Open directories for a `with` block, to which nobody writes from then on.

    Raises StoreMismatch where one is not there, StoreInUse where somebody writes to it, StoreError.
    """
    with ExitStack() as stack:
        for path in directories:
            stack.enter_context(kept_still(path))
        yield [stack.enter_context(StoreView.read(path)) for path in directories]


# ---------------------------------------------------------------- visits
# What the end of a page tells of its visit.


_NO_LONGER = (404, 410)
"""Not Found and Gone (RFC 9110 15.5.5, 15.5.11)."""

_STANDING = {Kind.GONE: GONE, Kind.REDIRECTED: REDIRECTED}
_CHANGED = frozenset({Kind.TEXT, Kind.DUPLICATE, Kind.BACK})
_UNTOLD = frozenset({Kind.EXCLUDED, Kind.FAILED, Kind.MISREAD})
"""Visits that tell nothing of how often a page changes: it stays due."""
_TEXTS = ("text_digest", "visible_digest")
_IDENTITY = (*_TEXTS, "payload_digest", "etag", "last_modified")
"""What a page is known by at its next visit."""


def _kind(task: FetchTask, outcome: PageOutcome, line: dict[str, Any]) -> Kind:
    """Return what the end of a page tells that was not read."""
    match outcome.state:
        case UrlState.STORED | UrlState.DUPLICATE:
            return Kind.DUPLICATE
        case UrlState.REDIRECT:
            return Kind.GONE if _leads_home(task.url, line["target"]) else Kind.REDIRECTED
        case UrlState.SKIPPED if line["reason"] == "unchanged":
            return Kind.NOT_MODIFIED
        case UrlState.SKIPPED:
            return Kind.EXCLUDED
    return Kind.GONE if line.get("status") in _NO_LONGER else Kind.FAILED


def _leads_home(url: str, target: str) -> bool:
    """Whether a redirect leads to the home page of a host, and not from one: a soft 404."""
    to, of = urlsplit(target), urlsplit(url)
    return to.path in ("", "/") and not to.query and of.path not in ("", "/")


# ---------------------------------------------------------------- revisited
# A crawl that visits the pages of earlier directories: prepared, and offered to the frontier.
#
# All of it is done again, with the same outcome, by every run: the lines that it is made from are
# never changed, and what the frontier or the store has already is not taken twice. So a kill at any
# moment costs nothing but the time.


LINES_A_SLICE, URLS_A_SLICE, TEMPLATES_A_SLICE = 200, 2_000, 200
"""Of work that is proportional to all of them: some 10 to 20 ms."""


_PENDING = "pending"
_WITHOUT_ANSWER = (UrlState.PENDING, UrlState.FAILED)


class Visits:
    """The pages of earlier directories, in one run of a recrawl.

    The owner of what is found of one until that is handed over.
    """

    def __init__(
        self, job: Job, store: Store, plan: Plan, views: Sequence[StoreView], report: Say
    ) -> None:
        """`views` are the directories, oldest first."""
        self._job = job
        self._store = store
        self._plan = plan
        self._views = views
        self._copies: dict[int, dict[int, list[str]]] = {}
        """Directory -> page -> URLs of its copies, once they were asked for."""
        self._given_up: dict[tuple[int, str], int] = {}
        """(directory, host key) -> the latest version of its template that was given up there."""
        self._known: dict[str, KnownPage] = {}
        self._found: dict[int, Change] = {}
        """By URL id: what was found of pages that are not at their end."""
        self.reads_links = False
        """Whether of pages that have not changed, too: what they link to may be wanted now."""
        self._seen = SeenSet()
        """All URLs that earlier directories know, read or not."""
        self._report = report
        self._asked_again: Counter[str] = Counter()
        self._left: Counter[str] = Counter()
        """URLs without a page by how they ended, those that are asked for and all others."""
        self._left_in: dict[UrlState, Path] = {}
        """The newest directory that has some of the others, by their state."""

    @classmethod
    async def opened(
        cls, job: Job, store: Store, stack: AsyncExitStack, report: Say
    ) -> Visits | None:
        """Open what a store's recrawl goes back to, until `stack` ends; None in other crawls."""
        with reading_stored_values(store.directory):
            kept = store.meta(Meta.RECRAWL)
            plan = None if kept is None else Plan.kept(kept)
        if plan is None:
            return None
        views = stack.enter_context(opened([store.directory / path for path in plan.of]))
        return cls(job, store, plan, views, report)

    async def prepare(self, frontier: PageFrontier, stop: asyncio.Event) -> None:
        """Read what is known of all pages, or a part of it once a `stop` is asked for."""
        async for _ in in_slices(known_pages(self._views, self._known), LINES_A_SLICE):
            if stop.is_set():
                break
        async for some in in_slices(self._urls(), URLS_A_SLICE):
            for directory, url in some:
                if self._seen.add(url.url) and url.url not in self._known:
                    self._note(url, directory)
            if stop.is_set():
                break
        kept = {place for view in self._views for place in view.meta(Meta.SCOPE, [])}
        frontier.widen((url for url, _, _ in self._views[0].seeds()), sorted(kept))
        frontier.leave((lambda url: True) if self._plan.known_only else self._seen.__contains__)
        await self._inherit()
        self.reads_links = lacks_links(self._views[-1], self._job)

    async def offer(self, frontier: PageFrontier) -> None:
        """Offer the pages that are to be visited, then the URLs without one that are wanted.

        Those of an earlier run are known by then.
        """
        async for some in in_slices(self._known.items(), URLS_A_SLICE):
            offered = [
                frontier.offer(url, depth=page.depth)
                for url, page in some
                if self._plan.wants(page, self._job)
            ]
            self._store.submit_urls([new for new in offered if isinstance(new, NewUrl)])
            await self._store.room()
        newer = SeenSet()
        # Each URL as the newest directory that has it tells of it.
        async for left in in_slices(self._urls() if self._asked_again else (), URLS_A_SLICE):
            offered = [
                frontier.offer(url.url, depth=url.depth, seed=url.seed)
                for _, url in left
                if newer.add(url.url) and url.url not in self._known and self._is_wanted(url)
            ]
            self._store.submit_urls([new for new in offered if isinstance(new, NewUrl)])
            await self._store.room()
        self._tell()

    def _urls(self) -> Iterator[tuple[Path, Known]]:
        """Yield every URL of each directory and where it is known, the newest directory first."""
        for view in reversed(self._views):
            for url in every_url(view):
                yield view.directory, url

    def _note(self, url: Known, directory: Path) -> None:
        """Count a URL that was never stored by how the newest directory that knows it left it."""
        if self._is_wanted(url):
            self._asked_again[url.detail or _PENDING] += 1
        elif url.state in _WITHOUT_ANSWER or _may_pass(url):
            self._left[url.detail or _PENDING] += 1
            self._left_in.setdefault(url.state, directory.resolve())

    def _is_wanted(self, url: Known) -> bool:
        """Whether a URL that was never stored is asked for: there is no answer about it yet."""
        if self._plan.known_only:
            return False
        return _may_pass(url) or (self._plan.pending and url.state is UrlState.PENDING)

    def _tell(self) -> None:
        """Say what becomes of URLs that no earlier directory has a page of."""
        if self._asked_again:
            told = _told(self._asked_again)
            self._report(f"Asking for URLs that earlier directories have no answer about: {told}")
        ways = []
        if directory := self._left_in.pop(UrlState.PENDING, None):
            here = "" if self._plan.known_only else ", or give --pending"
            ways.append(f"what is pending: {command('resume', directory)}{here}")
        ways += [
            f"what failed: {command('retry', directory)} --class CLASS, then resume it"
            for directory in dict.fromkeys(self._left_in.values())
        ]
        if ways:
            told = f"Not asking for URLs that were left before: {_told(self._left)}"
            self._report(f"{told}. To ask for {'; for '.join(ways)}")

    async def _inherit(self) -> None:
        """Go on with the templates that the newest directory has learned: once, by the first run.

        That it was done is committed after all of it; a run that was killed before does it again.
        """
        if self._plan.has_inherited:
            return
        view = self._views[-1]

        def learned() -> Iterator[Learned]:
            for known in map(inherited, all_learned(view)):
                for _, version, packed in templates(view, known.host):
                    yield Learned(known.host, known.state, version, packed, known.revoked)
                yield known

        async for some in in_slices(learned(), TEMPLATES_A_SLICE):
            for one in some:
                self._store.keep_learned(one)
            await self._store.room()
        self._store.set_meta(Meta.RECRAWL, replace(self._plan, has_inherited=True).record())
        await self._store.flush()

    # ----------------------------------------------------------------------------------------------
    # In the life of a page

    def asked(self, task: FetchTask) -> FetchTask:
        """Return a task that asks for its page if it has changed, where that is known.

        Links can be read of a whole page only, and so can what is to be read again.
        """
        if self.reads_links:
            return task
        last = self.last(task)
        if last is None or last.is_misread:
            return task
        return replace(task, validators=last.validators)

    def last(self, task: FetchTask) -> Last | None:
        """Return what the page of a task was, None where no earlier directory has it.

        StoreError where that cannot be read.
        """
        if (page := self._known.get(task.url)) is None:
            return None
        view, line = self._views[page.source], page.page.record()
        version = line.get("template")
        wrong = 0 if version is None else self._wrong(page.source, host_key(line["final_url"]))
        is_misread = version is not None and version <= wrong
        if page.note is None:
            return Last(page, view, line, {}, view, is_misread)
        noted_in = next(one for one in self._views if one.directory == page.note.path.parent)
        return Last(page, view, line, page.note.record(), noted_in, is_misread)

    def _wrong(self, source: int, host: str) -> int:
        """Return the latest version of a host's template that a directory has given up."""
        if (wrong := self._given_up.get((source, host))) is None:
            known, wrong = self._views[source].learned(host), 0
            if known is not None and known.revoked:
                with suppress(ValueError):  # damaged: nothing is known of its templates any more
                    wrong = Learner.restored(known.state, known.template).figures.wrong
            self._given_up[source, host] = wrong
        return wrong

    def found(self, task: FetchTask, change: Change) -> None:
        """Keep what was found of a page until its end."""
        self._found[task.url_id] = change

    def note(self, task: FetchTask, outcome: PageOutcome, frontier: PageFrontier) -> None:
        """Have the line of a URL's end say what its visit found.

        The copies of a page that is gone are offered.
        """
        page, change = self._known.get(task.url), self._found.pop(task.url_id, None)
        if page is None or not outcome.lines:
            return
        if outcome.state is UrlState.FAILED:  # a change not read to its end is none yet
            change = None
        (file, line), *others = outcome.lines
        kind = change.kind if change else _kind(task, outcome, dict(line))
        record = self._record(page, kind, told_at(dict(line)))
        record |= self._kept(task, outcome, change)
        copies = self._copies_of(page) if kind is Kind.GONE else []
        if copies:
            record["copies"] = copies
        if outcome.state is UrlState.REDIRECT:
            record["target"] = line["target"]
        offered = [frontier.offer(url, depth=page.depth) for url in copies]
        outcome.unchanged = self._archived(task, kind) if outcome.captures else None
        outcome.lines = ((file, {**line, "revisit": record}), *others)
        outcome.new_urls += tuple(new for new in offered if isinstance(new, NewUrl))
        outcome.totals.revisit = {record["kind"]: 1.0}

    def _kept(self, task: FetchTask, outcome: PageOutcome, change: Change | None) -> dict[str, Any]:
        """Return what the next visit is to know of a page; a stored one has it in its line."""
        found = {k: v for k, v in asdict(change).items() if v is not None} if change else {}
        found.pop("kind", None)
        if outcome.state is UrlState.STORED:
            return {name: value for name, value in found.items() if name not in _IDENTITY}
        if change is not None and change.kind is not Kind.UNCHANGED:
            return found
        last = self.last(task)
        assert last is not None
        note, carried = last.note, _TEXTS if change is not None else _IDENTITY
        return {name: note[name] for name in carried if name in note} | found

    def _copies_of(self, page: KnownPage) -> list[str]:
        """Return URLs of at most MOST_COPIES pages that were dropped as copies of a page.

        The first question reads a directory's whole URL table, and keeps them for all its pages.
        """
        if (known := self._copies.get(page.source)) is None:
            known = self._copies[page.source] = {}
            query = "SELECT duplicate_of, url FROM urls WHERE state = ? ORDER BY id"
            found = self._views[page.source].database.stream(query, (UrlState.DUPLICATE.value,))
            for of, url in found:
                if len(urls := known.setdefault(of, [])) < MOST_COPIES:
                    urls.append(url)
        return known.get(page.id, [])

    def _archived(self, task: FetchTask, kind: Kind) -> ArchivedPayload | None:
        """Return what has the bytes of a page that still has them; None where nothing is known."""
        if kind not in (Kind.NOT_MODIFIED, Kind.UNCHANGED):
            return None
        known = None if (last := self.last(task)) is None else last.archived
        if kind is Kind.NOT_MODIFIED:  # its bytes are not here: all that is known serves
            return known or ArchivedPayload(task.url)
        return known if known is not None and known.date is not None else None

    def _record(self, page: KnownPage, kind: Kind, at: float) -> dict[str, Any]:
        standing, history, seen_at = page.standing, page.history, page.visited_at
        if kind not in _UNTOLD:
            standing = _STANDING.get(kind, THERE)
            moved = standing != page.standing
            if moved and standing == THERE:
                kind = Kind.BACK
            changed = moved or kind in _CHANGED
            history, seen_at = history.visited(at - seen_at, changed=changed), at
        return {
            "kind": kind.value,
            "visited_at": format_time(seen_at),
            "of": {"directory": self._plan.of[page.source], "id": page.id},
            "standing": standing,
            **{name: round(value, 3) for name, value in history._asdict().items()},
        }


def _may_pass(url: Known) -> bool:
    """Whether a URL has no page for a reason that may have passed, as `retry` takes it."""
    if url.state is UrlState.SKIPPED:
        return url.detail in PASSING_SKIPS
    return url.state is UrlState.FAILED and url.detail in PASSING


def _told(endings: Counter[str]) -> str:
    return ", ".join(f"{ending} {number:,}" for ending, number in endings.most_common())


# ---------------------------------------------------------------- changes
# `changes.jsonl`: what a recrawl found of each page, as one file made from its lines.


CHANGES = "changes.jsonl"
_WHY = ("status", "failure", "reason")
"""What a line says of a page that is not there."""


def write_changes(directory: Path, min_s: float, max_s: float) -> None:
    """Write the file in one step, so that no reader finds half of it.

    In the order of the line files, and of the lines in each. Raises StoreError where the directory
    cannot be read or written.
    """
    path = directory / CHANGES
    with replacing(path) as part, StoreView.read(directory) as view, part.open("wb") as file:
        for record in _changes(view, min_s, max_s):
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))


def _changes(view: StoreView, min_s: float, max_s: float) -> Iterator[dict[str, Any]]:
    living = copies_of_gone(view)
    for name in LINE_FILES:
        for line in view.lines(name):
            with reading_line(line.place):
                record = orjson.loads(line.data)
                if not (visit := record.get("revisit")):
                    continue
                history = History(*(visit[field] for field in History._fields))
                wait_s, copy = interval_s(history, min_s, max_s), living.get(record["url"])
                yield {
                    "url": record["url"],
                    "at": record["fetched_at"],
                    **visit,
                    "line_in": name,
                    **{key: record[key] for key in _WHY if record.get(key)},
                    "interval_s": round(wait_s, 3),
                    "due_at": format_time(seconds(visit["visited_at"]) + wait_s),
                    **({"living_copy": copy} if copy else {}),
                }
