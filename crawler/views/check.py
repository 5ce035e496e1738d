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
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from crawler.config import Job
from crawler.console import Say, command, progress, shell_line
from crawler.dedup import Signer, methods
from crawler.dedup.copies import Appearance, unpack
from crawler.dedup.copies import unpack as unpack_appearance
from crawler.dedup.copies.appearance import CUT
from crawler.dedup.signing import format_digest, text_digest
from crawler.engine import corpus_schema, schema
from crawler.engine.identity import identity
from crawler.engine.lines import format_fingerprint
from crawler.engine.schema import faults
from crawler.errors import CrawlerError, StoreError, StoreMismatch
from crawler.extract import shown_text
from crawler.extract.templates import Learner, unpack_template
from crawler.models import RESTORED_SIBLING, SIBLING, Shingles, UrlState
from crawler.storage.archive import archive_number, index_name
from crawler.storage.database import WAY_OUT, reading_stored_values
from crawler.storage.directory import (
    ARCHIVES,
    INPUTS,
    LINE_FILES,
    STATE,
    SUMMARY,
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
    snapshot,
    stored_pages,
    url_ends,
)
from crawler.storage.journal import Extent, by_kind, on_disk, read_lines, total_extent
from crawler.storage.rows import unpack_shingles
from crawler.storage.tables import Meta
from crawler.storage.view import FILE_OF_STATE, IN_BOTH, StoreView, all_learned, templates
from crawler.urls import Canonicaliser, host_key
from crawler.warc import named_fields

MOST_SHOWN = 20
"""Problems of one file that are kept; others are counted."""
EVERY_S = 5.0
"""How often is said how far a check is."""

RESTORE = WAY_OUT.rpartition("; ")[2]
"""What can be done about most damage."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One damage."""

    file: str
    """Its name in the directory."""
    place: str
    """Where in it, such as `line 7`; empty for the whole file."""
    what: str
    way_out: str = RESTORE


class Numbering:
    """The lines of a kind, numbered through all of its files: which is which line of its own."""

    def __init__(self, kind: str) -> None:
        self._files = [f"{kind}.jsonl"]
        self._before = [0]

    def begin(self, file: str, before: int) -> None:
        """Note that a file begins after `before` lines of its kind."""
        if not before:
            self._files, self._before = [], []
        self._files.append(file)
        self._before.append(before)

    def place(self, number: int) -> tuple[str, str]:
        """Return a line's file, and where in that it is, as in a Problem."""
        at = bisect_left(self._before, number) - 1
        return self._files[at], f"line {number - self._before[at]:,}"


class Findings:
    """The problems found so far, at most MOST_SHOWN of a file; the rest is counted."""

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
        self._numbered: dict[str, Numbering] = {}
        self._say = say
        self._clock = clock
        self._said_at = clock()

    def add(self, file: str, place: str, what: str, way_out: str = RESTORE) -> None:
        """Note a problem."""
        self.counts[file] += 1
        if self.counts[file] <= MOST_SHOWN:
            self.problems.append(Problem(file, place, what, way_out))

    def add_line(self, kind: str, number: int, what: str, way_out: str = RESTORE) -> None:
        """Note a problem of a line, numbered through all files of its kind."""
        self.add(*self.files_of(kind).place(number), what, way_out)

    def files_of(self, kind: str) -> Numbering:
        """Return how the lines of a kind are numbered."""
        return self._numbered.setdefault(kind, Numbering(kind))

    def note(self, line: str) -> None:
        """Note what the user should know besides."""
        self.notes.append(line)

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


def without_path(error: StoreError, directory: Path) -> str:
    """Return what an error says of the state file, without its name and the way out."""
    said = str(error).removeprefix(f"{directory / STATE}").removesuffix(f": {WAY_OUT}")
    return said.lstrip(": ")


# How every URL ended by the URL table, to hold the line files against.
#
# Kept as hashes of 64 bits, up to a hundred bytes a URL while its line file is read. Of a hundred
# million URLs two have the same hash by chance in one check of three thousand.

Hashes = npt.NDArray[np.int64]


