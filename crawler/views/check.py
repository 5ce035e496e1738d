"""Whether a crawl's directory is sound.

State, lines, texts and archives held against each other.
"""

from __future__ import annotations

import base64
import hashlib
import random
import time
import zlib
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from crawler.config import Job
from crawler.console import Say, command, progress, shell_line
from crawler.dedup import Signer, methods
from crawler.dedup.copies import Appearance, unpack
from crawler.dedup.copies.appearance import CUT
from crawler.dedup.signing import format_digest, text_digest
from crawler.engine import corpus_schema, schema
from crawler.engine.identity import identity
from crawler.engine.outcomes import format_fingerprint
from crawler.engine.schema import faults
from crawler.errors import CrawlerError, StoreError, StoreMismatch
from crawler.extract.templates import Learner, unpack_template
from crawler.extract.text import shown_text
from crawler.frontier.learning import Lesson
from crawler.models import RESTORED_SIBLING, SIBLING, Shingles, UrlState
from crawler.storage.archive import index_name
from crawler.storage.database import WAY_OUT, reading_stored_values
from crawler.storage.directory import (
    ARCHIVES,
    INPUTS,
    LINE_FILES,
    STATE,
    SUMMARY,
    archive_number,
    archive_path,
    line_path,
)
from crawler.storage.integrity import (
    StoredPage,
    appearances,
    dropped_pages,
    has_lost_its_state,
    inconsistencies,
    is_damage,
    lessons,
    page_ids,
    snapshot,
    stored_pages,
    url_ends,
)
from crawler.storage.journal import Extent, by_kind, on_disk, read_lines, total_extent
from crawler.storage.rows import unpack_shingles
from crawler.storage.tables import Meta
from crawler.storage.view import FILE_OF_STATE, IN_BOTH, StoreView, all_learned, templates
from crawler.units import counted
from crawler.urls import Canonicaliser, host_key, without_route
from crawler.warc import named_fields

MOST_SHOWN = 20
"""Problems of one file that are kept; others are counted."""
EVERY_S = 5.0
"""How often is said how far a check is."""
SAMPLE = 1000
"""Pages whose fingerprint is made again where not all are."""

