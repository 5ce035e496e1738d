"""What can be read from a state file, of committed rows only.

`StoreView` answers of one URL or page, and rebuilds memory for a next run; the functions below it
pass once over whole tables, for `report`, `audit` and `restore`. `Counts` are how URLs have ended,
kept beside the tables since to count them takes seconds; `Accounting` holds them against the files
of lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

import orjson

from crawler.errors import StoreError, StoreMismatch
from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    RESTORED_SIBLING,
    EditionCount,
    IndexRow,
    KeptRules,
    Learned,
    PageOutcome,
    PayloadKey,
    RuleUse,
    StoredRef,
    Totals,
    UrlState,
)
from crawler.storage import dropped
from crawler.storage.database import Database, is_half_written, reading_stored_values
from crawler.storage.directory import INPUTS, PARTITIONS, STATE, archive_number, line_path
from crawler.storage.journal import Extent, Line, by_kind, read_lines, total_extent
from crawler.storage.rows import HASHES, HealthRow, PauseRow, unsigned
from crawler.storage.tables import (
    Meta,
    check_version,
)

_Value = TypeVar("_Value")

Outcome = tuple[UrlState, str]
"""State and detail: the verdict, failure class or skip reason."""


@dataclass
class Counts:
    """URLs, and their ends.

    Written with each group, in its transaction: what SQLite says it has inserted and changed, so
    that the counts are the tables' (`check` counts again). Whoever else changes how URLs ended
    (`retry`, `restore`) makes them void in the same transaction: then all are counted again.
    """

    last: int
    """Number of the last end (`urls.ended`)."""
    urls: int
    """All that were ever queued."""
    ends: Counter[Outcome]

    def record(self) -> dict[str, Any]:
        """Return what is kept, as JSON-ready data; `StoreView.kept_counts` undoes it."""
        return {
            "last": self.last,
            "urls": self.urls,
            "outcomes": [[int(state), detail, n] for (state, detail), n in self.ends.items()],
        }

    @property
    def by_state(self) -> Counter[UrlState]:
        """Ends by state."""
        by_state: Counter[UrlState] = Counter()
        for (state, _), number in self.ends.items():
            by_state[state] += number
        return by_state

    def ended_as(self, detail: str) -> int:
        """Return how many ended with a detail, in any state."""
        return sum(number for (_, found), number in self.ends.items() if found == detail)

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """URLs by how they ended, those that are pending included."""
        pending = self.urls - self.ends.total()
        waiting = {(UrlState.PENDING, ""): pending} if pending else {}
        return waiting | dict(sorted(self.ends.items()))

    def add(self, urls: int, ended: Iterable[PageOutcome]) -> None:
        """Count new URLs, and ends."""
        added = Counter((outcome.state, outcome.detail) for outcome in ended)
        self.urls += urls
        self.ends += added
        self.last += added.total()


FILE_OF_STATE = {
    UrlState.STORED: "pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failures",
    UrlState.SKIPPED: "skipped",
}
IN_BOTH = (NEAR, RESTORED_SIBLING, EXACT_TEXT, EXACT_PAYLOAD)
"""Details of stored pages that have a line in duplicates.jsonl, too: tagged, or restored."""


@dataclass(frozen=True, slots=True)
class Accounting:
    """Counts of one crawl: `seen = stored + duplicates + redirects + failures + skipped + pending`.

    The URL table makes the sum true by itself, so what is checked is that the line files, written
    by another way, say the same. A URL that was put back to pending by `retry` keeps its line, and
    gets another one at its next end: those lines are counted apart.
    """

    outcomes: Mapping[Outcome, int]
    lines: Mapping[str, int]
    """Line file -> committed lines."""
    retried: Mapping[str, int] = field(default_factory=dict)
    """Line file -> how many of them are of URLs that were put back since."""

    @property
    def seen(self) -> int:
        """URLs ever queued."""
        return sum(self.outcomes.values())

    def count(self, state: UrlState) -> int:
        """Return the URLs in `state`."""
        return sum(number for (of, _), number in self.outcomes.items() if of is state)

    def surplus(self, name: str) -> int:
        """Return how many lines a file has beyond those of URLs that ended so."""
        return self.lines[name] - self._urls_in(name)

    def _urls_in(self, name: str) -> int:
        """Return how many URLs must have a line in a file."""
        state = next(state for state, file in FILE_OF_STATE.items() if file == name)
        stored_too = sum(self.outcomes.get((UrlState.STORED, detail), 0) for detail in IN_BOTH)
        return self.count(state) + (stored_too if state is UrlState.DUPLICATE else 0)

    @property
    def problems(self) -> list[str]:
        """One sentence for each line file that contradicts the URL table; empty if all is well."""
        problems = []
        for name in FILE_OF_STATE.values():
            urls = self._urls_in(name)
            again = self.retried.get(name, 0)
            if (found := self.lines[name]) != urls + again:
                counted = f"{urls} URLs" + (f" and {again} that were retried" if again else "")
                problems.append(f"{name}.jsonl has {found} lines, but the state counts {counted}")
        return problems


def confirm_accounts(directory: Path, problems: Sequence[str]) -> None:
    """Raise StoreError where counts contradict each other: whatever the web does, they must not."""
    if problems:
        raise StoreError(
            f"{directory}: the counts contradict each other: {'; '.join(problems)}. Keep the "
            "directory as it is and report this: it is a bug"
        )


_INDEX_ROWS = """
SELECT id, payload_digest, declared, visible_digest, fingerprint, tokens, shingle_kind, sketch,
  representative
