"""The tables of the state file, the keys of `meta`, and the way from each older version to this.

A new file is made by `TABLES`; an older one is brought up to date by `MIGRATIONS` when it is opened
for writing, all steps in one transaction: after a crash it is as old as it was, or up to date.
Readers take older files as they are, as far back as `READABLE_SINCE`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum

from crawler.errors import StoreMismatch
from crawler.storage.database import Database

log = logging.getLogger(__name__)

APPLICATION_ID = 0x43525744
"""`CRWD`: tells `file` and us whose database this is."""
SCHEMA_VERSION = 14
"""Kept as `PRAGMA user_version`; raised with every change of `TABLES`, or of what is kept in them
that an older program would not understand."""
READABLE_SINCE = 12
"""The version of release 0.1.0, the oldest that `view` can read without a migration."""

TABLES = """
CREATE TABLE hosts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE urls (
  id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL REFERENCES hosts,
  url TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 5),
  priority INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  hops INTEGER NOT NULL,
  referrer_id INTEGER REFERENCES urls,
  seed INTEGER NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  duplicate_of INTEGER REFERENCES documents,
  ended INTEGER
);
CREATE INDEX urls_pending ON urls (host_id, priority, depth) WHERE state = 0;
CREATE INDEX urls_seeds ON urls (seed) WHERE seed = 1;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  url_id INTEGER NOT NULL REFERENCES urls,
  payload_digest BLOB NOT NULL,
  declared TEXT NOT NULL,
  text_digest BLOB NOT NULL,
  visible_digest BLOB NOT NULL,
  fingerprint INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  shingle_kind TEXT NOT NULL,
  sketch BLOB NOT NULL,
  representative INTEGER NOT NULL,
  layout BLOB,
  address INTEGER,
  host_id INTEGER
);
CREATE INDEX documents_payload ON documents (substr(payload_digest, 1, 8));
CREATE INDEX documents_visible ON documents (substr(visible_digest, 1, 8));
CREATE INDEX documents_address ON documents (address) WHERE address IS NOT NULL;
CREATE INDEX documents_host ON documents (host_id);
CREATE TABLE shingles (
  document_id INTEGER PRIMARY KEY REFERENCES documents,
  hashes BLOB NOT NULL
);
CREATE TABLE appearances (
  document_id INTEGER PRIMARY KEY REFERENCES documents,
  packed BLOB NOT NULL
);
CREATE TABLE dropped (
  url_id INTEGER PRIMARY KEY REFERENCES urls,
  like_id INTEGER REFERENCES documents,
  line BLOB NOT NULL
);
CREATE TABLE rules (
  origin TEXT PRIMARY KEY,
  packed BLOB NOT NULL,
  agent TEXT NOT NULL,
  crawl_delay_s REAL
) WITHOUT ROWID;
CREATE TABLE health (
  place TEXT PRIMARY KEY,
  answered INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  tried_at REAL NOT NULL,
  evidence_s REAL NOT NULL,
  why TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE pauses (
  host TEXT PRIMARY KEY,
  until REAL NOT NULL,
  delay_s REAL NOT NULL,
  slow_s REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE learners (
  host TEXT PRIMARY KEY,
  version INTEGER,
  revoked INTEGER NOT NULL,
  state BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE templates (
  host TEXT NOT NULL,
  version INTEGER NOT NULL,
  packed BLOB NOT NULL,
  PRIMARY KEY (host, version)
) WITHOUT ROWID;
CREATE TABLE editions (
  slot TEXT NOT NULL,
  one TEXT NOT NULL,
  other TEXT NOT NULL,
  agree INTEGER NOT NULL,
  against INTEGER NOT NULL,
  PRIMARY KEY (slot, one, other)
) WITHOUT ROWID;
CREATE TABLE lessons (
  url_id INTEGER PRIMARY KEY REFERENCES urls,
  packed BLOB NOT NULL
);
CREATE TABLE predicted (
  url_id INTEGER PRIMARY KEY REFERENCES urls,
  before INTEGER NOT NULL,
  rule TEXT NOT NULL,
  like_id INTEGER REFERENCES documents,
  audit INTEGER NOT NULL
);
CREATE INDEX predicted_rule ON predicted (rule);
CREATE TABLE pictures (
  url_id INTEGER PRIMARY KEY REFERENCES urls,
  hashes BLOB NOT NULL,
  image BLOB NOT NULL
);
CREATE TABLE archived (
  file INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  document_id INTEGER REFERENCES documents,
  date TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (file, offset)
) WITHOUT ROWID;
CREATE UNIQUE INDEX archived_document ON archived (document_id) WHERE document_id IS NOT NULL;
CREATE TABLE files (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL, lines INTEGER NOT NULL)
  WITHOUT ROWID;
CREATE TABLE totals (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
"""`urls` has no unique index on `url`: the seen set owns that question, and the index would double
what a new URL costs. Row ids end every index, so `urls_pending` yields (priority, depth, id).
The indexes of digests hold 8 bytes of each, a third of what they would else take: digests come in
no order, and once such an index is larger than the page cache each insertion reads and writes pages
of its own. Who looks one up compares the whole digest. `urls.ended` numbers the ends in their
order: 1 ended first. `documents.host_id` is that of its URL: the latest pages of a host are found
by it. `urls.duplicate_of` also names what a sibling is like. `shingles.hashes` is
packed (`crawler.storage.rows`); `dropped.line` is packed as a difference from the appearance of
`like_id` (`crawler.storage.dropped`), of any page that was dropped but for copies to the byte.
`rules` holds what each robots.txt said when it was last read, `health` by host key or origin what
was seen of it (`crawler.frontier.Health`; `tried_at` in
Unix seconds), `pauses` by host key what it is owed (`crawler.frontier.Pause`; `until` in Unix
seconds). `learners` holds by host key what each template is learned from, packed, and the `version`
that reads the host's pages now; `templates` every version that ever read a page
(`crawler.storage.rows`). `editions` holds what pages say of addresses that differ in one place
(`crawler.urls.editions`). `lessons` holds what each end taught of its site's URLs, packed
(`crawler.frontier.learning`); `predicted` which URLs wait behind others, or were asked for to see
whether they should, by which `rule`, where they waited `before`, and the stored page that each is
expected to be. `pictures` holds what rendered pages look like, stored ones and others
(`crawler.dedup.pictures`): two hashes of eight bytes, big-endian, and a small JPEG.
`archived` holds each response and revisit of the archives
(`crawler.storage.archive`): the number of its file, where it begins there, the stored page that it
is of, its WARC-Date, and its line in the index. `files` holds what is committed of each file of
lines, by its name without `.jsonl` (`crawler.storage.journal`), and of each archive, by its whole
name, with its records for lines."""


class Meta(StrEnum):
    """The keys of the table `meta`: what is kept beside URLs and pages, each value as JSON.

    A crawl and a run over a corpus (`sources`) write the same keys but for those that say so.
    """

    IDENTITY = "identity"
    """The settings that must be the same on every resume. Written as the store is created, and by
    `reindex`."""
    KEY = "key"
    """What shingles are marked by (`crawler.dedup.signing`), in hexadecimal: who knows it
    can forge near duplicates. Written as the store is created."""
    JOB = "job"
    """The job of the latest run (`Job.model_dump`). Written as a run begins, and by `reindex`."""
    RUNS = "runs"
    """A list, oldest run first: `started_at` and `finished_at` in Unix seconds, whether it was
    `stopped`, `timed_out` by its own limit or `disk_full` by that, and which `parts` did its work
    (`crawler.observe.parts`).
    Written as a run begins and all the while, lest it be killed."""
    TRAPS = "traps"
    """What is known of cuts (`UrlLearning.state`). Written by a crawl at each cut and at its end,
    and by `resume --release`."""
    SCOPE = "scope"
    """Hosts (host keys) to which redirects of seeds led that the job's patterns refused: part of
    the scope although no stored URL says so. Written by a crawl as it meets them."""
    REINDEXED = "reindexed"
    """A list, an entry for each `reindex`: when it was (`at`, Unix seconds), how many `pages` it
    signed, and the ids of those that `failed`. Written by `reindex`."""
    SNAPSHOT = "snapshot"
    """The snapshot of a crawl's memory that is trusted (`crawler.storage.snapshots`): its `token`;
    the highest ids of `urls` and `documents` of which it tells; how many URL ids up to there are
    `missing`, which no URL has; and the kind of `judge` that it is of. Written by a crawl all the
    while and at its end; null after `reindex`."""
    COUNTS = "ends"
    """How URLs have ended, and how many there are (`storage.view`). Written with every
    group; null after `retry` and `restore`."""
    RETRIED = "retried"
    """Line file -> how many of its lines are of URLs that were put back to pending since. Written
    by `retry`."""
    RECRAWL = "recrawl"
    """Which pages this crawl visits again (`crawl.recrawl.Plan`): the directories `of` which they
    are, oldest first, as paths from this one; `at`, Unix seconds, when it began; `due_only`,
    `known_only`, `pending` and `has_inherited`. Written as `recrawl` begins, by no other crawl."""
    REACHED = "reached"
    """The job of the run before, while what was beyond its reach is offered to one that reaches
    farther (`crawler.sources.web.rescope`); null when that is done. Written by such a run alone."""
    LOST_LINKS = "lost_links"
    """How many stored `pages` may link to what was refused, which is not known any more although
    the job reaches farther now: a recrawl reads their links again. Written by such a run alone."""
    SINKS = "sinks"
    """How far each sink of the job has come (`crawler.plugins.Sink`): name -> kind of line -> the
    file and the byte in it up to which it has taken lines. Written by a crawl all the while."""
    SWAPPED = "swapped"
    """Kind of line -> its `new` file, and the `old` ones in whose place it is, which are to go
    (`crawler.storage.opening`). Written by `purge`; null once they are gone."""
    PURGED = "purged"
    """A list of the host keys of which everything was removed. Written by `purge`."""
    AGAINST = "against_documents"
    """A list, an entry for each earlier directory or file that the run is judged against: how many
    `documents` it had when the run began, and the `mark` by which another one in its place is told.
    Written as a run begins."""


MIGRATIONS: Mapping[int, tuple[str, ...]] = {
    # Version 13 alone kept how pages could be made of the data in them, without a browser: no page
    # is any more.
    12: (),
    13: (
        "DROP TABLE IF EXISTS fillings",
        "DELETE FROM totals WHERE name LIKE 'rendering:% filled'",
    ),
}
"""Version -> statements that lead from it to the next one."""


def create_tables(database: Database) -> None:
    """Create everything in one transaction: a crash leaves either a blank file or all of it."""
    with database.transaction() as connection:
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


REPEAT = "repeat the command that was to begin it"
"""The way out where a crawl was stopped before its seeds were stored."""


def check_version(database: Database) -> None:
    """Raise StoreMismatch unless the tables are ours and of a version that can be read."""
    if database.is_blank():
        raise StoreMismatch(
            f"{database.path} is blank: the crawl was stopped before anything was stored; {REPEAT}"
        )
    if database.pragma("application_id") != APPLICATION_ID:
        raise StoreMismatch(
            f"{database.path} is not a crawl's state file: choose another directory"
        )
    version = database.version
    if not READABLE_SINCE <= version <= SCHEMA_VERSION:
        age = "a later" if version > SCHEMA_VERSION else "another"
        raise StoreMismatch(
            f"{database.path} has schema version {version}, this program knows {READABLE_SINCE} to "
            f"{SCHEMA_VERSION}: {age} version of it made the file; use that one, or start a new "
            "crawl in another directory"
        )


def migrate(database: Database) -> None:
    """Bring the tables of a checked file up to date, in one transaction; the lock is held."""
    found = database.version
    if found == SCHEMA_VERSION:
        return
    log.info("migrating %s from schema version %d to %d", database.path, found, SCHEMA_VERSION)
    with database.transaction() as connection:
        for version in range(found, SCHEMA_VERSION):
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