@dataclass(slots=True)
class Ends:
    """What is committed at one moment."""

    files: Mapping[str, Mapping[str, Extent]]
    """Kind of line -> its files."""
    retried: Mapping[str, int]
    hashes: dict[str, array[int]] = field(default_factory=dict)
    """Kind of line -> `end_hash` of each URL that must have one."""
    urls: array[int] = field(default_factory=lambda: array("q"))
    """`hash` of every URL."""

    @property
    def extents(self) -> dict[str, Extent]:
        """Kind of line -> how much is committed in all of its files."""
        return {kind: total_extent(files.values()) for kind, files in self.files.items()}

    def of(self, name: str) -> Hashes:
        """Return the hashes of a kind, sorted."""
        return np.sort(as_hashes(self.hashes.get(name, array("q"))))


def end_hash(url: str, detail: str) -> int:
    """Return a number that stands for how a URL ended; lines call a restored sibling a sibling."""
    return hash((url, SIBLING if detail == RESTORED_SIBLING else detail))


def as_hashes(values: array[int]) -> Hashes:
    """Return an array of Python's as one of numpy."""
    return np.frombuffer(values, np.int64) if values else np.empty(0, np.int64)


def read_ends(view: StoreView, findings: Findings) -> Ends:
    """Read the URL table, and note where its counts contradict the line files' recorded ones."""
    with snapshot(view):
        counts = view.counted()
        accounting = view.accounting(counts)
        ends = Ends(_sound_files(view, findings), accounting.retried)
        if view.kept_counts().outcomes != counts.outcomes:
            findings.add(STATE, "", "the counts of how URLs ended are not those of its URLs")
        for problem in accounting.problems:
            findings.add(STATE, "", f"the counts contradict each other: {problem}")
        _fill(ends, view, accounting.seen, findings)
    if not reads_archives(view):  # a URL may be archived twice
        _find_equal_urls(ends, view, findings)
    return ends


def _sound_files(view: StoreView, findings: Findings) -> dict[str, dict[str, Extent]]:
    files = view.files()
    for of_kind in files.values():
        for file, extent in of_kind.items():
            numbers = extent.bytes, extent.lines
            if any(type(number) is not int or number < 0 for number in numbers):
                what = f"records {extent.lines} lines in {extent.bytes} bytes for {file}.jsonl"
                findings.add(STATE, "", what)
                of_kind[file] = Extent()
    return files


def reads_archives(view: StoreView) -> bool:
    """Whether a directory is of a run over archives; not where that cannot be read back.

    That is told where all keys are looked at.
    """
    try:
        return ARCHIVES in view.meta(Meta.IDENTITY, {})
    except (StoreError, TypeError):
        return False


def _fill(ends: Ends, view: StoreView, seen: int, findings: Findings) -> None:
    for number, (_, url, state, detail) in enumerate(url_ends(view), 1):
        ends.urls.append(hash(url))
        names = [FILE_OF_STATE[UrlState(state)]] if state else []
        if state == UrlState.STORED and detail in IN_BOTH:
            names.append("duplicates")
        for name in names:
            ends.hashes.setdefault(name, array("q")).append(end_hash(url, detail))
        findings.beat("{:,} of {:,} URLs read", number, seen)


def _find_equal_urls(ends: Ends, view: StoreView, findings: Findings) -> None:
    ordered = np.sort(as_hashes(ends.urls))
    twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    if twice:
        first: dict[str, int] = {}
        for id_, url, _, _ in url_ends(view):
            if hash(url) in twice and first.setdefault(url, id_) != id_:
                findings.add(STATE, f"URL {id_}", f"{url} is URL {first[url]} already")


_READS_ON = (
    "no stored text is harmed; only to read the same body again in the same way it is needed; "
    "restore the whole directory from a backup to have it again"
)
_LEARNS_ON = (
    "no stored text is harmed, and a crawl that goes on learns it anew; only to do without that "
    "restore the whole directory from a backup"
)