FROM documents WHERE id > ? ORDER BY id
"""
_DROPPED = """
SELECT d.line, a.packed FROM dropped AS d
LEFT JOIN appearances AS a ON a.document_id = d.like_id WHERE d.url_id = ?
"""
_STORED_AT = """
SELECT d.id FROM documents AS d JOIN urls AS u ON u.id = d.url_id WHERE u.url = ? AND u.state = 1
"""
_LEARNERS = """
SELECT l.host, l.state, l.version, t.packed, l.revoked FROM learners AS l
LEFT JOIN templates AS t ON t.host = l.host AND t.version = l.version
"""
_URL_OF = "SELECT u.url FROM documents AS d JOIN urls AS u ON u.id = d.url_id WHERE d.id = ?"
_HOST_OF = """
SELECT h.name FROM documents AS d
JOIN urls AS u ON u.id = d.url_id JOIN hosts AS h ON h.id = u.host_id WHERE d.id = ?
"""


class StoreView:
    """A state file opened for reading. Takes no lock and changes nothing."""

    def __init__(self, directory: Path, database: Database) -> None:
        self.directory = directory
        self.database = database

    @classmethod
    def read(cls, directory: Path) -> StoreView:
        """Open the crawl in `directory`, also while it runs. Raises StoreMismatch, StoreError."""
        try:
            database = open_state(directory, "ro")
        except StoreError as error:
            if not is_half_written(error):
                raise
            # Killed within the one write beside the log, at its end: only a writer may undo that.
            open_state(directory, "rw").close()
            database = open_state(directory, "ro")
        return StoreView(directory, database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def meta(self, key: Meta, default: Any = None) -> Any:
        """Return what was last set under `key`."""
        with reading_stored_values(self.directory):
            found = self.database.cell("SELECT value FROM meta WHERE key = ?", (key,))
            return default if found is None else orjson.loads(found)

    @property
    def key(self) -> bytes:
        """What shingles are marked by."""
        with reading_stored_values(self.directory):
            return bytes.fromhex(self.meta(Meta.KEY, ""))

    @property
    def totals(self) -> Totals:
        """What all ends add up to."""
        return Totals.of(self.database.rows("SELECT name, value FROM totals ORDER BY name"))

    @property
    def next_url_id(self) -> int:
        """The smallest id above all URL ids."""
        return self._next_id("urls")

    @property
    def next_document_id(self) -> int:
        """The smallest id above all stored pages' ids."""
        return self._next_id("documents")

    def seen_urls(self, after: int = 0) -> Iterator[str]:
        """Yield every URL ever queued whose id is above `after`, in order of id."""
        query = "SELECT url FROM urls WHERE id > ? ORDER BY id"
        for (url,) in self.database.stream(query, (after,)):
            yield url

    def seeds(self) -> Iterator[tuple[str, UrlState, str]]:
        """Yield (URL, state, detail) of every seed and of where a seed's own redirects led."""
        query = "SELECT url, state, detail FROM urls WHERE seed = 1 ORDER BY id"
        with reading_stored_values(self.directory):
            for url, state, detail in self.database.stream(query):
                yield url, UrlState(state), detail

    def rules(self, origin: str) -> KeptRules | None:
        """Return what an origin's robots.txt said when it was last read, if it was."""
        query = "SELECT packed, agent, crawl_delay_s FROM rules WHERE origin = ?"
        found = self.database.rows(query, (origin,))
        return KeptRules(*found[0]) if found else None

    def learned(self, host: str) -> Learned | None:
        """Return what is known of a host's template, None where nothing is."""
        found = self.database.rows(_LEARNERS + "WHERE l.host = ?", (host,))
        return Learned(*found[0]) if found else None

    def latest_version(self, host: str) -> int:
        """Return the number of the latest committed template of a host; 0 if there is none."""
        query = "SELECT coalesce(max(version), 0) FROM templates WHERE host = ?"
        return int(self.database.cell(query, (host,)))

    def health(self) -> Iterator[HealthRow]:
        """Yield what is known of each host and origin."""
        query = "SELECT place, answered, tries, tried_at, evidence_s, why FROM health"
        for place, answered, *rest in self.database.stream(query):
            yield HealthRow(place, bool(answered), *rest)

    def pauses(self) -> Iterator[PauseRow]:
        """Yield what each host is owed that is owed anything."""
        for row in self.database.stream("SELECT host, until, delay_s, slow_s FROM pauses"):
            yield PauseRow(*row)

    def pending(self) -> Iterator[tuple[str, int]]:
        """Yield (host, number of its pending URLs)."""
        yield from self.database.stream(
            "SELECT h.name, p.number FROM (SELECT host_id, count(*) AS number FROM urls "
            "WHERE state = 0 GROUP BY host_id) AS p JOIN hosts AS h ON h.id = p.host_id"
        )

    def pending_urls(self) -> Iterator[tuple[str, str, str | None, bool]]:
        """Yield (host, URL, referrer, whether it is a seed) of every pending URL, in no order."""
        yield from self.database.stream(
            "SELECT h.name, u.url, r.url, u.seed = 1 FROM urls AS u "
            "JOIN hosts AS h ON h.id = u.host_id LEFT JOIN urls AS r ON r.id = u.referrer_id "
            "WHERE u.state = 0"
        )

    def index_rows(self, after: int = 0) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need of pages with ids above `after`, in order of id."""
        with reading_stored_values(self.directory):
            found = self.database.stream(_INDEX_ROWS, (after,))
            for id_, digest, declared, visible, number, tokens, kind, sketch, leads in found:
                payload, fingerprint = PayloadKey(digest, declared), unsigned(number)
                row = payload, visible, fingerprint, tokens, kind, sketch, bool(leads)
                yield IndexRow(id_, *row)

    def kept_counts(self) -> Counts:
        """Return how URLs have ended, as it is kept; counted where nothing is."""
        with reading_stored_values(self.directory):
            if kept := self.meta(Meta.COUNTS):
                ends = {(UrlState(state), str(of)): int(n) for state, of, n in kept["outcomes"]}
                return Counts(int(kept["last"]), int(kept["urls"]), Counter(ends))
        return self.counted()

    def counted(self) -> Counts:
        """Count how URLs have ended, row by row: some .5 s for a million URLs."""
        found = self.database.rows(
            "SELECT state, detail, count(*) FROM urls GROUP BY state, detail ORDER BY state, detail"
        )
        with reading_stored_values(self.directory):
            last = int(self.database.cell("SELECT ifnull(max(ended), 0) FROM urls"))
            ends = {(UrlState(state), detail): number for state, detail, number in found if state}
            return Counts(last, sum(number for *_, number in found), Counter(ends))

    def accounting(self, counts: Counts | None = None) -> Accounting:
        """Return URLs by how they ended, and committed lines by file.

        As that is kept beside the tables, where it was not `counted`.
        """
        outcomes = (counts or self.kept_counts()).outcomes
        with reading_stored_values(self.directory):
            retried = {str(name): int(lines) for name, lines in self.meta(Meta.RETRIED, {}).items()}
        lines = {name: extent.lines for name, extent in self.extents().items()}
        return Accounting(outcomes, lines, retried)

    def files(self) -> dict[str, dict[str, Extent]]:
        """Return kind of line -> the committed length of each of its files, in their order."""
        return by_kind(self._recorded())

    def all_files(self) -> dict[str, Extent]:
        """Return the committed length of each file of lines, whatever its kind."""
        return {file: extent for files in self.files().values() for file, extent in files.items()}

    def archives(self) -> dict[str, Extent]:
        """Return the committed length and records of each archive, oldest first."""
        files = self._recorded()
        archives = ((archive_number(file), file) for file in files)
        return {file: files[file] for number, file in sorted(archives) if number}

    def extents(self) -> dict[str, Extent]:
        """Return how much of each kind of line is committed, in all files."""
        with reading_stored_values(self.directory):
            return {kind: total_extent(files.values()) for kind, files in self.files().items()}

    def lines(self, kind: str) -> Generator[Line, None, None]:
        """Yield the committed lines of a kind, oldest first; StoreError where files were cut."""
        return read_lines(self.directory, self.files()[kind])

    def lost_lines(self) -> list[str]:
        """Return a sentence for each line file that is shorter than what was committed to it."""
        problems = []
        for file, extent in self.all_files().items():
            path = line_path(self.directory, file)
            size = path.stat().st_size if path.exists() else 0
            if size < extent.bytes:
                problems.append(f"{path.name} has {size} bytes where {extent.bytes} were committed")
        return problems

    def url_id(self, url: str) -> int | None:
        """Return the id of a URL, None for one never seen; reads all of them."""
        found: int | None = self.database.cell("SELECT id FROM urls WHERE url = ?", (url,))
        return found

    def document_id(self, url: str) -> int | None:
        """Return the id of the page stored for a URL, None if there is none; reads all of them."""
        found: int | None = self.database.cell(_STORED_AT, (url,))
        return found

    def visible_digest(self, document_id: int) -> bytes | None:
        """Return the digest of a stored page's visible text, None if there is no such page."""
        query = "SELECT visible_digest FROM documents WHERE id = ?"
        found: bytes | None = self.database.cell(query, (document_id,))
        return found

    def appearance(self, document_id: int) -> bytes | None:
        """Return what is kept of a stored page's appearance, packed; None where nothing is."""
        query = "SELECT packed FROM appearances WHERE document_id = ?"
        found: bytes | None = self.database.cell(query, (document_id,))
        return found

    def pictures(self) -> Iterator[tuple[int, int, int]]:
        """Yield id, average and difference hash of each stored page that has a picture, by id."""
        query = (
            "SELECT documents.id, hashes FROM pictures JOIN documents USING (url_id) "
            "ORDER BY documents.id"
        )
        for document_id, hashes in self.database.stream(query):
            average, difference = HASHES.unpack(hashes)
            yield document_id, average, difference

    def picture(self, url_id: int) -> bytes | None:
        """Return a small JPEG of what the page at a URL looked like; None where none was kept."""
        query = "SELECT image FROM pictures WHERE url_id = ?"
        image: bytes | None = self.database.cell(query, (url_id,))
        return image

    def picture_of(self, document_id: int) -> bytes | None:
        """Return the same of a stored page, by its id."""
        url_id = self.database.cell("SELECT url_id FROM documents WHERE id = ?", (document_id,))
        return None if url_id is None else self.picture(url_id)

    def editions(self) -> list[EditionCount]:
        """Return what pages say of addresses that differ in one place."""
        found = self.database.rows("SELECT slot, one, other, agree, against FROM editions")
        return [EditionCount(*row) for row in found]

    def lessons(self, latest: int) -> Iterator[tuple[str, str, bytes, str | None]]:
        """Yield what the latest ends taught of their sites' URLs, in the order of the ends.

        (host, URL, packed, referrer).
        """
        yield from self.database.stream(
            "SELECT h.name, u.url, l.packed, r.url FROM urls AS u "
            "JOIN lessons AS l ON l.url_id = u.id JOIN hosts AS h ON h.id = u.host_id "
            "LEFT JOIN urls AS r ON r.id = u.referrer_id "
            "WHERE u.ended > ? ORDER BY u.ended",
            (self.kept_counts().last - latest,),
        )

    def predicted(self) -> list[tuple[str, str, int, int, int]]:
        """Return, for each host and rule, of how many URLs it foretold, and how many of these wait.

        Last, the last place where some of them do.
        """
        found = self.database.rows(
            "SELECT h.name, p.rule, count(*), sum(u.state = 0 AND NOT p.audit), "
            "max(u.priority * (NOT p.audit)) "
            "FROM predicted AS p JOIN urls AS u ON u.id = p.url_id "
            "JOIN hosts AS h ON h.id = u.host_id GROUP BY h.name, p.rule"
        )
        return [(host, rule, number, waiting, last) for host, rule, number, waiting, last in found]

    def rule_uses(self) -> list[RuleUse]:
        """Return what came of the URLs that each rule had wait behind others."""
        found = self.database.rows(
            "SELECT p.rule, count(*), sum(u.state = 0), sum(u.state > 0 AND p.audit), "
            "sum(u.state > 0 AND NOT p.audit), sum(ifnull(substr(l.packed, 1, 1) = x'01', 0)) "
            "FROM predicted AS p JOIN urls AS u ON u.id = p.url_id "
            "LEFT JOIN lessons AS l ON l.url_id = p.url_id GROUP BY p.rule"
        )
        return [RuleUse(*row) for row in found]

    def prediction(self, url_id: int) -> tuple[str, str | None] | None:
        """Return the rule that foretold of a URL, and the page that it is expected to be."""
        found = self.database.rows(
            "SELECT p.rule, u.url FROM predicted AS p LEFT JOIN documents AS d ON d.id = p.like_id "
            "LEFT JOIN urls AS u ON u.id = d.url_id WHERE p.url_id = ?",
            (url_id,),
        )
        return (found[0][0], found[0][1]) if found else None

    def url_of(self, document_id: int) -> str | None:
        """Return the URL of a stored page, None if there is none."""
        found = self.database.cell(_URL_OF, (document_id,))
        return None if found is None else str(found)

    def host_of(self, document_id: int) -> str:
        """Return the host of a stored page; KeyError if there is none."""
        found = self.database.cell(_HOST_OF, (document_id,))
        if found is None:
            raise KeyError(document_id)
        return str(found)

    def dropped(self, url_id: int) -> dropped.Kept | None:
        """Return what was kept of a page that was not stored, None if nothing was."""
        found = self.database.rows(_DROPPED, (url_id,))
        if not found:
            return None
        packed, like = found[0]
        with reading_stored_values(self.directory):
            return dropped.unpack(packed, like or b"")

    def _recorded(self) -> dict[str, Extent]:
        found = self.database.rows("SELECT name, bytes, lines FROM files")
        return {str(name): Extent(size, lines) for name, size, lines in found}

    def _next_id(self, table: str) -> int:
        with reading_stored_values(self.directory):
            return int(self.database.cell(f"SELECT ifnull(max(id), 0) + 1 FROM {table}"))


