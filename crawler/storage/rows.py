"""Rows bound by the hundred into few, large SQL statements, and what is packed in them.

sqlite3 gives up the GIL at every statement step, and a thread that gives it up while the event loop
is busy waits up to `sys.getswitchinterval()` (5 ms) to get it back. Row-at-a-time inserts would
therefore run at some hundred rows a second just when the crawl is fastest; so rows are bound by the
hundred, and SQLite works on them in one step, without the GIL.

The row of a page's shingles holds their hashes, their marks and a checksum::

    1 byte    PACKED or PACKED_MARKED
    4 bytes   CRC-32 (RFC 1952, section 8) of the page's id, 8 bytes, of the first byte, and of all
              that follows
    4 bytes   n, how many there are
    2 n       bits 0 to 15 of each hash, in ascending order of the hashes
    n         bits 16 to 23 of each, where n is below 8192
    the rest  what is above these, in unary: for the i-th hash (from 0) bit i + h is set, and no
              other, where h is that number; 256 + n bits, or 65,536 + n where n is 8192 or more,
              in whole bytes, the highest bit of each first
    n         their marks, if they have any
    zeros     up to one more than a multiple of 4 in all

This is the code of Elias (1974) and Fano (1971) for ascending numbers, with whole bytes for what
they keep as it is. All numbers are little-endian.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from crawler.console import json_of, sound
from crawler.models import (
    FetchTask,
    NewUrl,
    PageOutcome,
    Predicted,
    Priority,
    Released,
    Shingles,
    StoredDocument,
    UrlState,
)
from crawler.storage.journal import Extent
from crawler.storage.tables import Meta
from crawler.urls import host_of

_Row = tuple[Any, ...]


class HealthRow(NamedTuple):
    """What is known of a host or an origin (`crawler.frontier.Health`)."""

    place: str
    answered: bool
    tries: int
    tried_at: float
    """Unix seconds."""
    evidence_s: float
    why: str


class PauseRow(NamedTuple):
    """What a host is owed (`crawler.frontier.Pause`)."""

    host: str
    until: float
    """Unix time before which it must not be asked."""
    delay_s: float
    slow_s: float


MAX_ROWS = 256
"""Rows a statement: times 13 columns, far below SQLite's 32,766 variables (3.32 and later)."""
MAX_HOSTS_CACHED = 100_000

FINISH = (
    "UPDATE urls SET state = v.column2, detail = v.column3, duplicate_of = v.column4, "
    "ended = v.column5 "
    "FROM (VALUES {values}) AS v WHERE urls.id = v.column1 AND urls.state = 0"
)
_PENDING = """
SELECT u.id, u.url, u.depth, u.priority, u.hops, r.url, u.seed, p.rule
FROM urls AS u LEFT JOIN urls AS r ON r.id = u.referrer_id
LEFT JOIN predicted AS p ON p.url_id = u.id AND NOT p.audit
WHERE u.state = 0 AND u.host_id = (SELECT id FROM hosts WHERE name = ?)
"""
REFILL = (
    _PENDING + "AND u.priority = ? AND u.depth = ? AND u.id > ? ORDER BY u.id LIMIT ?",
    _PENDING + "AND u.priority = ? AND u.depth > ? ORDER BY u.depth, u.id LIMIT ?",
    _PENDING + "AND u.priority > ? ORDER BY u.priority, u.depth, u.id LIMIT ?",
)
"""A host's pending URLs beyond a key (priority, depth, id), in three parts that follow each other:
of its depth, of its priority, and all others. As one comparison of rows SQLite would seek by
(priority, depth) only, and walk over every id of that depth at each refill."""


PREDICT = """
INSERT INTO predicted VALUES (?, ?, ?, ?, ?) ON CONFLICT (url_id) DO UPDATE
SET rule = excluded.rule, like_id = excluded.like_id, audit = excluded.audit
"""
"""Of what was postponed before, by another rule, the place that it had at first stays."""
RELEASE = """
UPDATE urls SET priority = predicted.before FROM predicted
WHERE predicted.rule = ? AND urls.id = predicted.url_id AND urls.state = 0
"""


def signed(fingerprint: int) -> int:
    """Return an unsigned 64-bit number as the signed one SQLite keeps."""
    return fingerprint - (1 << 64) if fingerprint >> 63 else fingerprint


def unsigned(fingerprint: int) -> int:
    """Undo `signed`."""
    return fingerprint % (1 << 64)


def insert_hosts(connection: sqlite3.Connection, ids: dict[str, int], names: set[str]) -> None:
    """Make `ids`, a cache over the table of host name -> row id, hold at least `names`."""
    if len(ids) > MAX_HOSTS_CACHED:
        ids.clear()
    for name in names - ids.keys():
        connection.execute("INSERT OR IGNORE INTO hosts (name) VALUES (?)", (name,))
        found = connection.execute("SELECT id FROM hosts WHERE name = ?", (name,))
        ids[name] = found.fetchall()[0][0]