class TemplateCheck:
    """Looks at templates and learners, and whether lines name versions that are there."""

    def __init__(self, view: StoreView, findings: Findings) -> None:
        self._view = view
        self._findings = findings
        self._versions: set[tuple[str, int]] = set()

    def unpack(self) -> None:
        """Unpack all that was learned, and remember which versions there are."""
        for number, (host, version, packed) in enumerate(templates(self._view), 1):
            self._findings.beat("{:,} templates unpacked", number)
            self._versions.add((host, version))
            try:
                _, found = unpack_template(packed)
            except ValueError as error:
                self._damaged(f"version {version} of the template of {host} is lost: {error}")
                continue
            if found != version:
                what = f"version {version} of the template of {host} is version {found}"
                self._damaged(what)
        for number, known in enumerate(all_learned(self._view), 1):
            self._findings.beat("{:,} learners unpacked", number)
            try:
                Learner.restored(known.state, known.template)
            except ValueError as error:
                what = f"what the template of {known.host} is learned from is lost: {error}"
                self._findings.add(STATE, f"host {known.host}", what, _LEARNS_ON)

    def compare(self, name: str, number: int, record: Mapping[str, Any]) -> None:
        """Note a line that names a version which is not there."""
        version = record.get("template")
        if version is None:
            return
        host = host_key(record["final_url"])
        if (host, version) not in self._versions:
            what = f"it was read by version {version} of the template of {host}, which is lost"
            self._findings.add_line(name, number, what, _READS_ON)

    def _damaged(self, what: str) -> None:
        self._findings.add(STATE, "", what, _READS_ON)


_CHUNK = 1 << 14
"""Bytes read at once: unpacked they are 16 MB at most."""
_MAX_HEAD = 1 << 16
_MOST_DIGITS = 20
"""Of a length. Python refuses to read numbers of thousands of digits."""
_Row = tuple[int, int, int]
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
    offset = 0
    with path.open("rb") as file:
        data = b""
        while offset < size:
            reader, unpacker, left = _RecordReader(), zlib.decompressobj(16 + zlib.MAX_WBITS), 0
            begun = file.tell() - len(data)
            while not unpacker.eof:
                data = data or file.read(min(_CHUNK, size - file.tell()))
                if not data:
                    raise Torn(offset, "the record that begins here is torn")
                try:
                    reader.feed(unpacker.decompress(data))
                except zlib.error as error:
                    raise Torn(offset, f"no record: {error}") from None
                data = unpacker.unused_data
                left = len(data)
            yield reader.member(offset)
            offset += file.tell() - left - begun


class _RecordReader:
    """Takes the bytes of one record in pieces."""

    def __init__(self) -> None:
        self._head = b""
        self._fields: dict[str, str] | None = None
        self._left = 0
        self._digest = hashlib.sha1(usedforsecurity=False)
        self._rest = b""

    def feed(self, data: bytes) -> None:
        if self._fields is None:
            self._head += data
            head, end, data = self._head.partition(b"\r\n\r\n")
            if not end or len(head) > _MAX_HEAD:
                self._head = self._head[: 2 * _MAX_HEAD]
                return
            self._head = head
            self._fields = named_fields(head)
            length = self._fields.get("content-length", "")
            self._left = int(length) if length.isdecimal() and len(length) < _MOST_DIGITS else 0
        block, rest = data[: self._left], data[self._left :]
        self._digest.update(block)
        self._left -= len(block)
        self._rest = (self._rest + rest)[:5]

    def member(self, offset: int) -> Member:
        fields = self._fields or {}
        digest = base64.b32encode(self._digest.digest()).decode("ascii")
        fault = None
        if not self._head.startswith(b"WARC/1.1\r\n") or self._fields is None:
            fault = "no record of WARC/1.1"
        elif self._left or self._rest != b"\r\n\r\n":
            fault = "its block is not as long as it says"
        elif fields.get("warc-block-digest") != f"sha1:{digest}":
            fault = "its block differs from its digest"
        return Member(offset, fields.get("warc-type", ""), fields.get("warc-target-uri", ""), fault)