RESTORE = WAY_OUT.rpartition("; ")[2]
"""What can be done about most damage."""
_FETCH_AGAIN = "the crawl goes on unharmed; only this page would have to be fetched again"
_NEXT_RUN = "the next run writes it again"
_UNCOMMITTED = (
    "bytes that are not committed: a running crawl will commit them, after a kill the next start "
    "cuts them off"
)
_READS_ON = (
    "no stored text is harmed; only to read the same body again in the same way it is needed; "
    "restore the whole directory from a backup to have it again"
)
_GOES_ON = (
    "no stored text is harmed, and the crawl goes on with `learn.urls: false`; only to do without "
    "that restore the whole directory from a backup"
)
_LEARNS_ON = (
    "no stored text is harmed, and a crawl that goes on learns it anew; only to do without that "
    "restore the whole directory from a backup"
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One damage."""

    file: str
    """Its name in the directory."""
    place: str
    """Where in it, such as `line 7`; empty for the whole file."""
    what: str
    way_out: str = RESTORE


def without_path(error: StoreError, directory: Path) -> str:
    """Return what an error says of the state file, without its name and the way out."""
    said = str(error).removeprefix(f"{directory / STATE}").removesuffix(f": {WAY_OUT}")
    return said.lstrip(": ")


# How every URL ended by the URL table is held against the line files by hashes of 64 bits, up to a
# hundred bytes a URL while its line file is read. Of a hundred million URLs two have the same hash
# by chance in one check of three thousand.

Hashes = npt.NDArray[np.int64]


def end_hash(url: str, detail: str) -> int:
    """Return a number that stands for how a URL ended; lines call a restored sibling a sibling."""
    return hash((url, SIBLING if detail == RESTORED_SIBLING else detail))


def as_hashes(values: array[int]) -> Hashes:
    """Return an array of Python's as one of numpy."""
    return np.frombuffer(values, np.int64) if values else np.empty(0, np.int64)


class _Noted:
    """Lines of a kind: the number of each, and a hash of what it says."""

    def __init__(self) -> None:
        self.numbers, self.hashes = array("q"), array("q")

    def add(self, number: int, said: int) -> None:
        self.numbers.append(number)
        self.hashes.append(said)

    def but(self, known: Hashes) -> Iterator[int]:
        """Yield the numbers of the lines that say what is not known."""
        for at in np.flatnonzero(~np.isin(as_hashes(self.hashes), known)):
            yield self.numbers[at]


# Archives: 16 bytes a record or line are kept, 200 a row of the index.

_CHUNK = 1 << 14
"""Bytes read at once: unpacked they are 16 MB at most."""
_MAX_HEAD = 1 << 16
_MOST_DIGITS = 20
"""Of a length. Python refuses to read numbers of thousands of digits."""
_BY_PLACE = ("redirects", "failures", "skipped")
"""Lines that do not name the URL which was asked last: it may differ by a slash or parameter."""
_INDEX = "SELECT file, offset, line FROM archived ORDER BY file, offset"


@dataclass(frozen=True, slots=True)
class Member:
    """One record of an archive."""

    offset: int
    kind: str
    url: str
    fault: str | None
    """What is wrong with it."""


class Torn(ValueError):
    """An archive that cannot be read from here on; the offset, and why."""


def read_members(path: Path, size: int) -> Iterator[Member]:
    """Yield the records in the first `size` bytes of an archive; Torn where these end.

    Memory is bounded, whatever a record holds. Raises OSError.
    """
    offset, data = 0, b""
    with path.open("rb") as file:
        while offset < size:
            unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
            unread, begun = 0, file.tell() - len(data)
            head, left, rest, digest = b"", 0, b"", hashlib.sha1(usedforsecurity=False)
            fields: dict[str, str] | None = None
            while not unpacker.eof:
                data = data or file.read(min(_CHUNK, size - file.tell()))
                if not data:
                    raise Torn(offset, "the record that begins here is torn")
                try:
                    plain = unpacker.decompress(data)
                except zlib.error as error:
                    raise Torn(offset, f"no record: {error}") from None
                data = unpacker.unused_data
                unread = len(data)
                if fields is None:
                    head += plain
                    named, end, plain = head.partition(b"\r\n\r\n")
                    if not end or len(named) > _MAX_HEAD:
                        head = head[: 2 * _MAX_HEAD]
                        continue
                    head, fields = named, named_fields(named)
                    told = fields.get("content-length", "")
                    left = int(told) if told.isdecimal() and len(told) < _MOST_DIGITS else 0
                digest.update(plain[:left])
                rest = (rest + plain[left:])[:5]
                left -= min(left, len(plain))
            named_by, fault = fields or {}, None
            sha1 = base64.b32encode(digest.digest()).decode("ascii")
            if not head.startswith(b"WARC/1.1\r\n") or fields is None:
                fault = "no record of WARC/1.1"
            elif left or rest != b"\r\n\r\n":
                fault = "its block is not as long as it says"
            elif fields.get("warc-block-digest") != f"sha1:{sha1}":
                fault = "its block differs from its digest"
            kind, url = named_by.get("warc-type", ""), named_by.get("warc-target-uri", "")
            yield Member(offset, kind, url, fault)
            offset += file.tell() - unread - begun


_STEPS = ("tokenizer", "fingerprint", "shingles", "sketch")
"""Keys of a crawl's identity that a signature depends on, besides those of its method."""
_FAULTS_A_LINE = 3
_DETAIL = {
    "pages": "verdict",
    "duplicates": "verdict",
    "redirects": "status",
    "failures": "failure",
    "skipped": "reason",
}
"""Line file -> the field that says in what way the URL ended."""
_REFERENCES = ("duplicate_of", "sibling_of")
_META: Mapping[Meta, type] = {
    **{Meta.RUNS: list, Meta.REINDEXED: list, Meta.AGAINST: list},
    **{Meta.SCOPE: list, Meta.PURGED: list},
    Meta.KEY: str,
}
"""What else than objects the table `meta` has."""


def check_directory(
    directory: Path, say: Say = lambda line: None, *, every_page: bool = False
) -> Check:
    """Look for damage in a directory; what is found is in the answer.

    Raises StoreMismatch where there is no crawl, StoreError where the machine does not let it be
    read.
    """
    check = Check(directory, say)
    try:
        view = StoreView.read(directory)
    except StoreError as error:
        lost = isinstance(error, StoreMismatch) and has_lost_its_state(directory, error)
        if not lost and not is_damage(error):
            raise
        check.add(STATE, "", without_path(error, directory))
        return check
    with view:
        check.look(view, every_page=every_page)
    return check


def ways_out(check: Check) -> Mapping[str, list[str]]:
    """Return what can be done -> the files that need it, most urgent first."""
    ways: dict[str, list[str]] = {}
    for problem in check.problems:
        files = ways.setdefault(problem.way_out, [])
        if problem.file not in files:
            files.append(problem.file)
    return dict(sorted(ways.items(), key=lambda way: way[0] != RESTORE))


class Check:
    """One check of a directory, and the problems found so far: at most MOST_SHOWN of a file."""

    def __init__(
        self, directory: Path, say: Say, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.directory = directory
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        """What could not be looked at, and what is no damage though it may look so."""
        self.counts: Counter[str] = Counter()
        """File -> its problems."""
        self.looked_at = ""
        """What was looked at, in a few words."""
        self._begun: dict[str, list[tuple[int, str]]] = {}
        """Kind of line -> its files, each with how many lines of the kind are before it."""
        self._say = say
        self._clock = clock
        self._said_at = clock()
        self._is_corpus = self._reads_archives = False
        self._files: Mapping[str, dict[str, Extent]] = {}
        """Kind of line -> its files, with how much of each is committed."""
        self._retried: Mapping[str, int] = {}
        self._ends: dict[str, array[int]] = defaultdict(partial(array, "q"))
        """Kind of line -> `end_hash` of each URL that must have one."""
        self._urls = array("q")
        """`hash` of every URL."""
        self._versions: set[tuple[str, int]] = set()
        """Hosts and versions of their templates that there are."""
        self._pages = array("q")
        """Hash of (id, URL) of each stored page."""
        self._references: dict[str, _Noted] = defaultdict(_Noted)
        """Kind of line -> the pages that its lines refer to."""
        self._exchanges: dict[str, _Noted] = defaultdict(_Noted)
        """Kind of line -> where in the archives its lines say that their exchanges are."""

    def add(self, file: str, place: str, what: str, way_out: str = RESTORE) -> None:
        """Note a problem."""
        self.counts[file] += 1
        if self.counts[file] <= MOST_SHOWN:
            self.problems.append(Problem(file, place, what, way_out))

    def begin_file(self, kind: str, file: str, before: int) -> None:
        """Note that a file begins after so many lines of its kind."""
        if not before:
            self._begun[kind] = []
        self._begun[kind].append((before, file))

    def place(self, kind: str, number: int) -> tuple[str, str]:
        """Return a line's file, and where in that it is; it is numbered through all of its kind."""
        files = self._begun.get(kind, [(0, f"{kind}.jsonl")])
        before, file = files[bisect_left(files, number, key=itemgetter(0)) - 1]
        return file, f"line {number - before:,}"

    def add_line(self, kind: str, number: int, what: str, way_out: str = RESTORE) -> None:
        """Note a problem of a line, numbered through all files of its kind."""
        self.add(*self.place(kind, number), what, way_out)

    def begin(self, line: str) -> None:
        """Say what is looked at now."""
        self._said_at = self._clock()
        self._say(progress(line))

    def beat(self, line: str, *values: object) -> None:
        """Say how far it is, every few seconds; `values` go into the line (`str.format`)."""
        if self._clock() - self._said_at >= EVERY_S:
            self.begin(line.format(*values))

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn a damaged state file into a problem, so that the rest is looked at all the same."""
        try:
            yield
        except StoreError as error:
            if not is_damage(error):
                raise
            self.add(STATE, "", without_path(error, self.directory))

    def look(self, view: StoreView, *, every_page: bool) -> None:
        """Look at everything; what one part finds keeps no other from being looked at."""
        self._view, self._every_page = view, every_page
        # A URL may be archived twice, and lines name archives that lie anywhere. Where the identity
        # is damaged it cannot be told, which is found where all keys are looked at.
        with suppress(StoreError, TypeError):
            self._reads_archives = ARCHIVES in view.meta(Meta.IDENTITY, {})
        parts = self._check_meta, self._check_file, self._check_packed, self._check_lessons
        for part in (*parts, self._check_templates, self._check_summary):
            with self.guarded():
                part()
        with self.guarded():
            table = "documents" if self._is_corpus else "URLs"
            self.begin(f"Reading the table of {table} ...")
            self._read_ends()
            for name in LINE_FILES:
                with self.guarded():
                    self._check_lines(name)
            for name, noted in self._references.items():
                for number in noted.but(as_hashes(self._pages)):
                    self.add_line(name, number, "refers to a page that pages.jsonl does not have")
            with self.guarded():
                self._check_archives()

    def _check_meta(self) -> None:
        for key in Meta:
            with self.guarded():
                value, kind = self._view.meta(key), _META.get(key, dict)
                if value is not None and not isinstance(value, kind):
                    self.add(STATE, "", f"the entry {key} of the table meta is no {kind.__name__}")
        with self.guarded(), reading_stored_values(self._view.directory):
            self._is_corpus = INPUTS in self._view.meta(Meta.IDENTITY, {})

    def _check_file(self) -> None:
        self.begin(f"Checking {STATE} ...")
        for message in inconsistencies(
            self._view, lambda: self.beat("Still checking {} ...", STATE)
        ):
            way_out = RESTORE
            if "index" in message:
                repair = shell_line("sqlite3", self._view.directory / STATE, "REINDEX")
                way_out = f"if nothing else is told: {repair}; otherwise {RESTORE}"
            self.add(STATE, "", message, way_out)

    def _check_packed(self) -> None:
        """Look at what is kept of pages beside their texts."""
        for number, (page_id, packed) in enumerate(appearances(self._view), 1):
            self.beat("{:,} appearances unpacked", number)
            try:
                unpack(packed)
            except ValueError as error:
                self.add(STATE, f"page {page_id}", f"its appearance is lost: {error}")
        known = self._schema("pages")
        known["required"] = [name for name in known["required"] if name != "id"]
        for number, (url_id, url, line) in enumerate(dropped_pages(self._view), 1):
            self.beat("{:,} dropped pages unpacked", number)
            wrong = line if isinstance(line, str) else next(faults(line, known), None)
            if wrong is None and isinstance(line, dict) and line["url"] != url:
                wrong = f"it is of {line['url']}"
            if wrong is not None:
                what = f"the dropped page {url} is lost: {wrong}"
                self.add(STATE, f"URL {url_id}", what, _FETCH_AGAIN)

    def _check_lessons(self) -> None:
        """Unpack what ends taught of their sites' URLs."""
        places, named, stored = array("q"), array("q"), array("q")
        for number, (url_id, url, packed) in enumerate(lessons(self._view), 1):
            self.beat("{:,} lessons unpacked", number)
            try:
                page = Lesson.of(packed).page
            except (ValueError, TypeError) as error:
                what = f"what {url} taught of its site is lost: {error}"
                self.add(STATE, f"URL {url_id}", what, _GOES_ON)
                continue
            if page is not None:
                named.append(page)
                places.append(url_id)
        stored.extend(page_ids(self._view) if places else ())
        for place in np.flatnonzero(~np.isin(as_hashes(named), as_hashes(stored))).tolist():
            what = f"it taught that it leads to page {named[place]}, which is not stored"
            self.add(STATE, f"URL {places[place]}", what, _GOES_ON)

    def _check_templates(self) -> None:
        """Unpack all that was learned of sites, and remember which versions there are."""
        for number, (host, version, packed) in enumerate(templates(self._view), 1):
            self.beat("{:,} templates unpacked", number)
            self._versions.add((host, version))
            what = f"version {version} of the template of {host} is"
            try:
                _, found = unpack_template(packed)
            except ValueError as error:
                self.add(STATE, "", f"{what} lost: {error}", _READS_ON)
            else:
                if found != version:
                    self.add(STATE, "", f"{what} version {found}", _READS_ON)
        for number, known in enumerate(all_learned(self._view), 1):
            self.beat("{:,} learners unpacked", number)
            try:
                Learner.restored(known.state, known.template)
            except ValueError as error:
                what = f"what the template of {known.host} is learned from is lost: {error}"
                self.add(STATE, f"host {known.host}", what, _LEARNS_ON)

    def _check_summary(self) -> None:
        path = self._view.directory / SUMMARY
        try:
            if not isinstance(orjson.loads(path.read_bytes()), dict):
                self.add(SUMMARY, "", "not a JSON object", _NEXT_RUN)
        except FileNotFoundError:
            pass  # no run has ended yet
        except orjson.JSONDecodeError as error:
            self.add(SUMMARY, "", f"not JSON: {error}", _NEXT_RUN)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None

    def _read_ends(self) -> None:
        """Read the URL table, and note where its counts contradict those that are recorded."""
        view = self._view
        with snapshot(view):
            counts = view.counted()
            accounting = view.accounting(counts)
            self._files, self._retried = view.files(), accounting.retried
            for of_kind in self._files.values():
                for file, extent in of_kind.items():
                    numbers = extent.bytes, extent.lines
                    if any(type(number) is not int or number < 0 for number in numbers):
                        said = f"{extent.lines} lines in {extent.bytes} bytes for {file}.jsonl"
                        self.add(STATE, "", f"records {said}")
                        of_kind[file] = Extent()
            if view.kept_counts().outcomes != counts.outcomes:
                self.add(STATE, "", "the counts of how URLs ended are not those of its URLs")
            for problem in accounting.problems:
                self.add(STATE, "", f"the counts contradict each other: {problem}")
            for number, (_, url, state, detail) in enumerate(url_ends(view), 1):
                self._urls.append(hash(url))
                kinds = [FILE_OF_STATE[UrlState(state)]] if state else []
                if state == UrlState.STORED and detail in IN_BOTH:
                    kinds.append("duplicates")
                for kind in kinds:
                    self._ends[kind].append(end_hash(url, detail))
                self.beat("{:,} of {:,} URLs read", number, accounting.seen)
        if not self._reads_archives:
            ordered = np.sort(as_hashes(self._urls))
            twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
            first: dict[str, int] = {}
            for id_, url, _, _ in url_ends(view) if twice else ():
                if hash(url) in twice and first.setdefault(url, id_) != id_:
                    self.add(STATE, f"URL {id_}", f"{url} is URL {first[url]} already")

    def _committed(self, kind: str) -> int:
        """Return how many lines of a kind are committed, in all of its files."""
        return total_extent(self._files[kind].values()).lines

    def _check_lines(self, kind: str) -> None:
        """Hold the lines of a kind against their schema and all that they name."""
        if committed := self._committed(kind):
            self.begin(f"Reading {counted(committed, 'line')} of {kind}.jsonl ...")
        told, urls = _Noted(), array("q")
        lines = self._valid_lines(kind)
        for number, record in self._compared(lines) if kind == "pages" else lines:
            url = record["url"]
            told.add(number, end_hash(url, str(record[_DETAIL[kind]])))
            urls.append(hash(url))
            if kind == "pages":
                self._pages.append(hash((record["id"], url)))
            for reference in _REFERENCES:
                of = record.get(reference)
                if of is not None and "against" not in of:
                    self._references[kind].add(number, hash((of["id"], of["url"])))
            version = record.get("template")
            if version is not None:
                host = host_key(record["final_url"])
                if (host, version) not in self._versions:
                    what = f"it was read by version {version} of the template of {host}"
                    self.add_line(kind, number, f"{what}, which is lost", _READS_ON)
            if not self._reads_archives and record.get("warc_filename") is not None:
                asked = "" if kind in _BY_PLACE else without_route(record["final_url"])
                place = record["warc_filename"], record["warc_offset"], asked
                self._exchanges[kind].add(number, hash(place))
        self._compare_ends(kind, told, urls)
        for file, found in by_kind(on_disk(self._view.directory))[kind].items():
            longer = found.bytes - self._files[kind].get(file, Extent()).bytes
            if longer > 0:
                name = line_path(self._view.directory, file).name
                self.notes.append(f"{name} has {longer:,} {_UNCOMMITTED}")

    def _valid_lines(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (number, record) of every committed line that is a valid one; note the others.

        Numbers go on from file to file. Raises StoreError where a file cannot be read at all.
        """
        directory, known = self._view.directory, self._schema(kind)
        number, every = 0, self._committed(kind)
        found = on_disk(directory)
        for file, extent in self._files[kind].items():
            path = line_path(directory, file)
            self.begin_file(kind, path.name, number)
            there = min(extent.bytes, found.get(file, Extent()).bytes)
            before = number
            for line in read_lines(directory, {file: Extent(there)} if there else {}):
                number += 1
                self.beat("{}: {:,} of {:,} lines", path.name, number, every)
                record = _record(line.data)
                if isinstance(record, str):
                    self.add_line(kind, number, record)
                elif wrong := list(islice(faults(record, known), _FAULTS_A_LINE)):
                    self.add_line(kind, number, f"not a valid line: {'; '.join(wrong)}")
                else:
                    yield number, record
            if missing := extent.bytes - there:
                what = f"the last {missing:,} of {extent.bytes:,} bytes are missing"
                self.add(path.name, "", what)
            elif number - before != extent.lines:
                what = f"{number - before:,} lines where {extent.lines:,} were committed"
                self.add(path.name, "", what)

    def _compare_ends(self, kind: str, told: _Noted, urls: array[int]) -> None:
        """Hold lines against the URL table: the same URLs, ended alike, once each.

        Where URLs were put back by `retry`, a line may be of an earlier end.
        """
        found = as_hashes(told.hashes)
        wanted = np.sort(as_hashes(self._ends[kind]))
        again = self._retried.get(kind, 0)
        known = np.isin(found, wanted)
        if again:
            known |= np.isin(as_hashes(urls), as_hashes(self._urls))
        for at in np.flatnonzero(~known):
            self.add_line(kind, told.numbers[at], "no URL ended so by the state file")
        if not again:
            order = np.argsort(found, kind="stable")
            equal = found[order][1:] == found[order][:-1]
            numbers = as_hashes(told.numbers)[order]
            for line, earlier in zip(numbers[1:][equal], numbers[:-1][equal], strict=True):
                file, place = self.place(kind, earlier)
                other = "" if file == self.place(kind, line)[0] else f" of {file}"
                self.add_line(kind, line, f"of the same URL as {place}{other}")
        # A line that is no valid one was told already: its URL is not told once more.
        whole = len(found) == self._committed(kind)
        lost = set(np.setdiff1d(wanted, found).tolist()) if whole else set()
        for _, url, state, detail in url_ends(self._view) if lost else ():
            is_lost = state and end_hash(url, detail) in lost
            if is_lost and kind in ("duplicates", FILE_OF_STATE[UrlState(state)]):
                self.add(f"{kind}.jsonl", "", f"no line of {url}, which ended so")

    def _compared(
        self, valid: Iterator[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Hand on lines of pages.jsonl, each held against its row and its text on the way."""
        view = self._view
        count, signed = self._committed("pages"), 0
        sign = self._signer()
        with reading_stored_values(view.directory):
            runs = view.meta(Meta.REINDEXED, [])
            unsigned = {id_ for run in runs for id_ in run["failed"]}
            self._is_corpus = INPUTS in view.meta(Meta.IDENTITY, {})
        sampled: Container[int] = range(1, count + 1)
        if not self._every_page and count > SAMPLE:
            sampled = frozenset(random.sample(range(1, count + 1), SAMPLE))
        stored, behind = stored_pages(view), 0
        for number, record in valid:
            page = next(islice(stored, number - behind - 1, None), None)
            behind = number
            if page is None:
                self.add_line("pages", number, "no such page is stored")
            else:
                with self.guarded():
                    wrong = self._differing(record, page, reindexed=bool(runs))
                    for what in wrong:
                        self.add_line("pages", number, what)
                    shingles = self._shingles(page)
                    is_asked = number in sampled and not wrong and page.id not in unsigned
                    if is_asked and shingles and sign:
                        signed += self._compare_signature(record["text"], page, shingles, sign)
            yield number, record
        read, kept = ("documents", "kept") if self._is_corpus else ("URLs", "pages")
        self.looked_at = (
            f"{len(self._urls):,} {read}, {sum(map(self._committed, self._files)):,} lines, "
            f"fingerprints of {signed:,} of {count:,} {kept}"
        )

    def _signer(self) -> Signer | None:
        """Return what signed the pages; None, and a note, where this program cannot sign alike."""
        view = self._view
        try:
            data, stored = view.meta(Meta.JOB), dict(view.meta(Meta.IDENTITY, {}))
            if data is None:
                return None
            job = Job.model_validate(data)
            now = identity(job)
            keys = (*_STEPS, *methods.identity(job.dedup))
            differing = [key for key in keys if stored.get(key) != now.get(key)]
            signer = Signer(job.dedup, (view.key,) if view.key else ())
            signer.warm()
        except (CrawlerError, TypeError, ValueError) as error:
            self.notes.append(f"Fingerprints are not checked: {error}")
            return None
        if differing:
            why = f"they were made with another {', '.join(differing)}"
            self.notes.append(f"Fingerprints are not checked: {why}")
            return None
        return signer

    def _differing(
        self, record: Mapping[str, Any], page: StoredPage, *, reindexed: bool
    ) -> list[str]:
        """Return how a line differs from its row and its text; StoreError for no row of ours."""
        with reading_stored_values(self._view.directory):
            told: dict[str, Any] = {
                "url": page.url,
                "payload_digest": format_digest(page.payload_digest),
                "text_digest": format_digest(page.text_digest),
            }
            if not self._is_corpus:
                told["id"] = page.id
            if not reindexed:  # that leaves the lines as they are
                told["fingerprint"] = format_fingerprint(page.fingerprint)
                told["layout"] = page.layout and page.layout.hex()
            wrong = [
                f"{name} is {record.get(name)}, and {value} in the state file"
                for name, value in told.items()
                if record.get(name) != value
            ]
        if format_digest(text_digest(record["text"])) != record["text_digest"]:
            wrong.append("its text is not the one that was stored (text_digest)")
        return wrong

    def _shingles(self, page: StoredPage) -> Shingles | None:
        """Return a page's shingles; None where they are damaged, which is a finding."""
        what = "its shingles are lost"
        if page.hashes is not None:
            try:
                return unpack_shingles(page.id, page.hashes)
            except (TypeError, ValueError) as error:
                what = str(error)
        self._must_be_signed(page, what)
        return None

    def _compare_signature(
        self, text: str, page: StoredPage, stored: Shingles, sign: Signer
    ) -> bool:
        """Sign a page again, and compare; whether that could be done."""
        packed, seen = self._view.appearance(page.id), Appearance(order=CUT)
        with suppress(ValueError):  # told of where all of them are unpacked
            seen = unpack(packed) if packed else Appearance()
        if seen.order == CUT:
            return False
        judged, visible = seen.judged_text, seen.visible_text
        if visible is not None:
            digest = text_digest(shown_text(visible, seen.heading))
            if digest != page.visible_digest:
                what = "its appearance is not that of its visible text (visible_digest)"
                self.add(STATE, f"page {page.id}", what)
                return False
        made = sign(text if judged is None else judged)
        marks = b"", b""
        if stored.marks is not None and made.marks:
            marks = made.marks[0].tobytes(), stored.marks.tobytes()
        pairs = {
            "fingerprint": (made.fingerprint, page.fingerprint),
            "tokens": (made.tokens, page.tokens),
            "kind of shingles": (made.shingle_kind, page.shingle_kind),
            "shingles": (made.shingles.tobytes(), stored.hashes.tobytes()),
            "marks of shingles": marks,
            "sketch": (made.sketch, page.sketch),
        }
        differing = [name for name, (now, then) in pairs.items() if now != then]
        if differing:
            self._must_be_signed(page, f"{', '.join(differing)} are not those of its text")
        return True

    def _must_be_signed(self, page: StoredPage, what: str) -> None:
        """Note what is wrong with a page's signature, which can be made again."""
        way_out = "run `dedup` again with another --output"
        if not self._is_corpus:
            reindex = command("reindex", self._view.directory)
            way_out = f"compute all fingerprints again from the stored texts: {reindex}"
        self.add(STATE, f"page {page.id}", what, way_out)

    def _check_archives(self) -> None:
        """Read every archive as far as it is committed, and hold lines and index against it.

        When the lines were read: a running crawl commits no line before its record.
        """
        view = self._view
        rows: list[tuple[int, int, int]] = []
        with reading_stored_values(view.directory):
            tracking = view.meta(Meta.IDENTITY, {}).get("tracking_parameters", ())
            canonical = Canonicaliser(frozenset(tracking))
            if view.archives():
                for of_file, offset, line in view.database.stream(_INDEX):
                    found = orjson.loads(line.split(" ", 2)[2])
                    url = canonical(found["url"]) or ""
                    place = found["filename"], int(found["offset"]), url
                    rows.append((of_file, offset, hash(place)))
            files = view.archives()
        places, named = array("q"), array("q")
        for file, extent in files.items():
            self.begin(f"Reading {extent.lines:,} records of {file} ...")
            for member in self._members(file, extent):
                if member.kind in ("response", "revisit", "metadata"):
                    places.append(hash((file, member.offset, "")))
                    named.append(hash((file, member.offset, canonical(member.url) or "")))
        known = np.concatenate([as_hashes(places), as_hashes(named)])
        for kind, noted in self._exchanges.items():
            for number in noted.but(known):
                self.add_line(kind, number, "its exchange is not where the line says")
        names, records = {archive_number(file): file for file in files}, set(named)
        for of_file, offset, indexed in rows:
            if indexed not in records:
                what = f"not what the index says of offset {offset:,}"
                self.add(f"warc/{names.get(of_file, of_file)}", "", what)

    def _members(self, file: str, extent: Extent) -> Iterator[Member]:
        """Yield the committed records of an archive; note what is wrong with them, and with it."""
        number, name = 0, f"warc/{file}"
        path, size = archive_path(self._view.directory, file), extent.bytes
        try:
            found = path.stat().st_size if path.exists() else 0
            for member in read_members(path, min(size, found)) if found else ():
                number += 1
                self.beat("{}: {:,} of {:,} records", file, number, extent.lines)
                if member.fault is not None:
                    self.add(name, f"offset {member.offset:,}", member.fault)
                yield member
            if found < size:
                self.add(name, "", f"the last {size - found:,} of {size:,} bytes are missing")
            elif number != extent.lines:
                self.add(name, "", f"{number:,} records where {extent.lines:,} were committed")
            elif found > size:
                self.notes.append(f"{name} has {found - size:,} {_UNCOMMITTED}")
            if not archive_path(self._view.directory, index_name(file)).exists():
                self.notes.append(f"{name} has no index yet: the next end of a run writes it")
        except Torn as torn:
            offset, why = torn.args
            self.add(name, f"offset {offset:,}", why)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None

    def _schema(self, kind: str) -> dict[str, Any]:
        return corpus_schema(kind) if self._is_corpus and kind != "redirects" else schema(kind)


def _record(data: bytes) -> dict[str, Any] | str:
    """Return a line's record, or why it has none."""
    if not data.endswith(b"\n"):
        return "torn: no line end where the committed part ends"
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return f"not JSON: {error}"
    return record if isinstance(record, dict) else "not a JSON object"
