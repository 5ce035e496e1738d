"""What a partition of a crawl keeps of its exchange with the others, beside its URLs and pages.

A URL that another partition owns waits in `outbox`, written with the end of the page that led to
it, until that one has it; `inbox` says how far each sender was heard, written with its URLs. A page
whose verdict was asked for waits in `asks`, whole, until its end: meanwhile others may have been
judged by it. `epochs` counts the openings: whoever comes back with a lower one is refused.

At least once on the way, once in effect: a message that was killed before it was acknowledged is
sent again, and what a receiver has heard it passes over.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from crawler.models import PageOutcome, Priority, SentUrl
from crawler.storage.database import Database
from crawler.urls import host_key

TABLES = """
CREATE TABLE IF NOT EXISTS asks (
  url_id INTEGER PRIMARY KEY REFERENCES urls,
  packed BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS outbox (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  receiver INTEGER NOT NULL,
  urls INTEGER NOT NULL,
  packed BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS outbox_receiver ON outbox (receiver, n);
CREATE TABLE IF NOT EXISTS inbox (
  sender INTEGER PRIMARY KEY,
  n INTEGER NOT NULL,
  urls INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS sent (
  receiver INTEGER PRIMARY KEY,
  urls INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS epochs (
  role TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL
) WITHOUT ROWID;
"""
"""Of partitions only, so `tables.TABLES` has none of them. `n` is never given twice, also where all
rows are gone (AUTOINCREMENT). `sent.urls` and `inbox.urls` count what was sent and taken for ever:
the two ends agree when nothing is on its way."""

JUDGE = -1
"""The receiver of what the judge is to know."""
MOST_URLS = 2_000
"""Of one message, some 200 kB."""
OWN = "self"
"""This partition's own row of `epochs`."""
COUNT_OPENING = "INSERT INTO epochs VALUES (?, 1) ON CONFLICT DO UPDATE SET epoch = epoch + 1"


_RECEIVERS = """
WITH RECURSIVE found(receiver) AS (
  SELECT MIN(receiver) FROM outbox
  UNION ALL
  SELECT (SELECT MIN(receiver) FROM outbox WHERE receiver > found.receiver) FROM found
  WHERE found.receiver IS NOT NULL
) SELECT receiver FROM found WHERE receiver IS NOT NULL
"""
"""Seeks from one to the next, however many rows each has."""


class Posted(NamedTuple):
    """What waits for a receiver. Numbers rise, with gaps."""

    n: int
    urls: int
    packed: bytes


@dataclass(slots=True)
class Exchanged:
    """What one transaction of a partition changes of all this."""

    asks: dict[int, bytes] = field(default_factory=dict)
    """URL id -> the page, packed."""
    sent: list[SentUrl] = field(default_factory=list)
    observed: list[tuple[str, str]] = field(default_factory=list)
    """URLs of two pages with the same bytes, for the judge."""
    arrived: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Sender -> the number of its last message, and how many URLs those of this transaction had."""
    acknowledged: dict[int, int] = field(default_factory=dict)
    """Receiver -> the number up to which it has all messages."""
    epochs: dict[str, int] = field(default_factory=dict)

    def arrive(self, sender: int, n: int, urls: int) -> None:
        """Note a message with so many URLs, the new ones of which were handed over just before."""
        self.arrived[sender] = n, urls + self.arrived.get(sender, (0, 0))[1]

    def write(self, connection: sqlite3.Connection, outcomes: Iterable[PageOutcome]) -> None:
        """Write it, in the transaction that holds these ends."""
        asks = "INSERT OR IGNORE INTO asks VALUES (?, ?)"
        connection.executemany(asks, self.asks.items())
        judged = [(outcome.url_id,) for outcome in outcomes if outcome.payload is not None]
        connection.executemany("DELETE FROM asks WHERE url_id = ?", judged)
        post = "INSERT INTO outbox (receiver, urls, packed) VALUES (?, ?, ?)"
        by_receiver: dict[int, list[SentUrl]] = {}
        for sent in self.sent:
            by_receiver.setdefault(sent.partition, []).append(sent)
        count = (
            "INSERT INTO sent VALUES (?, ?) ON CONFLICT DO UPDATE SET urls = urls + excluded.urls"
        )
        for receiver, urls in by_receiver.items():
            connection.execute(count, (receiver, len(urls)))
            for start in range(0, len(urls), MOST_URLS):
                some = urls[start : start + MOST_URLS]
                connection.execute(post, (receiver, len(some), pack_urls(some)))
        for pair in self.observed:
            connection.execute(post, (JUDGE, 0, orjson.dumps(pair)))
        hear = (
            "INSERT INTO inbox VALUES (?, ?, ?) ON CONFLICT DO UPDATE "
            "SET n = excluded.n, urls = urls + excluded.urls"
        )
        connection.executemany(hear, [(s, n, urls) for s, (n, urls) in self.arrived.items()])
        done = "DELETE FROM outbox WHERE receiver = ? AND n <= ?"
        connection.executemany(done, self.acknowledged.items())
        connection.executemany("INSERT OR REPLACE INTO epochs VALUES (?, ?)", self.epochs.items())


def pack_urls(urls: Iterable[SentUrl]) -> bytes:
    """Return URLs as a message has them; all are for one receiver."""
    return orjson.dumps([(*sent[1:3], int(sent.priority), *sent[4:]) for sent in urls])


def unpack_urls(receiver: int, packed: bytes) -> list[SentUrl]:
    """Undo `pack_urls`. Raises ValueError for other bytes."""
    return [
        SentUrl(receiver, url, depth, Priority(priority), *rest)
        for url, depth, priority, *rest in orjson.loads(packed)
    ]


class Exchange:
    """Reads what a partition keeps of its exchange; committed rows only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def asks(self) -> Iterator[tuple[int, bytes]]:
        """Yield pages that wait for a verdict, in the order of their numbers."""
        yield from self._database.rows("SELECT url_id, packed FROM asks ORDER BY url_id")

    def messages(self, receiver: int, after: int, urls: int = MOST_URLS) -> Sequence[Posted]:
        """Return the first messages for a receiver after a number, of about so many URLs."""
        found, have = [], 0
        query = "SELECT n, urls, packed FROM outbox WHERE receiver = ? AND n > ? ORDER BY n LIMIT ?"
        for row in self._database.rows(query, (receiver, after, urls)):
            found.append(message := Posted(*row))
            have += max(1, message.urls)
            if have >= urls:
                break
        return found

    def receivers(self) -> list[int]:
        """Return for whom messages wait."""
        return [receiver for (receiver,) in self._database.rows(_RECEIVERS)]

    def heard(self) -> Mapping[int, int]:
        """Return the number of the last message of each sender."""
        return dict(self._database.rows("SELECT sender, n FROM inbox"))

    def waiting(self, receiver: int, heard: int) -> int:
        """Return how many URLs wait for a receiver that has `heard` up to this number."""
        query = "SELECT ifnull(sum(urls), 0) FROM outbox WHERE receiver = ? AND n > ?"
        return int(self._database.cell(query, (receiver, heard)))

    def sent_urls(self) -> Mapping[int, int]:
        """Return how many URLs were ever sent to each receiver."""
        return dict(self._database.rows("SELECT receiver, urls FROM sent"))

    def taken_urls(self) -> Mapping[int, int]:
        """Return how many URLs of each sender were ever taken."""
        return dict(self._database.rows("SELECT sender, urls FROM inbox"))

    def epochs(self) -> Mapping[str, int]:
        """Return the highest epoch that is known of each role; OWN is this one's."""
        return dict(self._database.rows("SELECT role, epoch FROM epochs"))


def forget_hosts(
    connection: sqlite3.Connection, hosts: frozenset[str], heard: Mapping[int, int]
) -> None:
    """Remove what waits for others and names some host keys, and asks that have no URL any more.

    `heard` is by receiver the number up to which it has all messages: those have been counted
    there. URLs that go from others were never sent.
    """
    connection.execute("DELETE FROM asks WHERE url_id NOT IN (SELECT id FROM urls)")
    over: list[tuple[int]] = []
    for n, receiver in connection.execute("SELECT n, receiver FROM outbox").fetchall():
        [(packed,)] = connection.execute("SELECT packed FROM outbox WHERE n = ?", (n,))
        if receiver == JUDGE:
            if not hosts.isdisjoint(map(host_key, orjson.loads(packed))):
                over.append((n,))
            continue
        if n <= heard.get(receiver, 0):
            over.append((n,))
            continue
        before = unpack_urls(receiver, packed)
        urls = [sent for sent in before if host_key(sent.url) not in hosts]
        if not urls:
            over.append((n,))
        # The page that led to one is forgotten, the URL is not.
        left = [sent._replace(via=None) if sent.via in hosts else sent for sent in urls]
        change = "UPDATE outbox SET urls = ?, packed = ? WHERE n = ?"
        connection.execute(change, (len(left), pack_urls(left), n))
        fewer = "UPDATE sent SET urls = urls - ? WHERE receiver = ?"
        connection.execute(fewer, (len(before) - len(left), receiver))
    connection.executemany("DELETE FROM outbox WHERE n = ?", over)