class ArchiveCheck:
    """Archives, held against lines and index: 16 bytes a record or line, 200 a row of the index."""

    def __init__(self, view: StoreView, findings: Findings) -> None:
        self._view = view
        self._findings = findings
        self._places = array("q")
        self._named = array("q")
        self._lines: dict[str, tuple[array[int], array[int]]] = {}
        # Lines of a run that read archives name those, wherever they lie.
        self._own = not reads_archives(view)

    def compare(self) -> None:
        """Read every archive as far as it is committed, and hold lines and index against it.

        To be called when the lines were read: a running crawl commits no line before its record.
        """
        with reading_stored_values(self._view.directory):
            tracking = self._view.meta(Meta.IDENTITY, {}).get("tracking_parameters", ())
            self._canonical = Canonicaliser(frozenset(tracking))
            files = self._view.archives()
            rows = self._index() if files else ()
            files = self._view.archives()
        for file, extent in files.items():
            self._findings.begin(f"Reading {extent.lines:,} records of {file} ...")
            self._read_file(file, extent.bytes, extent.lines)
        self._compare_lines()
        self._compare_index(rows, {archive_number(file): file for file in files})

    def add(self, kind: str, number: int, record: Mapping[str, Any]) -> None:
        """Note where a line says that its exchange is."""
        if self._own and record.get("warc_filename") is not None:
            numbers, hashes = self._lines.setdefault(kind, (array("q"), array("q")))
            numbers.append(number)
            url = "" if kind in _BY_PLACE else record["final_url"]
            hashes.append(hash((record["warc_filename"], record["warc_offset"], url)))

    def _compare_lines(self) -> None:
        """Note every line at whose place there is no record, or that of another URL."""
        known = np.concatenate([as_hashes(self._places), as_hashes(self._named)])
        for kind, (numbers, hashes) in self._lines.items():
            for number in as_hashes(numbers)[~np.isin(as_hashes(hashes), known)].tolist():
                self._findings.add_line(kind, number, "its exchange is not where the line says")

    def _read_file(self, file: str, size: int, records: int) -> None:
        path, number = archive_path(self._view.directory, file), 0
        name = f"warc/{file}"
        try:
            found = path.stat().st_size if path.exists() else 0
            for member in read_members(path, min(size, found)) if found else ():
                number += 1
                self._findings.beat("{}: {:,} of {:,} records", file, number, records)
                self._note(file, member)
            if found < size:
                missing = f"the last {size - found:,} of {size:,} bytes are missing"
                self._findings.add(name, "", missing)
            elif number != records:
                self._findings.add(name, "", f"{number:,} records where {records:,} were committed")
            elif found > size:
                self._findings.note(
                    f"{name} has {found - size:,} bytes that are not committed: a running crawl "
                    "will commit them, after a kill the next start cuts them off"
                )
            if not archive_path(self._view.directory, index_name(file)).exists():
                self._findings.note(f"{name} has no index yet: the next end of a run writes it")
        except Torn as torn:
            offset, why = torn.args
            self._findings.add(name, f"offset {offset:,}", why)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None

    def _note(self, file: str, member: Member) -> None:
        if member.fault is not None:
            self._findings.add(f"warc/{file}", f"offset {member.offset:,}", member.fault)
        if member.kind in ("response", "revisit", "metadata"):
            self._places.append(hash((file, member.offset, "")))
            url = self._canonical(member.url) or ""
            self._named.append(hash((file, member.offset, url)))

    def _index(self) -> list[_Row]:
        """Return what the index says: number of the file, offset, and a hash of what is there."""
        rows = []
        for number, offset, line in self._view.database.stream(_INDEX):
            found = orjson.loads(line.split(" ", 2)[2])
            url = self._canonical(found["url"]) or ""
            rows.append((number, offset, hash((found["filename"], int(found["offset"]), url))))
        return rows

    def _compare_index(self, rows: Sequence[_Row], names: Mapping[int, str]) -> None:
        known = set(self._named)
        for number, offset, place in rows:
            if place not in known:
                what = f"not what the index says of offset {offset:,}"
                self._findings.add(f"warc/{names.get(number, number)}", "", what)


_STEPS = ("tokenizer", "fingerprint", "shingles", "sketch")
"""Keys of a crawl's identity that a signature depends on, besides those of its method."""


def signer_of(view: StoreView, findings: Findings) -> Signer | None:
    """Return what signed the pages; None, and a note, where this program cannot sign alike."""
    try:
        data, stored = view.meta(Meta.JOB), dict(view.meta(Meta.IDENTITY, {}))
        if data is None:
            return None
        job = Job.model_validate(data)
        now = identity(job)
        differing = [
            key
            for key in (*_STEPS, *methods.identity(job.dedup))
            if stored.get(key) != now.get(key)
        ]
        signer = Signer(job.dedup, (view.key,) if view.key else ())
        signer.warm()
    except (CrawlerError, TypeError, ValueError) as error:
        findings.note(f"Fingerprints are not checked: {error}")
        return None
    if differing:
        findings.note(
            f"Fingerprints are not checked: they were made with another {', '.join(differing)}"
        )
        return None
    return signer