def begun(directory: Path) -> bool:
    """Whether a crawl, or a run of `dedup`, has begun in `directory`: its first URLs were stored.

    Raises StoreMismatch where the state file is not ours, StoreError where it cannot be read.
    """
    if not (directory / STATE).exists():
        return False
    # Not `ro`: what was killed while it made its tables may leave them half-written.
    database = Database(directory / STATE, "rw")
    try:
        if database.is_blank():
            return False
    finally:
        database.close()
    with StoreView.read(directory) as view:
        return view.next_url_id > 1 or bool(view.meta(Meta.PURGED))


def open_state(directory: Path, mode: str) -> Database:
    """Connect to the state file of the crawl in `directory`.

    Raises StoreMismatch if there is none or its version is not known, StoreError if it cannot be
    read. Who writes calls `migrate` next.
    """
    path = directory / STATE
    if not directory.exists():
        raise StoreMismatch(f"{directory}: no such directory")
    if (directory / PARTITIONS).is_file():
        raise StoreMismatch(
            f"{directory} holds a crawl of several partitions, which this does not take: give the "
            f"directory of one, such as {directory / 'p000'}"
        )
    if not path.exists():
        raise StoreMismatch(f"{directory} holds no crawl ({STATE} is not there): check the path")
    database = Database(path, mode)
    try:
        check_version(database)
    except BaseException:
        database.close()
        raise
    return database