def insert_urls(connection: sqlite3.Connection, ids: dict[str, int], urls: Sequence[NewUrl]) -> int:
    """Insert URLs as pending, return how many; `ids` is the cache of `insert_hosts`."""
    insert_hosts(connection, ids, {new.host for new in urls})
    return insert(
        connection,
        "INTO urls (id, host_id, url, priority, depth, hops, referrer_id, seed)",
        [
            (u.url_id, ids[u.host], u.url, int(u.priority), u.depth, u.hops, u.referrer_id, u.seed)
            for u in urls
        ],
    )


def insert_stored_urls(
    connection: sqlite3.Connection, ids: dict[str, int], documents: Sequence[StoredDocument]
) -> None:
    """Insert URLs of pages that were crawled elsewhere; `ids` is the cache of `insert_hosts`."""
    hosts = [host_of(document.url) for document in documents]
    insert_hosts(connection, ids, set(hosts))
    insert(
        connection,
        "INTO urls (id, host_id, url, state, priority, depth, hops, seed)",
        [
            (of.url_id, ids[host], of.url, int(UrlState.STORED), 0, 0, 0, False)
            for of, host in zip(documents, hosts, strict=True)
        ],
    )


def insert_documents(connection: sqlite3.Connection, documents: Sequence[StoredDocument]) -> None:
    """Insert stored pages, their shingles and appearances."""
    columns = (
        "id, url_id, payload_digest, declared, text_digest, visible_digest, fingerprint, tokens, "
        "shingle_kind, sketch, representative, layout, address"
    )
    rows = [
        (
            *(d.id, d.url_id, d.payload.digest, d.payload.declared),
            *(d.signature.text_digest, d.signature.visible_digest),
            *(signed(d.signature.fingerprint), d.signature.tokens, d.signature.shingle_kind),
            *(d.signature.sketch, d.representative, d.layout, d.address),
        )
        for d in documents
    ]
    of_url = "SELECT v.*, (SELECT host_id FROM urls WHERE urls.id = v.column2)"
    whole = f"INSERT INTO documents ({columns}, host_id) {of_url} FROM (VALUES {{values}}) AS v"
    execute(connection, whole, rows)
    hashes = [(d.id, pack_shingles(d.id, Shingles.of(d.signature))) for d in documents]
    insert(connection, "INTO shingles (document_id, hashes)", hashes)
    shown = [(d.id, d.appearance) for d in documents if d.appearance is not None]
    insert(connection, "INTO appearances (document_id, packed)", shown)


HASHES = struct.Struct(">QQ")
"""Of a row of `pictures`: the average and the difference hash."""


def add_totals(connection: sqlite3.Connection, outcomes: Iterable[PageOutcome]) -> None:
    """Add what the outcomes count to the running totals."""
    sums: dict[str, float] = {}
    for outcome in outcomes:
        for name, number in outcome.totals.rows():
            sums[name] = sums.get(name, 0) + number
    add = "ON CONFLICT DO UPDATE SET value = value + excluded.value"
    execute(connection, f"INSERT INTO totals VALUES {{values}} {add}", list(sums.items()))


def set_meta(connection: sqlite3.Connection, values: Mapping[Meta, Any]) -> None:
    """Set entries of the meta table; values are kept as JSON."""
    connection.executemany(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        [(key, json_of(value).decode()) for key, value in values.items()],
    )


def set_predicted(connection: sqlite3.Connection, changes: Iterable[Predicted | Released]) -> None:
    """Have URLs wait where they are foreseen to belong, or where they waited before."""
    for change in changes:
        if isinstance(change, Released):
            connection.execute(RELEASE, (change.rule,))
            connection.execute("DELETE FROM predicted WHERE rule = ? AND NOT audit", (change.rule,))
            continue
        row = change.url_id, int(change.before), change.rule, change.like, change.audit
        connection.execute(PREDICT, row)
        if not change.audit:
            move = "UPDATE urls SET priority = ? WHERE id = ? AND state = 0"
            connection.execute(move, (int(change.priority), change.url_id))


def set_extents(connection: sqlite3.Connection, extents: Mapping[str, Extent]) -> None:
    """Record how much of each line file is committed."""
    connection.executemany(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?)",
        [(name, extent.bytes, extent.lines) for name, extent in extents.items()],
    )


def pending_tasks(
    connection: sqlite3.Connection, host: str, after: tuple[int, int, int], limit: int
) -> list[FetchTask]:
    """Return a host's pending URLs beyond the key (priority, depth, id), in that order."""
    rows: list[_Row] = []
    for statement, part in zip(REFILL, (after, after[:2], after[:1]), strict=True):
        if left := limit - len(rows):
            rows += connection.execute(statement, (host, *part, left)).fetchall()
    return [
        FetchTask(
            *(url_id, url, host, depth, Priority(priority), hops, referrer),
            seed=bool(seed),
            rule=rule,
        )
        for url_id, url, depth, priority, hops, referrer, seed, rule in rows
    ]