class PageCheck:
    """Holds lines of pages.jsonl against the rows of `documents`, both in their order."""

    def __init__(self, view: StoreView, findings: Findings, signer: Signer | None) -> None:
        self._findings = findings
        self._sign = signer
        self._view = view
        self._directory = view.directory
        with reading_stored_values(view.directory):
            runs = view.meta(Meta.REINDEXED, [])
            self._unsigned = {id_ for run in runs for id_ in run["failed"]}
            self._is_corpus = INPUTS in view.meta(Meta.IDENTITY, {})
        self._was_reindexed = bool(runs)
        self.signed = 0
        """Pages whose signature was made again."""

    def compare(
        self, number: int, record: Mapping[str, Any], page: StoredPage, *, sign: bool
    ) -> None:
        """Compare a valid line, its text and its row. StoreError where the row is none of ours."""
        with reading_stored_values(self._directory):
            wrong = self._differing(record, page)
        digest = format_digest(text_digest(record["text"]))
        if digest != record["text_digest"]:
            wrong.append("its text is not the one that was stored (text_digest)")
        for what in wrong:
            self._findings.add_line("pages", number, what)
        stored = self._shingles(page)
        if stored and sign and not wrong and self._sign and page.id not in self._unsigned:
            self._compare_signature(record["text"], page, stored, self._sign)

    def _appearance(self, page: StoredPage) -> Appearance:
        """Return what is kept of a page's appearance; nothing also where that is damaged."""
        packed = self._view.appearance(page.id)
        with suppress(ValueError):  # told of where all of them are unpacked
            return unpack_appearance(packed) if packed else Appearance()
        return Appearance(order=CUT)

    def _shingles(self, page: StoredPage) -> Shingles | None:
        """Return a page's shingles; None where they are damaged, which is a finding."""
        if page.hashes is None:
            what = "its shingles are lost"
        else:
            try:
                return unpack_shingles(page.id, page.hashes)
            except (TypeError, ValueError) as error:
                what = str(error)
        self._findings.add("state.sqlite", f"page {page.id}", what, self._to_sign_again())
        return None

    def _differing(self, record: Mapping[str, Any], page: StoredPage) -> list[str]:
        told: dict[str, Any] = {
            "url": page.url,
            "payload_digest": format_digest(page.payload_digest),
            "text_digest": format_digest(page.text_digest),
        }
        if not self._is_corpus:
            told["id"] = page.id
        if not self._was_reindexed:  # that leaves the lines as they are
            told["fingerprint"] = format_fingerprint(page.fingerprint)
            told["layout"] = page.layout and page.layout.hex()
        return [
            f"{name} is {record[name]}, and {value} in the state file"
            for name, value in told.items()
            if record[name] != value
        ]

    def _compare_signature(
        self, text: str, page: StoredPage, stored: Shingles, sign: Signer
    ) -> None:
        seen = self._appearance(page)
        if seen.order == CUT:
            return
        judged, visible = seen.judged_text, seen.visible_text
        if visible is not None:
            digest = text_digest(shown_text(visible, seen.heading))
            if digest != page.visible_digest:
                what = "its appearance is not that of its visible text (visible_digest)"
                self._findings.add("state.sqlite", f"page {page.id}", what)
                return
        made = sign(text if judged is None else judged)
        marks = b"", b""
        if stored.marks is not None and made.marks:
            marks = made.marks[0].tobytes(), stored.marks.tobytes()
        self.signed += 1
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
            what = f"{', '.join(differing)} are not those of its text"
            self._findings.add("state.sqlite", f"page {page.id}", what, self._to_sign_again())

    def _to_sign_again(self) -> str:
        if self._is_corpus:
            return "run `dedup` again with another --output"
        reindex = command("reindex", self._directory)
        return f"compute all fingerprints again from the stored texts: {reindex}"


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