_LARGEST_CLUSTERS = """
SELECT c.document_id, u.url, c.size
FROM (
  SELECT duplicate_of AS document_id, count(*) AS size FROM urls
  WHERE duplicate_of IS NOT NULL AND {alike}
  GROUP BY duplicate_of ORDER BY size DESC, duplicate_of LIMIT ?
) AS c
JOIN documents AS d ON d.id = c.document_id JOIN urls AS u ON u.id = d.url_id
ORDER BY c.size DESC, c.document_id
"""
_ALIKE = """
SELECT id, url, state, detail, duplicate_of FROM urls
WHERE (state = 2 AND detail IN ('near', 'exact-text')) OR detail = 'sibling'
"""
"""Not those with the same bytes: no eye sees a difference there."""
_LARGEST_HOSTS = """
SELECT (SELECT name FROM hosts WHERE id = u.host_id), u.state, u.detail, count(*)
FROM urls AS u
WHERE u.host_id IN (
  SELECT c.host_id FROM (SELECT host_id, count(*) AS size FROM urls GROUP BY host_id) AS c
  JOIN hosts AS h ON h.id = c.host_id ORDER BY c.size DESC, h.name LIMIT ?
)
GROUP BY u.host_id, u.state, u.detail
"""
"""By host alone first: by state and detail at once, all rows would be sorted."""