def insert(connection: sqlite3.Connection, into: str, rows: Sequence[_Row]) -> int:
    """Insert rows `INTO table (columns)`, or `OR REPLACE INTO table`; see `execute`."""
    return execute(connection, f"INSERT {into} VALUES {{values}}", rows)


def execute(connection: sqlite3.Connection, template: str, rows: Sequence[_Row]) -> int:
    """Run `template` over all rows; return how many rows of the table it changed.

    A power of two at a time: ten statement texts in all, which sqlite3 keeps prepared. Texts are
    `sound` then, whoever they came from: SQLite keeps UTF-8.
    """
    changed = start = 0
    while left := len(rows) - start:
        size = min(MAX_ROWS, 1 << (left.bit_length() - 1))
        values = list(chain.from_iterable(rows[start : start + size]))
        statement = _statement(template, len(rows[0]), size)
        try:
            changed += connection.execute(statement, values).rowcount
        except UnicodeEncodeError:  # nothing was done yet
            values = [sound(cell) if isinstance(cell, str) else cell for cell in values]
            changed += connection.execute(statement, values).rowcount
        start += size
    return changed


@lru_cache(maxsize=128)
def _statement(template: str, columns: int, rows: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return template.format(values=", ".join([row] * rows))


PACKED_MARKED, PACKED = 3, 4
"""Formats of shingles: with marks, and without, as pages are signed without a key."""

_HEAD = struct.Struct("<BI")
_NUMBER = struct.Struct("<I")
_LARGE = 8192
"""Shingles from which on two lower bytes take less than three: 8 kB more for what is above them,
and a byte less for each hash."""


def pack_shingles(document_id: int, text: Shingles) -> bytes:
    """Return the row of a page's shingles, with their marks if they have any.

    Of 420 shingles, the median of real pages, 4.2 bytes each, of 65,536 3.3.
    """
    import numpy as np  # a `report` does without

    hashes, number = text.hashes, len(text.hashes)
    low, bits = _low_bytes_and_bits_above(number)
    body = _NUMBER.pack(number) + hashes.astype("<u2").tobytes()
    if low > 2:
        body += (hashes >> np.uint32(16)).astype(np.uint8).tobytes()
    above = np.zeros(bits, np.bool_)
    above[(hashes >> np.uint32(8 * low)) + np.arange(number, dtype=np.uint32)] = True
    body += np.packbits(above).tobytes()
    if text.marks is not None:
        body += text.marks.tobytes()
    body += bytes(-len(body) % 4)
    how = PACKED if text.marks is None else PACKED_MARKED
    return _HEAD.pack(how, _checksum(document_id, how, body)) + body


def unpack_shingles(document_id: int, packed: bytes) -> Shingles:
    """Undo `pack_shingles`. Raises ValueError for what is damaged, or is of another page."""
    import numpy as np

    if len(packed) % 4 != 1 or len(packed) < _HEAD.size:
        raise ValueError("its shingles are damaged: they were cut short")
    how, checksum = _HEAD.unpack_from(packed)
    body = memoryview(packed)[_HEAD.size :]
    if how not in (PACKED_MARKED, PACKED) or checksum != _checksum(document_id, how, body):
        raise ValueError("its shingles are damaged: their checksum is wrong")
    (number,) = _NUMBER.unpack_from(body)
    low, in_unary = _low_bytes_and_bits_above(number)
    above = _NUMBER.size + low * number
    behind = above + in_unary // 8
    bits = np.unpackbits(np.frombuffer(body, np.uint8, behind - above, above))
    high = np.flatnonzero(bits.view(np.bool_)) - np.arange(number)
    if low > 2:
        high = high << 8 | np.frombuffer(body, np.uint8, number, _NUMBER.size + 2 * number)
    hashes = (high << 16).astype(np.uint32)
    hashes |= np.frombuffer(body, "<u2", number, _NUMBER.size)
    is_marked = how == PACKED_MARKED
    return Shingles(hashes, np.frombuffer(body, np.uint8, number, behind) if is_marked else None)


def _low_bytes_and_bits_above(number: int) -> tuple[int, int]:
    """Return how many bytes of each hash stay as they are, and the bits of the rest of all.

    The bits are in whole bytes.
    """
    low = 2 if number >= _LARGE else 3
    bits = (1 << 8 * (4 - low)) + number
    return low, bits + -bits % 8


def _checksum(document_id: int, how: int, body: bytes | memoryview) -> int:
    of_page = document_id.to_bytes(8, "little", signed=True)
    return zlib.crc32(body, zlib.crc32(of_page + bytes([how])))