@dataclass(slots=True)
class References:
    """The pages that are stored, and the lines that refer to one."""

    pages: array[int] = field(default_factory=lambda: array("q"))
    """Hash of (id, URL) of each page."""
    lines: dict[str, tuple[array[int], array[int]]] = field(default_factory=dict)
    """Line file -> numbers of lines, and the hash of the page that each refers to."""

    def add(self, name: str, number: int, record: Mapping[str, Any]) -> None:
        """Note what a valid line is, and what it refers to in this directory."""
        if name == "pages":
            self.pages.append(hash((record["id"], record["url"])))
        for field_ in _REFERENCES:
            of = record.get(field_)
            if of is not None and "against" not in of:
                numbers, hashes = self.lines.setdefault(name, (array("q"), array("q")))
                numbers.append(number)
                hashes.append(hash((of["id"], of["url"])))


def committed_lines(
    directory: Path, kind: str, files: Mapping[str, Extent], findings: Findings
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, record) of every committed line that is one; note the others.

    Numbers go on from file to file. Raises StoreError where a file cannot be read at all.
    """
    number, every = 0, sum(extent.lines for extent in files.values())
    found = on_disk(directory)
    for file, extent in files.items():
        path = line_path(directory, file)
        findings.files_of(kind).begin(path.name, number)
        there = min(extent.bytes, found.get(file, Extent()).bytes)
        before = number
        for line in read_lines(directory, {file: Extent(there)} if there else {}):
            number += 1
            findings.beat("{}: {:,} of {:,} lines", path.name, number, every)
            if (record := _record(line.data, kind, number, findings)) is not None:
                yield number, record
        if missing := extent.bytes - there:
            what = f"the last {missing:,} of {extent.bytes:,} bytes are missing"
            findings.add(path.name, "", what)
        elif number - before != extent.lines:
            what = f"{number - before:,} lines where {extent.lines:,} were committed"
            findings.add(path.name, "", what)


def _record(data: bytes, kind: str, number: int, findings: Findings) -> dict[str, Any] | None:
    if not data.endswith(b"\n"):
        what = "torn: no line end where the committed part ends"
        findings.add_line(kind, number, what)
        return None
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        findings.add_line(kind, number, f"not JSON: {error}")
        return None
    if not isinstance(record, dict):
        findings.add_line(kind, number, "not a JSON object")
        return None
    return record


def is_valid(
    name: str, number: int, record: dict[str, Any], schema: Mapping[str, Any], findings: Findings
) -> bool:
    """Whether a record is what its schema says; note what is not."""
    found = faults(record, schema)
    wrong = [fault for fault, _ in zip(found, range(_FAULTS_A_LINE), strict=False)]
    if wrong:
        findings.add_line(name, number, f"not a valid line: {'; '.join(wrong)}")
    return not wrong


class LineEnds:
    """How each line of a file says that its URL ended."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers = array("q")
        self._ends = array("q")
        self._urls = array("q")

    def add(self, number: int, record: Mapping[str, Any]) -> None:
        """Note a valid line."""
        url = record["url"]
        self._numbers.append(number)
        self._ends.append(end_hash(url, str(record[_DETAIL[self._name]])))
        self._urls.append(hash(url))

    def compare(self, ends: Ends, view: StoreView, findings: Findings) -> None:
        """Hold the lines against the URL table: the same URLs, ended alike, once each.

        Where URLs were put back by `retry`, a line may be of an earlier end.
        """
        wanted, found = ends.of(self._name), as_hashes(self._ends)
        again = ends.retried.get(self._name, 0)
        known = np.isin(found, wanted)
        if again:
            known |= np.isin(as_hashes(self._urls), as_hashes(ends.urls))
        for number in as_hashes(self._numbers)[~known].tolist():
            what = "no URL ended so by the state file"
            findings.add_line(self._name, number, what)
        if not again:
            self._find_repeated(found, findings)
        # A line that is no valid one was told already: its URL is not told once more.
        whole = len(found) == ends.extents[self._name].lines
        if whole and len(missing := np.setdiff1d(wanted, found)):
            self._name_missing(missing, view, findings)

    def _find_repeated(self, found: Hashes, findings: Findings) -> None:
        order = np.argsort(found, kind="stable")
        equal = found[order][1:] == found[order][:-1]
        numbers = as_hashes(self._numbers)[order]
        for line, earlier in zip(numbers[1:][equal], numbers[:-1][equal], strict=True):
            file, place = findings.files_of(self._name).place(earlier)
            other = "" if file == findings.files_of(self._name).place(line)[0] else f" of {file}"
            findings.add_line(self._name, line, f"of the same URL as {place}{other}")

    def _name_missing(self, missing: Hashes, view: StoreView, findings: Findings) -> None:
        lost = set(missing.tolist())
        for _, url, state, detail in url_ends(view):
            if state and end_hash(url, detail) in lost and self._name in _files_of(state, detail):
                findings.add(f"{self._name}.jsonl", "", f"no line of {url}, which ended so")