MAX_PARAMETERS = 10_000
"""Values looked for by one statement, which reads a whole table: SQLite takes 32,766 (3.32 and
later)."""


class AlikeAs(Enum):
    """In which way pages are like a stored one; the value is a condition on the URL table."""

    COPY = "detail NOT IN ('sibling', 'restored-sibling')"
    NEAR = "detail = 'near'"
    SIBLING = "detail IN ('sibling', 'restored-sibling')"


@dataclass(frozen=True, slots=True)
class AlikeUrl:
    """A page that is like a stored one: a duplicate that was dropped, or any sibling."""

    url_id: int
    url: str
    state: UrlState
    detail: str
    """What it was judged: `near`, `sibling`, `exact-payload` ..."""
    like_id: int | None
    """The stored page; None where it is stored in another directory."""


def largest_hosts(
    view: StoreView, limit: int
) -> list[tuple[str, Mapping[tuple[UrlState, str], int]]]:
    """Return the hosts with most URLs, largest first: (host, (state, detail) -> URLs)."""
    hosts: dict[str, dict[tuple[UrlState, str], int]] = {}
    with reading_stored_values(view.directory):
        for name, state, detail, number in view.database.stream(_LARGEST_HOSTS, (limit,)):
            hosts.setdefault(name, {})[UrlState(state), detail] = number
        return sorted(hosts.items(), key=lambda host: (-sum(host[1].values()), host[0]))