def _files_of(state: int, detail: str) -> tuple[str, ...]:
    own = {int(of): name for of, name in FILE_OF_STATE.items()}[state]
    return (own, "duplicates")


def compare_references(references: References, findings: Findings) -> None:
    """Note every line that refers to a page which is not stored."""
    pages = as_hashes(references.pages)
    for name, (numbers, hashes) in references.lines.items():
        known = np.isin(as_hashes(hashes), pages)
        for number in as_hashes(numbers)[~known].tolist():
            what = "refers to a page that pages.jsonl does not have"
            findings.add_line(name, number, what)


def uncommitted(
    directory: Path, kind: str, files: Mapping[str, Extent]
) -> Iterator[tuple[Path, int]]:
    """Yield each file of a kind that is longer than what is committed of it, and by how much."""
    for file, found in by_kind(on_disk(directory))[kind].items():
        longer = found.bytes - files.get(file, Extent()).bytes
        if longer > 0:
            yield line_path(directory, file), longer


SAMPLE = 1000
"""Pages whose fingerprint is made again where not all are."""

_META: Mapping[Meta, type] = {
    **{Meta.RUNS: list, Meta.REINDEXED: list, Meta.AGAINST: list},
    **{Meta.SCOPE: list, Meta.PURGED: list},
    Meta.KEY: str,
}
"""What else than objects the table `meta` has."""
_FETCH_AGAIN = "the crawl goes on unharmed; only this page would have to be fetched again"
_NEXT_RUN = "the next run writes it again"


def check_directory(
    directory: Path, say: Say = lambda line: None, *, every_page: bool = False
) -> Findings:
    """Look for damage in a directory; what is found is in the answer.

    Raises StoreMismatch where there is no crawl, StoreError where the machine does not let it be
    read.
    """
    findings = Findings(directory, say)
    try:
        view = StoreView.read(directory)
    except StoreError as error:
        lost = isinstance(error, StoreMismatch) and has_lost_its_state(directory, error)
        if not lost and not is_damage(error):
            raise
        findings.add(STATE, "", without_path(error, directory))
        return findings
    with view:
        _Check(view, findings, every_page).run()
    return findings