def largest_clusters(
    view: StoreView, limit: int, alike: AlikeAs = AlikeAs.COPY
) -> list[tuple[StoredRef, int]]:
    """Return (stored page, number of pages that are like it in this way), largest first."""
    rows = view.database.rows(_LARGEST_CLUSTERS.format(alike=alike.value), (limit,))
    return [(StoredRef(document_id, url), size) for document_id, url, size in rows]


def alike_urls(view: StoreView) -> Iterator[AlikeUrl]:
    """Yield dropped near duplicates and pages of the same text, and siblings, in no order."""
    with reading_stored_values(view.directory):
        for url_id, url, state, detail, like_id in view.database.stream(_ALIKE):
            yield AlikeUrl(url_id, url, UrlState(state), detail, like_id)


def members(
    view: StoreView, document_ids: Sequence[int], limit: int, alike: AlikeAs | None = None
) -> dict[int, list[AlikeUrl]]:
    """Return id of a stored page -> the first pages found to be like it, `limit` at most of each.

    Like it in one way, or in any, in the order in which their URLs were found. One pass over the
    URL table for all of them; at most `MAX_PARAMETERS` ids.
    """
    wanted = ", ".join("?" * len(document_ids))
    condition = "" if alike is None else f" AND {alike.value}"
    query = (
        "SELECT id, url, state, detail, duplicate_of FROM urls "
        f"WHERE duplicate_of IN ({wanted}){condition} ORDER BY id"
    )
    found: dict[int, list[AlikeUrl]] = {id_: [] for id_ in document_ids}
    with reading_stored_values(view.directory):
        for url_id, url, state, detail, like_id in view.database.stream(query, document_ids):
            if len(found[like_id]) < limit:
                found[like_id].append(AlikeUrl(url_id, url, UrlState(state), detail, like_id))
    return found