class _Check:
    """One check of one opened directory."""

    def __init__(self, view: StoreView, findings: Findings, every_page: bool) -> None:
        self._view = view
        self._findings = findings
        self._every_page = every_page
        self._references = References()
        self._templates = TemplateCheck(view, findings)
        self._archives = ArchiveCheck(view, findings)
        self._is_corpus = False

    def run(self) -> None:
        """Look at everything; what one part finds keeps no other from being looked at."""
        view, findings = self._view, self._findings
        parts = self._check_meta, self._check_file, self._check_packed, self._templates.unpack
        for part in (*parts, self._check_summary):
            with findings.guarded():
                part()
        with findings.guarded():
            findings.begin("Reading the URL table ...")
            ends = read_ends(view, findings)
            self._check_lines(ends)

    def _check_file(self) -> None:
        self._findings.begin(f"Checking {STATE} ...")
        for message in inconsistencies(
            self._view, lambda: self._findings.beat("Still checking {} ...", STATE)
        ):
            way_out = RESTORE
            if "index" in message:
                path = self._view.directory / STATE
                repair = shell_line("sqlite3", path, "REINDEX")
                way_out = f"if nothing else is told: {repair}; otherwise {RESTORE}"
            self._findings.add(STATE, "", message, way_out)

    def _check_meta(self) -> None:
        for key in Meta:
            with self._findings.guarded():
                value, kind = self._view.meta(key), _META.get(key, dict)
                if value is not None and not isinstance(value, kind):
                    what = f"the entry {key} of the table meta is no {kind.__name__}"
                    self._findings.add(STATE, "", what)
        with self._findings.guarded(), reading_stored_values(self._view.directory):
            self._is_corpus = INPUTS in self._view.meta(Meta.IDENTITY, {})

    def _check_packed(self) -> None:
        """Look at what is kept of pages beside their texts."""
        if not self._view.keeps_appearances:
            return
        for number, (page_id, packed) in enumerate(appearances(self._view), 1):
            self._findings.beat("{:,} appearances unpacked", number)
            try:
                unpack(packed)
            except ValueError as error:
                self._findings.add(STATE, f"page {page_id}", f"its appearance is lost: {error}")
        known = self._schema("pages")
        known["required"] = [name for name in known["required"] if name != "id"]
        for number, (url_id, url, line) in enumerate(dropped_pages(self._view), 1):
            self._findings.beat("{:,} dropped pages unpacked", number)
            wrong = line if isinstance(line, str) else next(faults(line, known), None)
            if wrong is None and isinstance(line, dict) and line["url"] != url:
                wrong = f"it is of {line['url']}"
            if wrong is not None:
                what = f"the dropped page {url} is lost: {wrong}"
                self._findings.add(STATE, f"URL {url_id}", what, _FETCH_AGAIN)

    def _check_summary(self) -> None:
        path = self._view.directory / SUMMARY
        try:
            if not isinstance(orjson.loads(path.read_bytes()), dict):
                self._findings.add(SUMMARY, "", "not a JSON object", _NEXT_RUN)
        except FileNotFoundError:
            pass  # no run has ended yet
        except orjson.JSONDecodeError as error:
            self._findings.add(SUMMARY, "", f"not JSON: {error}", _NEXT_RUN)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None

    def _check_lines(self, ends: Ends) -> None:
        for name in LINE_FILES:
            with self._findings.guarded():
                self._check_line_file(name, ends)
        compare_references(self._references, self._findings)
        with self._findings.guarded():
            self._archives.compare()

    def _check_line_file(self, name: str, ends: Ends) -> None:
        files, findings = ends.files[name], self._findings
        findings.begin(f"Reading {ends.extents[name].lines:,} lines of {name}.jsonl ...")
        known, told = self._schema(name), LineEnds(name)
        valid = (
            (number, record)
            for number, record in committed_lines(self._view.directory, name, files, findings)
            if is_valid(name, number, record, known, findings)
        )
        for number, record in self._compared(valid, ends) if name == "pages" else valid:
            told.add(number, record)
            self._references.add(name, number, record)
            self._templates.compare(name, number, record)
            self._archives.add(name, number, record)
        told.compare(ends, self._view, findings)
        for path, longer in uncommitted(self._view.directory, name, files):
            findings.note(
                f"{path.name} has {longer:,} bytes that are not committed: a running crawl will "
                "commit them, after a kill the next start cuts them off"
            )

    def _compared(
        self, valid: Iterator[tuple[int, dict[str, Any]]], ends: Ends
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Hand on lines of pages.jsonl, each held against its row on the way."""
        count = ends.extents["pages"].lines
        pages = PageCheck(self._view, self._findings, signer_of(self._view, self._findings))
        sampled = self._sample(count)
        stored, behind = stored_pages(self._view), 0
        for number, record in valid:
            page = next(islice(stored, number - behind - 1, None), None)
            behind = number
            if page is None:
                self._findings.add_line("pages", number, "no such page is stored")
            else:
                with self._findings.guarded():
                    pages.compare(number, record, page, sign=number in sampled)
            yield number, record
        self._findings.looked_at = (
            f"{len(ends.urls):,} URLs, {sum(e.lines for e in ends.extents.values()):,} lines, "
            f"fingerprints of {pages.signed:,} of {count:,} pages"
        )

    def _sample(self, count: int) -> Container[int]:
        """Return the numbers of the lines whose fingerprints are made again."""
        everything = range(1, count + 1)
        if self._every_page or count <= SAMPLE:
            return everything
        return frozenset(random.sample(everything, SAMPLE))

    def _schema(self, name: str) -> dict[str, Any]:
        if self._is_corpus and name != "redirects":
            return corpus_schema(name)
        return schema(name)


def ways_out(findings: Findings) -> Mapping[str, list[str]]:
    """Return what can be done -> the files that need it, most urgent first."""
    ways: dict[str, list[str]] = {}
    for problem in findings.problems:
        files = ways.setdefault(problem.way_out, [])
        if problem.file not in files:
            files.append(problem.file)
    return dict(sorted(ways.items(), key=lambda way: way[0] != RESTORE))