def dropped_urls(view: StoreView) -> Iterator[tuple[int, str]]:
    """Yield (URL id, URL) of the pages that were dropped and kept as a difference, in no order."""
    yield from view.database.stream(
        "SELECT u.id, u.url FROM dropped AS d JOIN urls AS u ON u.id = d.url_id"
    )


def all_learned(view: StoreView) -> Iterator[Learned]:
    """Yield what is known of each host's template, in order of host."""
    for row in view.database.stream(_LEARNERS + "ORDER BY l.host"):
        yield Learned(*row)


def templates(view: StoreView, host: str | None = None) -> Iterator[tuple[str, int, bytes]]:
    """Yield (host, version, packed) of every template, or of those of one host; oldest first."""
    where = "" if host is None else "WHERE host = ? "
    named: tuple[Any, ...] = () if host is None else (host,)
    query = f"SELECT host, version, packed FROM templates {where}ORDER BY host, version"
    yield from view.database.stream(query, named)


def template(view: StoreView, host: str, version: int) -> bytes | None:
    """Return one version of a host's template, packed; None if there is none."""
    query = "SELECT packed FROM templates WHERE host = ? AND version = ?"
    found: bytes | None = view.database.cell(query, (host, version))
    return found


def page_ids(view: StoreView, url_ids: Sequence[int]) -> dict[int, int]:
    """Return URL id -> id of the stored page, of those of some URLs that have one."""
    query = "SELECT url_id, id FROM documents WHERE url_id IN ({wanted})"
    return dict(row for some in by_parameters(url_ids, query) for row in view.database.rows(*some))


def by_parameters(values: Iterable[_Value], query: str) -> Iterator[tuple[str, tuple[_Value, ...]]]:
    """Yield a query whose `{wanted}` are some values, with these: as many as a statement takes."""
    iterator = iter(values)
    while some := tuple(islice(iterator, MAX_PARAMETERS)):
        yield query.format(wanted=", ".join("?" * len(some))), some


_COLUMNS = "id, url, state, detail, depth, hops, seed, duplicate_of"
_KNOWN = f"SELECT {_COLUMNS} FROM urls WHERE url = ?"
_WAY = f"""
WITH RECURSIVE way (step, {_COLUMNS}, referrer_id) AS (
  SELECT 0, {_COLUMNS}, referrer_id FROM urls WHERE id = ?
  UNION ALL
  SELECT w.step + 1, u.id, u.url, u.state, u.detail, u.depth, u.hops, u.seed, u.duplicate_of,
    u.referrer_id FROM way AS w JOIN urls AS u ON u.id = w.referrer_id AND u.id < w.id
)
SELECT {_COLUMNS} FROM way ORDER BY step
"""
"""A referrer was known before what it led to: ids fall on the way, and no circle is endless."""


@dataclass(frozen=True, slots=True)
class Known:
    """A URL that was ever queued."""

    id: int
    url: str
    state: UrlState
    detail: str
    """Its verdict, failure class or skip reason, if it has ended."""
    depth: int
    hops: int
    seed: bool
    like: int | None
    """The stored page that its own is like, as a copy or a sibling."""

    @classmethod
    def of_row(cls, id_: int, url: str, state: int, detail: str, *rest: Any) -> Self:
        """Return what a row of `_COLUMNS` tells."""
        depth, hops, seed, like = rest
        return cls(id_, url, UrlState(state), detail, depth, hops, bool(seed), like)


def known(view: StoreView, url: str) -> Known | None:
    """Return what is known of a canonical URL, None if it was never queued; reads all URLs."""
    with reading_stored_values(view.directory):
        return next((Known.of_row(*row) for row in view.database.rows(_KNOWN, (url,))), None)


def every_url(view: StoreView) -> Iterator[Known]:
    """Yield all URLs that were ever queued, in order of id."""
    with reading_stored_values(view.directory):
        for row in view.database.stream(f"SELECT {_COLUMNS} FROM urls ORDER BY id"):
            yield Known.of_row(*row)


def way_to(view: StoreView, found: Known) -> Iterator[Known]:
    """Yield the URLs that led to one, itself first and a seed last."""
    with reading_stored_values(view.directory):
        for row in view.database.rows(_WAY, (found.id,)):
            yield Known.of_row(*row)


def confirm_hosts(view: StoreView, hosts: Collection[str]) -> None:
    """Raise StoreMismatch for a host key of which no URL was ever queued."""
    for host in sorted(hosts):
        if not _has_urls(view, host):
            raise StoreMismatch(
                f"{view.directory}: no URL of the host {host} was ever queued: check its name "
                "(`report` lists hosts)"
            )


def refuse_partition(view: StoreView) -> None:
    """Raise StoreMismatch where a directory is of one partition, and all are to be changed as one.

    Others, and the judge of all, know its pages.
    """
    if "partition" in view.meta(Meta.IDENTITY, {}):
        root = view.directory.absolute().parent
        raise StoreMismatch(
            f"{view.directory} is one partition of a crawl, whose pages the others and the judge "
            f"know: give the directory of all, {root}"
        )


NO_SITES = "which knows no sites: crawls learn this, and archives that are read"
"""To `refuse_corpus` where something of sites is asked for."""


def refuse_corpus(view: StoreView, instead: str) -> None:
    """Raise StoreMismatch where a directory is of a run of `dedup`, with what to do `instead`."""
    if INPUTS in view.meta(Meta.IDENTITY, {}):
        raise StoreMismatch(f"{view.directory} holds the results of `dedup`, {instead}")


def purged_hosts(view: StoreView) -> frozenset[str]:
    """Return the host keys that were purged, but for those that were asked for again since."""
    with reading_stored_values(view.directory):
        kept = map(str, view.meta(Meta.PURGED, []))
        return frozenset(host for host in kept if not _has_urls(view, host))


def _has_urls(view: StoreView, host: str) -> bool:
    return bool(view.database.rows("SELECT 1 FROM hosts WHERE name = ?", (host,)))
